// Package app is the reference controller as a command: its flags, leader election and
// endpoints. Both `go build ./controller` and the program jobconformance run it.
package app

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
	"time"
	_ "time/tzdata" // spec.timeZone must not depend on the machine's files

	"github.com/jobconformance/jobconformance/controller/aggregator"
	"github.com/jobconformance/jobconformance/controller/crd"
	"github.com/spf13/cobra"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apivalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentconfig "k8s.io/component-base/config"
	componentoptions "k8s.io/component-base/config/options"
	"k8s.io/component-base/config/validation"
	"k8s.io/klog/v2"
)

const name = "jobconformance-reference"

// version is set with -ldflags "-X github.com/jobconformance/jobconformance/controller/app.version=…".
var version = "devel"

// Exit codes.
const (
	exitStopped  = 0
	exitGaveUp   = 1
	exitBadStart = 2
)

// Main runs the command line until SIGTERM or SIGINT and returns the exit code: 0 after a
// signal, 1 when the controller gave up, for example because it lost its lease, and 2 when
// it could not start.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop) // a second signal kills
	return execute(ctx, args, os.Stdout, os.Stderr)
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
	f.StringVar(&o.kubeconfig, "kubeconfig", "",
		"`file` that says how to reach the cluster; without it, the service account of the pod this runs in")
	f.StringVar(&o.master, "master", "", "`URL` of the API server, instead of the kubeconfig's")
	f.StringSliceVar(&o.controllers, "controllers", []string{"*"},
		"`names` of the controllers to run: "+strings.Join(allControllers, ", ")+"; * is all, -name all but that one")
	f.StringVar(&o.managedBy, "managed-by", "",
		"`name` in spec.managedBy of the Jobs to reconcile, as in example.com/mine (default: Jobs "+
			"without the field, or with "+batchv1.JobControllerName+")")
	f.BoolVar(&o.workloads, "workload-scheduling", false,
		"make a Workload and a PodGroup for each Job, as kube-controller-manager does with the feature gate "+
			"WorkloadWithJob of Kubernetes v1.37; the API server must have it as well")
	f.IntVar(&o.jobSyncs, "concurrent-job-syncs", 10, "Jobs worked on at the same time")
	f.IntVar(&o.cronJobSyncs, "concurrent-cron-job-syncs", 5, "CronJobs worked on at the same time")
	f.Float32Var(&o.qps, "kube-api-qps", 500,
		"requests of each controller to the API server per second, in the long run; -1 is as many as it takes")
	f.IntVar(&o.burst, "kube-api-burst", 1000, "requests of each controller to the API server at once")
	f.StringVar(&o.contentType, "kube-api-content-type", runtime.ContentTypeProtobuf,
		"content `type` of requests to the API server: "+strings.Join(contentTypes, " or "))
	f.StringVar(&o.metricsBindAddress, "metrics-bind-address", ":8080",
		"`address` to serve /healthz, /readyz and /metrics at; 0 is nowhere")
	var klogFlags flag.FlagSet
	klog.InitFlags(&klogFlags)
	f.AddGoFlag(klogFlags.Lookup("v"))
	// As kube-controller-manager has them, but for the Lease's name.
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
	cmd.AddCommand(aggregator.NewCommand(), crd.NewCommand(), newManifestsCommand())
	cmd.CompletionOptions.DisableDefaultCmd = true
	return cmd
}

// options are the values of the flags, whose help texts describe them.
type options struct {
	kubeconfig, master string
	election           componentconfig.LeaderElectionConfiguration
	metricsBindAddress string
	controllers        []string
	managedBy          string
	workloads          bool
	jobSyncs           int
	cronJobSyncs       int
	qps                float32
	burst              int
	contentType        string
}

// The names of controllers in --controllers. Like kube-controller-manager, it accepts them with and
// without the suffix "-controller".
const (
	jobController     = "job"
	cronJobController = "cronjob"
)

var allControllers = []string{jobController, cronJobController}

// contentTypes are those that the API server and client-go both support.
var contentTypes = []string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON}

// runs reports whether --controllers names a controller.
func (o options) runs(controller string) bool {
	all := false
	for _, c := range o.controllers {
		switch strings.TrimSuffix(c, "-controller") {
		case controller:
			return true
		case "-" + controller:
			return false
		case "*":
			all = true
		}
	}
	return all
}

func (o options) validate() error {
	for _, c := range o.controllers {
		known := strings.TrimSuffix(strings.TrimPrefix(c, "-"), "-controller")
		if c != "*" && !slices.Contains(allControllers, known) {
			return fmt.Errorf("unknown controller %q in --controllers; there are %s", c,
				strings.Join(allControllers, ", "))
		}
	}
	if !slices.ContainsFunc(allControllers, o.runs) {
		return errors.New("--controllers leaves nothing to run; name one of " + strings.Join(allControllers, ", "))
	}
	if wrong := apivalidation.IsDomainPrefixedPath(field.NewPath("managed-by"), o.managedBy); o.managedBy != "" &&
		len(wrong) > 0 {
		return fmt.Errorf("--managed-by is %q: %s", o.managedBy, wrong[0].Detail)
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"concurrent-job-syncs", o.jobSyncs}, {"concurrent-cron-job-syncs", o.cronJobSyncs},
		{"kube-api-burst", o.burst}} {
		if f.value <= 0 {
			return fmt.Errorf("--%s is %d; it must be more than 0", f.name, f.value)
		}
	}
	if !(o.qps > 0 || o.qps < 0) {
		return fmt.Errorf("--kube-api-qps is %v; it must be more than 0, or -1 for no limit", o.qps)
	}
	if !slices.Contains(contentTypes, o.contentType) {
		return fmt.Errorf("--kube-api-content-type is %q; there are %s", o.contentType,
			strings.Join(contentTypes, " and "))
	}
	if wrong := validation.ValidateLeaderElectionConfiguration(&o.election,
		field.NewPath("--leader-elect")); len(wrong) > 0 {
		return fmt.Errorf("leader election: %w", wrong.ToAggregate())
	}
	if o.election.LeaderElect && o.election.ResourceLock != resourcelock.LeasesResourceLock {
		return fmt.Errorf("--leader-elect-resource-lock is %q; there is %s", o.election.ResourceLock,
			resourcelock.LeasesResourceLock)
	}
	return nil
}
