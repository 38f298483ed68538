// Package crd is a controller for CronJobs that are a custom resource in an API group of their own,
// written with controller-runtime. It decides by cronjob/plan: observe converts what it reads to
// batch/v1, and act converts what it writes back. How it reads and writes is another design than
// that of package cronjob: a cache, and the API server before each write.
package crd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// ownerUID is the index of Jobs by the UID of the CronJob that controls them. A name would not do:
	// a CronJob that is created again has the name of the one before.
	ownerUID = ".metadata.controller.uid"
	// maxWait is how long a CronJob is left alone at most: timers do not follow the clock on the wall.
	maxWait = time.Minute
)

// Reconciler reconciles CronJobs. It has the rights that these markers ask for.
//
// +kubebuilder:rbac:groups=batch.jobconformance.io,resources=cronjobs,verbs=get;list;watch
// +kubebuilder:rbac:groups=batch.jobconformance.io,resources=cronjobs/status,verbs=update
// +kubebuilder:rbac:groups=batch.jobconformance.io,resources=cronjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch.jobconformance.io,resources=runs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
type Reconciler struct {
	// Client reads from the cache.
	client.Client
	// Live reads from the API server.
	Live     client.Reader
	Recorder events.EventRecorder
	Clock    clock.PassiveClock

	memories sync.Map // of *memory, by types.NamespacedName
}

// memory is what this process knows about one CronJob. A restart loses it, and nothing else.
type memory struct {
	seen    *v1.CronJob // newest revision
	changed time.Time   // see plan.View.NotBefore
	deleted map[types.UID]bool
	emitted map[plan.Event]bool // by the last reconciliation
}

// SetupWithManager has a manager run the reconciler, for so many CronJobs at the same time.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr manager.Manager, concurrent int) error {
	for _, of := range []client.Object{&batchv1.Job{}, &v1.Run{}} {
		err := mgr.GetFieldIndexer().IndexField(ctx, of, ownerUID, func(object client.Object) []string {
			if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
				return []string{string(owner.UID)}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return builder.ControllerManagedBy(mgr).
		For(&v1.CronJob{}).
		Owns(&batchv1.Job{}).
		Owns(&v1.Run{}).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent,
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
				50*time.Millisecond, maxWait),
		}).
		Complete(r)
}

// Reconcile brings one CronJob up to date. It decides by what the cache shows. Before it writes
// anything, it decides once more by what the API server has: the cache may lag behind.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var cronJob *v1.CronJob
	var v plan.View
	var p plan.Plan
	known, _ := r.memories.LoadOrStore(request.NamespacedName, &memory{})
	for _, from := range []client.Reader{r.Client, r.Live} {
		var err error
		switch cronJob, v, err = r.observe(ctx, from, request.NamespacedName, known.(*memory)); {
		case apierrors.IsNotFound(err):
			r.memories.Delete(request.NamespacedName)
			return reconcile.Result{}, nil
		case err != nil:
			return reconcile.Result{}, err
		}
		p = plan.New(v)
		if p.Status == nil && len(p.Delete) == 0 && p.Create == nil {
			break
		}
	}
	if err := r.act(ctx, cronJob, p, known.(*memory)); err != nil {
		return reconcile.Result{}, err
	}
	if p.RequeueAfter <= 0 {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: max(min(p.RequeueAfter-r.Clock.Since(v.Now), maxWait), time.Millisecond)}, nil
}

// observe reads a CronJob and its Jobs.
func (r *Reconciler) observe(ctx context.Context, from client.Reader, name types.NamespacedName,
	known *memory) (*v1.CronJob, plan.View, error) {
	cronJob, now := &v1.CronJob{}, r.Clock.Now()
	if err := from.Get(ctx, name, cronJob); err != nil {
		return nil, plan.View{}, err
	}
	options := []client.ListOption{client.InNamespace(name.Namespace)}
	if from == client.Reader(r.Client) {
		options = append(options, client.MatchingFields{ownerUID: string(cronJob.UID)}, client.UnsafeDisableDeepCopy)
	}
	all, err := jobsOf(ctx, from, cronJob, options...)
	if err != nil {
		return nil, plan.View{}, err
	}
	gone := known.deleted
	known.deleted = map[types.UID]bool{}
	var jobs []*batchv1.Job
	for _, job := range all {
		if metav1.IsControlledBy(job, cronJob) {
			jobs = append(jobs, job)
			known.keep(gone, job.UID)
		}
	}
	for _, ref := range cronJob.Status.Active {
		known.keep(gone, ref.UID)
	}
	known.see(cronJob, now)
	v := viewOf(cronJob, jobs, now)
	v.Deleted, v.NotBefore = known.deleted, known.changed
	return cronJob, v, nil
}

func (k *memory) keep(deleted map[types.UID]bool, uid types.UID) {
	if deleted[uid] {
		k.deleted[uid] = true
	}
}

