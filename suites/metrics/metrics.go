// Package metrics has the specs of metrics that Kubernetes promises to keep.
package metrics

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/metrics/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Counters are those of a Job.
type Counters = framework.Counters

// longAgo is when containers ended whose failure delays nothing.
const longAgo = "1h"

// Each spec has a process of its own, whose metrics are of nothing else.
var _ = Describe("Job metrics:", append(Label(spec.FaultsLabel), behaviour.Metrics...), func() {

	// Wrong: counts at each sync that sees the condition; or the Jobs that complete alone; or without the reason.
	It("the controller counts Jobs that finish, by result and reason", covers.Requirements(JobsFinished), func(
		ctx SpecContext) {
		s := measured(ctx)
		s.Create(puppet.Job("complete").ExitCodes("0")).Completes(Counters{Succeeded: 1})
		s.Create(puppet.Job("failed").BackoffLimit(0).ExitCodes("1")).Fails(
			batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		s.Create(puppet.Job("late").ActiveDeadlineSeconds(1)).Becomes(batchv1.JobFailed)
		counts(s, map[string]float64{
			`job_controller_jobs_finished_total`: 3,
			`job_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"}`: 1,
			`job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="BackoffLimitExceeded"}`:  1,
			`job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="DeadlineExceeded"}`:      1,
		})
	})

	// Wrong: has one completion mode for all.
	It("the controller counts Indexed Jobs that finish, by result and reason", covers.Requirements(JobsFinished),
		covers.Uses(contract.Indexed, contract.BackoffLimitPerIndex, contract.SuccessPolicy), func(ctx SpecContext) {
			s := measured(ctx)
			indexed := func(name string) *puppet.JobBuilder {
				return puppet.Job(name).Indexed().Parallelism(2).Completions(2).FinishedAgo(longAgo)
			}
			s.Create(indexed("complete").ExitCodes("0")).Becomes(batchv1.JobComplete)
			s.Create(indexed("some").ExitCodes("0").SuccessPolicy(batchv1.SuccessPolicyRule{
				SucceededIndexes: ptr.To("0-1")})).Becomes(batchv1.JobComplete)
			s.Create(indexed("indexes").BackoffLimitPerIndex(0).ExitCodes("1")).Becomes(batchv1.JobFailed)
			s.Create(indexed("most").BackoffLimitPerIndex(0).MaxFailedIndexes(0).ExitCodes("1")).Becomes(
				batchv1.JobFailed)
			counts(s, map[string]float64{
				`job_controller_jobs_finished_total`: 4,
				`job_controller_jobs_finished_total{completion_mode="Indexed",result="succeeded",reason="CompletionsReached"}`:    1,
				`job_controller_jobs_finished_total{completion_mode="Indexed",result="succeeded",reason="SuccessPolicy"}`:         1,
				`job_controller_jobs_finished_total{completion_mode="Indexed",result="failed",reason="FailedIndexes"}`:            1,
				`job_controller_jobs_finished_total{completion_mode="Indexed",result="failed",reason="MaxFailedIndexesExceeded"}`: 1,
			})
		})

	// Wrong: counts them at each sync that sees them.
	It("the controller counts pods that finish, by result", covers.Requirements(PodsFinished), func(ctx SpecContext) {
		s := measured(ctx)
		endsPods(s)
		counts(s, map[string]float64{
			`job_controller_job_pods_finished_total`:                                                  4,
			`job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"}`: 3,
			`job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"}`:    1,
		})
	})

	// Wrong: counts those that it has seen end, and not those that it found so.
	It("the controller counts pods that end with the tracking finalizer, and that lose it", covers.Requirements(
		FinalizersTracked), func(ctx SpecContext) {
		s := measured(ctx)
		endsPods(s)
		counts(s, map[string]float64{
			`job_controller_terminated_pods_tracking_finalizer_total{event="add"}`:    4,
			`job_controller_terminated_pods_tracking_finalizer_total{event="delete"}`: 4,
		})
	})

	// Wrong: takes the time of those alone that succeed.
	It("the controller counts syncs and takes the time of each", covers.Requirements(SyncsTimed), func(
		ctx SpecContext) {
		s := framework.Measured(ctx)
		failure := s.Proxy.On(faultproxy.Calls{Verb: "patch|update", Resource: "jobs/status"}).First(1).Answer(500)
		s.Proxy.Start()
		s.Create(puppet.Job("a").ExitCodes("0")).Completes(Counters{Succeeded: 1})
		s.Proxy.Meets("write the status", failure)
		s.Proxy.Measures("each sync has its time", func(g Gomega, of func(string) float64) {
			for _, labels := range []string{`{result="success"}`, `{result="error"}`} {
				g.Expect(of("job_controller_job_sync_duration_seconds_count"+labels)).To(
					Equal(of("job_controller_job_syncs_total"+labels)), "syncs with their time, "+labels)
			}
			g.Expect(of(`job_controller_job_syncs_total{completion_mode="NonIndexed",result="success"}`)).To(
				BeNumerically(">=", 1), "syncs without an error")
		})
	})

	// Wrong: counts the failures that count alone.
	It("the controller counts failed pods by the action of the podFailurePolicy's rule", covers.Requirements(
		FailuresHandled), covers.Uses(contract.PodFailurePolicy), func(ctx SpecContext) {
		s := measured(ctx)
		on := func(action batchv1.PodFailurePolicyAction, code int32) batchv1.PodFailurePolicyRule {
			in := &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn,
				Values: []int32{code}}
			return batchv1.PodFailurePolicyRule{Action: action, OnExitCodes: in}
		}
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).FinishedAgo(longAgo).PodFailurePolicy(
			on(batchv1.PodFailurePolicyActionIgnore, 43), on(batchv1.PodFailurePolicyActionCount, 44),
			on(batchv1.PodFailurePolicyActionFailJob, 42)))
		pods := job.Runs(3)
		pods[0].End(43)
		pods[1].End(44)
		s.Soon("the failure is counted", func(g Gomega) {
			g.Expect(job.Now().Status.Failed).To(Equal(int32(1)), "status.failed")
			g.Expect(s.InPhase(corev1.PodFailed)).To(HaveEach(HaveField("Finalizers", BeEmpty())))
		})
		pods[2].End(42)
		job.Becomes(batchv1.JobFailed)
		counts(s, map[string]float64{
			`job_controller_pod_failures_handled_by_failure_policy_total{action="Ignore"}`:  1,
			`job_controller_pod_failures_handled_by_failure_policy_total{action="Count"}`:   1,
			`job_controller_pod_failures_handled_by_failure_policy_total{action="FailJob"}`: 1,
		})
	})
})

