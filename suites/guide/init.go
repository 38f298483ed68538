package guide

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
)

// workflow is suites/example/ci/github.yml, which is in another module; a test holds that.
//
//go:embed first/github.yml
var workflow string

// modules is its go.mod, with versions of this module's; a test holds that.
//
//go:embed first/go.mod.txt
var modules string

// Expectations is the name of the file with what a controller does not do yet.
const Expectations = "expectations.yaml"

// Files returns what a new controller begins with, by path: its source, go.mod, a workflow and expectations. The
// name is that of its program.
func Files(name string) map[string]string {
	return map[string]string{
		"controller.go":                        First,
		"go.mod":                               strings.Replace(modules, "my-controller", name, 1),
		".github/workflows/jobconformance.yml": inWorkflow.Replace(workflow, name),
		Expectations:                           notYet(),
	}
}

// replacer makes the workflow of a new controller of the example.
type replacer [][2]string

var inWorkflow = replacer{
	{"./cmd/my-controller", "."},
	{" --leader-elect=false", ""},
	{"JOBCONFORMANCE_DECLINE: cron-time-zone", "JOBCONFORMANCE_CONTROLLERS: job"},
	{"# what fails today", "# what it does not do yet"},
	{"my-controller", "{{name}}"},
}

// Replace returns the text for a controller of that name.
func (r replacer) Replace(text, name string) string {
	for _, pair := range r {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return strings.ReplaceAll(text, "{{name}}", name)
}

const aboutExpectations = `# What the controller does not do yet, rung by rung. Delete the entries of a rung once
# jobconformance run --next gets beyond it. In place of decline, an entry may have fails: then its specs
# run, and one of them at least fails.
`

// notYet declines everything above the first rung of Job controllers.
func notYet() string {
	var b strings.Builder
	b.WriteString(aboutExpectations)
	for n, rung := range ladder.Of(contract.Job)[1:] {
		fmt.Fprintf(&b, "\n# rung %d, %s: %s\n", n+2, rung.Name, rung.Does)
		for _, r := range rung.Requirements {
			fmt.Fprintf(&b, "- {requirement: %s, decline: not yet}\n", r.ID)
		}
	}
	return b.String()
}
