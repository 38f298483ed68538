package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestEveryCommandHasAGroup(t *testing.T) {
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"--help"}, &out, &errs); code != exitGreen {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	at := 0
	for _, line := range []string{"Check a controller:", "  run ", "Reproduce and find bugs:", "  explore ", "Measure:",
		"  score ", "Tools:", "  completion ", "  prefetch ", "Flags:"} {
		next := strings.Index(out.String()[at:], "\n"+line)
		if next < 0 {
			t.Fatalf("--help lacks %q behind its first %d bytes:\n%s", line, at, &out)
		}
		at += next
	}
	for _, c := range rootCommand().Commands() {
		if c.GroupID == "" {
			t.Errorf("%s has no group", c.Name())
		}
	}
}

// A flag of run without a section would stand under the title Flags.
func TestEveryFlagOfRunHasASection(t *testing.T) {
	var titles []string
	runCommand().LocalFlags().VisitAll(func(flag *pflag.Flag) {
		title := flag.Annotations[sectionKey]
		if len(title) != 1 {
			t.Errorf("--%s is in no section", flag.Name)
		} else if !slices.Contains(titles, title[0]) {
			titles = append(titles, title[0])
		}
	})
	var out bytes.Buffer
	printFlags(&out, runCommand())
	at := 0
	for _, title := range []string{"Controller", "Which specs", "Cluster", "Kind and existing clusters", "How they run",
		"Result", "Names in the report"} {
		if !slices.Contains(titles, title) {
			t.Errorf("no flag is in the section %s", title)
		}
		next := strings.Index(out.String()[at:], title+":\n")
		if next < 0 {
			t.Fatalf("%s does not come next:\n%s", title, &out)
		}
		at += next
	}
}

func TestFlagsAreInTheirSections(t *testing.T) {
	c := &cobra.Command{Use: "c"}
	c.Flags().Bool("alone", false, "in no section")
	section(c.Flags(), "Two", func(set *pflag.FlagSet) {
		set.Bool("b", false, "first")
		set.Bool("a", false, "second")
	})
	section(c.Flags(), "One", func(set *pflag.FlagSet) { set.Bool("c", false, "other") })
	section(c.Flags(), "Two", func(set *pflag.FlagSet) { set.Bool("d", false, "later") })
	c.Flags().SortFlags = false
	var out bytes.Buffer
	printFlags(&out, c)
	const want = "\nFlags:\n      --alone   in no section\n" +
		"\nTwo:\n      --b   first\n      --a   second\n      --d   later\n" +
		"\nOne:\n      --c   other\n"
	if out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
