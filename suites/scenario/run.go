package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/load"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/sandbox"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Result is the outcome of a scenario.
type Result struct {
	// Failed names the first step that did not come about, and why; empty if all did.
	Failed string
	// FailedStep is the number of that step, counted from 1; 0 if no step failed, but
	// what has to be so always was not, or the implementation exited after the last step.
	FailedStep int
	// Exited is true where the implementation exited on its own.
	Exited bool
	// Unmet are the faults that did not occur: the implementation did not make their call.
	Unmet []string
	// Refused are the numbers of the steps, counted from 1, whose request the API server answered with their OrAnswers.
	Refused []int
	// OtherEnd is true where the steps came about, and the end is not that of another run, as Failed says.
	OtherEnd bool
	// Violations are the invariants that the history breaks.
	Violations []invariants.Violation
	// Interferences are what the implementation did that is not a controller's business.
	Interferences []spec.Interference
	History       history.History
	// Namespace is that of the scenario, and Log the folder of its logs.
	Namespace, Log string
	// Starts is how often the implementation was started.
	Starts int
	Took   time.Duration

	about history.About
}

// Green reports whether all steps came about, all invariants hold and nothing interfered.
func (r *Result) Green() bool {
	return r.Failed == "" && len(r.Violations) == 0 && len(r.Interferences) == 0
}

// Why returns what is wrong, for people; empty if nothing is.
func (r *Result) Why() string {
	var parts []string
	if r.Failed != "" {
		parts = append(parts, r.Failed)
	}
	for _, i := range r.Interferences {
		parts = append(parts, i.String())
	}
	for _, v := range r.Violations {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "\n")
}

// Failure returns the failure of a spec whose result is not green.
func (r *Result) Failure() spec.Failure {
	f := spec.Failure{Cause: spec.Assertion, Message: r.Why()}
	if len(r.Violations) > 0 {
		f.Cause, f.Invariants = spec.Invariant, sandbox.Broken(r.Violations).Invariants
	}
	if r.Exited {
		f.Cause = spec.ImplementationExited
	}
	return f
}

// About returns the first line of the saved history.
func (r *Result) About() history.About { return r.about }

// Save writes the history to a file that check-history reads.
func (r *Result) Save(path string) error { return history.Save(path, r.about, r.History) }

