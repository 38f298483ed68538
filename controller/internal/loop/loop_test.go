package loop

import (
	"context"
	"errors"
	"testing"

	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// TestFailures: whatever fails is looked at again, and what panics as well; it
// stops neither the process nor the worker.
func TestFailures(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("chaos") },
		"panic": func() error { panic("chaos") },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			queue, tries := NewQueue("test", clock.RealClock{}), 0
			queue.Add(cache.NewObjectName("ns", "bad"))
			Run(ctx, 1, nil, map[Queue]Look{queue: func(context.Context, cache.ObjectName) error {
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

// TestDrain: when the end comes, a look under way is not cut off, what waits is
// left, and Run returns only when all has come to rest.
func TestDrain(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	queue, ended := NewQueue("test", clock.RealClock{}), 0
	queue.Add(cache.NewObjectName("ns", "first"))
	queue.Add(cache.NewObjectName("ns", "second"))
	Run(ctx, 1, nil, map[Queue]Look{queue: func(working context.Context, _ cache.ObjectName) error {
		stop()
		<-ctx.Done()
		if working.Err() == nil {
			ended++
		}
		return nil
	}})
	if ended != 1 {
		t.Errorf("%d looks came to their end", ended)
	}
}

// TestDrainHasAnEnd: a look that hangs is cut off.
func TestDrainHasAnEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	queue := NewQueue("test", clock.RealClock{})
	queue.Add(cache.NewObjectName("ns", "hangs"))
	Run(ctx, 1, nil, map[Queue]Look{queue: func(working context.Context, _ cache.ObjectName) error {
		stop()
		<-working.Done()
		return working.Err()
	}})
}

// TestAnEndBeforeTheBeginning: informers that never sync hold nobody up.
func TestAnEndBeforeTheBeginning(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	Run(ctx, 1, []cache.InformerSynced{func() bool { return false }}, map[Queue]Look{NewQueue("test", clock.RealClock{}): nil})
}

func TestMemoriesBelongToAUID(t *testing.T) {
	var memories Memories[int]
	key := cache.NewObjectName("ns", "a")
	*memories.Of(key, "first") = 1
	if got := *memories.Of(key, "first"); got != 1 {
		t.Errorf("remembers %d", got)
	}
	if got := *memories.Of(key, "second"); got != 0 {
		t.Errorf("inherits %d", got)
	}
	*memories.Of(key, "second") = 2
	memories.Forget(key)
	if got := *memories.Of(key, "second"); got != 0 {
		t.Errorf("remembers %d of what is gone", got)
	}
}
