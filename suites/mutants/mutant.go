// Package mutants holds wrong controllers: small edits of the reference
// controller, each of which breaks one behaviour. The suites are only worth
// something if every one of them turns a spec red.
package mutants

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
)

//go:embed */*.yaml
var descriptions embed.FS

// Mutant is one wrong controller. Its file lies in the folder of the behaviour
// that it breaks.
type Mutant struct {
	Name      string `json:"-"` // behaviour/file name without its ending
	Behaviour string `json:"-"`
	// Wrong says in a sentence what this controller does.
	Wrong string `json:"wrong"`
	// Breaks are the IDs of the requirements that it breaks. It is caught if a spec that
	// covers one of them fails by an expectation, or breaks an invariant that guards it.
	Breaks []string `json:"breaks"`
	// Warns says that it breaks nothing but what a controller SHOULD do: of the specs that are
	// run, only such ones fail, among them some of each requirement in Breaks.
	Warns bool `json:"warns"`
	// Labels select specs that must stay green with one that warns, beside those of the requirements
	// in Breaks. Default: none.
	Labels string `json:"labels"`
	// Crashes says that it is caught by exiting while such a spec runs. Default: that
	// shows nothing.
	Crashes bool `json:"crashes"`
	// Edits make it of the reference controller, or of the one for a custom resource.
	Edits []mutant.Edit `json:"edits"`
}

// gates returns the feature gates that have to be on for its specs.
func (m Mutant) gates() []gates.Gate {
	if m.Behaviour == "scheduling" {
		return ofWorkloads
	}
	return nil
}

// ofWorkloads are the feature gates of specs of workloads.
var ofWorkloads = []gates.Gate{gates.WorkloadWithJob, gates.TopologyAwareWorkloadScheduling,
	gates.DRAWorkloadResourceClaims}

// All returns every mutant, ordered by name.
func All() ([]Mutant, error) {
	return mutant.Read(descriptions, "*/*.yaml", func(of *Mutant, name string) {
		of.Name, of.Behaviour = name, path.Dir(name)
	})
}

// implementation is the name of the controller that it is made of.
func (m Mutant) implementation() string {
	switch {
	case strings.HasPrefix(m.Edits[0].File, controller+"/crd/runs"):
		return implementation.Runs
	case m.ofResource():
		return implementation.CRD
	case strings.HasPrefix(m.Edits[0].File, controller+"/aggregator/"):
		return implementation.Aggregator
	}
	return implementation.Reference
}

// ofResource reports whether it is made of the controller of a custom resource.
func (m Mutant) ofResource() bool { return strings.HasPrefix(m.Edits[0].File, controller+"/crd/") }

// edited returns the texts of the files that it changes, by their paths. It fails when an
// edit does not fit the checkout at root any more.
func (m Mutant) edited(root string) (map[string]string, error) {
	texts, err := mutant.Apply(root, m.Edits)
	if err != nil {
		return nil, fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	return texts, nil
}
