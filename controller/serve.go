package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/metrics"
)

// health is what the probes ask for.
type health struct {
	// ready is set once the caches are filled, or when another replica leads.
	ready atomic.Bool
	// lease fails when the leader has not renewed for too long.
	lease *leaderelection.HealthzAdaptor
}

func newHealth() *health {
	return &health{lease: leaderelection.NewLeaderHealthzAdaptor(5 * time.Second)}
}

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	requests := requestCounter{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "rest_client_requests_total",
		Help: "Requests to the API server, by HTTP status code and method.",
	}, []string{"code", "method"})}
	registry.MustRegister(requests,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics.RequestResult = requests
	return registry
}

// requestCounter is how client-go counts.
type requestCounter struct{ *prometheus.CounterVec }

func (r requestCounter) Increment(_ context.Context, code, method, _ string) {
	r.WithLabelValues(code, method).Inc()
}

func handler(registry *prometheus.Registry, health *health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/healthz", probe(health.lease.Check))
	mux.HandleFunc("/readyz", probe(func(*http.Request) error {
		if !health.ready.Load() {
			return fmt.Errorf("caches are not filled yet")
		}
		return nil
	}))
	return mux
}

func probe(check func(*http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := check(r); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	}
}
