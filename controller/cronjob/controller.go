// Package cronjob is a controller that starts the Jobs of CronJobs on time,
// keeps account of them and removes old ones.
//
// One look at a CronJob has three steps: observe gathers what is known, NewPlan
// decides, act carries the plan out. NewPlan is the readable statement of the
// contract; the rest makes it survive conflicts, crashes and caches that lag.
package cronjob

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
)

// longestSleep is how long a CronJob is left alone at most. Timers do not follow
// the wall clock when it jumps or the machine sleeps.
const longestSleep = time.Minute

// Controller looks after all CronJobs of a cluster.
type Controller struct {
	client   kubernetes.Interface
	cronJobs batchlisters.CronJobLister
	jobs     cache.Indexer
	synced   []cache.InformerSynced
	recorder record.EventRecorder
	queue    loop.Queue
	clock    clock.WithTicker
	memories loop.Memories[knowledge]
}

// New makes a Controller and registers it with the factory's informers, which
// the caller starts. The clock's time zone is that of schedules which name none.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder, clock clock.WithTicker) *Controller {
	cronJobs, jobs := factory.Batch().V1().CronJobs(), factory.Batch().V1().Jobs()
	c := &Controller{
		client:   client,
		cronJobs: cronJobs.Lister(),
		jobs:     loop.IndexByOwner(jobs.Informer()),
		recorder: recorder,
		queue:    loop.NewQueue("cronjob", clock),
		clock:    clock,
	}
	c.synced = []cache.InformerSynced{loop.Hear(cronJobs.Informer(), c.cronJobChanged), loop.Hear(jobs.Informer(), c.jobChanged)}
	return c
}

// Run works with the given number of workers until ctx is done, and returns when
// they have come to rest.
func (c *Controller) Run(ctx context.Context, workers int) {
	loop.Run(ctx, workers, c.synced, map[loop.Queue]loop.Look{c.queue: c.sync})
}

func (c *Controller) sync(ctx context.Context, key cache.ObjectName) error {
	again, err := c.look(ctx, key)
	if !again.IsZero() {
		c.queue.AddAfter(key, min(again.Sub(c.clock.Now()), longestSleep))
	}
	return err
}

// look looks once at a CronJob and returns when to look again without a change;
// zero is never.
func (c *Controller) look(ctx context.Context, key cache.ObjectName) (again time.Time, err error) {
	cronJob, err := c.cronJobs.CronJobs(key.Namespace).Get(key.Name)
	if err != nil { // the informer's only error is that there is none
		c.memories.Forget(key)
		return again, nil
	}
	k := c.memories.Of(key, cronJob.UID)
	asked := k.doubt
	if asked {
		live, err := c.client.BatchV1().CronJobs(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && live.UID != cronJob.UID {
			return again, nil // as the cache is going to say
		}
		if err != nil {
			return again, fmt.Errorf("reading CronJob %s: %w", key.Name, err)
		}
		k.known, k.doubt = live, false
	}
	cronJob = k.newest(cronJob)
	o, err := c.observe(ctx, cronJob, k)
	if err != nil {
		return again, err
	}
	plan := NewPlan(o)
	if plan.Start != nil && k.known != nil && !asked {
		// The cache lags behind our own writes, and so behind what users and other
		// replicas did as well. Nothing starts on such a view.
		k.doubt = true
		return c.look(ctx, key)
	}
	return plan.LookAgain, c.act(ctx, cronJob, k, plan)
}

func (c *Controller) cronJobChanged(before, now *batchv1.CronJob) {
	c.queue.Add(cache.MetaObjectToName(cmp.Or(now, before)))
}

func (c *Controller) jobChanged(before, now *batchv1.Job) {
	for _, job := range []*batchv1.Job{before, now} {
		if job == nil {
			continue
		}
		if owner := metav1.GetControllerOfNoCopy(job); owner != nil && owner.Kind == "CronJob" {
			c.queue.Add(cache.NewObjectName(job.Namespace, owner.Name))
		}
	}
}
