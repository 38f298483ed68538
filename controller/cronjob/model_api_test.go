package cronjob

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedbatchv1 "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// modelAPI is an API server with one CronJob and the Jobs of its namespace. It
// may lose requests and answers, and checks all that is asked of it. What the
// controller has no need for is nil, and panics.
type modelAPI struct {
	kubernetes.Interface
	typedbatchv1.BatchV1Interface

	t    *rapid.T
	now  func() time.Time
	cron *batchv1.CronJob
	// seen is the newest revision of it that the controller was shown: by its
	// cache or in an answer.
	seen    *batchv1.CronJob
	stored  map[string]*batchv1.Job
	serial  int
	faulty  bool
	dead    bool // the controller's process has died: nothing arrives any more
	changes int  // by the controller

	// What the informers do not show yet.
	cronFeed []*batchv1.CronJob
	jobFeed  []jobNotice
	// started are the ticks that became Jobs; one is forgotten when somebody else
	// deletes the Job before the CronJob can know of it.
	started map[int64]bool
}

type jobNotice struct {
	job  *batchv1.Job
	gone bool
}

func (a *modelAPI) BatchV1() typedbatchv1.BatchV1Interface        { return a }
func (a *modelAPI) Jobs(string) typedbatchv1.JobInterface         { return modelJobs{modelAPI: a} }
func (a *modelAPI) CronJobs(string) typedbatchv1.CronJobInterface { return modelCronJobs{modelAPI: a} }
func (a *modelAPI) revise(object metav1.Object) {
	a.serial++
	object.SetResourceVersion(strconv.Itoa(a.serial))
}
func (a *modelAPI) conflict(what, name string) *apierrors.StatusError {
	return apierrors.NewConflict(batchv1.Resource(what), name, errors.New("changed"))
}
func (a *modelAPI) notFound(what, name string) *apierrors.StatusError {
	return apierrors.NewNotFound(batchv1.Resource(what), name)
}

var errModel = apierrors.NewInternalError(errors.New("injected"))

// request carries a request out, or not, and returns its error, or not.
func (a *modelAPI) request(what string, write bool, do func() error) error {
	if a.dead {
		return errModel
	}
	fates := []string{"", "", "", "", "", "", "", "fails"}
	if write {
		fates = []string{"", "", "", "", "", "", "fails", "answer lost", "edited before", "dies before", "dies after"}
	}
	fate := ""
	if a.faulty {
		fate = rapid.SampledFrom(fates).Draw(a.t, what)
	}
	switch fate {
	case "fails":
		return errModel
	case "dies before":
		a.dead = true
		return errModel
	case "edited before":
		a.edit(func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "edited", strconv.Itoa(a.serial))
		})
	}
	err := do()
	if write && err == nil {
		a.changes++
	}
	a.dead = fate == "dies after"
	if fate == "answer lost" || a.dead {
		return errModel
	}
	return err
}

// edit is somebody else's change of the CronJob.
func (a *modelAPI) edit(change func(*batchv1.CronJob)) {
	a.cron = a.cron.DeepCopy()
	change(a.cron)
	a.revise(a.cron)
	a.cronFeed = append(a.cronFeed, a.cron)
}

func (a *modelAPI) put(job *batchv1.Job) {
	job = job.DeepCopy()
	a.revise(job)
	a.stored[job.Name] = job
	a.jobFeed = append(a.jobFeed, jobNotice{job: job})
}

// remove deletes a Job, or marks it as being deleted where it has a finalizer.
func (a *modelAPI) remove(job *batchv1.Job) {
	if len(job.Finalizers) > 0 {
		job = job.DeepCopy()
		job.DeletionTimestamp = &metav1.Time{Time: a.now()}
		a.put(job)
		return
	}
	delete(a.stored, job.Name)
	a.jobFeed = append(a.jobFeed, jobNotice{job: job, gone: true})
}

type modelCronJobs struct {
	typedbatchv1.CronJobInterface
	*modelAPI
}

func (a modelCronJobs) Get(context.Context, string, metav1.GetOptions) (c *batchv1.CronJob, err error) {
	err = a.request("read CronJob", false, func() error { c = a.cron; return nil })
	if err == nil {
		a.seen = c
	}
	return c, err
}

func (a modelCronJobs) UpdateStatus(_ context.Context, next *batchv1.CronJob,
	_ metav1.UpdateOptions) (*batchv1.CronJob, error) {
	err := a.request("write status", true, func() error {
		if next.ResourceVersion != a.cron.ResourceVersion {
			return a.conflict("cronjobs", next.Name)
		}
		a.checkStatus(a.cron.Status, next.Status)
		a.edit(func(c *batchv1.CronJob) { c.Status = *next.Status.DeepCopy() })
		return nil
	})
	if err == nil {
		a.seen = a.cron
	}
	return a.cron, err
}

