package profile

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

const auditLog = `{"verb":"create","userAgent":"jobconformance (a Job runs)","requestURI":"/x","objectRef":{"resource":"jobs","namespace":"ns-1","name":"a"}}
{"verb":"patch","userAgent":"kwok/v0.8.0 (linux/amd64) kubernetes/$Format","requestURI":"/x","objectRef":{"resource":"pods","subresource":"status","namespace":"ns-1"}}
{"verb":"get","userAgent":"kube-controller-manager/v1.37.1 (linux/amd64) kubernetes/abc/system:serviceaccount:kube-system:namespace-controller","requestURI":"/apis?timeout=32s"}
`

const metrics = `# TYPE apiserver_watch_events_total counter
apiserver_watch_events_total{group="",resource="pods",version="v1"} 7
# TYPE etcd_requests_total counter
etcd_requests_total{group="",operation="get",resource="pods"} 3
`

func TestRequestsAreCounted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(metrics))
	}))
	defer server.Close()
	var r Requests
	for _, piece := range strings.SplitAfter(auditLog, "u") { // in pieces, as pipes do
		if n, err := r.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	var out strings.Builder
	if err := r.Print(t.Context(), &out, &rest.Config{Host: server.URL}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"3 requests, by user agent", " create jobs\n",
		"2  a Job runs\n", "1  (no spec)\n", "get /apis", "patch pods/status", "7  pods\n", "3  get pods\n",
	} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "\t", " "), line) {
			t.Errorf("%q is missing", line)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
