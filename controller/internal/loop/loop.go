// Package loop is what the controllers have in common: queues of objects to look
// at, informers that fill them, and workers that empty them.
package loop

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// A look that failed is repeated after firstRetry, then after twice as long
	// each time, and at most after lastRetry.
	firstRetry = 100 * time.Millisecond
	lastRetry  = time.Minute
	// drain is how long a look may go on after the end.
	drain = 2 * time.Second
)

// Queue holds the keys of objects that somebody has to look at.
type Queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

// Look looks at one object. After an error it is called again, later and later.
type Look func(context.Context, cache.ObjectName) error

// NewQueue returns a queue; its metrics carry the name.
func NewQueue(name string, clock clock.WithTicker) Queue {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](firstRetry, lastRetry),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: name, Clock: clock})
}

// Run has each queue emptied by workers of its own, from when the informers have
// synced until ctx is done. Then it lets them end what they are at, for as long as
// drain at most.
func Run(ctx context.Context, workers int, synced []cache.InformerSynced, looks map[Queue]Look) {
	var running sync.WaitGroup
	defer running.Wait()
	for queue := range looks {
		defer queue.ShutDown()
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return
	}
	klog.FromContext(ctx).Info("Runs", "workers", workers)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	for queue, look := range looks {
		for range workers {
			running.Go(func() {
				for ctx.Err() == nil && next(working, queue, look) {
				}
			})
		}
	}
	<-ctx.Done()
	time.AfterFunc(drain, stop)
}

// next handles one key; it returns false when the queue is closed. A panic over
// one object is a failure like any other.
func next(ctx context.Context, queue Queue, look Look) (open bool) {
	key, closed := queue.Get()
	if closed {
		return false
	}
	defer queue.Done(key)
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "key", key)
	defer func() {
		if r := recover(); r != nil {
			logger.Error(fmt.Errorf("panic: %v", r), "Looking again after a panic", "stack", string(debug.Stack()))
			queue.AddRateLimited(key)
			open = true
		}
	}()
	if err := look(klog.NewContext(ctx, logger), key); err != nil {
		logger.Info("Looking again after an error", "err", err)
		queue.AddRateLimited(key)
	} else {
		queue.Forget(key)
	}
	return true
}