// see notices when the schedule is changed: the times that it had until then start nothing. After
// that, times count from lastScheduleTime again once that is changed.
func (k *memory) see(cronJob *v1.CronJob, now time.Time) {
	before := k.seen
	if before != nil && before.UID == cronJob.UID {
		if order, err := resourceversion.CompareResourceVersion(before.ResourceVersion,
			cronJob.ResourceVersion); err != nil || order >= 0 {
			return
		}
	}
	k.seen = cronJob
	switch {
	case before == nil || before.UID != cronJob.UID ||
		!before.Status.LastScheduleTime.Equal(cronJob.Status.LastScheduleTime):
		k.changed = time.Time{}
	case before.Spec.Schedule != cronJob.Spec.Schedule || !ptr.Equal(before.Spec.TimeZone, cronJob.Spec.TimeZone):
		k.changed = now
	}
}

// act carries a Plan out. The status comes first: it is refused if the CronJob is not what was
// decided by. Deletions and the start of a Job do not wait for each other.
func (r *Reconciler) act(ctx context.Context, cronJob *v1.CronJob, p plan.Plan, known *memory) error {
	emitted := known.emitted
	known.emitted = map[plan.Event]bool{}
	emit := func(e plan.Event) {
		if !emitted[e] && !known.emitted[e] {
			r.Recorder.Eventf(cronJob, nil, e.Type, e.Reason, "Reconcile", "%s", e.Message)
		}
		known.emitted[e] = true
	}
	if p.Status != nil {
		if err := r.record(ctx, cronJob, *p.Status); err != nil {
			known.emitted = emitted
			return err
		}
	}
	for _, e := range p.Events {
		emit(e)
	}
	var errs []error
	for _, job := range p.Delete {
		errs = append(errs, r.delete(ctx, cronJob, job, known, emit))
	}
	if p.Create != nil {
		errs = append(errs, r.start(ctx, cronJob, p, known, emit))
	}
	return errors.Join(errs...)
}

// record writes the status. Afterwards, the CronJob is as it was written.
func (r *Reconciler) record(ctx context.Context, cronJob *v1.CronJob, status batchv1.CronJobStatus) error {
	if cronJob.Spec.RunTemplate != nil {
		status = referring(status, runKind)
	}
	cronJob.Status = v1.CronJobStatus(status)
	if err := r.Status().Update(ctx, cronJob); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}

// delete deletes a Job and its pods. One that has not finished is spared if it has changed: it may
// have succeeded meanwhile, which is to be recorded first.
func (r *Reconciler) delete(ctx context.Context, cronJob *v1.CronJob, job *batchv1.Job, known *memory,
	emit func(plan.Event)) error {
	only := client.Preconditions{UID: &job.UID}
	if plan.Finished(job) == "" {
		only.ResourceVersion = &job.ResourceVersion
	}
	err := r.Delete(ctx, stored(cronJob, job), client.PropagationPolicy(metav1.DeletePropagationBackground), only)
	switch {
	case err == nil:
		emit(event(corev1.EventTypeNormal, "SuccessfulDelete", string(job.UID), "Deleted Job %s", job.Name))
	case apierrors.IsNotFound(err):
	default:
		if ctx.Err() == nil && !apierrors.IsConflict(err) {
			emit(event(corev1.EventTypeWarning, "FailedDelete", string(job.UID), "Deleting Job %s: %v", job.Name, err))
		}
		return fmt.Errorf("deleting Job %s: %w", job.Name, err)
	}
	known.deleted[job.UID] = true
	return nil
}

// start creates a Job once those that it replaces are deleted, and records it. What comes between the
// two is seen by the next reconciliation, which finds the Job by its name.
func (r *Reconciler) start(ctx context.Context, cronJob *v1.CronJob, p plan.Plan, known *memory,
	emit func(plan.Event)) error {
	for _, job := range p.Replace {
		if err := r.delete(ctx, cronJob, job, known, emit); err != nil {
			return err
		}
	}
	job := stored(cronJob, fromBatchJob(cronJob, p.Create))
	err := r.Create(ctx, job)
	switch {
	case err == nil:
		emit(event(corev1.EventTypeNormal, "SuccessfulCreate", job.GetName(), "Created Job %s", job.GetName()))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case apierrors.IsAlreadyExists(err):
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(job), job); err != nil {
			return err
		}
		if !metav1.IsControlledBy(job, cronJob) {
			emit(event(corev1.EventTypeWarning, "FailedCreate", job.GetName(), "A Job %s of another owner exists",
				job.GetName()))
			return nil
		}
	default:
		if ctx.Err() == nil {
			emit(event(corev1.EventTypeWarning, "FailedCreate", job.GetName(), "Creating Job %s: %v", job.GetName(),
				err))
		}
		return fmt.Errorf("creating Job %s: %w", job.GetName(), err)
	}
	log.FromContext(ctx).V(1).Info("Started a Job", "job", job.GetName())
	return r.record(ctx, cronJob, p.Recorded(planned(job)))
}

func event(kind, reason, about, format string, args ...any) plan.Event {
	return plan.Event{Type: kind, Reason: reason, About: about, Message: fmt.Sprintf(format, args...)}
}
