package aggregator

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// mirrorOf is an annotation of a Job in the member: the UID of the Job in the hub that it stands for. A Job there
// without it is somebody else's.
const mirrorOf = "jobconformance.io/mirror-of"

// Reconciler mirrors the Jobs of the hub to the member, and copies their status back.
type Reconciler struct {
	Hub, Member client.Client
	// ManagedBy is the spec.managedBy of the Jobs.
	ManagedBy string
}

// SetupWithManager has the manager of the hub run the Reconciler, with so many workers.
func (r *Reconciler) SetupWithManager(mgr manager.Manager, member cluster.Cluster, workers int) error {
	return ctrl.NewControllerManagedBy(mgr).For(&batchv1.Job{}).
		WatchesRawSource(source.Kind(member.GetCache(), &batchv1.Job{},
			&handler.TypedEnqueueRequestForObject[*batchv1.Job]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

// Reconcile brings one Job of the hub and its mirror, which has the same name, closer to each other.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var job, mirror batchv1.Job
	if err := r.Hub.Get(ctx, request.NamespacedName, &job); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	err := r.Member.Get(ctx, request.NamespacedName, &mirror)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	wanted := job.UID != "" && job.DeletionTimestamp == nil &&
		ptr.Deref(job.Spec.ManagedBy, batchv1.JobControllerName) == r.ManagedBy
	of, ours := mirror.Annotations[mirrorOf]
	switch {
	case err != nil && wanted && !finished(&job.Status):
		return ctrl.Result{}, r.create(ctx, &job)
	case err != nil || !ours:
		return ctrl.Result{}, nil
	case !wanted || of != string(job.UID):
		return ctrl.Result{}, r.delete(ctx, &mirror)
	}
	if err := r.pass(ctx, &job, &mirror); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, &job, &mirror)
}

// create creates the mirror of a Job, and its namespace where the member has none of that name.
func (r *Reconciler) create(ctx context.Context, job *batchv1.Job) error {
	err := r.Member.Create(ctx, mirrored(job))
	if !apierrors.IsNotFound(err) {
		return client.IgnoreAlreadyExists(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: job.Namespace}}
	if err := r.Member.Create(ctx, namespace); client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Member.Create(ctx, mirrored(job)))
}

// generated are the labels that the API server gives the pods of a Job that has no selector of its own.
var generated = []string{batchv1.ControllerUidLabel, batchv1.JobNameLabel, "controller-uid", "job-name"}

// mirrored returns the Job that the member is to run: without what belongs to the hub alone.
func mirrored(job *batchv1.Job) *batchv1.Job {
	mirror := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: job.Namespace, Name: job.Name, Labels: job.Labels,
			Annotations: map[string]string{mirrorOf: string(job.UID)}},
		Spec: *job.Spec.DeepCopy(),
	}
	mirror.Spec.ManagedBy = nil
	mirror.Spec.TTLSecondsAfterFinished = nil // the hub deletes, and needs the status before
	if !ptr.Deref(job.Spec.ManualSelector, false) {
		mirror.Spec.Selector = nil
		for _, label := range generated {
			delete(mirror.Spec.Template.Labels, label)
		}
	}
	return mirror
}

// delete deletes a mirror that stands for no Job, or for one that had the name before.
func (r *Reconciler) delete(ctx context.Context, mirror *batchv1.Job) error {
	if mirror.DeletionTimestamp != nil {
		return nil
	}
	return client.IgnoreNotFound(r.Member.Delete(ctx, mirror, client.Preconditions{UID: &mirror.UID},
		client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// pass passes on what a user may change in the spec of a Job.
func (r *Reconciler) pass(ctx context.Context, job, mirror *batchv1.Job) error {
	next := mirror.DeepCopy()
	next.Spec.Suspend = job.Spec.Suspend
	next.Spec.Parallelism = job.Spec.Parallelism
	next.Spec.Completions = job.Spec.Completions
	if equality.Semantic.DeepEqual(next.Spec, mirror.Spec) {
		return nil
	}
	return client.IgnoreNotFound(r.Member.Patch(ctx, next, client.MergeFrom(mirror)))
}

// report copies the status of a mirror to its Job. That of a finished Job is final.
func (r *Reconciler) report(ctx context.Context, job, mirror *batchv1.Job) error {
	if finished(&job.Status) {
		return nil
	}
	next := job.DeepCopy()
	next.Status = status(job, mirror)
	if equality.Semantic.DeepEqual(next.Status, job.Status) {
		return nil
	}
	err := r.Hub.Status().Update(ctx, next)
	if apierrors.IsConflict(err) {
		return nil // the event of the other write comes
	}
	return client.IgnoreNotFound(err)
}

// status returns the status of a mirror as the API server of the hub accepts it for its Job. It is copied as a whole:
// a part of it, such as Failed without FailureTarget, may be one that the API server never accepts.
func status(job, mirror *batchv1.Job) batchv1.JobStatus {
	next := *mirror.Status.DeepCopy()
	resumed := is(&job.Status, batchv1.JobSuspended, corev1.ConditionTrue) &&
		is(&next, batchv1.JobSuspended, corev1.ConditionFalse)
	if job.Status.StartTime != nil && !ptr.Deref(job.Spec.Suspend, false) && !resumed {
		next.StartTime = job.Status.StartTime // the API server lets a Job that runs change it no more
	}
	return next
}

// finished reports whether a Job is Complete or Failed.
func finished(status *batchv1.JobStatus) bool {
	return is(status, batchv1.JobComplete, corev1.ConditionTrue) || is(status, batchv1.JobFailed, corev1.ConditionTrue)
}

// is reports whether a Job has a condition with this status.
func is(status *batchv1.JobStatus, kind batchv1.JobConditionType, value corev1.ConditionStatus) bool {
	for _, c := range status.Conditions {
		if c.Type == kind {
			return c.Status == value
		}
	}
	return false
}
