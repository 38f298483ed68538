package example

import (
	"os"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/conformance"
	"github.com/jobconformance/jobconformance/suites/report"
	"sigs.k8s.io/e2e-framework/support/kind"
)

// A provider of e2e-framework makes the cluster and takes it away. This one calls the kind
// command, or installs it.
func TestProvider(t *testing.T) {
	if os.Getenv("PROVIDER") != "kind" {
		t.Skip("not verified: PROVIDER=kind runs this, and needs a container engine")
	}
	provider := kind.NewCluster("jobconformance-example").WithVersion("v0.33.0")
	if image := os.Getenv("NODE_IMAGE"); image != "" {
		provider.WithOpts(kind.WithImage(image))
	}
	var images []string
	if archives := os.Getenv("LOAD"); archives != "" {
		images = strings.Split(archives, ",")
	}
	r := conformance.Run(t, conformance.Options{
		Implementation: report.Implementation{Name: "example"},
		Start:          Run,
		Upstream:       upstream,
		Where: run.Where{
			Provider:    provider,
			KindConfig:  "kind-config.yaml",
			PuppetImage: os.Getenv("PUPPET_IMAGE"),
			Images:      images,
		},
		Labels: "behaviour:parallelism",
	})
	if r.Specs[spec.Passed] == 0 {
		t.Error("no spec has passed")
	}
}
