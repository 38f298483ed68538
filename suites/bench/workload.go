package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ownWriters is how many requests the benchmark itself has in flight.
const ownWriters = 32

// stallLimit is how long no Job may change before a measurement is given up.
const stallLimit = 2 * time.Minute

// workload is a namespace in which a finisher ends pods and Jobs are watched.
type workload struct {
	client    kubernetes.Interface
	namespace string
	finisher  *finisher
	unwatch   func()

	mu       sync.Mutex
	jobs     map[string]*batchv1.Job
	finished map[string]time.Time // when it was seen
	changed  chan struct{}
}

func newWorkload(ctx context.Context, c kubernetes.Interface) (*workload, error) {
	ns, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "jobconformance-bench-"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	w := &workload{
		client: c, namespace: ns.Name,
		jobs: map[string]*batchv1.Job{}, finished: map[string]time.Time{}, changed: make(chan struct{}),
	}
	w.unwatch, err = requests.Watch(ctx, c, ns.Name, requests.Jobs, cache.ResourceEventHandlerFuncs{
		AddFunc:    w.saw,
		UpdateFunc: func(_, job any) { w.saw(job) },
	})
	if err != nil {
		return nil, err
	}
	if w.finisher, err = finishPods(ctx, c, ns.Name); err != nil {
		w.unwatch()
		return nil, err
	}
	return w, nil
}

func (w *workload) saw(obj any) {
	job := obj.(*batchv1.Job)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs[job.Name] = job
	if _, known := w.finished[job.Name]; !known && kinds.Finished(job) != "" {
		w.finished[job.Name] = time.Now()
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// await waits until n Jobs have finished, and returns when the last of them had.
func (w *workload) await(ctx context.Context, n int) (time.Time, error) {
	for {
		w.mu.Lock()
		changed, done := w.changed, len(w.finished)
		var last time.Time
		for _, at := range w.finished {
			if at.After(last) {
				last = at
			}
		}
		w.mu.Unlock()
		if done >= n {
			return last, nil
		}
		select {
		case <-changed:
		case <-time.After(stallLimit):
			return last, errors.Join(fmt.Errorf("%d of %d Jobs are finished, and none has changed for %s", done, n, stallLimit), w.finisher.err())
		case <-ctx.Done():
			return last, context.Cause(ctx)
		}
	}
}

// judge checks the final statuses of the Jobs: figures of a controller that counts
// wrong are worth nothing.
func (w *workload) judge(row row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	want, succeeded, failed := batchv1.JobComplete, row.pods, 0
	if row.fails {
		want, succeeded, failed = batchv1.JobFailed, 0, row.pods
	}
	if len(w.jobs) != row.jobs {
		return fmt.Errorf("there are %d Jobs instead of %d", len(w.jobs), row.jobs)
	}
	for name, job := range w.jobs {
		if kinds.Finished(job) != want {
			return fmt.Errorf("the Job %s is %s instead of %s", name, kinds.Finished(job), want)
		}
		succeeded -= int(job.Status.Succeeded)
		failed -= int(job.Status.Failed)
	}
	if succeeded != 0 || failed != 0 {
		return fmt.Errorf("the Jobs' statuses miss %d succeeded and %d failed pods", succeeded, failed)
	}
	return w.finisher.err()
}

// stop ends the watches and the finisher; the namespace stays.
func (w *workload) stop() {
	w.finisher.stop()
	w.unwatch()
}

// clear empties the namespace. Pods are deleted by many requests at a time,
// without a grace period. The deletion of the namespace itself is slow and not
// waited for: an empty namespace costs nothing.
func (w *workload) clear(ctx context.Context) error {
	w.stop()
	background := metav1.DeletePropagationBackground // or Jobs would orphan their pods
	batch, core, all := w.client.BatchV1(), w.client.CoreV1(), metav1.ListOptions{}
	for _, collection := range []interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}{batch.CronJobs(w.namespace), batch.Jobs(w.namespace)} {
		if err := collection.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &background}, all); err != nil {
			return err
		}
	}
	pods, err := core.Pods(w.namespace).List(ctx, all)
	if err != nil {
		return err
	}
	err = inParallel(ctx, len(pods.Items), func(ctx context.Context, i int) error {
		err := core.Pods(w.namespace).Delete(ctx, pods.Items[i].Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		return err
	}
	if err := core.Events(w.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, all); err != nil {
		return err
	}
	return core.Namespaces().Delete(ctx, w.namespace, metav1.DeleteOptions{})
}

func inParallel(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(ownWriters)
	for i := range n {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}
