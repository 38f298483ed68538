// Package crash kills a controller again and again while it works, and checks
// that its Jobs end as they would have ended without the kills.
package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	Want  End
}

// anyIndex is the key of Failures for pods without a completion index.
const anyIndex = -1

// End is how a Job ended.
type End struct {
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
	s.Want = End{Condition: batchv1.JobFailed, Failed: limit + 1, Pods: int(limit) + 1}
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

// scriptRunner ends the pods as their Jobs' scripts have it, in random order. It
// ends only as many as allowed, so that the work lasts until the last kill.
type scriptRunner struct {
	client    kubernetes.Interface
	namespace string
	scripts   map[string]Script // by the Job's name

	mu      sync.Mutex
	random  *rand.Rand
	seen    map[string]int // pods by Job and index
	waiting []ending
	ended   int
	allowed int
	wake    chan struct{}
}

// ending is how one pod ends, as in puppet.ExitCodes.
type ending struct{ pod, codes string }

func newScriptRunner(c kubernetes.Interface, namespace string, scripts []Script, random *rand.Rand) *scriptRunner {
	r := &scriptRunner{
		client: c, namespace: namespace, random: random,
		scripts: map[string]Script{}, seen: map[string]int{}, wake: make(chan struct{}, 1),
	}
	for _, s := range scripts {
		r.scripts[s.Job.Name] = s
	}
	return r
}

// run ends pods until ctx is done.
func (r *scriptRunner) run(ctx context.Context) error {
	unwatch, err := requests.Watch(ctx, r.client, r.namespace, requests.Pods, cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { r.add(obj.(*corev1.Pod)) },
	})
	if err != nil {
		return err
	}
	defer unwatch()
	for {
		select {
		case <-r.wake:
		case <-ctx.Done():
			return nil
		}
		for e, ok := r.next(); ok && ctx.Err() == nil; e, ok = r.next() {
			if err := r.end(ctx, e); err != nil && ctx.Err() == nil {
				return fmt.Errorf("ending pod %s: %w", e.pod, err)
			}
		}
	}
}

// add decides how a new pod ends.
func (r *scriptRunner) add(pod *corev1.Pod) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	script, ok := r.scripts[ref.Name]
	if !ok {
		return
	}
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil {
		index = anyIndex
	}
	key := ref.Name + "/" + strconv.Itoa(index)
	codes := script.Success
	if r.seen[key] < script.Failures[index] {
		codes = "1"
	}
	r.seen[key]++
	r.waiting = append(r.waiting, ending{pod.Name, codes})
	r.wakeUp()
}

// allow sets how many pods may end in all.
func (r *scriptRunner) allow(pods int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.allowed = pods
	r.wakeUp()
}

func (r *scriptRunner) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default: // it runs
	}
}

// next takes a random one of the waiting pods, if another may end.
func (r *scriptRunner) next() (ending, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 || r.ended >= r.allowed {
		return ending{}, false
	}
	r.ended++
	i, last := r.random.IntN(len(r.waiting)), len(r.waiting)-1
	e := r.waiting[i]
	r.waiting[i] = r.waiting[last]
	r.waiting = r.waiting[:last]
	return e, true
}

func (r *scriptRunner) end(ctx context.Context, e ending) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, puppet.ExitCodes, strings.TrimSpace(e.codes))
	_, err := r.client.CoreV1().Pods(r.namespace).Patch(ctx, e.pod, types.MergePatchType, patch, metav1.PatchOptions{})
	return client.IgnoreNotFound(err) // suspension deletes pods
}
