package scenario

import (
	"context"
	"fmt"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ends decides how the pods of the Jobs in Scenario.Ends end, in the order in which
// they are created.
type ends struct {
	codes map[string][]string // by Job
	done  map[types.UID]bool
	count map[string]int // by Job
}

func newEnds(ofJobs map[string]string) *ends {
	e := &ends{codes: map[string][]string{}, done: map[types.UID]bool{}, count: map[string]int{}}
	for job, codes := range ofJobs {
		e.codes[job] = strings.Split(strings.ReplaceAll(codes, " ", ""), ",")
	}
	return e
}

// next returns how a pod ends; empty if it was asked before, or the Job has no ends.
func (e *ends) next(pod *corev1.Pod) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || e.done[pod.UID] {
		return ""
	}
	codes := e.codes[owner.Name]
	if len(codes) == 0 {
		return ""
	}
	e.done[pod.UID] = true
	code := codes[min(e.count[owner.Name], len(codes)-1)]
	e.count[owner.Name]++
	if pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && code != "0" {
		code += ",0" // the container is started again, and has to end then
	}
	return code
}

// endPods sets how pods end, until ctx ends.
func (r *runner) endPods(ctx context.Context) (wrong error) {
	e := newEnds(r.scenario.Ends)
	if len(e.codes) == 0 {
		return nil
	}
	_ = r.Recorder.Until(ctx, func() bool {
		for _, pod := range r.Recorder.Pods() {
			code := e.next(&pod)
			if code == "" {
				continue
			}
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, puppet.ExitCodes, code)
			err := r.Client.Patch(ctx, &pod, client.RawPatch(types.MergePatchType, patch))
			if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
				wrong = err
				return true
			}
		}
		return false
	})
	return wrong
}
