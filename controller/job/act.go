package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// act carries a Plan out and reports whether it wrote anything, after which the Job should be synced
// again. The status goes first: if it is refused, the Plan was made from an old view and no pod is
// touched.
func (c *Controller) act(ctx context.Context, job *batchv1.Job, known *Cache, p plan.Plan) (wrote bool, err error) {
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "job", klog.KObj(job))
	if p.Status != nil {
		logStatus(logger, job, p)
		if job, err = c.writeStatus(ctx, job, known, p); job == nil || err != nil {
			return false, err
		}
		wrote = true
	}
	for _, e := range p.Events { // JOB-FAULTS-006
		c.recorder.Event(job, e.Type, e.Reason, e.Message)
	}
	var errs []error
	each := func(what string, pods []*corev1.Pod, do func(context.Context, *batchv1.Job, *Cache, *corev1.Pod) error) {
		if len(pods) == 0 {
			return
		}
		wrote = true
		logger.V(2).Info(what, "pods", klog.KObjSlice(pods))
		errs = append(errs, c.inParallel(pods, func(pod *corev1.Pod) error {
			if err := do(ctx, job, known, pod); err != nil {
				return fmt.Errorf("%s: %s: %w", what, pod.Name, err)
			}
			return nil
		}))
	}
	each("Releasing pods that no longer match the selector", p.Release, c.release)
	each("Removing the finalizer of counted pods", p.RemoveFinalizer, c.removeFinalizer)
	each("Deleting pods that do not count", p.DeleteUncounted, c.deleteUncounted)
	each("Deleting pods that count as failed", p.DeleteCounted, c.delete)
	if p.Regroup != (plan.Regroup{}) { // WORKLOAD-ADMISSION-001, WORKLOAD-ADMISSION-002
		regrouped, err := c.regroup(ctx, job, known, p.Regroup)
		wrote = wrote || regrouped
		errs = append(errs, err)
	}
	if len(p.Adopt) > 0 {
		logger.V(2).Info("Adopting pods", "pods", klog.KObjSlice(p.Adopt))
		adopted, err := c.adopt(ctx, job, known, p.Adopt)
		wrote = wrote || adopted
		errs = append(errs, err)
	}
	if len(p.Create) > 0 {
		logger.V(2).Info("Creating pods", "count", len(p.Create), "active", job.Status.Active,
			"succeeded", job.Status.Succeeded, "failed", job.Status.Failed)
		wrote = true
		errs = append(errs, c.create(ctx, job, known, p.Create))
	}
	return wrote, errors.Join(errs...)
}

// logStatus logs the conditions that a Plan changes at V(2), and its counters at V(4).
func logStatus(logger klog.Logger, job *batchv1.Job, p plan.Plan) {
	for _, c := range p.Status.Conditions {
		if !slices.Contains(job.Status.Conditions, c) {
			logger.V(2).Info("Setting a condition", "type", c.Type, "status", c.Status, "reason", c.Reason,
				"message", c.Message)
		}
	}
	logger.V(4).Info("Writing the status", "active", p.Status.Active, "succeeded", p.Status.Succeeded,
		"failed", p.Status.Failed)
}

// writeStatus returns the Job as written, or nil if it is gone.
func (c *Controller) writeStatus(ctx context.Context, job *batchv1.Job, known *Cache,
	p plan.Plan) (*batchv1.Job, error) {
	update := job.DeepCopy()
	update.Status = *p.Status
	// JOB-STATUS-011
	written, err := c.client.BatchV1().Jobs(job.Namespace).UpdateStatus(ctx, update, metav1.UpdateOptions{})
	if err != nil {
		known.jobUnconfirmed = true
		if apierrors.IsInvalid(err) { // a user has to know, as no retry may help
			c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedStatusUpdate", "Error updating the status: %v", err)
		}
		return nil, ignoreGone(err)
	}
	known.sawJob(written)
	observeStatus(job, written, p.RemoveFinalizer)
	return written, nil
}

// removeFinalizer removes the tracking finalizer. A pod that is gone has none either.
func (c *Controller) removeFinalizer(ctx context.Context, _ *batchv1.Job, known *Cache, pod *corev1.Pod) error {
	if err := ignoreGone(c.patch(ctx, known, pod, withoutFinalizer(pod))); err != nil {
		return err
	}
	known.finalizerRemoved(pod.UID)
	return nil
}

// deleteUncounted deletes a pod that must not be counted. It may have succeeded meanwhile, though,
// and then it does count, so the finalizer goes only from the very revision that the Plan saw.
func (c *Controller) deleteUncounted(ctx context.Context, job *batchv1.Job, known *Cache, pod *corev1.Pod) error {
	if plan.HasFinalizer(pod) {
		patch := withoutFinalizer(pod)
		patch.meta["resourceVersion"] = pod.ResourceVersion
		switch err := ignoreGone(c.patch(ctx, known, pod, patch)); {
		case apierrors.IsConflict(err):
			known.podsUnconfirmed.Store(true)
			return nil
		case err != nil:
			return err
		}
		known.finalizerRemoved(pod.UID)
	}
	return c.delete(ctx, job, known, pod)
}

