package cronjob

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// skew is the one metric that kube-controller-manager has as well.
var skew = metrics.NewHistogram(&metrics.HistogramOpts{
	Subsystem:      "cronjob_controller",
	Name:           "job_creation_skew_duration_seconds",
	Help:           "Time from when a Job was scheduled to when it was created. The count is that of Jobs started.",
	StabilityLevel: metrics.STABLE,
	Buckets:        metrics.ExponentialBuckets(1, 2, 10),
})

// register has a process serve the metric, once for all controllers in it.
var register = sync.OnceFunc(func() { legacyregistry.MustRegister(skew) })
