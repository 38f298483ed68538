package cronjob

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	looks *prometheus.CounterVec
	skew  prometheus.Histogram
}

func newMetrics(registerer prometheus.Registerer) (metrics, error) {
	m := metrics{
		looks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cronjob_controller_syncs_total",
			Help: "Looks at a CronJob, by result: success or error.",
		}, []string{"result"}),
		skew: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "cronjob_controller_job_creation_skew_duration_seconds",
			Help:    "Time from when a Job was scheduled to when it was created. The count is that of Jobs started.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
	}
	if registerer == nil {
		return m, nil
	}
	if err := registerer.Register(m.looks); err != nil {
		return m, err
	}
	return m, registerer.Register(m.skew)
}

func (m metrics) looked(err error) {
	result := "success"
	if err != nil {
		result = "error"
	}
	m.looks.WithLabelValues(result).Inc()
}

func (m metrics) started(skew time.Duration) { m.skew.Observe(max(0, skew.Seconds())) }
