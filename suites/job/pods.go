package job

import (
	"fmt"
	"maps"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// suspensionDeletesAdopted decorates specs in which pods run before their Job is created.
var suspensionDeletesAdopted = framework.NoQueue("a suspended Job deletes the active pods that it adopts")

// A pod counts for the Job that controls it, and so these specs belong to the behaviour
// completions.
var _ = Describe("Job pods:", behaviour.Completions, func() {
	// Wrong: adds it a second time.
	It("the controller creates them with the finalizer once although the template has it", covers.Requirements(
		TrackingFinalizer), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Finalizers = []string{batchv1.JobTrackingFinalizer}
		}))
		Expect(job.Runs(1)[0].Finalizers).To(Equal([]string{batchv1.JobTrackingFinalizer}), "metadata.finalizers")
	})

	// Source: batch/v1 JobSpec.template, JobNameLabel and ControllerUidLabel.
	DescribeTable("the controller creates them", func(ctx SpecContext, has func(framework.Pod, *framework.Job)) {
		s := framework.New(ctx)
		notes := map[string]string{"example.org/note": "kept"}
		job := s.Create(puppet.Job("a").Puppet(notes).With(func(j *batchv1.Job) {
			j.Spec.Template.Labels = map[string]string{"example.org/app": "a"}
			j.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
		}))
		job.Runs(1)
		has(s.Created()[0], job)
	},
		Entry("from the template", covers.Requirements(PodFollowsTemplate),
			func(pod framework.Pod, _ *framework.Job) {
				Expect(pod.Annotations).To(HaveKeyWithValue("example.org/note", "kept"))
				Expect(pod.Labels).To(HaveKeyWithValue("example.org/app", "a"))
				Expect(pod.Spec.Containers[0].Env).To(ConsistOf(corev1.EnvVar{Name: "A", Value: "b"}))
				Expect(pod.Spec.RestartPolicy).To(Equal(corev1.RestartPolicyNever), "spec.restartPolicy")
			}),
		Entry("with the labels of the Job's name and UID", covers.Requirements(PodLabels),
			func(pod framework.Pod, job *framework.Job) {
				Expect(pod.Labels).To(And(HaveKeyWithValue(batchv1.JobNameLabel, "a"),
					HaveKeyWithValue(batchv1.ControllerUidLabel, string(job.UID))))
			}),
		Entry("with names that begin with the Job's", covers.Requirements(PodNameFollowsJob),
			func(pod framework.Pod, _ *framework.Job) { Expect(pod.Name).To(HavePrefix("a-")) }),
		Entry("with the Job as their owner and with the finalizer", covers.Requirements(JobOwnsPod, TrackingFinalizer),
			func(pod framework.Pod, job *framework.Job) {
				Expect(pod.OwnerReferences).To(ConsistOf(
					And(HaveField("UID", job.UID), HaveField("Controller", HaveValue(BeTrue())))))
				Expect(pod.Finalizers).To(ContainElement(batchv1.JobTrackingFinalizer))
			}),
	)

	// Source: metav1.OwnerReference; batch/v1 JobSpec.selector.
	It("the controller releases and replaces a pod that no longer matches the selector", covers.Requirements(
		ReleasesUnmatchedPods, ReleasesLostPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		pod := job.Runs(1)[0]
		pod.Change(func(p *corev1.Pod) { p.Labels = map[string]string{"example.org/app": "other"} })
		s.Soon("the pod is released and replaced", func(g Gomega) {
			released := pod.Now()
			g.Expect(released.OwnerReferences).To(BeEmpty())
			g.Expect(tracked(framework.Pods{s.Pod(released)})).To(BeEmpty())
			g.Expect(s.Active()).To(HaveLen(2))
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		pod.End(0)
		s.Active().Without(pod).End(0)
		job.CompletesWith(2, Counters{Succeeded: 1})
	})

	// Source: batch/v1 JobSpec.manualSelector; metav1.OwnerReference.
	It("the controller adopts an older pod that matches the selector", covers.Requirements(
		AdoptsPods), suspensionDeletesAdopted, func(ctx SpecContext) {
		s := framework.New(ctx)
		labels := map[string]string{"example.org/app": "a"}
		orphan := orphanPod("orphan", nil)
		orphan.Labels = labels
		framework.Create(s, orphan)
		podsReach(s, corev1.PodRunning, 1)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).With(selecting(labels)))

		job.Runs(2)
		s.Soon("the older pod is adopted", func(g Gomega) {
			g.Expect(podNamed(s, "orphan")).To(HaveField("OwnerReferences", ConsistOf(HaveField("UID", job.UID))))
			g.Expect(tracked(s.Pods())).To(HaveLen(2))
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 2})
	})

	// Nothing but the new labels can wake the controller. Wrong: looks for pods to adopt when a pod is
	// created, or with the next event.
	It("the controller adopts a pod whose labels come to match the selector", covers.Requirements(
		AdoptsPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		framework.Create(s, orphanPod("orphan", nil))
		podsReach(s, corev1.PodRunning, 2)
		job.Counts("the Job's pod runs", Counters{Active: 1, Ready: 1})
		s.Stays("the Job does not count the other pod", func(g Gomega) {
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		match(s, job, "orphan", "")
		s.Soon("one of two pods that are the Job's remains", func(g Gomega) {
			g.Expect(s.Pods()).To(ConsistOf(HaveField("OwnerReferences", ConsistOf(HaveField("UID", job.UID)))))
		})
	})

	// The pod waits for its scheduling gate, so that it wakes the controller once. Wrong: takes several Jobs that match
	// for a mistake; or syncs the first of them.
	It("the controller adopts a pod that matches the selectors of finished Jobs as well", covers.Requirements(
		AdoptsPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		labels := map[string]string{"example.org/app": "a"}
		var finished []*framework.Job
		for i := range 4 { // a cache has them in any order
			old := puppet.Job(fmt.Sprint("old-", i)).ExitCodes("0").With(selecting(labels))
			finished = append(finished, s.Create(old))
		}
		for _, old := range finished {
			old.Completes(Counters{Succeeded: 1})
		}
		job := s.Create(puppet.Job("new").With(selecting(labels)))
		job.Runs(1)
		s.Stays("the Job has one pod", func(g Gomega) { job.Reports(g, Counters{Active: 1, Ready: 1}) })
		orphan := orphanPod("orphan", nil)
		orphan.Labels = labels
		orphan.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}}
		framework.Create(s, orphan)
		s.Soon("the pod is adopted", func(g Gomega) {
			g.Expect(s.History().Pods("orphan")).To(ContainElement(
				HaveField("Pod().OwnerReferences", ConsistOf(HaveField("UID", job.UID)))))
		})
	})

	// Wrong: selects pods by labels alone.
	It("the controller leaves a pod that has another controller alone", covers.Requirements(
		LeavesForeignPods), framework.Needs(spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		owner := framework.Create(s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}})
		job := s.Create(puppet.Job("a"))

		own := job.Runs(1)
		foreign := orphanPod("foreign", map[string]string{puppet.ExitCodes: "0"})
		foreign.Labels = job.Made().Spec.Template.Labels
		foreign.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: ptr.To(true),
		}}
		before := s.Recorder.Position()
		framework.Create(s, foreign)
		podsReach(s, corev1.PodSucceeded, 1)
		s.StaysSince(before, "the pod does not count", func(g Gomega) {
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		s.Stays("the pod stays as it is", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(And(
				HaveField("OwnerReferences", Equal(foreign.OwnerReferences)),
				HaveField("Finalizers", BeEmpty()), HaveField("DeletionTimestamp", BeNil()))))
		})
		own.End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// A create request that was late, or an older version, may have left such a pod. Wrong:
	// forgets a Job once it has finished.
	It("a pod that is deleted after its Job has finished can go", covers.Requirements(
		ReleasesLatePods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ExitCodes("0"))
		job.Completes(Counters{Succeeded: 1})
		late := orphanOf(job, "late", "")
		own(job, late)
		framework.Create(s, late)
		podsReach(s, corev1.PodRunning, 1)
		s.Delete(late)
		s.Soon("only the Job's own pod is left", func(g Gomega) {
			g.Expect(s.Pods().Names()).NotTo(ContainElement("late"))
		})
	})

	// Other kinds of Jobs use the finalizer as well. Wrong: finds no Job of that UID; or looks at the
	// owner's apiVersion alone.
	DescribeTable("the controller leaves the finalizer on a deleted pod that has another controller",
		func(ctx SpecContext, owner client.Object, kind schema.GroupVersionKind) {
			s := framework.New(ctx)
			framework.Create(s, owner)
			foreign := orphanPod("foreign", nil)
			foreign.Finalizers = []string{batchv1.JobTrackingFinalizer}
			foreign.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, kind)}
			framework.Create(s, foreign)
			podsReach(s, corev1.PodRunning, 1)
			s.Delete(foreign)
			podsReach(s, corev1.PodFailed, 1)
			s.Stays("the pod has its finalizer", func(g Gomega) { g.Expect(tracked(s.Pods())).To(HaveLen(1)) })
			framework.Change(s, podNamed(s, "foreign"), func(p *corev1.Pod) { p.Finalizers = nil })
		},
		Entry("of another group", covers.Requirements(LeavesForeignFinalizers), framework.Needs(spec.ConfigMaps),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}},
			corev1.SchemeGroupVersion.WithKind("ConfigMap")),
		Entry("of the group of Jobs", covers.Requirements(LeavesForeignFinalizers),
			puppet.CronJob("owner", puppet.Job("")).Schedule("@hourly").Suspend().Obj(),
			batchv1.SchemeGroupVersion.WithKind("CronJob")),
	)

	// Volcano has Jobs as well. The garbage collector leaves alone what it does not know. Wrong: compares the owner's
	// kind alone.
	It("the controller leaves the finalizer on a deleted pod that has a Job of another group as its controller",
		covers.Requirements(LeavesForeignFinalizers), func(ctx SpecContext) {
			s := framework.New(ctx)
			foreign := orphanPod("foreign", nil)
			foreign.Finalizers = []string{batchv1.JobTrackingFinalizer}
			foreign.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch.volcano.sh/v1alpha1", Kind: "Job",
				Name: "a", UID: "0e1cbd46-52a5-4b0c-a1a7-0d3f3b6e2f10", Controller: ptr.To(true)}}
			framework.Create(s, foreign)
			s.Finally(func() { removeFinalizer(s, foreign, batchv1.JobTrackingFinalizer) })
			podsReach(s, corev1.PodRunning, 1)
			s.Delete(foreign)
			podsReach(s, corev1.PodFailed, 1)
			s.Stays("the pod has its finalizer", func(g Gomega) { g.Expect(tracked(s.Pods())).To(HaveLen(1)) })
		})

	// A finalizer keeps the Job, as foreground deletion does. Source: #42639. Wrong: ignores
	// the deletionTimestamp.
	It("the controller neither creates nor adopts pods for a Job that is being deleted", covers.Requirements(
		NoAdoptionWhileBeingDeleted, NoPodsWhileBeingDeleted), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(4).FinishedAgo(longAgo).
			With(func(j *batchv1.Job) { j.Finalizers = []string{ownFinalizer} }))

		pods := job.Runs(2)
		job.Delete()
		s.Soon("the Job is being deleted", func(g Gomega) { g.Expect(job.Now().DeletionTimestamp).NotTo(BeNil()) })
		pods[0].End(0)
		pods[1].End(1)
		orphan := orphanPod("orphan", nil)
		orphan.Labels = job.Made().Spec.Template.Labels
		framework.Create(s, orphan)
		s.Stays("no pod is created or adopted", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(3)) // two and the orphan
			g.Expect(podNamed(s, "orphan").OwnerReferences).To(BeEmpty())
		})
		job.Change(func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, ownFinalizer) })
		s.Soon("the Job and its pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods().Names()).To(ConsistOf("orphan"))
		})
	})

	// Source: KEP-2307; #108752, #109429. Wrong: keeps the finalizers of pods whose Job is gone.
	It("all pods of a deleted Job are gone", framework.OnlyReleaser, covers.Requirements(
		PodsGoWithJob, ReleasesOrphans), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(4))
		pods := job.Runs(3)
		pods[0].End(0)
		pods[1].End(1)
		job.Delete()
		s.Soon("the Job and its pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// Source: metav1.DeletePropagationOrphan; KEP-2307.
	It("the orphaned pods of a deleted Job have neither owner nor finalizer", framework.OnlyReleaser,
		covers.Requirements(
			OrphanedPodsRun, ReleasesOrphans), func(ctx SpecContext) {
			orphansPods(framework.New(ctx), puppet.Job("a").Parallelism(2).Completions(2))
		})
})

