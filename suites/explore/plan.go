package explore

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"k8s.io/apimachinery/pkg/types"
)

// holdTime is how long events are kept back: longer than any controller collects
// changes before it looks at them.
const holdTime = 2 * time.Second

// troubleTime is how long the implementation stands still, the API server is away or slow, and a right is gone: long
// enough for several attempts of a controller that tries again at once.
const troubleTime = 3 * time.Second

// Disturbance is one thing that goes wrong in a run, or that a user does once something has
// happened. A call has no identity over runs, so that it is named by verb, resource and
// number: the second creation of a pod.
type Disturbance struct {
	// Fault is what goes wrong. Where a user acts, it does nothing, and says only when: at a
	// call, or at the end of a pod, which has the verb "end".
	//
	// "lose answer" does not mean a stale cache as well, which would be two faults: a watch
	// shows the write first. "hold" is for 2 s, whatever else takes time for 3 s.
	faultproxy.Fault
	// User is what a user does; empty where something goes wrong.
	User Action
}

// String is how it is written in a plan: "create pods 2: lose answer".
func (d Disturbance) String() string {
	if d.User != "" {
		return d.At() + ": " + string(d.User)
	}
	return d.Fault.String()
}

// Plan is all that goes wrong in one run; nothing, in an empty one.
type Plan []Disturbance

// String is what ParsePlan reads.
func (p Plan) String() string {
	var parts []string
	for _, d := range p {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, "; ")
}

// None is a plan in which nothing goes wrong.
const None = "none"

