package requests

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// log is what an API server writes for six requests, as WithAudit asks.
const log = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/a/pods","verb":"create","user":{"username":"u"},"objectRef":{"resource":"pods","namespace":"a","apiVersion":"v1"},"responseStatus":{"code":201}}
{"requestURI":"/api/v1/namespaces/a/pods","verb":"create","objectRef":{"resource":"pods","namespace":"a"},"responseStatus":{"code":409}}
{"requestURI":"/apis/batch/v1/namespaces/a/jobs/j/status","verb":"update","objectRef":{"resource":"jobs","namespace":"a","name":"j","subresource":"status"}}
{"requestURI":"/apis/batch/v1/jobs?watch=true","verb":"watch","objectRef":{"resource":"jobs"}}
{"requestURI":"/apis/batch/v1/jobs?limit=500","verb":"list","objectRef":{"resource":"jobs"}}
{"requestURI":"/version","verb":"get"}
`

var want = Counts{
	{"create", "pods", 0}:        1,
	{"create", "pods", 409}:      1,
	{"update", "jobs/status", 0}: 1,
	{"list", "jobs", 0}:          1,
	{"get", "/version", 0}:       1,
}

func TestCounterTakesPiecesOfAnySize(t *testing.T) {
	for _, size := range []int{1, 7, 100, len(log)} {
		var c Counter
		for rest := log; rest != ""; {
			n := min(size, len(rest))
			_, _ = c.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if got := c.Counts(); !maps.Equal(got, want) || c.Err() != nil {
			t.Errorf("in pieces of %d: %v (%v), want %v", size, got, c.Err(), want)
		}
	}
}

func TestSumsAndDifference(t *testing.T) {
	if want.Total() != 5 || want.Writes() != 3 {
		t.Errorf("%d in all, %d writes; want 5 and 3", want.Total(), want.Writes())
	}
	more := want.Since(Counts{{"create", "pods", 0}: 1, {"list", "jobs", 0}: 1})
	if !maps.Equal(more, Counts{{"create", "pods", 409}: 1, {"update", "jobs/status", 0}: 1,
		{"get", "/version", 0}: 1}) {
		t.Errorf("difference %v", more)
	}
}

func TestCounterKeepsWhatItCannotCount(t *testing.T) {
	for _, line := range []string{"panic: no JSON", `{"kind":"Event"}`} {
		var c Counter
		_, _ = c.Write([]byte(log + line + "\n" + log))
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), line[2:6]) {
			t.Errorf("error %v, want one with the line %q", err, line)
		}
	}
}

func TestQuietWaitsForAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Counter
		begin := time.Now()
		go func() {
			for range 5 {
				time.Sleep(800 * time.Millisecond)
				_, _ = c.Write([]byte(log))
			}
		}()
		if err := c.Quiet(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("quiet after %s, want 4 s of requests and a second", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c.Quiet(ctx, time.Minute) == nil {
			t.Error("quiet although it was given up")
		}
	})
}
