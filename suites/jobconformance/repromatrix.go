package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/spf13/cobra"
)

const matrixHelp = `Reproduces every fixed upstream bug on every version, one cluster after the other,
and writes a table in Markdown into the folder for reports. An interrupted command
resumes if the folder is still there.

A shard runs every nth of the versions, and builds no others. To put shards together, append
their matrix.jsonl to one in a new folder, and give that folder to the same command without
--shard: it runs what is missing, and writes the whole table.

Exit codes: 0 all as expected (of a shard: all of its own), 1 something not as expected, 2 bad input (also a
version that cannot be built; the others are run), 3 no verdict because the harness
failed, 130 after Ctrl-C, 143 after SIGTERM.`

const matrixExample = `  jobconformance repro-matrix
  jobconformance repro-matrix --versions v1.36.1,v1.36.3 --issue 139428,136918
  jobconformance repro-matrix --versions v1.37.2 --issue open,unreported`

// matrixVersions are those in which bugs appear and disappear.
var matrixVersions = []string{
	"v1.30.14", "v1.31.0", "v1.31.14", "v1.32.2", "v1.32.13", "v1.33.6", "v1.33.13", "v1.34.0", "v1.34.2", "v1.34.4",
	"v1.35.4", "v1.36.1", "v1.36.3", "v1.36.4", "v1.37.0", "v1.37.1", "v1.37.2",
}

func matrixCommand() *cobra.Command {
	var o repro.Options
	var name string
	var issues []string
	var shard run.Shard
	c := command("repro-matrix", "Reproduce every fixed upstream bug on every version", matrixHelp, matrixExample,
		func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.OutOrStdout()
			return runMatrix(cmd.Context(), o, shard, name, issues)
		})
	set := c.Flags()
	set.StringSliceVar(&o.Versions, "versions", matrixVersions, "versions of Kubernetes")
	set.StringSliceVar(&issues, "issue", []string{string(library.Fixed)},
		"only these: numbers or names as in repro --list, or all that are fixed, open or unreported")
	shardFlag(set, &shard, "versions")
	implementationFlag(set, &name, implementation.KubeControllerManager, "the controller: "+processes)
	reproFlags(set, &o, "repro-matrix")
	return c
}

// choose returns the bugs with some numbers, names or states.
func choose(known []library.Entry, ids []string) (bugs []library.Entry, err error) {
	for _, id := range ids {
		some := slices.DeleteFunc(slices.Clone(known), func(e library.Entry) bool { return string(e.State()) != id })
		if len(some) == 0 {
			bug, err := findBug(known, id, string(library.Fixed), string(library.Open),
				string(library.Unreported))
			if err != nil {
				return nil, err
			}
			some = append(some, bug)
		}
		bugs = append(bugs, some...)
	}
	return bugs, nil
}

func runMatrix(ctx context.Context, o repro.Options, shard run.Shard, name string, issues []string) error {
	known, err := library.Reports()
	if err != nil {
		return err
	}
	bugs, err := choose(known, issues)
	if err != nil {
		return err
	}
	if len(o.Versions) == 0 {
		return badinput.New("there are no versions to run", "name some with "+console.Flag("versions"))
	}
	if err := shard.Check(len(o.Versions), "versions"); err != nil {
		return err
	}
	o.Versions = run.Every(shard, o.Versions)
	if err := checkRepro(o); err != nil {
		return err
	}
	if o.Implementation, err = proxied(name); err != nil {
		return err
	}
	cells, failure := repro.Matrix(ctx, o, bugs)
	if failure != nil && !badinput.Is(failure) {
		return failure
	}
	path, err := repro.WriteTable(o, bugs, cells)
	if err != nil {
		return err
	}
	var text strings.Builder
	repro.Table(&text, name, o.Versions, bugs, cells)
	fmt.Fprintf(o.Out, "\n%s\n", text.String())
	console.Line(o.Out, "table", "%s", console.Path(path))
	unexpected := 0
	for _, c := range cells {
		if i := slices.IndexFunc(bugs, c.Of); !c.AsExpected(bugs[i]) {
			unexpected++
		}
	}
	word := "AS EXPECTED"
	if unexpected > 0 || failure != nil {
		word = "NOT AS EXPECTED"
	}
	if shard.Count > 0 {
		word = fmt.Sprintf("shard %s: %s", &shard, word)
	}
	fmt.Fprintf(o.Out, "%s: %d bugs on %d versions, %d of %d run, %d not as expected\n", word, len(bugs),
		len(o.Versions), len(cells), len(bugs)*len(o.Versions), unexpected)
	if failure != nil {
		return failure
	}
	return verdict(unexpected == 0)
}