var _ = Describe("CronJob metrics:", append(Label(spec.FaultsLabel), behaviour.Metrics...), func() {

	// Wrong: takes the time from when it looked.
	It("the controller observes how late it created each Job", covers.Requirements(SkewObserved), func(
		ctx SpecContext) {
		s, ticks := measured(ctx), []time.Time{framework.Ago(30 * time.Minute), framework.Ago(10 * time.Minute)}
		late := 0.0
		for i, tick := range ticks {
			cronJob := s.Due(puppet.CronJob([]string{"a", "b"}[i], puppet.Job("")), tick)
			late += cronJob.Starts(tick).Made().CreationTimestamp.Sub(tick).Seconds()
		}
		s.Proxy.Measures("two Jobs were observed", func(g Gomega, of func(string) float64) {
			g.Expect(of("cronjob_controller_job_creation_skew_duration_seconds_count")).To(Equal(2.0), "observed Jobs")
			g.Expect(of("cronjob_controller_job_creation_skew_duration_seconds_sum")).To(BeNumerically("~", late, 2),
				"seconds from the scheduled times until the Jobs were created")
		})
	})
})

// measured starts an implementation whose metrics are of this spec alone.
func measured(ctx context.Context) *framework.Sandbox {
	GinkgoHelper()
	s := framework.Measured(ctx)
	s.Proxy.Start()
	return s
}

// endsPods has three pods succeed and one fail.
func endsPods(s *framework.Sandbox) {
	GinkgoHelper()
	s.Create(puppet.Job("two").Parallelism(2).Completions(2).ExitCodes("0")).Completes(Counters{Succeeded: 2})
	s.Create(puppet.Job("one").ExitCodes("0")).Completes(Counters{Succeeded: 1})
	s.Create(puppet.Job("failed").BackoffLimit(0).ExitCodes("1")).Fails(
		batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
}

// counts waits until series have these values, once nothing happens any more.
func counts(s *framework.Sandbox, want map[string]float64) {
	GinkgoHelper()
	s.Stays("nothing happens", func(Gomega) {})
	s.Proxy.Measures("what happened is counted once", func(g Gomega, of func(string) float64) {
		for series, value := range want {
			g.Expect(of(series)).To(Equal(value), series)
		}
	})
}
