package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// row is one workload of the benchmark.
type row struct {
	// name selects it on the command line.
	name string
	// text describes it in the table.
	text string
	// pods that it takes.
	pods int
	// long rows run only when they are asked for by name.
	long bool

	jobs int // that have to finish
	// fails is true if every Job has to fail, each with one pod.
	fails bool
	// prepare, if any, creates what must exist before the clock starts.
	prepare func(context.Context, *workload) error
	start   func(context.Context, *workload) error
	// byHand, if any, does with the fewest writes what the row takes, without a controller.
	byHand func(context.Context, *workload) error
}

// RowNames returns the names of all rows.
func RowNames() (names []string) {
	for _, r := range rowsAt(1) {
		names = append(names, r.name)
	}
	return names
}

// rowsAt returns all rows, in the order they run in. A scale other than 1 makes
// them smaller or larger, except for parallelism.
func rowsAt(scale float64) []row {
	n := func(full int) int { return max(1, int(float64(full)*scale)) }
	oneJob := func(full int) string {
		return fmt.Sprintf("1 Job, %d completions, parallelism %d", n(full), min(n(full), parallelism))
	}
	long := one("long", oneJob(100_000), n(100_000), false)
	long.long = true
	return []row{
		many("jobs", fmt.Sprintf("%d Jobs of 1 pod", n(500)), n(500)),
		one("job", oneJob(5000), n(5000), false),
		one("indexed", oneJob(5000)+", Indexed", n(5000), true),
		crons("cronjobs", fmt.Sprintf("%d CronJobs due at once", n(200)), n(200)),
		failing("failing", fmt.Sprintf("%d Jobs that fail at once", n(200)), n(200)),
		long,
	}
}

// parallelism of a Job that is a row of its own.
const parallelism = 500

// template is a Job whose pods the finisher ends.
func template(name string) *puppet.JobBuilder {
	return puppet.Job(name).With(func(j *batchv1.Job) {
		j.Spec.Template.Spec.SchedulerName = scheduler
	})
}

func many(name, text string, n int) row {
	return row{name: name, text: text, pods: n, jobs: n, start: func(ctx context.Context, w *workload) error {
		return w.createJobs(ctx, n, func(name string) *batchv1.Job { return template(name).Obj() })
	}}
}

func failing(name, text string, n int) row {
	return row{name: name, text: text, pods: n, jobs: n, fails: true,
		start: func(ctx context.Context, w *workload) error {
			return w.createJobs(ctx, n, func(name string) *batchv1.Job {
				return template(name).BackoffLimit(0).Puppet(map[string]string{exitCode: "1"}).Obj()
			})
		}}
}

func one(name, text string, completions int, indexed bool) row {
	build := func(name string) *batchv1.Job {
		job := template(name).Completions(int32(completions)).Parallelism(int32(min(completions, parallelism)))
		if indexed {
			job.Indexed()
		}
		return job.Obj()
	}
	return row{
		name: name, text: text, pods: completions, jobs: 1,
		start:  func(ctx context.Context, w *workload) error { return w.createJobs(ctx, 1, build) },
		byHand: func(ctx context.Context, w *workload) error { return w.runByHand(ctx, build("by-hand"), completions) },
	}
}

// runByHand creates a Job that no controller reconciles, and its pods.
func (w *workload) runByHand(ctx context.Context, job *batchv1.Job, completions int) error {
	job, err := w.client.BatchV1().Jobs(w.namespace).Create(ctx, job, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return w.createAndFree(ctx, completions, func(i int) *corev1.Pod { return podOf(job, i) })
}

// podOf is the pod of a Job with this index, as the API has it.
func podOf(job *batchv1.Job, index int) *corev1.Pod {
	template := job.Spec.Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.GenerateName = job.Name + "-"
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job,
		batchv1.SchemeGroupVersion.WithKind("Job"))}
	pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
	if ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.NonIndexedCompletion {
		return pod
	}
	number := fmt.Sprint(index)
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, number)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, number)
	pod.Spec.Hostname = job.Name + "-" + number
	pod.GenerateName = pod.Spec.Hostname + "-"
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		c.Env = append(c.Env, corev1.EnvVar{Name: "JOB_COMPLETION_INDEX",
			ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
				FieldPath: "metadata.labels['" + batchv1.JobCompletionIndexAnnotation + "']",
			}}})
	}
	return pod
}

func (w *workload) createJobs(ctx context.Context, n int, job func(name string) *batchv1.Job) error {
	return inParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := w.client.BatchV1().Jobs(w.namespace).Create(ctx, job(fmt.Sprint("job-", i)), metav1.CreateOptions{})
		return err
	})
}