// selecting has a Job select pods by the labels of its template.
func selecting(labels map[string]string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Spec.ManualSelector = ptr.To(true)
		j.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		j.Spec.Template.Labels = labels
	}
}

// orphanPod returns a pod without an owner.
func orphanPod(name string, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: puppet.Placeholder}},
		},
	}
}

// The specs of adoption and release as a rule are in pods.go.
var _ = Describe("Job identity:", behaviour.Ownership, func() {
	// Many tools still select by them. Wrong: drops the labels that the API server has added
	// to the template.
	It("each pod has the legacy labels job-name and controller-uid", covers.Requirements(
		LegacyPodLabels), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		Expect(s.Created()).To(HaveEach(HaveField("Labels", And(
			HaveKeyWithValue("job-name", "a"), HaveKeyWithValue("controller-uid", string(job.UID))))))
	})

	// Wrong: creates no pod, or truncates the label with the pod's name.
	It("a Job with a name of 63 characters runs its pods", covers.Requirements(LongJobName), covers.Shows(
		upstream.NameOfTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		name := strings.Repeat("n", 63)
		job := s.Create(puppet.Job(name))

		pods := job.Runs(1)
		pods.End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// Wrong: selects pods by the labels of the template.
	It("Jobs with the same template keep their pods apart", covers.Requirements(KeepsJobsApart), func(ctx SpecContext) {
		s := framework.New(ctx)
		same := func(name string) *puppet.JobBuilder {
			return puppet.Job(name).With(func(j *batchv1.Job) {
				j.Spec.Template.Labels = map[string]string{"example.org/app": "same"}
			})
		}
		one, two := s.Create(same("a")), s.Create(same("b"))
		onePod := Counters{Active: 1, Ready: 1}
		s.Soon("each Job has one pod", func(g Gomega) {
			for _, job := range []*framework.Job{one, two} {
				g.Expect(job.Pods()).To(HaveLen(1))
				job.Reports(g, onePod)
			}
		})
		one.Pods().End(0)
		one.Completes(Counters{Succeeded: 1})
		s.Stays("the other Job runs", func(g Gomega) {
			two.Reports(g, onePod)
			g.Expect(two.Pods()).To(HaveEach(HaveField("DeletionTimestamp", BeNil())))
		})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: identifies Jobs, or the owners of pods, by name.
	It("a Job leaves the orphaned pods of an earlier Job of its name alone", covers.Requirements(
		NotTheEarlierJobsPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		orphansPods(s, puppet.Job("a").Parallelism(2).Completions(2))
		left := s.Pods()

		job := s.Create(puppet.Job("a"))
		s.Soon("the new Job has a pod of its own", func(g Gomega) {
			g.Expect(job.Pods()).To(HaveLen(1))
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		before := s.Recorder.Position()
		left[0].End(0)
		left[1].End(1)
		s.Soon("the orphaned pods have ended", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
		s.StaysSince(before, "the new Job leaves them alone", func(g Gomega) {
			g.Expect(s.Pods()).To(HaveLen(3))
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		job.Pods().End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// The documentation has this example. Wrong: creates new pods, or adopts the pods without
	// finalizers.
	It("a Job adopts the orphaned pods of an earlier Job by its selector", covers.Requirements(
		ManualSelectorTakesOver), suspensionDeletesAdopted, func(ctx SpecContext) {
		s := framework.New(ctx)
		old := orphansPods(s, puppet.Job("old").Parallelism(2).Completions(2))
		left := s.Pods()
		catchesUp(s)

		job := s.Create(puppet.Job("new").Parallelism(2).Completions(2).With(func(j *batchv1.Job) {
			j.Spec.ManualSelector = ptr.To(true)
			j.Spec.Selector = old.Made().Spec.Selector
			j.Spec.Template.Labels = old.Made().Spec.Template.Labels
		}))
		job.Runs(2)
		s.Soon("the Job has these pods", func(g Gomega) {
			g.Expect(job.Pods().Names()).To(ConsistOf(left.Names()))
			g.Expect(tracked(s.Pods()).Names()).To(ConsistOf(left.Names()))
		})
		left.End(0)
		job.Completes(Counters{Succeeded: 2})
		Expect(job.Pods()).To(HaveLen(2))
	})

	// Wrong: wants fewer pods than none.
	It("a Job that adopts more successes than its completions is Complete", covers.Requirements(
		CompletesAtCompletions, ManualSelectorTakesOver), func(ctx SpecContext) {
		s := framework.New(ctx)
		old := orphansPods(s, puppet.Job("old").Parallelism(2).Completions(2))
		s.Pods().End(0)
		podsReach(s, corev1.PodSucceeded, 2)
		catchesUp(s)
		job := s.Create(puppet.Job("new").Completions(1).With(func(j *batchv1.Job) {
			j.Spec.ManualSelector = ptr.To(true)
			j.Spec.Selector = old.Made().Spec.Selector
			j.Spec.Template.Labels = old.Made().Spec.Template.Labels
		}))
		job.Completes(Counters{Succeeded: 2})
		Expect(job.Created()).To(BeEmpty())
	})

	// The API server rejects a new finalizer on it. Wrong: tries again and again.
	It("the controller does not adopt a pod that is being deleted", covers.Requirements(
		NoAdoptionOfTerminating), func(ctx SpecContext) {
		s := framework.New(ctx)
		orphan := orphanPod("orphan", maps.Clone(terminateLater))
		orphan.Finalizers = []string{ownFinalizer}
		framework.Create(s, orphan)
		podsReach(s, corev1.PodRunning, 1)
		s.Finally(func() { removeFinalizer(s, orphan, ownFinalizer) })
		s.Delete(orphan)
		job := s.Create(puppet.Job("a").Completions(2))
		job.Runs(1)
		isBeingDeleted(s, s.Pod(orphan))
		framework.Change(s, podNamed(s, "orphan"), func(p *corev1.Pod) { p.Labels = job.Made().Spec.Template.Labels })

		s.Stays("the pod has no owner", func(g Gomega) {
			g.Expect(podNamed(s, "orphan")).To(And(
				HaveField("OwnerReferences", BeEmpty()), HaveField("Finalizers", ConsistOf(ownFinalizer))))
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		for done := range int32(2) {
			job.Pods().End(0)
			s.Soon("the success is counted", func(g Gomega) {
				g.Expect(job.Counters().Succeeded).To(Equal(done+1), "status.succeeded")
			})
			if done == 0 {
				job.Runs(1)
			}
		}
		job.Completes(Counters{Succeeded: 2})
	})

	// Wrong: adopts pods before it reads the status.
	It("the controller does not adopt a pod for a finished Job", covers.Requirements(
		NoAdoptionOnceFinished), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ExitCodes("0"))
		job.Completes(Counters{Succeeded: 1})
		complete := job.Now().Status
		framework.Create(s, orphanOf(job, "orphan", ""))
		created := s.Recorder.Position()
		catchesUp(s)
		s.StaysSince(created, "the pod has no owner", func(g Gomega) {
			g.Expect(podNamed(s, "orphan")).To(And(
				HaveField("OwnerReferences", BeEmpty()),
				HaveField("Finalizers", BeEmpty()), HaveField("DeletionTimestamp", BeNil())))
			g.Expect(job.Now().Status).To(Equal(complete), "status")
		})
	})
})

// orphansPods creates a Job, waits until all its pods run, and deletes it without them.
// It returns the deleted Job.
func orphansPods(s *framework.Sandbox, b *puppet.JobBuilder) *framework.Job {
	GinkgoHelper()
	job := s.Create(b)
	n := *job.Made().Spec.Parallelism
	job.Runs(n)
	job.Orphan()
	s.Soon("the Job is gone, and its pods have neither owner nor finalizer", func(g Gomega) {
		g.Expect(s.Jobs()).To(BeEmpty())
		g.Expect(s.Active()).To(HaveLen(int(n)), "pods that are not being deleted")
		g.Expect(s.Active()).To(HaveEach(And(
			HaveField("OwnerReferences", BeEmpty()), HaveField("Finalizers", BeEmpty()))))
	})
	return job
}
