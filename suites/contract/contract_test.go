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
}
