// Package crd is a controller for CronJobs that are a custom resource in an API group of their own,
// written with controller-runtime. Its decisions share no code with those of package cronjob, so that
// two controllers of different design are checked by the same specs.
package crd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
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
	changed time.Time   // see view
	deleted map[types.UID]bool
	emitted map[event]bool // by the last reconciliation
}

// SetupWithManager has a manager run the reconciler, for so many CronJobs at the same time.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr manager.Manager, concurrent int) error {
	err := mgr.GetFieldIndexer().IndexField(ctx, &batchv1.Job{}, ownerUID, func(object client.Object) []string {
		if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
			return []string{string(owner.UID)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return builder.ControllerManagedBy(mgr).
		For(&v1.CronJob{}).
		Owns(&batchv1.Job{}).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, maxWait),
		}).
		Complete(r)
}

// Reconcile brings one CronJob up to date. It decides by what the cache shows. Before it writes
// anything, it decides once more by what the API server has: the cache may lag behind.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var v *view
	var d *decision
	known, _ := r.memories.LoadOrStore(request.NamespacedName, &memory{})
	for _, from := range []client.Reader{r.Client, r.Live} {
		var err error
		switch v, err = r.observe(ctx, from, request.NamespacedName, known.(*memory)); {
		case apierrors.IsNotFound(err):
			r.memories.Delete(request.NamespacedName)
			return reconcile.Result{}, nil
		case err != nil:
			return reconcile.Result{}, err
		}
		if d = v.decide(); !d.writes() {
			break
		}
	}
	if err := r.act(ctx, v.cronJob, d, known.(*memory)); err != nil {
		return reconcile.Result{}, err
	}
	if d.wait <= 0 {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: max(min(d.wait-r.Clock.Since(v.now), maxWait), time.Millisecond)}, nil
}

// observe reads a CronJob and its Jobs.
func (r *Reconciler) observe(ctx context.Context, from client.Reader, name types.NamespacedName, known *memory) (*view, error) {
	v := &view{cronJob: &v1.CronJob{}, now: r.Clock.Now()}
	if err := from.Get(ctx, name, v.cronJob); err != nil {
		return nil, err
	}
	options := []client.ListOption{client.InNamespace(name.Namespace)}
	if from == client.Reader(r.Client) {
		options = append(options, client.MatchingFields{ownerUID: string(v.cronJob.UID)}, client.UnsafeDisableDeepCopy)
	}
	var all batchv1.JobList
	if err := from.List(ctx, &all, options...); err != nil {
		return nil, err
	}
	gone := known.deleted
	known.deleted = map[types.UID]bool{}
	for i := range all.Items {
		if job := &all.Items[i]; metav1.IsControlledBy(job, v.cronJob) {
			v.jobs = append(v.jobs, job)
			known.keep(gone, job.UID)
		}
	}
	for _, ref := range v.cronJob.Status.Active {
		known.keep(gone, ref.UID)
	}
	began := func(job *batchv1.Job) time.Time { return cmp.Or(job.Status.StartTime, &job.CreationTimestamp).Time }
	slices.SortFunc(v.jobs, func(a, b *batchv1.Job) int {
		return cmp.Or(began(a).Compare(began(b)), cmp.Compare(a.Name, b.Name))
	})
	known.see(v.cronJob, v.now)
	v.deleted, v.changed = known.deleted, known.changed
	return v, nil
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
		if order, err := resourceversion.CompareResourceVersion(before.ResourceVersion, cronJob.ResourceVersion); err != nil || order >= 0 {
			return
		}
	}
	k.seen = cronJob
	switch {
	case before == nil || before.UID != cronJob.UID || !before.Status.LastScheduleTime.Equal(cronJob.Status.LastScheduleTime):
		k.changed = time.Time{}
	case before.Spec.Schedule != cronJob.Spec.Schedule || !ptr.Equal(before.Spec.TimeZone, cronJob.Spec.TimeZone):
		k.changed = now
	}
}

