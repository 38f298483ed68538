package job

import (
	"fmt"
	"maps"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Source: KEP-2214. More specs of Indexed Jobs are in completions.go.
var _ = Describe("Indexed Job:", behaviour.Indexed, func() {
	It("every pod has its index in its annotation and its label", covers.Requirements(
		EveryPodHasAnIndex), func(ctx SpecContext) {
		pods := framework.New(ctx).Create(indexed(3)).Runs(3)
		Expect(indexesOf(pods)).To(ConsistOf("0", "1", "2"))
		for _, pod := range pods {
			index := HaveKeyWithValue(batchv1.JobCompletionIndexAnnotation, kinds.CompletionIndex(&pod.Pod))
			Expect(pod.Annotations).To(index)
			Expect(pod.Labels).To(index)
		}
	})

	// Wrong: sets the variable in the first container only, or not in init containers.
	It("every container has its index, also init containers and sidecars", covers.Requirements(
		IndexVariable), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).Container("second").InitContainer("first").With(withSidecar))
		pods := byIndex(job.Runs(2))
		Expect(pods).To(And(HaveLen(2), HaveKey("0"), HaveKey("1")))
		for index, pod := range pods {
			for _, c := range append(pod.Spec.Containers, pod.Spec.InitContainers...) {
				Expect(indexVariable(pod, c)).To(Equal(index), "JOB_COMPLETION_INDEX of container %s", c.Name)
			}
		}
	})

	// Wrong: overwrites the variable, or sets it twice.
	It("the controller keeps a JOB_COMPLETION_INDEX that the template sets", covers.Requirements(
		OwnIndexVariable), func(ctx SpecContext) {
		s := framework.New(ctx)
		own := []corev1.EnvVar{{Name: "JOB_COMPLETION_INDEX", Value: "mine"}}
		job := s.Create(puppet.Job("a").Indexed().Completions(1).Container("second").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].Env = own
		}))

		pod := job.Runs(1)[0]
		Expect(pod.Spec.Containers[0].Env).To(Equal(own))
		Expect(indexVariable(pod, pod.Spec.Containers[1])).To(Equal("0"))
	})

	// The API server accepts a name that makes a hostname together with the index, which is longer
	// than what it takes of generateName. Wrong: creates no pod, or truncates the index.
	It("pods have their hostname in Jobs with names up to the longest valid one", covers.Requirements(
		IndexedHostname), covers.Shows(upstream.NameOfTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		const shortest, longest = 55, 61
		var jobs []*framework.Job
		for length := shortest; length <= longest; length++ {
			jobs = append(jobs, s.Create(
				puppet.Job(strings.Repeat("n", length)).Indexed().Completions(2).Parallelism(2)))
		}
		for _, job := range jobs {
			for index, pod := range byIndex(job.Runs(2)) {
				Expect(pod.Spec.Hostname).To(Equal(job.Name+"-"+index), "spec.hostname")
			}
		}
	})

	It("the names of pods contain their index", covers.Requirements(IndexedPodName), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Indexed().Completions(11).Parallelism(11))
		pods := byIndex(job.Runs(11))
		Expect(pods).To(HaveKey("10"))
		for index, pod := range pods {
			Expect(pod.Name).To(HavePrefix("a-" + index + "-"))
		}
	})

	// Wrong: starts with any index, or skips gaps.
	It("the controller runs the lower indexes first", covers.Requirements(
		LowerIndexesFirst), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(2).Completions(5))
		pods := byIndex(job.Runs(2))
		Expect(pods).To(And(HaveKey("0"), HaveKey("1")))
		pods["1"].End(0)
		s.Soon("index 2 is next", func(g Gomega) {
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("1"), "status.completedIndexes")
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "2"))
		})
	})

	// Wrong: completes the Job when as many indexes have succeeded as are left.
	It("the Job lists each completed index and is Complete when all are", covers.Requirements(
		CompletesWithEveryIndex, CompletedIndexesFormat), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(5))
		pods := byIndex(job.Runs(5))
		for _, step := range []struct{ index, completed string }{
			{"4", "4"}, {"2", "2,4"}, {"1", "1,2,4"}, {"3", "1-4"},
		} {
			pods[step.index].End(0)
			indexesComplete(s, job, step.completed)
		}
		Expect(job.Conditions()).To(BeEmpty())
		pods["0"].End(0)
		job.Completes(Counters{Succeeded: 5})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-4"), "status.completedIndexes")
	})

	// Wrong: creates the replacement for the next index.
	It("the controller runs the index of a deleted pod again, and no completed one", covers.Requirements(
		SucceededIndexIsDone, ReplacementKeepsIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3))
		pods := byIndex(job.Runs(3))
		pods["0"].End(0)
		indexesComplete(s, job, "0")
		pods["0"].Delete()
		pods["1"].Remove()
		s.SoonAfter(firstBackoff, "index 1 runs again", func(g Gomega) {
			job.Reports(g, Counters{Active: 2, Ready: 2, Succeeded: 1, Failed: 1})
			g.Expect(indexesOf(s.Active())).To(ConsistOf("1", "2"))
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3, Failed: 1})
	})

	// The Job adopts a second pod of an index. The pods of the other indexes are not ready,
	// and so a controller that only counts pods deletes one of them. Wrong: keeps both, or
	// deletes the pod of another index.
	It("the controller deletes one of two active pods of an index", covers.Requirements(
		OnePodPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).Puppet(map[string]string{puppet.Ready: "false"}))
		s.Soon("all indexes run", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(3))
			job.Reports(g, Counters{Active: 3})
		})
		pods := byIndex(s.Active())
		pods["1"].Direct(map[string]string{puppet.Ready: ""})
		job.Counts("the pod of index 1 is ready", Counters{Active: 3, Ready: 1})
		framework.Create(s, orphanOf(job, "second", "1"))
		s.Soon("there is one active pod of each index", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "1", "2"))
			job.ReportsActive(g, 3)
			job.ReportsReady(g, 1)
		})
		Expect(s.Active().Names()).To(ContainElements(pods["0"].Name, pods["2"].Name))
		s.Active().End(0)
		job.Becomes(batchv1.JobComplete)
		Expect(job.Now().Status).To(And(HaveField("Succeeded", int32(3)), HaveField("CompletedIndexes", "0-2")),
			"status")
	})

	// The pods run and are ready, and the Job's own pod is not: it would be the first to go
	// if one pod was as good as another. Wrong: takes the pods for index 0, or counts them as
	// failed.
	It("the controller deletes pods without a valid index and does not count them", covers.Requirements(
		DeletesPodsWithoutIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Completions(2).BackoffLimit(0).
			Puppet(map[string]string{puppet.Ready: "false"}))
		podsReach(s, corev1.PodRunning, 1)
		own := s.Active()
		indexes := map[string]string{"none": "", "beyond": "2", "negative": "-1", "nonsense": "one"}
		for name := range indexes {
			framework.Create(s, orphanPod(name, nil))
		}
		podsReach(s, corev1.PodRunning, 1+len(indexes))
		for name, index := range indexes {
			match(s, job, name, index)
		}
		s.Soon("the Job's own pod remains", func(g Gomega) {
			g.Expect(s.Pods().Names()).To(Equal(own.Names()))
			job.Reports(g, Counters{Active: 1})
		})
		Expect(job.Conditions()).To(BeEmpty())
	})

	// With fewer completions than parallelism, any counted failure is too many. Wrong: counts them as
	// failures of the Job.
	It("the controller counts no failure of a pod without a valid index", covers.Requirements(
		DeletesPodsWithoutIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(2).Completions(1).BackoffLimit(0))
		own := job.Runs(1)
		indexes := map[string]string{"none": "", "beyond": "1", "negative": "-1", "nonsense": "one"}
		for name := range indexes {
			framework.Create(s, orphanPod(name, map[string]string{puppet.ExitCodes: "1"}))
		}
		podsReach(s, corev1.PodFailed, len(indexes))
		for name, index := range indexes {
			match(s, job, name, index)
		}
		s.Soon("the pods are released", func(g Gomega) { g.Expect(tracked(s.Pods()).Names()).To(Equal(own.Names())) })
		own.End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// The pods succeed before they match the selector, and are not counted. Wrong: counts pods.
	It("the controller counts an index once, however many of its pods succeed", covers.Requirements(
		DeletesPodsWithoutIndex, IndexCountsOnce), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(0).Completions(2))
		indexes := map[string]string{"one": "0", "two": "0", "beyond": "7"}
		for name := range indexes {
			framework.Create(s, orphanPod(name, map[string]string{puppet.ExitCodes: "0"}))
		}
		podsReach(s, corev1.PodSucceeded, 3)
		for name, index := range indexes {
			match(s, job, name, index)
		}
		s.Soon("the pods are counted", func(g Gomega) {
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("0"), "status.completedIndexes")
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
		job.ReportsNow(Counters{Succeeded: 1})
		job.SetParallelism(1)
		next := job.Runs(1)
		Expect(indexesOf(next)).To(ConsistOf("1"))
		next.End(0)
		job.Completes(Counters{Succeeded: 2})
	})
})

