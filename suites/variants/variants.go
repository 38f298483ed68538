// Package variants holds controllers that are made in another way than the reference
// controller and keep the contract all the same: the mirror of package mutants. A spec or
// an invariant that turns one of them red demands what the contract does not say.
package variants

import (
	"embed"

	"github.com/jobconformance/jobconformance/suites/internal/mutant"
)

//go:embed *.yaml
var descriptions embed.FS

// Variant is one such controller.
type Variant struct {
	Name string `json:"-"` // of its file, without its ending
	// Design is what it does otherwise, in a sentence.
	Design string `json:"design"`
	// Edits make it of the reference controller. Those of all variants go together.
	Edits []mutant.Edit `json:"edits"`
}

// All returns every variant, ordered by name.
func All() ([]Variant, error) {
	return mutant.Read(descriptions, "*.yaml", func(of *Variant, name string) { of.Name = name })
}
