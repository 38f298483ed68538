package loop

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Caches are what a controller knows of objects beyond its informers. An entry belongs to a UID, so
// that an object created again under an old name inherits nothing (#132042). Nothing may break when
// a restart loses them all.
// JOB-COMPLETIONS-009, JOB-FAULTS-008, CRON-OWNERS-001
type Caches[T any] struct{ byKey sync.Map }

type entry[T any] struct {
	uid     types.UID
	content *T
}

// Of returns what is known of an object, at first a zero T.
func (c *Caches[T]) Of(key cache.ObjectName, uid types.UID) *T {
	if known, ok := c.byKey.Load(key); ok && known.(entry[T]).uid == uid {
		return known.(entry[T]).content
	}
	fresh := entry[T]{uid, new(T)}
	c.byKey.Store(key, fresh)
	return fresh.content
}

// Forget drops what is known of an object that is gone.
func (c *Caches[T]) Forget(key cache.ObjectName) { c.byKey.Delete(key) }
