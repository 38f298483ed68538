package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	batchv1 "k8s.io/api/batch/v1"
)

// Expressions are in CEL, over:
//
//	jobs, cronjobs   the objects by name, as they are: jobs.a.status.failed
//	pods             those that are there, oldest first
//	created          all pods that were ever there, as they were last seen
//	events           the Events
//	calls            what the implementation has asked the API server for: verb,
//	                 resource, name, code and fault of each
//	p                in Direct.Which the pod, in Delete.Which the object
//	metrics          what the implementation's process serves at /metrics; in Await and
//	                 Stays only. Nothing watches them: they are read at each revision of an
//	                 object, in Await five times a second as well, and at the end of Stays
//
// Counters of a Job's status that the API server leaves out are 0. Whatever else
// is not there makes an expression false.
//
//	done(job, "Complete")   whether a condition is True
//	of(pods, "a")           those of a Job, by its name
//	index(p)                the completion index of a pod, "" without one
//	active(pods)            those that neither ended nor are being deleted
//	phase(pods, "Running")  those in a phase
//	value(metrics, 'workqueue_depth{name="job"}')
//	                        the sum of all series with that name and these labels, as
//	                        /metrics has them; 0 if there are none
func environment(w worldTypes, more ...cel.EnvOption) (*cel.Env, error) {
	list, dyn := cel.ListType(cel.TypeParamType("T")), cel.DynType // of pods, whatever their type is
	return cel.NewEnv(append(more,
		cel.EnableMacroCallTracking(), // for the text of a part
		cel.Variable("jobs", cel.MapType(cel.StringType, w.job)),
		cel.Variable("cronjobs", cel.MapType(cel.StringType, w.cronJob)),
		cel.Variable("pods", cel.ListType(w.pod)),
		cel.Variable("created", cel.ListType(w.pod)),
		cel.Variable("events", cel.ListType(w.event)),
		cel.Variable("calls", cel.ListType(w.call)),
		cel.Variable("p", w.p),
		cel.Variable("metrics", cel.ListType(dyn)),
		cel.Function("done", cel.Overload("done_object_string", []*cel.Type{dyn, cel.StringType}, cel.BoolType,
			cel.BinaryBinding(func(job, condition ref.Val) ref.Val {
				return types.Bool(isDone(native(job), condition.Value().(string)))
			}))),
		cel.Function("of", cel.Overload("of_list_string", []*cel.Type{list, cel.StringType}, list,
			cel.BinaryBinding(func(pods, job ref.Val) ref.Val {
				return keep(pods, func(pod map[string]any) bool {
					return isOf(pod, job.Value())
				})
			}))),
		cel.Function("index", cel.Overload("index_object", []*cel.Type{dyn}, cel.StringType,
			cel.UnaryBinding(func(pod ref.Val) ref.Val { return types.String(indexOf(native(pod))) }))),
		cel.Function("phase", cel.Overload("phase_list_string", []*cel.Type{list, cel.StringType}, list,
			cel.BinaryBinding(func(pods, phase ref.Val) ref.Val {
				return keep(pods, func(pod map[string]any) bool { return at(pod, "status", "phase") == phase.Value() })
			}))),
		cel.Function("active", cel.Overload("active_list", []*cel.Type{list}, list,
			cel.UnaryBinding(func(pods ref.Val) ref.Val { return keep(pods, isActive) }))),
		cel.Function("value", cel.Overload("value_list_string", []*cel.Type{cel.ListType(dyn), cel.StringType}, dyn,
			cel.BinaryBinding(value))),
	)...)
}

// worldTypes are the types of what there is.
type worldTypes struct{ job, cronJob, pod, event, call, p *cel.Type }

// shared is the environment in which expressions are evaluated: objects are maps, as in JSON. Their types are
// checked before: see about.
var shared = sync.OnceValues(func() (*cel.Env, error) {
	dyn := cel.DynType
	return environment(worldTypes{dyn, dyn, dyn, dyn, dyn, dyn})
})

// expression is one that compiles.
type expression struct {
	text     string
	program  cel.Program
	measures bool // it is about metrics
	ast      *cel.Ast
	parts    cel.Program // evaluates all parts of it
}

// compiled keeps them: a scenario is checked before it is run, and looks at the
// same ones again and again.
var compiled sync.Map

func compile(text string) (expression, error) {
	if e, ok := compiled.Load(text); ok {
		return e.(expression), nil
	}
	env, err := shared()
	if err != nil {
		return expression{}, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return expression{}, fmt.Errorf("in %q: %s", text, first.Message)
	}
	if out := ast.OutputType(); !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		return expression{}, fmt.Errorf("%q is not true or false, but %s", text, out)
	}
	program, err := programOf(env, ast)
	if err != nil {
		return expression{}, err
	}
	parts, err := programOf(env, ast, cel.EvalOptions(cel.OptExhaustiveEval))
	if err != nil {
		return expression{}, err
	}
	e := expression{text, program, refersTo(ast, "metrics"), ast, parts}
	compiled.Store(text, e)
	return e, nil
}

