package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// onGitHub reports whether the program runs in a step of GitHub Actions.
func onGitHub() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// GitHub prints annotations of a run in a step of GitHub Actions, and appends to the summary
// of the step. Elsewhere it does nothing.
func GitHub(out io.Writer, run Run, r *Report) error {
	if !onGitHub() {
		return nil
	}
	annotate(console.Raw(out), run.applicable(), r)
	return errors.Join(appendTo(os.Getenv("GITHUB_STEP_SUMMARY"), r.Summarize),
		appendTo(os.Getenv("GITHUB_OUTPUT"), r.outputs))
}

// appendTo has write write to the end of a file; nothing where the path is empty.
func appendTo(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// outputs writes those of a step: the result, and how many specs ended in each way, as in not-verified=3.
func (r *Report) outputs(out io.Writer) error {
	_, err := fmt.Fprintf(out, "result=%s\n", r.Result)
	for _, o := range SpecOutcomes() {
		_, wrong := fmt.Fprintf(out, "%s=%d\n", strings.ReplaceAll(string(o), " ", "-"), r.Specs[o])
		err = cmp.Or(err, wrong)
	}
	return err
}

// Fold folds what is printed until end is called, in a step of GitHub Actions.
func Fold(out io.Writer, title string) (end func()) {
	if !onGitHub() {
		return func() {}
	}
	out = console.Raw(out)
	fmt.Fprintf(out, "::group::%s\n", data.Replace(title))
	return func() { fmt.Fprintln(out, "::endgroup::") }
}

// listed is how many causes and specs are annotated, and named in each list of a summary. GitHub shows
// ten annotations of each kind and step.
const listed = 10

// annotate prints commands of GitHub Actions: an error for each cause, and for each red spec without
// one, and a warning for each spec with that outcome.
func annotate(out io.Writer, specs []spec.Spec, r *Report) {
	count := map[string]int{}
	print := func(command, title string, s spec.Spec) {
		if count[command]++; count[command] > listed {
			return
		}
		message := strings.TrimSpace(s.Text + "\n" + strings.TrimSpace(s.Reason()) + "\n" + s.Where())
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", command, place(s.Location), property.Replace(console.Escape(title)),
			data.Replace(console.Escape(message)))
	}
	for _, c := range r.Causes {
		example := slices.IndexFunc(specs, func(s spec.Spec) bool { return s.Text == c.Example })
		print("error", c.Name()+", "+c.Count(), specs[example])
	}
	for _, s := range specs {
		title := cmp.Or(strings.Join(s.Requirements, " "), string(s.Outcome()))
		switch {
		case s.Outcome() == spec.Warning:
			print("warning", title, s)
		case s.Outcome().Red() && r.cause(s.Text) == nil:
			print("error", title, s)
		}
	}
}

// How commands of GitHub Actions escape their text, and their properties.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// place returns the properties file and line of a location that is in the repository of the
// workflow; empty for others, as where another repository's workflow runs the suites. A path of
// this module is looked for in the working directory and in the folder of the workflow.
func place(at spec.Source) string {
	workspace := os.Getenv("GITHUB_WORKSPACE")
	if at.IsZero() || workspace == "" {
		return ""
	}
	file := filepath.FromSlash(at.File)
	if !filepath.IsAbs(file) {
		work, _ := os.Getwd()
		roots := []string{work, workspace}
		i := slices.IndexFunc(roots, func(root string) bool {
			_, err := os.Stat(filepath.Join(root, file))
			return err == nil
		})
		if i < 0 {
			return ""
		}
		file = filepath.Join(roots[i], file)
	}
	if name, err := filepath.Rel(workspace, file); err == nil && filepath.IsLocal(name) {
		return fmt.Sprintf("file=%s,line=%d,", property.Replace(console.Escape(name)), at.Line)
	}
	return ""
}

// shownInterferences is how many a summary has.
const shownInterferences = 10

