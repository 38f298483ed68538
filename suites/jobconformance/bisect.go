package main

import (
	"context"
	"fmt"
	"math/bits"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/repro"
	"golang.org/x/mod/semver"
)

// between sets the versions that --bisect searches: those of --version, or all releases that
// the Go module proxy lists, between the two that it names.
func (r *reproducing) between(ctx context.Context) error {
	from, to, _ := strings.Cut(r.bisect, "..")
	again := "give an older and a newer version, as in " + console.Flag("bisect", "v1.35.4..v1.36.3")
	for _, version := range append([]string{from, to}, r.Versions...) {
		if build.CheckVersion(version) != nil {
			return badinput.New(fmt.Sprintf("%q is no version to search from or to", version), again)
		}
	}
	switch {
	case semver.Compare(from, to) >= 0:
		return badinput.New(from+" is not older than "+to, again)
	case r.Build.Source != "":
		return badinput.New("a tree has one version",
			"leave out "+console.Flag("kubernetes-source")+" or "+console.Flag("bisect"))
	case !r.given:
		var err error
		if r.Versions, err = build.Releases(ctx); err != nil {
			return err
		}
	}
	r.Versions, r.against = repro.Between(r.Versions, from, to), false
	return nil
}

// search runs --bisect.
func (r *reproducing) search(ctx context.Context) error {
	between := len(r.Versions) - 2
	console.Line(r.Out, "bisect", "%d versions between %s and %s, of which at most %d are run", between, r.Versions[0],
		r.Versions[between+1], bits.Len(uint(between)))
	change, err := repro.Bisect(ctx, r.Options)
	if err != nil {
		return err
	}
	if err := r.print([]repro.Reproduction{change.Last, change.First}); err != nil {
		return err
	}
	fmt.Fprintln(r.Out, change)
	return nil
}
