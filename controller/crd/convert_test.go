package crd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// at reads "15:04" as a time of one certain day.
func at(clock string) time.Time {
	t, err := time.Parse(time.RFC3339, "2026-03-10T"+clock+":00Z")
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

// hourly returns an hourly CronJob that was created at 8:30.
func hourly(changes ...func(*v1.CronJob)) *v1.CronJob {
	c := &v1.CronJob{}
	c.Name, c.Namespace, c.UID, c.CreationTimestamp = "report", "ns", "cron-uid", metav1.NewTime(at("08:30"))
	c.Spec.Schedule, c.Spec.SuccessfulJobsHistoryLimit = "0 * * * *", ptr.To[int32](1)
	for _, change := range changes {
		change(c)
	}
	return c
}

func policy(p batchv1.ConcurrencyPolicy) func(*v1.CronJob) {
	return func(c *v1.CronJob) { c.Spec.ConcurrencyPolicy = p }
}

func deadline(seconds int64) func(*v1.CronJob) {
	return func(c *v1.CronJob) { c.Spec.StartingDeadlineSeconds = &seconds }
}

func last(clock string) func(*v1.CronJob) {
	return func(c *v1.CronJob) { c.Status.LastScheduleTime = &metav1.Time{Time: at(clock)} }
}

// job returns the Job of a time. It runs, unless it has ended with a condition.
func job(clock string, ended ...batchv1.JobConditionType) *batchv1.Job {
	j := &batchv1.Job{}
	j.Namespace, j.Name = "ns", jobName(at(clock))
	j.Annotations = map[string]string{v1.ScheduledAt: at(clock).Format(time.RFC3339)}
	j.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(hourly(), v1.GroupVersion.WithKind("CronJob"))}
	j.UID, j.ResourceVersion, j.CreationTimestamp = types.UID(clock), "5", metav1.NewTime(at(clock))
	for _, kind := range ended {
		j.Status.CompletionTime = &metav1.Time{Time: at(clock).Add(time.Minute)}
		j.Status.Conditions = []batchv1.JobCondition{{Type: kind, Status: corev1.ConditionTrue}}
	}
	return j
}

func jobName(at time.Time) string { return fmt.Sprintf("report-%d", at.Unix()/60) }

// active records Jobs.
func active(jobs ...*batchv1.Job) func(*v1.CronJob) {
	return func(c *v1.CronJob) {
		for _, j := range jobs {
			c.Status.Active = append(c.Status.Active, plan.ReferenceTo(j))
		}
	}
}

