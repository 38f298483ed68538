package job

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// batchPeriod gathers pod events, so that pods that end together are judged
	// together, and cost one status write. Upstream waits a whole second.
	batchPeriod = 100 * time.Millisecond
	// A sync that failed is repeated after retryBase, then twice as long each
	// time, and at most after retryMax.
	retryBase = 100 * time.Millisecond
	retryMax  = time.Minute
)

// Options of a Controller. The zero value is what Kubernetes does.
type Options struct {
	// BackoffBase is how long the replacement of a failed pod waits; it doubles
	// with each consecutive failure. Default 10 s.
	BackoffBase time.Duration
	// BackoffMax is where that stops growing. Default 10 min.
	BackoffMax time.Duration
	// Clock defaults to the real one.
	Clock clock.WithTicker
	// MetricsRegisterer receives the metrics; by default one that nobody reads.
	MetricsRegisterer prometheus.Registerer
}

// Controller keeps all Jobs of a cluster going, other than those whose
// spec.managedBy names somebody else.
type Controller struct {
	client   kubernetes.Interface
	jobs     batchlisters.JobLister
	pods     cache.Indexer
	synced   []cache.InformerSynced
	recorder record.EventRecorder
	clock    clock.WithTicker
	backoff  Backoff
	metrics  metrics

	queue, orphans queue
	memories       sync.Map // from cache.ObjectName to *memory
}

type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

// New returns a Controller that uses the factory's informers for Jobs and pods;
// the caller starts the factory, afterwards.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder, opts Options) (*Controller, error) {
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	if opts.MetricsRegisterer == nil {
		opts.MetricsRegisterer = prometheus.NewRegistry()
	}
	m, err := newMetrics(opts.MetricsRegisterer)
	if err != nil {
		return nil, fmt.Errorf("registering metrics: %w", err)
	}
	jobs, pods := factory.Batch().V1().Jobs(), factory.Core().V1().Pods()
	c := &Controller{
		client:   client,
		jobs:     jobs.Lister(),
		pods:     pods.Informer().GetIndexer(),
		recorder: recorder,
		clock:    opts.Clock,
		backoff:  Backoff{Base: cmp.Or(opts.BackoffBase, 10*time.Second), Max: cmp.Or(opts.BackoffMax, 10*time.Minute)},
		metrics:  m,
		queue:    newQueue("job", opts.Clock),
		orphans:  newQueue("job_orphan_pod", opts.Clock),
	}
	if err := pods.Informer().AddIndexers(cache.Indexers{byController: indexByController}); err != nil {
		return nil, fmt.Errorf("indexing pods: %w", err)
	}
	onJob, err := jobs.Informer().AddEventHandler(onChange(c.jobChanged))
	if err != nil {
		return nil, fmt.Errorf("watching Jobs: %w", err)
	}
	onPod, err := pods.Informer().AddEventHandler(onChange(c.podChanged))
	if err != nil {
		return nil, fmt.Errorf("watching pods: %w", err)
	}
	c.synced = []cache.InformerSynced{onJob.HasSynced, onPod.HasSynced}
	return c, nil
}

// onChange tells what an informer showed before and shows now, or nil where
// there was or is nothing. What was missed, it tells as it was last seen.
func onChange[T any](changed func(before, now *T)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(now any) { changed(nil, now.(*T)) },
		UpdateFunc: func(before, now any) { changed(before.(*T), now.(*T)) },
		DeleteFunc: func(before any) {
			if tombstone, ok := before.(cache.DeletedFinalStateUnknown); ok {
				before = tombstone.Obj
			}
			changed(before.(*T), nil)
		},
	}
}

func newQueue(name string, clock clock.WithTicker) queue {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](retryBase, retryMax),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: name, Clock: clock})
}