// ParsePlan reads a plan. The error is a *badinput.Error.
func ParsePlan(text string) (Plan, error) {
	if text == None {
		return nil, nil
	}
	var plan Plan
	for part := range strings.SplitSeq(text, ";") {
		d, err := parseDisturbance(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		plan = append(plan, d)
	}
	return plan, nil
}

func parseDisturbance(text string) (Disturbance, error) {
	at, do, _ := strings.Cut(text, ":")
	fault, err := faultproxy.ParseAt(at)
	if err != nil || fault.Nth == 0 || fault.Name != "" || !slices.Contains(plannedVerbs, fault.Verb) ||
		fault.Resource == "" {
		return Disturbance{}, badinput.New(fmt.Sprintf("%q is no fault of a plan", text),
			`write faults like "create pods 2: lose answer" or "watch pods 3: hold", with semicolons between`)
	}
	if do = strings.TrimSpace(do); strings.HasPrefix(do, changesField) && fault.Verb != "watch" {
		action, err := parseChange(do)
		return Disturbance{Fault: fault, User: action}, err
	}
	possible := possible(fault.Verb)
	for _, d := range possible {
		if d.does() == do {
			fault.Do = d.Do
			return Disturbance{Fault: fault, User: d.User}, nil
		}
	}
	fault.Do, err = faultproxy.ParseEffect(strings.TrimSpace(do))
	d := Disturbance{Fault: fault}
	if err == nil && slices.Contains(further[fault.Verb], fault.Do.Kind) && d.fault().Check() == nil {
		return d, nil
	}
	var names []string
	for _, d := range possible {
		names = append(names, d.does())
	}
	for _, kind := range further[fault.Verb] {
		names = append(names, string(kind)+" ...")
	}
	return Disturbance{}, badinput.New(fmt.Sprintf("%q cannot happen to a %s", do, fault.Verb),
		"let it be one of: "+strings.Join(names, ", "))
}

// further are what dimensions have happen at something with a verb, with their numbers.
var further = map[string][]faultproxy.EffectKind{"list": {faultproxy.Past}, "watch": {faultproxy.Order}}

// plannedVerbs are those at which something may go wrong, or a user may act.
var plannedVerbs = []string{"create", "update", "patch", "delete", "deletecollection", "list", "watch", "end"}

// possible returns what can happen at something with the verb.
func possible(verb string) (all []Disturbance) {
	for _, do := range slices.Concat(effects(verb), handOvers(verb), frozen(verb), answers(verb), rights(verb),
		webhooks(verb)) {
		all = append(all, Disturbance{Fault: faultproxy.Fault{Do: do}})
	}
	for _, do := range slices.Concat(actions(verb, "Job"), actions(verb, "CronJob"), others(verb, ""),
		nodes(verb, "")) {
		all = append(all, Disturbance{User: do})
	}
	return all
}

// does is what happens, without when.
func (d Disturbance) does() string { return cmp.Or(string(d.User), d.Do.String()) }

// effects are what can go wrong with something with the verb. The end of a pod cannot.
func effects(verb string) []faultproxy.Effect {
	switch verb {
	case "watch":
		return []faultproxy.Effect{{Kind: faultproxy.Hold}}
	case "list", "end":
		return nil
	}
	return []faultproxy.Effect{
		{Kind: faultproxy.Answer, Code: 500}, {Kind: faultproxy.LoseAnswer}, {Kind: faultproxy.KillBefore},
		{Kind: faultproxy.KillAfter},
	}
}

// handOvers are how another implementation can take over at something with the verb.
func handOvers(verb string) []faultproxy.Effect {
	switch verb {
	case "watch":
		return []faultproxy.Effect{{Kind: faultproxy.HandOver}}
	case "list", "end":
		return nil
	}
	return []faultproxy.Effect{{Kind: faultproxy.HandOverBefore}, {Kind: faultproxy.HandOverAfter}}
}

// lasts returns for how long it goes wrong; 0 for what is over at once.
func (d Disturbance) lasts() time.Duration {
	switch d.Do.Kind {
	case faultproxy.Hold, faultproxy.Past:
		return holdTime
	case faultproxy.Delay, faultproxy.FreezeBefore, faultproxy.FreezeAfter, faultproxy.Away, faultproxy.Deny,
		faultproxy.WebhookFails, faultproxy.WebhookSlow:
		return troubleTime
	}
	return 0
}

// retried is how long a controller may take for a request that was refused all the time while others went through:
// each of them may have doubled its delay, which is a minute at most with all that are known.
const retried = 2 * time.Minute

// refuses reports whether requests are refused for a while.
func (d Disturbance) refuses() bool {
	return slices.Contains([]faultproxy.EffectKind{faultproxy.Deny, faultproxy.Away, faultproxy.WebhookFails},
		d.Do.Kind)
}

// kills reports whether the implementation is killed, and it or another one is started.
func (d Disturbance) kills() bool {
	return slices.Contains([]faultproxy.EffectKind{faultproxy.KillBefore, faultproxy.KillAfter,
		faultproxy.HandOverBefore, faultproxy.HandOverAfter, faultproxy.HandOver}, d.Do.Kind)
}

// planned returns something that happens the n-th time that there is a call.
func planned(verb, resource string, n int) Disturbance {
	return Disturbance{Fault: faultproxy.Fault{Calls: faultproxy.Calls{Verb: verb, Resource: resource}, Nth: n}}
}

// watched are the resources whose events are held back.
var watched = []string{"jobs", "pods", "cronjobs"}

// Seen is what an undisturbed run did, by which it can be disturbed.
type Seen struct {
	// Writes are the numbers of calls, by "verb resource". Those that create or
	// change Events are left out: an Event is worth no second try by contract.
	Writes map[string]int `json:"writes"`
	// Events are how many each watched resource had.
	Events map[string]int `json:"events"`
	// Ended is how many pods ended.
	Ended int `json:"ended,omitempty"`
}

func seen(s *implementation.Proxied, h history.History) Seen {
	all := Seen{Writes: map[string]int{}, Events: map[string]int{}}
	ended := map[types.UID]bool{}
	for _, r := range h.Pods("") {
		if pod := r.Pod(); kinds.Ended(pod) && !ended[pod.UID] {
			ended[pod.UID] = true
			all.Ended++
		}
	}
	for _, c := range s.Calls() {
		if c.Write() && c.Resource != "events" && c.Resource != "leases" {
			all.Writes[c.Verb+" "+c.Resource]++
		}
	}
	for _, resource := range watched {
		if n := s.Events(resource); n > 0 {
			all.Events[resource] = n
		}
	}
	return all
}

// Plans are one for each fault that could have met the run.
func (s Seen) Plans() []Plan { return s.each(effects) }

// HandOvers are one for each write, before and after it, and for each event, at which another
// implementation could have taken over.
func (s Seen) HandOvers() []Plan { return s.each(handOvers) }

// Returns are up to n plans in which it is handed over twice, there and back, spread evenly over all pairs.
func (s Seen) Returns(n int) []Plan {
	var all []Plan
	plans := s.HandOvers()
	for i, first := range plans {
		for _, second := range plans[i+1:] {
			all = append(all, slices.Concat(first, second))
		}
	}
	return spread(all, n)
}

// each returns a plan for each effect at each write and each event.
func (s Seen) each(possible func(verb string) []faultproxy.Effect) []Plan {
	var plans []Plan
	add := func(verb, resource string, times int) {
		for n := range times {
			for _, do := range possible(verb) {
				fault := planned(verb, resource, n+1)
				fault.Do = do
				plans = append(plans, Plan{fault})
			}
		}
	}
	s.eachWrite(add)
	for _, resource := range sortedKeys(s.Events) {
		add("watch", resource, s.Events[resource])
	}
	return plans
}

// eachWrite calls do for each verb and resource, with the number of such writes.
func (s Seen) eachWrite(do func(verb, resource string, times int)) {
	for _, call := range sortedKeys(s.Writes) {
		verb, resource, _ := strings.Cut(call, " ")
		do(verb, resource, s.Writes[call])
	}
}

// Pairs are up to n plans of two faults, spread evenly over all pairs: of a write that
// fails or loses its answer with another one, or with a late event. Two crashes, or a crash
// and something else, show no more than one crash: what came before is gone.
func (s Seen) Pairs(n int) []Plan {
	faults := slices.DeleteFunc(s.Plans(), func(p Plan) bool { return p[0].kills() })
	var all []Plan
	for i, first := range faults {
		for _, second := range faults[i+1:] {
			a, b := first[0], second[0]
			bothHeld := a.Do.Kind == faultproxy.Hold && b.Do.Kind == faultproxy.Hold
			if a.At() != b.At() && !bothHeld {
				all = append(all, Plan{a, b})
			}
		}
	}
	return spread(all, n)
}

// spread returns up to n plans, evenly spread over all.
func spread(all []Plan, n int) []Plan {
	n = min(n, len(all))
	some := make([]Plan, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// tail is how long a run goes on in its end state, so that what was disturbed
// late is seen as well: a start takes a second, a late event its 2 s.
func (p Plan) tail() time.Duration {
	tail := 1500 * time.Millisecond
	for _, d := range p {
		tail = max(tail, d.lasts()+1500*time.Millisecond)
		switch {
		case d.Do.Kind == faultproxy.Order:
			tail = max(tail, holdTime+1500*time.Millisecond)
		case d.Do.Kind == faultproxy.Past:
			tail = max(tail, holdTime+3*time.Second)
		case d.kills():
			tail = max(tail, 3*time.Second)
		}
	}
	return tail
}

// Scenario is a scenario to be disturbed. Its last step awaits the end state that
// every conformant implementation reaches, whatever fault happens on the way, and
// stays in; nothing before it depends on what a fault may change, such as which of
// a Job's pods was created first.
type Scenario struct {
	Name     string
	Text     string // in YAML
	Scenario *scenario.Scenario
	// Since is the first version of Kubernetes that it is for, as in v1.32.0;
	// empty for all that the suites support.
	Since string
	// of is the dimension that it is for alone. Default: it is for all.
	of string
	// tailed is true where the steps check already that the end state lasts.
	tailed bool
}

// since are the versions in which fields that a scenario uses are on by default.
var since = map[string]string{"managed-by": "v1.32.0", "success-policy": "v1.31.0", "user-success-policy": "v1.31.0"}

// In reports whether it is for a version of Kubernetes.
func (s Scenario) In(v string) bool { return s.Since == "" || version.Satisfies(v, ">= "+s.Since) }

// Scenarios returns those whose names match, in order, and then those of dimensions; all of them for nil. The error
// is a *badinput.Error when there is none.
func Scenarios(which *regexp.Regexp, also ...Dimension) ([]Scenario, error) {
	entries, err := library.Explorations()
	if err != nil {
		return nil, err
	}
	of := make([]string, len(entries)) // by entry
	for _, d := range also {
		if d.scenarios == nil {
			continue
		}
		more, err := d.scenarios()
		if err != nil {
			return nil, err
		}
		for _, e := range more {
			entries, of = append(entries, e), append(of, d.Name)
		}
	}
	var all []Scenario
	var names []string
	for i, e := range entries {
		names = append(names, e.Name)
		if which != nil && !which.MatchString(e.Name) {
			continue
		}
		if e.Steps[len(e.Steps)-1].Await == "" {
			return nil, fmt.Errorf("the scenario %s does not end with an await", e.Name)
		}
		all = append(all, Scenario{Name: e.Name, Text: string(e.Text), Scenario: e.Scenario, Since: since[e.Name],
			of: of[i]})
	}
	if len(all) == 0 {
		return nil, badinput.New(fmt.Sprintf("no scenario matches %q", which),
			"choose some of "+strings.Join(names, ", "))
	}
	return all, nil
}

// Ending returns the scenario with another end state to await.
func (s Scenario) Ending(await string) Scenario {
	changed := *s.Scenario
	changed.Steps = slices.Clone(changed.Steps)
	changed.Steps[len(changed.Steps)-1].Await = await
	s.Scenario = &changed
	return s
}

// digest changes with the text of a scenario.
func (s Scenario) digest() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s.Text)))[:16] }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
