package job

import (
	"fmt"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// What every Indexed Job does is among the specs of completions; these are about
// the rest of KEP-2214.
var _ = Describe("Indexed", Label("area:job", "behaviour:indexed"), func() {

	// Wrong: tells the first container only, or those that are no init containers.
	It("tells every container which index it is, init containers and sidecars too", Covers(EveryPodHasAnIndex, IndexVariable), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).Container("second").InitContainer("first").
			With(func(j *batchv1.Job) {
				sidecar := corev1.Container{Name: "sidecar", Image: puppet.Placeholder, RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}
				j.Spec.Template.Spec.InitContainers = append(j.Spec.Template.Spec.InitContainers, sidecar)
			}))

		pods := byIndex(Running(s, "a", 2))
		Expect(pods).To(And(HaveLen(2), HaveKey("0"), HaveKey("1")))
		for index, pod := range pods {
			Expect(pod.Labels).To(HaveKeyWithValue(batchv1.JobCompletionIndexAnnotation, index))
			for _, c := range append(pod.Spec.Containers, pod.Spec.InitContainers...) {
				Expect(toldIndex(pod, c)).To(Equal(index), "JOB_COMPLETION_INDEX of container %s", c.Name)
			}
		}
	})

	// Wrong: overwrites it, or has the variable twice.
	It("leaves a variable alone that the template sets itself", Covers(OwnIndexVariable), func(ctx SpecContext) {
		s := framework.New(ctx)
		own := []corev1.EnvVar{{Name: "JOB_COMPLETION_INDEX", Value: "mine"}}
		framework.Create(ctx, s, puppet.Job("a").Indexed().Completions(1).Container("second").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].Env = own
		}).Obj())

		pod := Running(s, "a", 1)[0]
		Expect(pod.Spec.Containers[0].Env).To(Equal(own))
		Expect(toldIndex(pod, pod.Spec.Containers[1])).To(Equal("0"))
	})

	// The API accepts a name as long as name and index make a hostname. Wrong:
	// creates no pod, or cuts the index off.
	It("gives pods their hostname in a Job with the longest name there is", Covers(IndexedHostname), func(ctx SpecContext) {
		s := framework.New(ctx)
		name := strings.Repeat("n", 61)
		framework.Create(ctx, s, puppet.Job(name).Indexed().Completions(2).Parallelism(2).Obj())

		for index, pod := range byIndex(Running(s, name, 2)) {
			Expect(pod.Spec.Hostname).To(Equal(name + "-" + index))
		}
	})

	It("gives pods their index as part of the name", Covers(IndexedPodName), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(11).Parallelism(11))

		pods := byIndex(Running(s, "a", 11))
		Expect(pods).To(HaveKey("10"))
		for index, pod := range pods {
			Expect(pod.Name).To(HavePrefix("a-" + index + "-"))
		}
	})

	// Wrong: starts with any, or goes on where it was instead of filling gaps.
	It("runs the lower indexes first", Label("level:should"), Covers(LowerIndexesFirst), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(5))

		pods := byIndex(Running(s, "a", 2))
		Expect(pods).To(And(HaveKey("0"), HaveKey("1")))
		s.End(ctx, 0, pods["1"])
		s.Soon("index 2 is next", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1"))
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "2"))
		})
	})

	// Wrong: completes with as many successes as there are indexes left to run, or
	// counts what is no success.
	It("is complete with one success for each index, written down as they come", Covers(CompletesWithEveryIndex, CompletedIndexesFormat), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(5).Completions(5))

		pods := byIndex(Running(s, "a", 5))
		for _, step := range []struct{ index, completed string }{
			{"4", "4"}, {"2", "2,4"}, {"1", "1,2,4"}, {"3", "1-4"},
		} {
			s.End(ctx, 0, pods[step.index])
			s.Soon("the index is completed", func(g Gomega) {
				g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal(step.completed))
			})
		}
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		s.End(ctx, 0, pods["0"])
		Completes(s, "a", Counters{Succeeded: 5})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-4"))
	})

	// Wrong: gives the next pod the next index.
	It("runs an index again whose pod was deleted, and none that has succeeded", Covers(SucceededIndexIsDone, ReplacementKeepsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3))

		pods := byIndex(Running(s, "a", 3))
		s.End(ctx, 0, pods["0"])
		s.Soon("index 0 is completed", func(g Gomega) { g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0")) })
		s.Delete(ctx, ptr.To(pods["0"]))
		s.Remove(ctx, pods["1"])
		s.SoonAfter(firstBackoff, "index 1 runs again", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Succeeded: 1, Failed: 1}))
			g.Expect(indexesOf(s.Active())).To(ConsistOf("1", "2"))
		})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 3, Failed: 1})
	})

	// A second pod of an index comes from elsewhere. The pods of the other indexes
	// are not ready, so that one of them would go if it were only for the number.
	// Wrong: lets both run, or takes another pod for the one too many.
	It("leaves one of two active pods of an index", Covers(OnePodPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Indexed().Parallelism(3).Completions(3).
			Puppet(map[string]string{puppet.Ready: "false"}).Obj())

		s.Soon("all indexes run", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(3))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3}))
		})
		pods := byIndex(s.Active())
		s.Direct(ctx, pods["1"], map[string]string{puppet.Ready: ""})
		Counts(s, "a", "index 1 is ready", Counters{Active: 3, Ready: 1})
		framework.Create(ctx, s, strayOf(job, "second", "1"))
		s.Soon("there is one active pod of each index", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "1", "2"))
			g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(3)), HaveField("Ready", int32(1))))
		})
		Expect(names(s.Active())).To(ContainElements(pods["0"].Name, pods["2"].Name))
		s.End(ctx, 0, s.Active()...)
		s.Soon("the Job is Complete", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete))
		})
		Expect(s.Job("a").Status).To(And(HaveField("Succeeded", int32(3)), HaveField("CompletedIndexes", "0-2")))
	})

	// Wrong: takes them for index 0, or for failures.
	It("removes pods without an index of the Job's, and counts them for nothing", Covers(DeletesPodsWithoutIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Indexed().Completions(2).BackoffLimit(0).Obj())

		own := Running(s, "a", 1)
		for name, index := range map[string]string{"none": "", "beyond": "2", "negative": "-1", "nonsense": "one"} {
			framework.Create(ctx, s, strayOf(job, name, index))
		}
		s.Soon("the Job's own pod is left", func(g Gomega) {
			g.Expect(names(s.Pods())).To(Equal(names(own)))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
	})

	// The pods have succeeded before they match the selector. Wrong: counts pods.
	It("counts an index once, however many of its pods succeed", Covers(DeletesPodsWithoutIndex, IndexCountsOnce), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Indexed().Parallelism(0).Completions(2).Obj())

		strays := map[string]string{"one": "0", "two": "0", "beyond": "7"}
		for name := range strays {
			framework.Create(ctx, s, strayPod(name, map[string]string{puppet.ExitCodes: "0"}))
		}
		s.Soon("the pods have succeeded", func(g Gomega) { g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(3)) })
		for name, index := range strays {
			like := strayOf(job, name, index)
			framework.Change(ctx, s, podNamed(s, name), func(p *corev1.Pod) {
				p.Labels = like.Labels
				p.Annotations[batchv1.JobCompletionIndexAnnotation] = index
			})
		}
		s.Soon("the pods are counted", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0"))
			g.Expect(s.Pods()).To(HaveEach(HaveField("OwnerReferences", Not(BeEmpty()))))
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
		Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
		SetParallelism(ctx, s, "a", 1)
		next := Running(s, "a", 1)
		Expect(indexesOf(next)).To(ConsistOf("1"))
		s.End(ctx, 0, next...)
		Completes(s, "a", Counters{Succeeded: 2})
	})
})

