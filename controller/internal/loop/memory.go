package loop

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Memories are what a controller knows of objects beyond its informers. A memory
// belongs to a UID, so that an object created again under an old name inherits
// nothing (#132042). Nothing may break when a restart loses them all.
type Memories[T any] struct{ byKey sync.Map }

type memory[T any] struct {
	uid     types.UID
	content *T
}

// Of returns the memory of an object, which is a zero T at first.
func (m *Memories[T]) Of(key cache.ObjectName, uid types.UID) *T {
	if known, ok := m.byKey.Load(key); ok && known.(memory[T]).uid == uid {
		return known.(memory[T]).content
	}
	fresh := memory[T]{uid, new(T)}
	m.byKey.Store(key, fresh)
	return fresh.content
}

// Forget is for objects that are gone.
func (m *Memories[T]) Forget(key cache.ObjectName) { m.byKey.Delete(key) }