// Run runs a scenario in a sandbox of its own. When it returns, the namespace is being
// deleted. Each prepare gets the implementation before anything else happens, to put
// rules into its proxy. An error means that there is no result: it says nothing about
// the implementation.
func (e Environment) Run(ctx context.Context, s *Scenario, prepare ...func(*implementation.Proxied)) (*Result, error) {
	start := time.Now()
	if err := s.Check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := e.open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close(context.WithoutCancel(ctx)) }()
	for _, p := range prepare {
		p(r.implementation)
	}
	ending, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.endPods(ending) }()
	err = r.steps(ctx)
	end()
	if wrong := <-ended; err == nil && wrong != nil {
		err = fmt.Errorf("setting how a pod ends: %w", wrong)
	}
	if err == nil {
		err = r.judge(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.result.Took = time.Since(start)
	return r.result, nil
}

// runner is one scenario while it runs.
type runner struct {
	*sandbox.Sandbox
	environment    Environment
	scenario       *Scenario
	implementation *implementation.Proxied
	world          world
	result         *Result

	faults   []*faultproxy.Armed
	holds    map[string]func()
	always   []lasting
	directed map[string]bool // names of pods that a step directed
	patches  int             // that steps have made
}

func (e Environment) open(ctx context.Context, s *Scenario) (*runner, error) {
	box, err := sandbox.Open(ctx, sandbox.Options{
		Config: e.Config, User: "scenario", Run: e.RunName, Prefix: sandbox.OwnPrefix,
		Waits: sandbox.Waits{Reaction: e.Patience, Settle: e.Stays}, Clock: e.Clock,
		Pods: e.Pods, KubernetesVersion: e.Version, Implementation: e.Implementation.Name,
		Except:    slices.Concat(s.Except, e.Except),
		Companion: e.Implementation.Lacks(), Dialect: e.Implementation.Dialect(),
	})
	if err != nil {
		return nil, err
	}
	r := &runner{
		Sandbox: box, environment: e, scenario: s, holds: map[string]func(){}, directed: map[string]bool{},
		result: &Result{Namespace: box.Namespace, Log: filepath.Join(e.Folder, box.Namespace)},
	}
	if err = os.MkdirAll(r.result.Log, 0o755); err == nil {
		r.implementation, err = box.Behind(implementation.ProxyOptions{
			Config: e.As, Implementation: e.Implementation.Brief(), Builds: e.Builds, Folder: r.result.Log,
			Metrics: s.Measures(), Successors: e.successors(),
		})
	}
	if err != nil {
		_ = box.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	r.world = world{recorder: box.Recorder, calls: box.Calls}
	if s.expects("events") {
		box.Recorder.FollowEvents()
	}
	return r, nil
}

func (e Environment) successors() (all []implementation.Implementation) {
	for _, i := range e.Successors {
		all = append(all, i.Brief())
	}
	return all
}

// stepFailed is why a step did not come about. That counts against the implementation.
type stepFailed struct{ error }

// failed returns a stepFailed for what counts against the implementation, and other
// errors as they are. Of broken invariants, which the result lists, it keeps only what
// was waited for.
func failed(err error) error {
	var e *sandbox.Error
	switch {
	case !errors.As(err, &e) || e.Cause == spec.Harness || e.Cause == spec.PortTaken:
		return err
	case e.Cause == spec.Invariant:
		return stepFailed{errors.New(e.Pending)}
	}
	return stepFailed{e}
}

// steps does all steps, up to the first that fails.
func (r *runner) steps(ctx context.Context) error {
	for _, f := range r.scenario.Faults {
		r.fault(ctx, f)
	}
	if r.scenario.Implementation != Later {
		if err := r.implementation.Start(); err != nil {
			return err
		}
	}
	for i := range r.scenario.Steps {
		step := &r.scenario.Steps[i]
		err := r.do(ctx, step)
		if no, ok := errors.AsType[stepFailed](err); ok {
			r.result.Failed, r.result.FailedStep = fmt.Sprintf("step %d, %s: %v", i+1, step, no), i+1
			return nil
		}
		if err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, step, err)
		}
	}
	for _, release := range r.holds {
		release()
	}
	err := failed(r.Stays(ctx, cmp.Or(r.environment.Settle, r.Waits().Settle), "", nil))
	if no, ok := errors.AsType[stepFailed](err); ok {
		r.result.Failed = no.Error()
		return nil
	}
	return err
}

// until waits until check returns "", up to limit, and longer where the environment has it so.
func (r *runner) until(ctx context.Context, limit time.Duration, check func() string) error {
	return r.patiently(limit, func(wait time.Duration) error { return r.Until(ctx, wait, "", check) })
}

func (r *runner) patiently(limit time.Duration, try func(wait time.Duration) error) error {
	over := time.Now().Add(r.environment.Longest)
	return sandbox.Patiently(limit, try, func() time.Duration {
		return min(limit-time.Since(r.lastProgress()), time.Until(over))
	})
}

// lastProgress returns when something has last happened to a Job, a CronJob or a pod, or a
// request of the implementation has succeeded: it reads everything before it acts.
func (r *runner) lastProgress() (at time.Time) {
	for _, revision := range r.History().Revisions {
		if revision.Event() == nil && revision.At.After(at) {
			at = revision.At
		}
	}
	for _, call := range r.Calls() {
		if call.Code > 0 && call.Code < 400 && call.At.After(at) {
			at = call.At
		}
	}
	return at
}

// judge fills the result from all that has happened.
func (r *runner) judge(ctx context.Context) error {
	judged := r.Rest
	if r.result.Failed != "" {
		judged = r.SoFar
	}
	h, violations, err := judged(ctx)
	if err == nil && r.result.Failed != "" {
		err = cmp.Or(r.Trouble(), r.Frozen(h, time.Now()))
	}
	if err != nil {
		return err
	}
	exit := r.ExitError()
	if _, counts := errors.AsType[stepFailed](failed(exit)); exit != nil && !counts {
		return exit
	}
	result := r.result
	result.History, result.Violations, result.Starts = h, violations, r.implementation.Starts()
	result.Interferences = r.Interferences()
	result.Exited, result.Unmet = exit != nil, r.unmet()
	if result.Failed == "" {
		result.Failed = broke(r.always, h)
	}
	result.about = r.About()
	result.about.Spec, result.about.Requirements = r.scenario.Description, r.scenario.Requirements
	result.about.Failed = !result.Green()
	return nil
}

