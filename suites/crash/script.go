// Package crash kills a controller again and again while it works, and checks
// that its Jobs end as they would have ended without the kills.
package crash

import (
	"fmt"
	"math/rand/v2"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	batchv1 "k8s.io/api/batch/v1"
)

// Script is a Job, how its pods end, and its required outcome.
type Script struct {
	Job *batchv1.Job
	// Failures is how many pods fail before others succeed, the first that are
	// created: by completion index, or under anyIndex.
	Failures map[int]int
	// Success is how the others end, as puppet.ExitCodes has it.
	Success string
	// Resume is true if the Job is created suspended and resumed later.
	Resume bool
	// Pause is true if it is suspended while it runs, and resumed.
	Pause bool
	Want  Outcome
}

// anyIndex is the key of Failures for pods without a completion index.
const anyIndex = -1

// Outcome is how a Job ended.
type Outcome struct {
	Condition         batchv1.JobConditionType // Complete, Failed or empty
	Succeeded, Failed int32
	Pods              int // that were created in all
}

// Scripts returns n Jobs of all kinds.
func Scripts(n int, random *rand.Rand) []Script {
	kinds := []func(string, *rand.Rand) Script{
		succeeding, retried, indexed, failing, resumed, paused, restarted,
	}
	scripts := make([]Script, n)
	for i := range scripts {
		scripts[i] = kinds[i%len(kinds)](fmt.Sprint("job-", i), random)
	}
	return scripts
}

// between returns a number from low to high, both included.
func between(random *rand.Rand, low, high int32) int32 { return low + random.Int32N(high-low+1) }

// job has pods whose failures cause no back-off.
func job(name string, random *rand.Rand) *puppet.JobBuilder {
	return puppet.Job(name).FinishedAgo("1h").BackoffLimit(1000).
		Completions(between(random, 4, 12)).Parallelism(between(random, 1, 4))
}

// complete is a Script all of whose completions are reached, after some
// failures.
func complete(b *puppet.JobBuilder, failures map[int]int) Script {
	s := Script{Job: b.Obj(), Success: "0", Failures: failures}
	s.Want.Condition, s.Want.Succeeded = batchv1.JobComplete, *s.Job.Spec.Completions
	for _, n := range failures {
		s.Want.Failed += int32(n)
	}
	s.Want.Pods = int(s.Want.Succeeded + s.Want.Failed)
	return s
}

func succeeding(name string, random *rand.Rand) Script {
	return complete(job(name, random), nil)
}

func retried(name string, random *rand.Rand) Script {
	return complete(job(name, random), map[int]int{anyIndex: int(between(random, 1, 3))})
}

func indexed(name string, random *rand.Rand) Script {
	b := job(name, random).Indexed()
	failures := map[int]int{}
	for i := range *b.Obj().Spec.Completions {
		if random.IntN(4) == 0 {
			failures[int(i)] = int(between(random, 1, 2))
		}
	}
	return complete(b, failures)
}

// failing has one pod at a time, so that none is active when the last one fails.
func failing(name string, random *rand.Rand) Script {
	limit := between(random, 0, 4)
	s := complete(job(name, random).Parallelism(1).BackoffLimit(limit), nil)
	s.Failures = map[int]int{anyIndex: int(limit) + 1}
	s.Want = Outcome{Condition: batchv1.JobFailed, Failed: limit + 1, Pods: int(limit) + 1}
	return s
}

func resumed(name string, random *rand.Rand) Script {
	s := complete(job(name, random).Suspend(), nil)
	s.Resume = true
	return s
}

// paused loses the pods that are active when it is suspended, an unknown number.
func paused(name string, random *rand.Rand) Script {
	s := complete(job(name, random), nil)
	s.Pause = true
	return s
}

func restarted(name string, random *rand.Rand) Script {
	s := complete(job(name, random).OnFailure(), nil)
	s.Success = "1,0"
	return s
}
