package admission

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// counters are those of a Job's status.
type counters = framework.Counters

// running waits until the Job has exactly n active pods and counts them all as
// ready.
func running(s *framework.Sandbox, job string, n int32) []corev1.Pod {
	GinkgoHelper()
	s.Soon("all pods run", func(g Gomega) {
		g.Expect(s.Active()).To(HaveLen(int(n)))
		g.Expect(framework.CountersOf(s.Job(job))).To(And(HaveField("Active", n), HaveField("Ready", n)))
	})
	return s.Active()
}

// completes waits until the Job is Complete, with these counters.
func completes(s *framework.Sandbox, job string, want counters) {
	GinkgoHelper()
	s.Soon("the Job is Complete", func(g Gomega) {
		g.Expect(framework.Is(s.Job(job), batchv1.JobComplete)).To(BeTrue())
	})
	Expect(framework.CountersOf(s.Job(job))).To(Equal(want))
}

// warned waits until an event of a reason warns about an object.
func warned(s *framework.Sandbox, about types.UID, reason string) {
	GinkgoHelper()
	s.Soon("an event warns of it", func(g Gomega) {
		g.Expect(s.Events()).To(ContainElement(And(
			HaveField("InvolvedObject.UID", about),
			HaveField("Type", corev1.EventTypeWarning),
			HaveField("Reason", reason))))
	})
}

// waits waits until a Job has started, and expects that nothing comes of it.
func waits(s *framework.Sandbox, job string) {
	GinkgoHelper()
	s.Soon("the Job has started", func(g Gomega) { g.Expect(s.Job(job).Status.StartTime).NotTo(BeNil()) })
	s.Stays("there are no pods, and no verdict", func(g Gomega) {
		g.Expect(s.Created()).To(BeEmpty())
		g.Expect(framework.CountersOf(s.Job(job))).To(Equal(counters{}))
		g.Expect(s.Job(job).Status.Conditions).NotTo(ContainElement(HaveField("Status", corev1.ConditionTrue)))
	})
}

// loop is how many requests in vain within the time of Stays make one an endless
// loop: an implementation may begin with a back-off of a few milliseconds, if it
// grows.
const loop = 25

// since are the times after the first.
func since(times []time.Time) []time.Duration {
	var all []time.Duration
	for _, t := range times {
		all = append(all, t.Sub(times[0]).Round(time.Millisecond))
	}
	return all
}
