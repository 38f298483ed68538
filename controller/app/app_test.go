package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// kubeconfig writes a kubeconfig for a server.
func kubeconfig(t *testing.T, server string) string {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": %q}}],
		"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
		"users": [{"name": "u", "user": {}}]}`, server)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func listen(t *testing.T) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// TestBadStart: what cannot work is refused in one line that says what to do.
func TestBadStart(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	busy, gone := listen(t), listen(t)
	gone.Close()
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("one\n: two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	forbidden := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintln(w,
			`{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "jobs is forbidden"}`)
	}))
	t.Cleanup(forbidden.Close)
	nowhere := "--kubeconfig=" + kubeconfig(t, "http://"+gone.Addr().String())

	for what, c := range map[string]struct {
		args []string
		want []string
	}{
		"unknown flag": {[]string{"--kubecfg=x"}, []string{"--kubecfg", "--help"}},
		"argument":     {[]string{"start"}, []string{`"start"`, "--help"}},
		"verbosity":    {[]string{"-v=much"}, []string{"much", "--help"}},
		"no workers": {[]string{"--concurrent-job-syncs=0"},
			[]string{"--concurrent-job-syncs", "more than 0"}},
		"no requests":       {[]string{"--kube-api-qps=0"}, []string{"--kube-api-qps", "more than 0", "-1"}},
		"requests of noise": {[]string{"--kube-api-qps=NaN"}, []string{"--kube-api-qps", "more than 0"}},
		"no burst":          {[]string{"--kube-api-burst=-1"}, []string{"--kube-api-burst", "more than 0"}},
		"content type": {[]string{"--kube-api-content-type=text/html"},
			[]string{"--kube-api-content-type", "protobuf", "json"}},
		"unknown controller": {[]string{"--controllers=job,pods"}, []string{`"pods"`, "cronjob"}},
		"managed by a word":  {[]string{"--managed-by=mine"}, []string{"--managed-by", `"mine"`}},
		"no controllers":     {[]string{"--controllers="}, []string{"--controllers", "job, cronjob"}},
		"none left": {[]string{"--controllers=*,-job,-cronjob"},
			[]string{"--controllers", "nothing to run"}},
		"no lease namespace": {[]string{"--leader-elect-resource-namespace="}, []string{"resourceNamespace"}},
		"no lease name":      {[]string{"--leader-elect-resource-name="}, []string{"resourceName"}},
		"lease of another sort": {[]string{"--leader-elect-resource-lock=configmaps"},
			[]string{"--leader-elect-resource-lock", "leases"}},
		"lease that is short": {[]string{"--leader-elect-lease-duration=1s"}, []string{"leaseDuration"}},
		"no cluster":          {nil, []string{"give --kubeconfig"}},
		"missing kubeconfig":  {[]string{"--kubeconfig=/no/such/file"}, []string{"/no/such/file", "give --kubeconfig"}},
		"kubeconfig of noise": {[]string{"--kubeconfig=" + garbage}, []string{garbage, "give --kubeconfig"}},
		"server not there": {[]string{nowhere, "--metrics-bind-address=0"},
			[]string{gone.Addr().String(), "refused", "see that the API server runs"}},
		"server says no": {[]string{"--kubeconfig=" + kubeconfig(t, forbidden.URL), "--metrics-bind-address=0"},
			[]string{"forbidden", "credentials"}},
		"busy port": {[]string{nowhere, "--metrics-bind-address=" + busy.Addr().String()},
			[]string{"in use", "--metrics-bind-address"}},
		"port out of range": {[]string{nowhere, "--metrics-bind-address=:99999"},
			[]string{"99999", "--metrics-bind-address"}},
	} {
		t.Run(what, func(t *testing.T) {
			var stderr bytes.Buffer
			if code := execute(t.Context(), c.args, io.Discard, &stderr); code != exitBadStart {
				t.Errorf("exit code %d, want %d", code, exitBadStart)
			}
			said := stderr.String()
			if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, name+": ") {
				t.Errorf("%q is not one line of ours", said)
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q lacks %q", said, want)
				}
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout bytes.Buffer
	if code := execute(t.Context(), []string{"--help"}, &stdout, io.Discard); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"--kubeconfig", "-v, ", "Exit codes", "--leader-elect-resource-namespace",
		"--kube-api-qps", "-1 is"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%s is not explained", want)
		}
	}
}

// TestStop: a signal ends the work at once, whatever the API server does.
func TestStop(t *testing.T) {
	for _, leaderElect := range []string{"true", "false"} {
		t.Run("leader-elect="+leaderElect, func(t *testing.T) {
			ctx, signal := context.WithCancel(t.Context())
			contacted := make(chan struct{}, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("limit") == "1" {
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintln(w, `{"apiVersion": "batch/v1", "kind": "JobList"}`)
					return
				}
				if agent := r.UserAgent(); !strings.HasPrefix(agent, name+"/"+version+" ") {
					t.Errorf("user agent %q", agent)
				}
				select {
				case contacted <- struct{}{}:
				default:
				}
				<-r.Context().Done() // a server that hangs
			}))
			defer server.Close()
			code := make(chan int)
			go func() {
				code <- execute(ctx, []string{"--kubeconfig=" + kubeconfig(t, server.URL),
					"--leader-elect=" + leaderElect,
					"--metrics-bind-address=127.0.0.1:0"}, io.Discard, io.Discard)
			}()
			<-contacted
			signal()
			began := time.Now()
			if got := <-code; got != exitStopped {
				t.Errorf("exit code %d, want %d", got, exitStopped)
			}
			if took := time.Since(began); took > 2*grace {
				t.Errorf("took %v to stop", took)
			}
		})
	}
}

func TestControllers(t *testing.T) {
	for want, lists := range map[string][]string{
		"job cronjob": {"*", "job,cronjob", "job-controller,cronjob-controller"},
		"job":         {"job", "-cronjob,*"},
		"cronjob":     {"cronjob-controller", "*,-job-controller"},
	} {
		for _, names := range lists {
			o := options{controllers: strings.Split(names, ",")}
			got := slices.DeleteFunc(slices.Clone(allControllers), func(c string) bool { return !o.runs(c) })
			if strings.Join(got, " ") != want {
				t.Errorf("--controllers=%s runs %v, want %s", names, got, want)
			}
		}
	}
}

// TestRateLimit: every client has a limit of its own; a negative --kube-api-qps is
// none, as in client-go.
func TestRateLimit(t *testing.T) {
	for qps, limited := range map[float32]bool{-1: false, 0.5: true, 500: true} {
		c, err := newClients(&rest.Config{Host: "http://127.0.0.1:1", QPS: qps, Burst: 7}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[flowcontrol.RateLimiter]bool{}
		for _, client := range []kubernetes.Interface{c.informers, c.job, c.cronJob, c.events, c.lease} {
			limiter := client.CoreV1().RESTClient().GetRateLimiter()
			if (limiter != nil) != limited || limited && (limiter.QPS() != qps || seen[limiter]) {
				t.Errorf("%v requests per second: limiter %v", qps, limiter)
			}
			seen[limiter] = true
		}
	}
}

func TestProbes(t *testing.T) {
	health := newHealth()
	server := httptest.NewServer(handler(health))
	defer server.Close()
	get := func(path string) (int, string) { return get(t, server.URL+path) }
	if code, _ := get("/healthz"); code != http.StatusOK {
		t.Errorf("/healthz: %d", code)
	}
	if code, _ := get("/readyz"); code != http.StatusInternalServerError {
		t.Errorf("/readyz before the caches are filled: %d", code)
	}
	health.ready.Store(true)
	if code, _ := get("/readyz"); code != http.StatusOK {
		t.Errorf("/readyz: %d", code)
	}
}

// get returns the status and the body of an answer.
func get(t *testing.T, url string) (int, string) {
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}
