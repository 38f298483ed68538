// Package faults has the specs of what a controller achieves although requests
// fail, answers are lost, caches are stale, the API server is unreachable and the
// controller crashes. Each spec starts the implementation itself, behind a fault
// proxy.
//
// They check the exact outcome: what is counted, and how many pods or Jobs ever
// existed. The invariants check the way there, as in every spec. No spec combines
// two faults that no controller could detect, for example a lost answer and a
// stale cache of the same resource, unless all that it demands is that the
// controller makes up for what it did meanwhile.
package faults

import (
	"context"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Counters are the counters of a Job's status.
type Counters = framework.Counters

// faultLabels are on all specs here.
var faultLabels = append(Label(spec.FaultsLabel), behaviour.Faults...)

// The requests of a Job controller. It may name pods as it likes, and patch or
// update them.
var (
	createPods   = faultproxy.Calls{Verb: "create", Resource: "pods"}
	releasePods  = faultproxy.Calls{Verb: "patch|update", Resource: "pods"}
	deletePods   = faultproxy.Calls{Verb: "delete", Resource: "pods"}
	writeStatus  = faultproxy.Calls{Verb: "patch|update", Resource: "jobs/status"}
	createEvents = faultproxy.Calls{Verb: "create|patch|update", Resource: "events"}
)

// The requests of a CronJob controller.
var (
	createJobs         = faultproxy.Calls{Verb: "create", Resource: "jobs"}
	getJobs            = faultproxy.Calls{Verb: "get", Resource: "jobs"}
	deleteJobs         = faultproxy.Calls{Verb: "delete", Resource: "jobs"}
	writeCronJobStatus = faultproxy.Calls{Verb: "patch|update", Resource: "cronjobs/status"}
)

// fault makes a request fail in one way.
type fault func(*faultproxy.Rule) *faultproxy.Rule

func fails(r *faultproxy.Rule) *faultproxy.Rule      { return r.Answer(500) }
func conflicts(r *faultproxy.Rule) *faultproxy.Rule  { return r.Answer(409) }
func throttled(r *faultproxy.Rule) *faultproxy.Rule  { return r.Answer(429) }
func dropped(r *faultproxy.Rule) *faultproxy.Rule    { return r.Drop() }
func answerLost(r *faultproxy.Rule) *faultproxy.Rule { return r.LoseAnswerLate() }

// inject makes the first, third, fifth, ... of some requests fail, each in its
// own way. A request whose answer is lost comes last: it need not be repeated.
// The returned function waits until all faults have happened.
func inject(s *framework.Sandbox, calls faultproxy.Calls, faults ...fault) (allHappened func()) {
	var rules []*faultproxy.Rule
	for i, fault := range faults {
		rules = append(rules, fault(s.Proxy.On(calls).Nth(2*i+1)))
	}
	return func() {
		GinkgoHelper()
		for _, rule := range rules {
			s.Proxy.Meets(calls.Verb+" "+calls.Resource, rule)
		}
	}
}

// crashAround makes the implementation crash before the n-th of some requests,
// and after the one that follows. The returned function waits until both crashes
// have happened.
func crashAround(s *framework.Sandbox, calls faultproxy.Calls, n int) (bothHappened func()) {
	before := s.Proxy.On(calls).Nth(n).Before(s.Proxy.Crash)
	after := s.Proxy.On(calls).Nth(n + 1).After(s.Proxy.Crash)
	return func() {
		GinkgoHelper()
		s.Proxy.Meets(calls.Verb+" "+calls.Resource, before)
		s.Proxy.Meets(calls.Verb+" "+calls.Resource+" again", after)
	}
}

// started starts the implementation and waits until a first Job is Complete: then
// its caches are filled.
func started(ctx context.Context) *framework.Sandbox {
	GinkgoHelper()
	s := framework.Behind(ctx)
	s.Proxy.Start()
	completes(s.Create(puppet.Job("first").ExitCodes("0")), 1)
	return s
}

// names are those of several Jobs or CronJobs that a spec creates alike, so that
// the controller makes enough requests for all faults.
var names = []string{"a", "b", "c", "d"}

// createEach creates a Job under each of the names.
func createEach(s *framework.Sandbox, job *puppet.JobBuilder) (all []*framework.Job) {
	GinkgoHelper()
	for _, name := range names {
		all = append(all, s.Create(job.With(func(j *batchv1.Job) { j.Name = name })))
	}
	return all
}

// completes waits until a Job is Complete. It expects that so many of its pods
// have succeeded, and that it never had others.
func completes(job *framework.Job, succeeded int32) {
	GinkgoHelper()
	job.Completes(Counters{Succeeded: succeeded})
	Expect(job.Created()).To(HaveLen(int(succeeded)))
}

// isSuspended waits until a Job is Suspended and has no pods.
func isSuspended(s *framework.Sandbox, job *framework.Job) {
	GinkgoHelper()
	s.Soon("Job "+job.Name+" is Suspended and has no pods", func(g Gomega) {
		g.Expect(job.Pods()).To(BeEmpty())
		g.Expect(job.Is(batchv1.JobSuspended)).To(BeTrue())
		job.Reports(g, Counters{})
	})
}

// vanishes deletes a pod by force, without its finalizer: nothing is left to be counted.
func vanishes(s *framework.Sandbox, pod framework.Pod) {
	GinkgoHelper()
	pod.Change(func(p *corev1.Pod) { p.Finalizers = nil })
	Expect(s.Client.Delete(s.Context(), &pod.Pod, client.GracePeriodSeconds(0))).To(Succeed())
	pod.IsGone()
}

// end ends pods with an exit code, and waits until they have ended.
func end(s *framework.Sandbox, exitCode int, pods ...framework.Pod) {
	GinkgoHelper()
	s.End(exitCode, pods...)
	ended(s, pods...)
}

// ended waits until pods have ended, and nothing happens to them any more: the kubelet ends the grace
// period of those that are deleted last, and those without a finalizer are gone then.
func ended(s *framework.Sandbox, pods ...framework.Pod) {
	GinkgoHelper()
	over := And(HaveField("Status.Phase", BeElementOf(corev1.PodFailed, corev1.PodSucceeded)),
		framework.Either(HaveField("DeletionTimestamp", BeNil()),
			HaveField("DeletionGracePeriodSeconds", HaveValue(BeZero()))))
	for _, pod := range pods {
		s.Soon("pod "+pod.Name+" has ended", func(g Gomega) {
			g.Expect(s.Pods()).NotTo(ContainElement(And(HaveField("UID", pod.UID), Not(over))))
		})
	}
}

// released waits until pods have lost the tracking finalizer, or are gone.
func released(s *framework.Sandbox, pods ...framework.Pod) {
	GinkgoHelper()
	for _, pod := range pods {
		s.Soon("pod "+pod.Name+" is released", func(g Gomega) {
			g.Expect(s.Pods()).NotTo(
				ContainElement(And(HaveField("UID", pod.UID), HaveField("Finalizers", Not(BeEmpty())))))
		})
	}
}
