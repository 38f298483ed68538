// Package requests counts the requests of one user from the API server's audit log.
// The counts are exact whatever the user's program is written in, and cost it only
// the time in which the API server writes a line.
package requests

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/auditlog"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/e2e-framework/support"
)

// Call is a kind of request.
type Call struct {
	// Verb as the API server names it: create, patch, list.
	Verb string
	// Resource with its subresource, "jobs/status"; a path for what has none.
	Resource string
	// Refused is the HTTP status of a request that failed, 409 for example.
	Refused int
}

func (c Call) String() string {
	if c.Refused != 0 {
		return fmt.Sprintf("%s %s (%d)", c.Verb, c.Resource, c.Refused)
	}
	return c.Verb + " " + c.Resource
}

// Writes reports whether a Call of this kind changes objects.
func (c Call) Writes() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, c.Verb)
}

// Counts has how often each Call was answered, with success or not. Watches are
// left out: the log has them only when they end.
type Counts map[Call]int

// Since returns what came on top of an earlier state.
func (c Counts) Since(earlier Counts) Counts {
	more := Counts{}
	for call, n := range c {
		if n > earlier[call] {
			more[call] = n - earlier[call]
		}
	}
	return more
}

// Total is the number of all calls.
func (c Counts) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Writes is the number of those that change something.
func (c Counts) Writes() int {
	total := 0
	for call, n := range c {
		if call.Writes() {
			total += n
		}
	}
	return total
}

// Counter takes an audit log, as cluster.WithAudit writes it, and counts. The
// zero value is ready.
type Counter struct {
	mu      sync.Mutex
	log     auditlog.Log
	counts  Counts
	err     error
	changed chan struct{}
}

// Write takes a piece of the log. It never fails, so that the API server keeps
// working; see Err.
func (c *Counter) Write(piece []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	events, err := c.log.Add(piece)
	if err != nil {
		c.err = err
	}
	for _, e := range events {
		c.count(e)
	}
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	return len(piece), nil
}

func (c *Counter) count(e auditlog.Event) {
	if e.Verb == "watch" {
		return
	}
	call := Call{Verb: e.Verb, Resource: e.Resource()}
	if code := e.ResponseStatus.Code; code >= 400 {
		call.Refused = code
	}
	if c.counts == nil {
		c.counts = Counts{}
	}
	c.counts[call]++
}

// Counts returns all that was counted so far.
func (c *Counter) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// Err is not nil when the log had a line that cannot be counted.
func (c *Counter) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Changed returns a channel that is closed when more has been written.
func (c *Counter) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// Quiet waits until there was no request for so long.
func (c *Counter) Quiet(ctx context.Context, long time.Duration) error {
	for {
		select {
		case <-c.Changed():
		case <-time.After(long):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Cluster is an embedded cluster on which the requests of implementations are
// counted.
type Cluster struct {
	*run.Environment
	Counter *Counter
	Client  kubernetes.Interface // of the harness
}

// With starts such a cluster, calls do and stops the cluster. The context of do
// ends, too, when a part of the cluster ends.
func With(ctx context.Context, o run.Options, do func(context.Context, Cluster) error) error {
	counter := &Counter{}
	o.Bare = true
	o.Embedded = []support.ClusterOpts{cluster.WithAudit(run.ImplementationUser, counter)}
	return run.With(ctx, o, func(ctx context.Context, env *run.Environment) error {
		config := env.Config()
		config.UserAgent = spec.UserAgent("bench")
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		return do(ctx, Cluster{Environment: env, Counter: counter, Client: client})
	})
}

// Guarded returns a context that ends when the process does; the cause has the end of its log.
func Guarded(ctx context.Context, p *process.Process) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-ctx.Done():
		case <-p.Done():
			cancel(fmt.Errorf("%s exited on its own with %s:\n%s", p.Name(), p.Exit(), p.Excerpt()))
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Pods and Jobs are what Watch can watch.
var (
	Pods = func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Pods().Informer()
	}
	Jobs = func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Batch().V1().Jobs().Informer()
	}
)

// Watch calls handlers for the objects of a namespace until stop is called, which returns when
// nothing runs any more. The context bounds only how long the watch takes to be established.
func Watch(ctx context.Context, c kubernetes.Interface, namespace string,
	what func(informers.SharedInformerFactory) cache.SharedIndexInformer, handlers cache.ResourceEventHandlerFuncs,
) (stop func(), err error) {
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	factory := informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithNamespace(namespace))
	stop = func() {
		cancel()
		factory.Shutdown()
	}
	informer := what(factory)
	if _, err := informer.AddEventHandler(handlers); err != nil {
		stop()
		return nil, err
	}
	factory.Start(watching.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		stop()
		return nil, fmt.Errorf("watching the namespace %s: %w", namespace, context.Cause(ctx))
	}
	return stop, nil
}
