package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/pflag"
)

// printNext prints the command for the next step of a controller that is checked step by step.
func (f *flags) printNext(out io.Writer, r *report.Report) {
	words := []string{console.Program("run")}
	f.set.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(selecting, flag.Name) {
			words = append(words, console.Argument(flag.Name, valueOf(flag)))
		}
	})
	if r.Begin() == nil {
		fmt.Fprintln(out, "\nevery rung holds; all of them together:", strings.Join(words, " "))
		return
	}
	fmt.Fprintln(out, "once it holds:", strings.Join(append(words, console.Flag("next")), " "))
}
