package job

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// observe gathers the View of a Job. upTo is the resourceVersion up to which the informer shows pods.
// It returns nil if the Job is gone.
func (c *Controller) observe(ctx context.Context, shown *batchv1.Job, known *Cache, upTo string) (*plan.View, error) {
	if known.jobUnconfirmed {
		live, err := c.client.BatchV1().Jobs(shown.Namespace).Get(ctx, shown.Name, metav1.GetOptions{})
		if err != nil || live.UID != shown.UID { // JOB-FAULTS-008
			return nil, ignoreGone(err)
		}
		known.sawJob(live)
		known.jobUnconfirmed = false
	}
	job := known.latestJob(shown) // JOB-FAULTS-007
	selector, err := metav1.LabelSelectorAsSelector(job.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // plan.New reports it
	}
	if known.podsUnconfirmed.Load() {
		if err := c.confirmPods(ctx, job, selector, known); err != nil {
			return nil, err
		}
		known.podsUnconfirmed.Store(false)
	}
	// JOB-FAULTS-012
	v := &plan.View{Job: job, Manager: c.manager, Orphans: loop.Owned[corev1.Pod](c.pods, job.Namespace, ""),
		Now:     c.clock.Now(),
		Groups:  c.groupsOf(job, known),
		Backoff: plan.DefaultBackoff, History: known.history, CreateAfter: known.createAfter}
	for _, pod := range known.latestPods(loop.Owned[corev1.Pod](c.pods, job.Namespace, job.UID), upTo, v.Now) {
		if !known.past(pod) || !selector.Matches(labels.Set(pod.Labels)) || plan.MayRetry(job, pod) {
			v.Pods = append(v.Pods, pod)
		}
	}
	return v, nil
}

// confirmPods reads the Job's pods from the API server, so that a pod whose creation went unanswered
// is not created again.
func (c *Controller) confirmPods(ctx context.Context, job *batchv1.Job, selector labels.Selector, known *Cache) error {
	// JOB-FAULTS-001
	list, err := c.client.CoreV1().Pods(job.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if pod := &list.Items[i]; plan.Controls(job, pod) {
			known.sawPod(pod)
		}
	}
	return nil
}

// Cache is what this process knows about one Job that its informers may not show yet: the answers to
// its own writes. Informers lag behind, and a Plan made from an old view would create pods twice or
// count them twice (#130333, #137210). Correcting the view beats waiting for the informers: nothing
// ever blocks, however long a watch hangs.
//
// After a crash it is empty, as are the informers.
type Cache struct {
	// Only the sync of this Job uses these, and there is one at a time.
	history plan.History
	// upTo is the resourceVersion up to which history knows the pods.
	upTo        string
	createAfter time.Time
	refusals    int
	job         *batchv1.Job
	// workload and podGroup are answers to writes of ours, nil where an informer shows them.
	workload *schedulingv1beta1.Workload
	podGroup *schedulingv1beta1.PodGroup
	// jobUnconfirmed is set when a status write failed, so that the Job may be newer than we know:
	// the next sync reads it from the API server.
	jobUnconfirmed bool

	// Requests run in parallel.
	mu   sync.Mutex
	pods map[types.UID]*podState
	// podsUnconfirmed is the same for pods, after a create without a clear answer or a pod that was
	// not as it should be.
	podsUnconfirmed atomic.Bool
}

// podState is what we know of one pod beyond the informer. An object alone is not enough: a delete
// answers with none, and removing the last finalizer of a pod that is being deleted answers with an
// old resourceVersion.
type podState struct {
	pod                       *corev1.Pod // nil if there was no answer to keep
	finalizerRemoved, deleted bool
}

func (k *Cache) sawJob(job *batchv1.Job) { k.job = k.latestJob(job) }

// latestJob corrects what the informer shows by what we wrote.
func (k *Cache) latestJob(shown *batchv1.Job) *batchv1.Job {
	if k.job != nil && loop.Newer(k.job, shown) {
		return k.job
	}
	return shown
}

// past reports whether a pod has ended and been counted, and was in a View since: history has nothing
// more to learn from it, and a Job may have thousands of those.
func (k *Cache) past(pod *corev1.Pod) bool {
	return plan.Terminal(pod) && !plan.HasFinalizer(pod) && !loop.NewerThan(pod.ResourceVersion, k.upTo)
}

// sawPod keeps an answer about a pod, trimmed. If the pod has the finalizer, a removal before that is
// void.
func (k *Cache) sawPod(pod *corev1.Pod) {
	plan.Trim(pod)
	k.update(pod.UID, func(s *podState) {
		if s.pod == nil || loop.Newer(pod, s.pod) {
			s.pod = pod
			s.finalizerRemoved = s.finalizerRemoved && !plan.HasFinalizer(pod)
		}
	})
}

func (k *Cache) finalizerRemoved(uid types.UID) {
	k.update(uid, func(s *podState) { s.finalizerRemoved = true })
}

func (k *Cache) deleted(uid types.UID) { k.update(uid, func(s *podState) { s.deleted = true }) }

func (k *Cache) update(uid types.UID, change func(*podState)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pods == nil {
		k.pods = map[types.UID]*podState{}
	}
	if k.pods[uid] == nil {
		k.pods[uid] = &podState{}
	}
	change(k.pods[uid])
}

// ahead reports whether an informer has not caught up with what we know of pods.
func (k *Cache) ahead() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.pods) > 0
}

// latestPods corrects what the informer shows, and forgets what it has caught up with. upTo is the
// informer's resourceVersion from before shown was read: a pod that is older and not shown is gone.
func (k *Cache) latestPods(shown []*corev1.Pod, upTo string, now time.Time) []*corev1.Pod {
	if len(k.pods) == 0 {
		return shown
	}
	pods := make([]*corev1.Pod, 0, len(shown)+len(k.pods))
	seen := map[types.UID]bool{}
	for _, pod := range shown {
		if s := k.pods[pod.UID]; s != nil {
			seen[pod.UID] = true
			if pod = s.correct(pod, now); s.pod == nil && !s.finalizerRemoved && !s.deleted {
				delete(k.pods, pod.UID)
			}
		}
		pods = append(pods, pod)
	}
	for uid, s := range k.pods {
		if seen[uid] {
			continue
		}
		if s.pod == nil || !loop.NewerThan(s.pod.ResourceVersion, upTo) {
			delete(k.pods, uid)
			continue
		}
		pods = append(pods, s.apply(s.pod, now))
	}
	return pods
}

// correct drops from s what the informer shows as well, and applies the rest to a copy of the pod.
func (s *podState) correct(shown *corev1.Pod, now time.Time) *corev1.Pod {
	s.finalizerRemoved = s.finalizerRemoved && plan.HasFinalizer(shown)
	s.deleted = s.deleted && shown.DeletionTimestamp == nil
	if s.pod == nil || !loop.Newer(s.pod, shown) {
		s.pod = nil
		return s.apply(shown, now)
	}
	return s.apply(s.pod, now)
}

func (s *podState) apply(pod *corev1.Pod, now time.Time) *corev1.Pod {
	if !s.finalizerRemoved && !s.deleted {
		return pod
	}
	pod = pod.DeepCopy()
	if s.finalizerRemoved {
		pod.Finalizers = slices.DeleteFunc(pod.Finalizers, func(f string) bool {
			return f == batchv1.JobTrackingFinalizer
		})
	}
	if s.deleted && pod.DeletionTimestamp == nil {
		pod.DeletionTimestamp = &metav1.Time{Time: now}
	}
	return pod
}
