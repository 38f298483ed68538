package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// fakeAPI is an API server with one CronJob that is due, a Lease, and nothing
// else. It records the requests, and may delay requests.
type fakeAPI struct {
	*httptest.Server
	mu       sync.Mutex
	stored   []byte // the Lease
	holder   string
	requests chan string // writes, in order
	// delayCreation is closed to let the creation of a Job be answered.
	delayCreation chan struct{}
}

const dueCronJob = `{"apiVersion": "batch/v1", "kind": "CronJob",
	"metadata": {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:00Z"},
	"spec": {"schedule": "0 0 * * *", "concurrencyPolicy": "Allow", "jobTemplate": {}}}`

func newFakeAPI(t *testing.T) *fakeAPI {
	a := &fakeAPI{requests: make(chan string, 1000), delayCreation: make(chan struct{})}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, query := r.URL.Path, r.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case query.Get("sendInitialEvents") != "": // a server that is too old for it
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422}`)
	case query.Get("watch") != "":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case strings.Contains(path, "/leases"):
		a.lease(w, r)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/cronjobs"):
		fmt.Fprintf(w,
			`{"apiVersion": "batch/v1", "kind": "CronJobList", "metadata": {"resourceVersion": "5"}, "items": [%s]}`,
			dueCronJob)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/cronjobs/a"):
		fmt.Fprint(w, dueCronJob)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/jobs"):
		fmt.Fprint(w, `{"apiVersion": "batch/v1", "kind": "JobList", "metadata": {"resourceVersion": "5"}}`)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/pods"):
		fmt.Fprint(w, `{"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "5"}}`)
	default:
		body, _ := io.ReadAll(r.Body)
		a.requests <- r.Method + " " + path
		if r.Method == http.MethodPost && strings.HasSuffix(path, "/jobs") {
			<-a.delayCreation
		}
		_, _ = w.Write(body)
	}
}

// lease stores whose the Lease is.
func (a *fakeAPI) lease(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == http.MethodGet && a.stored != nil {
		_, _ = w.Write(a.stored)
		return
	}
	if r.Method == http.MethodGet {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var lease struct {
		Spec struct{ HolderIdentity string }
	}
	_ = json.Unmarshal(body, &lease)
	a.holder, a.stored = lease.Spec.HolderIdentity, body
	a.requests <- r.Method + " lease of " + a.holder
	_, _ = w.Write(body)
}

func (a *fakeAPI) await(t *testing.T, what string) {
	t.Helper()
	for {
		select {
		case got := <-a.requests:
			if strings.Contains(got, what) {
				return
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no request %q", what)
		}
	}
}

// TestShutdown: on a signal what is under way is ended, in this case the start of
// a Job with its record, then the Lease is given back.
func TestShutdown(t *testing.T) {
	api := newFakeAPI(t)
	ctx, signal := context.WithCancel(t.Context())
	port := listen(t)
	port.Close()
	code := make(chan int)
	var stderr bytes.Buffer
	go func() {
		code <- execute(ctx, []string{"--kubeconfig=" + kubeconfig(t, api.URL),
			"--metrics-bind-address=" + port.Addr().String(),
			"--kube-api-content-type=application/json", "--controllers=cronjob"}, io.Discard, &stderr)
	}()
	api.await(t, "POST lease of ")
	api.await(t, "POST /apis/batch/v1/namespaces/ns/jobs")
	checkMetrics(t, "http://"+port.Addr().String())
	signal()
	close(api.delayCreation)
	api.await(t, "PUT /apis/batch/v1/namespaces/ns/cronjobs/a/status")
	if got := <-code; got != exitStopped {
		t.Errorf("exit code %d: %s", got, stderr.String())
	}
	api.mu.Lock()
	defer api.mu.Unlock()
	if api.holder != "" {
		t.Errorf("the Lease is still that of %s", api.holder)
	}
}

// checkMetrics asks for metrics with the names that kube-controller-manager has.
func checkMetrics(t *testing.T, url string) {
	_, metrics := get(t, url+"/metrics")
	for _, want := range []string{
		"go_goroutines", "process_start_time_seconds",
		`workqueue_depth{name="cronjob"}`, `rest_client_requests_total{code="200"`,
		`leader_election_master_status{name="jobconformance-reference"} 1`,
		"cronjob_controller_job_creation_skew_duration_seconds_count",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
}

// TestEventsAreLimited: one object's events are cut after 25, those of others are
// not delayed.
func TestEventsAreLimited(t *testing.T) {
	api := fake.NewClientset()
	seen := make(chan string, 1000)
	api.PrependReactor("create", "events", func(action clienttesting.Action) (bool, runtime.Object, error) {
		seen <- action.(clienttesting.CreateAction).GetObject().(*corev1.Event).InvolvedObject.Name
		return false, nil, nil
	})
	w := newWork(options{controllers: []string{"*"}},
		clients{informers: api, job: api, cronJob: api, events: api, lease: api})
	recorder, about := w.recorder("test"), func(name string) runtime.Object {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: "u"}}
	}
	w.startEvents()
	defer w.endEvents()
	for n := range 100 {
		recorder.Event(about("noisy"), corev1.EventTypeNormal, fmt.Sprint("Reason", n), "message")
	}
	recorder.Event(about("quiet"), corev1.EventTypeNormal, "Reason", "message")
	noisy := 0
	for name := range seen {
		if name == "quiet" {
			break
		}
		noisy++
	}
	if noisy == 0 || noisy > 25 {
		t.Errorf("%d events about one object", noisy)
	}
}
