package job

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	// MetricsRegisterer receives the metrics; by default nobody does.
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
	metrics  *metrics

	queue   workqueue.TypedRateLimitingInterface[types.NamespacedName]
	orphans workqueue.TypedRateLimitingInterface[types.NamespacedName]

	mu       sync.Mutex
	memories map[types.NamespacedName]*memory
}

// New returns a Controller that uses the factory's informers for Jobs and pods;
// the caller starts the factory, afterwards.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder, opts Options) (*Controller, error) {
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
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
		synced:   []cache.InformerSynced{jobs.Informer().HasSynced, pods.Informer().HasSynced},
		recorder: recorder,
		clock:    opts.Clock,
		backoff:  Backoff{Base: cmp.Or(opts.BackoffBase, 10*time.Second), Max: cmp.Or(opts.BackoffMax, 10*time.Minute)},
		metrics:  m,
		queue:    newQueue("job", opts.Clock),
		orphans:  newQueue("job_orphan_pod", opts.Clock),
		memories: map[types.NamespacedName]*memory{},
	}
	if err := pods.Informer().AddIndexers(cache.Indexers{byController: indexByController}); err != nil {
		return nil, fmt.Errorf("indexing pods: %w", err)
	}
	_, err = jobs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.jobChanged(obj, false) },
		UpdateFunc: func(_, obj any) { c.jobChanged(obj, false) },
		DeleteFunc: func(obj any) { c.jobChanged(obj, true) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching Jobs: %w", err)
	}
	_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.podChanged(nil, obj) },
		UpdateFunc: c.podChanged,
		DeleteFunc: func(obj any) { c.podChanged(obj, nil) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching pods: %w", err)
	}
	return c, nil
}

func newQueue(name string, clock clock.WithTicker) workqueue.TypedRateLimitingInterface[types.NamespacedName] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](retryBase, retryMax),
		workqueue.TypedRateLimitingQueueConfig[types.NamespacedName]{Name: name, Clock: clock})
}

// Run works until ctx is done, and returns when all workers have come to rest.
func (c *Controller) Run(ctx context.Context, workers int) {
	logger := klog.FromContext(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer c.queue.ShutDown()
	defer c.orphans.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return
	}
	logger.Info("Job controller runs", "workers", workers)
	for range workers {
		wg.Go(func() { work(ctx, c.queue, "Job", c.sync) })
		wg.Go(func() { work(ctx, c.orphans, "orphan pod", c.releaseOrphan) })
	}
	<-ctx.Done()
}

// work handles keys until the queue is shut down, and those that fail again,
// later and later.
func work(ctx context.Context, queue workqueue.TypedRateLimitingInterface[types.NamespacedName], what string,
	handle func(context.Context, types.NamespacedName) error) {
	for {
		key, quit := queue.Get()
		if quit || ctx.Err() != nil {
			return
		}
		switch err := handle(ctx, key); {
		case err == nil:
			queue.Forget(key)
		case apierrors.IsConflict(err):
			klog.FromContext(ctx).V(2).Info("Changed meanwhile, will try again", "what", what, "key", key)
			queue.AddRateLimited(key)
		default:
			klog.FromContext(ctx).Error(err, "Will try again", "what", what, "key", key)
			queue.AddRateLimited(key)
		}
		queue.Done(key)
	}
}

// sync brings one Job a step further. Whatever it wrote it looks at again, until
// nothing is left to do.
func (c *Controller) sync(ctx context.Context, key types.NamespacedName) (err error) {
	began := c.clock.Now()
	defer func() {
		c.metrics.syncs.WithLabelValues(result(err)).Inc()
		c.metrics.syncSeconds.Observe(c.clock.Since(began).Seconds())
	}()
	shown, err := c.jobs.Jobs(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		c.forget(key)
		return nil
	}
	if err != nil {
		return err
	}
	if Finished(shown) {
		c.forget(key)
		return nil
	}
	if !knownMode(shown) {
		c.recorder.Event(shown, corev1.EventTypeWarning, "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
		return nil
	}
	m := c.memory(key, shown.UID)
	view, err := c.observe(ctx, shown, m)
	if view == nil {
		return err
	}
	p := plan(*view)
	wrote, err := c.act(ctx, view.Job, m, p)
	if wrote && err == nil {
		c.queue.Add(key)
	}
	if p.Again > 0 {
		c.queue.AddAfter(key, p.Again)
	}
	return err
}

func result(err error) string {
	if err != nil {
		return "error"
	}
	return "success"
}

func (c *Controller) memory(key types.NamespacedName, uid types.UID) *memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.memories[key]
	if m == nil || m.uid != uid {
		m = newMemory(uid)
		c.memories[key] = m
	}
	return m
}

func (c *Controller) forget(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.memories, key)
}

func (c *Controller) jobChanged(obj any, gone bool) {
	job := last[*batchv1.Job](obj)
	if job == nil {
		return
	}
	c.queue.Add(keyOf(job))
	if gone || Finished(job) {
		for _, pod := range c.podsOf(job.UID) {
			c.orphaned(pod)
		}
	}
}

// podChanged wakes the Jobs that a pod belongs to, belonged to or might.
func (c *Controller) podChanged(before, after any) {
	old, pod := last[*corev1.Pod](before), last[*corev1.Pod](after)
	if old != nil && pod != nil && old.ResourceVersion == pod.ResourceVersion {
		return // a resync
	}
	for _, p := range []*corev1.Pod{old, pod} {
		if p == nil {
			continue
		}
		if ref := metav1.GetControllerOfNoCopy(p); ref != nil {
			if isJob(ref) {
				c.queue.AddAfter(types.NamespacedName{Namespace: p.Namespace, Name: ref.Name}, batchPeriod)
			}
			continue
		}
		for _, job := range c.jobsSelecting(p) {
			c.queue.AddAfter(keyOf(job), batchPeriod)
		}
	}
	if pod == nil || !hasFinalizer(pod) {
		return
	}
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		c.orphaned(pod)
		return
	}
	if !isJob(ref) {
		return
	}
	job, err := c.jobs.Jobs(pod.Namespace).Get(ref.Name)
	if err != nil || job.UID != ref.UID || Finished(job) {
		c.orphaned(pod)
	}
}

// orphaned has a worker look into whether the pod is an orphan.
func (c *Controller) orphaned(pod *corev1.Pod) {
	if hasFinalizer(pod) {
		c.orphans.Add(keyOf(pod))
	}
}

func keyOf(obj metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// last returns the object of an informer's notice, or what was last seen of one
// whose deletion the informer missed.
func last[T any](obj any) T {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	object, _ := obj.(T)
	return object
}
