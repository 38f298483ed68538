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
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/subject"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Theatre is where scenarios are played: a cluster, and an implementation that is
// started for each of them. Its fields are required, unless they have a default.
// Play may be called many times at once.
type Theatre struct {
	// Config is an administrator's, As the implementation's.
	Config, As     *rest.Config
	Implementation implementation.Implementation
	Builds         implementation.Builds
	// Version of the API server, as in v1.37.1.
	Version string
	// Run is the value of kinds.RunLabel on the namespaces.
	Run string
	// Folder takes the logs, a folder for each namespace.
	Folder string
	// Patience is the longest that a conformant implementation may take for one
	// reaction. Default: 30 s.
	Patience time.Duration
	// Settle is how long a scenario goes on after its last step, so that what a
	// wrong controller does then is seen as well. Default: 2.5 s.
	Settle time.Duration
}

// Result is what became of a scenario.
type Result struct {
	// Failed says which step did not come about, and why; empty if all did.
	Failed string
	// Exited is true where the implementation exited on its own.
	Exited bool
	// Violations are of invariants.
	Violations []invariants.Violation
	History    history.History
	Calls      []history.Call
	// Namespace is where it was played, and Log the folder of its logs.
	Namespace, Log string
	// Lives is how often the implementation was started.
	Lives int
	Took  time.Duration

	about history.About
}

// Green tells whether all steps came about and all invariants hold.
func (r *Result) Green() bool { return r.Failed == "" && len(r.Violations) == 0 }

// Why says what is wrong, for people; empty if nothing is.
func (r *Result) Why() string {
	var parts []string
	if r.Failed != "" {
		parts = append(parts, r.Failed)
	}
	for _, v := range r.Violations {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "\n")
}

// About says what the history is of.
func (r *Result) About() history.About { return r.about }

// Save writes the history to a file that check-history reads.
func (r *Result) Save(path string) error { return history.Save(path, r.about, r.History) }

const (
	patience = 30 * time.Second
	settle   = 2500 * time.Millisecond
	// harnessLimit is how long our own watches may take to deliver what was
	// written; it says nothing about an implementation.
	harnessLimit = 30 * time.Second
)

// Play plays a scenario in a namespace of its own, which is gone or going when it
// returns. Rules are put into the proxy before anything else happens. An error
// means that there is no result: it says nothing about the implementation.
func (t Theatre) Play(ctx context.Context, s *Scenario, rules ...func(*subject.Subject)) (*Result, error) {
	start := time.Now()
	if err := s.Check(); err != nil {
		return nil, err
	}
	p, err := t.open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer p.close()
	for _, rule := range rules {
		rule(p.subject)
	}
	directing, end := context.WithCancel(ctx)
	directed := make(chan error, 1)
	go func() { directed <- p.direct(directing) }()
	p.result.Failed, err = p.play(ctx)
	end()
	if wrong := <-directed; err == nil && wrong != nil {
		err = fmt.Errorf("telling a pod how to end: %w", wrong)
	}
	if err == nil {
		err = p.judge(ctx)
	}
	if err != nil {
		return nil, err
	}
	p.result.Exited = p.subject.Died() != nil
	p.result.Took = time.Since(start)
	return p.result, nil
}

// performance is one scenario while it is played.
type performance struct {
	theatre  Theatre
	scenario *Scenario
	client   client.Client
	recorder *history.Recorder
	subject  *subject.Subject
	world    world
	result   *Result

	rules  []*faultproxy.Rule
	holds  map[string]func()
	always []lasting
	told   map[string]bool // names of pods
}

func (t Theatre) open(ctx context.Context, s *Scenario) (_ *performance, err error) {
	t.Patience, t.Settle = cmp.Or(t.Patience, patience), cmp.Or(t.Settle, settle)
	config := rest.CopyConfig(t.Config)
	config.QPS = -1
	config.UserAgent = "jobconformance (scenario)"
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	p := &performance{theatre: t, scenario: s, result: &Result{}, holds: map[string]func(){}, told: map[string]bool{}}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.client, err = client.New(config, client.Options{HTTPClient: http, Scheme: scheme.Scheme, Mapper: kinds.Mapper()}); err != nil {
		return nil, err
	}
	set, err := kubernetes.NewForConfigAndClient(config, http)
	if err != nil {
		return nil, err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "jobconformance-", Labels: map[string]string{kinds.RunLabel: t.Run},
	}}
	if err := p.client.Create(ctx, namespace); err != nil {
		return nil, err
	}
	p.result.Namespace = namespace.Name
	p.result.Log = filepath.Join(t.Folder, namespace.Name)
	if err := os.MkdirAll(p.result.Log, 0o755); err != nil {
		return nil, err
	}
	if p.recorder, err = history.Record(ctx, set, namespace.Name); err != nil {
		return nil, err
	}
	p.subject, err = subject.Behind(subject.Options{
		Config: t.As, Implementation: t.Implementation, Builds: t.Builds, Namespace: namespace.Name, Folder: p.result.Log,
	})
	if err != nil {
		return nil, err
	}
	p.world = world{recorder: p.recorder, calls: p.subject.Proxy.Calls}
	return p, nil
}

func (p *performance) close() {
	if p.subject != nil {
		p.subject.Close()
	}
	if p.recorder != nil {
		p.recorder.Stop()
	}
	if p.result.Namespace == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), harnessLimit)
	defer cancel()
	_ = p.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.result.Namespace}})
}

// notSo is what a step says that did not come about.
type notSo struct{ error }

// play goes through the steps. What failed is the implementation's fault; an
// error is not.
func (p *performance) play(ctx context.Context) (failed string, err error) {
	if p.scenario.Implementation != Later {
		if err := p.subject.Start(); err != nil {
			return "", err
		}
	}
	for i := range p.scenario.Steps {
		step := &p.scenario.Steps[i]
		err := p.do(ctx, step)
		if no, ok := errors.AsType[notSo](err); ok {
			return fmt.Sprintf("step %d, %s: %v", i+1, step, no), nil
		}
		if err != nil {
			return "", fmt.Errorf("step %d, %s: %w", i+1, step, err)
		}
	}
	for _, release := range p.holds {
		release()
	}
	return p.stays(ctx, expression{}, p.theatre.Settle)
}

// judge looks at all that has happened.
func (p *performance) judge(ctx context.Context) error {
	h, err := p.settled(ctx)
	if err != nil {
		return err
	}
	r := p.result
	r.Calls, r.Lives = p.subject.Proxy.Calls(), p.subject.Lives()
	h.Calls = r.Calls
	r.History = h
	r.about = history.About{
		Namespace: r.Namespace, Spec: p.scenario.Description, Requirements: p.scenario.Requirements,
		Kubernetes: p.theatre.Version, Implementation: p.theatre.Implementation.Name, Except: p.except(),
	}
	r.Violations = invariants.Check(h, invariants.OptionsFor(r.about)...)
	if r.Failed == "" {
		r.Failed = broke(p.always, h, r.Calls)
	}
	r.about.Failed = !r.Green()
	return nil
}

// except are the invariants that are left out.
func (p *performance) except() []string {
	all := slices.Clone(p.scenario.Except)
	if p.subject.Lives() > 1 {
		all = append(all, invariants.NotAfterRestart()...)
	}
	return all
}