// Source: KEP-3715.
var _ = Describe("Elastic Indexed Job:", behaviour.Indexed, func() {
	// Wrong: keeps an index out of range in completedIndexes, or drops one in range.
	It("a completed index that is scaled away and comes back runs again", covers.Requirements(
		ScaleDownForgetsIndexes, ReturnedIndexRunsAgain), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(4))
		pods := byIndex(job.Runs(4))
		s.End(0, pods["1"], pods["3"])
		s.Soon("two indexes are completed", func(g Gomega) {
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("1,3"), "status.completedIndexes")
			job.Reports(g, Counters{Active: 2, Ready: 2, Succeeded: 2})
		})
		rescale(job, 3)
		s.Soon("index 3 is not completed", func(g Gomega) {
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("1"), "status.completedIndexes")
			job.Reports(g, Counters{Active: 2, Ready: 2, Succeeded: 1})
		})
		Expect(indexesOf(s.Active())).To(ConsistOf("0", "2"))
		rescale(job, 4)
		s.Soon("index 3 runs again", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "2", "3"))
			job.Reports(g, Counters{Active: 3, Ready: 3, Succeeded: 1})
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 4})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-3"), "status.completedIndexes")
	})

	// The interval 2-4 is in range in part. Wrong: keeps it, or drops it.
	It("completedIndexes and failedIndexes lose exactly the indexes that are scaled away", covers.Requirements(
		ScaleDownForgetsIndexes, ScaleDownForgetsFailedIndexes, ZeroRetriesPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(6).BackoffLimitPerIndex(0))
		pods := byIndex(job.Runs(6))
		s.End(0, pods["2"], pods["3"], pods["4"])
		s.End(1, pods["0"], pods["5"])
		indexesComplete(s, job, "2-4")
		indexesFail(s, job, "0,5")
		rescale(job, 4)
		s.Soon("indexes 4 and 5 are gone", func(g Gomega) {
			g.Expect(job.Now().Status).To(And(HaveField("CompletedIndexes", "2,3"), HaveField("Succeeded", int32(2))),
				"status")
			g.Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
		})
		pods["1"].End(0)
		job.Becomes(batchv1.JobFailed)
		Expect(job.Now().Status).To(And(HaveField("CompletedIndexes", "1-3"), HaveField("Succeeded", int32(3))),
			"status")
		Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
	})

	// Wrong: runs completed indexes again.
	It("the Job keeps completed indexes when it is scaled up", covers.Requirements(
		ScaleUpRunsNewIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2))
		pods := byIndex(job.Runs(2))
		pods["0"].End(0)
		indexesComplete(s, job, "0")
		rescale(job, 4)
		s.Soon("the new indexes and index 1 run", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("1", "2", "3"))
			job.Reports(g, Counters{Active: 3, Ready: 3, Succeeded: 1})
		})
		Expect(s.Active().Names()).To(ContainElement(pods["1"].Name))
		s.Active().End(0)
		job.CompletesWith(4, Counters{Succeeded: 4})
	})

	// Wrong: deletes the youngest pods, or any.
	It("the controller deletes only the pods of indexes that are scaled away", covers.Requirements(
		ScaleDownDeletesIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(5).BackoffLimit(0))
		pods := byIndex(job.Runs(5))
		rescale(job, 2)
		s.Soon("two pods remain", func(g Gomega) {
			g.Expect(s.Pods().Names()).To(ConsistOf(pods["0"].Name, pods["1"].Name))
			job.Reports(g, Counters{Active: 2, Ready: 2})
		})
	})

	// Wrong: subtracts the failures of an index out of range.
	It("the controller keeps counting the failures of indexes that are scaled away", covers.Requirements(
		ScaleDownKeepsFailures), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimit(1))
		pods := byIndex(job.Runs(3))
		pods["2"].End(1)
		s.Soon("the failure is counted", func(g Gomega) {
			g.Expect(job.Counters().Failed).To(Equal(int32(1)), "status.failed")
		})
		rescale(job, 2)
		s.Soon("two indexes run, and the failure is counted", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "1"))
			job.Reports(g, Counters{Active: 2, Ready: 2, Failed: 1})
		})
		pods["1"].End(1)
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
	})

	// While an index waits for the back-off, its failed pod may be kept, as that knows the number of failures. Wrong:
	// keeps it for an index that does not come.
	It("a failed pod is released when its index is out of range", covers.Requirements(
		ScaleDownReleasesPods), covers.Uses(contract.BackoffLimitPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimitPerIndex(1))
		pods := byIndex(job.Runs(3))
		pods["2"].End(1)
		s.Soon("the pod has failed", func(g Gomega) { g.Expect(s.InPhase(corev1.PodFailed)).To(HaveLen(1)) })
		s.Stays("the controller has seen it", func(Gomega) {})
		rescale(job, 2)
		s.Soon("the failed pod has no finalizer", func(g Gomega) {
			g.Expect(tracked(s.Pods()).Names()).To(ConsistOf(pods["0"].Name, pods["1"].Name))
		})
	})

	// Wrong: waits for a pod of an index out of range, or reads completions once.
	It("the Job is Complete when it is scaled down to its completed indexes", covers.Requirements(
		ScaleDownCompletes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3))
		pods := byIndex(job.Runs(3))
		s.End(0, pods["0"], pods["1"])
		indexesComplete(s, job, "0,1")
		rescale(job, 2)
		s.Soon("the Job is Complete, and its third pod is gone", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobComplete))
			g.Expect(s.Pods().Names()).To(ConsistOf(pods["0"].Name, pods["1"].Name))
		})
		Expect(job.Now().Status).To(And(HaveField("Succeeded", int32(2)), HaveField("CompletedIndexes", "0,1")),
			"status")
	})

	// Wrong: takes a parallelism of 0 for a pause, whatever is left to do.
	It("the Job is Complete when it is scaled down to 0", covers.Requirements(
		ScaleDownToNothingCompletes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimit(0))
		pods := byIndex(job.Runs(3))
		pods["1"].End(0)
		indexesComplete(s, job, "1")
		rescale(job, 0)
		job.Completes(Counters{})
		s.Soon("the active pods are gone", func(g Gomega) {
			g.Expect(s.Pods().Names()).To(ConsistOf(pods["1"].Name))
		})
		Expect(job.Now().Status.CompletedIndexes).To(BeEmpty(), "status.completedIndexes")
	})
})

