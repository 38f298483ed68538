package job

import (
	"slices"
	"time"

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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Sources, where a spec names no other: batch/v1 JobSpec.suspend; KEP-2232.
var _ = Describe("Job suspend:", behaviour.Suspend, func() {
	// The controller may or may not have seen the suspended Job. Wrong: does not run the Job.
	It("a Job that is created suspended and resumed at once runs", covers.Requirements(
		SuspendedHasNoPods, ResumeStartsAnew), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Suspend())
		job.Resume()
		job.Runs(1).End(0)
		job.Completes(Counters{Succeeded: 1})
		Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobSuspended))
		Expect(s.Created()).To(HaveLen(1))
	})

	// "Pods terminated this way will not count towards the Job's completions count."
	// Wrong: counts pods that it has deleted.
	It("pods deleted by suspension count neither as succeeded nor as failed", covers.Requirements(
		SuspensionDeletesPods, SuspensionCountsNothing), covers.MayShow(
		upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).Puppet(terminateLater))
		pods := job.Runs(2)
		job.Suspend()
		job.IsSuspended(Counters{Terminating: 2})
		release("0", pods[0])
		release("143", pods[1])
		s.Soon("both pods are gone", func(g Gomega) {
			g.Expect(s.Pods()).To(BeEmpty())
			job.Reports(g, Counters{})
		})
		job.Resume()
		job.Runs(2).End(0)
		job.Completes(Counters{Succeeded: 2})
	})

	// Wrong: resets startTime on resumption only.
	It("a suspended Job has no startTime", covers.Requirements(SuspensionResetsStartTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		job.Suspend()
		s.Soon("the Job is Suspended and has no startTime", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobSuspended))
			g.Expect(job.Now().Status.StartTime).To(BeNil(), "status.startTime")
		})
	})

	// Wrong: waits for its resumption, or makes it Suspended.
	DescribeTable("a Job that is suspended while its last pod terminates", func(
		ctx SpecContext, toSuspend *puppet.JobBuilder, exitCode int, interim, end batchv1.JobConditionType,
	) {
		s := framework.New(ctx)
		job := s.Create(toSuspend.Puppet(terminateLater))
		pods := job.Runs(2)
		pods[0].End(exitCode)
		s.Soon("it is decided how the Job ends", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(interim))
			job.ReportsTerminating(g, 1)
		})
		job.Suspend()
		release("143", pods[1])
		job.Becomes(end)
		Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobSuspended))
	},
		Entry("fails if that is decided", covers.Requirements(SuspensionAfterDecision),
			puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0), 1, batchv1.JobFailureTarget,
			batchv1.JobFailed),
		Entry("completes if that is decided", covers.Requirements(SuspensionAfterDecision, SuccessIsFinal),
			indexed(2).SuccessPolicy(rule("", 1)), 0, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete),
	)

	// Wrong: does nothing with a suspended Job.
	It("a suspended Job with completions 0 is Complete", covers.Requirements(
		SuspendedWithNothingToDo), func(ctx SpecContext) {
		framework.New(ctx).Create(puppet.Job("a").Completions(0).Suspend()).Completes(Counters{})
	})

	// Wrong: adds a condition at each change, or sets its time only once.
	It("the Job has one Suspended condition with the time of its last change", covers.Requirements(
		SuspendedCondition, SuspendedTransitionTime), framework.NoQueue(
		"it begins with a Job that was never suspended"), covers.Shows(
		upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		Expect(suspendedConditions(job.Now())).To(BeEmpty())
		changed := func(status corev1.ConditionStatus, change func()) time.Time {
			change()
			s.Soon("Suspended is "+string(status), func(g Gomega) {
				g.Expect(suspendedConditions(job.Now())).To(ConsistOf(HaveField("Status", status)))
			})
			return suspendedConditions(job.Now())[0].LastTransitionTime.Time
		}
		suspended := changed(corev1.ConditionTrue, job.Suspend)
		s.Stays("the condition stays as it is", func(g Gomega) {
			g.Expect(suspendedConditions(job.Now())).To(ConsistOf(And(
				HaveField("Status", corev1.ConditionTrue),
				HaveField("LastTransitionTime.Time", BeTemporally("==", suspended)))))
		})
		resumed := changed(corev1.ConditionFalse, job.Resume)
		Expect(resumed.Sub(suspended)).To(BeNumerically(">=", 2*time.Second), "time between suspension and resumption")
		again := changed(corev1.ConditionTrue, job.Suspend)
		Expect(again).NotTo(BeTemporally("<", resumed))
	})

	// Wrong: writes the condition together with other changes of the status only.
	It("a Job that has no pods has the condition as well", covers.Requirements(
		SuspendedCondition), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(0).Suspend())
		for range 2 {
			job.IsSuspended(Counters{})
			job.Resume()
			s.Soon("Suspended is False", func(g Gomega) {
				g.Expect(suspendedConditions(job.Now())).To(ConsistOf(HaveField("Status", corev1.ConditionFalse)))
			})
			job.Suspend()
		}
		job.IsSuspended(Counters{})
	})

	// Wrong: runs all indexes again.
	It("a resumed Indexed Job runs the indexes that are not completed", covers.Requirements(
		ResumeStartsAnew, SuspensionKeepsCounts), covers.MayShow(upstream.ResumedStatusRefused), covers.Uses(
		contract.Indexed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3))
		byIndex(job.Runs(3))["1"].End(0)
		indexesComplete(s, job, "1")
		job.Suspend()
		job.IsSuspended(Counters{Succeeded: 1})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("1"), "status.completedIndexes")
		job.Resume()
		Expect(indexesOf(job.Runs(2))).To(ConsistOf("0", "2"))
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3})
	})

	// Wrong: counts the failures of a resumed Job from 0.
	It("a resumed Job keeps counting earlier failures", covers.Requirements(SuspensionKeepsCounts), covers.MayShow(
		upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo))
		job.Runs(1).End(1)
		job.CountsAfter(firstBackoff, "the failed pod is counted and replaced",
			Counters{Active: 1, Ready: 1, Failed: 1})
		job.Suspend()
		job.IsSuspended(Counters{Failed: 1})
		job.Resume()
		job.CountsAfter(firstBackoff, "the Job runs", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active().End(1)
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	// Wrong: reads spec.suspend before the status.
	It("the controller leaves a finished Job alone when suspend changes", covers.Requirements(
		SuspensionAfterFinish), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ExitCodes("0"))
		job.Completes(Counters{Succeeded: 1})
		complete := job.Now().Status
		job.Suspend()
		s.Stays("the Job is Complete, not Suspended", func(g Gomega) {
			g.Expect(job.Now().Status).To(Equal(complete), "status")
		})
		job.Resume()
		s.Stays("the Job is Complete, not resumed", func(g Gomega) {
			g.Expect(job.Now().Status).To(Equal(complete), "status")
		})
		Expect(s.Created()).To(HaveLen(1))
	})

	// Source: KEP-2926. Wrong: creates pods from the template that it saw first.
	It("a Job that is created suspended runs with scheduling directives set before its resumption", covers.Requirements(
		TemplateChangesBeforeStart), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Suspend())
		job.IsSuspended(Counters{})
		job.Change(func(j *batchv1.Job) { setDirectives(&j.Spec.Template) })
		job.Resume()
		Expect(job.Runs(2)).To(HaveEach(hasDirectives(job.Now())))
	})

	// Source: KEP-5440. Wrong: creates pods from the template that it saw first.
	It("a resumed Job runs with scheduling directives and resources set during suspension", covers.Requirements(
		TemplateChangesWhileSuspended), covers.MayShow(upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		job.Suspend()
		job.IsSuspended(Counters{})
		requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}
		job.Change(func(j *batchv1.Job) {
			setDirectives(&j.Spec.Template)
			j.Spec.Template.Spec.Containers[0].Resources.Requests = requests
		})
		job.Resume()
		pods := job.Runs(1)
		Expect(pods).To(HaveEach(hasDirectives(job.Now())))
		Expect(pods[0].Spec.Containers[0].Resources.Requests).To(
			HaveKeyWithValue(corev1.ResourceCPU, requests[corev1.ResourceCPU]))
	})

	// Wrong: keeps the reason of the suspension.
	It("the condition Suspended has the reasons JobSuspended and JobResumed", covers.Requirements(
		SuspendedReasons), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Suspend())
		job.IsSuspended(Counters{})
		Expect(framework.Condition(job.Now(), batchv1.JobSuspended)).To(HaveField("Reason", "JobSuspended"))
		job.Resume()
		job.Runs(1)
		Expect(framework.Condition(job.Now(), batchv1.JobSuspended)).To(HaveField("Reason", "JobResumed"))
	})

	It("the controller emits Suspended and Resumed", covers.Requirements(
		EventsForSuspension), framework.NoQueue("the queue has both events emitted before"), covers.MayShow(
		upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		job.Suspend()
		s.SoonEmitted("there is an event Suspended", func(g Gomega) {
			g.Expect(eventsOf(s, job, "Suspended")).NotTo(BeEmpty())
		})
		job.Resume()
		s.SoonEmitted("there is an event Resumed", func(g Gomega) {
			g.Expect(eventsOf(s, job, "Resumed")).NotTo(BeEmpty())
		})
	})
})

