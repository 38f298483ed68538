// Package loop is what the controllers share: queues of objects to sync, informers that fill them,
// and workers that empty them.
package loop

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// A sync that failed is repeated after firstRetry, then after twice as long each time, and at
	// most after lastRetry.
	// CRON-ADMISSION-003, CRON-ADMISSION-004, CRON-JOBS-009, JOB-ADMISSION-019
	firstRetry = 100 * time.Millisecond
	lastRetry  = time.Minute
	// UnseenPeriod is how soon an object is synced again that has something which informers do not
	// show yet. No event reports what was created and deleted while a watch was down.
	// JOB-FAULTS-010
	UnseenPeriod = time.Second
	// drain is how long a sync may go on after ctx is done.
	drain = 2 * time.Second
)

// Queue has the keys of objects to sync.
type Queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

// Sync reconciles one object. After an error it is called again, later and later.
type Sync func(context.Context, cache.ObjectName) error

// NewQueue returns a queue; its metrics carry the name.
func NewQueue(name string, clock clock.WithTicker) Queue {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](firstRetry, lastRetry),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: name, Clock: clock})
}

// Run has each queue emptied by workers of its own, from when the informers have synced until ctx is
// done. Then it lets syncs under way end, for as long as drain at most. The informers list and watch
// again whatever they missed.
func Run(ctx context.Context, workers int, synced []cache.InformerSynced, syncs map[Queue]Sync) {
	var running sync.WaitGroup
	defer running.Wait()
	for queue := range syncs {
		defer queue.ShutDown()
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) { // JOB-FAULTS-011, CRON-FAULTS-005
		return
	}
	klog.FromContext(ctx).Info("Starting workers", "workers", workers)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	for queue, sync := range syncs {
		for range workers {
			running.Go(func() {
				for ctx.Err() == nil && next(working, queue, sync) {
				}
			})
		}
	}
	<-ctx.Done()
	time.AfterFunc(drain, stop)
}

// next handles one key; it returns false when the queue is closed. A panic over one object is a
// failure like any other.
func next(ctx context.Context, queue Queue, sync Sync) (open bool) {
	key, closed := queue.Get()
	if closed {
		return false
	}
	defer queue.Done(key)
	defer func() {
		if r := recover(); r != nil {
			utilruntime.HandleErrorWithContext(ctx, fmt.Errorf("panic: %v", r), "Syncing panicked, will retry", "key",
				key, "stack", string(debug.Stack()))
			queue.AddRateLimited(key)
			open = true
		}
	}()
	if err := sync(ctx, key); err != nil {
		utilruntime.HandleErrorWithContext(ctx, err, "Syncing failed, will retry", "key", key)
		queue.AddRateLimited(key)
	} else {
		queue.Forget(key) // JOB-RETRY-001, CRON-RETRY-001
	}
	return true
}
