package loop

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
)

// AddHandler registers changed as a handler. The informer must not have been started.
func AddHandler[T any](informer cache.SharedInformer, changed func(before, now *T)) cache.InformerSynced {
	handler, err := informer.AddEventHandler(OnChange(changed))
	utilruntime.Must(err)
	return handler.HasSynced
}

// OnChange returns a handler that calls changed with what an informer showed before and shows now,
// nil where there was or is nothing. An object whose deletion was missed is passed as last seen.
// client-go calls it an update where that object was created again under its name meanwhile: the old
// one is gone nevertheless, and the new one is passed by itself.
func OnChange[T any](changed func(before, now *T)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(now any) { changed(nil, now.(*T)) },
		UpdateFunc: func(before, now any) {
			if before.(metav1.Object).GetUID() != now.(metav1.Object).GetUID() {
				changed(before.(*T), nil)
				changed(nil, now.(*T))
				return
			}
			changed(before.(*T), now.(*T))
		},
		DeleteFunc: func(before any) {
			if tombstone, ok := before.(cache.DeletedFinalStateUnknown); ok {
				before = tombstone.Obj
			}
			changed(before.(*T), nil)
		},
	}
}

// byOwner indexes objects by their namespace and the UID of their controller.
const byOwner = "by-owner"

// IndexByOwner prepares an informer for Owned.
func IndexByOwner(informer cache.SharedIndexInformer) cache.Indexer {
	utilruntime.Must(informer.AddIndexers(cache.Indexers{byOwner: func(obj any) ([]string, error) {
		object, owner := obj.(metav1.Object), types.UID("")
		if ref := metav1.GetControllerOfNoCopy(object); ref != nil {
			owner = ref.UID
		}
		return []string{ownerKey(object.GetNamespace(), owner)}, nil
	}}))
	return informer.GetIndexer()
}

// Owned returns the objects of a namespace whose controller has this UID; with an empty UID, those
// without a controller.
func Owned[T any](indexer cache.Indexer, namespace string, owner types.UID) []*T {
	found, err := indexer.ByIndex(byOwner, ownerKey(namespace, owner))
	utilruntime.Must(err)
	objects := make([]*T, 0, len(found))
	for _, obj := range found {
		objects = append(objects, obj.(*T))
	}
	return objects
}

func ownerKey(namespace string, owner types.UID) string { return namespace + "/" + string(owner) }

// Newer reports whether a is newer than b, both of one resource (KEP-5504). Revisions that cannot be
// compared count as newer: the informer has not listed anything yet.
func Newer(a, b metav1.Object) bool { return NewerThan(a.GetResourceVersion(), b.GetResourceVersion()) }

// NewerThan is Newer for resourceVersions.
func NewerThan(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err != nil || order > 0
}

// Caches are what a controller knows of objects beyond its informers. An entry belongs to a UID, so
// that an object created again under an old name inherits nothing (#132042). Nothing may break when
// a restart loses them all.
type Caches[T any] struct{ byKey sync.Map }

type entry[T any] struct {
	uid     types.UID
	content *T
}

// Of returns what is known of an object, at first a zero T.
func (c *Caches[T]) Of(key cache.ObjectName, uid types.UID) *T {
	if known, ok := c.byKey.Load(key); ok && known.(entry[T]).uid == uid { // JOB-FAULTS-008, CRON-OWNERS-001
		return known.(entry[T]).content
	}
	fresh := entry[T]{uid, new(T)}
	c.byKey.Store(key, fresh)
	return fresh.content
}

// Forget drops what is known of an object that is gone.
func (c *Caches[T]) Forget(key cache.ObjectName) { c.byKey.Delete(key) }
