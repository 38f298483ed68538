package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/spf13/cobra"
)

func explainCommand() *cobra.Command {
	return command("explain [ID]...", "Explain requirements and invariants by their IDs",
		`Prints what a requirement says, what it is about and where it comes from, what controllers do that
are wrong about it, the specs that check it, and how to run them; or what an invariant says, and which requirements
it is part of. The beginning of an ID stands for all that begin so. Without an ID it lists all, rung
by rung: in the order in which a new controller needs them.

Exit codes: 0 it was printed, 2 bad input, 3 the harness failed.`,
		`  jobconformance explain JOB-TRACKING-001
  jobconformance explain job-pod-is-tracked
  jobconformance explain CRON-HISTORY`,
		func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				listContract(cmd.OutOrStdout())
				return nil
			}
			return explain(cmd.Context(), cmd.OutOrStdout(), args)
		})
}

// listContract prints each requirement on a line, below its rung.
func listContract(out io.Writer) {
	list := func(all []contract.Requirement) {
		for _, r := range all {
			fmt.Fprintf(out, "  %-28s %s\n", r.ID, r.Text)
		}
	}
	of := func(profile contract.Profile) []contract.Requirement {
		return slices.DeleteFunc(table.All(), func(r contract.Requirement) bool { return r.Profile() != profile })
	}
	for _, profile := range []contract.Profile{contract.Job, contract.CronJob} {
		rungs := ladder.Of(profile)
		for n, rung := range rungs {
			fmt.Fprintf(out, "%s controller, rung %d of %d, %s: %s\n", spec.Controller(profile).Kind(), n+1, len(rungs),
				rung.Name, rung.Does)
			list(rung.Requirements)
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintln(out, "API server")
	list(of(contract.API))
	fmt.Fprintln(out, "\nController of Jobs whose pods run in another cluster")
	list(of(contract.Status))
}

// explain prints what the words stand for, in their order.
func explain(ctx context.Context, out io.Writer, words []string) error {
	var requirements []contract.Requirement
	var rules []invariants.Invariant
	for _, word := range words {
		r, i := named(word)
		if len(r)+len(i) == 0 {
			return unknownID(word)
		}
		requirements, rules = append(requirements, r...), append(rules, i...)
	}
	var specs []spec.Listed
	if len(requirements) > 0 {
		var err error
		if specs, err = allSpecs(ctx); err != nil {
			return err
		}
	}
	wrong, err := mutants.All()
	if err != nil {
		return err
	}
	for n, r := range requirements {
		if n > 0 {
			fmt.Fprintln(out)
		}
		explainRequirement(out, r, specs, wrong)
	}
	for n, i := range rules {
		if n+len(requirements) > 0 {
			fmt.Fprintln(out)
		}
		explainInvariant(out, i)
	}
	return nil
}

// named returns what has an ID, or an ID that begins so. Capitals do not matter.
func named(word string) (requirements []contract.Requirement, rules []invariants.Invariant) {
	if r, found := table.Find(strings.ToUpper(word)); found {
		return []contract.Requirement{r}, nil
	}
	for _, i := range invariants.Invariants() {
		if i.ID == word {
			return nil, []invariants.Invariant{i}
		}
	}
	for _, r := range table.All() {
		if strings.HasPrefix(r.ID, strings.ToUpper(word)+"-") {
			requirements = append(requirements, r)
		}
	}
	return requirements, nil
}

// unknownID refuses what is no ID of a requirement, nor of an invariant.
func unknownID(word string) error {
	var requirements, rules []string
	for _, r := range table.All() {
		requirements = append(requirements, r.ID)
	}
	for _, i := range invariants.Invariants() {
		rules = append(rules, i.ID)
	}
	near := cmp.Or(spelling.Nearest(strings.ToUpper(word), requirements), spelling.Nearest(word, rules))
	remedy := "jobconformance explain lists all"
	if near != "" {
		remedy = "did you mean " + near + "?"
	}
	return badinput.New(fmt.Sprintf("unknown requirement %q", word), remedy)
}

func explainRequirement(out io.Writer, r contract.Requirement, specs []spec.Listed, wrong []mutants.Mutant) {
	fmt.Fprintf(out, "%s (%s, %s)\n", r.ID, r.Level(), r.Feature)
	fmt.Fprintf(out, "  %s\n", r.Text)
	if rung, number, of := ladder.Find(r.ID); number > 0 {
		fmt.Fprintf(out, "  Rung %d of %d, %s: the controller %s.\n", number, of, rung.Name, rung.Does)
	}
	if r.Versions != "" {
		fmt.Fprintf(out, "  It holds in Kubernetes %s.\n", r.Versions)
	}
	for _, gate := range r.Gates {
		fmt.Fprintf(out, "  It holds where the feature gate %s is on.\n", gate)
	}
	if r.Provisional {
		fmt.Fprintln(out, "  It is provisional: its failure warns until the next minor release of jobconformance.")
	}
	if len(r.Situations) > 0 {
		fmt.Fprintln(out, "\n  what it is about")
	}
	for _, s := range r.Situations {
		fmt.Fprintf(out, "    %s (%s)\n", s.Sentence(), s)
	}
	fmt.Fprintln(out, "\n  where it comes from")
	for _, source := range strings.Split(r.Source, "; ") {
		fmt.Fprintf(out, "    %s\n", source)
		for _, part := range contract.Parts(source) {
			if part.URL != "" {
				fmt.Fprintf(out, "      %s\n", part.URL)
			}
		}
	}
	some := slices.DeleteFunc(slices.Clone(wrong), func(m mutants.Mutant) bool {
		return !slices.Contains(m.Breaks, r.ID)
	})
	if len(some) > 0 {
		fmt.Fprintln(out, "\n  controllers that are wrong about it")
		for _, m := range some {
			fmt.Fprintf(out, "    %s\n", m.Wrong)
		}
	}
	fmt.Fprintln(out, "\n  what checks it")
	for _, s := range specs {
		if slices.Contains(s.Requirements, r.ID) {
			fmt.Fprintf(out, "    %s\n      %s\n", s.Text, s.Source)
		}
	}
	for _, id := range r.Invariants {
		fmt.Fprintf(out, "    the invariant %s, in every spec\n", id)
	}
	fmt.Fprintf(out, "\n  to check it alone\n    jobconformance run -i IMPLEMENTATION --requirement=%s\n", r.ID)
}

func explainInvariant(out io.Writer, i invariants.Invariant) {
	fmt.Fprintf(out, "%s (invariant)\n  %s\n", i.ID, i.Sentence)
	if i.Since != "" {
		fmt.Fprintf(out, "  It holds since Kubernetes %s.\n", i.Since)
	}
	fmt.Fprintf(out, "\n  where it comes from\n    %s\n\n  part of\n", strings.ReplaceAll(i.Source, "; ", "\n    "))
	for _, r := range table.All() {
		if slices.Contains(r.Invariants, i.ID) {
			fmt.Fprintf(out, "    %s: %s\n", r.ID, r.Text)
		}
	}
	fmt.Fprintln(out, "\n  to check it over saved histories\n    jobconformance check-history FOLDER/histories")
}