// crons need no waiting: a CronJob is due as soon as its lastScheduleTime lies
// before its latest tick.
func crons(name, text string, n int) row {
	cronName := func(i int) string { return fmt.Sprint("cron-", i) }
	prepare := func(ctx context.Context, w *workload) error {
		return inParallel(ctx, n, func(ctx context.Context, i int) error {
			cron := puppet.CronJob(cronName(i), template("")).Schedule(puppet.Daily(time.Now().Add(-30 * time.Minute)))
			_, err := w.client.BatchV1().CronJobs(w.namespace).Create(ctx, cron.With(func(c *batchv1.CronJob) {
				c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](1)
			}).Obj(), metav1.CreateOptions{})
			return err
		})
	}
	start := func(ctx context.Context, w *workload) error {
		due := fmt.Appendf(nil, `{"status":{"lastScheduleTime":%q}}`,
			time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
		return inParallel(ctx, n, func(ctx context.Context, i int) error {
			_, err := w.client.BatchV1().CronJobs(w.namespace).Patch(ctx, cronName(i), types.MergePatchType, due,
				metav1.PatchOptions{}, "status")
			return err
		})
	}
	return row{name: name, text: text, pods: n, jobs: n, prepare: prepare, start: start}
}

// floor is a loop without a controller: what the machine allows.
type floor struct {
	name, text string
	pods       int
	measure    func(context.Context, *workload, int) error
}

// floorsAt returns all of them, at a scale as in rowsAt.
func floorsAt(scale float64) []floor {
	n := func(full int) int { return max(1, int(float64(full)*scale)) }
	return []floor{
		{"create", "bare pods are created, nothing else", n(5000), createBare},
		{"kwok", "the same, and KWOK runs them", n(1000), createForKWOK},
	}
}

// measureFloor returns how long something takes without a controller.
func (b *Bench) measureFloor(ctx context.Context, name string,
	measure func(context.Context, *workload) error) (time.Duration, error) {
	w, err := newWorkload(ctx, b.Client)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := measure(ctx, w); err != nil {
		w.stop()
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	took := time.Since(begin)
	return took, w.clear(ctx)
}

// bare is a pod as a controller makes it of a row's template.
func bare(i int, scheduler string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i)},
		Spec: template("").Obj().Spec.Template.Spec}
	pod.Spec.SchedulerName = scheduler
	return pod
}

func (w *workload) createPods(ctx context.Context, n int, pod func(i int) *corev1.Pod) error {
	return inParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := w.client.CoreV1().Pods(w.namespace).Create(ctx, pod(i), metav1.CreateOptions{})
		return err
	})
}

func createBare(ctx context.Context, w *workload, n int) error {
	return w.createPods(ctx, n, func(i int) *corev1.Pod { return bare(i, "nobody") })
}

// createAndFree makes the fewest writes with which a Job's pods can be done.
func (w *workload) createAndFree(ctx context.Context, n int, pod func(i int) *corev1.Pod) error {
	free := []byte(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["` + batchv1.JobTrackingFinalizer + `"]}}`)
	return w.createAndEnd(ctx, n, pod, func(name string) error {
		_, err := w.client.CoreV1().Pods(w.namespace).Patch(ctx, name, types.StrategicMergePatchType, free,
			metav1.PatchOptions{})
		return err
	})
}

func createForKWOK(ctx context.Context, w *workload, n int) error {
	return w.createAndEnd(ctx, n, func(i int) *corev1.Pod {
		pod := bare(i, corev1.DefaultSchedulerName)
		pod.Annotations = puppet.Script{ExitCodes: []int{0}}.Annotations()
		return pod
	}, func(string) error { return nil })
}

// createAndEnd creates pods, does something to each that has succeeded, and
// returns when that is done for all.
func (w *workload) createAndEnd(ctx context.Context, n int, pod func(i int) *corev1.Pod,
	then func(name string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	names := make(chan string, n)
	unwatch, err := requests.Watch(ctx, w.client, w.namespace, requests.Pods, cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			p := after.(*corev1.Pod)
			if p.Status.Phase == corev1.PodSucceeded && before.(*corev1.Pod).Status.Phase != p.Status.Phase {
				names <- p.Name
			}
		},
	})
	if err != nil {
		return err
	}
	defer unwatch()

	var work sync.WaitGroup
	work.Go(func() {
		if err := w.createPods(ctx, n, pod); err != nil {
			cancel(err)
		}
	})
	work.Go(func() {
		err := inParallel(ctx, n, func(ctx context.Context, _ int) error {
			select {
			case name := <-names:
				return then(name)
			case <-time.After(stallLimit):
				return errors.Join(fmt.Errorf("no pod has ended for %s", stallLimit), w.finisher.err())
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		if err != nil {
			cancel(err)
		}
	})
	work.Wait()
	return context.Cause(ctx)
}
