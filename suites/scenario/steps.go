package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/process/clock"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/sandbox"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// String is the step on one line.
func (step *Step) String() string {
	switch {
	case step.Create != nil:
		return "create " + step.Create.GetName()
	case step.Patch != nil:
		return "patch " + step.Patch.Kind + " " + step.Patch.Name + step.Patch.Which
	case step.Delete != nil:
		return "delete " + step.Delete.Kind + " " + step.Delete.Name + step.Delete.Which
	case step.Fault != nil:
		return "fault on " + step.Fault.Calls.String()
	case step.Pause > 0:
		return "pause " + step.Pause.String()
	case step.Clock != nil:
		return "clock " + step.Clock.String()
	}
	for _, field := range []struct{ name, value string }{
		{"await", step.Await}, {"may", step.May}, {"stays", step.Stays}, {"always", step.Always}, {"hold", step.Hold},
		{"held", step.Held}, {"release", step.Release}, {"expire", step.Expire}, {"network", step.Network},
		{"namespace", step.Namespace},
		{"implementation", step.Implementation},
	} {
		if field.value != "" {
			return field.name + " " + field.value
		}
	}
	return strings.Join(step.actions(), " ")
}

// do does one step. It returns stepFailed when the implementation, or the API server,
// does not do what the step asks for.
func (r *runner) do(ctx context.Context, step *Step) error {
	limit := cmp.Or(step.Within, r.Waits().Reaction)
	switch {
	case step.Create != nil, step.Patch != nil, step.Delete != nil:
		return r.ask(ctx, step)
	case step.Direct != nil:
		return r.direct(ctx, step.Direct, limit)
	case step.Fault != nil:
		r.fault(ctx, *step.Fault)
	case step.Clear != "":
		for _, f := range r.faults {
			f.Remove()
		}
	case step.Hold != "":
		r.holds[step.Hold] = r.implementation.Hold(step.Hold)
	case step.Held != "":
		return r.awaitHeld(ctx, step.Held, limit)
	case step.Release != "":
		r.holds[step.Release]()
		delete(r.holds, step.Release)
	case step.Expire != "":
		r.implementation.Expire(step.Expire)
	case step.Network == "cut":
		r.implementation.Cut()
	case step.Network == "restored":
		r.implementation.Restore()
	case step.Namespace != "":
		return r.Client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.Namespace}})
	case step.Implementation != "":
		return r.command(step.Implementation)
	case step.Clock != nil:
		return r.moveClock(*step.Clock)
	case step.Pause > 0:
		return failed(r.Stays(ctx, step.Pause, "", nil))
	}
	return r.expect(ctx, step, limit)
}

// expectation is when the expression of a step has to be true.
type expectation int

const (
	nothing expectation = iota // the step has no expression
	await                      // once, within a time
	may                        // once, or not within that time
	stays                      // at every revision for a time
	always                     // at every revision from then on
)

// expects returns the expression of a step, and when it has to be true.
func (step *Step) expects() (expectation, string) {
	switch {
	case step.Await != "":
		return await, step.Await
	case step.May != "":
		return may, step.May
	case step.Stays != "":
		return stays, step.Stays
	case step.Always != "":
		return always, step.Always
	}
	return nothing, ""
}

// expect does the steps that expect something.
func (r *runner) expect(ctx context.Context, step *Step, limit time.Duration) error {
	when, text := step.expects()
	if when == nothing {
		return nil
	}
	e, err := compile(text)
	if err != nil {
		return err
	}
	check := func() string { return e.holds(r.world.now()) }
	if e.measures {
		check = func() string { return r.measured(ctx, e) }
	}
	switch when {
	case always:
		h, err := r.Settled(ctx)
		r.always = append(r.always, lasting{e, len(h.Revisions)})
		return err
	case stays:
		return failed(r.Stays(ctx, cmp.Or(step.For, r.Waits().Settle), "", check))
	}
	if e.measures {
		return failed(r.patiently(limit, func(wait time.Duration) error {
			return r.Poll(ctx, wait, implementation.ReadEvery, "", check)
		}))
	}
	err = r.until(ctx, limit, check)
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Cause == spec.Assertion && when == may {
		return nil
	}
	return failed(err)
}

func (r *runner) awaitHeld(ctx context.Context, resource string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := r.implementation.AwaitHeld(ctx, resource); err != nil {
		return stepFailed{fmt.Errorf("no event came to the held watch of %s", resource)}
	}
	return nil
}

