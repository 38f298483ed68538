package report

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestRevision(t *testing.T) {
	for version, want := range map[string]string{
		"":                        "main",
		"v0.1.0":                  "v0.1.0",
		"v0.2.0-rc.1":             "v0.2.0-rc.1",
		"41c1ae6":                 "41c1ae6",
		"41c1ae6-dirty":           "41c1ae6",
		"v0.1.0-dirty":            "v0.1.0",
		"v0.1.0-3-g41c1ae6-dirty": "41c1ae6",
		"v0.1.1+dirty":            "v0.1.1",
		"v0.0.0-20261122082455-abb7f16bfe01+dirty": "abb7f16bfe01",
		"v0.1.1-0.20261122082455-abb7f16bfe01":     "abb7f16bfe01",
	} {
		if got := revision(version); got != want {
			t.Errorf("%q is %q, want %q", version, got, want)
		}
	}
}

func TestPageLinksToTheCodeOfSpecs(t *testing.T) {
	at := func(s spec.Spec, file string) spec.Spec {
		s.Source = spec.Source{File: file, Line: 40}
		return s
	}
	r := judge(at(ended("a", broken, "JOB-A-001"), "suites/job/a.go"), at(ended("b", passed, "JOB-A-001"), "/src/b.go"),
		ended("c", passed, "JOB-A-001"))
	r.SuiteVersion = "v0.1.0"
	text, err := Page(r, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, requirement, _ := strings.Cut(page, `id="JOB-A-001"`)
	requirement, _, _ = strings.Cut(requirement, "</details>")
	_, section, _ := strings.Cut(page, `id="spec-a"`)
	section, _, _ = strings.Cut(section, "</details>")
	link := `<a class="id" href="https://github.com/jobconformance/jobconformance/blob/v0.1.0/suites/job/a.go#L40">suites/job/a.go:40</a>`
	if !strings.Contains(requirement, link) || !strings.Contains(section, link) {
		t.Errorf("the page lacks %s in the requirement or the spec:\n%s\n%s", link, requirement, section)
	}
	if other := `<span class="id">/src/b.go:40</span>`; !strings.Contains(requirement, other) {
		t.Errorf("the page lacks %s:\n%s", other, requirement)
	}
	if strings.Count(requirement, ":40") != 2 {
		t.Errorf("a spec without a source has one:\n%s", requirement)
	}
}