// inWords returns a Plan in words: times of Jobs, in their zone, and reasons of events.
func inWords(p plan.Plan) string {
	var words []string
	times := func(jobs []*batchv1.Job) (all []string) {
		for _, j := range jobs {
			t, _ := time.Parse(time.RFC3339, j.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
			all = append(all, t.Format("15:04"))
		}
		return all
	}
	if p.Status != nil {
		words = append(words, fmt.Sprintf("status %d", len(p.Status.Active)))
	}
	for _, e := range p.Events {
		words = append(words, e.Reason)
	}
	for _, w := range []struct {
		what string
		jobs []*batchv1.Job
	}{{"delete", p.Delete}, {"replace", p.Replace}, {"start", slices.DeleteFunc([]*batchv1.Job{
		p.Create}, func(j *batchv1.Job) bool {
		return j == nil
	})}} {
		if len(w.jobs) > 0 {
			words = append(words, w.what+" "+strings.Join(times(w.jobs), " "))
		}
	}
	return strings.Join(append(words, "wait "+p.RequeueAfter.String()), ", ")
}

func TestDecisions(t *testing.T) {
	for name, c := range map[string]struct {
		cronJob *v1.CronJob
		jobs    []*batchv1.Job
		now     string
		want    string
	}{
		"nothing is due":           {hourly(), nil, "08:59", "wait 1m0s"},
		"a Job is due":             {hourly(), nil, "09:00", "start 09:00, wait 1h0m0s"},
		"the latest of several":    {hourly(), nil, "11:10", "start 11:00, wait 50m0s"},
		"it was started":           {hourly(last("09:00")), nil, "09:10", "wait 50m0s"},
		"started and not recorded": {hourly(), []*batchv1.Job{job("09:00")}, "09:00", "status 1, wait 1h0m0s"},
		"ended before it is recorded": {hourly(), []*batchv1.Job{job("09:00", batchv1.JobFailed)}, "09:00",
			"status 0, wait 1h0m0s"},
		"suspended": {hourly(func(c *v1.CronJob) { c.Spec.Suspend = ptr.To(true) }), nil, "09:00", "wait 0s"},
		"being deleted": {hourly(func(c *v1.CronJob) {
			c.DeletionTimestamp = &metav1.Time{}
		}), nil, "09:00", "wait 0s"},
		"Allow": {hourly(active(job("09:00")), last("09:00")), []*batchv1.Job{job("09:00")}, "10:00",
			"start 10:00, wait 1h0m0s"},
		"Forbid": {hourly(policy("Forbid"), active(job("09:00")), last("09:00")),
			[]*batchv1.Job{job("09:00")}, "10:00", "JobAlreadyActive, wait 1h0m0s"},
		"Replace": {hourly(policy("Replace"), active(job("09:00")), last("09:00")),
			[]*batchv1.Job{job("09:00")}, "10:00", "replace 09:00, start 10:00, wait 1h0m0s"},
		"an unknown policy":   {hourly(policy("Queue")), nil, "09:00", "UnknownConcurrencyPolicy, wait 1h0m0s"},
		"within the deadline": {hourly(deadline(600)), nil, "09:10", "start 09:00, wait 50m0s"},
		"after the deadline":  {hourly(deadline(599)), nil, "09:10", "MissSchedule, wait 50m0s"},
		"a Job ends": {hourly(active(job("09:00")), last("09:00")),
			[]*batchv1.Job{job("09:00", batchv1.JobComplete)}, "09:10", "status 0, SawCompletedJob, wait 50m0s"},
		"a Job is gone": {hourly(active(job("09:00")), last("09:00")), nil, "09:10",
			"status 0, MissingJob, wait 50m0s"},
		"somebody else's Job": {hourly(last("09:00")), []*batchv1.Job{{ObjectMeta: metav1.ObjectMeta{Name: "manual"}}},
			"09:10", "UnexpectedJob, wait 50m0s"},
		"the history is too long": {hourly(last("10:00"), func(c *v1.CronJob) {
			c.Status.LastSuccessfulTime = &metav1.Time{Time: at("10:01")}
		}),
			[]*batchv1.Job{job("09:00", batchv1.JobComplete), job("10:00", batchv1.JobComplete)}, "10:10",
			"delete 09:00, wait 50m0s"},
		"no such schedule": {hourly(func(c *v1.CronJob) {
			c.Spec.Schedule = "TZ=0"
		}), nil, "09:00", "UnsupportedSchedule, UnparseableSchedule, wait 0s"},
		"no such zone": {hourly(func(c *v1.CronJob) {
			c.Spec.TimeZone = ptr.To("Mars/Olympus")
		}), nil, "09:00", "UnknownTimeZone, wait 0s"},
		"a zone": {hourly(func(c *v1.CronJob) {
			c.Spec.Schedule, c.Spec.TimeZone = "0 10 * * *", ptr.To("Europe/Berlin")
		}), nil, "09:00", "start 10:00, wait 24h0m0s"},
		"every 50 minutes": {hourly(func(c *v1.CronJob) {
			c.Spec.Schedule = "@every 50m"
		}), nil, "10:12", "start 10:10, wait 48m0s"},
		"more than a hundred": {hourly(func(c *v1.CronJob) {
			c.Spec.Schedule = "* * * * *"
		}), nil, "10:30", "TooManyMissedTimes, start 10:30, wait 1m0s"},
		"it will never be due": {hourly(func(c *v1.CronJob) {
			c.Spec.Schedule = "0 0 30 2 *"
		}), nil, "10:30", "InvalidSchedule, wait 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			before, jobs := c.cronJob.DeepCopy(), (&batchv1.JobList{Items: values(c.jobs)}).DeepCopy().Items
			if got := inWords(plan.New(viewOf(c.cronJob, c.jobs, at(c.now)))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !equality.Semantic.DeepEqual(before, c.cronJob) || !equality.Semantic.DeepEqual(jobs, values(c.jobs)) {
				t.Error("what the cache shows was changed")
			}
		})
	}
}

func values(jobs []*batchv1.Job) (all []batchv1.Job) {
	for _, j := range jobs {
		all = append(all, *j)
	}
	return all
}

// A changed schedule starts nothing for the past.
func TestTimesBeforeAChangeOfTheSchedule(t *testing.T) {
	v := viewOf(hourly(), nil, at("09:10"))
	v.NotBefore = at("09:05")
	if got, want := inWords(plan.New(v)), "wait 50m0s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A Job of this API has its own owner and annotation. What the template has under the name of the
// other annotation stays as it is.
func TestJobsAreOfThisAPI(t *testing.T) {
	const foreign = batchv1.CronJobScheduledTimestampAnnotation
	c := hourly(func(c *v1.CronJob) { c.Spec.JobTemplate.Annotations = map[string]string{"a": "b", foreign: "mine"} })
	p := plan.New(viewOf(c, nil, at("09:00")))
	j := fromBatchJob(c, p.Create)
	if want := map[string]string{"a": "b", foreign: "mine",
		v1.ScheduledAt: "2026-03-10T09:00:00Z"}; !maps.Equal(j.Annotations, want) {
		t.Errorf("the annotations are %v, want %v", j.Annotations, want)
	}
	if owner := metav1.GetControllerOf(j); owner.APIVersion != v1.GroupVersion.String() || owner.UID != c.UID {
		t.Errorf("the owner is %v", owner)
	}
	if len(c.Spec.JobTemplate.Annotations) != 2 {
		t.Errorf("the template has %v", c.Spec.JobTemplate.Annotations)
	}
	if _, ours := plan.ScheduledTime(toBatch(c), toBatchJob(j)); !ours {
		t.Error("the Job is not recognized as the CronJob's")
	}
}
