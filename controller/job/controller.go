package job

import (
	"cmp"
	"context"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
)

const (
	// batchPeriod gathers pod events, so that pods that end together are judged
	// together, and cost one status write. Upstream waits a whole second.
	batchPeriod = 100 * time.Millisecond
	// newPodPeriod is how long new pods have to begin, and perhaps to end, before
	// the status tells of them.
	newPodPeriod = 500 * time.Millisecond
	// Each pod that is at work adds podPeriod to what changes wait, crowdPeriod at
	// most: of many, more end in the same time, and few large steps cost less than
	// many small ones.
	podPeriod   = 2 * time.Millisecond
	crowdPeriod = time.Second
)

func crowded(job *batchv1.Job) time.Duration {
	return min(time.Duration(job.Status.Active)*podPeriod, crowdPeriod)
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

	queue, orphans loop.Queue
	memories       loop.Memories[memory]
}

// New returns a Controller that uses the factory's informers for Jobs and pods;
// the caller starts the factory, afterwards.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder, clock clock.WithTicker) *Controller {
	jobs, pods := factory.Batch().V1().Jobs(), factory.Core().V1().Pods()
	c := &Controller{
		client:   client,
		jobs:     jobs.Lister(),
		pods:     loop.IndexByOwner(pods.Informer()),
		recorder: recorder,
		clock:    clock,
		queue:    loop.NewQueue("job", clock),
		orphans:  loop.NewQueue("job_orphan_pod", clock),
	}
	c.synced = []cache.InformerSynced{loop.Hear(jobs.Informer(), c.jobChanged), loop.Hear(pods.Informer(), c.podChanged)}
	return c
}

// Run works until ctx is done, and returns when all workers have come to rest.
func (c *Controller) Run(ctx context.Context, workers int) {
	loop.Run(ctx, workers, c.synced, map[loop.Queue]loop.Look{c.queue: c.sync, c.orphans: c.releaseOrphan})
}

// sync brings one Job a step further, if it is one of ours.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) error {
	shown, err := c.jobs.Jobs(key.Namespace).Get(key.Name)
	if err != nil || Finished(shown) { // the informer's only error is that there is none
		c.memories.Forget(key)
		return nil
	}
	if managedByOther(shown) {
		return nil
	}
	if reason, message := flaw(shown); reason != "" {
		c.recorder.Event(shown, corev1.EventTypeWarning, reason, message)
		return nil
	}
	began := c.clock.Now()
	did, err := c.step(ctx, key, shown)
	observeSync(shown, did, err, c.clock.Since(began))
	return err
}

// step returns what it did. Whatever it wrote it looks at again, until nothing is
// left to do.
func (c *Controller) step(ctx context.Context, key cache.ObjectName, shown *batchv1.Job) (Plan, error) {
	m := c.memories.Of(key, shown.UID)
	view, err := c.observe(ctx, shown, m)
	if view == nil {
		return Plan{}, err
	}
	p := plan(*view)
	wrote, err := c.act(ctx, view.Job, m, p)
	switch n := len(p.Create); {
	case err != nil:
	case n > 0 && n < maxPodsPerPlan && len(view.Pods) == 0: // a Job at work goes on at once
		c.queue.AddAfter(key, newPodPeriod)
	case wrote:
		c.queue.AddAfter(key, crowded(shown))
	}
	if p.Again > 0 {
		c.queue.AddAfter(key, p.Again)
	}
	return p, err
}

func (c *Controller) jobChanged(before, now *batchv1.Job) {
	job := cmp.Or(now, before)
	if before == nil && managedByOther(now) {
		jobsOfOthers.WithLabelValues(*now.Spec.ManagedBy).Inc()
	}
	c.queue.Add(cache.MetaObjectToName(job))
	if now == nil || !counts(now) {
		// Those that have lost their owner were left alone for the Job to adopt.
		for _, owner := range []types.UID{job.UID, ""} {
			for _, pod := range loop.Owned[corev1.Pod](c.pods, job.Namespace, owner) {
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
	if now != nil && hasFinalizer(now) {
		c.orphans.Add(cache.MetaObjectToName(now))
	}
}

// jobsOf are the Jobs that a pod belongs to or might. One that is not known yet
// will be looked at when it is.
func (c *Controller) jobsOf(pod *corev1.Pod) (jobs []*batchv1.Job) {
	if pod == nil {
		return nil
	}
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		if job, err := c.jobs.Jobs(pod.Namespace).Get(ref.Name); err == nil && isJob(ref) {
			jobs = append(jobs, job)
		}
		return jobs
	}
	matching, _ := c.jobs.GetPodJobs(pod) // the error says that there are none
	for i := range matching {
		jobs = append(jobs, &matching[i])
	}
	return jobs
}
