package suites

import (
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	batchv1 "k8s.io/api/batch/v1"
)

// A spec is asked for its features by the names that the contract has for them.
func TestFeaturesOfFieldsAreThoseOfTheContract(t *testing.T) {
	job := puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(1).PodFailurePolicy().SuccessPolicy().Obj()
	features := framework.Features(&job.Spec)
	for _, job := range []*batchv1.Job{
		puppet.Job("a").PodReplacementPolicy(batchv1.Failed).Obj(), puppet.Job("a").Suspend().Obj(),
		puppet.Job("a").ManagedBy("example.com/a").Obj(),
	} {
		features = append(features, framework.Features(&job.Spec)...)
	}
	if len(features) != 7 {
		t.Errorf("%d features of fields: %q, want 7", len(features), features)
	}
	for _, f := range features {
		if !slices.Contains(contract.Features(), contract.Feature(f)) {
			t.Errorf("%s is no feature of the contract", f)
		}
	}
}