func (r *runner) command(what string) error {
	switch what {
	case "start":
		return r.implementation.Start()
	case "stop":
		r.implementation.Stop()
	case "kill":
		r.implementation.Kill()
	case "restart":
		return r.implementation.Restart()
	}
	return nil
}

func (r *runner) moveClock(by time.Duration) error {
	err := r.implementation.MoveClock(by)
	if errors.Is(err, clock.ErrImpossible) {
		return badinput.Wrap(err, err.Error(),
			"run it on Linux, on amd64 or arm64, where ptrace is allowed")
	}
	return err
}

// fault arms one from now on.
func (r *runner) fault(ctx context.Context, f Fault) {
	r.faults = append(r.faults, f.Arm(ctx, r.implementation))
}

// unmet returns the faults that did not occur.
func (r *runner) unmet() (faults []string) {
	for _, f := range r.faults {
		if !f.Met() {
			faults = append(faults, f.String())
		}
	}
	return faults
}

// ask sends a request to the API server, and waits until the history has its effect.
func (r *runner) ask(ctx context.Context, step *Step) error {
	err := r.request(ctx, step)
	status, dropped := apierrors.APIStatus(nil), new(sandbox.Dropped)
	switch {
	case errors.As(err, &dropped):
		return badinput.Wrap(dropped, "the scenario would not be what it says",
			"start the API server with that gate, or leave the field out")
	case step.IfAny && apierrors.IsNotFound(err):
		return nil
	case errors.As(err, &status) && step.Answers == int(status.Status().Code):
		return nil
	case errors.As(err, &status) && step.OrAnswers == int(status.Status().Code):
		for i := range r.scenario.Steps {
			if step == &r.scenario.Steps[i] {
				r.result.Refused = append(r.result.Refused, i+1)
			}
		}
		return nil
	case errors.As(err, &status):
		want := "success"
		if step.Answers > 0 {
			want = fmt.Sprint(step.Answers)
		}
		return stepFailed{fmt.Errorf("the API server answered %d, not %s: %w", status.Status().Code, want, err)}
	case err != nil && max(step.Answers, step.OrAnswers) > 0 && r.serverAnswers(ctx):
		return stepFailed{fmt.Errorf("the API server broke off instead of answering %d: %w",
			max(step.Answers, step.OrAnswers), err)}
	case err != nil:
		return err
	case step.Answers >= 300:
		return stepFailed{fmt.Errorf("the API server accepted it instead of answering %d", step.Answers)}
	}
	return r.CatchUp(ctx)
}

// serverAnswers reports whether the API server still answers: then it broke off the
// request, and has not ended.
func (r *runner) serverAnswers(ctx context.Context) bool {
	return r.Client.Get(ctx, types.NamespacedName{Name: r.Namespace}, &corev1.Namespace{}) == nil
}

func (r *runner) request(ctx context.Context, step *Step) error {
	switch {
	case step.Create != nil:
		object, err := r.object(ctx, step)
		if err != nil {
			return err
		}
		if namespaced, err := r.Client.IsObjectNamespaced(object); err != nil {
			return err
		} else if !namespaced {
			return fmt.Errorf("a %s is in no namespace, and a scenario sees its own only", kindOf(object))
		}
		object.SetNamespace(r.Namespace)
		return r.Client.Create(ctx, object, client.FieldValidation(metav1.FieldValidationStrict))
	case step.Delete != nil:
		name, err := r.name(ctx, step, step.Delete.Kind, step.Delete.Name)
		if err != nil || name == "" {
			return err
		}
		propagation := metav1.DeletionPropagation(cmp.Or(step.Delete.Propagation, "Background"))
		options := []client.DeleteOption{client.PropagationPolicy(propagation)}
		if step.Delete.Force {
			options = append(options, client.GracePeriodSeconds(0))
		}
		return r.Client.Delete(ctx, r.named(step.Delete.APIVersion, step.Delete.Kind, name), options...)
	}
	name, err := r.name(ctx, step, step.Patch.Kind, step.Patch.Name)
	if err != nil || name == "" {
		return err
	}
	filled, err := r.fill(ctx, step, step.Patch.Merge)
	if err != nil {
		return err
	}
	merge, err := json.Marshal(filled)
	if err != nil {
		return err
	}
	object, patch := r.named(step.Patch.APIVersion, step.Patch.Kind, name), client.RawPatch(types.MergePatchType, merge)
	if step.Patch.Status {
		return r.Client.Status().Patch(ctx, object, patch)
	}
	// Times of managers are in seconds: with a name of its own, each patch is known for the harness's.
	r.patches++
	return r.Client.Patch(ctx, object, patch, client.FieldOwner(spec.UserAgent(fmt.Sprintf("patch %d", r.patches))))
}

