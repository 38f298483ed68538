package soak

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"k8s.io/apimachinery/pkg/types"
)

// Tally is what a soak has seen.
type Tally struct {
	// Findings are workloads that went wrong. The first has a smallest scenario, unless it did not
	// show again.
	Findings []Finding

	mu                                 sync.Mutex
	ends                               map[int][][]string // by seed, of each run in which all was well
	start                              time.Time
	took                               time.Duration
	first, step                        int   // seeds
	seeds                              []int // where they are no row of numbers
	workloads, jobs, pods, cronJobs    int
	calls, faults, restarts, revisions int
}

// Green reports whether something was run, and nothing went wrong.
func (t *Tally) Green() bool { return t.workloads > 0 && len(t.Findings) == 0 }

func (t *Tally) add(r *scenario.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.workloads++
	seen := map[types.UID]bool{}
	for _, revision := range r.History.Revisions {
		if uid := revision.Object.GetUID(); !seen[uid] {
			seen[uid] = true
			switch revision.Kind() {
			case "Job":
				t.jobs++
			case "CronJob":
				t.cronJobs++
			case "Pod":
				t.pods++
			}
		}
	}
	t.revisions += len(r.History.Revisions)
	for _, call := range r.History.Calls {
		if call.Verb != "" {
			t.calls++
		}
		if call.Fault != "" {
			t.faults++
		}
	}
	t.restarts += r.Starts - 1
}

func (t *Tally) blame(f Finding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Findings = append(t.Findings, f)
}

func (t *Tally) end(seed int, lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ends == nil {
		t.ends = map[int][][]string{}
	}
	t.ends[seed] = append(t.ends[seed], lines)
}

// Again adds the end states of further runs of the same workloads.
func (t *Tally) Again(more *Tally) {
	for seed, ends := range more.ends {
		for _, lines := range ends {
			t.end(seed, lines)
		}
	}
}

// Workloads returns how many were run.
func (t *Tally) Workloads() int { return t.workloads }

// Differing returns the seeds with which each implementation has always come to one end state,
// and the two differ.
func (t *Tally) Differing(other *Tally) (seeds []int) {
	for _, seed := range slices.Sorted(maps.Keys(t.ends)) {
		here, there := t.ends[seed], other.ends[seed]
		if len(there) > 0 && one(here) && one(there) && len(scenario.Differences(here[0], there[0])) > 0 {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// one reports whether all runs have come to the same end state.
func one(ends [][]string) bool {
	return !slices.ContainsFunc(ends, func(lines []string) bool {
		return len(scenario.Differences(ends[0], lines)) > 0
	})
}

// Compare prints the end states that differ from those of another implementation with the
// same seeds. The seed determines the workload, not the order of concurrent events, nor how far
// an implementation is when a user acts: where an implementation itself comes to several ends, the
// workload does not determine them, and there is nothing to compare.
func (t *Tally) Compare(out io.Writer, name string, other *Tally) {
	compared, open := 0, 0
	for seed, here := range t.ends {
		if there := other.ends[seed]; len(there) > 0 {
			compared++
			if !one(here) || !one(there) {
				open++
			}
		}
	}
	differing := t.Differing(other)
	for _, seed := range differing {
		fmt.Fprintf(out, "\nworkload %d ends otherwise than with %s, in %d runs and %d:\n  %s\n", seed, name,
			len(t.ends[seed]), len(other.ends[seed]),
			strings.Join(scenario.Differences(t.ends[seed][0], other.ends[seed][0]), "\n  "))
	}
	fmt.Fprintf(out,
		"\n%d of %d end states differ from those with %s; %d depend on when things happen, as one "+
			"controller came to several\n",
		len(differing), compared, name, open)
}

// Line is how far it is.
func (t *Tally) Line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	took := t.took
	if took == 0 {
		took = time.Since(t.start)
	}
	return fmt.Sprintf("%s: %d workloads, %d Jobs, %d CronJobs, %d pods, %d revisions, %d calls, %d "+
		"faults, %d restarts: %d went wrong",
		took.Round(time.Second), t.workloads, t.jobs, t.cronJobs, t.pods, t.revisions, t.calls, t.faults, t.restarts,
		len(t.Findings))
}

// Print says what was seen. Again is the command that runs a scenario's file.
func (t *Tally) Print(out io.Writer, again func(file string) string) {
	var all []campaign.Listed
	for _, f := range t.Findings {
		all = append(all, campaign.Listed{
			Finding: f.Finding, Name: fmt.Sprintf("workload %d: %s", f.Seed, f.File),
			Again: again(cmp.Or(f.Smallest, f.File)),
		})
	}
	campaign.PrintFindings(out, all)
	verdict := "RED"
	if t.Green() {
		verdict = "GREEN"
	}
	seeds := fmt.Sprintf("%d to %d", t.first, t.first+t.step*(max(t.workloads, 1)-1))
	if t.step > 1 {
		seeds += fmt.Sprintf(" in steps of %d", t.step)
	}
	if t.seeds != nil {
		seeds = strings.Trim(fmt.Sprint(t.seeds), "[]")
	}
	fmt.Fprintf(out, "\n%s seeds %s, %s\n", verdict, seeds, t.Line())
}
