package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func listCommand() *cobra.Command {
	f := new(flags)
	c := command("list", "Print the specs that run would run, without a cluster",
		`Prints the specs that run with the same flags would run, and the requirements that each
of them covers, as run --dry-run does. Nothing is started.

Exit codes: 0 they were printed, 2 bad input, 3 the harness failed.`,
		`  jobconformance list --labels behaviour:parallelism
  jobconformance list --requirement JOB-BACKOFF-001 -o json`,
		func(cmd *cobra.Command, _ []string) error {
			if err := f.restore(); err != nil {
				return err
			}
			var err error
			if f.options.Implementation, err = f.parse(); err != nil {
				return err
			}
			return f.list(cmd.Context(), cmd.OutOrStdout())
		})
	f.set = c.Flags()
	f.selectingFlags(f.set)
	section(c.Flags(), theCluster, func(set *pflag.FlagSet) {
		set.StringVar(&f.options.Build.KubernetesVersion, "kubernetes-version", build.DefaultKubernetesVersion,
			"version that the specs would meet")
	})
	section(c.Flags(), theResult, func(set *pflag.FlagSet) { outputFlag(set, &f.output, "the list") })
	return c
}

// list prints the specs that are selected. It starts nothing, and refuses what run refuses.
func (f *flags) list(ctx context.Context, out io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	err := f.selects()
	nothing := errors.Is(err, errNothingFailed)
	if err != nil && !nothing {
		return err
	}
	specs, err := run.List(ctx, f.options, f.selection)
	if err != nil {
		return err
	}
	if err := f.checkFilters(specs); err != nil {
		return err
	}
	if !nothing {
		if err := run.AnySelected(specs); err != nil {
			return err
		}
	}
	all := len(specs)
	specs = slices.DeleteFunc(specs, func(s spec.Listed) bool { return nothing || !s.Selected })
	if f.output == asJSON {
		return printJSON(out, listed(specs))
	}
	for _, s := range specs {
		fmt.Fprintf(out, "%s [%s]\n", s.Text, strings.Join(s.Requirements, " "))
	}
	fmt.Fprintf(out, "%d of %d specs\n", len(specs), all)
	return nil
}

// listedSpec is one of the specs that list prints for programs.
type listedSpec struct {
	Spec         string     `json:"spec"`
	File         string     `json:"file"` // in the repository of the suites
	Line         int        `json:"line"`
	Level        spec.Level `json:"level"`
	Requirements []string   `json:"requirements"`
	Features     []string   `json:"features"`
	Profiles     []string   `json:"profiles"`
	Versions     []string   `json:"versions,omitempty"` // constraints
	Issues       []string   `json:"issues,omitempty"`   // numbers in kubernetes/kubernetes
	Labels       []string   `json:"labels"`             // all of them, which --labels matches
}

func listed(specs []spec.Listed) []listedSpec {
	all := []listedSpec{}
	for _, s := range specs {
		all = append(all, listedSpec{s.Text, s.Source.File, s.Source.Line, s.Level, s.Requirements, s.Features,
			s.Profiles,
			s.Versions, s.Issues, s.All})
	}
	return all
}
