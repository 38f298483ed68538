package job

import (
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics/legacyregistry"
)

// scrape reads all metrics of this process: name and labels as they are served,
// and the value.
func scrape(t *testing.T) map[string]float64 {
	answer := httptest.NewRecorder()
	legacyregistry.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	values := map[string]float64{}
	for line := range strings.Lines(answer.Body.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = v
		}
	}
	return values
}

// TestMetrics plays a Job with two pods, one of which fails. Dashboards made for
// kube-controller-manager go by these names and labels.
func TestMetrics(t *testing.T) {
	before := scrape(t)
	s := newAPIServer(t, makeJob(unstarted, size(2, 2)))
	phases := []corev1.PodPhase{corev1.PodFailed, corev1.PodSucceeded, corev1.PodSucceeded}
	for range 2 {
		if err := s.sync(); err != nil {
			t.Fatal(err)
		}
		for _, pod := range s.pods {
			if !terminal(pod) {
				pod.Status.Phase, phases = phases[0], phases[1:]
				stamped(s, pod)
			}
		}
		s.showPods()
		s.clock.Step(refusalMax)
	}
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("succeeded=2, failed=1, SuccessCriteriaMet=True, Complete=True, completed")
	after := scrape(t)
	for name, want := range map[string]float64{
		`job_controller_job_pods_creation_total{reason="new",status="succeeded"}`:                                             2,
		`job_controller_job_pods_creation_total{reason="recreate_terminating_or_failed",status="succeeded"}`:                  1,
		`job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"}`:                                1,
		`job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"}`:                             2,
		`job_controller_jobs_finished_total{completion_mode="NonIndexed",reason="CompletionsReached",result="succeeded"}`:     1,
		`job_controller_job_syncs_total{action="pods_created",completion_mode="NonIndexed",result="success"}`:                 2,
		`job_controller_job_sync_duration_seconds_count{action="pods_created",completion_mode="NonIndexed",result="success"}`: 2,
	} {
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s: %v more, want %v", name, got, want)
		}
	}
}
