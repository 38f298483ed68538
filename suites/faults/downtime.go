package faults

import (
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	jobs "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// downtime is what happens to Job a while the implementation does not run. A function
// gets the pods that ran before.
type downtime struct {
	// job is created first. Default: twoPods.
	job *puppet.JobBuilder
	// before happens while the implementation runs for the first time. Default: all pods of
	// the Job run then, or the Job is Suspended.
	before jobStep
	// happens while the implementation does not run, and after waits for what becomes of it.
	happens, after jobStep
	// jobsLast is a start at which the implementation has read the pods long before the Jobs.
	jobsLast bool
}

// stamped is on downtimes in which pods end in the past.
var stamped = framework.Simulated("a kubelet stamps its own time")

type jobStep func(s *framework.Sandbox, job *framework.Job, pods framework.Pods)

func twoPods() *puppet.JobBuilder {
	return puppet.Job("a").Parallelism(2).Completions(3).FinishedAgo("1h")
}

// oneBackoff is the delay after the first failure, where pods cannot end in the past.
const oneBackoff = kinds.FirstBackoff

var _ = Describe("Job faults:", faultLabels, func() {

	// Wrong: acts on events alone, and takes what is there at its start for done.
	DescribeTable("after a downtime in which", func(ctx SpecContext, d downtime) {
		if d.job == nil {
			d.job = twoPods()
		}
		s := framework.Behind(ctx)
		s.Proxy.Start()
		stopped := ptr.Deref(d.job.Obj().Spec.Suspend, false) // by the spec, and not by a queue
		job := s.Create(d.job)
		var pods framework.Pods
		if stopped {
			isSuspended(s, job)
		} else {
			pods = job.Runs(*job.Made().Spec.Parallelism)
		}
		if d.before != nil {
			d.before(s, job, pods)
		}
		s.Proxy.Kill()
		d.happens(s, job, pods)
		if d.jobsLast {
			late := s.Proxy.On(faultproxy.Calls{Verb: "list|watch", Resource: "jobs"}).Delay(time.Second)
			defer late.Remove()
		}
		s.Proxy.Start()
		d.after(s, job, pods)
	},
		Entry("a pod succeeded, it is counted and replaced", covers.Requirements(
			CatchesUpAfterDowntime, jobs.CountsOnce), downtime{
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) { end(s, 0, pods[0]) },
			after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Counts("the pod is counted and replaced", Counters{Active: 2, Ready: 2, Succeeded: 1})
				released(s, pods[0])
				Expect(job.Created()).To(HaveLen(3))
			}}),
		Entry("all pods succeeded, the Job is Complete", covers.Requirements(
			CatchesUpAfterDowntime, jobs.CountsOnce), downtime{
			job:     puppet.Job("a").Parallelism(2).Completions(2),
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) { end(s, 0, pods...) },
			after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				completes(job, 2)
				released(s, pods...)
			}}),
		Entry("an index succeeded, it is completed", covers.Requirements(CatchesUpAfterDowntime, jobs.CountsOnce),
			covers.Uses(contract.Indexed), downtime{
				job:     puppet.Job("a").Indexed().Parallelism(1).Completions(2),
				happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) { end(s, 0, pods[0]) },
				after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
					job.Counts("the next index runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
					Expect(job.Now().Status.CompletedIndexes).To(Equal("0"), "status.completedIndexes")
					released(s, pods[0])
				}}),
		Entry("an index failed and was scaled away, it is not listed as failed", covers.Requirements(
			CatchesUpAfterDowntime, jobs.ScaleDownForgetsFailedIndexes, jobs.ZeroRetriesPerIndex), downtime{
			job: puppet.Job("a").Indexed().Parallelism(3).Completions(3).BackoffLimitPerIndex(0),
			happens: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				end(s, 1, ofIndex("2", pods))
				job.Change(func(j *batchv1.Job) {
					j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](2), ptr.To[int32](2)
				})
			},
			after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				released(s, ofIndex("2", pods))
				Expect(job.Now().Status.FailedIndexes).To(framework.Either(BeNil(), HaveValue(BeEmpty())),
					"status.failedIndexes")
				job.Runs(2)
				Expect(job.Created()).To(HaveLen(3))
			}}),
		// Another controller may have created the second pod before it was replaced. Both have the
		// finalizer.
		Entry("two pods of an index failed, the next one has the higher number of failures", covers.Requirements(
			jobs.FailureCountAnnotation), stamped, downtime{
			job: puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(5).FinishedAgo("1h"),
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				second := &corev1.Pod{ObjectMeta: *pods[0].ObjectMeta.DeepCopy(), Spec: *pods[0].Spec.DeepCopy()}
				second.Name, second.ResourceVersion, second.UID = "a-0-second", "", ""
				second.Annotations[batchv1.JobIndexFailureCountAnnotation] = "1"
				end(s, 1, pods[0])
				second = framework.Create(s, second)
				s.Soon("the second pod runs", func(g Gomega) { g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(1)) })
				end(s, 1, s.Pod(second))
			},
			after: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) {
				Expect(job.Runs(1)[0].Annotations).To(HaveKeyWithValue(batchv1.JobIndexFailureCountAnnotation, "2"))
			}}),
		Entry("a pod failed, it is counted and replaced", covers.Requirements(
			CatchesUpAfterDowntime, jobs.RetriesWithinBackoffLimit), downtime{
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) { end(s, 1, pods[0]) },
			after:   failureIsReplaced}),
		Entry("a failed pod was deleted, it is counted and replaced", covers.Requirements(
			CatchesUpAfterDowntime, jobs.RetriesWithinBackoffLimit), downtime{
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				end(s, 1, pods[0])
				pods[0].Delete()
			},
			after: failureIsReplaced}),
		// Wrong: takes the pod of a Job that it has not read yet for an orphan.
		Entry("a failed pod was deleted, it is counted although the controller reads pods before Jobs",
			covers.Requirements(
				CatchesUpAfterDowntime, jobs.FinalizerUntilCounted), downtime{
				happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
					end(s, 1, pods[0])
					pods[0].Delete()
				},
				after:    failureIsReplaced,
				jobsLast: true}),
		Entry("a failed pod that matches FailJob was deleted, the Job is Failed", covers.Requirements(
			CatchesUpAfterDowntime, jobs.FailJobAction), downtime{
			job: twoPods().PodFailurePolicy(batchv1.PodFailurePolicyRule{
				Action: batchv1.PodFailurePolicyActionFailJob,
				OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
					Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42}},
			}),
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				end(s, 42, pods[0])
				pods[0].Delete()
			},
			after: func(_ *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
				pods[0].IsGone()
				Expect(job.Created()).To(HaveLen(2))
			}}),
		Entry("too many pods failed, the Job is Failed", covers.Requirements(
			CatchesUpAfterDowntime, jobs.FailsBeyondBackoffLimit), downtime{
			job:     twoPods().BackoffLimit(0),
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) { end(s, 1, pods[0]) },
			after: func(_ *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
				pods[1].IsGone()
				Expect(job.Created()).To(HaveLen(2))
			}}),
		Entry("the last pod of a failing Job ended, the Job is Failed", covers.Requirements(
			CatchesUpAfterDowntime, jobs.FailedAfterAllPods), downtime{
			job: twoPods().BackoffLimit(0).Puppet(map[string]string{puppet.Terminate: puppet.Hold}),
			before: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				pods[0].End(1)
				s.Soon("the Job has FailureTarget, and its last pod terminates", func(g Gomega) {
					g.Expect(job.Conditions()).To(HaveKey(batchv1.JobFailureTarget))
					job.ReportsTerminating(g, 1)
				})
			},
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				pods[1].Direct(map[string]string{puppet.Terminate: "143"})
				ended(s, pods[1])
			},
			after: func(_ *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
				pods[1].IsGone()
			}}),
		Entry("a running pod was deleted, it is counted and replaced", covers.Requirements(
			CatchesUpAfterDowntime, jobs.DeletedPodsFail), downtime{
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				pods[0].Remove()
				ended(s, pods[0])
			},
			after: failureIsReplaced}),
		// Nothing is left of the pod that could be counted.
		Entry("a pod vanished, it is replaced", covers.Requirements(CatchesUpAfterDowntime), downtime{
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				vanishes(s, pods[0])
			},
			after: func(s *framework.Sandbox, job *framework.Job, _ framework.Pods) {
				s.Soon("two pods run", func(g Gomega) {
					g.Expect(job.Created()).To(HaveLen(3))
					g.Expect(job.Counters().Succeeded).To(BeZero(), "status.succeeded")
					job.ReportsActive(g, 2)
					job.ReportsReady(g, 2)
				})
			}}),
		// A controller that sees one failure before the others may replace its pod at once.
		Entry("three pods failed, the next ones wait for 40 s after the last failure", covers.Requirements(
			CatchesUpAfterDowntime, jobs.BackoffCountsAll), stamped, downtime{
			job: puppet.Job("a").Parallelism(3).Completions(3).FinishedAgo("1h"),
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
				pods[2].Direct(map[string]string{puppet.FinishedAgo: "36s"})
				end(s, 1, pods...)
			},
			after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				due := pods[2].EndedAt().Add(4 * oneBackoff)
				s.SoonAfter(time.Until(due), "three more pods are created", func(g Gomega) {
					g.Expect(job.Created()).To(HaveLen(6))
				})
				Expect(job.Created()[3].CreationTimestamp.Time).To(BeTemporally(">=", due.Add(-time.Second)))
			}}),
		// In the order of their ends, two failures follow the success. Wrong: takes the pods in
		// another order, or counts a failure twice.
		Entry("pods failed before and after another succeeded, the next ones wait for 20 s after the last failure",
			covers.Requirements(CatchesUpAfterDowntime, jobs.SuccessEndsBackoff), stamped, downtime{
				job: puppet.Job("a").Parallelism(5).Completions(5).FinishedAgo("1h"),
				happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
					pods[1].Direct(map[string]string{puppet.FinishedAgo: "30m"})
					pods[3].Direct(map[string]string{puppet.FinishedAgo: "13s"})
					pods[4].Direct(map[string]string{puppet.FinishedAgo: "12s"})
					end(s, 1, pods[0], pods[2], pods[3], pods[4])
					end(s, 0, pods[1])
				},
				after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
					ended := pods[4].EndedAt()
					s.SoonAfter(time.Until(ended.Add(2*oneBackoff)), "four more pods are created", func(g Gomega) {
						g.Expect(job.Created()).To(HaveLen(9))
					})
					Expect(job.Created()[5].CreationTimestamp.Sub(ended)).To(
						And(BeNumerically(">=", 2*oneBackoff-time.Second),
							BeNumerically("<", 4*oneBackoff-time.Second+s.Lost())))
				}}),
		// The documentation limits the delay to 6 min, kube-controller-manager to 10 min.
		Entry("eight pods failed, the next ones wait for 6 min", covers.Requirements(
			CatchesUpAfterDowntime, jobs.BackoffCountsAll), stamped, downtime{
			job:     puppet.Job("a").Parallelism(8).Completions(8).BackoffLimit(20).FinishedAgo("330s"),
			happens: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) { end(s, 1, pods...) },
			after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Counts("the failures are counted", Counters{Failed: 8})
				released(s, pods...)
				s.Stays("no pod is created", func(g Gomega) { g.Expect(job.Created()).To(HaveLen(8)) })
			}}),
		Entry("the Job was deleted in the background, its pods are released", framework.OnlyReleaser,
			covers.Requirements(
				CatchesUpAfterDowntime, ReleasesOrphansDespiteFaults), downtime{
				happens: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
					job.Delete()
					ended(s, pods...)
				},
				after: allGone}),
		Entry("the Job was deleted in the foreground, its pods are released", framework.OnlyReleaser,
			covers.Requirements(
				CatchesUpAfterDowntime, ReleasesOrphansDespiteFaults), downtime{
				happens: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
					foreground := client.PropagationPolicy(metav1.DeletePropagationForeground)
					Expect(s.Client.Delete(s.Context(), job.Now(), foreground)).To(Succeed())
					ended(s, pods...)
				},
				after: allGone}),
		Entry("the Job was deleted without its pods, they run on without the finalizer",
			framework.OnlyReleaser, covers.Requirements(CatchesUpAfterDowntime, ReleasesOrphansDespiteFaults), downtime{
				happens: func(s *framework.Sandbox, job *framework.Job, _ framework.Pods) {
					job.Orphan()
					noJobs(s)
				},
				after: func(s *framework.Sandbox, _ *framework.Job, pods framework.Pods) {
					released(s, pods...)
					Expect(s.Active()).To(HaveLen(2))
					Expect(s.Pods()).To(HaveEach(HaveField("OwnerReferences", BeEmpty())))
				}}),
		Entry("the Job was deleted without its pods, and they later, they are released", covers.Requirements(
			CatchesUpAfterDowntime, ReleasesOrphansDespiteFaults), downtime{
			happens: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Orphan()
				noJobs(s)
				for i := range pods {
					pods[i].Delete()
				}
				ended(s, pods...)
			},
			after: allGone}),
		Entry("the Job was created again under its name, it gets its own pods", covers.Requirements(
			CatchesUpAfterDowntime, StaleUID), downtime{
			happens: func(s *framework.Sandbox, job *framework.Job, _ framework.Pods) {
				job.Delete()
				noJobs(s)
				s.Create(twoPods())
			},
			after: func(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				pods[0].IsGone()
				pods[1].IsGone()
				again := s.Handle(job.Now())
				again.Counts("the new Job's pods run", Counters{Active: 2, Ready: 2})
				Expect(again.Created()).To(HaveLen(2))
			}}),
		Entry("the Job was suspended, its pods are deleted", covers.Requirements(
			CatchesUpAfterDowntime, jobs.SuspensionDeletesPods), downtime{
			happens: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) { job.Suspend() },
			after:   func(s *framework.Sandbox, job *framework.Job, _ framework.Pods) { isSuspended(s, job) }}),
		Entry("the Job was resumed, its pods run", covers.Requirements(
			CatchesUpAfterDowntime, jobs.ResumeStartsAnew), downtime{
			job:     twoPods().Suspend(),
			happens: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) { job.Resume() },
			after:   func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) { job.Runs(2) }}),
		Entry("the Job was scaled up, more pods run", covers.Requirements(CatchesUpAfterDowntime, jobs.RunsAsMany),
			downtime{
				happens: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) { job.SetParallelism(3) },
				after: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) {
					job.Runs(3)
					Expect(job.Created()).To(HaveLen(3))
				}}),
		Entry("the Job was scaled down, the surplus pods are deleted", covers.Requirements(
			CatchesUpAfterDowntime, jobs.RunsAsMany), downtime{
			happens: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) { job.SetParallelism(1) },
			after: func(s *framework.Sandbox, job *framework.Job, _ framework.Pods) {
				job.Counts("one pod runs", Counters{Active: 1, Ready: 1})
				s.Soon("the other pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
				Expect(job.Created()).To(HaveLen(2))
			}}),
		Entry("the Job has reached its deadline, it is Failed", covers.Requirements(
			CatchesUpAfterDowntime, jobs.FailsAtDeadline), downtime{
			happens: func(_ *framework.Sandbox, job *framework.Job, _ framework.Pods) {
				job.Change(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To[int64](1) })
			},
			after: func(_ *framework.Sandbox, job *framework.Job, pods framework.Pods) {
				job.Fails(batchv1.JobReasonDeadlineExceeded, Counters{Failed: 2})
				pods[0].IsGone()
				pods[1].IsGone()
			}}),
	)
})

func noJobs(s *framework.Sandbox) {
	GinkgoHelper()
	s.Soon("there is no Job", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
}

func allGone(s *framework.Sandbox, _ *framework.Job, _ framework.Pods) {
	GinkgoHelper()
	s.Soon("the Job and its pods are gone", func(g Gomega) {
		g.Expect(s.Jobs()).To(BeEmpty())
		g.Expect(s.Pods()).To(BeEmpty())
	})
}

// failureIsReplaced waits until the first pod is counted as failed, released and
// replaced.
func failureIsReplaced(s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
	GinkgoHelper()
	job.CountsAfter(oneBackoff, "the failure is counted, and two pods run", Counters{Active: 2, Ready: 2, Failed: 1})
	released(s, pods[0])
	Expect(job.Created()).To(HaveLen(3))
}

func ofIndex(index string, pods framework.Pods) framework.Pod {
	GinkgoHelper()
	i := slices.IndexFunc(pods, func(p framework.Pod) bool {
		return kinds.CompletionIndex(&p.Pod) == index
	})
	Expect(i).To(BeNumerically(">=", 0), "pod of index "+index)
	return pods[i]
}
