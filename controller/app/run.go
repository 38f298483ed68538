package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob"
	"github.com/jobconformance/jobconformance/controller/internal/lease"
	"github.com/jobconformance/jobconformance/controller/job"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo/leaderelection" // leader_election_*
	_ "k8s.io/component-base/metrics/prometheus/restclient"              // rest_client_*
	_ "k8s.io/component-base/metrics/prometheus/workqueue"               // workqueue_*
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

const (
	// firstContact is how long the API server may take to answer at the start.
	firstContact = 30 * time.Second
	// grace is how long work in flight and giving the Lease back may delay the exit.
	grace = 5 * time.Second
)

var errGaveUp = errors.New("gave up")

// run does everything that can fail before anything is started, then blocks until ctx is done.
func run(ctx context.Context, o options) error {
	config, err := restConfig(o)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = o.qps, o.burst // no limit where qps is negative
	clients, err := newClients(config, o.election.RenewDeadline.Duration/5)
	if err != nil {
		return err
	}
	work := newWork(o, clients)
	var listener net.Listener
	if o.metricsBindAddress != "0" {
		if listener, err = net.Listen("tcp", o.metricsBindAddress); err != nil {
			return fmt.Errorf("cannot serve metrics: %w; choose another --metrics-bind-address, or 0 for none", err)
		}
		defer listener.Close()
	}
	if err := contact(ctx, clients.informers, config.Host); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}

	health := newHealth()
	failed := make(chan error, 2)
	if listener != nil {
		server := &http.Server{Handler: handler(health), ReadHeaderTimeout: 10 * time.Second}
		go func() { failed <- fmt.Errorf("%w serving metrics: %w", errGaveUp, server.Serve(listener)) }()
	}
	klog.InfoS("Starting", "program", name, "version", version, "server", config.Host, "controllers", o.controllers)
	go func() {
		if o.election.LeaderElect {
			failed <- lead(ctx, o, clients.lease, health, work)
			return
		}
		work.run(ctx, health)
		failed <- nil
	}()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	select {
	case <-failed:
	case <-time.After(grace):
	}
	klog.InfoS("Stopped")
	return nil
}

func restConfig(o options) (*rest.Config, error) {
	var config *rest.Config
	var err error
	if o.kubeconfig == "" && o.master == "" {
		if config, err = rest.InClusterConfig(); err != nil {
			return nil, errors.New("no cluster to work on: this is not a pod with a service account; give --kubeconfig")
		}
	} else if config, err = clientcmd.BuildConfigFromFlags(o.master, o.kubeconfig); err != nil {
		return nil, fmt.Errorf("cannot use the kubeconfig %q: %w; give --kubeconfig a file that kubectl can use",
			o.kubeconfig, err)
	}
	config.UserAgent = fmt.Sprintf("%s/%s (%s/%s)", name, version, runtime.GOOS, runtime.GOARCH)
	config.ContentType = o.contentType
	if o.contentType != apiruntime.ContentTypeJSON {
		config.AcceptContentTypes = o.contentType + "," + apiruntime.ContentTypeJSON
	}
	return config, nil
}

// clients have a rate limit each, as the controllers of kube-controller-manager have: neither a flood
// of events nor one of Jobs slows down CronJobs or the Lease. The client of the Lease times out early
// enough that a leader that cannot renew stops before others take over.
type clients struct{ informers, job, cronJob, events, lease kubernetes.Interface }

func newClients(config *rest.Config, leaseTimeout time.Duration) (c clients, err error) {
	leases := rest.CopyConfig(config)
	leases.Timeout = leaseTimeout
	for _, made := range []struct {
		config *rest.Config
		client *kubernetes.Interface
	}{{config, &c.informers}, {config, &c.job}, {config, &c.cronJob}, {config, &c.events}, {leases, &c.lease}} {
		if *made.client, err = kubernetes.NewForConfig(made.config); err != nil {
			return c, fmt.Errorf("cannot use the kubeconfig: %w; see that kubectl works with it", err)
		}
	}
	return c, nil
}

// contact returns an error unless the API server answers and lets the controller list Jobs.
func contact(ctx context.Context, client kubernetes.Interface, host string) error {
	ctx, cancel := context.WithTimeout(ctx, firstContact)
	defer cancel()
	_, err := client.BatchV1().Jobs("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return fmt.Errorf("cannot list Jobs at %s: %w; see that the API server runs and that the credentials may do so",
			host, err)
	}
	return nil
}

