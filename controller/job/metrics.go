package job

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	syncs        *prometheus.CounterVec
	syncSeconds  prometheus.Histogram
	podCreations *prometheus.CounterVec
}

// newMetrics registers with r, or nowhere if r is nil.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "job_controller_job_syncs_total",
			Help: "Syncs of Jobs by result: success or error.",
		}, []string{"result"}),
		syncSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "job_controller_job_sync_duration_seconds",
			Help:    "How long one sync of a Job took.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}),
		podCreations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "job_controller_job_pods_creation_total",
			Help: "Pods that Jobs asked for by result: succeeded or failed.",
		}, []string{"result"}),
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.syncs, m.syncSeconds, m.podCreations} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
