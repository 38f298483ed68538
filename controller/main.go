// Command controller is the reference controller: it keeps Jobs and CronJobs
// going in place of those of kube-controller-manager, by the batch/v1 contract
// of Kubernetes v1.37.
//
// It exits with 0 after SIGTERM or SIGINT, with 1 when it had to give up, for
// example because it lost its lease, and with 2 when it could not start.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // spec.timeZone must not depend on the machine's files

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

const name = "jobconformance-reference"

// version is set with -ldflags "-X main.version=…".
var version = "devel"

// Exit codes.
const (
	exitStopped  = 0
	exitGaveUp   = 1
	exitBadStart = 2
)

// options are the values of the flags.
type options struct {
	kubeconfig, master   string
	leaderElect          bool
	leaderElectNamespace string
	metricsBindAddress   string
	controllers          []string
	jobSyncs             int
	cronJobSyncs         int
	qps                  float32
	burst                int
}

// The values of --controllers.
const (
	jobController     = "job"
	cronJobController = "cronjob"
)

var allControllers = []string{jobController, cronJobController}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop) // a second signal kills
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command line until ctx is done and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	klog.Flush()
	if err == nil {
		return exitStopped
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, strings.Join(strings.Fields(err.Error()), " "))
	if errors.Is(err, errGaveUp) {
		return exitGaveUp
	}
	return exitBadStart
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   name,
		Short: "Run the reference controller for Jobs and CronJobs",
		Long: `Runs the reference controller for Jobs and CronJobs, by the batch/v1 contract of
Kubernetes v1.37. The cluster's own two controllers must be off:

  kube-controller-manager --controllers=*,-job-controller,-cronjob-controller

It serves /healthz, /readyz and /metrics. Exit codes: 0 stopped by SIGTERM or
SIGINT, 1 gave up (lost its lease, for example), 2 could not start.`,
		Example: "  " + name + " --kubeconfig=$HOME/.kube/config --leader-elect=false",
		Version: version,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q; there are only flags, see --help", args[0])
			}
			return nil
		},
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w; see --help", err) })

	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` that says how to reach the cluster; without it, the service account of the pod this runs in")
	f.StringVar(&o.master, "master", "", "`URL` of the API server, instead of the kubeconfig's")
	f.StringSliceVar(&o.controllers, "controllers", allControllers, "controllers to run")
	f.IntVar(&o.jobSyncs, "concurrent-job-syncs", 10, "Jobs worked on at the same time")
	f.IntVar(&o.cronJobSyncs, "concurrent-cron-job-syncs", 5, "CronJobs worked on at the same time")
	f.Float32Var(&o.qps, "kube-api-qps", 500, "requests to the API server per second, in the long run")
	f.IntVar(&o.burst, "kube-api-burst", 1000, "requests to the API server at once")
	f.BoolVar(&o.leaderElect, "leader-elect", true, "work only while holding the Lease "+name+", so that replicas can stand by")
	f.StringVar(&o.leaderElectNamespace, "leader-elect-namespace", "kube-system", "`namespace` of that Lease")
	f.StringVar(&o.metricsBindAddress, "metrics-bind-address", ":8080", "`address` to serve /healthz, /readyz and /metrics at; 0 is nowhere")
	var klogFlags flag.FlagSet
	klog.InitFlags(&klogFlags)
	f.AddGoFlag(klogFlags.Lookup("v"))
	return cmd
}

func (o options) validate() error {
	if len(o.controllers) == 0 {
		return errors.New("--controllers is empty; name one of " + strings.Join(allControllers, ", "))
	}
	for _, c := range o.controllers {
		if !slices.Contains(allControllers, c) {
			return fmt.Errorf("unknown controller %q in --controllers; there are %s", c, strings.Join(allControllers, ", "))
		}
	}
	for flag, value := range map[string]float64{
		"concurrent-job-syncs":      float64(o.jobSyncs),
		"concurrent-cron-job-syncs": float64(o.cronJobSyncs),
		"kube-api-qps":              float64(o.qps),
		"kube-api-burst":            float64(o.burst),
	} {
		if !(value > 0) {
			return fmt.Errorf("--%s is %v; it must be more than 0", flag, value)
		}
	}
	if o.leaderElect && o.leaderElectNamespace == "" {
		return errors.New("--leader-elect-namespace is empty; name the namespace of the Lease, or use --leader-elect=false")
	}
	return nil
}
