// Package cronjob is the reference CronJob controller. It works on one CronJob at a time, in three
// steps:
//
//	observe   gathers a plan.View: what informers show, corrected by what this process wrote itself
//	plan.New  decides, as a pure function; it states the contract
//	act       carries the plan.Plan out; may stop anywhere and be repeated
//
// Every step looks at the state of objects, never at the events that led there, so a sync may come
// late, twice, or first after a crash.
package cronjob

import (
	"cmp"
	"context"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// maxRequeueAfter is how long a CronJob is left alone at most. Timers do not follow the wall clock
// when it jumps or the machine sleeps.
const maxRequeueAfter = time.Minute

// Controller reconciles all CronJobs of a cluster.
type Controller struct {
	client   kubernetes.Interface
	cronJobs batchlisters.CronJobLister
	jobs     cache.Indexer
	synced   []cache.InformerSynced
	recorder record.EventRecorder
	clock    clock.WithTicker

	queue  loop.Queue
	caches loop.Caches[Cache]
}

// New returns a Controller that uses the factory's informers for CronJobs and Jobs. The caller starts
// the factory afterwards. The clock's time zone is that of schedules that name none.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder,
	clock clock.WithTicker) *Controller {
	register()
	cronJobs, jobs := factory.Batch().V1().CronJobs(), factory.Batch().V1().Jobs()
	c := &Controller{
		client:   client,
		cronJobs: cronJobs.Lister(),
		jobs:     loop.IndexByOwner(jobs.Informer()),
		recorder: recorder,
		clock:    clock,
		queue:    loop.NewQueue("cronjob", clock),
	}
	c.synced = []cache.InformerSynced{loop.AddHandler(cronJobs.Informer(), c.cronJobChanged),
		loop.AddHandler(jobs.Informer(), c.jobChanged)}
	return c
}

// Run reconciles until ctx is done, and returns when all workers have ended.
func (c *Controller) Run(ctx context.Context, workers int) {
	loop.Run(ctx, workers, c.synced, map[loop.Queue]loop.Sync{c.queue: c.sync})
}

// sync reconciles one CronJob.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) error {
	shown, err := c.cronJobs.CronJobs(key.Namespace).Get(key.Name)
	if err != nil { // the lister's only error is that there is none
		c.caches.Forget(key)
		return nil
	}
	began, known := c.clock.Now(), c.caches.Of(key, shown.UID)
	confirmed := known.unconfirmed
	view, err := c.observe(ctx, shown, known)
	if view == nil {
		return err
	}
	p := plan.New(*view)
	if p.Create != nil && known.cronJob != nil && !confirmed {
		// The informer lags behind our own writes, and so behind what users and other replicas did as
		// well. Nothing starts on such a view. CRON-FAULTS-004
		known.unconfirmed = true
		return c.sync(ctx, key)
	}
	err = c.act(ctx, view.CronJob, known, p)
	if p.RequeueAfter > 0 {
		c.queue.AddAfter(key, min(p.RequeueAfter-c.clock.Since(view.Now), maxRequeueAfter))
	}
	if known.ahead && err == nil { // after an error it is synced again anyway, later and later. CRON-RETRY-002
		c.queue.AddAfter(key, loop.UnseenPeriod)
	}
	klog.FromContext(ctx).V(4).Info("Finished syncing CronJob", "cronJob", klog.KObj(shown),
		"duration", c.clock.Since(began), "requeueAfter", p.RequeueAfter)
	return err
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
