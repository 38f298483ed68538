package report

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
)

func TestPageIsOneFileThatNeedsNothingElse(t *testing.T) {
	r := judge(
		spec("a <b> & c", broken, "JOB-A-002"), spec("b", passed, "JOB-A-001"), spec("i", notRun, "JOB-I-001"))
	r.Implementation.Name = "<script>alert(1)</script>"
	text, err := Page(r, map[string]Picture{"b": {SVG: `<svg class="tl"></svg>`, Again: "make e2e FOCUS='b'"}})
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, bad := range []string{"<script>alert", "src=", "@import", "url(", "<link rel=\"stylesheet", "a <b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q in it", bad)
		}
	}
	for _, good := range []string{
		`id="JOB-A-001"`, `data-outcome="non-conformant"`, `href="#spec-a--b----c"`, `id="spec-a--b----c"`, `<svg class="tl">`,
		"1 passed, 1 failed, 1 not verified", "make e2e FOCUS=",
	} {
		if !strings.Contains(page, good) {
			t.Errorf("the page lacks %q", good)
		}
	}
	// Every link within the page leads somewhere.
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+m[1]+`"`) {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
}

// Of 400 specs with pictures of 10 kB each, about as large as they get.
func TestPageOfManySpecsStaysSmall(t *testing.T) {
	var specs []protocol.Spec
	pictures := map[string]Picture{}
	for i := range 400 {
		name := fmt.Sprintf("spec %d does what it says", i)
		specs = append(specs, spec(name, passed, "JOB-A-001", "JOB-A-002"))
		pictures[name] = Picture{SVG: template.HTML("<svg>" + strings.Repeat("<circle/>", 1100) + "</svg>")}
	}
	text, err := Page(judge(specs...), pictures)
	if err != nil {
		t.Fatal(err)
	}
	if limit := 5 << 20; len(text) > limit {
		t.Errorf("the page has %d bytes, more than %d", len(text), limit)
	}
}
