package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// The requests of an implementation that specs share are in no history; a timeline shows those of its namespace.
func TestTimelinesShowRequestsThatFailed(t *testing.T) {
	h := sample(1)
	file := filepath.Join(t.TempDir(), "a"+history.Suffix)
	if err := history.Save(file, history.About{Namespace: "mine"}, h); err != nil {
		t.Fatal(err)
	}
	at := func(ms int, namespace spec.Namespace) spec.Occurrence {
		return spec.Occurrence{At: h.Start().Add(time.Duration(ms) * time.Millisecond), Namespace: namespace}
	}
	var p Picture
	if err := p.add(file, []spec.Refusal{
		{Verb: "update", Resource: "jobs/status", Name: "a", Code: 422, Message: "it is wrong",
			First: []spec.Occurrence{at(300, "mine"), at(310, "others")}},
		{Verb: "create", Resource: "pods", Code: 403, Message: "quota", First: []spec.Occurrence{at(200, "mine")}},
	}); err != nil {
		t.Fatal(err)
	}
	if len(p.Timelines) != 1 || p.Timelines[0].Revisions == "" {
		t.Fatalf("%+v", p.Timelines)
	}
	svg := string(p.Timelines[0].SVG)
	quota, status := strings.Index(svg, "0.200s create pods mine/: 403 quota"),
		strings.Index(svg, "0.300s update jobs/status mine/a: 422 it is wrong")
	if strings.Count(svg, `class="r"`) != 2 || quota < 0 || status < quota {
		t.Errorf("the picture shows the requests at %d and %d: %s", quota, status, svg)
	}
}

func TestADamagedHistoryCostsATimeline(t *testing.T) {
	folder := t.TempDir()
	damaged := filepath.Join(folder, "a"+history.Suffix)
	if err := os.WriteFile(damaged, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := ended("a", failed, "JOB-PARALLELISM-001")
	s.Histories = []spec.HistoryFile{spec.HistoryFile(damaged), spec.HistoryFile(filepath.Join(folder, "gone"))}
	run := Run{Run: record.Run{Specs: []spec.Spec{s}}}
	r, err := Publish(folder, run, spec.KeepAll, func(string) string { return "" })
	if err != nil || r.Result != ResultNonConformant {
		t.Fatalf("%+v, %v", r, err)
	}
	page, err := os.ReadFile(filepath.Join(folder, PageName))
	if err != nil || strings.Count(string(page), "There is no timeline: ") != 2 {
		t.Errorf("the page does not say that timelines are missing (%v)", err)
	}
}

func TestPicturesFitIntoAPage(t *testing.T) {
	room := 100
	for _, c := range []struct {
		size int
		fits bool
	}{{60, true}, {60, false}, {40, true}, {1, false}} {
		p := Picture{Timelines: []Timeline{{SVG: template.HTML(strings.Repeat("x", c.size-1)), Revisions: "x"}}}
		if p.fit(&room); (len(p.Timelines) == 1) != c.fits || (p.Details == "") != c.fits {
			t.Errorf("of %d bytes: %+v", c.size, p)
		}
	}
}

func TestThePageAllowsItsOwnScript(t *testing.T) {
	page, err := Page(judge(ended("a", broken, "JOB-A-002")), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(page), "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	// Attributes are read after + is &#43;.
	want := `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; ` +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + `'"`
	if !strings.Contains(html.UnescapeString(string(page)), want) || strings.Count(string(page), "<script>") != 1 {
		t.Errorf("it does not allow %s", want)
	}
}
