package job

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// A pod that no unfinished Job counts any more is an orphan. It must lose the
// tracking finalizer, or nobody could ever delete it. Orphans have a queue of
// their own with back-off, as their Job is no longer there to retry (#141329).

// releaseOrphan removes the finalizer if the pod is an orphan indeed.
func (c *Controller) releaseOrphan(ctx context.Context, key cache.ObjectName) error {
	obj, exists, err := c.pods.GetByKey(key.String())
	if err != nil || !exists {
		return err
	}
	pod := obj.(*corev1.Pod)
	if !hasFinalizer(pod) {
		return nil
	}
	if tracked, err := c.tracked(ctx, pod); err != nil || tracked {
		return err
	}
	_, err = c.send(ctx, pod, removeFinalizer(pod))
	return ignoreGone(err)
}

// tracked tells whether somebody is there to count the pod. A Job that the
// informer does not show may be new, so the API server has the last word.
func (c *Controller) tracked(ctx context.Context, pod *corev1.Pod) (bool, error) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return c.wouldBeAdopted(pod), nil
	}
	if !isJob(ref) {
		return true, nil
	}
	job, err := c.jobs.Jobs(pod.Namespace).Get(ref.Name)
	if err != nil || job.UID != ref.UID {
		job, err = c.client.BatchV1().Jobs(pod.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	}
	switch {
	case apierrors.IsNotFound(err) || err == nil && job.UID != ref.UID:
		return false, nil
	case err != nil:
		return true, fmt.Errorf("looking for the Job of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return managedByOther(job) || counts(job), nil
}

// counts tells whether a Job still takes note of how its pods end. One that
// cannot be worked on must not keep them when it is deleted.
func counts(job *batchv1.Job) bool {
	reason, _ := flaw(job)
	return !Finished(job) && (reason == "" || job.DeletionTimestamp == nil)
}

func (c *Controller) wouldBeAdopted(pod *corev1.Pod) bool {
	jobs, _ := c.jobs.GetPodJobs(pod) // the error says that there are none
	for _, job := range jobs {
		reason, _ := flaw(&job)
		if reason == "" && !Finished(&job) && job.DeletionTimestamp == nil && !managedByOther(&job) {
			return pod.DeletionTimestamp == nil
		}
	}
	return false
}

func isJob(ref *metav1.OwnerReference) bool {
	return ref.Kind == jobKind.Kind && ref.APIVersion == jobKind.GroupVersion().String()
}
