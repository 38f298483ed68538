package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cause is what broke in specs that failed.
type Cause struct {
	// Kind is requirement; request, where the API server refused one that is wrong in itself; exit, where
	// the implementation exited on its own; silence, where it did nothing with Jobs or CronJobs when it
	// was tried out; interference, where it did what is no controller's business; or harness, which does not count
	// against it.
	Kind causes.Kind `json:"kind"`
	// ID is that of the requirement that does not hold; of a silence, job or cronjob; of a request,
	// what it was, as in patch jobs/status: 422 status.conditions.
	ID string `json:"id,omitempty"`
	// Text says what broke: the sentence of the requirement, or what the API server answered.
	Text string `json:"text"`
	// Invariants are the IDs of those of the requirement that the specs broke.
	Invariants []string `json:"invariants,omitempty"`
	// Specs are those that it ended. One in which several things broke is in the largest cause only.
	Specs []string `json:"specs"`
	// NotVerified are the IDs of the requirements that are not verified because of it.
	NotVerified []string `json:"notVerified,omitempty"`
	// Example is the one of Specs that shows it with the least beside it.
	Example string `json:"example"`
	// Flaky is true where each of Specs passed when it ran once more, alone.
	Flaky bool `json:"flaky,omitempty"`
	// Since is the date of the first run in which it broke, of this one where it is new. Default: no earlier report
	// was given.
	Since *metav1.Time `json:"since,omitempty"`
}

func (c Cause) key() causes.Key { return causes.Key{Kind: c.Kind, ID: c.ID} }

// Name is how messages call it.
func (c Cause) Name() string { return c.key().String() }

// Sentence is the name, and what broke where the name does not say so.
func (c Cause) Sentence() string {
	sentence := c.Name()
	if c.Text != "" {
		sentence += ": " + c.Text
	}
	if c.Flaky {
		return "flaky: " + sentence
	}
	return sentence
}

// Count is how many specs it ended, as in "299 specs".
func (c Cause) Count() string {
	if len(c.Specs) == 1 {
		return "1 spec"
	}
	return fmt.Sprintf("%d specs", len(c.Specs))
}

// causesOf groups the failed specs, once the requirements are judged.
func (r *Report) causesOf(specs []spec.Spec, requirements []contract.Requirement) (all []Cause) {
	for _, group := range ladder.Owners(requirements).Group(specs) {
		c := Cause{Kind: group.Kind, ID: group.ID, Invariants: group.Invariants, Example: group.Example().Text}
		for _, s := range group.Specs {
			c.Specs = append(c.Specs, s.Text)
		}
		c.Flaky = !slices.ContainsFunc(group.Specs, func(s spec.Spec) bool { return s.Outcome() != spec.Flaky })
		if example := group.Example(); c.Kind == causes.Request {
			c.Text = example.Refusals[0].String()
		}
		for _, q := range r.Requirements {
			if q.ID == c.ID {
				c.Text = q.Text
			}
			if q.Outcome == spec.NotVerified && slices.ContainsFunc(q.Evidence, func(e Evidence) bool {
				return e.Elsewhere && slices.Contains(c.Specs, e.Spec)
			}) {
				c.NotVerified = append(c.NotVerified, q.ID)
			}
		}
		all = append(all, c)
	}
	return all
}

// rung is the number of the rung of what broke. What is no requirement of a controller is above all of them.
func (c Cause) rung() int {
	if _, number, _ := ladder.Find(c.ID); c.Kind == causes.Requirement && number > 0 {
		return number
	}
	return math.MaxInt
}

// Begin returns the cause to begin with: of those that are not flaky, the largest, if that is no requirement, and
// else the one on the lowest rung. It is nil where no spec failed.
func (r *Report) Begin() *Cause {
	all := slices.DeleteFunc(slices.Clone(r.Causes), func(c Cause) bool { return c.Flaky })
	if len(all) == 0 {
		all = r.Causes
	}
	if len(all) == 0 {
		return nil
	}
	begin := all[0]
	if begin.Kind == causes.Requirement {
		begin = slices.MinFunc(all, func(a, b Cause) int { return cmp.Compare(a.rung(), b.rung()) })
	}
	return &begin
}

