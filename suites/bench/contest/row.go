package contest

import (
	"context"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/bench/player"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Row is one workload.
type Row struct {
	// Name selects it on the command line.
	Name string
	// Text says what it is, in the table.
	Text string
	// Pods that it takes.
	Pods int
	// Long rows are run only when they are asked for by name.
	Long bool

	jobs int // that have to finish
	// fails says that every Job shall fail, each with one pod.
	fails bool
	// prepare, if any, makes what is there before the clock starts.
	prepare func(context.Context, *arena) error
	start   func(context.Context, *arena) error
}

// Rows returns all rows, in the order they are run in. A scale other than 1 makes
// them smaller or larger, parallelism apart.
func Rows(scale float64) []Row {
	n := func(full int) int { return max(1, int(float64(full)*scale)) }
	oneJob := func(full int) string {
		return fmt.Sprintf("1 Job, %d completions, parallelism %d", n(full), min(n(full), parallelism))
	}
	return []Row{
		many("jobs", fmt.Sprintf("%d Jobs of 1 pod", n(500)), n(500)),
		one("job", oneJob(5000), n(5000), false),
		one("indexed", oneJob(5000)+", Indexed", n(5000), true),
		crons("cronjobs", fmt.Sprintf("%d CronJobs due at once", n(200)), n(200)),
		failing("failing", fmt.Sprintf("%d Jobs that fail at once", n(200)), n(200)),
		long(one("long", oneJob(100_000), n(100_000), false)),
	}
}

// parallelism of a Job that is a row of its own.
const parallelism = 500

func long(r Row) Row {
	r.Long = true
	return r
}

// template is a Job whose pods the Player plays.
func template(name string) *puppet.JobBuilder {
	return puppet.Job(name).With(func(j *batchv1.Job) {
		j.Spec.Template.Spec.SchedulerName = player.Scheduler
	})
}

func many(name, text string, n int) Row {
	return Row{Name: name, Text: text, Pods: n, jobs: n, start: func(ctx context.Context, a *arena) error {
		return a.createJobs(ctx, n, func(name string) *batchv1.Job { return template(name).Obj() })
	}}
}

func failing(name, text string, n int) Row {
	return Row{Name: name, Text: text, Pods: n, jobs: n, fails: true, start: func(ctx context.Context, a *arena) error {
		return a.createJobs(ctx, n, func(name string) *batchv1.Job {
			return template(name).BackoffLimit(0).Puppet(map[string]string{player.ExitCode: "1"}).Obj()
		})
	}}
}

func one(name, text string, completions int, indexed bool) Row {
	return Row{Name: name, Text: text, Pods: completions, jobs: 1, start: func(ctx context.Context, a *arena) error {
		return a.createJobs(ctx, 1, func(name string) *batchv1.Job {
			job := template(name).Completions(int32(completions)).Parallelism(int32(min(completions, parallelism)))
			if indexed {
				job.Indexed()
			}
			return job.Obj()
		})
	}}
}

func (a *arena) createJobs(ctx context.Context, n int, job func(name string) *batchv1.Job) error {
	return inParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := a.client.BatchV1().Jobs(a.namespace).Create(ctx, job(fmt.Sprint("job-", i)), metav1.CreateOptions{})
		return err
	})
}

// crons bends time: a CronJob is due as soon as its status says that it was last
// started before its latest tick.
func crons(name, text string, n int) Row {
	cronName := func(i int) string { return fmt.Sprint("cron-", i) }
	prepare := func(ctx context.Context, a *arena) error {
		return inParallel(ctx, n, func(ctx context.Context, i int) error {
			cron := puppet.CronJob(cronName(i), template("")).Schedule(puppet.Daily(time.Now().Add(-30 * time.Minute)))
			_, err := a.client.BatchV1().CronJobs(a.namespace).Create(ctx, cron.With(func(c *batchv1.CronJob) {
				c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](1)
			}).Obj(), metav1.CreateOptions{})
			return err
		})
	}
	start := func(ctx context.Context, a *arena) error {
		due := fmt.Appendf(nil, `{"status":{"lastScheduleTime":%q}}`, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
		return inParallel(ctx, n, func(ctx context.Context, i int) error {
			_, err := a.client.BatchV1().CronJobs(a.namespace).Patch(ctx, cronName(i), types.MergePatchType, due, metav1.PatchOptions{}, "status")
			return err
		})
	}
	return Row{Name: name, Text: text, Pods: n, jobs: n, prepare: prepare, start: start}
}
