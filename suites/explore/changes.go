package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/suites/explore/fields"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// changesField begins an action of a user that changes a field: user changes spec.parallelism to 1.
const changesField = "user changes "

// andBack ends one after which, after a while, the field is again as it was.
const andBack = " and back"

// ofFields is the dimension of such actions. It has scenarios of its own.
var ofFields = Dimension{Name: "fields", About: "a user changes a field of the spec or the metadata, and maybe back",
	plans: Seen.changes, inTurn: true, scenarios: library.Fields}

// change is one of a field, as a plan has it.
type change struct {
	fields.Change
	back bool
}

// change returns the change that a disturbance makes in an object of a kind; false for all others.
func (d Disturbance) change(kind string) (c change, is bool) {
	text, is := strings.CutPrefix(string(d.User), changesField)
	if !is {
		return change{}, false
	}
	text, c.back = strings.CutSuffix(text, andBack)
	c.Change, is = fields.Find(kind, text)
	return c, is
}

// parseChange reads the action of a user that changes a field. The error is a *badinput.Error.
func parseChange(text string) (Action, error) {
	for _, kind := range fields.Kinds {
		if _, known := (Disturbance{User: Action(text)}).change(kind); known {
			return Action(text), nil
		}
	}
	return "", badinput.New(fmt.Sprintf("%q is no change that exploration makes", text),
		"choose one from the table of suites/explore/fields")
}

// changes are plans in which a user changes fields: first those that the API server refuses, all at once; then each
// of the others at some step, each with its way back, and each beside another one; and then the same at other steps.
func (s Seen) changes(sc Scenario) []Plan {
	if !slices.Contains(users, sc.Name) && !slices.Contains(fields.Names(), sc.Name) {
		return nil
	}
	kind, created := sc.object()
	var at []Disturbance
	add := func(verb, resource string, times int) {
		for n := range times {
			at = append(at, planned(verb, resource, n+1))
		}
	}
	s.eachWrite(add)
	add("end", "pods", s.Ended)
	if len(at) == 0 {
		return nil
	}
	object := inJSON(created.Object)
	var refused Plan
	var possible []fields.Change
	var all []Plan
	for _, c := range fields.Of(kind) {
		switch {
		case !differs(object, c.Patch(object)) || slices.Contains(c.Never, sc.Name):
		case fields.Accepted(object, c):
			possible = append(possible, c)
		case c.Alone:
			all = append(all, Plan{at[0].changing(c, "")})
		default:
			refused = append(refused, at[0].changing(c, ""))
		}
	}
	if len(refused) > 0 {
		all = append(all, refused)
	}
	for round := range at { // each change at a step, back at one, and beside another one; and again at the next step
		for i, c := range possible {
			all = append(all, Plan{at[(i+round)%len(at)].changing(c, "")})
		}
		for i, c := range possible {
			if !c.Last {
				all = append(all, Plan{at[(i+round)%len(at)].changing(c, andBack)})
			}
		}
		for i, c := range possible {
			other := possible[(i+1+round*5)%len(possible)]
			if c.Field() != other.Field() && !c.Last {
				all = append(all, Plan{at[(i+round)%len(at)].changing(c, []string{"", andBack}[i%2]),
					at[(i*3+round)%len(at)].changing(other, []string{"", andBack}[(i/2)%2])})
			}
		}
	}
	return all
}

// changing returns what happens at the same step when a user makes a change.
func (d Disturbance) changing(c fields.Change, and string) Disturbance {
	if c.Last {
		and = ""
	}
	d.User = Action(changesField + c.Text() + and)
	return d
}

// defaults are values that the API server fills in.
var defaults = map[string]any{"spec": map[string]any{"completionMode": "NonIndexed", "suspend": false,
	"concurrencyPolicy": "Allow"}}

// differs reports whether a patch changes an object.
func differs(object, patch map[string]any) bool {
	before := fields.Merged(inJSON(defaults), object)
	return !reflect.DeepEqual(inJSON(before), inJSON(fields.Merged(before, patch)))
}

