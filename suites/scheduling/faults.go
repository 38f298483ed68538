package scheduling

import (
	"fmt"
	"net/http"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// The requests that make and change scheduling objects.
var (
	createWorkloads = faultproxy.Calls{Verb: "create", Resource: "workloads"}
	createPodGroups = faultproxy.Calls{Verb: "create", Resource: "podgroups"}
	changeWorkloads = faultproxy.Calls{Verb: "patch|update", Resource: "workloads"}
	changePodGroups = faultproxy.Calls{Verb: "patch|update", Resource: "podgroups"}
)

// refusals are codes of answers to requests that are as they should be. 404 is none of them: a controller may take it
// for an API that is not served.
var refusals = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity,
	http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// refused is how often each request is refused. The writes that a controller makes after the first failure make it look
// once more, at most twice.
const refused = 4

// disturb has the first of some requests fail, each in a way of its own: a lost connection, a lost answer, and
// refusals of every kind. The returned function waits until they all have.
func disturb(s *framework.Sandbox, calls faultproxy.Calls) (allHappened func()) {
	rules := []*faultproxy.Rule{
		s.Proxy.On(calls).Nth(1).Answer(500),
		s.Proxy.On(calls).Nth(2).Answer(403),
		s.Proxy.On(calls).Nth(3).Drop(),
		s.Proxy.On(calls).Nth(4).Answer(422),
		s.Proxy.On(calls).Nth(5).LoseAnswer(),
		s.Proxy.On(calls).Nth(7).Answer(503),
	}
	return func() {
		GinkgoHelper()
		for _, rule := range rules {
			s.Proxy.Meets(calls.Verb+" "+calls.Resource, rule)
		}
	}
}

// hasOne expects that each Job has one Workload and one PodGroup, and that nobody made more.
func hasOne(s *framework.Sandbox, jobs ...*framework.Job) {
	GinkgoHelper()
	for _, job := range jobs {
		_, group := groups(s, job)
		Expect(job.Created()).To(HaveEach(joins(group)))
	}
	Expect(created(s, "Workload")).To(Equal(len(jobs)), "Workloads created")
	Expect(created(s, "PodGroup")).To(Equal(len(jobs)), "PodGroups created")
}

var _ = Describe("Job scheduling, faults:", Label(spec.FaultsLabel), behaviour.Scheduling, func() {
	// Wrong: makes up a new name for each attempt. Wrong: creates pods after an attempt that failed.
	DescribeTable("each Job has one of each, whatever happens to requests for", func(ctx SpecContext,
		calls faultproxy.Calls) {
		s := framework.Behind(ctx)
		allHappened := disturb(s, calls)
		s.Proxy.Start()
		var jobs []*framework.Job
		for _, name := range []string{"a", "b", "c", "d"} {
			jobs = append(jobs, s.Create(puppet.Job(name)))
		}
		allHappened()
		for _, job := range jobs {
			getsPods(s, job, 1)
		}
		hasOne(s, jobs...)
	},
		Entry("Workloads", covers.Requirements(GroupsDespiteFaults), createWorkloads),
		Entry("PodGroups", covers.Requirements(GroupsDespiteFaults), createPodGroups),
	)

	// Nothing happens to these Jobs that could make a controller try again. Wrong: gives up after a conflict, or
	// whatever else it takes for an answer for good.
	DescribeTable("each Job has one of each by itself, whatever the code of the refusal of", func(ctx SpecContext,
		calls faultproxy.Calls) {
		s := framework.Behind(ctx)
		var jobs []*framework.Job
		var rules []*faultproxy.Rule
		for _, code := range refusals {
			job := s.Create(puppet.Job(fmt.Sprint("code-", code)))
			jobs = append(jobs, job)
			rules = append(rules, s.Proxy.On(calls).Mentioning(string(job.UID)).First(refused).Answer(code))
		}
		s.Proxy.Start()
		for i, job := range jobs {
			s.Proxy.Meets(calls.Verb+" "+calls.Resource+" of Job "+job.Name, rules[i])
			getsPods(s, job, 1)
		}
		hasOne(s, jobs...)
	},
		Entry("Workloads", covers.Requirements(GroupsDespiteFaults), createWorkloads),
		Entry("PodGroups", covers.Requirements(GroupsDespiteFaults), createPodGroups),
	)

	// Wrong: starts the Job without its group where that is refused once. Wrong: makes a second one.
	It("a Job that delegates has one PodGroup, and its pods their group, despite failed requests", covers.Requirements(
		GroupsDespiteFaults), covers.MayShow(upstream.StartsWithoutParent), framework.Needs(spec.ConfigMaps), func(
		ctx SpecContext) {
		s := framework.Behind(ctx)
		refused := s.Proxy.On(createPodGroups).Nth(1).Answer(500)
		lost := s.Proxy.On(createPodGroups).Nth(2).LoseAnswer()
		s.Proxy.Start()
		owner := parent(s)
		workloadOf(s, owner, 2)
		job := s.Create(delegating(owner, "a"))
		s.Proxy.Meets("create a PodGroup", refused)
		s.Proxy.Meets("create a PodGroup again", lost)
		getsPods(s, job, 2)
		Expect(created(s, "PodGroup")).To(Equal(1), "PodGroups created")
		Expect(job.Created()).To(HaveEach(joins(podGroupsOf(s, job.Made())[0])))
	})

	// Wrong: does not look for what a process before it has made. Wrong: takes a Job that has a startTime for an
	// old one.
	DescribeTable("a Job has one of each, and its pods their group, despite a crash before and after creating",
		func(ctx SpecContext, calls faultproxy.Calls) {
			s := framework.Behind(ctx)
			before := s.Proxy.On(calls).Nth(1).Before(s.Proxy.Crash)
			after := s.Proxy.On(calls).Nth(2).After(s.Proxy.Crash)
			s.Proxy.Start()
			job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
			s.Proxy.Meets(calls.Verb+" "+calls.Resource, before)
			s.Proxy.Meets(calls.Verb+" "+calls.Resource+" again", after)
			job.Runs(2)
			hasOne(s, job)
		},
		Entry("the Workload", covers.Requirements(GroupsDespiteCrashes), createWorkloads),
		Entry("the PodGroup", covers.Requirements(GroupsDespiteCrashes), createPodGroups),
		Entry("the pods", covers.Requirements(GroupsDespiteCrashes),
			faultproxy.Calls{Verb: "create", Resource: "pods"}),
	)

	// Wrong: a process names scheduling objects in a way of its own. Wrong: what an old leader was at is left.
	DescribeTable("after a change of leader, the new leader goes on with a Job whose old leader was at", func(
		ctx SpecContext, calls faultproxy.Calls) {
		s := framework.New(ctx)
		first, second := s.Leaders(0)
		arrives := make(chan struct{})
		late := first.On(calls).Nth(1).Until(arrives)
		first.Start()
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		first.Meets(calls.Verb+" "+calls.Resource, late)
		second.Start()
		first.LosesLease()
		job.Runs(2)
		close(arrives)
		s.Stays("there is one of each, and the Job has two pods", func(g Gomega) {
			g.Expect(created(s, "Workload")).To(Equal(1), "Workloads created")
			g.Expect(created(s, "PodGroup")).To(Equal(1), "PodGroups created")
			g.Expect(job.Created()).To(HaveLen(2))
		})
		hasOne(s, job)
	},
		Entry("the Workload", covers.Requirements(GroupsDespiteNewLeaders), createWorkloads),
		Entry("the PodGroup", covers.Requirements(GroupsDespiteNewLeaders), createPodGroups),
	)

	// Wrong: makes up a new name for each attempt, and looks for what it has made in its cache alone.
	DescribeTable("with a stale view, the controller creates no second one of", func(ctx SpecContext, resource string) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		s.Create(puppet.Job("first")).Runs(1)
		release := s.Proxy.Hold(resource)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		s.Proxy.Misses(resource)
		s.Stays("there are those of both Jobs and no others", func(g Gomega) {
			g.Expect(created(s, "Workload")).To(BeNumerically("<=", 2), "Workloads created")
			g.Expect(created(s, "PodGroup")).To(BeNumerically("<=", 2), "PodGroups created")
		})
		release()
		getsPods(s, job, 2)
		_, group := groups(s, job)
		Expect(job.Created()).To(HaveEach(joins(group)))
	},
		Entry("the Workload", covers.Requirements(GroupsDespiteOldCaches), "workloads"),
		Entry("the PodGroup", covers.Requirements(GroupsDespiteOldCaches), "podgroups"),
	)

	// Wrong: takes the minCount that it has sent for the one that is there.
	DescribeTable("both objects follow the minCount, whatever happens to changes of", func(ctx SpecContext,
		calls faultproxy.Calls) {
		s := framework.Behind(ctx)
		allHappened := disturb(s, calls)
		s.Proxy.Start()
		var jobs []*framework.Job
		for _, name := range []string{"a", "b", "c", "d"} {
			job := s.Create(gang(puppet.Job(name).Parallelism(2).Completions(2), 2))
			job.Runs(2)
			groups(s, job)
			jobs = append(jobs, job)
		}
		for _, job := range jobs {
			setMinCount(job, 1)
		}
		allHappened()
		for _, job := range jobs {
			s.SoonAfter(framework.MaxAPIBackoff, "the Workload and the PodGroup have that minCount", func(g Gomega) {
				expectSizes(g, s, job, 1)
			})
		}
	},
		Entry("Workloads", covers.Requirements(ResizesDespiteFaults), changeWorkloads),
		Entry("PodGroups", covers.Requirements(ResizesDespiteFaults), changePodGroups),
	)

	// Nothing happens to these Jobs that could make a controller try again. Wrong: takes a conflict for the work of
	// somebody else.
	DescribeTable("both objects follow the minCount by themselves, whatever the code of the refusal to change", func(
		ctx SpecContext, calls faultproxy.Calls) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		var jobs []*framework.Job
		var rules []*faultproxy.Rule
		for _, code := range refusals {
			job := s.Create(gang(puppet.Job(fmt.Sprint("code-", code)).Parallelism(2).Completions(2), 2))
			job.Runs(2)
			workload, group := groups(s, job)
			calls.Name = workload.Name
			if calls.Resource == changePodGroups.Resource {
				calls.Name = group.Name
			}
			jobs = append(jobs, job)
			rules = append(rules, s.Proxy.On(calls).First(refused).Answer(code))
		}
		s.Stays("all pods run", func(g Gomega) {
			for _, job := range jobs {
				job.Reports(g, Counters{Active: 2, Ready: 2})
			}
		})
		for _, job := range jobs {
			setMinCount(job, 1)
		}
		for i, job := range jobs {
			s.Proxy.Meets(calls.Verb+" "+calls.Resource+" of Job "+job.Name, rules[i])
			s.SoonAfter(framework.MaxAPIBackoff, "the Workload and the PodGroup have that minCount", func(g Gomega) {
				expectSizes(g, s, job, 1)
			})
		}
	},
		Entry("the Workload", covers.Requirements(ResizesDespiteFaults), changeWorkloads),
		Entry("the PodGroup", covers.Requirements(ResizesDespiteFaults), changePodGroups),
	)

	// Wrong: compares with what it sees, and does not look again when it sees more.
	DescribeTable("with a stale view, both objects follow a minCount that becomes what it was, of", func(
		ctx SpecContext, resource string) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(3), 2))
		job.Runs(3)
		groups(s, job)
		s.Stays("all pods run", func(g Gomega) { job.Reports(g, Counters{Active: 3, Ready: 3}) })
		release := s.Proxy.Hold(resource)
		setMinCount(job, 1)
		sizes(s, job, 1)
		s.Proxy.Misses(resource)
		setMinCount(job, 2)
		s.May("both objects have that minCount", func(g Gomega) { expectSizes(g, s, job, 2) })
		release()
		sizes(s, job, 2)
	},
		Entry("the Workload", covers.Requirements(FollowsMinCount), covers.Shows(upstream.GroupsUnwatched),
			"workloads"),
		Entry("the PodGroup", covers.Requirements(FollowsMinCount), covers.Shows(upstream.GroupsUnwatched),
			"podgroups"),
	)

	// Wrong: does nothing else about a Job until its objects are as they should be.
	DescribeTable("pods that end are counted while changes are refused of", func(ctx SpecContext,
		calls faultproxy.Calls) {
		s := framework.Behind(ctx)
		refused := s.Proxy.On(calls).Answer(403)
		s.Proxy.Start()
		job := s.Create(gang(puppet.Job("a").Parallelism(2).Completions(3), 2))
		pods := job.Runs(2)
		groups(s, job)
		setMinCount(job, 1)
		s.Proxy.Meets(calls.Verb+" "+calls.Resource, refused)
		pods[0].End(0)
		s.Soon("the pod is counted and released", func(g Gomega) {
			g.Expect(job.Now().Status.Succeeded).To(Equal(int32(1)), "status.succeeded")
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(HaveField("Finalizers", BeEmpty())))
		})
	},
		Entry("the Workload", covers.Requirements(CountsUngrouped), covers.Shows(upstream.NothingWithoutWorkload),
			changeWorkloads),
		Entry("the PodGroup", covers.Requirements(CountsUngrouped), covers.Shows(upstream.NothingWithoutWorkload),
			changePodGroups),
	)
})
