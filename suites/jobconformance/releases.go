package main

import (
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"
)

// releaseFlags have versions of Kubernetes for values, which may be short.
var releaseFlags = []string{"kubernetes-version", "version", "versions"}

// takeReleases has the flags of all commands take a release by less than its name: 1.37.1, the newest that is known
// here of a minor version as 1.36, 1.36.x or v1.36, and latest or stable, the one that runs take by default.
// What a release server says is not asked: a run would be another one tomorrow.
func takeReleases(root *cobra.Command) {
	each(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if slices.Contains(releaseFlags, flag.Name) && flag.Value.Type() != "bool" {
				flag.Value = resolving(flag.Value)
				flag.DefValue = strings.TrimSuffix(flag.DefValue, "[]") // help would show it
			}
		})
	})
}

// resolved is a flag that resolves its values.
type resolved struct{ pflag.Value }

// Set resolves each of the values that commas separate.
func (r resolved) Set(text string) error {
	words := strings.Split(text, ",")
	for i, word := range words {
		words[i] = resolve(word)
	}
	return r.Value.Set(strings.Join(words, ","))
}

// resolving keeps a list of values one.
func resolving(v pflag.Value) pflag.Value {
	if list, is := v.(pflag.SliceValue); is {
		return struct {
			resolved
			pflag.SliceValue
		}{resolved{v}, list}
	}
	return resolved{v}
}

// resolve returns the release that a word stands for, and others as they are: what they are checked by says what
// is wrong with them.
func resolve(word string) string {
	if word == "latest" || word == "stable" {
		return build.DefaultKubernetesVersion
	}
	version := "v" + strings.TrimPrefix(strings.TrimSuffix(word, ".x"), "v")
	if !semver.IsValid(version) || semver.Canonical(version) == version {
		if semver.IsValid(version) {
			return version
		}
		return word
	}
	newest := ""
	for _, known := range append(slices.Clone(matrixVersions), build.DefaultKubernetesVersion) {
		if semver.MajorMinor(known) == version && semver.Compare(known, newest) > 0 {
			newest = known
		}
	}
	if newest == "" {
		return word
	}
	return newest
}
