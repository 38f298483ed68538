package explore

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"k8s.io/apimachinery/pkg/types"
)

// What a Fault may do, beside what a user does. A hold is for the verb watch, the others
// are for writes.
const (
	Fail       = "answer 500"  // the write does not go through
	LoseAnswer = "lose answer" // it does, and only a watch shows that
	KillBefore = "kill before" // the implementation is killed before it, or after it,
	KillAfter  = "kill after"  // and is started again at once
	Hold       = "hold"        // the event, and all of its resource after it, comes 2 s late
)

// holdTime is how long events are kept back: longer than any controller collects
// changes before it looks at them.
const holdTime = 2 * time.Second

// Fault is one thing that goes wrong in a run, or that a user does once something has
// happened. A call has no identity over runs, so that it is named by verb, resource and
// number: the second creation of a pod.
type Fault struct {
	Verb     string // create, update, patch, delete, deletecollection; or watch; or end, of a pod
	Resource string // with its subresource: "jobs/status"
	Nth      int    // counted from 1
	Do       string
}

// String is how a Fault is written in a plan: "create pods 2: lose answer".
func (f Fault) String() string { return fmt.Sprintf("%s %s %d: %s", f.Verb, f.Resource, f.Nth, f.Do) }

// Plan is all that goes wrong in one run; nothing, in an empty one.
type Plan []Fault

// String is what ParsePlan reads.
func (p Plan) String() string {
	var parts []string
	for _, f := range p {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, "; ")
}

var faultForm = regexp.MustCompile(`^(create|update|patch|delete|deletecollection|watch|end) ([a-z]+(?:/[a-z]+)?) ([1-9][0-9]{0,4}): *(.+)$`)

// None is a plan in which nothing goes wrong.
const None = "none"

// ParsePlan reads a plan. The error is a *badinput.Error.
func ParsePlan(text string) (Plan, error) {
	if text == None {
		return nil, nil
	}
	var plan Plan
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		m := faultForm.FindStringSubmatch(part)
		if m == nil {
			return nil, badinput.New(fmt.Sprintf("%q is no fault of a plan", part), `write faults like "create pods 2: lose answer" or "watch pods 3: hold", with semicolons between`)
		}
		n, err := strconv.Atoi(m[3])
		f := Fault{Verb: m[1], Resource: m[2], Nth: n, Do: m[4]}
		possible := slices.Concat(doings(f.Verb), actions(f.Verb, "Job"), actions(f.Verb, "CronJob"))
		if err != nil || !slices.Contains(possible, f.Do) {
			return nil, badinput.New(fmt.Sprintf("%q cannot happen to a %s", f.Do, f.Verb), "let it be one of: "+strings.Join(possible, ", "))
		}
		plan = append(plan, f)
	}
	return plan, nil
}

func doings(verb string) []string {
	switch verb {
	case "watch":
		return []string{Hold}
	case "end":
		return nil
	}
	return []string{Fail, LoseAnswer, KillBefore, KillAfter}
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
func (s Seen) Plans() []Plan {
	var plans []Plan
	add := func(verb, resource string, times int) {
		for n := range times {
			for _, do := range doings(verb) {
				plans = append(plans, Plan{{Verb: verb, Resource: resource, Nth: n + 1, Do: do}})
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
	faults := slices.DeleteFunc(s.Plans(), func(p Plan) bool { return p[0].Do == KillBefore || p[0].Do == KillAfter })
	var all []Plan
	for i, first := range faults {
		for _, second := range faults[i+1:] {
			sameCall := first[0].Verb == second[0].Verb && first[0].Resource == second[0].Resource && first[0].Nth == second[0].Nth
			if bothHeld := first[0].Do == Hold && second[0].Do == Hold; !sameCall && !bothHeld {
				all = append(all, Plan{first[0], second[0]})
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
	for _, f := range p {
		switch f.Do {
		case Hold:
			tail = holdTime + 1500*time.Millisecond
		case KillBefore, KillAfter:
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
	// tailed is true where the steps check already that the end state lasts.
	tailed bool
}

// since are the versions in which fields that a scenario uses are on by default.
var since = map[string]string{"managed-by": "v1.32.0", "success-policy": "v1.31.0", "user-success-policy": "v1.31.0"}

// In reports whether it is for a version of Kubernetes.
func (s Scenario) In(v string) bool { return s.Since == "" || version.Satisfies(v, ">= "+s.Since) }

// Scenarios returns those whose names match, in order; all of them for nil. The error
// is a *badinput.Error when there is none.
func Scenarios(which *regexp.Regexp) ([]Scenario, error) {
	entries, err := library.Explorations()
	if err != nil {
		return nil, err
	}
	var all []Scenario
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
		if which != nil && !which.MatchString(e.Name) {
			continue
		}
		if e.Steps[len(e.Steps)-1].Await == "" {
			return nil, fmt.Errorf("the scenario %s does not end with an await", e.Name)
		}
		all = append(all, Scenario{Name: e.Name, Text: string(e.Text), Scenario: e.Scenario, Since: since[e.Name]})
	}
	if len(all) == 0 {
		return nil, badinput.New(fmt.Sprintf("no scenario matches %q", which), "choose some of "+strings.Join(names, ", "))
	}
	return all, nil
}

// digest changes with the text of a scenario.
func (s Scenario) digest() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s.Text)))[:16] }
