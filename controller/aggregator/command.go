// Package aggregator is the smallest controller of Jobs whose pods run in another cluster, the member: it mirrors
// the Jobs of its cluster, the hub, to the member, and copies their status back.
package aggregator

import (
	"fmt"

	"github.com/spf13/cobra"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const name = "jobconformance-aggregator"

// options are the values of the flags, whose help texts describe them.
type options struct {
	kubeconfig, member, managedBy string
	concurrent                    int
	qps                           float32
	burst                         int
}

// NewCommand returns the command that runs the controller until its context is done. It returns an
// error when the controller cannot start.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "aggregator",
		Short: "Run the controller for Jobs whose pods run in another cluster",
		Long: `Runs a controller that mirrors Jobs to another cluster, the member, whose Job controller
runs their pods, and copies their status back. One replica only: it elects no leader.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			mgr, member, err := o.manager()
			if err != nil {
				return err
			}
			r := &Reconciler{Hub: mgr.GetClient(), Member: member.GetClient(), ManagedBy: o.managedBy}
			if err := r.SetupWithManager(mgr, member, o.concurrent); err != nil {
				return err
			}
			return mgr.Start(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` that says how to reach the hub, which has the Jobs")
	f.StringVar(&o.member, "member-kubeconfig", "", "`file` that says how to reach the member, which runs the pods")
	f.StringVar(&o.managedBy, "managed-by", batchv1.JobControllerName, "spec.managedBy of the Jobs")
	f.IntVar(&o.concurrent, "concurrent-job-syncs", 10, "Jobs worked on at the same time")
	f.Float32Var(&o.qps, "kube-api-qps", 500,
		"requests to each API server per second, in the long run; -1 is as many as it takes")
	f.IntVar(&o.burst, "kube-api-burst", 1000, "requests to each API server at once")
	return cmd
}

// manager returns the manager of the hub, which starts the caches of the member, too.
func (o options) manager() (manager.Manager, cluster.Cluster, error) {
	log.SetLogger(klog.Background())
	hub, err := o.config("kubeconfig", o.kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	there, err := o.config("member-kubeconfig", o.member)
	if err != nil {
		return nil, nil, err
	}
	mgr, err := manager.New(hub, manager.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reach the API server at %s: %w; see that it runs and that the credentials "+
			"are valid", hub.Host, err)
	}
	member, err := cluster.New(there)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reach the API server at %s: %w; see that it runs and that the credentials "+
			"are valid", there.Host, err)
	}
	return mgr, member, mgr.Add(member)
}

func (o options) config(flag, file string) (*rest.Config, error) {
	if file == "" {
		return nil, fmt.Errorf("no cluster to work on; give --%s a file that kubectl can use", flag)
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return nil, fmt.Errorf("no cluster to work on: %w; give --%s a file that kubectl can use", err, flag)
	}
	config.UserAgent = name
	config.QPS, config.Burst = o.qps, o.burst
	return config, nil
}
