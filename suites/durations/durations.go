// Package durations knows how long specs take, as measured in whole runs.
package durations

import (
	_ "embed"
	"strings"
	"sync"
	"time"
)

// Minimum is how long a spec takes at least that is in the table.
const Minimum = 5 * time.Second

// text has a spec in each line, with its time.
//
//go:embed durations.txt
var text string

// Of returns how long the spec with this text took when it was last measured; 0 is less
// than Minimum.
func Of(spec string) time.Duration { return table()[spec] }

// OfLeaf is Of for the last part of a spec's text, below its containers. It returns the longest
// time where several specs end so.
func OfLeaf(leaf string) (longest time.Duration) {
	for spec, took := range table() {
		if container, ends := strings.CutSuffix(spec, leaf); ends && strings.HasSuffix(container, " ") {
			longest = max(longest, took)
		}
	}
	return longest
}

var table = sync.OnceValue(func() map[string]time.Duration {
	all := map[string]time.Duration{}
	for line := range strings.Lines(text) {
		took, spec, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[spec], _ = time.ParseDuration(took) // a unit test reads the lines
	}
	return all
})
