package explore

import (
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// Action is what a user may do to the Job or the CronJob of a scenario, once the implementation
// has made a certain write, or a pod has ended.
type Action string

const (
	Patches   Action = "user patches"    // an annotation, so that it is looked at again
	Suspends  Action = "user suspends"   // and resumes it after 700 ms
	Scales    Action = "user scales"     // a Job to no pods, and back after 700 ms
	Deletes   Action = "user deletes"    // in the background
	Recreates Action = "user recreates"  // deletes it, and creates it again at once
	DeletesIt Action = "user deletes a " // and the kind of what the object has created: the oldest
	Releases  Action = "user releases a pod"
	// DeletesGently deletes the oldest running pod, which goes on until it ends as it would have ended, as programs
	// do that finish their work after SIGTERM.
	DeletesGently Action = "user deletes a pod that goes on"
)

// meanwhile is how long a user suspends a Job, or scales it to nothing.
const meanwhile = 700 * time.Millisecond

// users are the scenarios whose end state comes about whatever a user does meanwhile.
var users = []string{"user-cron", "user-deadline", "user-failed-index", "user-indexed", "user-job", "user-policy",
	"user-single", "user-success-policy"}

// actions are what a user may do to an object of a kind after something with the verb.
func actions(verb, kind string) []Action {
	switch {
	case verb == "watch", verb == "list":
		return nil
	case kind == "CronJob":
		return []Action{Patches, Suspends, Deletes, Recreates, DeletesIt + "Job"}
	}
	return []Action{Patches, Suspends, Scales, Deletes, Recreates, DeletesIt + "Pod", Releases, DeletesGently}
}

// Actions are up to n plans with an action of a user at each write and at each end of a pod;
// where that leaves room, also such with one fault. There are none for a scenario whose end
// state depends on what users do.
func (s Seen) Actions(sc Scenario, n int) []Plan {
	alone := s.acts(sc, actions)
	if n <= len(alone) {
		return spread(alone, n)
	}
	faults := s.Plans()
	var together []Plan
	for _, action := range alone {
		for _, fault := range faults {
			together = append(together, slices.Concat(action, fault))
		}
	}
	return append(alone, spread(together, n-len(alone))...)
}

// running is true for a pod that runs and is not being deleted.
const running = "p.status.phase == 'Running' && !has(p.metadata.deletionTimestamp)"

// goesOnStill is true for a pod that is being deleted and has not ended: it is killed when its grace period is over.
const goesOnStill = "p.status.phase == 'Running' && has(p.metadata.deletionTimestamp)"

// acts returns a plan for each of some actions at each write and at each end of a pod; none for a scenario whose end
// state depends on what users do.
func (s Seen) acts(sc Scenario, actions func(verb, kind string) []Action) (plans []Plan) {
	if !slices.Contains(users, sc.Name) {
		return nil
	}
	kind, _ := sc.object()
	add := func(verb, resource string, times int) {
		for nth := range times {
			for _, do := range actions(verb, kind) {
				action := planned(verb, resource, nth+1)
				action.User = do
				plans = append(plans, Plan{action})
			}
		}
	}
	s.eachWrite(add)
	add("end", "pods", s.Ended)
	return plans
}

// object returns the kind and the creation of the Job or the CronJob that a user acts on:
// the first that the scenario creates.
func (s Scenario) object() (kind string, created *scenario.Object) {
	for _, step := range s.Scenario.Steps {
		if step.Create == nil {
			continue
		}
		switch step.Create.Object.(type) {
		case *batchv1.Job:
			return "Job", step.Create
		case *batchv1.CronJob:
			return "CronJob", step.Create
		}
	}
	return "", nil
}

// act returns the steps in which a user acts. Where what they wait for does not come about,
// they act in the end state. Changes of fields are made in current as well.
func (d Disturbance) act(s Scenario, end string, current map[string]any) []scenario.Step {
	kind, object := s.object()
	name := object.GetName()
	when := fmt.Sprintf("calls.filter(c, c.verb == '%s' && c.resource == '%s').size() >= %d", d.Verb, d.Resource, d.Nth)
	if d.Verb == "end" {
		when = fmt.Sprintf("created.filter(p, p.status.phase in ['Succeeded', 'Failed']).size() >= %d", d.Nth)
	}
	steps := []scenario.Step{{Await: when + " || " + end, Within: s.Scenario.Steps[s.acts()].Within}}
	if c, is := d.change(kind); is {
		return append(steps, c.steps(kind, name, current)...)
	}
	patch := func(spec map[string]any) scenario.Step {
		return scenario.Step{Patch: &scenario.Patch{Kind: kind, Name: name, Merge: map[string]any{"spec": spec}}}
	}
	if step, does := toPods[d.User]; does {
		return append(steps, step)
	}
	pause := scenario.Step{Pause: meanwhile}
	remove := scenario.Step{Delete: &scenario.Delete{Kind: kind, Name: name}}
	switch d.User {
	case Patches:
		look := map[string]any{"annotations": map[string]any{"example.com/look": "again"}}
		return append(steps, scenario.Step{
			Patch: &scenario.Patch{Kind: kind, Name: name, Merge: map[string]any{"metadata": look}}})
	case Suspends:
		return append(steps, patch(map[string]any{"suspend": true}), pause, patch(map[string]any{"suspend": false}))
	case Scales:
		before := ptr.Deref(object.Object.(*batchv1.Job).Spec.Parallelism, 1)
		return append(steps, patch(map[string]any{"parallelism": 0}), pause,
			patch(map[string]any{"parallelism": before}))
	case Deletes:
		return append(steps, remove)
	case Recreates:
		gone := fmt.Sprintf("!('%s' in %s)", name, map[string]string{"Job": "jobs", "CronJob": "cronjobs"}[kind])
		return append(steps, remove, scenario.Step{Await: gone}, scenario.Step{Create: object})
	case DeletesNamespace:
		// Its controller looks again only after half of the grace period of pods.
		return append(steps, scenario.Step{Namespace: "delete"}, scenario.Step{
			Await: "size(jobs) == 0 && size(cronjobs) == 0 && size(pods) == 0", Within: time.Minute})
	case LosesNode:
		return append(steps, loseNode(end)...)
	case Releases:
		owner := map[string]any{"ownerReferences": nil}
		return append(steps, scenario.Step{
			Patch: &scenario.Patch{Kind: "Pod", Which: "true", Merge: map[string]any{"metadata": owner}}, IfAny: true})
	case DeletesGently:
		goesOn := map[string]any{"annotations": map[string]any{puppet.Terminate: puppet.Hold}}
		killed := map[string]any{"annotations": map[string]any{puppet.Terminate: "143"}}
		return append(steps, scenario.Step{Await: "pods.exists(p, " + running + ") || " + end},
			scenario.Step{IfAny: true,
				Patch: &scenario.Patch{Kind: "Pod", Which: running, Merge: map[string]any{"metadata": goesOn}}},
			scenario.Step{Delete: &scenario.Delete{Kind: "Pod", Which: running}, IfAny: true},
			scenario.Step{May: "!pods.exists(p, " + goesOnStill + ")", Within: troubleTime},
			scenario.Step{IfAny: true,
				Patch: &scenario.Patch{Kind: "Pod", Which: goesOnStill, Merge: map[string]any{"metadata": killed}}})
	}
	return append(steps, scenario.Step{Delete: &scenario.Delete{Kind: string(d.User[len(DeletesIt):]), Which: "true"},
		IfAny: true})
}

// fault returns what goes wrong as a scenario has it: see Disturbance.
func (d Disturbance) fault() scenario.Fault {
	f := d.Fault
	f.Do.For = d.lasts()
	if f.Do.Kind == faultproxy.LoseAnswer {
		f.Do.Kind = faultproxy.LoseAnswerLate
	}
	return scenario.Fault{Fault: f}
}

// acts returns which step a user acts before: the first that waits.
func (s Scenario) acts() int {
	return slices.IndexFunc(s.Scenario.Steps, func(step scenario.Step) bool { return step.Await != "" })
}

// under returns a scenario as it is run under a plan: with what goes wrong, and with what a
// user does before the end state, which has to last.
func (s Scenario) under(p Plan) *scenario.Scenario {
	changed := *s.Scenario
	changed.Faults, changed.Steps = slices.Clone(changed.Faults), slices.Clone(changed.Steps)
	if slices.ContainsFunc(p, Disturbance.refuses) {
		for i := range changed.Steps {
			if step := &changed.Steps[i]; step.Await != "" || step.Direct != nil {
				step.Within = max(step.Within, retried)
			}
		}
	}
	end := changed.Steps[len(changed.Steps)-1]
	at, kind, rest, current := s.acts(), "", "", map[string]any(nil)
	if slices.ContainsFunc(p, func(d Disturbance) bool { return d.User != "" }) {
		var object *scenario.Object
		kind, object = s.object()
		rest, current = changed.Steps[at].Await, inJSON(object.Object)
	}
	for _, d := range p {
		if d.User == "" {
			changed.Faults = append(changed.Faults, d.fault())
			continue
		}
		changed.Except = slices.Concat(changed.Except, unknowing[d.User])
		steps := d.act(s, rest, current)
		changed.Steps = slices.Insert(changed.Steps, at, steps...)
		at += len(steps)
		if c, is := d.change(kind); is && c.Until != "" && !c.back {
			rest = fmt.Sprintf("(%s) || %s", rest, c.Until)
			end.Await = fmt.Sprintf("(%s) || %s", end.Await, c.Until)
			changed.Steps[len(changed.Steps)-1] = end
		}
	}
	if end.Await == "" || s.tailed {
		return &changed
	}
	stays := scenario.Step{Stays: end.Await, For: p.tail()}
	if !slices.ContainsFunc(p, Disturbance.deletes) {
		changed.Steps = append(changed.Steps, stays)
		return &changed
	}
	// A controller that has not seen the deletion yet may go on to create what belongs to the deleted
	// object. The end state has come to rest once that is collected.
	stays.Stays = fmt.Sprintf("(%s) || %s", end.Await, ownerGone)
	changed.Steps = append(changed.Steps, stays, end)
	return &changed
}

// deletes reports whether a user deletes something that others may belong to.
func (d Disturbance) deletes() bool {
	return d.User == Deletes || d.User == Recreates || d.User == DeletesNamespace || d.User == DeletesIt+"Job"
}

// ownerGone is true while there is a Job, or a pod with a finalizer, whose owner is gone: the
// garbage collector has to delete it, and the implementation to release it.
const ownerGone = `jobs.exists(j, has(jobs[j].metadata.ownerReferences) && jobs[j].metadata.ownerReferences.exists(r, ` +
	`!cronjobs.exists(c, cronjobs[c].metadata.uid == r.uid))) || ` +
	`pods.exists(p, has(p.metadata.finalizers) && has(p.metadata.ownerReferences) && p.metadata.ownerReferences.exists(r, ` +
	`!jobs.exists(j, jobs[j].metadata.uid == r.uid)))`
