package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Check refuses a scenario that cannot be run, with the line of the step in
// the error if it was read from a file.
func (s *Scenario) Check() error {
	if err := s.checkHead(); err != nil {
		return err
	}
	plan := &plan{held: map[string]bool{}}
	plan.findNames(s.Steps)
	for i := range s.Steps {
		step := &s.Steps[i]
		if err := plan.check(step); err != nil {
			where := fmt.Sprintf("step %d", i+1)
			if step.line > 0 {
				where = fmt.Sprintf("line %d", step.line)
			}
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// checkHead looks at everything but the steps.
func (s *Scenario) checkHead() error {
	wrong := func(field, format string, values ...any) error {
		line := cmp.Or(s.lines[field], 1)
		return fmt.Errorf("line %d: %s: %s", line, field, fmt.Sprintf(format, values...))
	}
	switch err := version.Check(s.Affected); {
	case strings.TrimSpace(s.Description) == "" || strings.Contains(strings.TrimSpace(s.Description), "\n"):
		return wrong("description", "it must be one line")
	case s.Issue < 0:
		return wrong("issue", "%d is no number of an issue", s.Issue)
	case s.Pull < 0:
		return wrong("pull", "%d is no number of a pull request", s.Pull)
	case s.Key != "" && (s.Issue > 0 || !keyPattern.MatchString(s.Key)):
		return wrong("key", "%q is no name such as missed-run-lost, or there is an issue as well", s.Key)
	case err != nil:
		return wrong("affected", "%s", err)
	case s.Implementation != "" && s.Implementation != Later:
		return wrong("implementation", "%q is not %q", s.Implementation, Later)
	case s.Component != "" && !slices.Contains(components, s.Component):
		return wrong("component", "%q is none of %s", s.Component, strings.Join(components, ", "))
	case len(s.Steps) == 0:
		return wrong("steps", "there are none")
	}
	for field, version := range map[string]string{"red": s.Red, "green": s.Green} {
		if version != "" && !versionPattern.MatchString(version) {
			return wrong(field, "%q is no version such as v1.36.1", version)
		}
	}
	for job, text := range s.Ends {
		if _, err := parseEnds(text); err != nil {
			return wrong("ends", "%s: %s", job, err)
		}
	}
	for _, f := range s.Faults {
		if err := f.Check(); err != nil {
			return wrong("faults", "%s", err)
		}
	}
	for _, feature := range s.Uses {
		if known := features(); !slices.Contains(known, feature) {
			return mistake{wrong("uses", "unknown feature %q", feature).Error(), spelling.Remedy(feature, known,
				"use some of "+strings.Join(known, ", "))}
		}
	}
	for _, gate := range s.Gates {
		if known := gateNames(); !slices.Contains(known, string(gate)) {
			return mistake{wrong("gates", "unknown feature gate %q", gate).Error(), spelling.Remedy(string(gate), known,
				"use some of "+strings.Join(known, ", "))}
		}
	}
	for _, id := range s.Except {
		var known []string
		for _, i := range invariants.Invariants() {
			known = append(known, i.ID)
		}
		if !slices.Contains(known, id) {
			return mistake{wrong("except", "unknown invariant %q", id).Error(), spelling.Remedy(id, known,
				"jobconformance explain lists all")}
		}
	}
	return nil
}

// features returns those that an implementation may decline.
func features() (all []string) {
	for _, f := range contract.Features() {
		if f != contract.Core {
			all = append(all, string(f))
		}
	}
	return all
}

func gateNames() (all []string) {
	for _, g := range gates.All() {
		all = append(all, string(g.Gate))
	}
	return all
}

// Values of Scenario.Component.
const (
	KubeControllerManager = "kube-controller-manager"
	KubeAPIServer         = spec.KubeAPIServer
)

var (
	components     = []string{KubeControllerManager, KubeAPIServer}
	versionPattern = regexp.MustCompile(`^v1\.[0-9]+\.[0-9]+$`)
	keyPattern     = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
)

// in says which field an error is about.
func in(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", field, err)
}

// plan is what the steps so far have done.
type plan struct {
	held map[string]bool
	cut  bool

	about       // of all steps
	pods  names // that steps create
}

// findNames notes which objects the steps create. Jobs of a CronJob have names that are not known, and so may
// what comes of a custom resource.
func (p *plan) findNames(steps []Step) {
	created, open := map[string]names{"Job": {}, "CronJob": {}, "Pod": {}}, map[string]bool{}
	for _, step := range steps {
		if step.Create == nil {
			continue
		}
		kind, name := kindOf(step.Create.Object), step.Create.GetName()
		_, custom := step.Create.Object.(*unstructured.Unstructured)
		open["Job"] = open["Job"] || custom || kind == "CronJob"
		open["CronJob"] = open["CronJob"] || custom
		open[kind] = open[kind] || name == "" // an expression, or a name that the API server makes
		created[kind] = append(created[kind], name)
	}
	for kind := range open {
		if open[kind] {
			created[kind] = nil
		}
	}
	p.jobs, p.cronJobs, p.pods = created["Job"], created["CronJob"], created["Pod"]
}

// checkNamed refuses a name of an object that there never is.
func (p *plan) checkNamed(step *Step) error {
	kind, name := "", ""
	switch {
	case step.Answers >= 400: // as it may be meant
	case step.Patch != nil:
		kind, name = step.Patch.Kind, step.Patch.Name
	case step.Delete != nil:
		kind, name = step.Delete.Kind, step.Delete.Name
	}
	known, limited := map[string]names{"Job": p.jobs, "CronJob": p.cronJobs, "Pod": p.pods}[kind]
	if !limited || name == "" {
		return nil
	}
	return known.check(kind, name)
}

func (p *plan) check(step *Step) error {
	if actions := step.actions(); len(actions) != 1 {
		if len(actions) == 0 {
			return fmt.Errorf("the step does nothing")
		}
		return fmt.Errorf("a step does one thing, this one %s", strings.Join(actions, ", "))
	}
	if err := step.checkAdditions(); err != nil {
		return err
	}
	switch {
	case step.Create != nil:
		return in("create", checkExpressions(step.Create.open, p.about.check))
	case step.Patch != nil:
		return cmp.Or(step.Patch.check(p.about), in("patch", p.checkNamed(step)))
	case step.Delete != nil:
		return cmp.Or(step.Delete.check(p.about), in("delete", p.checkNamed(step)))
	case step.Direct != nil:
		return step.Direct.check(p.about)
	case step.Fault != nil:
		return in("fault", step.Fault.Check())
	case step.Await != "", step.May != "", step.Stays != "", step.Always != "":
		when, text := step.expects()
		e, err := compile(text)
		if err == nil && e.measures && (when == always || when == may) {
			err = errNotWatched
		}
		if err == nil {
			err = p.about.check(text)
		}
		return in(step.actions()[0], err)
	case step.Clear != "":
		return oneOf("clear", step.Clear, "faults")
	case step.Namespace != "":
		return oneOf("namespace", step.Namespace, "delete")
	case step.Implementation != "":
		return oneOf("implementation", step.Implementation, "start", "stop", "kill", "restart")
	}
	return p.checkNetwork(step)
}

func (p *plan) checkNetwork(step *Step) error {
	for field, resource := range map[string]string{"hold": step.Hold, "held": step.Held, "release": step.Release,
		"expire": step.Expire} {
		if resource != "" && !slices.Contains(faultproxy.Watched, resource) {
			return oneOf(field, resource, faultproxy.Watched...)
		}
	}
	switch {
	case step.Hold != "" && p.held[step.Hold]:
		return fmt.Errorf("hold: %s are held already", step.Hold)
	case step.Hold != "":
		p.held[step.Hold] = true
	case step.Held != "" && !p.held[step.Held]:
		return fmt.Errorf("held: %s are not held", step.Held)
	case step.Release != "" && !p.held[step.Release]:
		return fmt.Errorf("release: %s are not held", step.Release)
	case step.Release != "":
		p.held[step.Release] = false
	case step.Network == "cut" && p.cut, step.Network == "restored" && !p.cut:
		return fmt.Errorf("network: it is %s already", step.Network)
	case step.Network != "":
		p.cut = step.Network == "cut"
		return oneOf("network", step.Network, "cut", "restored")
	case step.Pause < 0 || step.Pause > 10*time.Minute:
		return fmt.Errorf("pause: %s is not between 0 and 10m", step.Pause)
	}
	return nil
}

// actions are the names of the fields that do something.
func (step *Step) actions() []string {
	var names []string
	v, all := reflect.ValueOf(*step), actionFields()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if slices.Contains(all, name) && !v.Field(i).IsZero() {
			names = append(names, name)
		}
	}
	return names
}

// actionFields are the names of all fields of a step that do something. The others add to these.
func actionFields() []string {
	return slices.DeleteFunc(yamlFields(reflect.TypeFor[Step]()), func(name string) bool {
		return slices.Contains([]string{"answers", "orAnswers", "ifAny", "within", "for"}, name)
	})
}

func (step *Step) checkAdditions() error {
	asks := step.Create != nil || step.Patch != nil || step.Delete != nil
	switch {
	case step.Answers != 0 && !asks:
		return fmt.Errorf("answers: it goes with create, patch and delete")
	case step.Answers != 0 && (step.Answers < 200 || step.Answers > 599):
		return fmt.Errorf("answers: %d is no status code", step.Answers)
	case step.OrAnswers != 0 && !asks:
		return fmt.Errorf("orAnswers: it goes with create, patch and delete")
	case step.OrAnswers != 0 && (step.OrAnswers < 400 || step.OrAnswers > 599):
		return fmt.Errorf("orAnswers: %d is no status code of a refusal", step.OrAnswers)
	case step.IfAny && step.which() == "":
		return fmt.Errorf("ifAny: it goes with which")
	case step.Within != 0 && step.Await == "" && step.May == "" && step.Direct == nil && step.Held == "" &&
		step.which() == "":
		return fmt.Errorf("within: it goes with await, may, direct, held and which")
	case step.For != 0 && step.Stays == "":
		return fmt.Errorf("for: it goes with stays")
	case step.Within < 0 || step.For < 0:
		return fmt.Errorf("a time must not be negative")
	}
	return nil
}

// which is the expression that a patch or a delete has in the place of a name.
func (step *Step) which() string {
	switch {
	case step.Patch != nil:
		return step.Patch.Which
	case step.Delete != nil:
		return step.Delete.Which
	}
	return ""
}

func checkKind(field, version, kind, name string) error {
	if _, known := kinds.Namespaced(kind); !known && version == "" || kind == "" {
		return fmt.Errorf("%s: unknown kind %q: give it with its apiVersion", field, kind)
	}
	if name == "" {
		return fmt.Errorf("%s: it has no name", field)
	}
	return nil
}

func (d *Delete) check(a about) error {
	if err := oneOf("delete: propagation", d.Propagation, "", "Background", "Foreground", "Orphan"); err != nil {
		return err
	}
	if d.Force && d.Kind != "Pod" {
		return fmt.Errorf("delete: force is for a Pod, not for a %s", d.Kind)
	}
	return a.checkObject("delete", d.APIVersion, d.Kind, d.Name, d.Which)
}

func (p *Patch) check(a about) error {
	if err := cmp.Or(checkExpressions(p.Merge, a.check), p.checkFields()); err != nil {
		return in("patch: merge", err)
	}
	return a.checkObject("patch", p.APIVersion, p.Kind, p.Name, p.Which)
}

// checkFields refuses fields that an object of the kind does not have: the API server would ignore them.
func (p *Patch) checkFields() error {
	gvk, known := kinds.Namespaced(p.Kind)
	if !known || p.APIVersion != "" {
		return nil
	}
	fields := withoutExpressions(p.Merge)
	fields["apiVersion"], fields["kind"] = gvk.GroupVersion().String(), gvk.Kind
	fields, _, err := asJSON(fields)
	if err != nil {
		return err
	}
	object, wrong, err := decode(fields)
	if wrong != nil {
		return unknownPath(object, wrong)
	}
	return err
}

// checkObject wants an object to be chosen by its name, or by an expression.
func (a about) checkObject(field, version, kind, name, which string) error {
	switch {
	case which == "":
		return checkKind(field, version, kind, name)
	case kind != "Pod" && kind != "Job":
		return fmt.Errorf("%s: which is for a Pod or a Job, not for a %s", field, kind)
	case name != "":
		return fmt.Errorf("%s: it has a name and which", field)
	}
	a.p = kind
	return in(field+": which", a.checkWhich(which))
}

func (t *Direct) check(a about) error {
	if t.Pods < 0 {
		return fmt.Errorf("direct: %d pods are none to direct", t.Pods)
	}
	if len(t.annotations()) == 0 {
		return fmt.Errorf("direct: it says nothing")
	}
	if t.Which == "" {
		return nil
	}
	return in("direct: which", a.checkWhich(t.Which))
}

func oneOf(field, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	allowed = slices.DeleteFunc(slices.Clone(allowed), func(a string) bool { return a == "" })
	return unknown(fmt.Sprintf("%s: %q is none of %s", field, value, strings.Join(allowed, ", ")), value, allowed)
}
