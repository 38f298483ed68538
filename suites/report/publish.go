package report

import (
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
)

// Publish judges a run and writes report.yaml, junit.xml and index.html into a folder, and
// shard.json where the run is a shard. The
// page has a timeline of every saved history; then those that keep does not select are removed.
// again returns the command that runs one spec again, by its text.
func Publish(folder string, run Run, keep spec.Keep, again func(spec string) string) (*Report, error) {
	pictures := map[string]Picture{}
	run.Histories = map[string]string{}
	var unwell []spec.Spec
	for _, s := range run.Specs {
		if s.Failed || len(s.Missed) > 0 {
			unwell = append(unwell, s)
		}
	}
	logged := logsOf(folder, unwell)
	room := limits.Pictures
	for _, s := range run.Specs {
		p := Picture{Again: again(s.Text)}
		if s.Failed || len(s.Missed) > 0 {
			p.Refused, p.Details = s.Refused(reportRefusals), details(s, logged)
		}
		for _, file := range s.Histories {
			var err error
			if why := p.add(string(file), s.Refusals); why != nil {
				p.Details += fmt.Sprintf("There is no timeline: %v\n", why)
				continue
			}
			switch {
			case keep.Saves(s.Failed || len(s.Missed) > 0):
				run.Histories[s.Text], err = filepath.Rel(folder, string(file))
			default:
				err = os.Remove(string(file))
			}
			if err != nil {
				return nil, err
			}
		}
		p.fit(&room)
		pictures[s.Text] = p
	}
	r := Judge(run, table.All())
	if err := writeAll(folder, run, r, pictures); err != nil {
		return nil, err
	}
	return r, writeShard(folder, run, pictures)
}

// add draws a saved history, judged once more. The refusals are those of its spec.
func (p *Picture) add(file string, refusals []spec.Refusal) error {
	about, h, err := history.Load(file)
	if err != nil {
		return err
	}
	violations := invariants.Check(h, invariants.OptionsFor(about)...)
	if len(h.Calls) == 0 { // no proxy of the spec has seen them
		h.Calls = calls(refusals, about.Namespace)
	}
	//nolint:gosec // escaped there
	p.Timelines = append(p.Timelines, Timeline{template.HTML(timeline.SVG(h, violations)), timeline.Revisions(h)})
	return nil
}

// calls are the requests of refusals in a namespace, in the order of their times.
func calls(refusals []spec.Refusal, namespace string) (all []history.Call) {
	for _, r := range refusals {
		for _, o := range r.First {
			if string(o.Namespace) == namespace {
				all = append(all, history.Call{At: o.At, Verb: r.Verb, Resource: r.Resource, Namespace: namespace,
					Name: r.Name, Code: r.Code, Message: r.Message})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b history.Call) int { return a.At.Compare(b.At) })
	return all
}
