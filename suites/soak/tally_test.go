package soak

import (
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run"
)

func TestEndStatesOfTheSameSeedAreCompared(t *testing.T) {
	one, other := &Tally{}, &Tally{}
	one.end(1, []string{"same"})
	one.end(2, []string{"same", "here"})
	one.end(3, []string{"alone"})
	other.end(1, []string{"same"})
	other.end(2, []string{"same", "there"})
	one.end(4, []string{"first"})
	other.end(4, []string{"second"})
	if seeds := one.Differing(other); !slices.Equal(seeds, []int{2, 4}) {
		t.Errorf("%v differ", seeds)
	}
	again := &Tally{}
	again.end(4, []string{"first"})
	other.Again(again) // it comes to one end or the other
	var out strings.Builder
	one.Compare(&out, "other", other)
	for _, want := range []string{"workload 2 ends otherwise than with other, in 1 runs and 1:\n  + here\n  - there\n",
		"\n1 of 3 end states differ from those with other; 1 depend on when"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, &out)
		}
	}
}

func TestShardsRunEachSeedOnce(t *testing.T) {
	for _, count := range []int{4, 10, 11} {
		var union []int
		for number := 1; number <= 4; number++ {
			o := Options{Seed: 7, Count: count, Shard: run.Shard{Number: number, Count: 4}}
			union = append(union, dealt(t, o)...)
		}
		slices.Sort(union)
		if uncut := dealt(t, Options{Seed: 7, Count: count}); len(uncut) != count || !slices.Equal(union, uncut) {
			t.Errorf("4 shards run %v, want %v, each once", union, uncut)
		}
	}
	if again := dealt(t, Options{Seed: 7, Shard: run.Shard{Number: 2, Count: 4},
		Seeds: []int{8, 20}}); !slices.Equal(again, []int{8, 20}) {
		t.Errorf("given seeds are not all run: %v", again)
	}
}

// dealt returns the seeds that a soak runs.
func dealt(t *testing.T, o Options) []int {
	t.Helper()
	return slices.Collect(o.deal())
}

func TestTheLastLineHasTheSeedsOfAShard(t *testing.T) {
	var out strings.Builder
	(&Tally{first: 8, step: 4, workloads: 3}).Print(&out, nil)
	if want := "GREEN seeds 8 to 16 in steps of 4, "; !strings.Contains(out.String(), want) {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
