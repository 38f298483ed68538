package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// end is how a pod ends, and how long after its creation at the earliest.
type end struct {
	code  string
	after time.Duration
}

// parseEnds reads a value of Scenario.Ends.
func parseEnds(text string) (list []end, err error) {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, " ", ""), ",") {
		code, after, late := strings.Cut(part, "@")
		e := end{code: code}
		if late {
			e.after, err = time.ParseDuration(after)
		}
		if _, no := strconv.ParseUint(code, 10, 8); no != nil || err != nil || e.after < 0 {
			return nil, fmt.Errorf("%q is no exit code, as in 1, or 0@2s for 2 s after the pod's creation", part)
		}
		list = append(list, e)
	}
	return list, nil
}

// ends decides how the pods of the Jobs in Scenario.Ends end, in the order in which
// they are created.
type ends struct {
	of    map[string][]end // by Job
	done  map[types.UID]bool
	count map[string]int // by Job
}

func newEnds(ofJobs map[string]string) *ends {
	e := &ends{of: map[string][]end{}, done: map[types.UID]bool{}, count: map[string]int{}}
	for job, text := range ofJobs {
		e.of[job], _ = parseEnds(text) // Check has refused what cannot be read
	}
	return e
}

// next returns how a pod ends; no code if it was asked before, or the Job has no ends.
func (e *ends) next(pod *corev1.Pod) end {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || e.done[pod.UID] {
		return end{}
	}
	list := e.of[owner.Name]
	if len(list) == 0 {
		return end{}
	}
	e.done[pod.UID] = true
	next := list[min(e.count[owner.Name], len(list)-1)]
	e.count[owner.Name]++
	if pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && next.code != "0" {
		next.code += ",0" // the container is started again, and has to end then
	}
	return next
}

// Lost is the annotation of a pod whose node is gone: it does not end as Scenario.Ends says.
const Lost = "example.com/lost"

// lost reports whether a pod has the annotation.
func (r *runner) lost(uid types.UID) bool {
	return slices.ContainsFunc(r.Recorder.Pods(), func(p corev1.Pod) bool {
		return p.UID == uid && p.Annotations[Lost] != ""
	})
}

// endPods sets how pods end, until ctx ends.
func (r *runner) endPods(ctx context.Context) error {
	e := newEnds(r.scenario.Ends)
	if len(e.of) == 0 {
		return nil
	}
	var running sync.WaitGroup
	var once sync.Once
	var wrong error
	set := func(pod *corev1.Pod, code string) {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, puppet.ExitCodes, code)
		err := r.Client.Patch(ctx, pod, client.RawPatch(types.MergePatchType, patch))
		if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			once.Do(func() { wrong = err })
		}
	}
	_ = r.Recorder.Until(ctx, func() bool {
		for _, pod := range r.Recorder.Pods() {
			switch next := e.next(&pod); {
			case next.code == "":
			case next.after == 0:
				set(&pod, next.code)
			default:
				running.Go(func() {
					timer := time.NewTimer(next.after)
					defer timer.Stop()
					select {
					case <-timer.C:
						if !r.lost(pod.UID) {
							set(&pod, next.code)
						}
					case <-ctx.Done():
					}
				})
			}
		}
		return false
	})
	running.Wait()
	return wrong
}
