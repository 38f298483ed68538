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

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		return "fault on " + step.Fault.On
	case step.Pause > 0:
		return "pause " + step.Pause.String()
	}
	for _, field := range []struct{ name, value string }{
		{"await", step.Await}, {"stays", step.Stays}, {"always", step.Always}, {"hold", step.Hold}, {"held", step.Held},
		{"release", step.Release}, {"expire", step.Expire}, {"network", step.Network}, {"implementation", step.Implementation},
	} {
		if field.value != "" {
			return field.name + " " + field.value
		}
	}
	return strings.Join(step.actions(), " ")
}

// do does one step. It returns notSo when the implementation, or the API server,
// does not do what the step asks for.
func (p *performance) do(ctx context.Context, step *Step) error {
	proxy := p.subject.Proxy
	switch {
	case step.Create != nil, step.Patch != nil, step.Delete != nil:
		return p.ask(ctx, step)
	case step.Tell != nil:
		return p.tell(ctx, step.Tell, cmp.Or(step.Within, p.theatre.Patience))
	case step.Fault != nil:
		return p.fault(step.Fault)
	case step.Clear != "":
		for _, rule := range p.rules {
			rule.Remove()
		}
		p.rules = nil
	case step.Hold != "":
		p.holds[step.Hold] = proxy.Hold(step.Hold)
	case step.Held != "":
		return p.awaitHeld(ctx, step)
	case step.Release != "":
		p.holds[step.Release]()
		delete(p.holds, step.Release)
	case step.Expire != "":
		proxy.Expire(step.Expire)
	case step.Network == "cut":
		proxy.Cut()
	case step.Network == "restored":
		proxy.Restore()
	case step.Implementation != "":
		return p.command(step.Implementation)
	case step.Pause > 0:
		return p.expect(p.stays(ctx, expression{}, step.Pause))
	}
	return p.look(ctx, step)
}

// look is for the steps that expect something.
func (p *performance) look(ctx context.Context, step *Step) error {
	text := step.Await + step.Stays + step.Always
	if text == "" {
		return nil
	}
	e, err := compile(text)
	switch {
	case err != nil:
		return err
	case step.Always != "":
		h, err := p.settled(ctx)
		p.always = append(p.always, lasting{e, len(h.Revisions)})
		return err
	case step.Stays != "":
		return p.expect(p.stays(ctx, e, cmp.Or(step.For, settle)))
	}
	limit := cmp.Or(step.Within, p.theatre.Patience)
	if err := p.expect(p.until(ctx, limit, func() string { return e.holds(p.world.now()) })); err != nil {
		return err
	}
	// The watches are not in step with each other. What follows may lean on all
	// that was there by now.
	return p.catchUp(ctx)
}

// expect turns what was not seen into the error of a step.
func (p *performance) expect(failed string, err error) error {
	if err == nil && failed != "" {
		return notSo{errors.New(failed)}
	}
	return err
}

func (p *performance) awaitHeld(ctx context.Context, step *Step) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(step.Within, p.theatre.Patience))
	defer cancel()
	if err := p.subject.Proxy.AwaitHeld(ctx, step.Held); err != nil {
		return notSo{fmt.Errorf("no event of %s came that could be held", step.Held)}
	}
	return nil
}

func (p *performance) command(what string) error {
	switch what {
	case "start":
		return p.subject.Start()
	case "stop":
		p.subject.Stop()
	case "kill":
		p.subject.Kill()
	case "restart":
		return p.subject.Restart()
	}
	return nil
}

func (p *performance) fault(f *Fault) error {
	calls, e, err := f.parse()
	if err != nil {
		return err
	}
	rule := p.subject.Proxy.On(calls)
	switch {
	case f.Nth > 0:
		rule.Nth(f.Nth)
	case f.First > 0:
		rule.First(f.First)
	case e.killBefore || e.killAfter: // not again and again
		rule.Nth(1)
	}
	end := p.subject.Kill
	if e.again {
		// What cannot be started was started before.
		end = func() { _ = p.subject.Restart() }
	}
	p.rules = append(p.rules, e.apply(rule, end))
	return nil
}

func (e effect) apply(rule *faultproxy.Rule, end func()) *faultproxy.Rule {
	switch {
	case e.answer > 0:
		return rule.Answer(e.answer)
	case e.drop:
		return rule.Drop()
	case e.loseAnswer:
		return rule.LoseAnswer()
	case e.delay > 0:
		return rule.Delay(e.delay)
	case e.killBefore:
		return rule.Before(end)
	default:
		return rule.After(end)
	}
}

