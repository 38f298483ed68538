package loop

import (
	"context"
	"errors"
	"testing"

	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// TestFailures: a sync that fails or panics is tried again, and stops neither the process nor the
// worker.
func TestFailures(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("chaos") },
		"panic": func() error { panic("chaos") },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			queue, tries := NewQueue("test", clock.RealClock{}), 0
			queue.Add(cache.NewObjectName("ns", "bad"))
			Run(ctx, 1, nil, map[Queue]Sync{queue: func(context.Context, cache.ObjectName) error {
				if tries++; tries < 3 {
					return fail()
				}
				stop()
				return nil
			}})
			if tries != 3 {
				t.Errorf("%d tries", tries)
			}
		})
	}
}

// TestDrain: when ctx is done, a sync under way is not cut off, keys in the queue are left, and Run
// returns only when all workers have ended.
func TestDrain(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	queue, ended := NewQueue("test", clock.RealClock{}), 0
	queue.Add(cache.NewObjectName("ns", "first"))
	queue.Add(cache.NewObjectName("ns", "second"))
	Run(ctx, 1, nil, map[Queue]Sync{queue: func(working context.Context, _ cache.ObjectName) error {
		stop()
		<-ctx.Done()
		if working.Err() == nil {
			ended++
		}
		return nil
	}})
	if ended != 1 {
		t.Errorf("%d syncs ended", ended)
	}
}

// TestDrainHasAnEnd: a sync that hangs is cut off.
func TestDrainHasAnEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	queue := NewQueue("test", clock.RealClock{})
	queue.Add(cache.NewObjectName("ns", "hangs"))
	Run(ctx, 1, nil, map[Queue]Sync{queue: func(working context.Context, _ cache.ObjectName) error {
		stop()
		<-working.Done()
		return working.Err()
	}})
}

// TestStopBeforeStart: informers that never sync do not keep Run from returning.
func TestStopBeforeStart(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	Run(ctx, 1, []cache.InformerSynced{func() bool {
		return false
	}}, map[Queue]Sync{NewQueue("test", clock.RealClock{}): nil})
}

func TestCachesBelongToAUID(t *testing.T) {
	var caches Caches[int]
	key := cache.NewObjectName("ns", "a")
	*caches.Of(key, "first") = 1
	if got := *caches.Of(key, "first"); got != 1 {
		t.Errorf("remembers %d", got)
	}
	if got := *caches.Of(key, "second"); got != 0 {
		t.Errorf("inherits %d", got)
	}
	*caches.Of(key, "second") = 2
	caches.Forget(key)
	if got := *caches.Of(key, "second"); got != 0 {
		t.Errorf("remembers %d of an object that is gone", got)
	}
}