// work is the controllers and what they share, not started yet.
type work struct {
	factory informers.SharedInformerFactory
	// A broadcaster writes one event after the other. There is one for each controller, as in
	// kube-controller-manager: events of many Jobs do not delay those of CronJobs.
	broadcasters []record.EventBroadcaster
	events       kubernetes.Interface
	controllers  []controller
}

type controller struct {
	// name is kube-controller-manager's name for it, in logs and events.
	name    string
	run     func(ctx context.Context, workers int)
	workers int
}

// newest has a list show the newest state. By default, informers take any state for their first list: an API server
// that lags behind may show one from before a restart, by which pods would be created and counted once more.
func newest(list *metav1.ListOptions) {
	if list.ResourceVersion == "0" {
		list.ResourceVersion = ""
	}
}

func newWork(o options, c clients) *work {
	w := &work{
		factory: informers.NewSharedInformerFactoryWithOptions(c.informers, 0, informers.WithTransform(job.Trim),
			informers.WithTweakListOptions(newest)),
		events: c.events,
	}
	if name := "job-controller"; o.runs(jobController) {
		jobs := job.New(c.job, w.factory, w.recorder(name), clock.RealClock{}, o.managedBy)
		if o.workloads {
			jobs.Group(w.factory)
		}
		w.controllers = append(w.controllers, controller{name, jobs.Run, o.jobSyncs})
	}
	if name := "cronjob-controller"; o.runs(cronJobController) {
		run := cronjob.New(c.cronJob, w.factory, w.recorder(name), clock.RealClock{}).Run
		w.controllers = append(w.controllers, controller{name, run, o.cronJobSyncs})
	}
	return w
}

func (w *work) recorder(component string) record.EventRecorder {
	// Its defaults are kube-controller-manager's: of one object 25 events at
	// once, then one in five minutes, and similar ones as one.
	broadcaster := record.NewBroadcaster()
	w.broadcasters = append(w.broadcasters, broadcaster)
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: component})
}

// startEvents begins to write events, and from verbosity 3 on to log them.
func (w *work) startEvents() {
	for _, b := range w.broadcasters {
		b.StartStructuredLogging(3)
		b.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: w.events.CoreV1().Events("")})
	}
}

func (w *work) endEvents() {
	for _, b := range w.broadcasters {
		b.Shutdown()
	}
}

// run blocks until ctx is done and all workers have ended.
func (w *work) run(ctx context.Context, health *health) {
	w.startEvents()
	defer w.endEvents()
	w.factory.Start(ctx.Done())
	var running sync.WaitGroup
	for _, c := range w.controllers {
		running.Go(func() {
			c.run(klog.NewContext(ctx, klog.LoggerWithName(klog.FromContext(ctx), c.name)), c.workers)
		})
	}
	w.factory.WaitForCacheSync(ctx.Done())
	health.ready.Store(ctx.Err() == nil)
	running.Wait()
}

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

// lead runs the work while it has the Lease. It returns an error if it lost the Lease, and nil when
// ctx is done; then it gives the Lease back after the work has ended.
func lead(ctx context.Context, o options, client kubernetes.Interface, health *health, work *work) error {
	election, giveBack := context.WithCancel(context.Background())
	defer giveBack()
	led, stopLeading := context.WithCancel(ctx)
	defer stopLeading()
	leading := make(chan struct{})
	lock := lease.New(client.CoordinationV1(), o.election, func() {
		stopLeading()
		giveBack()
	})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:            name,
		Lock:            lock,
		LeaseDuration:   o.election.LeaseDuration.Duration,
		RenewDeadline:   o.election.RenewDeadline.Duration,
		RetryPeriod:     o.election.RetryPeriod.Duration,
		ReleaseOnCancel: true,
		WatchDog:        health.lease,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				close(leading)
				work.run(led, health)
				giveBack()
			},
			OnStoppedLeading: func() {},
			OnNewLeader: func(leader string) {
				klog.InfoS("New leader elected", "identity", leader)
				if leader != lock.Identity() {
					health.ready.Store(true) // to take over
				}
			},
		},
	})
	if err != nil {
		return err
	}
	health.lease.SetLeaderElection(elector)
	context.AfterFunc(ctx, func() {
		select {
		case <-leading:
		default:
			giveBack()
		}
	})
	elector.Run(election)
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%w: lost the Lease %s/%s; another replica goes on", errGaveUp, o.election.ResourceNamespace,
		o.election.ResourceName)
}
