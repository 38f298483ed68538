// Package cronjob is a controller that starts the Jobs of CronJobs on time,
// keeps account of them and removes old ones.
//
// One look at a CronJob has three steps: observe gathers what is known, NewPlan
// decides, act carries the plan out. NewPlan is the readable statement of the
// contract; the rest makes it survive conflicts, crashes and caches that lag.
package cronjob

import (
	"context"
	"fmt"
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
	// drain is how long a look may go on after the end of Run's context.
	drain = 2 * time.Second
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
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	clock    clock.WithTicker
	skew     prometheus.Histogram
	memory   sync.Map // of *knowledge by cache.ObjectName
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
			workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](firstRetry, lastRetry),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "cronjob", Clock: opts.Clock}),
		clock: opts.Clock,
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
		UpdateFunc: func(before, after any) { c.enqueueOwner(before); c.enqueueOwner(after) },
		DeleteFunc: c.enqueueOwner,
	})
	if err != nil {
		return nil, err
	}
	c.synced = []cache.InformerSynced{onCronJob.HasSynced, onJob.HasSynced}
	c.skew, err = newSkew(opts.MetricsRegisterer)
	return c, err
}

// Run works with the given number of workers until ctx is done. Then it lets them
// end what they are at, for as long as drain at most.
func (c *Controller) Run(ctx context.Context, workers int) {
	var running sync.WaitGroup
	defer running.Wait()
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return
	}
	klog.FromContext(ctx).Info("CronJob controller runs", "workers", workers)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	for range workers {
		running.Go(func() {
			for ctx.Err() == nil && c.next(working) {
			}
		})
	}
	<-ctx.Done()
	time.AfterFunc(drain, stop)
}

// next handles one key of the queue; it returns false when the queue is closed.
func (c *Controller) next(ctx context.Context) bool {
	key, closed := c.queue.Get()
	if closed {
		return false
	}
	defer c.queue.Done(key)
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "cronjob", key)
	lookAgain, err := c.sync(klog.NewContext(ctx, logger), key)
	switch {
	case err == nil:
		c.queue.Forget(key)
	case apierrors.IsConflict(err):
		logger.V(2).Info("Looking again after a conflict", "err", err)
		c.queue.AddRateLimited(key)
	default:
		logger.Error(err, "Looking again after an error")
		c.queue.AddRateLimited(key)
	}
	if !lookAgain.IsZero() {
		c.queue.AddAfter(key, min(lookAgain.Sub(c.clock.Now()), longestSleep))
	}
	return true
}

// sync looks once at a CronJob and returns when to look again without a change;
// zero is never.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) (time.Time, error) {
	cronJob, err := c.cronJobs.CronJobs(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		c.memory.Delete(key)
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	k := c.recall(key, cronJob.UID)
	asked := k.doubt
	if asked {
		live, err := c.client.BatchV1().CronJobs(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && live.UID != cronJob.UID {
			return time.Time{}, nil // as the cache is going to say
		}
		if err != nil {
			return time.Time{}, fmt.Errorf("reading CronJob %s: %w", key.Name, err)
		}
		k.known, k.doubt = live, false
	}
	cronJob = k.newest(cronJob)
	o, err := c.observe(ctx, cronJob, k)
	if err != nil {
		return time.Time{}, err
	}
	plan := NewPlan(o)
	if plan.Start != nil && k.known != nil && !asked {
		// The cache lags behind our own writes, and so behind what users and other
		// replicas did as well. Nothing starts on such a view.
		k.doubt = true
		return c.sync(ctx, key)
	}
	return plan.LookAgain, c.act(ctx, cronJob, k, plan)
}

func (c *Controller) enqueue(cronJob any) {
	if key, err := cache.DeletionHandlingObjectToName(cronJob); err == nil {
		c.queue.Add(key)
	}
}

func (c *Controller) enqueueOwner(obj any) {
	if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = last.Obj
	}
	if job, ok := obj.(*batchv1.Job); ok {
		if owner := metav1.GetControllerOfNoCopy(job); owner != nil && owner.Kind == "CronJob" {
			c.queue.Add(cache.NewObjectName(job.Namespace, owner.Name))
		}
	}
}
