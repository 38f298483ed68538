package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/spf13/pflag"
)

// printNext prints the command for the next step of a controller that is checked step by step. The rung is the one
// that does not hold; empty if all do.
func (f *flags) printNext(out io.Writer, rung string) {
	words := []string{console.Program("run")}
	f.set.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(selecting, flag.Name) {
			words = append(words, console.Argument(flag.Name, valueOf(flag)))
		}
	})
	again := strings.Join(words, " ")
	if rung == "" {
		fmt.Fprintln(out, "\nevery rung that was checked holds; all of them together:", again)
		return
	}
	fmt.Fprintf(out, "the rung %s does not hold yet; check again: %s %s\n", rung, again, console.Flag("next"))
}
