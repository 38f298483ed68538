package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/pflag"
)

// selecting are the flags that another choice of specs replaces, and those that are only
// about where the results go.
var selecting = []string{"focus", "skip", "labels", "requirement", "rerun-failed", "shard", "repeat", "fail-fast",
	"next", "all", "output", "output-dir", "history", "print-results", "timeout", "since", "quiet", "verbose"}

// checked are the flags that say what is checked, and against what. A result of others says nothing about
// the run that it repeats.
var checked = []string{"implementation", "controllers", "managed-by", "dialect", "upstream", "decline", "expectations",
	"environment", "cluster", "kubernetes-version", "kubernetes-source", "feature-gates", "runtime-config", "strict",
	"known-bugs", "manifests", "rbac"}

// given returns the flags that the user gave, by their names, without those that select specs.
func (f *flags) given() map[string]string {
	all := map[string]string{}
	f.set.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(selecting, flag.Name) {
			all[flag.Name] = valueOf(flag)
		}
	})
	return all
}

// valueOf returns the value of a flag as the user writes it.
func valueOf(flag *pflag.Flag) string {
	if slice, ok := flag.Value.(pflag.SliceValue); ok {
		return strings.Join(slice.GetSlice(), ",")
	}
	return flag.Value.String()
}

// again returns the command that runs one spec again, with the flags that the user gave.
func (f *flags) again(text string) string {
	words := []string{console.Program("run")}
	f.set.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(selecting, flag.Name) {
			words = append(words, console.Argument(flag.Name, valueOf(flag)))
		}
	})
	return strings.Join(append(words, console.Argument("focus", spec.Exactly(text))), " ")
}

// restore gives the run of --rerun-failed the flags of the run whose report it names. It refuses those with
// which the result would be about something else.
func (f *flags) restore() (err error) {
	if f.rerunFailed == "" {
		return nil
	}
	if f.earlier, err = report.Load(f.rerunFailed); err != nil {
		return err
	}
	differs := func(name, now, then string) error {
		return badinput.New(fmt.Sprintf("the run of %s had %s, and this one has %s", f.rerunFailed,
			console.Argument(name, then), console.Argument(name, now)),
			"leave "+console.Flag(name)+" out: its value is taken from the report")
	}
	for _, name := range checked {
		flag := f.set.Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		then, there := f.earlier.Flags[name]
		if !there {
			then = strings.Trim(flag.DefValue, "[]")
		}
		if now := valueOf(flag); now != then {
			return differs(name, now, then)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.earlier.Flags)) {
		flag := f.set.Lookup(name)
		if flag == nil || flag.Changed || slices.Contains(selecting, name) {
			continue
		}
		if err := f.set.Set(name, f.earlier.Flags[name]); err != nil {
			return badinput.Wrap(err, fmt.Sprintf("the flag %s of %s cannot be used", name, f.rerunFailed),
				"give it with another value")
		}
	}
	// Reports of Go tests have no flags.
	if of := f.earlier.Implementation.Name; f.described.Name == "" && of != f.implementation {
		return differs("implementation", f.implementation, of)
	}
	return nil
}

// rerun selects the specs that failed in an earlier run, and those that it did not come to.
func (f *flags) rerun() error {
	if f.earlier == nil {
		return nil
	}
	specs := append(f.earlier.Failed(), f.earlier.NotRun...)
	switch why := f.earlier.Unfinished(); {
	case len(specs) == 0 && why != "":
		return badinput.New(f.rerunFailed+" does not know of any spec, as its run was ended: "+why,
			"run all specs again")
	case len(specs) == 0:
		return errNothingFailed
	}
	f.selection.Focus = spec.Exactly(specs...)
	return nil
}

// errNothingFailed ends a run that has nothing to do, which is green.
var errNothingFailed = errors.New("no spec failed in that run")
