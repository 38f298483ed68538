package main

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo/leaderelection" // leader_election_*
	_ "k8s.io/component-base/metrics/prometheus/restclient"              // rest_client_*
	_ "k8s.io/component-base/metrics/prometheus/workqueue"               // workqueue_*
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

// newRegistry is for the controllers' own metrics. Those of the process, of
// requests, queues and leases come from the packages that kube-controller-manager
// has them from, under its names.
func newRegistry() *prometheus.Registry { return prometheus.NewRegistry() }

func handler(registry prometheus.Gatherer, health *health) http.Handler {
	mux := http.NewServeMux()
	all := prometheus.Gatherers{registry, legacyregistry.DefaultGatherer}
	mux.Handle("/metrics", promhttp.HandlerFor(all, promhttp.HandlerOpts{}))
	mux.HandleFunc("/healthz", probe(health.lease.Check))
	mux.HandleFunc("/readyz", probe(func(*http.Request) error {
		if !health.ready.Load() {
			return errors.New("caches are not filled yet")
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
