package faults

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	jobs "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a controller may be answered for a request that is as it should be: admission webhooks choose their
// codes freely, an API server that has not seen a new namespace yet answers 404, quotas and other writers
// cause 409.
var refusals = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
	http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusInternalServerError,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// withoutNotFound are the refusals of a request about an object by its name: a controller may take one
// that is not found for gone.
var withoutNotFound = slices.DeleteFunc(slices.Clone(refusals), func(code int) bool {
	return code == http.StatusNotFound
})

// refused is how often each request is refused. The writes that a controller makes after the first failure
// make it look once more, at most twice.
const refused = 4

// refusal is a request for one object that is refused.
type refusal struct {
	name string // of the object: code-409, or dropped
	rule *faultproxy.Rule
}

// refuse has the requests for an object refused for each of some codes, and has those for another one break
// the connection. The objects have the names in the answer.
func refuse(s *framework.Sandbox, codes []int, calls func(name string) faultproxy.Calls) (all []refusal) {
	for _, code := range codes {
		name := fmt.Sprint("code-", code)
		all = append(all, refusal{name, s.Proxy.On(calls(name)).First(refused).Answer(code)})
	}
	return append(all, refusal{"dropped", s.Proxy.On(calls("dropped")).First(refused).Drop()})
}

// beginning are some calls for the objects whose names begin with another one.
func beginning(calls faultproxy.Calls) func(name string) faultproxy.Calls {
	return func(name string) faultproxy.Calls {
		calls.NamePrefix = name + "-"
		return calls
	}
}

// called are some calls for one object.
func called(calls faultproxy.Calls) func(name string) faultproxy.Calls {
	return func(name string) faultproxy.Calls {
		calls.Name = name
		return calls
	}
}

// runEach creates a Job for each refusal, by its name, and waits until it runs its pod.
func runEach(s *framework.Sandbox, all []refusal) (running []*framework.Job) {
	GinkgoHelper()
	for _, r := range all {
		running = append(running, s.Create(puppet.Job(r.name)))
	}
	for _, job := range running {
		job.Runs(1)
	}
	return running
}

