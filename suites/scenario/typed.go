package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// mistake is one of the author of a scenario, with a remedy.
type mistake struct{ what, do string }

func (m mistake) Error() string { return m.what }

// unknown is the mistake of a word that is none of those that are known.
func unknown(what, word string, known []string) error {
	slices.Sort(known)
	return mistake{what, spelling.Remedy(word, known, "use "+strings.Join(known, ", "))}
}

// names are those of the objects of a kind that a scenario creates; nil where others may come to be.
type names []string

// about is what an expression may be about.
type about struct {
	p        string // the kind of the variable p: Pod or Job
	jobs     names
	cronJobs names
}

// typedEnvironments are those in which everything has its type, by the kind of p.
var typedEnvironments = sync.OnceValues(func() (map[string]*cel.Env, error) {
	all := map[string]*cel.Env{}
	for kind := range kindsOfP {
		env, err := typedEnvironment(kind, nil)
		if err != nil {
			return nil, err
		}
		all[kind] = env
	}
	return all, nil
})

var kindsOfP = map[string]reflect.Type{"Pod": podType, "Job": jobType}

func typedEnvironment(p string, missed func(reflect.Type, string)) (*cel.Env, error) {
	return environment(worldTypes{
		job: celType(jobType), cronJob: celType(cronJobType), pod: celType(podType), event: celType(eventType),
		call: celType(callType), p: celType(kindsOfP[p]),
	}, cel.Variable("now", cel.TimestampType), cel.CustomTypeProvider(provider{types.NewEmptyRegistry(), missed}))
}

// check refuses an expression that compiles where types are not known, but is about fields that no object has,
// about objects that the scenario does not create, or compares what cannot be equal.
func (a about) check(text string) error {
	envs, err := typedEnvironments()
	if err != nil {
		return err
	}
	kind := cmp.Or(a.p, "Pod")
	checked, issues := envs[kind].Compile(text)
	if issues.Err() != nil {
		if missing := missingField(kind, text); missing != nil {
			return missing
		}
		return fmt.Errorf("in %q: %s", text, issues.Errors()[0].Message)
	}
	var wrong error
	ast.PreOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if wrong == nil {
			wrong = a.checkPart(e)
		}
	}))
	if wrong != nil {
		return fmt.Errorf("in %q: %w", text, wrong)
	}
	return nil
}

// missingField returns what is wrong with an expression that has a field which is not there.
func missingField(p, text string) (missing error) {
	env, err := typedEnvironment(p, func(of reflect.Type, field string) {
		if missing == nil {
			missing = fmt.Errorf("in %q: %w", text, unknown(fmt.Sprintf("a %s has no field %q", of.Name(), field),
				field, slices.Collect(maps.Keys(jsonFields(of)))))
		}
	})
	if err != nil {
		return err
	}
	_, _ = env.Compile(text)
	return missing
}

// checkPart looks at names of objects, conditions and phases.
func (a about) checkPart(e ast.Expr) error {
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		if s.Operand().Kind() == ast.IdentKind && !s.IsTestOnly() {
			return a.checkName(s.Operand().AsIdent(), s.FieldName())
		}
	case ast.CallKind:
		c := e.AsCall()
		if len(c.Args()) != 2 {
			return nil
		}
		word, isText := literal(c.Args()[1])
		switch of := c.Args()[0]; {
		case !isText:
		case c.FunctionName() == "_[_]" && of.Kind() == ast.IdentKind:
			return a.checkName(of.AsIdent(), word)
		case c.FunctionName() == "phase" && !slices.Contains(phases, word):
			return unknown(fmt.Sprintf("a pod has no phase %q", word), word, slices.Clone(phases))
		case c.FunctionName() == "done" && !slices.Contains(conditions, word):
			if near := spelling.Nearest(word, conditions); near != "" {
				return unknown(fmt.Sprintf("there is no condition %q", word), word, slices.Clone(conditions))
			}
		}
	}
	return nil
}

// checkName refuses an object that there never is.
func (a about) checkName(variable, name string) error {
	known, kind := names(nil), ""
	switch variable {
	case "jobs":
		known, kind = a.jobs, "Job"
	case "cronjobs":
		known, kind = a.cronJobs, "CronJob"
	}
	return known.check(kind, name)
}

func (n names) check(kind, name string) error {
	if n == nil || slices.Contains(n, name) {
		return nil
	}
	if len(n) == 0 {
		return mistake{fmt.Sprintf("there is no %s %q", kind, name), "create it in a step"}
	}
	return unknown(fmt.Sprintf("there is no %s %q", kind, name), name, slices.Clone(n))
}

func literal(e ast.Expr) (text string, ok bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok = e.AsLiteral().Value().(string)
	return text, ok
}

// phases are those that a pod can have.
var phases = []string{string(corev1.PodPending), string(corev1.PodRunning), string(corev1.PodSucceeded),
	string(corev1.PodFailed), string(corev1.PodUnknown)}

// conditions are those of the API. An object may have others.
var conditions = []string{string(batchv1.JobComplete), string(batchv1.JobFailed), string(batchv1.JobSuspended),
	string(batchv1.JobFailureTarget), string(batchv1.JobSuccessCriteriaMet), string(corev1.PodReady),
	string(corev1.PodInitialized), string(corev1.PodScheduled), string(corev1.ContainersReady),
	string(corev1.DisruptionTarget)}
