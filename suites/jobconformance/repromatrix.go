package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/spf13/cobra"
)

const matrixHelp = `Plays every known bug of upstream on every version, one cluster after the other, and
writes a table in Markdown into the folder of reports. A run that was broken off goes
on where it was, as long as the folder is there.

Exit codes: 0 all is as expected, 1 something is not, 2 bad input (also a version that
cannot be built; the others are played), 3 the harness failed, 130 interrupted.`

// matrixVersions are those that bugs came and went with.
var matrixVersions = []string{
	"v1.30.14", "v1.31.0", "v1.31.14", "v1.32.2", "v1.32.13", "v1.33.6", "v1.33.13", "v1.34.0", "v1.34.2", "v1.34.4",
	"v1.35.4", "v1.36.1", "v1.36.3", "v1.36.4", "v1.37.0", "v1.37.1",
}

func matrixCommand(code *int, out io.Writer) *cobra.Command {
	var o repro.Options
	var name string
	var issues []int
	command := &cobra.Command{
		Use:   "repro-matrix",
		Short: "Play every known bug of upstream on every version",
		Long:  matrixHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = out
			asExpected, err := playMatrix(cmd.Context(), o, name, issues)
			if err == nil && !asExpected {
				*code = exitRed
			}
			return err
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringSliceVar(&o.Versions, "versions", matrixVersions, "versions of Kubernetes")
	set.IntSliceVar(&issues, "issue", nil, "only these issues (default: all)")
	set.StringVarP(&name, "implementation", "i", implementation.KubeControllerManager, "the controller: reference, kube-controller-manager or exec:COMMAND")
	reproFlags(set, &o)
	return command
}

func playMatrix(ctx context.Context, o repro.Options, name string, issues []int) (asExpected bool, err error) {
	bugs, err := regressions.All()
	if err != nil {
		return false, err
	}
	if len(issues) > 0 {
		var chosen []regressions.Regression
		for _, issue := range issues {
			bug, err := findBug(bugs, issue)
			if err != nil {
				return false, err
			}
			chosen = append(chosen, bug)
		}
		bugs = chosen
	}
	if o.Repeat < 1 || o.Procs < 1 || len(o.Versions) == 0 {
		return false, badinput.New("there is nothing to play", "mend --versions, --repeat or --procs")
	}
	if o.Implementation, err = proxied(name); err != nil {
		return false, err
	}
	cells, failure := repro.Matrix(ctx, o, bugs)
	if failure != nil && !badinput.Is(failure) {
		return false, failure
	}
	path, err := repro.WriteTable(o, bugs, cells)
	if err != nil {
		return false, err
	}
	var text strings.Builder
	repro.Table(&text, name, o.Versions, bugs, cells)
	fmt.Fprintf(o.Out, "\n%s\n%-70s %s\n", text.String(), "table", relative(path))
	unexpected := 0
	for _, c := range cells {
		if bug, _ := regressions.Find(bugs, c.Issue); !c.AsExpected(bug) {
			unexpected++
		}
	}
	word := "AS EXPECTED"
	if unexpected > 0 || failure != nil {
		word = "NOT AS EXPECTED"
	}
	fmt.Fprintf(o.Out, "%s: %d bugs on %d versions, %d of %d played, %d not as expected\n", word, len(bugs), len(o.Versions), len(cells), len(bugs)*len(o.Versions), unexpected)
	return unexpected == 0, failure
}