// Run works until ctx is done, and returns when all workers have come to rest.
func (c *Controller) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	defer wg.Wait()
	defer c.queue.ShutDown()
	defer c.orphans.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return
	}
	klog.FromContext(ctx).Info("Job controller runs", "workers", workers)
	for range workers {
		wg.Go(func() { work(ctx, c.queue, "Job", c.sync) })
		wg.Go(func() { work(ctx, c.orphans, "orphan pod", c.releaseOrphan) })
	}
	<-ctx.Done()
}

// work handles keys until the queue is shut down, and those that fail again,
// later and later. A panic over one Job is a failure like any other.
func work(ctx context.Context, queue queue, what string, handle func(context.Context, cache.ObjectName) error) {
	guarded := func(key cache.ObjectName) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return handle(ctx, key)
	}
	for {
		key, quit := queue.Get()
		if quit || ctx.Err() != nil {
			return
		}
		if err := guarded(key); err != nil {
			klog.FromContext(ctx).Info("Will try again", "what", what, "key", key, "err", err)
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

// sync brings one Job a step further. Whatever it wrote it looks at again, until
// nothing is left to do.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) (err error) {
	began := c.clock.Now()
	defer func() { c.metrics.syncs.WithLabelValues(result(err)).Observe(c.clock.Since(began).Seconds()) }()
	shown, err := c.jobs.Jobs(key.Namespace).Get(key.Name)
	if err != nil || Finished(shown) { // the informer's only error is that there is none
		c.forget(key)
		return nil
	}
	if managedByOther(shown) {
		return nil
	}
	if reason, message := flaw(shown); reason != "" {
		c.recorder.Event(shown, corev1.EventTypeWarning, reason, message)
		return nil
	}
	m := c.memory(key, shown.UID)
	view, err := c.observe(ctx, shown, m)
	if view == nil {
		return err
	}
	p := plan(*view)
	wrote, err := c.act(ctx, view.Job, m, p)
	switch n := len(p.Create); {
	case err != nil:
	case n > 0 && n < maxPodsPerPlan: // time for them to begin, and perhaps to end
		c.queue.AddAfter(key, batchPeriod)
	case wrote:
		c.queue.Add(key)
	}
	if p.Again > 0 {
		c.queue.AddAfter(key, p.Again)
	}
	return err
}

func (c *Controller) memory(key cache.ObjectName, uid types.UID) *memory {
	if m, ok := c.memories.Load(key); ok && m.(*memory).uid == uid {
		return m.(*memory)
	}
	m := newMemory(uid)
	c.memories.Store(key, m)
	return m
}

func (c *Controller) forget(key cache.ObjectName) { c.memories.Delete(key) }

func (c *Controller) jobChanged(before, now *batchv1.Job) {
	job := cmp.Or(now, before)
	c.queue.Add(cache.MetaObjectToName(job))
	if now == nil || !counts(now) {
		// Those that have lost their owner were left alone for the Job to adopt.
		for _, key := range []string{string(job.UID), strayKey(job.Namespace)} {
			for _, pod := range c.indexedPods(key) {
				c.orphans.Add(cache.MetaObjectToName(pod))
			}
		}
	}
}

// podChanged wakes the Jobs that a pod belongs to, belonged to or might, and
// whoever looks after orphans.
func (c *Controller) podChanged(before, now *corev1.Pod) {
	if before != nil && now != nil && before.ResourceVersion == now.ResourceVersion {
		return // a resync
	}
	for _, pod := range []*corev1.Pod{before, now} {
		for _, name := range c.jobsOf(pod) {
			c.queue.AddAfter(cache.NewObjectName(pod.Namespace, name), batchPeriod)
		}
	}
	if now != nil && hasFinalizer(now) {
		c.orphans.Add(cache.MetaObjectToName(now))
	}
}

func (c *Controller) jobsOf(pod *corev1.Pod) (names []string) {
	if pod == nil {
		return nil
	}
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil && isJob(ref) {
		return []string{ref.Name}
	} else if ref != nil {
		return nil
	}
	jobs, _ := c.jobs.GetPodJobs(pod) // the error says that there are none
	for _, job := range jobs {
		names = append(names, job.Name)
	}
	return names
}