// ask asks the API server for something, and waits until the history has it.
func (p *performance) ask(ctx context.Context, step *Step) error {
	err := p.request(ctx, step)
	status := apierrors.APIStatus(nil)
	switch {
	case errors.As(err, &status) && step.Answers == int(status.Status().Code):
		return nil
	case errors.As(err, &status):
		want := "success"
		if step.Answers > 0 {
			want = fmt.Sprint(step.Answers)
		}
		return notSo{fmt.Errorf("the API server answered %d, not %s: %w", status.Status().Code, want, err)}
	case err != nil && step.Answers > 0 && p.alive(ctx):
		return notSo{fmt.Errorf("the API server broke off, and did not answer %d: %w", step.Answers, err)}
	case err != nil:
		return err
	case step.Answers >= 300:
		return notSo{fmt.Errorf("the API server did it, and did not answer %d", step.Answers)}
	}
	return p.catchUp(ctx)
}

// alive tells whether the API server answers: then it was a request that broke
// it, and not its end.
func (p *performance) alive(ctx context.Context) bool {
	return p.client.Get(ctx, types.NamespacedName{Name: p.result.Namespace}, &corev1.Namespace{}) == nil
}

func (p *performance) request(ctx context.Context, step *Step) error {
	switch {
	case step.Create != nil:
		object := step.Create.DeepCopyObject().(client.Object)
		object.SetNamespace(p.result.Namespace)
		return p.client.Create(ctx, object)
	case step.Delete != nil:
		name, err := p.name(ctx, step, step.Delete.Kind, step.Delete.Name)
		if err != nil {
			return err
		}
		propagation := metav1.DeletionPropagation(cmp.Or(step.Delete.Propagation, "Background"))
		return p.client.Delete(ctx, p.named(step.Delete.Kind, name), client.PropagationPolicy(propagation))
	}
	merge, err := json.Marshal(step.Patch.Merge)
	if err != nil {
		return err
	}
	name, err := p.name(ctx, step, step.Patch.Kind, step.Patch.Name)
	if err != nil {
		return err
	}
	object, patch := p.named(step.Patch.Kind, name), client.RawPatch(types.MergePatchType, merge)
	if step.Patch.Status {
		return p.client.Status().Patch(ctx, object, patch)
	}
	return p.client.Patch(ctx, object, patch)
}

// name is that of what is to be patched or deleted, as soon as it is there.
func (p *performance) name(ctx context.Context, step *Step, kind, given string) (name string, err error) {
	which := step.which()
	if which == "" {
		return given, nil
	}
	err = p.expect(p.until(ctx, cmp.Or(step.Within, p.theatre.Patience), func() string {
		objects := p.objects(kind)
		i := slices.IndexFunc(objects, p.which(which))
		if i < 0 {
			return fmt.Sprintf("there is no %s of which it is true that %s", kind, which)
		}
		name = objects[i].GetName()
		return ""
	}))
	return name, err
}

// objects are the Pods or Jobs that there are.
func (p *performance) objects(kind string) (objects []client.Object) {
	if kind == "Job" {
		for _, job := range p.recorder.Jobs() {
			objects = append(objects, &job)
		}
		return objects
	}
	for _, pod := range p.recorder.Pods() {
		objects = append(objects, &pod)
	}
	return objects
}

func (p *performance) named(kind, name string) client.Object {
	gvk, _ := kinds.Namespaced(kind) // Check knows them
	made, _ := scheme.Scheme.New(gvk)
	object := made.(client.Object)
	object.SetNamespace(p.result.Namespace)
	object.SetName(name)
	return object
}

// annotations are what the pods are told.
func (t *Tell) annotations() map[string]string {
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

// tell waits for pods and directs them.
func (p *performance) tell(ctx context.Context, t *Tell, limit time.Duration) error {
	want := cmp.Or(t.Pods, 1)
	var chosen []corev1.Pod
	err := p.expect(p.until(ctx, limit, func() string {
		chosen = p.choose(t.Which)
		if len(chosen) < want {
			return fmt.Sprintf("%d of %d pods are there to be told", len(chosen), want)
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
		p.told[pod.Name] = true
		if err := p.client.Patch(ctx, &pod, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return notSo{fmt.Errorf("pod %s could not be told anything any more: %w", pod.Name, err)}
		}
	}
	return nil
}

// choose are the pods that are meant, in the order of their creation. Without an
// expression, they are those that have not ended and were not told anything.
func (p *performance) choose(which string) []corev1.Pod {
	meant := p.which(which)
	return slices.DeleteFunc(p.recorder.Pods(), func(pod corev1.Pod) bool {
		if which == "" {
			return p.told[pod.Name] || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		}
		return !meant(&pod)
	})
}

// which tells whether an expression on the object p is true.
func (p *performance) which(text string) func(client.Object) bool {
	e, err := compile(text)
	now := p.world.now()
	return func(object client.Object) bool {
		now["p"] = fields(object)
		return err == nil && e.holds(now) == "" // Check has refused what does not compile
	}
}