// rescale sets completions and parallelism of the Job to n.
func rescale(job *framework.Job, n int32) {
	GinkgoHelper()
	job.Change(func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &n, &n })
}

// indexesComplete waits until completedIndexes of the Job are these.
func indexesComplete(s *framework.Sandbox, job *framework.Job, completed string) {
	GinkgoHelper()
	s.Soon("completedIndexes is "+completed, func(g Gomega) {
		g.Expect(job.Now().Status.CompletedIndexes).To(Equal(completed), "status.completedIndexes")
	})
}

// indexVariable returns the value of JOB_COMPLETION_INDEX in a container, which may
// refer to a label or an annotation of the pod.
func indexVariable(pod framework.Pod, c corev1.Container) string {
	for _, e := range c.Env {
		switch {
		case e.Name != "JOB_COMPLETION_INDEX":
		case e.ValueFrom == nil:
			return e.Value
		case e.ValueFrom.FieldRef != nil:
			path := e.ValueFrom.FieldRef.FieldPath
			for kind, values := range map[string]map[string]string{"labels": pod.Labels,
				"annotations": pod.Annotations} {
				if path == fmt.Sprintf("metadata.%s['%s']", kind, batchv1.JobCompletionIndexAnnotation) {
					return values[batchv1.JobCompletionIndexAnnotation]
				}
			}
			return path
		}
	}
	return "not set"
}

