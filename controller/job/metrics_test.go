package job

import (
	"math"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/utils/ptr"
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

// more checks by how much metrics have grown.
func more(t *testing.T, before map[string]float64, wanted map[string]float64) {
	t.Helper()
	after := scrape(t)
	for name, want := range wanted {
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s: %v more, want %v", name, got, want)
		}
	}
}

// TestMetricsOfIndexesAndPolicies runs an Indexed Job with a limit per index and a
// rule: index 0 succeeds, index 1 fails for good.
func TestMetricsOfIndexesAndPolicies(t *testing.T) {
	before := scrape(t)
	s := newAPIServer(t, MakeJob(Unstarted, Size(2, 2), Indexed, func(j *batchv1.Job) {
		j.Spec.BackoffLimit, j.Spec.BackoffLimitPerIndex = ptr.To[int32](math.MaxInt32), ptr.To[int32](1)
		j.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{
			Rules: []batchv1.PodFailurePolicyRule{onExitCodes("FailIndex", "In", 42)}}
	}))
	s.mustSync()
	for _, pod := range s.pods {
		was := pod.DeepCopy()
		pod.Status.Phase = corev1.PodSucceeded
		if plan.CompletionIndex(pod) == 1 {
			pod.Status.Phase = corev1.PodFailed
			pod.Status.ContainerStatuses = exited(42, Noon)
		}
		stamped(s, pod)
		s.controller.podChanged(was, pod)
	}
	s.showPods()
	for range 4 {
		s.mustSync()
	}
	s.controller.podChanged(MakePod("a succeeded"), nil)
	s.controller.jobChanged(nil, MakeJob(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/other") }))
	more(t, before, map[string]float64{
		`job_controller_job_finished_indexes_total{backoffLimit="perIndex",status="succeeded"}`:                1,
		`job_controller_job_finished_indexes_total{backoffLimit="perIndex",status="failed"}`:                   1,
		`job_controller_pod_failures_handled_by_failure_policy_total{action="FailIndex"}`:                      1,
		`job_controller_terminated_pods_tracking_finalizer_total{event="add"}`:                                 2,
		`job_controller_terminated_pods_tracking_finalizer_total{event="delete"}`:                              1,
		`job_controller_jobs_by_external_controller_total{controller_name="example.com/other"}`:                1,
		`job_controller_jobs_finished_total{completion_mode="Indexed",reason="FailedIndexes",result="failed"}`: 1,
	})
}

// TestMetrics runs a Job with two pods, one of which fails. Dashboards made for
// kube-controller-manager go by these names and labels.
func TestMetrics(t *testing.T) {
	before := scrape(t)
	s := newAPIServer(t, MakeJob(Unstarted, Size(2, 2)))
	phases := []corev1.PodPhase{corev1.PodFailed, corev1.PodSucceeded, corev1.PodSucceeded}
	for range 2 {
		s.mustSync()
		for _, pod := range s.pods {
			if !plan.Terminal(pod) {
				pod.Status.Phase, phases = phases[0], phases[1:]
				stamped(s, pod)
			}
		}
		s.showPods()
		s.clock.Step(refusalMax)
	}
	s.mustSync()
	s.expect("succeeded=2, failed=1, SuccessCriteriaMet=True, Complete=True, completed")
	more(t, before, map[string]float64{
		`job_controller_job_pods_creation_total{reason="new",status="succeeded"}`:                                             2,
		`job_controller_job_pods_creation_total{reason="recreate_terminating_or_failed",status="succeeded"}`:                  1,
		`job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"}`:                                1,
		`job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"}`:                             2,
		`job_controller_jobs_finished_total{completion_mode="NonIndexed",reason="CompletionsReached",result="succeeded"}`:     1,
		`job_controller_job_syncs_total{action="pods_created",completion_mode="NonIndexed",result="success"}`:                 2,
		`job_controller_job_sync_duration_seconds_count{action="pods_created",completion_mode="NonIndexed",result="success"}`: 2,
	})
}
