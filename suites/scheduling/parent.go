package scheduling

import (
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// parent creates what stands for a workload controller's object, a ConfigMap.
func parent(s *framework.Sandbox) *corev1.ConfigMap {
	GinkgoHelper()
	return parentOf(s, "parent")
}

func parentOf(s *framework.Sandbox, name string) *corev1.ConfigMap {
	GinkgoHelper()
	return framework.Create(s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// ownedBy makes a parent the controller of a Job.
func ownedBy(owner *corev1.ConfigMap, job *puppet.JobBuilder) *puppet.JobBuilder {
	return job.With(func(j *batchv1.Job) {
		j.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name,
			UID: owner.UID, Controller: ptr.To(true)}}
	})
}

// workloadOf creates the Workload of a parent, with a gang of 1 for leaders and one of n for workers.
func workloadOf(s *framework.Sandbox, owner *corev1.ConfigMap, n int32) *schedulingv1beta1.Workload {
	GinkgoHelper()
	of := schedulingv1beta1.TypedLocalObjectReference{Kind: "ConfigMap", Name: owner.Name}
	return workloadFor(s, "parents", of, n)
}

func workloadFor(s *framework.Sandbox, name string, owner schedulingv1beta1.TypedLocalObjectReference,
	n int32) *schedulingv1beta1.Workload {
	GinkgoHelper()
	template := func(name string, n int32) schedulingv1beta1.PodGroupTemplate {
		of := schedulingv1beta1.PodGroupSchedulingPolicy{Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: n}}
		return schedulingv1beta1.PodGroupTemplate{Name: name, SchedulingPolicy: of}
	}
	return framework.Create(s, &schedulingv1beta1.Workload{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: schedulingv1beta1.WorkloadSpec{
			ControllerRef: &owner,
			PodGroupTemplates: []schedulingv1beta1.PodGroupTemplate{
				template("leaders", 1), template("workers", n)},
		},
	})
}

// delegating returns a Job of a parent whose PodGroup is made from the template "workers".
func delegating(owner *corev1.ConfigMap, name string) *puppet.JobBuilder {
	return ownedBy(owner, puppet.Job(name).Parallelism(2).Completions(2)).With(func(j *batchv1.Job) {
		metav1.SetMetaDataAnnotation(&j.ObjectMeta, delegates, "workers")
	})
}

// siblings creates three Jobs that delegate to the same parent.
func siblings(s *framework.Sandbox, owner *corev1.ConfigMap) (jobs []*framework.Job) {
	GinkgoHelper()
	for _, name := range []string{"a", "b", "c"} {
		jobs = append(jobs, s.Create(delegating(owner, name)))
	}
	return jobs
}

// hasMinCount waits until the PodGroup of a Job is a gang of n.
func hasMinCount(s *framework.Sandbox, job *framework.Job, n int32) {
	GinkgoHelper()
	s.Soon("the PodGroup has the minCount of the template", func(g Gomega) {
		g.Expect(podGroupsOf(s, job.Made())).To(ConsistOf(
			HaveField("Spec.SchedulingPolicy.Gang", HaveValue(HaveField("MinCount", n)))))
	})
}