// Summarize writes the report in short, as Markdown.
func (r *Report) Summarize(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s, %s\n\n",
		markdown(strings.TrimSpace(r.Implementation.Name+" "+r.Implementation.Version)), r.Result.Word(), r.Result)
	fmt.Fprintf(&b, "Kubernetes %s (%s), %s: %s\n\n", markdown(r.Cluster.KubernetesVersion), r.Cluster.Kind,
		r.Duration.Duration, r.Count())
	for _, crash := range r.Crashes {
		fmt.Fprintf(&b, "The implementation crashed while %d specs ran:\n\n%s\n\n", len(crash.Specs),
			fenced(crash.String()))
	}
	for _, i := range r.Interferences[:min(len(r.Interferences), shownInterferences)] {
		fmt.Fprintf(&b, "%s\n\n", markdown(i.String()))
	}
	if not := r.NotWatched(); not != "" {
		fmt.Fprintf(&b, "%s\n\n", not)
	}
	if r.Leaders != nil {
		fmt.Fprintf(&b, "%s\n\n", markdown(r.Leaders.String()))
	}
	if len(r.LackingRights) > 0 {
		fmt.Fprintf(&b, "The role of the implementation lacks: %s\n\n", markdown(strings.Join(r.LackingRights, ", ")))
	}
	if r.HarnessError != "" {
		fmt.Fprintf(&b, "No verdict: %s\n\n", markdown(firstLine(r.HarnessError)))
	}
	if r.Incomplete != "" {
		fmt.Fprintf(&b, "The run is incomplete: %s. Specs not run: %d\n\n", markdown(r.Incomplete), len(r.NotRun))
	}
	if changes := r.Changes(); changes != "" {
		fmt.Fprintf(&b, "%s%s\n\n", strings.ToUpper(changes[:1]), changes[1:])
	}
	r.listCauses(&b)
	r.list(&b, "Broken requirements", NonConformant)
	for _, issue := range r.UnexpectedPasses {
		fmt.Fprintf(&b, "- **unexpected pass**: %s\n", markdown(issue.Remedy))
	}
	r.list(&b, "Flaky requirements", spec.Flaky)
	r.list(&b, "Warnings", spec.Warning)
	if len(r.KnownIssues) > 0 {
		b.WriteString("#### Known issues\n\n")
		for _, issue := range r.KnownIssues {
			fmt.Fprintf(&b, "- %s: %s\n", markdown(cmp.Or(issue.Issue, "unreported")), markdown(issue.Text))
		}
		b.WriteString("\n")
	}
	if declined := r.declined(); len(declined) > 0 {
		b.WriteString("#### Declined requirements\n\n")
		for _, e := range declined {
			fmt.Fprintf(&b, "- %s: %s\n", e.Requirement, markdown(e.Decline))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| profile | core | extended |\n|---|---|---|\n")
	for _, p := range r.Profiles {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Name, p.Core.Result, p.Extended.Result)
	}
	b.WriteString("\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// inMarkdown is how text of others has no other meaning in Markdown, nor any lines.
var inMarkdown = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]",
	"|", "\\|", "~", "\\~", "@", "&#64;", "&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ")

func markdown(text string) string { return inMarkdown.Replace(console.Escape(text)) }

// fenced returns a text as a block of code, which ends with it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + console.Escape(text) + "\n" + fence
}

// listCauses says what broke, the largest cause first.
func (r *Report) listCauses(b *strings.Builder) {
	if len(r.Causes) == 0 {
		return
	}
	if headline := r.Headline(); headline != "" {
		fmt.Fprintf(b, "**%s**\n\n", markdown(headline))
	}
	fmt.Fprintf(b, "| specs | cause | not verified because of it | for example |\n|---|---|---|---|\n")
	for i, c := range r.Causes {
		if i == listed {
			fmt.Fprintf(b, "| | and %d more | | |\n", len(r.Causes)-i)
			break
		}
		name := "**" + markdown(c.Name()) + "**"
		if age := r.Age(c.Since, ""); age != "" {
			name += " (" + age + ")"
		}
		fmt.Fprintf(b, "| %d | %s %s | %d requirements | %s |\n", len(c.Specs), name, markdown(c.Text),
			len(c.NotVerified), markdown(c.Example))
	}
	b.WriteString("\n")
	if c := r.Begin(); c.Kind == causes.Requirement && c.Text != "" {
		fmt.Fprintf(b, "`jobconformance explain %s` says where to begin. To check it alone:\n\n%s\n\n"+
			"The whole report is in the folder of the reports, `%s`.\n\n", c.ID, fenced(r.command(c.ID)), PageName)
	}
}

// command checks one requirement with the flags of the run.
func (r *Report) command(id string) string {
	return strings.Join(append(r.words(), console.Argument("requirement", id)), " ")
}

// words are those of the command line of the run, with the flags in alphabetical order.
func (r *Report) words() []string {
	words := []string{"jobconformance run"}
	for _, name := range slices.Sorted(maps.Keys(r.Flags)) {
		words = append(words, console.Argument(name, r.Flags[name]))
	}
	return words
}

// declined are the first requirements that the user declines, with the reasons.
func (r *Report) declined() (all []Expectation) {
	for _, e := range r.Selection.Expectations {
		if e.Decline != "" && len(all) < listed {
			all = append(all, e)
		}
	}
	return all
}

// list names the first requirements with an outcome, with their sources.
func (r *Report) list(b *strings.Builder, title string, outcome Outcome) {
	n := 0
	for _, q := range r.Requirements {
		if q.Outcome != outcome {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(b, "#### %s\n\n", title)
		}
		if n <= listed {
			fmt.Fprintf(b, "- **%s** %s (%s)\n", q.ID, q.Text, contract.Links(q.Source))
		}
	}
	if n > listed {
		fmt.Fprintf(b, "- and %d more\n", n-listed)
	}
	if n > 0 {
		b.WriteString("\n")
	}
}
