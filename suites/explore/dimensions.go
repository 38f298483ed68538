package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/suites/explore/fields"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"k8s.io/client-go/rest"
)

// Dimension is a kind of disturbance that an exploration takes in only where it is asked for: there are too many
// of them for every run.
type Dimension struct {
	Name  string // for users to choose it by
	About string // what happens, in a few words
	plans func(Seen, Scenario) []Plan
	// inTurn is true where the first plans are to be run. Default: some, evenly spread over all.
	inTurn bool
	// scenarios are for it alone. Default: it has none.
	scenarios func() ([]library.Entry, error)
}

// dimensions are all that there are.
var dimensions = []Dimension{
	ofFields,
	{Name: "past", About: "after a crash, lists show an older state, of one kind or of all, which then catches up",
		plans: Seen.pasts},
	{Name: "gentle",
		About: "a user deletes a pod, which goes on to its own end, and a write fails or the controller crashes",
		plans: Seen.gentle},
	{Name: "orders", About: "events of Jobs, Pods and CronJobs come in another order between the kinds",
		plans: Seen.orders},
	{Name: "frozen", About: "the implementation stands still for 3 s before or after a write, or the write takes 3 s",
		plans: func(s Seen, _ Scenario) []Plan { return s.each(frozen) }},
	{Name: "answers",
		About: "429, half an answer, GOAWAY, an API server that restarts; a watch that is closed, or expires",
		plans: func(s Seen, _ Scenario) []Plan { return s.each(answers) }},
	{Name: "rights", About: "a right to write, or to list and watch, is gone for 3 s",
		plans: func(s Seen, _ Scenario) []Plan { return s.each(rights) }},
	{Name: "others",
		About: "somebody takes labels, finalizers or the index from a pod, deletes it by force, or the namespace",
		plans: func(s Seen, sc Scenario) []Plan { return s.Others(sc) }},
	{Name: "webhooks", About: "an admission webhook on updates of pods fails for 3 s, or is slow",
		plans: func(s Seen, _ Scenario) []Plan {
			return slices.DeleteFunc(s.each(webhooks), func(p Plan) bool { return p[0].Resource != "pods" })
		}},
	{Name: "nodes", About: "the node of a pod is gone: it terminates for 3 s, and fails when it is deleted by force",
		plans: func(s Seen, sc Scenario) []Plan { return s.acts(sc, nodes) }},
}

// backs are by how many changes a list from the past is older than what the implementation had seen before.
var backs = []int{0, 1, 3, faultproxy.Everything}

// pasts are a crash at each write, with the lists of each watched resource, or of all of them, from the past. A program
// may be started twice then, which the documentation of Jobs allows for, and so only scenarios have them that end
// well with any number of pods.
func (s Seen) pasts(sc Scenario) (plans []Plan) {
	if !slices.Contains(users, sc.Name) {
		return nil
	}
	list := func(resource string, back int) Disturbance {
		d := planned("list", resource, 1)
		d.Do = faultproxy.Effect{Kind: faultproxy.Past, Back: back}
		return d
	}
	resources := sortedKeys(s.Events)
	s.eachWrite(func(verb, resource string, times int) {
		for n := range times {
			crash := planned(verb, resource, n+1)
			crash.Do.Kind = faultproxy.KillAfter
			for _, back := range backs {
				all := Plan{crash}
				for _, of := range resources {
					plans = append(plans, Plan{crash, list(of, back)})
					all = append(all, list(of, back))
				}
				if len(resources) > 1 {
					plans = append(plans, all)
				}
			}
		}
	})
	return plans
}

// gentle are the deletion of a pod that goes on after each write and each end of a pod, alone and beside a fault.
func (s Seen) gentle(sc Scenario) (plans []Plan) {
	if kind, _ := sc.object(); kind != "Job" || !slices.Contains(users, sc.Name) {
		return nil
	}
	faults := slices.DeleteFunc(s.Plans(), func(p Plan) bool {
		return p[0].Do.Kind != faultproxy.Answer && p[0].Do.Kind != faultproxy.KillBefore
	})
	add := func(verb, resource string, times int) {
		for n := range times {
			deletion := planned(verb, resource, n+1)
			deletion.User = DeletesGently
			plans = append(plans, Plan{deletion})
			for _, fault := range faults {
				plans = append(plans, slices.Concat(Plan{deletion}, fault))
			}
		}
	}
	s.eachWrite(add)
	add("end", "pods", s.Ended)
	return plans
}

// inOrder is of how many events the order is chosen.
const inOrder = 3

// orders are all orders of the kinds of some events, from each event on.
func (s Seen) orders(Scenario) (plans []Plan) {
	resources := sortedKeys(s.Events)
	all := []string{""}
	for range inOrder {
		var longer []string
		for _, order := range all {
			for _, next := range resources {
				longer = append(longer, strings.TrimSpace(order+" "+next))
			}
		}
		all = longer
	}
	for _, resource := range resources {
		for n := range s.Events[resource] {
			for _, order := range all {
				d := planned("watch", resource, n+1)
				d.Do = faultproxy.Effect{Kind: faultproxy.Order, Order: order}
				plans = append(plans, Plan{d})
			}
		}
	}
	return plans
}

// some returns up to n plans for a scenario.
func (d Dimension) some(seen Seen, s Scenario, n int) []Plan {
	plans := d.plans(seen, s)
	if d.inTurn {
		return plans[:min(n, len(plans))]
	}
	return spread(plans, n)
}

// Dimensions returns those with the names, or all of them for "all". The error is a *badinput.Error.
func Dimensions(names ...string) ([]Dimension, error) {
	if slices.Equal(names, []string{"all"}) {
		return dimensions, nil
	}
	var chosen []Dimension
	for _, name := range names {
		at := slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Name == name })
		if at < 0 {
			var all []string
			for _, d := range dimensions {
				all = append(all, d.Name)
			}
			return nil, badinput.New(fmt.Sprintf("%q is no dimension of exploration", name),
				"choose some of "+strings.Join(append(all, "all"), ", "))
		}
		chosen = append(chosen, dimensions[at])
	}
	return chosen, nil
}

// Unknown returns the fields that an API server has, and that the dimensions do not know.
func Unknown(of []Dimension, config *rest.Config) ([]string, error) {
	if !slices.ContainsFunc(of, func(d Dimension) bool { return d.Name == ofFields.Name }) {
		return nil, nil
	}
	schemas, err := fields.Served(config)
	if err != nil {
		return nil, err
	}
	return fields.Unknown(schemas)
}

// DimensionsHelp has a line for each.
func DimensionsHelp() string {
	var lines strings.Builder
	for _, d := range dimensions {
		fmt.Fprintf(&lines, "  %-9s %s\n", d.Name, d.About)
	}
	return lines.String()
}
