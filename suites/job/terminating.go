package job

import (
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// crossing is how more pods of a Job come to terminate than may run.
type crossing struct {
	job *puppet.JobBuilder // which runs three pods at first
	// happens has all of them terminate, and leaves room for one.
	happens func(job *framework.Job, pods framework.Pods)
	// exitCode is that of the pods when they have terminated.
	exitCode string
	// after waits for what comes then. Default: one pod runs.
	after func(job *framework.Job)
}

// Source: KEP-3939; #121147.
var _ = Describe("Job podReplacementPolicy Failed:", behaviour.PodReplacementPolicy, func() {
	deletesAll := func(pods framework.Pods) {
		for _, pod := range pods {
			pod.Delete()
		}
	}

	// Wrong: panics over a negative number of missing pods, or creates as many of them; knows only the
	// terminating pods that it has deleted itself, or only others.
	DescribeTable("the controller creates no pod while more pods terminate than",
		func(ctx SpecContext, c crossing) {
			s := framework.New(ctx)
			job := s.Create(c.job.PodReplacementPolicy(batchv1.Failed).Puppet(terminateLater))
			pods := job.Runs(3)
			c.happens(job, pods)
			terminate := func(n int32) {
				GinkgoHelper()
				s.Soon("no pod is active, and the others are terminating", func(g Gomega) {
					job.ReportsActive(g, 0)
					job.ReportsTerminating(g, n)
				})
				s.Stays("no pod is created", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(3)) })
			}
			terminate(3)
			slices.SortFunc(pods, func(a, b framework.Pod) int { return strings.Compare(b.Name, a.Name) })
			release(c.exitCode, pods[:2]...) // the lowest index is left
			terminate(1)
			release(c.exitCode, pods[2])
			if c.after != nil {
				c.after(job)
				return
			}
			job.Runs(1)
			Expect(s.Created()).To(HaveLen(4))
		},
		Entry("parallelism, after a user deleted them", covers.Requirements(TerminatingBeyondParallelism), crossing{
			job: puppet.Job("a").Parallelism(3).Completions(6),
			happens: func(job *framework.Job, pods framework.Pods) {
				deletesAll(pods)
				job.SetParallelism(1)
			},
			exitCode: "0"}),
		Entry("parallelism, after it was 0", covers.Requirements(TerminatingBeyondParallelism), crossing{
			job: puppet.Job("a").Parallelism(3).Completions(6),
			happens: func(job *framework.Job, _ framework.Pods) {
				job.SetParallelism(0)
				job.Counts("all pods are terminating", Counters{Terminating: 3})
				job.SetParallelism(2)
				job.SetParallelism(1)
			},
			exitCode: "143"}),
		Entry("parallelism of a Job without completions", covers.Requirements(TerminatingBeyondParallelism), crossing{
			job: puppet.Job("a").Parallelism(3),
			happens: func(job *framework.Job, _ framework.Pods) {
				job.SetParallelism(0)
				job.Counts("all pods are terminating", Counters{Terminating: 3})
				job.SetParallelism(1)
			},
			exitCode: "143"}),
		Entry("parallelism of a Job that was suspended meanwhile", covers.Requirements(
			TerminatingBeyondParallelism, FailedDelaysResume), covers.Uses(contract.Suspend), covers.MayShow(
			upstream.ResumedStatusRefused), crossing{
			job: puppet.Job("a").Parallelism(3).Completions(6),
			happens: func(job *framework.Job, _ framework.Pods) {
				job.Suspend()
				job.IsSuspended(Counters{Terminating: 3})
				job.SetParallelism(1)
				job.Resume()
			},
			exitCode: "143"}),
		Entry("the completions of an Indexed Job", covers.Requirements(
			TerminatingBeyondParallelism, ScaleDownCompletes), crossing{
			job: indexed(3),
			happens: func(job *framework.Job, pods framework.Pods) {
				deletesAll(pods)
				job.Change(func(j *batchv1.Job) {
					j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](1), ptr.To[int32](1)
				})
			},
			exitCode: "0",
			after:    func(job *framework.Job) { job.CompletesWith(3, Counters{Succeeded: 1}) }}),
	)

	// Wrong: deletes active pods until these and the terminating ones are as many as parallelism.
	It("the controller leaves the active pods that parallelism allows beside terminating ones", covers.Requirements(
		TerminatingBeyondParallelism), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed).Parallelism(3).Completions(6))
		pods := job.Runs(3)
		deletesAll(pods[:2])
		job.Counts("two pods are terminating", Counters{Active: 1, Ready: 1, Terminating: 2})
		before := s.Recorder.Position()
		job.SetParallelism(1)
		s.StaysSince(before, "the active pod stays, and there is no other", func(g Gomega) {
			g.Expect(s.Active().Names()).To(ConsistOf(pods[2].Name))
		})
		release("0", pods[:2]...)
		job.Counts("the terminating pods have ended", Counters{Active: 1, Ready: 1, Succeeded: 2})
		Expect(s.Created()).To(HaveLen(3))
	})
})