// suspendedConditions returns all conditions of the type Suspended.
func suspendedConditions(job *batchv1.Job) []batchv1.JobCondition {
	return slices.DeleteFunc(slices.Clone(job.Status.Conditions), func(c batchv1.JobCondition) bool {
		return c.Type != batchv1.JobSuspended
	})
}

// setDirectives sets every scheduling directive that a queue may change in a template, to
// values that any cluster satisfies.
func setDirectives(template *corev1.PodTemplateSpec) {
	metav1.SetMetaDataLabel(&template.ObjectMeta, "example.org/queue", "fast")
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, "example.org/ticket", "7")
	template.Spec.NodeSelector = map[string]string{corev1.LabelOSStable: "linux"}
	template.Spec.Tolerations = []corev1.Toleration{{Key: "example.org/reserved", Operator: corev1.TolerationOpExists}}
	template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelOSStable, Operator: corev1.NodeSelectorOpIn, Values: []string{"linux"},
				}},
			}}},
	}}
}

// hasDirectives matches pods with the directives that setDirectives has set.
func hasDirectives(job *batchv1.Job) OmegaMatcher {
	template := job.Spec.Template
	return And(
		HaveField("Labels", HaveKeyWithValue("example.org/queue", "fast")),
		HaveField("Annotations", HaveKeyWithValue("example.org/ticket", "7")),
		HaveField("Spec.NodeSelector", Equal(template.Spec.NodeSelector)),
		HaveField("Spec.Tolerations", ContainElement(template.Spec.Tolerations[0])),
		HaveField("Spec.Affinity", Equal(template.Spec.Affinity)))
}