// toldIndex is the value that a container finds in JOB_COMPLETION_INDEX, which
// may come from anywhere in the pod.
func toldIndex(pod corev1.Pod, c corev1.Container) string {
	for _, e := range c.Env {
		switch {
		case e.Name != "JOB_COMPLETION_INDEX":
		case e.ValueFrom == nil:
			return e.Value
		case e.ValueFrom.FieldRef != nil:
			path := e.ValueFrom.FieldRef.FieldPath
			for kind, values := range map[string]map[string]string{"labels": pod.Labels, "annotations": pod.Annotations} {
				if path == fmt.Sprintf("metadata.%s['%s']", kind, batchv1.JobCompletionIndexAnnotation) {
					return values[batchv1.JobCompletionIndexAnnotation]
				}
			}
			return path
		}
	}
	return "not set"
}

// indexesOf are the completion indexes of pods, as often as they occur.
func indexesOf(pods []corev1.Pod) []string {
	var out []string
	for _, pod := range pods {
		out = append(out, pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	}
	return out
}

// strayOf is a pod that belongs to nobody, but matches the Job's selector as if
// it were of that index; without any, if that is empty.
func strayOf(job *batchv1.Job, name, index string) *corev1.Pod {
	annotations := map[string]string{}
	labels := map[string]string{}
	for key, value := range job.Spec.Template.Labels {
		labels[key] = value
	}
	if index != "" {
		annotations[batchv1.JobCompletionIndexAnnotation] = index
	}
	pod := strayPod(name, annotations)
	pod.Labels = labels
	return pod
}
