package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// parallelWrites bounds the requests in flight for one Job: where no rate limit
// does, an API server gets through more of them, the more there are at once. Tests
// want them in order.
var parallelWrites = 64

// act carries a Plan out and reports whether it wrote anything, after which the
// Job should be looked at again. The status goes first: if it is refused, the
// Plan was made from an old view and no pod is touched.
func (c *Controller) act(ctx context.Context, job *batchv1.Job, m *memory, p Plan) (wrote bool, err error) {
	m.history = p.History
	if len(p.Adopt) > 0 {
		return c.adopt(ctx, job, m, p.Adopt)
	}
	if !apiequality.Semantic.DeepEqual(job.Status, p.Status) {
		if job, err = c.writeStatus(ctx, job, m, p); job == nil || err != nil {
			return false, err
		}
		wrote = true
	}
	for _, action := range p.Handled {
		podsHandled.WithLabelValues(string(action)).Inc()
	}
	var errs []error
	each := func(what string, pods []*corev1.Pod, do func(context.Context, *batchv1.Job, *memory, *corev1.Pod) error) {
		wrote = wrote || len(pods) > 0
		errs = append(errs, inParallel(pods, func(pod *corev1.Pod) error {
			if err := do(ctx, job, m, pod); err != nil {
				return fmt.Errorf("%s pod %s: %w", what, pod.Name, err)
			}
			return nil
		}))
	}
	each("disowning", p.Disown, c.disown)
	each("releasing", p.Release, c.release)
	each("retiring", p.Retire, c.retire)
	each("deleting", p.Kill, c.kill)
	if len(p.Create) > 0 {
		wrote = true
		errs = append(errs, c.create(ctx, job, m, p.Create))
	}
	return wrote, errors.Join(errs...)
}

// writeStatus returns the Job as written, or nil if it is gone.
func (c *Controller) writeStatus(ctx context.Context, job *batchv1.Job, m *memory, p Plan) (*batchv1.Job, error) {
	update := job.DeepCopy()
	update.Status = p.Status
	written, err := c.client.BatchV1().Jobs(job.Namespace).UpdateStatus(ctx, update, metav1.UpdateOptions{})
	if err != nil {
		m.doubtJob = true
		if apierrors.IsInvalid(err) { // a user has to know, as no retry may help
			c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedStatusUpdate", "Error updating the status: %v", err)
		}
		return nil, ignoreGone(err)
	}
	m.sawJob(written)
	observeStatus(job, written)
	for _, e := range p.Events {
		c.recorder.Event(job, e.Type, e.Reason, e.Message)
	}
	return written, nil
}

// release removes the tracking finalizer. A pod that is gone has none either.
func (c *Controller) release(ctx context.Context, _ *batchv1.Job, m *memory, pod *corev1.Pod) error {
	if err := ignoreGone(c.patch(ctx, m, pod, removeFinalizer(pod))); err != nil {
		return err
	}
	m.released(pod.UID)
	return nil
}

// retire deletes a surplus pod, which shall not be counted. It may have
// succeeded meanwhile, though: then it does count, so the finalizer goes only
// from the very revision that the Plan saw.
func (c *Controller) retire(ctx context.Context, job *batchv1.Job, m *memory, pod *corev1.Pod) error {
	if hasFinalizer(pod) {
		patch := removeFinalizer(pod)
		patch.meta["resourceVersion"] = pod.ResourceVersion
		switch err := ignoreGone(c.patch(ctx, m, pod, patch)); {
		case apierrors.IsConflict(err):
			m.doubtPods.Store(true)
			return nil
		case err != nil:
			return err
		}
		m.released(pod.UID)
	}
	return c.kill(ctx, job, m, pod)
}

func (c *Controller) kill(ctx context.Context, job *batchv1.Job, m *memory, pod *corev1.Pod) error {
	err := c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name,
		metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	if ignoreGone(err) != nil {
		c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedDelete", "Error deleting: %v", err)
		return err
	}
	m.deleted(pod.UID)
	if err == nil {
		c.recorder.Eventf(job, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: %s", pod.Name)
	}
	return nil
}

// adopt makes stray pods the Job's own. The informer may not know yet that the
// Job is being deleted, which the garbage collector would take for a reason to
// delete the pods as well, so the API server is asked first (#42639).
func (c *Controller) adopt(ctx context.Context, job *batchv1.Job, m *memory, pods []*corev1.Pod) (wrote bool, err error) {
	live, err := c.client.BatchV1().Jobs(job.Namespace).Get(ctx, job.Name, metav1.GetOptions{})
	if err != nil || live.UID != job.UID {
		return false, ignoreGone(err)
	}
	m.sawJob(live)
	if live.DeletionTimestamp != nil {
		return true, nil // look again, with that in view
	}
	var adopted atomic.Bool
	err = inParallel(pods, func(pod *corev1.Pod) error {
		patch := newPatch(pod)
		patch.meta["ownerReferences"] = []metav1.OwnerReference{*metav1.NewControllerRef(job, jobKind)}
		patch.meta["finalizers"] = []string{batchv1.JobTrackingFinalizer}
		err := c.patch(ctx, m, pod, patch)
		if err == nil {
			adopted.Store(true)
		}
		return ignoreGone(err)
	})
	// Of pods that are gone the informer will tell, which wakes the Job.
	return adopted.Load(), err
}

func (c *Controller) disown(ctx context.Context, job *batchv1.Job, m *memory, pod *corev1.Pod) error {
	patch := removeFinalizer(pod)
	patch.meta["ownerReferences"] = []map[string]any{{"$patch": "delete", "uid": job.UID}}
	err := c.patch(ctx, m, pod, patch)
	if apierrors.IsNotFound(err) {
		m.deleted(pod.UID)
	}
	return ignoreGone(err)
}

// patch is a strategic merge patch of a pod's metadata.
type patch struct{ meta map[string]any }

// newPatch fits only this very pod, not another one of the same name.
func newPatch(pod *corev1.Pod) patch { return patch{map[string]any{"uid": pod.UID}} }

func removeFinalizer(pod *corev1.Pod) patch {
	p := newPatch(pod)
	if hasFinalizer(pod) {
		p.meta["$deleteFromPrimitiveList/finalizers"] = []string{batchv1.JobTrackingFinalizer}
	}
	return p
}

func (c *Controller) patch(ctx context.Context, m *memory, pod *corev1.Pod, p patch) error {
	answer, err := c.send(ctx, pod, p)
	if err == nil {
		m.sawPod(answer)
	}
	return err
}

func (c *Controller) send(ctx context.Context, pod *corev1.Pod, p patch) (*corev1.Pod, error) {
	body, err := json.Marshal(map[string]any{"metadata": p.meta})
	if err != nil {
		return nil, err
	}
	return c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{})
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// inParallel does it for every item, even if one fails, and returns the first error.
func inParallel[T any](items []T, do func(T) error) error {
	var all errgroup.Group
	all.SetLimit(parallelWrites)
	for _, item := range items {
		all.Go(func() error { return do(item) })
	}
	return all.Wait()
}