// eventsOf returns the events of a reason about a Job.
func eventsOf(s *framework.Sandbox, job *framework.Job, reason string) []corev1.Event {
	return slices.DeleteFunc(s.Events(), func(e corev1.Event) bool {
		return e.InvolvedObject.UID != job.UID || e.Reason != reason
	})
}

// Source: KEP-4368. No invariant covers Jobs of another controller.
var _ = Describe("Job managedBy:", behaviour.ManagedBy, func() {
	foreign := func() *puppet.JobBuilder {
		return puppet.Job("a").Parallelism(2).Completions(2).ManagedBy("example.org/other")
	}

	// Wrong: reads the field only when the Job is new.
	It("the controller writes neither pods nor status for a Job of another controller", covers.Requirements(
		LeavesManagedJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(foreign())

		job.Suspend()
		job.Resume()
		job.SetParallelism(3)
		catchesUp(s)
		s.Stays("the Job has no pods, no status and no finalizers", func(g Gomega) {
			g.Expect(job.Created()).To(BeEmpty())
			for _, r := range s.History().Jobs("a") {
				g.Expect(r.Job().Status).To(BeZero(), "status")
				g.Expect(r.Job().Finalizers).To(BeEmpty())
			}
		})
	})

	// Wrong: selects pods by their owner alone, or removes any tracking finalizer.
	It("the controller leaves the pods of another controller's Job alone", covers.Requirements(
		LeavesManagedJobs, LeavesManagedPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(foreign())
		owned := func(name string, annotations map[string]string) *corev1.Pod {
			pod := orphanOf(job, name, "")
			pod.Annotations = annotations
			own(job, pod)
			return pod
		}
		pods := []*corev1.Pod{
			owned("succeeds", map[string]string{puppet.ExitCodes: "0"}),
			owned("fails", map[string]string{puppet.ExitCodes: "1"}),
			owned("runs", nil), owned("another", nil), owned("surplus", nil),
			orphanOf(job, "orphan", ""),
		}
		for _, pod := range pods {
			framework.Create(s, pod)
			s.Finally(func() { removeFinalizer(s, pod, batchv1.JobTrackingFinalizer) })
		}
		lost := podNamed(s, "another")
		framework.Change(s, lost, func(p *corev1.Pod) { p.Labels = nil })
		created := s.Recorder.Position()
		s.Soon("two pods have ended, and four run", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(4))
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(1))
			g.Expect(s.InPhase(corev1.PodFailed)).To(HaveLen(1))
		})
		catchesUp(s)
		s.StaysSince(created, "Job and pods stay as they are", func(g Gomega) {
			g.Expect(job.Now().Status).To(BeZero(), "status")
			for _, pod := range pods {
				g.Expect(podNamed(s, pod.Name)).To(And(
					HaveField("OwnerReferences", Equal(pod.OwnerReferences)),
					HaveField("Finalizers", Equal(pod.Finalizers)),
					HaveField("DeletionTimestamp", BeNil())))
			}
			g.Expect(job.Pods()).To(HaveLen(5))
		})
	})

	// Wrong: takes every Job that has finished for its own.
	It("the controller leaves a pod alone that is deleted after another controller's Job has finished",
		covers.Requirements(LeavesManagedPods), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(foreign())
			pod := orphanOf(job, "runs", "")
			own(job, pod)
			framework.Create(s, pod)
			s.Finally(func() { removeFinalizer(s, pod, batchv1.JobTrackingFinalizer) })
			podsReach(s, corev1.PodRunning, 1)
			now := metav1.NewTime(time.Now().Truncate(time.Second))
			job.ChangeStatus(func(j *batchv1.Job) {
				j.Status = batchv1.JobStatus{StartTime: &now}
				for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
					j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: kind,
						Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now})
				}
			})
			catchesUp(s)
			s.Delete(pod)
			s.Soon("the pod has ended", func(g Gomega) { g.Expect(s.InPhase(corev1.PodRunning)).To(BeEmpty()) })
			s.Stays("the pod has the finalizer", func(g Gomega) {
				g.Expect(podNamed(s, "runs").Finalizers).To(ConsistOf(batchv1.JobTrackingFinalizer))
			})
		})

	// Wrong: corrects the counters, or acts once the Job has finished.
	It("the controller keeps the status that another controller writes", covers.Requirements(
		LeavesManagedStatus), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(foreign())
		now := metav1.NewTime(time.Now().Truncate(time.Second))
		condition := func(kind batchv1.JobConditionType) batchv1.JobCondition {
			return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastProbeTime: now,
				LastTransitionTime: now}
		}
		for _, write := range []func(*batchv1.JobStatus){
			func(status *batchv1.JobStatus) {
				status.StartTime, status.Active, status.Ready = &now, 2, ptr.To[int32](1)
			},
			func(status *batchv1.JobStatus) {
				status.Active, status.Ready, status.Succeeded, status.CompletionTime = 0, ptr.To[int32](0), 2, &now
				status.Conditions = []batchv1.JobCondition{condition(batchv1.JobSuccessCriteriaMet),
					condition(batchv1.JobComplete)}
			},
		} {
			job.ChangeStatus(func(j *batchv1.Job) { write(&j.Status) })
			written, since := job.Now().Status, s.Recorder.Position()
			catchesUp(s)
			s.StaysSince(since, "the status stays as it was written", func(g Gomega) {
				g.Expect(job.Now().Status).To(Equal(written), "status")
			})
		}
	})

	// The controller has a reason to look at that name again. Wrong: reads the field only when it queues a Job, and
	// then works on whatever has the Job's name.
	DescribeTable("the controller leaves a Job alone that is another's and replaces one of its own with", func(
		ctx SpecContext, before *puppet.JobBuilder, works func(*framework.Job), stays time.Duration) {
		s := framework.New(ctx)
		old := s.Create(before)
		works(old)
		old.Delete()
		job := s.Create(foreign())
		catchesUp(s)
		s.StaysFor(stays+s.Waits().Settle, "the Job has no pods, no status and no finalizers", func(g Gomega) {
			g.Expect(job.Created()).To(BeEmpty())
			for _, r := range s.History().Jobs("a") {
				if r.Job().UID == job.UID {
					g.Expect(r.Job().Status).To(BeZero(), "status")
					g.Expect(r.Job().Finalizers).To(BeEmpty())
				}
			}
		})
	},
		Entry("ends of pods to count", covers.Requirements(LeavesManagedSuccessor),
			puppet.Job("a").Parallelism(2).Completions(2), func(old *framework.Job) { old.Runs(2).End(0) },
			time.Duration(0)),
		Entry("a deadline to come", covers.Requirements(LeavesManagedSuccessor),
			puppet.Job("a").Parallelism(2).Completions(2).ActiveDeadlineSeconds(5), (*framework.Job).HasStarted,
			5*time.Second),
	)

	// Wrong: leaves every Job with the field alone.
	It("the controller runs a Job with the reserved name", covers.Requirements(OwnManagedBy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(3).ManagedBy(batchv1.JobControllerName))
		job.Runs(2).End(0)
		job.Counts("the last pod runs", Counters{Active: 1, Ready: 1, Succeeded: 2})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3})
		Expect(tracked(s.Pods())).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(3))
	})
})

// catchesUp waits until another Job of the namespace is Complete: by then the controller
// has seen what was written before.
func catchesUp(s *framework.Sandbox) {
	GinkgoHelper()
	generateName := func(j *batchv1.Job) { j.GenerateName = "witness-" }
	witness := s.Create(puppet.Job("").With(generateName).ExitCodes("0"))
	s.Soon("the witness is Complete", func(g Gomega) {
		g.Expect(witness.Conditions()).To(HaveKey(batchv1.JobComplete))
	})
}

// removeFinalizer removes a finalizer from a pod, if the pod still exists, so that its
// namespace can be deleted.
func removeFinalizer(s *framework.Sandbox, pod *corev1.Pod, finalizer string) {
	GinkgoHelper()
	now := &corev1.Pod{}
	err := s.Client.Get(s.Context(), client.ObjectKeyFromObject(pod), now)
	if err == nil && slices.Contains(now.Finalizers, finalizer) {
		before := now.DeepCopy()
		controllerutil.RemoveFinalizer(now, finalizer)
		err = s.Client.Patch(s.Context(), now, client.MergeFrom(before))
	}
	Expect(client.IgnoreNotFound(err)).To(Succeed())
}