// inJSON returns an object as it is in JSON, without what is empty.
func inJSON(of any) (object map[string]any) {
	text, err := json.Marshal(of)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	if err != nil {
		panic(err) // objects of scenarios, and what changes make of them, are JSON
	}
	return object
}

// steps are those in which a user changes a field of an object, which they change as well, and back.
func (c change) steps(kind, name string, object map[string]any) []scenario.Step {
	patch := c.Patch(object)
	step := func(merge map[string]any) scenario.Step {
		return scenario.Step{Patch: &scenario.Patch{Kind: kind, Name: name, Merge: merge}, OrAnswers: 422}
	}
	if !c.back {
		fields.Merge(object, patch)
		return []scenario.Step{step(patch)}
	}
	return []scenario.Step{step(patch), {Pause: meanwhile}, step(fields.Undo(object, patch))}
}

// changeSteps returns the numbers of the steps in which the changes of a plan are made, counted from 1.
func (s Scenario) changeSteps(p Plan) (at []int) {
	kind, _ := s.object()
	for i, step := range s.under(p).Steps {
		if step.OrAnswers == 0 {
			continue
		}
		at = append(at, i+1)
	}
	for i, n := 0, 0; i < len(p); i++ { // of a change and its way back, the first
		if c, is := p[i].change(kind); is {
			n++
			if c.back {
				at = slices.Delete(at, n, n+1)
			}
		}
	}
	return at
}

// changed returns the scenario with the object created as changes leave it, so that it need not be changed.
func (s Scenario) changed(changes []change) (Scenario, error) {
	changed := *s.Scenario
	changed.Steps = slices.Clone(changed.Steps)
	for i, step := range changed.Steps {
		if _, created := s.object(); step.Create != created {
			continue
		}
		object := inJSON(step.Create.Object)
		for _, c := range changes {
			fields.Merge(object, c.Patch(object))
		}
		text, err := json.Marshal(object)
		if err != nil {
			return Scenario{}, err
		}
		var with client.Object = &batchv1.Job{}
		if _, is := step.Create.Object.(*batchv1.CronJob); is {
			with = &batchv1.CronJob{}
		}
		if err := json.Unmarshal(text, with); err != nil {
			return Scenario{}, err
		}
		changed.Steps[i].Create = &scenario.Object{Object: with}
	}
	s.Scenario = &changed
	return s, nil
}

// once runs a scenario under a plan. Where fields were changed, and the end is by the spec, the object has to end like
// one that was created with that spec; where they were changed back, like the first one. Refused are the changes that
// the API server did not accept.
func (e *Explorer) once(ctx context.Context, s Scenario, plan Plan) (r *scenario.Result, seen Seen, refused []string,
	err error) {
	r, seen, err = e.Runner(ctx, s, plan)
	kind, _ := s.object()
	at := s.changeSteps(plan)
	if err != nil || len(at) == 0 {
		return r, seen, nil, err
	}
	var made []change // that stay
	steady := slices.Contains(fields.Names(), s.Name)
	for _, d := range plan {
		c, is := d.change(kind)
		if !is {
			continue
		}
		accepted := !slices.Contains(r.Refused, at[0])
		at = at[1:]
		in := c.Steady
		switch {
		case !accepted:
			refused = append(refused, d.String())
			continue
		case !c.back:
			made = append(made, c)
		case c.Back != nil:
			in = c.Back
		}
		steady = steady && slices.Contains(in, s.Name)
	}
	if !steady || !r.Green() || len(r.Unmet) > 0 {
		return r, seen, refused, nil
	}
	wrong, err := e.endsOtherwise(ctx, s, r, made)
	if wrong != "" {
		r.Failed, r.OtherEnd = wrong, true
	}
	return r, seen, refused, err
}

// endsOtherwise says how an object has ended otherwise than one that was created with the changes.
func (e *Explorer) endsOtherwise(ctx context.Context, s Scenario, r *scenario.Result, made []change) (string, error) {
	if kind, _ := s.object(); kind == "Job" && !s.waits() && !inTime(r.History) {
		return "", nil // the Job may have ended by an earlier spec
	}
	fresh, why, err := e.endOf(ctx, s, made)
	if err != nil || why != "" {
		return why, err
	}
	wrong := scenario.Differences(finally(r), fresh)
	if len(wrong) == 0 {
		return "", nil
	}
	return fmt.Sprintf("the object has not ended like one created with the spec that it has now "+
		"(- has that one):\n  %s",
		strings.Join(wrong, "\n  ")), nil
}