// indexesOf returns the completion index of each pod.
func indexesOf(pods framework.Pods) []string {
	var out []string
	for _, pod := range pods {
		out = append(out, kinds.CompletionIndex(&pod.Pod))
	}
	return out
}

// orphanOf returns a pod without an owner that matches the Job's selector. It has the
// index as an annotation, unless that is empty.
func orphanOf(job *framework.Job, name, index string) *corev1.Pod {
	annotations := map[string]string{}
	if index != "" {
		annotations[batchv1.JobCompletionIndexAnnotation] = index
	}
	pod := orphanPod(name, annotations)
	pod.Labels = maps.Clone(job.Made().Spec.Template.Labels)
	return pod
}

// own makes a pod one that the Job's controller has created and has not counted.
func own(job *framework.Job, pod *corev1.Pod) {
	pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
	owner := metav1.NewControllerRef(job.Made(), batchv1.SchemeGroupVersion.WithKind("Job"))
	pod.OwnerReferences = []metav1.OwnerReference{*owner}
}

// match gives an orphan the labels of a Job's pods and this index, as orphanOf does. One that
// has ended becomes a pod of the Job that is not counted: no controller has to adopt it.
func match(s *framework.Sandbox, job *framework.Job, name, index string) {
	GinkgoHelper()
	like := orphanOf(job, name, index)
	framework.Change(s, podNamed(s, name), func(p *corev1.Pod) {
		p.Labels = like.Labels
		if kinds.Ended(p) {
			own(job, p)
		}
		for key, value := range like.Annotations {
			metav1.SetMetaDataAnnotation(&p.ObjectMeta, key, value)
		}
	})
}