// Source: #111026, #32785. Nothing happens to these objects that could make a controller try again. Wrong:
// gives up after a conflict, or whatever else it takes for an answer for good.
var _ = Describe("Job faults:", faultLabels, func() {
	It("the controller creates refused pods by itself, whatever the code of the refusal", covers.Requirements(
		RetriesRefusedPods), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		all := refuse(s, refusals, beginning(createPods))
		s.Proxy.Start()
		var jobs []*framework.Job
		for _, r := range all {
			jobs = append(jobs, s.Create(puppet.Job(r.name)))
		}
		for i, r := range all {
			s.Proxy.Meets("create a pod of Job "+r.name, r.rule)
			s.SoonAfter(framework.MaxAPIBackoff, "Job "+r.name+" has its pod", func(g Gomega) {
				g.Expect(jobs[i].Pods()).To(HaveLen(1))
			})
		}
	})

	It("the controller repeats refused status writes by itself, whatever the code of the refusal", covers.Requirements(
		CountsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		all := refuse(s, withoutNotFound, called(writeStatus))
		s.Proxy.Start()
		var jobs []*framework.Job
		for _, r := range all {
			jobs = append(jobs, s.Create(puppet.Job(r.name).Parallelism(0)))
		}
		for i, r := range all {
			s.Proxy.Meets("write the status of Job "+r.name, r.rule)
			s.SoonAfter(framework.MaxAPIBackoff, "Job "+r.name+" has started", jobs[i].ReportsStart)
		}
	})

	// kube-controller-manager waits for 1 s after the first conflict, and for twice as long after each further one: it
	// meets six. Whatever else wakes a controller that has given up comes meanwhile.
	// Wrong: gives up after as many attempts as client-go's retry.RetryOnConflict makes.
	It("the controller repeats a status write that conflicts again and again", Label("slow"), covers.Requirements(
		CountsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		job := s.Create(puppet.Job("a"))
		pod := job.Runs(1)[0]
		conflicts := s.Proxy.On(writeStatus).Mentioning(string(pod.UID)).Answer(http.StatusConflict)
		pod.End(0)
		s.Proxy.Meets("record a pod that has ended", conflicts)
		s.StaysFor(35*time.Second, "the pod cannot be recorded", func(Gomega) {})
		conflicts.Remove()
		s.SoonAfter(2*framework.MaxAPIBackoff, "the pod is counted", func(g Gomega) {
			g.Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(1), "status.succeeded")
		})
		completes(job, 1)
	})

	// Wrong: takes a pod for deleted whose deletion was refused.
	It("the controller deletes pods by itself, whatever the code of the refusal", covers.Requirements(
		DeletesDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		all := refuse(s, withoutNotFound, beginning(deletePods))
		s.Proxy.Start()
		running := runEach(s, all)
		for _, job := range running {
			job.SetParallelism(0)
		}
		for i, r := range all {
			s.Proxy.Meets("delete the pod of Job "+r.name, r.rule)
			s.SoonAfter(framework.MaxAPIBackoff, "the pod of Job "+r.name+" is gone", func(g Gomega) {
				g.Expect(running[i].Pods()).To(BeEmpty())
			})
		}
	})

	// Scheduling gates keep the pods from waking the controller. Wrong: takes a pod for somebody else's whose adoption
	// was refused.
	It("the controller adopts pods by itself, whatever the code of the refusal", covers.Requirements(
		jobs.AdoptsPods), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		all := refuse(s, withoutNotFound, called(releasePods)) // no other pods have these names
		s.Proxy.Start()
		for i, job := range runEach(s, all) {
			orphan := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: all[i].name, Labels: job.Made().Spec.Template.Labels},
				Spec:       *job.Made().Spec.Template.Spec.DeepCopy(),
			}
			orphan.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}}
			framework.Create(s, orphan)
		}
		for _, r := range all {
			s.Proxy.Meets("adopt pod "+r.name, r.rule)
			s.SoonAfter(framework.MaxAPIBackoff, "pod "+r.name+" is adopted", func(g Gomega) {
				g.Expect(s.History().Pods(r.name)).To(ContainElement(HaveField("Pod().OwnerReferences", HaveLen(1))))
			})
		}
	})

	// An answer of 422 may mean that the pod has lost its owner already. Wrong: takes a pod for released whose release
	// was refused.
	It("the controller releases pods that no longer match by itself, whatever the code of the refusal",
		covers.Requirements(jobs.ReleasesUnmatchedPods), func(ctx SpecContext) {
			s := framework.Behind(ctx)
			// A controller may replace a pod before it has released it.
			s.Except("job-active-within-parallelism", "job-creates-no-more-than-needed")
			codes := slices.DeleteFunc(slices.Clone(withoutNotFound), func(code int) bool {
				return code == http.StatusUnprocessableEntity
			})
			all := refuse(s, codes, beginning(releasePods))
			s.Proxy.Start()
			var pods framework.Pods
			for _, job := range runEach(s, all) {
				pods = append(pods, job.Pods()...)
			}
			for _, pod := range pods {
				pod.Change(func(p *corev1.Pod) { p.Labels = nil })
			}
			for i, r := range all {
				s.Proxy.Meets("release the pod of Job "+r.name, r.rule)
				s.SoonAfter(framework.MaxAPIBackoff, "the pod of Job "+r.name+" is released", func(g Gomega) {
					g.Expect(pods[i].Now().OwnerReferences).To(BeEmpty())
				})
			}
		})

	// The watch of pods stays held, so that no event of a pod helps. Wrong: takes a conflict for the work of somebody
	// else.
	It("the controller releases the pods of deleted Jobs by itself, whatever the code of the refusal",
		framework.OnlyReleaser, covers.Requirements(ReleasesOrphansDespiteFaults),
		covers.MayShow(upstream.ReleasedOnce), func(ctx SpecContext) {
			s := framework.Behind(ctx)
			s.Proxy.Start()
			jobs := []*framework.Job{s.Create(puppet.Job("dropped"))}
			for _, code := range withoutNotFound {
				jobs = append(jobs, s.Create(puppet.Job(fmt.Sprint("code-", code))))
			}
			for _, job := range jobs {
				job.Runs(1)
			}
			showPods, all := s.Proxy.Hold("pods"), refuse(s, withoutNotFound, beginning(releasePods))
			for _, job := range jobs {
				job.Delete()
			}
			for _, r := range all {
				if !s.Proxy.Meets("release the pod of Job "+r.name, r.rule) {
					showPods() // to one that waits for the end of the pod
				}
			}
			s.SoonAfter(framework.MaxAPIBackoff, "all pods are gone", func(g Gomega) {
				g.Expect(s.Pods()).To(BeEmpty())
			})
		})
})

