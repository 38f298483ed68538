package leaks

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestLeaks(t *testing.T) {
	const objects = 40
	for name, c := range map[string]struct {
		goroutines []int
		memory     []int // in MiB
		want       string
	}{
		"nothing grows": {
			goroutines: []int{50, 90, 90, 91, 90, 90},
		},
		"a goroutine for each object": {
			goroutines: []int{90, 130, 170, 210, 250, 290}, want: "from 130 to 290 goroutines",
		},
		"one for each fourth object": {
			goroutines: []int{60, 70, 80, 90, 100, 110}, want: "from 70 to 110 goroutines",
		},
		"caches fill in the first wave": {
			goroutines: []int{10, 200, 200, 200, 200, 200},
		},
		"one wave took more": {
			goroutines: []int{90, 90, 90, 140, 140, 140},
		},
		"it is less after one of them": {
			goroutines: []int{90, 130, 170, 160, 210, 250}, want: "goroutines",
		},
		"memory that a collector takes": {
			memory: []int{60, 70, 80, 71, 79, 72},
		},
		"memory with each object": {
			memory: []int{60, 70, 76, 80, 85, 91}, want: "from 70 to 91 MiB of memory",
		},
		"memory that grows less than that": {
			memory: []int{60, 70, 71, 72, 73, 74},
		},
	} {
		tally := Tally{Objects: objects, Samples: make([]Sample, 6)}
		for i := range tally.Samples {
			if c.goroutines != nil {
				tally.Samples[i].Goroutines = c.goroutines[i]
			}
			if c.memory != nil {
				tally.Samples[i].Memory = c.memory[i] << 20
			}
		}
		got := strings.Join(tally.Leaks(), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		var out strings.Builder
		tally.Print(&out, "mine")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if red := strings.HasPrefix(lines[len(lines)-1], "RED mine: "); red != (c.want != "") {
			t.Errorf("%s: the last line is %s", name, lines[len(lines)-1])
		}
	}
}

func TestInterferenceIsRed(t *testing.T) {
	tally := Tally{Objects: 40, Samples: make([]Sample, 6)}
	tally.Interferences = []spec.Interference{{What: "deletes a node"}}
	var out strings.Builder
	tally.Print(&out, "mine")
	if tally.Green() || !strings.Contains(out.String(), "the controller interferes: deletes a node") ||
		!strings.Contains(out.String(), "\nRED mine: ") {
		t.Error(out.String())
	}
}
