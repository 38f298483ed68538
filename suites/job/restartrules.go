package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// In these specs, containers restart in pods with the restartPolicy Never.
var _ = Describe("Job restartPolicyRules:", behaviour.RestartPolicyRules, func() {
	// Source: containers restarted by container restart policy should not trigger PodFailurePolicy, of
	// test/e2e/apps/job.go. Wrong: replaces the pod, or adds up restarts.
	It("the controller leaves a pod alone whose container restarts by its own restartPolicy", covers.Requirements(
		RestartsByRules), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).ExitCodes("1,3").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyOnFailure)
		}))
		restarted(s, 2)
		staysTheSamePod(s, job)
		s.Active()[0].Direct(map[string]string{puppet.ExitCodes: "1,3,0"})
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// Wrong: fails the Job at the first restart, or does not count the pod in the end.
	It("the controller counts a pod whose container restarts by a rule when it has failed", covers.Requirements(
		RestartsByRules), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).ExitCodes("42").With(restartsAt(
			corev1.ContainerRestartRuleActionRestart, 42)))
		restarted(s, 1)
		staysTheSamePod(s, job)
		s.Active()[0].Direct(map[string]string{puppet.ExitCodes: "42,1"})
		job.FailsWith(1, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: takes a failed init container for a failed pod.
	It("the controller leaves a pod alone whose init container restarts by a rule", covers.Requirements(
		RestartsByRules), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).ExitCodes("0").InitContainer("init").
			Puppet(map[string]string{puppet.InitCodes: "42"}).With(func(j *batchv1.Job) {
			restarts(&j.Spec.Template.Spec.InitContainers[0], corev1.ContainerRestartRuleActionRestart, 42)
		}))
		s.Soon("the init container has restarted", func(g Gomega) {
			g.Expect(s.Active()).To(ConsistOf(
				HaveField("Status.InitContainerStatuses", ConsistOf(HaveField("RestartCount", int32(1))))))
		})
		s.Stays("the pod is active", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Created()).To(HaveLen(1))
			g.Expect(s.Active()).To(HaveLen(1))
		})
		s.Active()[0].Direct(map[string]string{puppet.InitCodes: "42,0"})
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// Wrong: judges how the container ended before it restarted, at once or in the end.
	It("the controller applies podFailurePolicy to how containers ended last", covers.Requirements(
		RestartsMatchNoRule), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).With(restartsAt(
			corev1.ContainerRestartRuleActionRestart, 42)).
			PodFailurePolicy(onExitCodes(failJob, in, 42), onExitCodes(ignore, in, 1)))
		job.Runs(1).End(42)
		restarted(s, 1)
		staysTheSamePod(s, job)
		s.Active()[0].Direct(map[string]string{puppet.ExitCodes: "42,1"})
		successor(s, job, 2, Counters{Active: 1, Ready: 1}).End(0)
		job.CompletesWith(2, Counters{Succeeded: 1})
	})

	// Wrong: counts restarts as failures of the index.
	It("an index does not fail by restarts of its container", covers.Requirements(
		RestartsFailNoIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(0).With(restartsAt(
			corev1.ContainerRestartRuleActionRestart, 42)))
		pods := byIndex(job.Runs(2))
		pods["0"].End(42)
		s.Soon("the container has restarted", func(g Gomega) {
			g.Expect(pods["0"].Now().Status.ContainerStatuses).To(ConsistOf(HaveField("RestartCount", int32(1))))
		})
		pods["1"].End(0)
		job.Counts("the other index is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		s.Stays("the index runs", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(BeEmpty(), "status.failedIndexes")
			g.Expect(s.Active().Names()).To(ConsistOf(pods["0"].Name))
		})
		pods["0"].Direct(map[string]string{puppet.ExitCodes: "42,0"})
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// Wrong: takes a pod that is Pending again for a lost one.
	It("the controller leaves a pod alone whose containers all restart", covers.Requirements(
		RestartsAllContainers), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).InitContainer("init").With(withSidecar).Container("second").
			Puppet(map[string]string{puppet.InitCodes: "0"}).With(restartsAt(
			corev1.ContainerRestartRuleActionRestartAllContainers, 42)))
		pod := job.Runs(1)[0]
		pod.End(42)
		s.Soon("the pod is Pending again, and the init container runs", func(g Gomega) {
			g.Expect(pod.Now().Status.Phase).To(Equal(corev1.PodPending), "status.phase")
			g.Expect(pod.Now().Status.InitContainerStatuses[0].State.Running).NotTo(BeNil())
		})
		job.Counts("the pod is active", Counters{Active: 1})
		staysTheSamePod(s, job)
		pod.Direct(map[string]string{puppet.InitCodes: "0,0"})
		job.Runs(1)
		Expect(pod.Now().Status.ContainerStatuses).To(HaveEach(HaveField("RestartCount", BeNumerically(">", 0))))
		pod.Direct(map[string]string{puppet.ExitCodes: "42,0"})
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// Wrong: gives the index to another pod while its own is Pending.
	It("an index stays with its pod when all containers of the pod restart", covers.Requirements(
		RestartsAllOfAnIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimit(0).InitContainer("init").
			Puppet(map[string]string{puppet.InitCodes: "0"}).With(restartsAt(
			corev1.ContainerRestartRuleActionRestartAllContainers, 42)))
		pods := byIndex(job.Runs(2))
		pods["1"].End(42)
		s.Soon("the pod is Pending again", func(g Gomega) {
			g.Expect(pods["1"].Now().Status.Phase).To(Equal(corev1.PodPending), "status.phase")
		})
		job.Counts("both pods are active", Counters{Active: 2, Ready: 1})
		s.Stays("each index has its pod", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(2))
			g.Expect(s.Active()).To(HaveLen(2))
		})
		pods["1"].Direct(map[string]string{puppet.InitCodes: "0,0", puppet.ExitCodes: "42,0"})
		pods["0"].End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0,1"), "status.completedIndexes")
	})
})

// restarts has a container do something at an exit code.
func restarts(c *corev1.Container, action corev1.ContainerRestartRuleAction, exitCode int32) {
	c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyNever)
	c.RestartPolicyRules = append(c.RestartPolicyRules, corev1.ContainerRestartRule{Action: action,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{exitCode}}})
}

// restartsAt has the first container of a Job's pods do something at an exit code.
func restartsAt(action corev1.ContainerRestartRuleAction, exitCode int32) func(*batchv1.Job) {
	return func(j *batchv1.Job) { restarts(&j.Spec.Template.Spec.Containers[0], action, exitCode) }
}

// staysTheSamePod expects that the Job, which has run one pod so far, goes on with it.
func staysTheSamePod(s *framework.Sandbox, job *framework.Job) {
	GinkgoHelper()
	s.Stays("the Job runs the same pod", func(g Gomega) {
		g.Expect(job.Conditions()).To(BeEmpty())
		g.Expect(job.Counters().Failed).To(BeZero(), "status.failed")
		g.Expect(s.Created()).To(HaveLen(1))
		g.Expect(s.Active()).To(HaveLen(1))
	})
}
