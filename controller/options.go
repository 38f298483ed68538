package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentconfig "k8s.io/component-base/config"
	"k8s.io/component-base/config/validation"
)

// options are the values of the flags, whose help texts describe them.
type options struct {
	kubeconfig, master string
	election           componentconfig.LeaderElectionConfiguration
	metricsBindAddress string
	controllers        []string
	jobSyncs           int
	cronJobSyncs       int
	qps                float32
	burst              int
	contentType        string
}

// The names of controllers in --controllers. Like kube-controller-manager, it accepts them with and
// without the suffix "-controller".
const (
	jobController     = "job"
	cronJobController = "cronjob"
)

var allControllers = []string{jobController, cronJobController}

// contentTypes are those that the API server and client-go both support.
var contentTypes = []string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON}

// runs reports whether --controllers names a controller.
func (o options) runs(controller string) bool {
	all := false
	for _, c := range o.controllers {
		switch strings.TrimSuffix(c, "-controller") {
		case controller:
			return true
		case "-" + controller:
			return false
		case "*":
			all = true
		}
	}
	return all
}

func (o options) validate() error {
	for _, c := range o.controllers {
		known := strings.TrimSuffix(strings.TrimPrefix(c, "-"), "-controller")
		if c != "*" && !slices.Contains(allControllers, known) {
			return fmt.Errorf("unknown controller %q in --controllers; there are %s", c, strings.Join(allControllers, ", "))
		}
	}
	if !slices.ContainsFunc(allControllers, o.runs) {
		return errors.New("--controllers leaves nothing to run; name one of " + strings.Join(allControllers, ", "))
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"concurrent-job-syncs", o.jobSyncs}, {"concurrent-cron-job-syncs", o.cronJobSyncs}, {"kube-api-burst", o.burst}} {
		if f.value <= 0 {
			return fmt.Errorf("--%s is %d; it must be more than 0", f.name, f.value)
		}
	}
	if !(o.qps > 0 || o.qps < 0) {
		return fmt.Errorf("--kube-api-qps is %v; it must be more than 0, or -1 for no limit", o.qps)
	}
	if !slices.Contains(contentTypes, o.contentType) {
		return fmt.Errorf("--kube-api-content-type is %q; there are %s", o.contentType, strings.Join(contentTypes, " and "))
	}
	if wrong := validation.ValidateLeaderElectionConfiguration(&o.election, field.NewPath("--leader-elect")); len(wrong) > 0 {
		return fmt.Errorf("leader election: %w", wrong.ToAggregate())
	}
	if o.election.LeaderElect && o.election.ResourceLock != resourcelock.LeasesResourceLock {
		return fmt.Errorf("--leader-elect-resource-lock is %q; there is %s", o.election.ResourceLock, resourcelock.LeasesResourceLock)
	}
	return nil
}