// delete deletes this very pod, not another one of its name.
func (c *Controller) delete(ctx context.Context, job *batchv1.Job, known *Cache, pod *corev1.Pod) error {
	err := c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name,
		metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	if ignoreGone(err) != nil {
		// JOB-ADMISSION-022
		c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedDelete", "Error deleting: %v", err)
		return err
	}
	known.deleted(pod.UID)
	if err == nil {
		c.recorder.Eventf(job, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: %s", pod.Name)
	}
	return nil
}

// adopt makes pods the Job's own and reports whether it wrote anything. The informer may not show yet
// that the Job is being deleted, which the garbage collector would take for a reason to delete the
// pods as well, so the API server is asked first (#42639).
func (c *Controller) adopt(ctx context.Context, job *batchv1.Job, known *Cache,
	pods []*corev1.Pod) (wrote bool, err error) {
	live, err := c.client.BatchV1().Jobs(job.Namespace).Get(ctx, job.Name, metav1.GetOptions{})
	if err != nil || live.UID != job.UID {
		return false, ignoreGone(err)
	}
	known.sawJob(live)
	if live.DeletionTimestamp != nil {
		return true, nil // sync again, with that in view
	}
	var adopted atomic.Bool
	err = c.inParallel(pods, func(pod *corev1.Pod) error {
		patch := newPatch(pod)
		patch.meta["ownerReferences"] = []metav1.OwnerReference{*metav1.NewControllerRef(job, plan.Kind)}
		patch.meta["finalizers"] = []string{batchv1.JobTrackingFinalizer}
		err := c.patch(ctx, known, pod, patch)
		if err == nil {
			adopted.Store(true)
		}
		return ignoreGone(err)
	})
	// The informer is going to show that a pod is gone, which queues the Job.
	return adopted.Load(), err
}

func (c *Controller) release(ctx context.Context, job *batchv1.Job, known *Cache, pod *corev1.Pod) error {
	patch := withoutFinalizer(pod)
	patch.meta["ownerReferences"] = []map[string]any{{"$patch": "delete", "uid": job.UID}}
	err := c.patch(ctx, known, pod, patch)
	if apierrors.IsNotFound(err) {
		known.deleted(pod.UID)
	}
	return ignoreGone(err)
}

// patch is a strategic merge patch of a pod's metadata.
type patch struct{ meta map[string]any }

// newPatch returns a patch that fits only this very pod, not another one of the same name.
func newPatch(pod *corev1.Pod) patch { return patch{map[string]any{"uid": pod.UID}} }

func withoutFinalizer(pod *corev1.Pod) patch {
	p := newPatch(pod)
	if plan.HasFinalizer(pod) {
		p.meta["$deleteFromPrimitiveList/finalizers"] = []string{batchv1.JobTrackingFinalizer}
	}
	return p
}

func (c *Controller) patch(ctx context.Context, known *Cache, pod *corev1.Pod, p patch) error {
	answer, err := c.send(ctx, pod, p)
	if err == nil {
		known.sawPod(answer)
	}
	return err
}

func (c *Controller) send(ctx context.Context, pod *corev1.Pod, p patch) (*corev1.Pod, error) {
	body, err := json.Marshal(map[string]any{"metadata": p.meta})
	if err != nil {
		return nil, err
	}
	return c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body,
		metav1.PatchOptions{})
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// inParallel calls do for every pod, even if one fails, and returns the first error.
func (c *Controller) inParallel(pods []*corev1.Pod, do func(*corev1.Pod) error) error {
	var all errgroup.Group
	all.SetLimit(c.parallelWrites)
	for _, pod := range pods {
		all.Go(func() error { return do(pod) })
	}
	return all.Wait()
}

const (
	// After a refused pod, creation waits for refusalBase, twice as long after each further one in a
	// row, and at most for refusalMax: no event announces that a used up quota has room again.
	refusalBase = 250 * time.Millisecond
	refusalMax  = time.Minute
)

// create starts slowly: one pod, then two, then four. If they are all refused for the same reason,
// that costs few requests and events. A refused pod counts for nothing.
func (c *Controller) create(ctx context.Context, job *batchv1.Job, known *Cache, pods []*corev1.Pod) error {
	for batch := 1; len(pods) > 0; batch *= 2 {
		n := min(batch, len(pods))
		if err := c.inParallel(pods[:n], func(pod *corev1.Pod) error {
			return c.createPod(ctx, job, known, pod)
		}); err != nil {
			known.refusals++
			delay := refusalDelay(known.refusals)
			if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
				delay, err = refusalMax, nil // the namespace is going away, and so will the Job
			}
			// JOB-ADMISSION-001, JOB-ADMISSION-004, JOB-ADMISSION-005, JOB-ADMISSION-006,
			// JOB-ADMISSION-007, JOB-ADMISSION-008, JOB-PARALLELISM-013
			known.createAfter = c.clock.Now().Add(delay)
			klog.FromContext(ctx).V(2).Info("Pods were refused", "job", klog.KObj(job), "notCreated", len(pods),
				"createAfter", known.createAfter)
			return err
		}
		pods = pods[n:]
	}
	known.refusals, known.createAfter = 0, time.Time{}
	return nil
}

// refusalDelay returns how long creation waits after so many refusals in a row.
func refusalDelay(refusals int) time.Duration {
	return min(refusalBase<<min(refusals-1, 10), refusalMax)
}

func (c *Controller) createPod(ctx context.Context, job *batchv1.Job, known *Cache, pod *corev1.Pod) error {
	created, err := c.client.CoreV1().Pods(job.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	observeCreation(job, err)
	if err != nil {
		if !refused(err) {
			known.podsUnconfirmed.Store(true)
		}
		if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			// JOB-ADMISSION-002
			c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", err)
		}
		return err
	}
	known.sawPod(created)
	c.recorder.Eventf(job, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", created.Name)
	return nil
}

// refused reports whether an error means for sure that nothing was written.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsNotFound(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsBadRequest(err) || apierrors.IsUnauthorized(err)
}
