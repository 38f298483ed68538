package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// apiPage documents the Go types of the API with their comments, field by field.
const apiPage = "https://pkg.go.dev/k8s.io/api/batch/v1#"

var sources = []struct {
	pattern *regexp.Regexp
	url     string
}{
	{regexp.MustCompile(`KEP-([0-9]+)`), "https://github.com/kubernetes/enhancements/issues/$1"},
	{regexp.MustCompile(`kubernetes/kubernetes#([0-9]+)`), "https://github.com/kubernetes/kubernetes/issues/$1"},
	{regexp.MustCompile(`docs: ([a-z0-9/-]+)(#[a-z0-9-]+)?`), "https://kubernetes.io/docs/$1/$2"},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.ttlSecondsAfterFinished`), apiPage + "$1.TTLSecondsAfterFinished"},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.metadata`), apiPage + "$1.ObjectMeta"},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.([a-z])(\w+)`), apiPage},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)`), apiPage + "$1"},
}

// Links makes links, in Markdown, of the parts of a Source that have a page.
func Links(source string) string {
	var b strings.Builder
	for _, p := range Parts(source) {
		if p.URL == "" {
			b.WriteString(p.Text)
		} else {
			fmt.Fprintf(&b, "[%s](%s)", p.Text, p.URL)
		}
	}
	return b.String()
}

// IsAbout reports whether a field of batch/v1's CronJob, such as status.active, is a source of the
// requirement. Of a field of its template, such as spec.jobTemplate.spec.suspend, only requirements of
// CronJobs are.
func (r Requirement) IsAbout(path string) bool {
	for _, section := range []struct{ prefix, kind string }{
		{"spec.jobTemplate.spec.", "JobSpec."}, {"spec.", "CronJobSpec."}, {"status.", "CronJobStatus."},
	} {
		if name, below := strings.CutPrefix(path, section.prefix); below {
			return (section.kind != "JobSpec." || r.Profile() == CronJob) && r.cites("batch/v1 "+section.kind+name)
		}
	}
	return false
}

// IsAboutJobs is IsAbout for a field of batch/v1's Job, such as status.active, and requirements of Jobs. It is also
// true where that field has to do with a situation or the feature of the requirement.
func (r Requirement) IsAboutJobs(path string) bool {
	section, name, _ := strings.Cut(path, ".")
	of := map[string]string{"spec": "JobSpec.", "status": "JobStatus."}[section]
	matches := slices.Contains(r.Situations, spec.PodWithoutOwner) || slices.Contains(r.Situations, spec.PodUnmatched)
	return r.Profile() == Job && (r.cites("batch/v1 "+of+name) || r.Feature == FeatureOf(path) ||
		path == "spec.selector" && matches)
}

// RecordsTime reports whether the annotation with the scheduled time of Jobs is a source of the requirement.
func (r Requirement) RecordsTime() bool {
	return r.cites("batch/v1 CronJobScheduledTimestampAnnotation")
}

func (r Requirement) cites(source string) bool {
	return slices.ContainsFunc(Parts(r.Source), func(p Part) bool { return p.Text == source })
}

// Field is a field of a type of batch/v1, by the names of the type in Go and of the field in JSON: JobSpec and
// parallelism.
type Field struct{ Type, Name string }

func (f Field) String() string { return f.Type + "." + f.Name }

var fieldSource = regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.([a-z]\w*)`)

// Fields returns the fields of batch/v1 that are a source of the requirement, which covers them.
func (r Requirement) Fields() (all []Field) {
	for _, match := range fieldSource.FindAllStringSubmatch(r.Source, -1) {
		all = append(all, Field{match[1], match[2]})
	}
	return all
}

// Part is a piece of a Source. URL is the page it names, empty if it names none.
type Part struct{ Text, URL string }

// Parts splits a Source into pieces that make it up again.
func Parts(source string) []Part {
	var parts []Part
	for source != "" {
		start, end, url := nextLink(source)
		if start > 0 {
			parts = append(parts, Part{Text: source[:start]})
		}
		if url == "" {
			break
		}
		parts = append(parts, Part{source[start:end], url})
		source = source[end:]
	}
	return parts
}

// nextLink is the first part of a source that has a page.
func nextLink(source string) (start, end int, url string) {
	start = len(source)
	for _, s := range sources {
		at := s.pattern.FindStringSubmatchIndex(source)
		if at == nil || at[0] >= start {
			continue
		}
		start, end = at[0], at[1]
		url = string(s.pattern.ExpandString(nil, s.url, source, at))
		if s.url == apiPage { // a field's name in Go begins with a capital
			url += source[at[2]:at[3]] + "." + strings.ToUpper(source[at[4]:at[5]]) + source[at[6]:at[7]]
		}
	}
	return start, end, url
}
