// Package faults has the specs of what holds when requests fail, answers are
// lost, caches lag behind, the API server is away and controllers crash. Each of
// them starts the implementation itself, behind a fault proxy.
//
// They say how things end, exactly: what is counted, and how many pods or Jobs
// there ever were. What must hold on the way there is with the invariants of
// package history, as everywhere. None of them expects that two things go wrong
// in a way that no controller could know of, a lost answer and a stale cache of
// the same resource for example.
package faults

import (
	"context"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// labels are on all specs of Jobs, cronLabels on those of CronJobs.
var (
	labels     = Label(protocol.FaultsLabel, "area:job", "behaviour:faults")
	cronLabels = Label(protocol.FaultsLabel, "area:cronjob", "behaviour:faults")
)

// Specs that take long begin first, so that the others run beside them.
const (
	takesLongest SpecPriority = 2
	takesLong    SpecPriority = 1
)

// The requests of a Job controller. How it names pods, and whether it patches or
// updates, is its own affair.
var (
	createPods   = faultproxy.Calls{Verb: "create", Resource: "pods"}
	releasePods  = faultproxy.Calls{Verb: "patch|update", Resource: "pods"}
	deletePods   = faultproxy.Calls{Verb: "delete", Resource: "pods"}
	writeStatus  = faultproxy.Calls{Verb: "patch|update", Resource: "jobs/status"}
	createEvents = faultproxy.Calls{Verb: "create|patch|update", Resource: "events"}
)

// way is how a request meets with trouble.
type way func(*faultproxy.Rule) *faultproxy.Rule

func fails(r *faultproxy.Rule) *faultproxy.Rule      { return r.Answer(500) }
func conflicts(r *faultproxy.Rule) *faultproxy.Rule  { return r.Answer(409) }
func isPutOff(r *faultproxy.Rule) *faultproxy.Rule   { return r.Answer(429) }
func isLost(r *faultproxy.Rule) *faultproxy.Rule     { return r.Drop() }
func unanswered(r *faultproxy.Rule) *faultproxy.Rule { return r.LoseAnswerLate() }

// trouble has every other of some requests meet with trouble, beginning with the
// first. One that goes through unanswered comes last: it need not be made again.
// The function that it returns waits until that has happened in all ways.
func trouble(s *framework.Faulty, calls faultproxy.Calls, ways ...way) (allMet func()) {
	var rules []*faultproxy.Rule
	for i, way := range ways {
		rules = append(rules, way(s.On(calls).Nth(2*i+1)))
	}
	return func() {
		GinkgoHelper()
		for _, rule := range rules {
			s.Meets(calls.Verb+" "+calls.Resource, rule)
		}
	}
}

// begin starts the implementation and waits until a first Job is Complete: its
// caches are filled then.
func begin(ctx context.Context) *framework.Faulty {
	GinkgoHelper()
	s := framework.Behind(ctx)
	s.Start()
	framework.Create(ctx, s.Sandbox, puppet.Job("first").ExitCodes("0").Obj())
	completes(s.Sandbox, "first", 1)
	return s
}

// counters are those of a Job's status.
type counters = framework.Counters

// completes waits until a Job is Complete, with so many pods that succeeded and
// no others that ever were.
func completes(s *framework.Sandbox, job string, succeeded int32) {
	GinkgoHelper()
	s.Soon("Job "+job+" is Complete", func(g Gomega) {
		g.Expect(framework.Is(s.Job(job), batchv1.JobComplete)).To(BeTrue())
	})
	Expect(framework.CountersOf(s.Job(job))).To(Equal(counters{Succeeded: succeeded}))
	Expect(created(s, job)).To(HaveLen(int(succeeded)))
}

// running waits until a Job has exactly n active pods and counts them all as
// ready, and returns them, oldest first.
func running(s *framework.Sandbox, job string, n int32) []corev1.Pod {
	GinkgoHelper()
	s.Soon("all pods of Job "+job+" run", func(g Gomega) {
		g.Expect(active(s, job)).To(HaveLen(int(n)))
		g.Expect(framework.CountersOf(s.Job(job))).To(And(HaveField("Active", n), HaveField("Ready", n)))
	})
	return active(s, job)
}

func active(s *framework.Sandbox, job string) []corev1.Pod {
	return slices.DeleteFunc(pods(s, job), func(p corev1.Pod) bool { return !framework.IsActive(p) })
}

// pods are those of the Job that has the name now.
func pods(s *framework.Sandbox, job string) []corev1.Pod {
	owner := s.Job(job)
	return slices.DeleteFunc(s.Pods(), func(p corev1.Pod) bool { return !metav1.IsControlledBy(&p, owner) })
}

// created are the names of all pods that ever were of the Job that has the name
// now.
func created(s *framework.Sandbox, job string) (names []string) {
	owner := s.Job(job)
	for _, r := range s.History().Pods("") {
		if r.Created() && metav1.IsControlledBy(r.Pod(), owner) {
			names = append(names, r.Pod().Name)
		}
	}
	return names
}

func setSuspend(ctx context.Context, s *framework.Sandbox, job string, suspend bool) {
	GinkgoHelper()
	framework.Change(ctx, s, s.Job(job), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(suspend) })
}
