package example

import (
	"fmt"
	"os"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/conformance"
	"github.com/jobconformance/jobconformance/suites/report"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// testenv is an environment of e2e-framework, on the cluster that its flags name:
//
//	go test -run TestFeature . -args -kubeconfig=$HOME/.kube/config
var testenv env.Environment

func TestMain(m *testing.M) {
	config, err := envconf.NewFromFlags()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	testenv = env.NewWithConfig(config)
	os.Exit(testenv.Run(m))
}

// Without a cluster of the environment, this happens on an embedded one.
func TestFeature(t *testing.T) {
	testenv.Test(t, conformance.Feature(conformance.Options{
		Implementation: report.Implementation{Name: "example"},
		Start:          Run,
		Upstream:       upstream,
		Where:          run.Where{PuppetImage: os.Getenv("PUPPET_IMAGE")},
		Labels:         "behaviour:historyLimits",
	}))
}