// Environment is where scenarios run: a cluster, and an implementation that is started
// for each of them. Its fields are required, unless they have a default. Run may be
// called many times at once.
type Environment struct {
	// Config is an administrator's, As the implementation's.
	Config, As     *rest.Config
	Implementation implementation.Implementation
	// Successors take over where a fault says so: see implementation.ProxyOptions. Default: it restarts.
	Successors []implementation.Implementation
	Builds     implementation.Builds
	// Version is the older one of the API server and the implementation, as in v1.37.1.
	Version string
	// Pods are what runs puppets. Default: KWOK simulates them.
	Pods puppet.Pods
	// RunName is the value of kinds.RunLabel on the namespaces.
	RunName string
	// Folder is where logs are written, in a folder for each namespace.
	Folder string
	// Patience is the longest that a conformant implementation may take for one
	// reaction. Default: that of sandbox.DefaultWaits.
	Patience time.Duration
	// Longest is how long a step may wait where something happens all the time: up to that,
	// each revision of a Job, CronJob or pod, and each request that succeeds, gives it its whole
	// time again, as Patience is for one reaction. Default: a step has its time once.
	Longest time.Duration
	// Settle is how long a scenario goes on after its last step, so that what a wrong
	// controller does then is seen as well. Default: Stays.
	Settle time.Duration
	// Stays is how long a state has to last to count as one that stays. Default: that of
	// sandbox.DefaultWaits.
	Stays time.Duration
	// Clock measures the time of waits. Default: one that loses none.
	Clock *load.Clock
	// Except are the IDs of invariants that are not checked, beside those of a scenario.
	// Default: none.
	Except []string
}

// With starts a cluster without suites, calls do with an environment for the
// implementation in it, and stops the cluster. Logs go below the run's reports. The
// context of do also ends when a part of the cluster ends.
func With(ctx context.Context, o run.Options, do func(context.Context, *run.Environment, Environment) error) error {
	if o.Implementation.Warning != "" {
		fmt.Fprintln(o.Out, "note:", o.Implementation.Warning)
	}
	o.Bare = true
	return run.With(ctx, o, func(ctx context.Context, started *run.Environment) error {
		as, err := started.As()
		if err != nil {
			return err
		}
		clock, stop, err := started.Measure(ctx)
		if err != nil {
			return err
		}
		defer stop()
		return do(ctx, started, Environment{
			Config: started.Config(), As: as, Implementation: o.Implementation, Builds: started.Builds,
			Version: version.Skew{APIServer: started.Version(), Controller: o.Implementation.Upstream()}.Older(),
			RunName: started.Name(), Folder: filepath.Join(started.Reports, "scenarios"), Clock: clock,
		})
	})
}

// OfSpec returns the environment of a spec with spec.FaultsLabel, by the settings of
// its run.
func OfSpec() (Environment, error) {
	settings := protocol.Current()
	if settings.Start == nil {
		return Environment{}, errors.New("this spec starts an implementation: run it with make e2e")
	}
	config, err := clientcmd.BuildConfigFromFlags("", settings.Kubeconfig)
	if err != nil {
		return Environment{}, err
	}
	as, err := clientcmd.BuildConfigFromFlags("", settings.Start.Kubeconfig)
	if err != nil {
		return Environment{}, err
	}
	as.QPS = -1
	return Environment{
		Config: config, As: as, Implementation: settings.Start.Implementation, Builds: settings.Start.Builds,
		Version: settings.KubernetesVersion, RunName: settings.Run, Folder: settings.Start.Logs,
		Patience: settings.Patience, Stays: settings.Settle, Clock: protocol.Clock(),
		Except: settings.Except, Pods: settings.Puppets,
	}, nil
}
