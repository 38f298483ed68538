package report

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
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
