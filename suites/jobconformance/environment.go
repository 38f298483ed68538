package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// prefix is that of the environment variables of flags: --labels is JOBCONFORMANCE_LABELS, and
// LABELS for make.
const prefix = "JOBCONFORMANCE_"

// aliases are the variables of make that are not named as their flags. Some are those of one
// command only, which stands before them.
var aliases = map[string]string{
	"REPORTS":             "output-dir",
	"IMPLEMENTATION_NAME": "name",
	"KUBEBUILDER_ASSETS":  "assets",
	"run LIST":            "dry-run",
	"score VERSION":       "kubernetes-version",
}

// variable returns the name of a flag's variable.
func variable(flag string) string { return strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) }

// variables returns the flags of a command by the names of their variables.
func variables(c *cobra.Command) map[string]*pflag.Flag {
	c.InheritedFlags() // adds those of the program to c.Flags()
	all := map[string]*pflag.Flag{}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			all[variable(flag.Name)] = flag
		}
	})
	for alias, name := range aliases {
		if of, short, limited := strings.Cut(alias, " "); limited && of == c.Name() {
			alias = short
		}
		if flag := c.Flags().Lookup(name); flag != nil && !strings.Contains(alias, " ") {
			all[alias] = flag
		}
	}
	return all
}

// fromEnvironment sets the flags that are not on the command line: --labels by
// JOBCONFORMANCE_LABELS. Where a flag has two variables, the alias counts.
func fromEnvironment(c *cobra.Command) error {
	if err := checkVariables(c, os.Getenv(givenEnv)); err != nil {
		return err
	}
	if err := checkEnvironment(c, os.Environ()); err != nil {
		return err
	}
	all := variables(c)
	names := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(rank(a, all[a]), rank(b, all[b]))
	})
	for _, name := range names {
		value, given := os.LookupEnv(prefix + name)
		if !given || all[name].Changed {
			continue
		}
		if err := c.Flags().Set(all[name].Name, value); err != nil {
			return wrongValue(prefix+name, all[name], value,
				fmt.Errorf("the environment variable %s%s cannot be used: %w", prefix, name, err),
				"correct or unset it")
		}
		if err := c.Flags().SetAnnotation(all[name].Name, environmentNote, []string{prefix + name}); err != nil {
			return err
		}
	}
	return nil
}

// environmentNote is the annotation of flags that the environment has set.
const environmentNote = "environment"

// rank is 0 for an alias of a flag, and 1 for the variable with its name.
func rank(name string, flag *pflag.Flag) int {
	if name == variable(flag.Name) {
		return 1
	}
	return 0
}

// own are variables with the prefix that are no flags: those of the Makefile and of the tests of this
// repository.
var own = []string{strings.TrimPrefix(givenEnv, prefix), strings.TrimPrefix(protocol.SettingsEnv, prefix), "SELFTEST",
	"FUZZ_STEPS", "PAGE", "SITE", "SCREENSHOTS", "SAMPLE", "REPORT", "KIND_IMAGE"}

// ofService matches the rest of the variables that a pod gets of a Service named jobconformance or
// jobconformance-something.
var ofService = regexp.MustCompile(`^(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.+)?)?)$`)

// checkEnvironment rejects variables with the prefix that are no command's flag: an environment may be that of
// several commands.
func checkEnvironment(c *cobra.Command, environment []string) error {
	all := slices.Concat(slices.Sorted(maps.Keys(variables(c))), own)
	each(c.Root(), func(other *cobra.Command) { all = slices.AppendSeq(all, maps.Keys(variables(other))) })
	for _, variable := range environment {
		variable, _, _ = strings.Cut(variable, "=")
		name, ours := strings.CutPrefix(variable, prefix)
		if !ours || slices.Contains(all, name) || ofService.MatchString(name) {
			continue
		}
		remedy := "unset it, or see " + c.CommandPath() + " --help"
		if near := spelling.Nearest(name, all); near != "" {
			remedy = "did you mean " + prefix + near + "?"
		}
		return badinput.New("the environment variable "+variable+" is no flag of any command", remedy)
	}
	return nil
}

// each calls do with a command and all below it.
func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		each(below, do)
	}
}

// givenEnv is the environment variable in which the Makefile lists the variables on make's
// command line and, behind a colon, the commands that its targets call, each with a semicolon:
// "LABELS KUBERNETES_VERSION:prefetch;run;".
const givenEnv = prefix + "VARIABLES"

// checkVariables rejects variables on make's command line that none of its commands has.
func checkVariables(c *cobra.Command, given string) error {
	names, calls, called := strings.Cut(given, ":")
	if !called {
		return nil
	}
	known, commands := map[string]*pflag.Flag{}, []string{}
	for call := range strings.SplitSeq(strings.TrimSuffix(calls, ";"), ";") {
		other, _, err := c.Root().Find(strings.Fields(call))
		if err != nil {
			return err
		}
		maps.Copy(known, variables(other))
		commands = append(commands, other.CommandPath())
	}
	for name := range strings.FieldsSeq(names) {
		if known[name] != nil {
			continue
		}
		return badinput.New("unknown variable "+name+" of "+strings.Join(commands, " and "),
			spelling.Remedy(name, slices.Sorted(maps.Keys(known)),
				"see "+strings.Join(commands, " --help and ")+" --help"))
	}
	return nil
}
