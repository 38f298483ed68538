package job

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	syncs        *prometheus.HistogramVec
	podCreations *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) (metrics, error) {
	m := metrics{
		syncs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "job_controller_job_sync_duration_seconds",
			Help:    "How long one sync of a Job took, by result: success or error.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}, []string{"result"}),
		podCreations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "job_controller_job_pods_creation_total",
			Help: "Pods that Jobs asked for by result: success or error.",
		}, []string{"result"}),
	}
	return m, errors.Join(r.Register(m.syncs), r.Register(m.podCreations))
}

func result(err error) string {
	if err != nil {
		return "error"
	}
	return "success"
}
