package contract

import (
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestLevels(t *testing.T) {
	for text, want := range map[string]spec.Level{
		"A Job MUST NOT run.":                      spec.Must,
		"A Job SHOULD run.":                        spec.Should,
		"A Job MAY run.":                           spec.May,
		"A Job MUST run, and its pods SHOULD end.": spec.Must,
		"A Job may run.":                           "",
	} {
		if got := (Requirement{Text: text}).Level(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	for source, want := range map[string]string{
		"KEP-2307": "[KEP-2307](https://github.com/kubernetes/enhancements/issues/2307)",
		"batch/v1 JobSpec.parallelism; docs: concepts/jobs#a-b": "[batch/v1 " +
			"JobSpec.parallelism](https://pkg.go.dev/k8s.io/api/batch/v1#JobSpec.Parallelism); [docs: " +
			"concepts/jobs#a-b](https://kubernetes.io/docs/concepts/jobs/#a-b)",
		"batch/v1 JobSpec.ttlSecondsAfterFinished": "[batch/v1 " +
			"JobSpec.ttlSecondsAfterFinished](https://pkg.go.dev/k8s.io/api/batch/v1#JobSpec.TTLSecondsAfterFinished)",
		"batch/v1 JobNameLabel and kubernetes/kubernetes#7": "[batch/v1 " +
			"JobNameLabel](https://pkg.go.dev/k8s.io/api/batch/v1#JobNameLabel) and " +
			"[kubernetes/kubernetes#7](https://github.com/kubernetes/kubernetes/issues/7)",
		"RFC 2119": "RFC 2119",
	} {
		if got := Links(source); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

func TestRequirementsAboutAField(t *testing.T) {
	r := Requirement{Source: "batch/v1 CronJobStatus.lastSuccessfulTime; kubernetes/kubernetes#118530"}
	for path, want := range map[string]bool{"status.lastSuccessfulTime": true, "status.lastSuccessful": false,
		"spec.lastSuccessfulTime": false, "": false} {
		if got := r.IsAbout(path); got != want {
			t.Errorf("%q: %t", path, got)
		}
	}
	inTemplate := "batch/v1 JobTemplateSpec.spec; batch/v1 JobSpec.suspend"
	for id, want := range map[string]bool{"CRON-A-001": true, "JOB-A-001": false} {
		r := Requirement{ID: id, Source: inTemplate}
		if got := r.IsAbout("spec.jobTemplate.spec.suspend"); got != want || r.IsAbout("spec.suspend") {
			t.Errorf("%s: %t", id, got)
		}
	}
	ofJobs := Requirement{ID: "JOB-A-001", Feature: Core, Source: inTemplate + "; batch/v1 JobStatus.ready"}
	for path, want := range map[string]bool{"spec.suspend": true, "status.ready": true, "status.suspend": false,
		"": false} {
		ofCronJobs := Requirement{ID: "CRON-A-001", Source: ofJobs.Source}
		if ofJobs.IsAboutJobs(path) != want || ofCronJobs.IsAboutJobs(path) {
			t.Errorf("%q of Jobs", path)
		}
	}
	for _, r := range []Requirement{{ID: "JOB-A-001", Feature: Core, Situations: []spec.Situation{spec.PodUnmatched}},
		{ID: "JOB-A-001", Feature: Core, Source: "batch/v1 JobSpec.selector"}} {
		if !r.IsAboutJobs("spec.selector") || r.IsAboutJobs("spec.suspend") {
			t.Errorf("%+v", r)
		}
	}
	if suspend := (Requirement{ID: "JOB-A-001", Feature: Suspend}); !suspend.IsAboutJobs("spec.suspend") {
		t.Errorf("%+v", suspend)
	}
	for source, want := range map[string]bool{"KEP-4026; batch/v1 CronJobScheduledTimestampAnnotation": true,
		"KEP-4026": false} {
		if got := (Requirement{Source: source}).RecordsTime(); got != want {
			t.Errorf("%s: %t", source, got)
		}
	}
}
