package main

import (
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo/leaderelection" // leader_election_*
	_ "k8s.io/component-base/metrics/prometheus/restclient"              // rest_client_*
	_ "k8s.io/component-base/metrics/prometheus/workqueue"               // workqueue_*
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// health is what the probes report.
type health struct {
	// ready is set once the caches are filled, or when another replica leads.
	ready atomic.Bool
	// lease fails when the leader has not renewed for too long.
	lease *leaderelection.HealthzAdaptor
}

func newHealth() *health {
	return &health{lease: leaderelection.NewLeaderHealthzAdaptor(5 * time.Second)}
}

// handler serves the probes, and metrics under the names that they have in kube-controller-manager,
// from the same registry.
func handler(health *health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", legacyregistry.Handler())
	mux.Handle("/healthz", healthz.CheckHandler{Checker: health.lease.Check})
	mux.Handle("/readyz", healthz.CheckHandler{Checker: func(*http.Request) error {
		if !health.ready.Load() {
			return errors.New("caches are not filled yet")
		}
		return nil
	}})
	return mux
}
