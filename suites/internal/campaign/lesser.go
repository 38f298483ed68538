package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// part is what can be left out of a scenario at once: steps and faults, by their indexes.
type part struct{ steps, faults []int }

// lesser returns scenarios that are smaller than s, those that lack the most first. All of them
// can be run.
func (r Reduction) lesser(s *scenario.Scenario) (all []*scenario.Scenario) {
	changed := func(change func(*scenario.Scenario)) {
		smaller := *s
		smaller.Faults, smaller.Steps, smaller.Ends = slices.Clone(s.Faults), slices.Clone(s.Steps), maps.Clone(s.Ends)
		change(&smaller)
		if smaller.Check() == nil {
			all = append(all, &smaller)
		}
	}
	parts := r.parts(s)
	sizes := []int{1}
	for size := 4; size <= len(parts)/2; size *= 2 {
		sizes = append(sizes, size)
	}
	for _, size := range slices.Backward(sizes) {
		for some := range slices.Chunk(parts, size) {
			changed(func(c *scenario.Scenario) { without(c, some) })
		}
	}
	if r.Freedom < Actions {
		return all
	}
	for i, step := range s.Steps {
		if job := jobOf(step); job != nil {
			for _, fewer := range smallerJobs(job) {
				changed(func(c *scenario.Scenario) { c.Steps[i].Create = &scenario.Object{Object: fewer} })
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Ends)) {
		if _, rest, more := strings.Cut(s.Ends[name], ","); more {
			changed(func(c *scenario.Scenario) { c.Ends[name] = rest })
		}
	}
	return all
}

// without leaves parts out.
func without(s *scenario.Scenario, parts []part) {
	var steps []scenario.Step
	for i, step := range s.Steps {
		if !slices.ContainsFunc(parts, func(p part) bool { return slices.Contains(p.steps, i) }) {
			steps = append(steps, step)
		}
	}
	var faults []scenario.Fault
	for i, fault := range s.Faults {
		if !slices.ContainsFunc(parts, func(p part) bool { return slices.Contains(p.faults, i) }) {
			faults = append(faults, fault)
		}
	}
	s.Steps, s.Faults = steps, faults
}

// parts returns what may be left out: what undoes something else goes together with it.
func (r Reduction) parts(s *scenario.Scenario) (parts []part) {
	if r.Freedom >= Objects {
		parts = objects(s)
	}
	for i := range s.Faults {
		parts = append(parts, part{faults: []int{i}})
	}
	faulty := len(s.Faults) > 0 || slices.ContainsFunc(s.Steps, func(step scenario.Step) bool {
		return step.Fault != nil
	})
	for i, step := range s.Steps[:max(len(s.Steps)-r.End, 0)] {
		waits := step.Await != "" || step.Stays != "" || step.Pause > 0 || step.Clear != "" && !faulty
		acts := step.Fault != nil || step.Expire != "" || step.Held != "" || step.Implementation == "restart"
		if waits || acts && r.Freedom >= Actions || step.Create == nil && r.Freedom == anything {
			parts = append(parts, part{steps: []int{i}})
		} else if undone := undoneBy(s.Steps, i); undone > 0 && r.Freedom >= Actions {
			parts = append(parts, part{steps: []int{i, undone}})
		}
	}
	return parts
}

// undoneBy returns the step that undoes what the i-th one does; 0 if none does.
func undoneBy(steps []scenario.Step, i int) int {
	step := steps[i]
	for j := i + 1; j < len(steps); j++ {
		next := steps[j]
		switch {
		case step.Hold != "" && next.Release == step.Hold,
			step.Network == "cut" && next.Network == "restored",
			(step.Implementation == "stop" || step.Implementation == "kill") && next.Implementation == "start",
			step.Patch != nil && next.Patch != nil && sameFields(step.Patch, next.Patch):
			return j
		case step.Patch != nil && isAbout(next, step.Patch.Kind, step.Patch.Name):
			return 0 // it may depend on it
		}
	}
	return 0
}

// sameFields reports whether two patches of one object change the same: the second undoes the
// first.
func sameFields(a, b *scenario.Patch) bool {
	if a.Name == "" || a.Kind != b.Kind || a.Name != b.Name || a.Status != b.Status {
		return false
	}
	return slices.Equal(fieldsOf(a.Merge, ""), fieldsOf(b.Merge, ""))
}

func fieldsOf(merge map[string]any, in string) (all []string) {
	for name, value := range merge {
		if inner, ok := value.(map[string]any); ok {
			all = append(all, fieldsOf(inner, in+name+".")...)
		} else {
			all = append(all, in+name)
		}
	}
	slices.Sort(all)
	return all
}

// objects returns parts with all that is about one object. One object stays.
func objects(s *scenario.Scenario) (parts []part) {
	var seen []string
	for i, step := range s.Steps {
		if step.Create == nil {
			continue
		}
		kind, name := kindOf(step.Create.Object), step.Create.GetName()
		if slices.Contains(seen, kind+name) {
			continue // it was created before
		}
		seen = append(seen, kind+name)
		p := part{steps: []int{i}}
		for j := range s.Steps[i+1:] {
			if isAbout(s.Steps[i+1+j], kind, name) {
				p.steps = append(p.steps, i+1+j)
			}
		}
		parts = append(parts, p)
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// isAbout reports whether a step needs an object.
func isAbout(step scenario.Step, kind, name string) bool {
	switch {
	case step.Create != nil:
		return kindOf(step.Create.Object) == kind && step.Create.GetName() == name
	case step.Patch != nil:
		return step.Patch.Kind == kind && step.Patch.Name == name
	case step.Delete != nil:
		return step.Delete.Kind == kind && step.Delete.Name == name
	}
	return strings.Contains(step.Await, fmt.Sprintf("(%q in ", name))
}

func kindOf(object client.Object) string {
	switch object.(type) {
	case *batchv1.Job:
		return "Job"
	case *batchv1.CronJob:
		return "CronJob"
	}
	return fmt.Sprintf("%T", object)
}

func jobOf(step scenario.Step) *batchv1.Job {
	if step.Create == nil {
		return nil
	}
	job, _ := step.Create.Object.(*batchv1.Job)
	return job
}

// smallerJobs returns a Job with one completion, or one pod at a time, less, and without each
// policy that it need not have.
func smallerJobs(job *batchv1.Job) (all []*batchv1.Job) {
	for _, change := range []func(*batchv1.JobSpec) bool{
		func(s *batchv1.JobSpec) bool { return lower(s.Completions) },
		func(s *batchv1.JobSpec) bool { return lower(s.Parallelism) },
		func(s *batchv1.JobSpec) bool { return remove(&s.PodFailurePolicy) },
		func(s *batchv1.JobSpec) bool { return remove(&s.SuccessPolicy) },
		func(s *batchv1.JobSpec) bool { return s.PodFailurePolicy == nil && remove(&s.PodReplacementPolicy) },
		func(s *batchv1.JobSpec) bool { return remove(&s.ActiveDeadlineSeconds) },
		func(s *batchv1.JobSpec) bool { return remove(&s.MaxFailedIndexes) },
		func(s *batchv1.JobSpec) bool { return s.MaxFailedIndexes == nil && remove(&s.BackoffLimitPerIndex) },
	} {
		smaller := job.DeepCopy()
		if change(&smaller.Spec) {
			all = append(all, smaller)
		}
	}
	return all
}

func lower(n *int32) bool {
	if ptr.Deref(n, 1) <= 1 {
		return false
	}
	*n--
	return true
}

func remove[T any](field **T) bool {
	if *field == nil {
		return false
	}
	*field = nil
	return true
}
