// Package job is the reference Job controller. It works on one Job at a time, in three steps:
//
//	observe   gathers a plan.View: what informers show, corrected by what this process wrote itself
//	plan.New  decides, as a pure function; it states the contract
//	act       carries the plan.Plan out; may stop anywhere and be repeated
//
// Every step looks at the state of objects, never at the events that led there, so a sync may come
// late, twice, or first after a crash.
package job

import (
	"cmp"
	"context"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
)

const (
	// batchPeriod gathers pod events, so that pods that end together are judged together, and cost
	// one status write. Upstream waits a whole second.
	batchPeriod = 100 * time.Millisecond
	// newPodPeriod is how long new pods have to begin, and perhaps to end, before the status shows
	// them.
	newPodPeriod = 500 * time.Millisecond
	// Each active pod adds podPeriod to what changes wait, crowdPeriod at most: of many pods, more
	// end in the same time, and few large steps cost less than many small ones.
	podPeriod   = 2 * time.Millisecond
	crowdPeriod = time.Second
	// maxParallelWrites bounds the requests in flight for one Job: where no rate limit does, an API
	// server gets through more of them, the more there are at once.
	maxParallelWrites = 64
)

func crowded(job *batchv1.Job) time.Duration {
	return min(time.Duration(job.Status.Active)*podPeriod, crowdPeriod)
}

// Controller reconciles all Jobs of a cluster whose spec.managedBy leaves them to it.
type Controller struct {
	client   kubernetes.Interface
	jobs     batchlisters.JobLister
	pods     cache.Indexer
	groups   *groups // nil without Group
	synced   []cache.InformerSynced
	recorder record.EventRecorder
	clock    clock.WithTicker
	manager  string // in spec.managedBy; empty for the built-in one's name
	// parallelWrites is maxParallelWrites; 1 makes the order of requests certain.
	parallelWrites int

	queue, orphans loop.Queue
	caches         loop.Caches[Cache]
}

// Trim is for informers that feed a Controller, a cache.TransformFunc: it empties the fields of pods
// that it does not read, and managedFields.
func Trim(object any) (any, error) {
	if pod, ok := object.(*corev1.Pod); ok {
		plan.Trim(pod)
	} else if o, err := meta.Accessor(object); err == nil { // not a cache.DeletedFinalStateUnknown
		o.SetManagedFields(nil)
	}
	return object, nil
}

// New returns a Controller that uses the factory's informers for Jobs and pods, and reconciles the Jobs
// whose spec.managedBy names the manager. An empty one is the built-in controller, whose Jobs need
// not have the field. The caller starts the factory afterwards.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder,
	clock clock.WithTicker, manager string) *Controller {
	register()
	jobs, pods := factory.Batch().V1().Jobs(), factory.Core().V1().Pods()
	c := &Controller{
		client:         client,
		jobs:           jobs.Lister(),
		pods:           loop.IndexByOwner(pods.Informer()),
		recorder:       recorder,
		clock:          clock,
		manager:        manager,
		parallelWrites: maxParallelWrites,
		queue:          loop.NewQueue("job", clock),
		orphans:        loop.NewQueue("job_orphan_pod", clock),
	}
	c.synced = []cache.InformerSynced{loop.AddHandler(jobs.Informer(), c.jobChanged),
		loop.AddHandler(pods.Informer(), c.podChanged)}
	return c
}

// Run reconciles until ctx is done, and returns when all workers have ended.
func (c *Controller) Run(ctx context.Context, workers int) {
	loop.Run(ctx, workers, c.synced, map[loop.Queue]loop.Sync{c.queue: c.sync, c.orphans: c.syncOrphan})
}

// sync reconciles one Job. After a write the Job is synced again, until nothing is left to do.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) error {
	shown, err := c.jobs.Jobs(key.Namespace).Get(key.Name)
	if err != nil || !plan.Ours(shown, c.manager) { // the lister's only error is that there is none
		c.caches.Forget(key)
		return nil
	}
	began, known := c.clock.Now(), c.caches.Of(key, shown.UID)
	upTo := c.pods.LastStoreSyncResourceVersion()
	view, err := c.observe(ctx, shown, known, upTo)
	if view == nil {
		return err
	}
	p := plan.New(*view)
	known.history, known.upTo = p.History, upTo
	wrote, err := c.act(ctx, view.Job, known, p)
	switch n := len(p.Create); {
	case err != nil:
	case n > 0 && n < plan.MaxPods && len(view.Pods) == 0: // a Job that has pods goes on at once
		c.queue.AddAfter(key, newPodPeriod)
	case wrote:
		c.queue.AddAfter(key, crowded(shown))
	}
	if p.RequeueAfter > 0 {
		c.queue.AddAfter(key, p.RequeueAfter-c.clock.Since(view.Now))
	}
	if known.ahead() && err == nil { // after an error it is synced again anyway, later and later. JOB-RETRY-002
		c.queue.AddAfter(key, loop.UnseenPeriod)
	}
	took := c.clock.Since(began)
	klog.FromContext(ctx).V(4).Info("Finished syncing Job", "job", klog.KObj(shown), "duration", took,
		"requeueAfter", p.RequeueAfter)
	observeSync(shown, p, err, took)
	return err
}

func (c *Controller) jobChanged(before, now *batchv1.Job) {
	job := cmp.Or(now, before)
	if before == nil && plan.ManagedByOther(now, c.manager) {
		jobsOfOthers.WithLabelValues(ptr.Deref(now.Spec.ManagedBy, batchv1.JobControllerName)).Inc()
	}
	c.queue.Add(cache.MetaObjectToName(job))
	if now == nil || !plan.Counts(now) {
		// Pods without an owner were left alone for the Job to adopt.
		for _, owner := range []types.UID{job.UID, ""} {
			for _, pod := range loop.Owned[corev1.Pod](c.pods, job.Namespace, owner) {
				c.orphans.Add(cache.MetaObjectToName(pod))
			}
		}
	}
}

// podChanged queues the Jobs that a pod belongs to, belonged to or might belong to, and the pod
// itself, which may be an orphan.
func (c *Controller) podChanged(before, now *corev1.Pod) {
	if before != nil && now != nil && before.ResourceVersion == now.ResourceVersion {
		return // a resync
	}
	observePod(before, now)
	wait := batchPeriod
	if before == nil { // no news, if the Job created it
		wait = newPodPeriod
	}
	for _, pod := range []*corev1.Pod{before, now} {
		for _, job := range c.jobsOf(pod) {
			c.queue.AddAfter(cache.MetaObjectToName(job), wait+crowded(job))
		}
	}
	if now != nil && plan.HasFinalizer(now) {
		c.orphans.Add(cache.MetaObjectToName(now))
	}
}

// jobsOf returns the Jobs that a pod belongs to or might belong to. A Job that the informer does not
// show yet is queued when it does.
func (c *Controller) jobsOf(pod *corev1.Pod) (jobs []*batchv1.Job) {
	if pod == nil {
		return nil
	}
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		if job, err := c.jobs.Jobs(pod.Namespace).Get(ref.Name); err == nil && plan.IsJob(ref) {
			jobs = append(jobs, job)
		}
		return jobs
	}
	matching, _ := c.jobs.GetPodJobs(pod) // the error means that there are none
	for i := range matching {
		jobs = append(jobs, &matching[i])
	}
	return jobs
}
