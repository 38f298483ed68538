// Package job has the specs of Jobs, one file for each behaviour. Importing it
// registers them with Ginkgo.
//
// They say what a user may rely on, and nothing of how a controller gets there:
// pods are counted and looked at, but neither their order nor the number of
// writes is. What must hold at every moment of every spec is not repeated
// here: see the invariants of package history, which are checked at each
// spec's end.
package job

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// longAgo is further in the past than the longest back-off, so that a failure
// at that time owes none.
const longAgo = "1h"

// firstBackoff is how long the replacement of the first failed pod is put off;
// it doubles with each further failure.
const firstBackoff = 10 * time.Second

func names(pods []corev1.Pod) []string {
	var out []string
	for _, p := range pods {
		out = append(out, p.Name)
	}
	return out
}

// others are the pods with other names than those given.
func others(pods []corev1.Pod, than ...corev1.Pod) []corev1.Pod {
	known := names(than)
	return slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return slices.Contains(known, p.Name) })
}

func tracked(pods []corev1.Pod) []corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool {
		return !slices.Contains(p.Finalizers, batchv1.JobTrackingFinalizer)
	})
}

// release lets pods that are held terminating end with an exit code.
func release(ctx context.Context, s *framework.Sandbox, exitCode string, pods ...corev1.Pod) {
	GinkgoHelper()
	for _, pod := range pods {
		s.Direct(ctx, pod, map[string]string{puppet.Terminate: exitCode, puppet.FinishedAgo: longAgo})
	}
}

func podNamed(s *framework.Sandbox, name string) *corev1.Pod {
	GinkgoHelper()
	pods := s.Pods()
	i := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Name == name })
	Expect(i).To(BeNumerically(">=", 0), "pod "+name)
	return pods[i].DeepCopy()
}

// failuresCounted waits until the failures of some pods are counted; these are
// the Job's counters then, as the next pods are put off. Where a busy kubelet
// told of the last failure when the back-off of the first was all but over,
// nothing can be said.
func failuresCounted(s *framework.Sandbox, failed []corev1.Pod, want Counters) {
	GinkgoHelper()
	s.Soon("the failures are counted", func(g Gomega) {
		g.Expect(CountersOf(s.Job("a")).Failed).To(Equal(want.Failed))
	})
	if took := toldAfter(s, failed); took > firstBackoff-2*time.Second {
		Skip(fmt.Sprintf("not verified: the last failure was told %s after the first", took))
	}
	Expect(CountersOf(s.Job("a"))).To(Equal(want))
}

// toldAfter is how long after the first of some pods had failed the last one
// was seen to have failed: a busy kubelet takes its time.
func toldAfter(s *framework.Sandbox, pods []corev1.Pod) time.Duration {
	var first, last time.Time
	for _, pod := range pods {
		for _, r := range s.History().Pods(pod.Name) {
			if p := r.Pod(); p.Status.Phase == corev1.PodFailed {
				ended := p.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time
				if first.IsZero() || ended.Before(first) {
					first = ended
				}
				if r.At.After(last) {
					last = r.At
				}
				break
			}
		}
	}
	return last.Sub(first)
}