// act carries a decision out. The status comes first: it is refused if the CronJob is not what was
// decided by. Deletions and the start of a Job do not wait for each other.
func (r *Reconciler) act(ctx context.Context, cronJob *v1.CronJob, d *decision, known *memory) error {
	emitted := known.emitted
	known.emitted = map[event]bool{}
	emit := func(e event) {
		if !emitted[e] && !known.emitted[e] {
			r.Recorder.Eventf(cronJob, nil, e.kind, e.reason, "Reconcile", "%s", e.note)
		}
		known.emitted[e] = true
	}
	if d.status != nil {
		if err := r.record(ctx, cronJob, *d.status); err != nil {
			known.emitted = emitted
			return err
		}
	}
	for _, e := range d.events {
		emit(e)
	}
	var errs []error
	for _, job := range d.surplus {
		errs = append(errs, r.delete(ctx, job, known, emit))
	}
	if d.start != nil {
		errs = append(errs, r.start(ctx, cronJob, d, known, emit))
	}
	return errors.Join(errs...)
}

// record writes the status. Afterwards, the CronJob is as it was written.
func (r *Reconciler) record(ctx context.Context, cronJob *v1.CronJob, status v1.CronJobStatus) error {
	cronJob.Status = status
	if err := r.Status().Update(ctx, cronJob); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}

// delete deletes a Job and its pods. One that has not finished is spared if it has changed: it may
// have succeeded meanwhile, which is to be recorded first.
func (r *Reconciler) delete(ctx context.Context, job *batchv1.Job, known *memory, emit func(event)) error {
	only := client.Preconditions{UID: &job.UID}
	if finished(job) == "" {
		only.ResourceVersion = &job.ResourceVersion
	}
	err := r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground), only)
	switch {
	case err == nil:
		emit(event{corev1.EventTypeNormal, "SuccessfulDelete", string(job.UID), "Deleted Job " + job.Name})
	case apierrors.IsNotFound(err):
	default:
		if ctx.Err() == nil && !apierrors.IsConflict(err) {
			emit(event{corev1.EventTypeWarning, "FailedDelete", string(job.UID), fmt.Sprintf("Deleting Job %s: %v", job.Name, err)})
		}
		return fmt.Errorf("deleting Job %s: %w", job.Name, err)
	}
	known.deleted[job.UID] = true
	return nil
}

// start creates a Job once those that it replaces are deleted, and records it. What comes between the
// two is seen by the next reconciliation, which finds the Job by its name.
func (r *Reconciler) start(ctx context.Context, cronJob *v1.CronJob, d *decision, known *memory, emit func(event)) error {
	for _, job := range d.replace {
		if err := r.delete(ctx, job, known, emit); err != nil {
			return err
		}
	}
	job := d.start
	err := r.Create(ctx, job)
	switch {
	case err == nil:
		emit(event{corev1.EventTypeNormal, "SuccessfulCreate", job.Name, "Created Job " + job.Name})
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case apierrors.IsAlreadyExists(err):
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(job), job); err != nil {
			return err
		}
		if !metav1.IsControlledBy(job, cronJob) {
			emit(event{corev1.EventTypeWarning, "FailedCreate", job.Name, "A Job " + job.Name + " of another owner exists"})
			return nil
		}
	default:
		if ctx.Err() == nil {
			emit(event{corev1.EventTypeWarning, "FailedCreate", job.Name, fmt.Sprintf("Creating Job %s: %v", job.Name, err)})
		}
		return fmt.Errorf("creating Job %s: %w", job.Name, err)
	}
	if finished(job) == "" {
		d.started.Active = append(d.started.Active, *reference(job))
	}
	log.FromContext(ctx).V(1).Info("Started a Job", "job", job.Name)
	return r.record(ctx, cronJob, d.started)
}
