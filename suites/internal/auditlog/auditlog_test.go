package auditlog

import (
	"slices"
	"strings"
	"testing"
)

// log is what an API server writes for three requests.
const log = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","requestURI":"/api/v1/namespaces/a/pods","verb":"create","user":{"username":"u"},"userAgent":"me/v1","objectRef":{"resource":"pods","namespace":"a","apiVersion":"v1"},"responseStatus":{"code":201}}
{"requestURI":"/apis/batch/v1/namespaces/a/jobs/j/status","verb":"update","objectRef":{"resource":"jobs","namespace":"a","name":"j","subresource":"status"}}
{"requestURI":"/version","verb":"get"}
`

func TestEventsOfPiecesOfAnySize(t *testing.T) {
	for _, size := range []int{1, 7, 100, len(log)} {
		var l Log
		var got []string
		for piece := range slices.Chunk([]byte(log), size) {
			events, err := l.Add(piece)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				got = append(got, e.Verb+" "+e.Resource())
			}
		}
		if want := []string{"create pods", "update jobs/status", "get /version"}; !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

func TestFieldsOfAnEvent(t *testing.T) {
	var l Log
	events, err := l.Add([]byte(log))
	if err != nil || len(events) != 3 {
		t.Fatal(events, err)
	}
	if e := events[0]; e.UserAgent != "me/v1" || e.ObjectRef.Namespace != "a" || e.ResponseStatus.Code != 201 {
		t.Errorf("%+v", e)
	}
}

func TestLinesThatAreNoEvents(t *testing.T) {
	for _, line := range []string{"panic: no JSON", `{"kind":"Event"}`} {
		var l Log
		events, err := l.Add([]byte(log + line + "\n" + log))
		if err == nil || !strings.Contains(err.Error(), line[2:6]) {
			t.Errorf("error %v, want one with the line %q", err, line)
		}
		if len(events) != 6 {
			t.Errorf("%d events beside the line %q, want 6", len(events), line)
		}
	}
}