// waits reports whether the scenario goes on after changes of fields, and does not end before.
func (s Scenario) waits() bool { return s.acts() < len(s.Scenario.Steps)-1 }

// endOf returns the end of an object that was created with changes, or what is wrong with it.
func (e *Explorer) endOf(ctx context.Context, s Scenario, made []change) (end []string, wrong string, err error) {
	var texts []string
	for _, c := range made {
		texts = append(texts, c.Text())
	}
	key := s.Name + ": " + strings.Join(texts, "; ")
	e.mu.Lock()
	end, known := e.ends[key]
	e.mu.Unlock()
	if known {
		return end, "", nil
	}
	fresh, err := s.changed(made)
	if err != nil {
		return nil, "", err
	}
	r, _, err := e.Runner(ctx, fresh, nil)
	if err != nil {
		return nil, "", err
	}
	if !r.Green() {
		return nil, "created with the spec that it has now, it does not end as it should: " + r.Why(), nil
	}
	end = finally(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ends == nil {
		e.ends = map[string][]string{}
	}
	e.ends[key] = end
	return end, "", nil
}

// inTime reports whether a Job has got a status after the last change of its spec that does not begin to end it: the
// controller knew the spec before it decided on the end.
func inTime(h history.History) bool {
	var before *batchv1.Job
	known := false
	for _, r := range h.Jobs("a") {
		job := r.Job()
		switch {
		case before == nil || before.UID != job.UID || before.Generation != job.Generation:
			known = false
		case !reflect.DeepEqual(before.Status, job.Status):
			known = known || !ends(job)
		}
		before = job
	}
	return known
}

// ends reports whether a Job has ended or is about to.
func ends(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && c.Type != batchv1.JobSuspended
	})
}

// finally is the end state of a run, with what was created by templates in it, and without the trace of a suspension.
func finally(r *scenario.Result) []string {
	created := map[types.UID]string{} // pods that have ended may have lost what they were created with
	var last history.State
	for revision, state := range r.History.States() {
		last = state // it is updated in place
		if revision.Created() {
			created[revision.Object.GetUID()] = described(revision)
		}
	}
	lines := sets.New(r.End(batchv1.JobSuspended)...)
	for uid := range last.Jobs {
		lines.Insert(created[uid])
	}
	for uid, pod := range last.Pods {
		if _, there := last.Jobs[history.ControllerOf(pod.Object)]; there {
			lines.Insert(created[uid])
		}
	}
	return sets.List(lines.Delete(""))
}

// described is what a Job, or a pod, has of its template, without what differs between runs; empty for all else that
// is created by no controller.
func described(r history.Revision) string {
	var spec any
	switch job, pod := r.Job(), r.Pod(); {
	case history.ControllerOf(r.Object) == "":
		return ""
	case job != nil:
		of := job.Spec.DeepCopy()
		of.Template.Labels = ours(of.Template.Labels)
		if !ptr.Deref(of.ManualSelector, false) {
			of.Selector = nil
		}
		spec = of
	case pod != nil:
		of := pod.Spec.DeepCopy()
		of.NodeName, of.Hostname, of.Volumes = "", "", nil
		for i := range of.Containers {
			of.Containers[i].VolumeMounts = nil
		}
		spec = of
	default:
		return ""
	}
	text, err := json.Marshal([]any{ours(r.Object.GetLabels()), ours(r.Object.GetAnnotations()), spec})
	if err != nil {
		panic(err) // an object of the API is JSON
	}
	return r.Kind() + " created as " + string(text)
}

// ours are the labels or annotations that changes make, and the time of a CronJob's Job.
func ours(all map[string]string) map[string]string {
	some := maps.Clone(all)
	maps.DeleteFunc(some, func(name, _ string) bool {
		return !strings.HasPrefix(name, "example.com/") && name != batchv1.CronJobScheduledTimestampAnnotation
	})
	return some
}