// programOf returns a program whose evaluation costs no more than limits.Steps. What a function costs is counted as it
// returns: none of CEL's standard functions makes much more of its arguments than these are.
func programOf(env *cel.Env, ast *cel.Ast, options ...cel.ProgramOption) (cel.Program, error) {
	return env.Program(ast, append(options, cel.CostTracking(ownCosts{}), cel.CostLimit(limits.Steps))...)
}

// ownCosts are those of the functions of environment, which look at each element of a list, and of the sum of lists,
// which has no cost in CEL.
type ownCosts struct{}

func (ownCosts) CallCost(_, overload string, args []ref.Val, _ ref.Val) *uint64 {
	var looked ref.Val
	switch overload {
	case "of_list_string", "phase_list_string", "active_list", "value_list_string":
		looked = args[0]
	case overloads.AddList: // macros add one element after the other
		looked = args[1]
	}
	list, ok := looked.(traits.Lister)
	if !ok {
		return nil
	}
	cost := 1 + uint64(list.Size().(types.Int))
	return &cost
}

// evaluate evaluates a program, unless that costs too much or takes too long.
func evaluate(program cel.Program, world map[string]any) (ref.Val, *cel.EvalDetails, error) {
	var (
		value   ref.Val
		details *cel.EvalDetails
		err     error
		done    = make(chan struct{})
		late    = time.NewTimer(limits.Evaluation)
	)
	defer late.Stop()
	go func() {
		defer close(done)
		value, details, err = program.Eval(world)
	}()
	select {
	case <-done:
	case <-late.C: // nothing interrupts the comparison of two values
		return nil, nil, fmt.Errorf("it takes longer than %s to evaluate", limits.Evaluation)
	}
	if _, cancelled := errors.AsType[interpreter.EvalCancelledError](err); cancelled {
		return nil, nil, fmt.Errorf("it costs more than %d to evaluate, about one for each field and each element "+
			"that it looks at", limits.Steps)
	}
	return value, details, err
}

// holds is empty when the expression is true, and says why it is not otherwise.
func (e expression) holds(world map[string]any) string {
	value, _, err := evaluate(e.program, world)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %v", e.text, err)
	case value == types.True:
		return ""
	}
	return fmt.Sprintf("%s: it is %v%s", e.text, value, e.found(world))
}

func native(value ref.Val) map[string]any {
	v, err := value.ConvertToNative(reflect.TypeFor[map[string]any]())
	if err != nil {
		return nil
	}
	return v.(map[string]any)
}

func keep(pods ref.Val, which func(map[string]any) bool) ref.Val {
	all, err := pods.ConvertToNative(reflect.TypeFor[[]any]())
	if err != nil {
		return types.WrapErr(err)
	}
	kept := []any{}
	for _, pod := range all.([]any) {
		if fields, ok := pod.(map[string]any); ok && which(fields) {
			kept = append(kept, pod)
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(kept)
}

// at is what stands at a path, nil if nothing does.
func at(object map[string]any, path ...string) any {
	var value any = object
	for _, part := range path {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = fields[part]
	}
	return value
}

func isActive(pod map[string]any) bool {
	phase := at(pod, "status", "phase")
	return at(pod, "metadata", "deletionTimestamp") == nil && phase != "Succeeded" && phase != "Failed"
}

// isOf reports whether a pod is one of a Job: by its controller, or by its label where it has none.
func isOf(pod map[string]any, job any) bool {
	owners, _ := at(pod, "metadata", "ownerReferences").([]any)
	for _, o := range owners {
		if fields, ok := o.(map[string]any); ok && fields["controller"] == true {
			return fields["name"] == job
		}
	}
	return at(pod, "metadata", "labels", batchv1.JobNameLabel) == job
}

// indexOf is kinds.CompletionIndex.
func indexOf(pod map[string]any) string {
	for _, kind := range []string{"annotations", "labels"} {
		if index, ok := at(pod, "metadata", kind, batchv1.JobCompletionIndexAnnotation).(string); ok && index != "" {
			return index
		}
	}
	return ""
}

func isDone(object map[string]any, condition string) bool {
	conditions, _ := at(object, "status", "conditions").([]any)
	for _, c := range conditions {
		if fields, ok := c.(map[string]any); ok && fields["type"] == condition {
			return fields["status"] == "True"
		}
	}
	return false
}
