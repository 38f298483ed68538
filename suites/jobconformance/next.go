package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/spf13/pflag"
)

// printNext prints the command for the next step of a controller that is checked step by step; nothing where the
// run does not know which one that is.
func (f *flags) printNext(out io.Writer, found *record.Run) {
	words := []string{console.Program("run")}
	f.set.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(selecting, flag.Name) {
			words = append(words, console.Argument(flag.Name, valueOf(flag)))
		}
	})
	again := strings.Join(words, " ")
	switch {
	case found.Stopped != "":
		fmt.Fprintf(out, "the rung %s does not hold yet; check again: %s %s\n", found.Stopped, again,
			console.Flag("next"))
	case found.Green():
		fmt.Fprintln(out, "\nevery rung that was checked holds; all of them together:", again)
	}
}
