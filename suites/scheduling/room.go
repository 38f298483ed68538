package scheduling

import (
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The scheduler is the real one. What is wrong with a controller shows in what it makes of its objects.
var _ = Describe("Job scheduling, room:", behaviour.Scheduling,
	framework.Simulated("a node of its own has room for a few pods"), framework.Needs(spec.Nodes), func() {
		// Wrong: creates a pod of a gang when the one before it runs.
		It("a gang waits until there is room for all of it, and starts then", covers.Requirements(
			StartsTogether), func(ctx SpecContext) {
			s := framework.New(ctx)
			there := s.Room(3)
			before := s.Create(puppet.Job("before").Parallelism(2).Completions(2).With(there))
			pods := before.Runs(2)
			job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(3), 3).With(there))
			hasPods(s, job, 3)
			s.Stays("no pod of the gang has started", func(g Gomega) { g.Expect(started(job)).To(BeEmpty()) })
			s.End(0, pods...)
			job.Runs(3)
		})

		It("of two gangs, each of which has room, both get it", covers.Requirements(
			StartsTogether), func(ctx SpecContext) {
			s := framework.New(ctx)
			there := s.Room(3)
			jobs := []*framework.Job{
				s.Create(gang(puppet.Job("a").Parallelism(2).Completions(2), 2).With(there)),
				s.Create(gang(puppet.Job("b").Parallelism(2).Completions(2), 2).With(there)),
			}
			first := 0
			s.Soon("one of the gangs has started", func(g Gomega) {
				first = slices.IndexFunc(jobs, func(job *framework.Job) bool { return len(started(job)) == 2 })
				g.Expect(first).To(BeNumerically(">=", 0))
			})
			Expect(started(jobs[1-first])).To(BeEmpty(), "started pods of the other one")
			for _, job := range []*framework.Job{jobs[first], jobs[1-first]} {
				s.End(0, job.Runs(2)...)
				job.Completes(Counters{Succeeded: 2})
			}
		})

		It("a gang that shrinks to the room there is starts", covers.Requirements(
			StartsTogether), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(3), 3).With(s.Room(2)))
			hasPods(s, job, 3)
			s.Stays("no pod of the gang has started", func(g Gomega) { g.Expect(started(job)).To(BeEmpty()) })
			setMinCount(job, 2)
			s.Soon("two pods run", func(g Gomega) { g.Expect(started(job)).To(HaveLen(2)) })
		})
	})

// hasPods waits until a Job has as many pods, in whatever state they are.
func hasPods(s *framework.Sandbox, job *framework.Job, n int) {
	GinkgoHelper()
	s.Soon("the pods of the gang are there", func(g Gomega) { g.Expect(job.Pods()).To(HaveLen(n)) })
}

// started returns the pods of a Job that are on a node.
func started(job *framework.Job) (pods []framework.Pod) {
	for _, p := range job.Pods() {
		if p.Spec.NodeName != "" {
			pods = append(pods, p)
		}
	}
	return pods
}
