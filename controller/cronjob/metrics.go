package cronjob

import "github.com/prometheus/client_golang/prometheus"

// newSkew makes the one metric that upstream has, too, and registers it with r,
// or nowhere if r is nil.
func newSkew(r prometheus.Registerer) (prometheus.Histogram, error) {
	skew := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "cronjob_controller_job_creation_skew_duration_seconds",
		Help:    "Time from when a Job was scheduled to when it was created. The count is that of Jobs started.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 10),
	})
	if r == nil {
		return skew, nil
	}
	return skew, r.Register(skew)
}