// refusedCronJobs creates a CronJob for each refusal, for which a time is due, and waits until it has its
// Job and holds is so, which the message of a failure calls what.
func refusedCronJobs(ctx SpecContext, codes []int, calls func(name string) faultproxy.Calls, what string,
	holds func(g Gomega, cronJob *framework.CronJob, tick time.Time)) {
	GinkgoHelper()
	s, tick := startedCronJob(ctx), framework.Ago(2*time.Hour)
	all := refuse(s, codes, calls)
	var cronJobs []*framework.CronJob
	for _, r := range all {
		cronJobs = append(cronJobs, s.Due(puppet.CronJob(r.name, puppet.Job("").Parallelism(0)), tick))
	}
	for i, r := range all {
		s.Proxy.Meets(what+" of CronJob "+r.name, r.rule)
		s.SoonAfter(framework.MaxAPIBackoff, what+" of CronJob "+r.name+" is done", func(g Gomega) {
			g.Expect(cronJobs[i].Existing()).To(Equal(framework.Times(tick)))
			holds(g, cronJobs[i], tick)
		})
	}
}

var _ = Describe("CronJob faults:", faultLabels, func() {
	It("the controller creates refused Jobs by itself, whatever the code of the refusal", covers.Requirements(
		RetriesRefusedJobs), func(ctx SpecContext) {
		refusedCronJobs(ctx, refusals, beginning(createJobs), "the creation of the Job",
			func(Gomega, *framework.CronJob, time.Time) {})
	})

	It("the controller repeats refused status writes by itself, whatever the code of the refusal", covers.Requirements(
		RecordsDespiteFaults), covers.MayShow(upstream.LostStart), func(ctx SpecContext) {
		refusedCronJobs(ctx, withoutNotFound, called(writeCronJobStatus), "the write of the status",
			func(g Gomega, cronJob *framework.CronJob, tick time.Time) { cronJob.RecordsStart(g, tick) })
	})

	// Wrong: takes a conflict for the end of the Job.
	It("the controller replaces Jobs whose deletion is refused by itself, whatever the code of the refusal",
		covers.Requirements(DeletesJobsDespiteFaults), func(ctx SpecContext) {
			s := startedCronJob(ctx)
			first, second := framework.Ago(2*time.Hour), framework.Ago(time.Hour)
			all := refuse(s, withoutNotFound, beginning(deleteJobs))
			var cronJobs []*framework.CronJob
			for _, r := range all {
				cronJob := s.Due(puppet.CronJob(r.name, puppet.Job("").Parallelism(0)).
					Policy(batchv1.ReplaceConcurrent), first)
				cronJob.Runs(first)
				cronJob.NextDue(second)
				cronJobs = append(cronJobs, cronJob)
			}
			for i, r := range all {
				s.Proxy.Meets("delete the Job of CronJob "+r.name, r.rule)
				s.SoonAfter(framework.MaxAPIBackoff, "the Job of CronJob "+r.name+" is replaced", func(g Gomega) {
					g.Expect(cronJobs[i].Existing()).To(Equal(framework.Times(second)))
				})
				Expect(cronJobs[i].Started()).To(Equal(framework.Times(first, second)))
			}
		})
})
