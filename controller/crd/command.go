package crd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	"github.com/jobconformance/jobconformance/controller/internal/lease"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentconfig "k8s.io/component-base/config"
	componentoptions "k8s.io/component-base/config/options"
	"k8s.io/component-base/config/validation"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

const name = "jobconformance-crd"

// grace is how long reconciliations under way may delay the exit.
const grace = 2 * time.Second

// options are the values of the flags, whose help texts describe them.
type options struct {
	kubeconfig string
	metrics    string
	probes     string
	// The webhooks are served where a port is given.
	webhookPort  int
	webhookCerts string
	concurrent   int
	qps          float32
	burst        int
	election     componentconfig.LeaderElectionConfiguration
}

// NewCommand returns the command that runs the controller until its context is done. It returns an
// error when the controller cannot start, or has lost its lease.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "crd",
		Short: "Run the controller for CronJobs of the group " + v1.GroupVersion.Group,
		Long: `Runs a controller for CronJobs that are a custom resource, of the API group
` + v1.GroupVersion.Group + `. Their Jobs are another controller's.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, lose := context.WithCancel(cmd.Context())
			defer lose()
			mgr, err := o.manager(lose)
			if err != nil {
				return err
			}
			r := &Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder(name),
				Clock: clock.RealClock{}}
			if err := r.SetupWithManager(ctx, mgr, o.concurrent); err != nil {
				return err
			}
			if o.webhookPort != 0 {
				err := (&validator{client: mgr.GetClient()}).SetupWithManager(mgr)
				if err = errors.Join(err,
					mgr.AddReadyzCheck("webhooks", mgr.GetWebhookServer().StartedChecker())); err != nil {
					return err
				}
			}
			if err := mgr.Start(ctx); err != nil || cmd.Context().Err() != nil {
				return err
			}
			return fmt.Errorf("lost the Lease %s/%s; another replica goes on", o.election.ResourceNamespace,
				o.election.ResourceName)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.kubeconfig, "kubeconfig", "",
		"`file` that says how to reach the cluster; without it, the service account of the pod this runs in")
	f.IntVar(&o.concurrent, "concurrent-cron-job-syncs", 5, "CronJobs worked on at the same time")
	f.Float32Var(&o.qps, "kube-api-qps", 500,
		"requests to the API server per second, in the long run; -1 is as many as it takes")
	f.IntVar(&o.burst, "kube-api-burst", 1000, "requests to the API server at once")
	f.StringVar(&o.metrics, "metrics-bind-address", ":8080", "`address` to serve /metrics at; 0 is nowhere")
	f.StringVar(&o.probes, "health-probe-bind-address", ":8081",
		"`address` to serve /healthz and /readyz at; 0 is nowhere")
	f.IntVar(&o.webhookPort, "webhook-port", 0, "port to serve the webhooks at (default: they are not served)")
	f.StringVar(&o.webhookCerts, "webhook-cert-dir", "",
		"`folder` with the webhooks' certificate tls.crt and its key tls.key")
	o.election = componentconfig.LeaderElectionConfiguration{
		LeaderElect:       true,
		LeaseDuration:     metav1.Duration{Duration: 15 * time.Second},
		RenewDeadline:     metav1.Duration{Duration: 10 * time.Second},
		RetryPeriod:       metav1.Duration{Duration: 2 * time.Second},
		ResourceLock:      resourcelock.LeasesResourceLock,
		ResourceName:      name,
		ResourceNamespace: metav1.NamespaceSystem,
	}
	componentoptions.BindLeaderElectionFlags(&o.election, f)
	return cmd
}

// manager returns the manager that the flags ask for. It calls lost when it reads that another replica leads instead.
func (o options) manager(lost func()) (manager.Manager, error) {
	log.SetLogger(klog.Background())
	if wrong := validation.ValidateLeaderElectionConfiguration(&o.election,
		field.NewPath("--leader-elect")); len(wrong) > 0 {
		return nil, fmt.Errorf("leader election: %w", wrong.ToAggregate())
	}
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	leases := rest.CopyConfig(config)
	leases.Timeout = o.election.RenewDeadline.Duration / 5 // so that one that hangs loses no Lease
	client, err := coordinationv1.NewForConfig(leases)
	if err != nil {
		return nil, err
	}
	wait := grace
	mgr, err := manager.New(config, manager.Options{
		Scheme:                              scheme,
		Cache:                               cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		Metrics:                             metricsserver.Options{BindAddress: o.metrics},
		HealthProbeBindAddress:              o.probes,
		LeaderElection:                      o.election.LeaderElect,
		LeaderElectionResourceLockInterface: lease.New(client, o.election, lost),
		LeaderElectionReleaseOnCancel:       true,
		LeaseDuration:                       &o.election.LeaseDuration.Duration,
		RenewDeadline:                       &o.election.RenewDeadline.Duration,
		RetryPeriod:                         &o.election.RetryPeriod.Duration,
		GracefulShutdownTimeout:             &wait,
		WebhookServer: webhook.NewServer(webhook.Options{
			Port: o.webhookPort, CertDir: o.webhookCerts}),
	})
	if err != nil {
		return nil,
			fmt.Errorf("cannot reach the API server at %s: %w; see that it runs and that the credentials are valid",
				config.Host, err)
	}
	synced := func(r *http.Request) error {
		if !mgr.GetCache().WaitForCacheSync(r.Context()) {
			return errors.New("the cache is not filled yet")
		}
		return nil
	}
	return mgr, errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("cache", synced))
}

func (o options) config() (config *rest.Config, err error) {
	if o.kubeconfig == "" {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("no cluster to work on: %w; give --kubeconfig a file that kubectl can use", err)
	}
	config.UserAgent = name
	config.QPS, config.Burst = o.qps, o.burst
	return config, nil
}
