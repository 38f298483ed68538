package conformance

import (
	"context"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
)

// FeatureLabel is the key of the label that a Feature has, with the implementation's name
// as its value.
const FeatureLabel = "conformance"

// reportKey is the context's key for the report of a Feature.
type reportKey struct{}

// Feature returns the check as a feature of e2e-framework:
//
//	testenv.Test(t, conformance.Feature(conformance.Options{...}))
//
// Its setup runs the suites on the environment's cluster, if that has a kubeconfig and
// Options.Where names no cluster, and fails where Run would for something that is not a
// requirement. Its assessments are the profiles job, cronjob and api: each fails once for
// every requirement that is non-conformant. ReportFrom returns the report to later steps.
func Feature(o Options) features.Feature {
	f := features.NewWithDescription("Job and CronJob conformance of "+o.Implementation.Name,
		"a controller keeps the contract of batch/v1").WithLabel(FeatureLabel, o.Implementation.Name)
	f.WithSetup("run the suites", func(ctx context.Context, t *testing.T, environment *envconf.Config) context.Context {
		t.Helper()
		r, err := check(ctx, o.in(environment), t.TempDir)
		if err != nil {
			t.Fatalf("this is no verdict: %v", err)
		}
		judgeRun(t, r)
		return context.WithValue(ctx, reportKey{}, r)
	})
	for _, p := range contract.Profiles() {
		f.Assess(string(p), func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			t.Helper()
			judgeProfile(t, ReportFrom(ctx), p)
			return ctx
		})
	}
	return f.Feature()
}

// ReportFrom returns the report of a Feature from the context that its steps are given,
// nil if there is none.
func ReportFrom(ctx context.Context) *report.Report {
	r, _ := ctx.Value(reportKey{}).(*report.Report)
	return r
}

// in returns the options for the cluster of an environment, unless they name another.
func (o Options) in(environment *envconf.Config) Options {
	if file := environment.KubeconfigFile(); file != "" && o.Where.Cluster == "" && o.Where.Provider == nil {
		o.Where.Cluster, o.Where.Kubeconfig, o.Where.Context = cluster.ExistingKind, file, environment.KubeContext()
	}
	return o
}
