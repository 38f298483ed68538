package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Requests are how many requests of a kind the implementation sent, by kinds such as "update jobs/status".
type Requests map[string]int

// Growth is a kind of requests of which an implementation sends more than before, in specs that both reports have.
type Growth struct {
	Request string `json:"request"`
	Old     int    `json:"old"`
	New     int    `json:"new"`
	// Specs are those that grew most, at most three, with the number in each.
	Specs []string `json:"specs"`
}

// Bounds of what is no growth: retries and back-offs differ from run to run. Of whole runs of one controller, at loads
// from 2 to 60, some had 1.26 times as many status updates as others, and no other kind more.
const (
	noiseFactor = 1.5
	noiseCount  = 30
	// grownSpecs is how many specs of a kind are named.
	grownSpecs = 3
)

// String is the growth in a line.
func (g Growth) String() string {
	return fmt.Sprintf("more requests: %s, %d, then %d; most in %s", g.Request, g.Old, g.New,
		strings.Join(g.Specs, "; "))
}

// growth returns the kinds of requests that grew beyond noise, the largest growth first.
func growth(old, new map[string]Requests) []Growth {
	sums := map[string]*Growth{}
	type part struct {
		spec string
		by   int
	}
	parts := map[string][]part{}
	for _, text := range slices.Sorted(maps.Keys(new)) {
		before, both := old[text]
		if !both {
			continue
		}
		for _, request := range slices.Sorted(maps.Keys(merged(before, new[text]))) {
			if isOfEvents(request) {
				continue
			}
			g := sums[request]
			if g == nil {
				g = &Growth{Request: request}
				sums[request] = g
			}
			g.Old += before[request]
			g.New += new[text][request]
			if by := new[text][request] - before[request]; by > 0 {
				parts[request] = append(parts[request], part{
					fmt.Sprintf("%s (%d, then %d)", text, before[request], new[text][request]), by})
			}
		}
	}
	all := []Growth{}
	for request, g := range sums {
		if g.New-g.Old < noiseCount || float64(g.New) < noiseFactor*float64(g.Old) {
			continue
		}
		some := parts[request]
		slices.SortStableFunc(some, func(a, b part) int { return cmp.Compare(b.by, a.by) })
		for _, p := range some[:min(len(some), grownSpecs)] {
			g.Specs = append(g.Specs, p.spec)
		}
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b Growth) int {
		return cmp.Or(cmp.Compare(b.New-b.Old, a.New-a.Old), cmp.Compare(a.Request, b.Request))
	})
	return all
}

// isOfEvents reports whether a kind of requests writes Events. Controllers send them late and drop them, so that
// there are twice as many in one run as in another.
func isOfEvents(request string) bool { return strings.HasSuffix(request, " events") }

// merged has the keys of both.
func merged(a, b Requests) Requests {
	all := maps.Clone(a)
	if all == nil {
		all = Requests{}
	}
	maps.Copy(all, b)
	return all
}
