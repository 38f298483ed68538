// Package hostile has controllers that try to change the verdict of a run: each in one way, most of them beside the
// reference, which is right. `make hostile` runs them, and with QUICK=1 one of each kind. What is expected of a run is
// declared here with each: whatever its specs find, no attack may go unnamed or turn a run green.
package hostile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/jobconformance/jobconformance/fixtures/build"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Verdicts of runs.
const (
	Red   = "RED"
	Green = "GREEN"
)

// Controller is one of them.
type Controller struct {
	Name string
	// Does says what it does beside what controllers do.
	Does string
	// Alone is true of one that does nothing else. Default: the reference works beside it.
	Alone bool
	// Requirements are those whose specs it is run against. Default: some of parallelism.
	Requirements []string
	// Names is how the run calls the interference. Default: it is none, and the run names none.
	Names string
	// Verdict is that of the run: the reference is Green, where the attack changes nothing.
	Verdict string
	// Quick is true of one of each kind, on what is of the cluster, on nodes, in the name of the harness, on Jobs and
	// on results: CI runs those.
	Quick bool

	attack func(context.Context, *attacker)
}

// attacker is what a hostile controller works with.
type attacker struct {
	config *rest.Config
	set    kubernetes.Interface
	args   []string // more words of its command
	shared informers.SharedInformerFactory
}

// Main runs the hostile controller that the first of some arguments names, by the kubeconfig that the second one is.
// The third is the program jobconformance, which is the reference by that name; others are the controller's own.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: NAME KUBECONFIG JOBCONFORMANCE [ARGUMENT ...]")
		return 2
	}
	i := slices.IndexFunc(Controllers, func(c Controller) bool { return c.Name == args[0] })
	if i < 0 {
		fmt.Fprintf(os.Stderr, "no hostile controller is called %q\n", args[0])
		return 2
	}
	if err := Controllers[i].run(ctx, args[1], args[2], args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run attacks until ctx ends, or the reference does.
func (c Controller) run(ctx context.Context, kubeconfig, program string, args []string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.UserAgent = -1, "hostile"
	a := &attacker{config: config, args: args}
	if a.set, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	a.shared = informers.NewSharedInformerFactory(a.set, 0)
	go c.attack(ctx, a)
	if c.Alone {
		<-ctx.Done()
		return nil
	}
	right := exec.CommandContext(ctx, program)
	right.Args = []string{build.Reference, "--kubeconfig=" + kubeconfig, "--leader-elect=false",
		"--metrics-bind-address=0"}
	right.Stderr = os.Stderr
	right.Cancel = func() error { return right.Process.Signal(syscall.SIGTERM) }
	if err := right.Run(); ctx.Err() == nil {
		return fmt.Errorf("the reference ended: %w", err)
	}
	return nil
}

// as returns a client whose configuration is changed.
func (a *attacker) as(change func(*rest.Config)) kubernetes.Interface {
	config := rest.CopyConfig(a.config)
	change(config)
	return kubernetes.NewForConfigOrDie(config)
}

// each calls do with each object of an informer, when it is there and whenever it changes.
func each[T any](ctx context.Context, informer cache.SharedIndexInformer, do func(T)) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { do(o.(T)) },
		UpdateFunc: func(_, o any) { do(o.(T)) },
	})
	informer.Run(ctx.Done())
}

func (a *attacker) eachPod(ctx context.Context, do func(*corev1.Pod)) {
	each(ctx, a.shared.Core().V1().Pods().Informer(), func(p *corev1.Pod) {
		if ofHarness(p.Namespace) && p.DeletionTimestamp == nil {
			do(p)
		}
	})
}

func (a *attacker) eachJob(ctx context.Context, do func(*batchv1.Job)) {
	each(ctx, a.shared.Batch().V1().Jobs().Informer(), func(j *batchv1.Job) {
		if ofHarness(j.Namespace) && j.DeletionTimestamp == nil {
			do(j)
		}
	})
}

// ofHarness reports whether a namespace is that of a spec, or of the run.
func ofHarness(namespace string) bool { return strings.HasPrefix(namespace, "jobconformance-") }