var _ = Describe("Job scheduling, parents:", behaviour.Scheduling, func() {
	It("nothing is created for a Job that has a controller", covers.Requirements(
		LeavesToParent), framework.Needs(spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(ownedBy(parent(s), puppet.Job("a")))
		job.Runs(1)
		s.Stays("there is neither a Workload nor a PodGroup", func(g Gomega) {
			g.Expect(s.Recorder.Workloads()).To(BeEmpty(), "Workloads")
			g.Expect(s.Recorder.PodGroups()).To(BeEmpty(), "PodGroups")
		})
		none(s, 0)
		Expect(job.Created()).To(HaveEach(HaveField("Spec.SchedulingGroup", BeNil())))
	})

	// Wrong: makes a Workload as well. Wrong: takes the first template. Wrong: has Jobs share a PodGroup.
	It("each Job that delegates has a PodGroup from the Workload of its controller", covers.Requirements(
		GroupOfParent), covers.Shows(upstream.SiblingsShareGroup), framework.Needs(
		spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		owner := parent(s)
		workload := workloadOf(s, owner, 2)
		for _, name := range []string{"a", "b"} {
			job := s.Create(delegating(owner, name))
			job.Runs(2)
			s.Soon("the Job has a PodGroup", func(g Gomega) {
				g.Expect(podGroupsOf(s, job.Made())).To(HaveLen(1), "PodGroups")
			})
			group := podGroupsOf(s, job.Made())[0]
			Expect(group.Spec.WorkloadRef).To(HaveValue(Equal(schedulingv1beta1.WorkloadReference{
				WorkloadName: workload.Name, TemplateName: "workers"})))
			Expect(group.Spec.SchedulingPolicy.Gang).To(HaveValue(HaveField("MinCount", int32(2))))
			Expect(job.Created()).To(HaveEach(joins(group)))
		}
		Expect(created(s, "Workload")).To(Equal(1), "Workloads created")
	})

	// Wrong: knows the controller by a part of the reference.
	It("a Job that delegates has a PodGroup from the Workload of its controller, among those of others",
		covers.Requirements(GroupOfParent), covers.MayShow(upstream.StartsWithoutParent), framework.Needs(
			spec.ConfigMaps), func(ctx SpecContext) {
			s := framework.New(ctx)
			for _, name := range []string{"a", "b", "c", "d"} { // a wrong controller takes the right Workload by chance
				owner := parentOf(s, "parent-of-"+name)
				var workload *schedulingv1beta1.Workload // neither the first nor the last, by name and by time
				const others = 9
				for i := range others {
					for part, other := range map[string]schedulingv1beta1.TypedLocalObjectReference{
						"group": {APIGroup: "example.com", Kind: "ConfigMap", Name: owner.Name},
						"kind":  {Kind: "Secret", Name: owner.Name},
						"name":  {Kind: "ConfigMap", Name: owner.Name + "-too"},
					} {
						workloadFor(s, fmt.Sprintf("%s-%d-by-%s", name, i, part), other, 1)
					}
					if i == others/2 {
						of := schedulingv1beta1.TypedLocalObjectReference{Kind: "ConfigMap", Name: owner.Name}
						workload = workloadFor(s, fmt.Sprintf("%s-%d-of-it", name, i), of, 2)
					}
				}
				job := s.Create(delegating(owner, name))
				job.Runs(2)
				Expect(podGroupsOf(s, job.Made())).To(ConsistOf(HaveField("Spec.WorkloadRef", HaveValue(Equal(
					schedulingv1beta1.WorkloadReference{WorkloadName: workload.Name, TemplateName: "workers"})))))
				Expect(job.Created()).To(HaveEach(joins(podGroupsOf(s, job.Made())[0])))
			}
		})

	// Wrong: starts the Job without its group.
	It("a Job that delegates waits for the Workload of its controller", covers.Requirements(
		WaitsForParent), covers.Shows(upstream.StartsWithoutParent), framework.Needs(
		spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		s.Except(invariants.JobsRun)
		owner := parent(s)
		job := s.Create(delegating(owner, "a"))
		s.Stays("the Job has no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
		workloadOf(s, owner, 2)
		getsPods(s, job, 2)
		Expect(podGroupsOf(s, job.Made())).To(HaveLen(1), "PodGroups")
		Expect(job.Created()).To(HaveEach(joins(podGroupsOf(s, job.Made())[0])))
	})

	// Wrong: wakes one of the Jobs that the Workload is for.
	It("all Jobs that delegate get pods once the Workload of their controller is there", covers.Requirements(
		WaitsForParent), covers.Shows(upstream.StartsWithoutParent), framework.Needs(
		spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		s.Except(invariants.JobsRun)
		owner := parent(s)
		jobs := siblings(s, owner)
		s.Stays("no Job has pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
		workloadOf(s, owner, 2)
		for _, job := range jobs {
			getsPods(s, job, 2)
		}
	})

	// Source: #134654, of pods. Wrong: looks for the Workload in all namespaces.
	It("a Job that delegates waits for the Workload of its controller, not for one in another namespace",
		covers.Requirements(WaitsForParent), covers.Shows(upstream.StartsWithoutParent), framework.Needs(
			spec.ConfigMaps), func(ctx SpecContext) {
			s := framework.New(ctx)
			s.Except(invariants.JobsRun)
			other := s.Other()
			workloadOf(other, parent(other), 2)
			owner := parent(s)
			job := s.Create(delegating(owner, "a"))
			s.Stays("the Job has no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
			workloadOf(s, owner, 2)
			getsPods(s, job, 2)
		})

	// Wrong: keeps the group as it was made.
	It("the PodGroup of a Job that delegates follows the Workload of its controller when the Job changes, too",
		covers.Requirements(FollowsParent), covers.MayShow(upstream.StartsWithoutParent), framework.Needs(
			spec.ConfigMaps), func(ctx SpecContext) {
			s := framework.New(ctx)
			owner := parent(s)
			workload := workloadOf(s, owner, 2)
			job := s.Create(delegating(owner, "a"))
			job.Runs(2)
			framework.Change(s, workload, func(w *schedulingv1beta1.Workload) {
				w.Spec.PodGroupTemplates[1].SchedulingPolicy.Gang.MinCount = 1
			})
			job.SetParallelism(1)
			hasMinCount(s, job, 1)
		})

	// Wrong: looks at the Workload only where something happens to the Job or its pods.
	It("the PodGroup of a Job that delegates follows the Workload of its controller", covers.Requirements(
		FollowsParent), covers.Shows(upstream.ParentUnwatched), framework.Needs(
		spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		owner := parent(s)
		workload := workloadOf(s, owner, 2)
		job := s.Create(delegating(owner, "a"))
		job.Runs(2)
		s.Stays("both pods run", func(g Gomega) { job.Reports(g, Counters{Active: 2, Ready: 2}) })
		framework.Change(s, workload, func(w *schedulingv1beta1.Workload) {
			w.Spec.PodGroupTemplates[1].SchedulingPolicy.Gang.MinCount = 1
		})
		hasMinCount(s, job, 1)
	})

	// Wrong: wakes one of the Jobs that the Workload is for.
	It("the PodGroups of all Jobs that delegate follow the Workload of their controller", covers.Requirements(
		FollowsParent), covers.Shows(upstream.SiblingsShareGroup, upstream.ParentUnwatched), framework.Needs(
		spec.ConfigMaps), func(ctx SpecContext) {
		s := framework.New(ctx)
		owner := parent(s)
		workload := workloadOf(s, owner, 2)
		jobs := siblings(s, owner)
		for _, job := range jobs {
			job.Runs(2)
		}
		s.Stays("all pods run", func(g Gomega) {
			for _, job := range jobs {
				job.Reports(g, Counters{Active: 2, Ready: 2})
			}
		})
		framework.Change(s, workload, func(w *schedulingv1beta1.Workload) {
			w.Spec.PodGroupTemplates[1].SchedulingPolicy.Gang.MinCount = 1
		})
		for _, job := range jobs {
			hasMinCount(s, job, 1)
		}
	})

	// Wrong: replaces the group by one of its own.
	It("nothing is created for a Job whose pods have a group of the user", covers.Requirements(
		LeavesToUser), func(ctx SpecContext) {
		s := framework.New(ctx)
		framework.Create(s, &schedulingv1beta1.PodGroup{
			ObjectMeta: metav1.ObjectMeta{Name: "mine"},
			Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
				Basic: &schedulingv1beta1.BasicSchedulingPolicy{}}},
		})
		job := s.Create(puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To("mine")}
		}))
		job.Runs(1)
		s.Stays("there is no Workload, and the user's PodGroup alone", func(g Gomega) {
			g.Expect(s.Recorder.Workloads()).To(BeEmpty(), "Workloads")
			g.Expect(s.Recorder.PodGroups()).To(ConsistOf(
				And(HaveField("Name", "mine"), HaveField("OwnerReferences", BeEmpty()))), "PodGroups")
		})
		none(s, 1)
		Expect(job.Created()).To(HaveEach(HaveField("Spec.SchedulingGroup",
			HaveValue(HaveField("PodGroupName", HaveValue(Equal("mine")))))))
	})

	// Wrong: takes a CronJob for a parent that makes them.
	It("each Job of a CronJob has its own", covers.Requirements(
		GroupsOfCronJob), covers.Shows(upstream.CronJobWithoutWorkload), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := framework.Ago(3 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", gang(puppet.Job("").Parallelism(2).Completions(2), 0)), tick)
		job := cronJob.Starts(tick)
		job.Runs(2)
		_, group := groups(s, job)
		Expect(job.Created()).To(HaveEach(joins(group)))
	})
})
