package report

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	annotate(out, run.applicable())
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	return r.Summarize(file)
}

// Fold folds what is printed until end is called, in a step of GitHub Actions.
func Fold(out io.Writer, title string) (end func()) {
	if !onGitHub() {
		return func() {}
	}
	fmt.Fprintf(out, "::group::%s\n", title)
	return func() { fmt.Fprintln(out, "::endgroup::") }
}

// listed is how many specs are annotated, and named in each list of a summary. GitHub shows
// ten annotations of each kind and step.
const listed = 10

// annotate prints commands of GitHub Actions: an error for each red spec, and a warning for
// each with that outcome.
func annotate(out io.Writer, specs []spec.Spec) {
	count := map[string]int{}
	for _, s := range specs {
		command := "error"
		switch {
		case s.Outcome() == spec.Warning:
			command = "warning"
		case !s.Outcome().Red():
			continue
		}
		if count[command]++; count[command] > listed {
			continue
		}
		title := "title=" + property.Replace(cmp.Or(strings.Join(s.Requirements, " "), string(s.Outcome())))
		message := strings.TrimSpace(s.Text + "\n" + strings.TrimSpace(s.Reason()) + "\n" + s.Where())
		fmt.Fprintf(out, "::%s %s%s::%s\n", command, place(s.Location), title, data.Replace(message))
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
		return fmt.Sprintf("file=%s,line=%d,", property.Replace(name), at.Line)
	}
	return ""
}

// Summarize writes the report in short, as Markdown.
func (r *Report) Summarize(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", strings.TrimSpace(r.Implementation.Name+" "+r.Implementation.Version), r.Result)
	fmt.Fprintf(&b, "Kubernetes %s (%s), %s: %s\n\n", r.Cluster.KubernetesVersion, r.Cluster.Kind, r.Duration.Duration,
		r.Count())
	for _, crash := range r.Crashes {
		fmt.Fprintf(&b, "The implementation crashed while %d specs ran:\n\n```\n%s\n```\n\n", len(crash.Specs), crash)
	}
	if len(r.LackingRights) > 0 {
		fmt.Fprintf(&b, "The role of the implementation lacks: %s\n\n", strings.Join(r.LackingRights, ", "))
	}
	if r.HarnessError != "" {
		fmt.Fprintf(&b, "No verdict: %s\n\n", firstLine(r.HarnessError))
	}
	r.list(&b, "Broken requirements", NonConformant)
	for _, issue := range r.UnexpectedPasses {
		fmt.Fprintf(&b, "- **unexpected pass**: %s\n", issue.Remedy)
	}
	r.list(&b, "Flaky requirements", spec.Flaky)
	r.list(&b, "Warnings", spec.Warning)
	if len(r.KnownIssues) > 0 {
		b.WriteString("#### Known issues\n\n")
		for _, issue := range r.KnownIssues {
			fmt.Fprintf(&b, "- %s: %s\n", cmp.Or(issue.Issue, "unreported"), issue.Text)
		}
		b.WriteString("\n")
	}
	if declined := r.declined(); len(declined) > 0 {
		b.WriteString("#### Declined requirements\n\n")
		for _, e := range declined {
			fmt.Fprintf(&b, "- %s: %s\n", e.Requirement, e.Decline)
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