func (a *modelAPI) checkStatus(before, after batchv1.CronJobStatus) {
	if before.LastScheduleTime != nil && after.LastScheduleTime.Before(before.LastScheduleTime) {
		a.t.Fatalf("lastScheduleTime goes back from %v to %v", before.LastScheduleTime, after.LastScheduleTime)
	}
	if before.LastSuccessfulTime != nil && after.LastSuccessfulTime.Before(before.LastSuccessfulTime) {
		a.t.Fatalf("lastSuccessfulTime goes back from %v to %v", before.LastSuccessfulTime, after.LastSuccessfulTime)
	}
	if len(plan.UIDs(after.Active)) != len(after.Active) {
		a.t.Fatalf("a Job is active twice: %v", after.Active)
	}
}

type modelJobs struct {
	typedbatchv1.JobInterface
	*modelAPI
}

func (a modelJobs) Get(_ context.Context, name string, _ metav1.GetOptions) (job *batchv1.Job, err error) {
	err = a.request("read Job", false, func() error {
		if job = a.stored[name]; job == nil {
			return a.notFound("jobs", name)
		}
		return nil
	})
	return job, err
}

func (a modelJobs) Create(_ context.Context, job *batchv1.Job, _ metav1.CreateOptions) (*batchv1.Job, error) {
	err := a.request("create Job", true, func() error {
		if a.stored[job.Name] != nil {
			return apierrors.NewAlreadyExists(batchv1.Resource("jobs"), job.Name)
		}
		a.checkStart(job)
		job = job.DeepCopy()
		job.UID = types.UID(fmt.Sprint("uid-", a.serial))
		job.CreationTimestamp = metav1.Time{Time: a.now()}
		a.put(job)
		return nil
	})
	return a.stored[job.Name], err
}

// checkStart says what must be so when a Job starts. What users want the
// controller may not know yet, but what it has been shown it does, and all that
// it wrote itself.
func (a *modelAPI) checkStart(job *batchv1.Job) {
	tick, ours := plan.ScheduledTime(a.cron, job)
	spec, last, now := a.seen.Spec, a.cron.Status.LastScheduleTime, a.now()
	switch d := spec.StartingDeadlineSeconds; {
	case !ours || !metav1.IsControlledBy(job, a.cron):
		a.t.Fatalf("starts %v, which is not marked as the CronJob's", job)
	case ptr.Deref(spec.Suspend, false) || a.seen.DeletionTimestamp != nil:
		a.t.Fatalf("starts %v although it is suspended or being deleted", tick)
	case tick.After(now):
		a.t.Fatalf("starts %v at %v", tick, now)
	case d != nil && now.Sub(tick.Time) > time.Duration(*d)*time.Second:
		a.t.Fatalf("starts %v at %v, beyond the deadline of %d s", tick, now, *d)
	case last != nil && !tick.After(last.Time):
		a.t.Fatalf("starts %v after %v", tick, last)
	case a.started[tick.Unix()]:
		a.t.Fatalf("starts %v again", tick)
	}
	a.started[tick.Unix()] = true
	for _, other := range a.stored {
		_, ours := plan.ScheduledTime(a.cron, other)
		if ours && metav1.IsControlledBy(other, a.cron) && plan.Finished(other) == "" &&
			other.DeletionTimestamp == nil && spec.ConcurrencyPolicy != batchv1.AllowConcurrent {
			a.t.Fatalf("starts %s beside %s although the policy is %s", job.Name, other.Name, spec.ConcurrencyPolicy)
		}
	}
}

func (a modelJobs) Delete(_ context.Context, name string, o metav1.DeleteOptions) error {
	return a.request("delete Job", true, func() error {
		job := a.stored[name]
		switch {
		case job == nil:
			return a.notFound("jobs", name)
		case o.Preconditions == nil || *o.Preconditions.UID != job.UID ||
			ptr.Deref(o.Preconditions.ResourceVersion, job.ResourceVersion) != job.ResourceVersion:
			return a.conflict("jobs", name)
		case !metav1.IsControlledBy(job, a.cron):
			a.t.Fatalf("deletes %s of somebody else", name)
		case plan.Finished(job) == "" && a.seen.Spec.ConcurrencyPolicy != batchv1.ReplaceConcurrent:
			a.t.Fatalf("deletes %s, which is unfinished, although the policy is %s", name,
				a.seen.Spec.ConcurrencyPolicy)
		case plan.Finished(job) != "" &&
			a.lastSuccess(job).After(ptr.Deref(a.cron.Status.LastSuccessfulTime, metav1.Time{}).Time):
			a.t.Fatalf("deletes %s before its success is on record", name)
		}
		a.remove(job)
		return nil
	})
}

func (a *modelAPI) lastSuccess(job *batchv1.Job) time.Time {
	return ptr.Deref(job.Status.CompletionTime, metav1.Time{}).Time
}

// finish ends a Job.
func (a *modelAPI) finish(job *batchv1.Job, how batchv1.JobConditionType) {
	job = job.DeepCopy()
	job.Status.Conditions = []batchv1.JobCondition{{Type: how, Status: corev1.ConditionTrue}}
	if how == batchv1.JobComplete {
		job.Status.CompletionTime = &metav1.Time{Time: a.now()}
	}
	a.put(job)
}