// cause returns the one that ended a spec; nil if none did.
func (r *Report) cause(text string) *Cause {
	i := slices.IndexFunc(r.Causes, func(c Cause) bool { return slices.Contains(c.Specs, text) })
	if i < 0 {
		return nil
	}
	return &r.Causes[i]
}

// Headline says in a line what broke, what was flaky, and where to begin; nothing where neither was.
func (r *Report) Headline() string {
	broken, flaky := 0, 0
	for _, q := range r.Requirements {
		switch q.Outcome {
		case NonConformant:
			broken++
		case spec.Flaky:
			flaky++
		}
	}
	if broken+flaky == 0 || len(r.Causes) == 0 {
		return ""
	}
	var waiting []string
	for _, c := range r.Causes {
		waiting = append(waiting, c.NotVerified...)
	}
	text := fmt.Sprintf("%d of %d requirements broken", broken, len(r.Requirements))
	switch {
	case broken == 0:
		text = fmt.Sprintf("%d of %d requirements flaky", flaky, len(r.Requirements))
	case flaky > 0:
		text += fmt.Sprintf(", %d flaky", flaky)
	}
	if n := len(sorted(waiting)); n > 0 {
		text += fmt.Sprintf(", %d not verified because of them", n)
	}
	return fmt.Sprintf("%s; begin with %s: %s", text, r.Begin().Name(), r.Begin().Count())
}

// How much of the causes is printed at the end of a run.
const (
	printedCauses      = 8
	printedCausesShort = 5
	namedSpecs         = 3 // of a cause that has not more
)

// PrintCauses prints what broke, the largest cause first, where to read on, what passed without its situation, and
// what has changed since the earlier report: the first causes, with an example each, where the detail is short or
// quiet. The page is the path of index.html. It prints nothing where there is none of that.
func (r *Report) PrintCauses(out io.Writer, page string, detail record.Detail) {
	if len(r.Causes) > 0 || r.Earlier != nil {
		fmt.Fprintln(out)
	}
	if len(r.Causes) > 0 {
		r.printCauses(out, page, detail)
	}
	if idle := r.idle(); len(idle) > 0 {
		fmt.Fprintf(out, "\npassed without its situation: %s\n", console.Hanging(strings.Join(idle, ", "), 4))
	}
	r.printChanges(out)
}

// idle names the conformant requirements with a situation that never arose, as in "JOB-A-001 (pod-failed)".
func (r *Report) idle() (all []string) {
	for _, q := range r.Requirements {
		for _, s := range q.Situations {
			if q.Outcome == Conformant && s.Times == 0 {
				all = append(all, fmt.Sprintf("%s (%s)", q.ID, s.Name))
			}
		}
	}
	return all
}

func (r *Report) printCauses(out io.Writer, page string, detail record.Detail) {
	if headline := r.Headline(); headline != "" {
		fmt.Fprintln(out, console.Hanging(headline, 4))
	}
	causesShown, specsShown := printedCauses, namedSpecs
	if detail == record.Short || detail == record.Quiet {
		causesShown, specsShown = printedCausesShort, 1
	}
	for i, c := range r.Causes {
		if i == causesShown {
			fmt.Fprintf(out, "  and %d more\n", len(r.Causes)-i)
			break
		}
		sentence := c.Sentence()
		if age := r.Age(c.Since, ""); age != "" {
			sentence = "(" + age + ") " + sentence
		}
		fmt.Fprintf(out, "%11s  %s\n", c.Count(), console.Hanging(sentence, 13))
		named := c.Specs
		if len(named) > specsShown {
			named = []string{c.Example}
		}
		for _, text := range named {
			fmt.Fprintln(out, console.Indent(text, 15))
		}
	}
	read := "all of it: " + page
	if c := r.Begin(); c.Kind == causes.Requirement && c.Text != "" {
		read = fmt.Sprintf("more about it: %s %s; %s", console.Program("explain"), c.ID, read)
	}
	fmt.Fprintln(out, console.Hanging(strings.TrimSpace(read), 4))
}
