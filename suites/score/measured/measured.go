// Package measured keeps the figures that package score has measured, for the pages that
// show them.
package measured

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// Score is the outcome of a campaign that was run to its end.
type Score struct {
	Version    string `json:"version"`
	Seed       uint64 `json:"seed"`
	Count      int    `json:"count"`
	Caught     int    `json:"caught"`
	Crashed    int    `json:"crashed"` // of the caught ones: by an exit
	Survived   int    `json:"survived"`
	Warned     int    `json:"warned,omitempty"` // of those that survived
	Equivalent int    `json:"equivalent"`
	// NotStarted mutants are neither caught nor survived.
	NotStarted int `json:"notStarted"`
	// Broken mutants do not compile. They are not in Count.
	Broken int    `json:"broken"`
	Suite  string `json:"suite"` // version of jobconformance
	Date   string `json:"date"`
}

// Percent is the share of the caught mutants among those that are not equivalent.
func (m Score) Percent() float64 {
	if m.Caught+m.Survived == 0 {
		return 0
	}
	return 100 * float64(m.Caught) / float64(m.Caught+m.Survived)
}

func (m Score) String() string {
	survived := fmt.Sprintf("%d survived", m.Survived)
	if m.Warned > 0 {
		survived += fmt.Sprintf(" (%d with a warning)", m.Warned)
	}
	return fmt.Sprintf("%.1f %% of %d mutants that are not equivalent were caught (%s, seed %d: %d caught, %s, %d "+
		"equivalent, %d not started)",
		m.Percent(), m.Caught+m.Survived, m.Version, m.Seed, m.Caught, survived, m.Equivalent, m.NotStarted)
}

// file is in the folder of this package, in the checkout.
const file = "suites/score/measured/measured.yaml"

// Read returns the figures in a checkout, the latest last.
func Read(root string) (all []Score, err error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return all, yaml.UnmarshalStrict(text, &all)
}

// Save adds a figure to those of a checkout; it replaces one of the same draw.
func (m Score) Save(root string) error {
	all, err := Read(root)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(old Score) bool {
		return old.Version == m.Version && old.Seed == m.Seed && old.Count == m.Count
	})
	text, err := yaml.Marshal(append(all, m))
	if err != nil {
		return err
	}
	const head = "# Written by make score, and read by make figures.\n"
	return os.WriteFile(filepath.Join(root, file), append([]byte(head), text...), 0o644)
}
