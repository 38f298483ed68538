// Package cronjob is a controller that starts the Jobs of CronJobs on time,
// keeps account of them and removes old ones.
//
// One look at a CronJob has three steps: observe gathers what is known, NewPlan
// decides, act carries the plan out. NewPlan is the readable statement of the
// contract; the rest makes it survive conflicts, crashes and caches that lag.
package cronjob

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	// firstRetry and lastRetry bound the waits after errors, which double.
	firstRetry = 5 * time.Millisecond
	lastRetry  = 30 * time.Second
	// longestSleep is how long a CronJob is left alone at most. Timers do not
	// follow the wall clock when it jumps or the machine sleeps.
	longestSleep = time.Minute
)

// Options are the optional parts of a Controller.
type Options struct {
	// Clock tells the time; nil is the real one. Its time zone is that of
	// schedules which name none.
	Clock clock.WithTicker
	// MetricsRegisterer takes the metrics; nil for none.
	MetricsRegisterer prometheus.Registerer
}

// Controller looks after all CronJobs of a cluster.
type Controller struct {
	client   kubernetes.Interface
	cronJobs batchlisters.CronJobLister
	jobs     cache.Indexer
	synced   []cache.InformerSynced
	recorder record.EventRecorder
	queue    workqueue.TypedRateLimitingInterface[string]
	clock    clock.WithTicker
	metrics  metrics
	memory   memory
}

// New makes a Controller and registers it with the factory's informers, which
// the caller starts.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder, opts Options) (*Controller, error) {
	if opts.Clock == nil {
		opts.Clock = clock.RealClock{}
	}
	cronJobs, jobs := factory.Batch().V1().CronJobs(), factory.Batch().V1().Jobs()
	c := &Controller{
		client:   client,
		cronJobs: cronJobs.Lister(),
		jobs:     jobs.Informer().GetIndexer(),
		recorder: recorder,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, lastRetry),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "cronjob", Clock: opts.Clock}),
		clock:  opts.Clock,
		memory: memory{cronJobs: map[string]*knowledge{}},
	}
	if err := jobs.Informer().AddIndexers(cache.Indexers{controllerUID: indexByControllerUID}); err != nil {
		return nil, err
	}
	onCronJob, err := cronJobs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, cronJob any) { c.enqueue(cronJob) },
		DeleteFunc: c.enqueue,
	})
	if err != nil {
		return nil, err
	}
	onJob, err := jobs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueueOwner,
		UpdateFunc: c.jobUpdated,
		DeleteFunc: c.enqueueOwner,
	})
	if err != nil {
		return nil, err
	}
	c.synced = []cache.InformerSynced{onCronJob.HasSynced, onJob.HasSynced}
	c.metrics, err = newMetrics(opts.MetricsRegisterer)
	return c, err
}

// Run works with the given number of workers until ctx is done.
func (c *Controller) Run(ctx context.Context, workers int) {
	var running sync.WaitGroup
	defer running.Wait()
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return
	}
	for range workers {
		running.Go(func() {
			for c.next(ctx) {
			}
		})
	}
	<-ctx.Done()
}

// next handles one key of the queue; it returns false when the queue is closed.
func (c *Controller) next(ctx context.Context) bool {
	key, closed := c.queue.Get()
	if closed {
		return false
	}
	defer c.queue.Done(key)
	lookAgain, err := c.sync(ctx, key)
	c.metrics.looked(err)
	switch {
	case ctx.Err() != nil:
		return true
	case err == nil:
		c.queue.Forget(key)
	default:
		if apierrors.IsConflict(err) {
			klog.V(2).InfoS("Looking again after a conflict", "cronjob", key, "err", err)
		} else {
			klog.ErrorS(err, "Looking again after an error", "cronjob", key)
		}
		c.queue.AddRateLimited(key)
	}
	if !lookAgain.IsZero() {
		c.queue.AddAfter(key, min(lookAgain.Sub(c.clock.Now()), longestSleep))
	}
	return true
}

// sync looks once at a CronJob and returns when to look again without a change;
// zero is never.
func (c *Controller) sync(ctx context.Context, key string) (time.Time, error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return time.Time{}, err
	}
	cronJob, err := c.cronJobs.CronJobs(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		c.memory.forget(key)
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	k := c.memory.recall(key, cronJob.UID)
	observation, err := c.observe(ctx, k.newest(cronJob), k)
	if err != nil {
		return time.Time{}, err
	}
	plan := NewPlan(observation)
	return plan.LookAgain, c.act(ctx, observation.CronJob, k, plan)
}

func (c *Controller) enqueue(cronJob any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(cronJob); err == nil {
		c.queue.Add(key)
	}
}

func (c *Controller) enqueueOwner(obj any) {
	if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = last.Obj
	}
	job, ok := obj.(*batchv1.Job)
	if !ok {
		return
	}
	if owner := metav1.GetControllerOfNoCopy(job); owner != nil && owner.Kind == "CronJob" {
		c.queue.Add(cache.NewObjectName(job.Namespace, owner.Name).String())
	}
}

// jobUpdated passes over what makes no difference to a CronJob, such as the
// counts of a Job's pods.
func (c *Controller) jobUpdated(before, after any) {
	b, a := before.(*batchv1.Job), after.(*batchv1.Job)
	ownerBefore, ownerAfter := metav1.GetControllerOfNoCopy(b), metav1.GetControllerOfNoCopy(a)
	moved := (ownerBefore == nil) != (ownerAfter == nil) || ownerBefore != nil && ownerBefore.UID != ownerAfter.UID
	if moved {
		c.enqueueOwner(before)
	}
	if moved || finished(b) != finished(a) || !b.Status.CompletionTime.Equal(a.Status.CompletionTime) ||
		(b.DeletionTimestamp == nil) != (a.DeletionTimestamp == nil) {
		c.enqueueOwner(after)
	}
}