// object returns the object that a step creates.
func (r *runner) object(ctx context.Context, step *Step) (client.Object, error) {
	return step.Create.filled(func(value any) (any, error) { return r.fill(ctx, step, value) })
}

// fill evaluates the expressions in the texts of a value, as soon as that is possible: the object
// that one is about may not be there yet.
func (r *runner) fill(ctx context.Context, step *Step, value any) (filled any, err error) {
	if !hasExpressions(value) {
		return value, nil
	}
	err = failed(r.until(ctx, cmp.Or(step.Within, r.Waits().Reaction), func() string {
		var wrong error
		if filled, wrong = fill(value, r.world.now(), time.Now()); wrong != nil {
			return wrong.Error()
		}
		return ""
	}))
	return filled, err
}

// name returns that of the object to patch or delete, as soon as it exists; none where
// there need not be one.
func (r *runner) name(ctx context.Context, step *Step, kind, given string) (name string, err error) {
	which := step.which()
	switch {
	case which == "":
		return given, nil
	case step.IfAny:
		objects := r.objects(kind)
		if i := slices.IndexFunc(objects, r.which(which)); i >= 0 {
			name = objects[i].GetName()
		}
		return name, nil
	}
	err = failed(r.until(ctx, cmp.Or(step.Within, r.Waits().Reaction), func() string {
		objects := r.objects(kind)
		i := slices.IndexFunc(objects, r.which(which))
		if i < 0 {
			return fmt.Sprintf("there is no %s for which this is true: %s", kind, which)
		}
		name = objects[i].GetName()
		return ""
	}))
	return name, err
}

// objects returns all Pods, or all Jobs.
func (r *runner) objects(kind string) (objects []client.Object) {
	if kind == "Job" {
		for _, job := range r.Recorder.Jobs() {
			objects = append(objects, &job)
		}
		return objects
	}
	for _, pod := range r.Recorder.Pods() {
		objects = append(objects, &pod)
	}
	return objects
}

// named returns an object with a name, for requests that need no more of it.
func (r *runner) named(version, kind, name string) client.Object {
	var object client.Object = &unstructured.Unstructured{}
	if gvk, known := kinds.Namespaced(kind); known && version == "" {
		made, _ := scheme.Scheme.New(gvk)
		object = made.(client.Object)
	} else {
		object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(version, kind))
	}
	object.SetNamespace(r.Namespace)
	object.SetName(name)
	return object
}

// annotations returns those of the puppet protocol.
func (t *Direct) annotations() map[string]string {
	all := map[string]string{
		puppet.ExitCodes: t.ExitCodes, puppet.InitCodes: t.InitCodes, puppet.Ready: t.Ready,
		puppet.Start: t.Start, puppet.Terminate: t.Terminate, puppet.Disruption: t.Disruption,
	}
	if t.FinishedAgo > 0 {
		all[puppet.FinishedAgo] = t.FinishedAgo.String()
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// direct waits for pods and sets their annotations.
func (r *runner) direct(ctx context.Context, t *Direct, limit time.Duration) error {
	want := cmp.Or(t.Pods, 1)
	var chosen []corev1.Pod
	err := failed(r.until(ctx, limit, func() string {
		chosen = r.choose(t.Which)
		if len(chosen) < want {
			return fmt.Sprintf("there are %d of %d pods", len(chosen), want)
		}
		return ""
	}))
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": t.annotations()}})
	if err != nil {
		return err
	}
	for _, pod := range chosen[:want] {
		r.directed[pod.Name] = true
		if err := r.Client.Patch(ctx, &pod, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return stepFailed{fmt.Errorf("pod %s could not be changed any more: %w", pod.Name, err)}
		}
	}
	return nil
}

// choose returns the pods that are meant, in the order of their creation. Without an
// expression they are those that have not ended and were not directed by a step.
func (r *runner) choose(which string) []corev1.Pod {
	meant := r.which(which)
	return slices.DeleteFunc(r.Recorder.Pods(), func(pod corev1.Pod) bool {
		if which == "" {
			return r.directed[pod.Name] || kinds.Ended(&pod)
		}
		return !meant(&pod)
	})
}

// which reports whether an expression on the object p is true.
func (r *runner) which(text string) func(client.Object) bool {
	e, err := compile(text)
	now := r.world.now()
	return func(object client.Object) bool {
		now["p"] = fields(object)
		return err == nil && e.holds(now) == "" // Check has refused what does not compile
	}
}
