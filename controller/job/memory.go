package job

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// memory is what this process knows about one Job that its informers may not
// show yet: the answers to its own writes. Informers lag behind, and a Plan made
// from an old view would create pods twice or count them twice (#130333,
// #137210). Correcting the view beats waiting for the informers: nothing ever
// blocks, however long a watch hangs.
//
// After a crash it is empty, as are the informers.
type memory struct {
	// Only the sync of this Job uses these, and there is one at a time.
	history     History
	createAfter time.Time
	refusals    int
	job         *batchv1.Job
	// doubtJob is set when a status write failed, so that the Job may be newer
	// than we know: the next sync asks the API server itself.
	doubtJob bool

	// Requests run side by side.
	mu   sync.Mutex
	pods map[types.UID]*sighting
	// doubtPods is the same for pods, after a create without a clear answer or a
	// pod that was not as it should be.
	doubtPods atomic.Bool
}

// sighting is what we know of one pod beyond the informer. An object alone is
// not enough: a delete answers with none, and removing the last finalizer of a
// pod that is being deleted answers with an old resourceVersion.
type sighting struct {
	pod               *corev1.Pod // nil if there was no answer to keep
	released, deleted bool
}

func (m *memory) sawJob(job *batchv1.Job) { m.job = m.latestJob(job) }

// latestJob corrects what the informer shows by what we wrote.
func (m *memory) latestJob(shown *batchv1.Job) *batchv1.Job {
	if m.job != nil && loop.Newer(m.job, shown) {
		return m.job
	}
	return shown
}

// sawPod keeps an answer about a pod. One with the finalizer tells that it is on
// again, should it ever have been removed.
func (m *memory) sawPod(pod *corev1.Pod) {
	m.update(pod.UID, func(s *sighting) {
		if s.pod == nil || loop.Newer(pod, s.pod) {
			s.pod = pod
			s.released = s.released && !hasFinalizer(pod)
		}
	})
}

func (m *memory) released(uid types.UID) { m.update(uid, func(s *sighting) { s.released = true }) }
func (m *memory) deleted(uid types.UID)  { m.update(uid, func(s *sighting) { s.deleted = true }) }

func (m *memory) update(uid types.UID, change func(*sighting)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pods == nil {
		m.pods = map[types.UID]*sighting{}
	}
	if m.pods[uid] == nil {
		m.pods[uid] = &sighting{}
	}
	change(m.pods[uid])
}

// latestPods corrects what the informer shows, and forgets what it has caught up
// with. upTo is the informer's resourceVersion from before shown was read: a pod
// that is older and not shown is gone.
func (m *memory) latestPods(shown []*corev1.Pod, upTo string) []*corev1.Pod {
	if len(m.pods) == 0 {
		return shown
	}
	pods := make([]*corev1.Pod, 0, len(shown)+len(m.pods))
	seen := map[types.UID]bool{}
	for _, pod := range shown {
		if s := m.pods[pod.UID]; s != nil {
			seen[pod.UID] = true
			if pod = s.correct(pod); s.pod == nil && !s.released && !s.deleted {
				delete(m.pods, pod.UID)
			}
		}
		pods = append(pods, pod)
	}
	for uid, s := range m.pods {
		if seen[uid] {
			continue
		}
		if s.pod == nil || !loop.NewerThan(s.pod.ResourceVersion, upTo) {
			delete(m.pods, uid)
			continue
		}
		pods = append(pods, s.mark(s.pod))
	}
	return pods
}

// correct drops from s what the informer shows as well, and puts the rest on a
// copy of the pod.
func (s *sighting) correct(shown *corev1.Pod) *corev1.Pod {
	s.released = s.released && hasFinalizer(shown)
	s.deleted = s.deleted && shown.DeletionTimestamp == nil
	if s.pod == nil || !loop.Newer(s.pod, shown) {
		s.pod = nil
		return s.mark(shown)
	}
	return s.mark(s.pod)
}

func (s *sighting) mark(pod *corev1.Pod) *corev1.Pod {
	if !s.released && !s.deleted {
		return pod
	}
	pod = pod.DeepCopy()
	if s.released {
		pod.Finalizers = slices.DeleteFunc(pod.Finalizers, func(f string) bool { return f == batchv1.JobTrackingFinalizer })
	}
	if s.deleted && pod.DeletionTimestamp == nil {
		now := metav1.Now()
		pod.DeletionTimestamp = &now
	}
	return pod
}
