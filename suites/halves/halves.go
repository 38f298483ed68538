// Package halves holds controllers that are right but for one field of a status, or one side effect.
// Exactly the requirements about that must be non-conformant: a spec of another one that turns red
// assumes what its sentence does not say.
package halves

import (
	"embed"

	"github.com/jobconformance/jobconformance/suites/internal/mutant"
)

//go:embed *.yaml
var descriptions embed.FS

// Half is one such controller.
type Half struct {
	Name string `json:"-"` // of its file, without its ending
	// Lacks says in a sentence what is wrong.
	Lacks string `json:"lacks"`
	// Labels select the specs that are run. Default: all.
	Labels string `json:"labels"`
	// Edits make it of the reference controller.
	Edits []mutant.Edit `json:"edits"`
	// NonConformant are the IDs of all requirements that it does not meet, sorted.
	NonConformant []string `json:"nonConformant"`
	// Warns are those of which only a SHOULD fails, sorted.
	Warns []string `json:"warns"`
}

// All returns every half, ordered by name.
func All() ([]Half, error) {
	return mutant.Read(descriptions, "*.yaml", func(of *Half, name string) { of.Name = name })
}
