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
)

// floor is a loop without a controller: what the machine allows.
type floor struct {
	name, text string
	pods       int
	measure    func(*Bench, context.Context, *workload, int) error
}

// floorsAt returns all of them, at a scale as in rowsAt.
func floorsAt(scale float64) []floor {
	n := func(full int) int { return max(1, int(float64(full)*scale)) }
	return []floor{
		{"create", "bare pods are created, nothing else", n(5000), (*Bench).create},
		{"end", "the same, ended by the benchmark, and each loses a finalizer", n(5000), (*Bench).createAndFree},
		{"kwok", "bare pods are created, scheduled and run by KWOK instead", n(1000), (*Bench).createForKWOK},
	}
}

// measureFloor returns how long a floor takes.
func (b *Bench) measureFloor(ctx context.Context, f floor) (time.Duration, error) {
	w, err := newWorkload(ctx, b.Client)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := f.measure(b, ctx, w, f.pods); err != nil {
		w.stop()
		return 0, fmt.Errorf("%s: %w", f.name, err)
	}
	took := time.Since(begin)
	return took, w.clear(ctx)
}

// bare is a pod as a controller makes it of a row's template.
func bare(i int, scheduler string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i)}, Spec: template("").Obj().Spec.Template.Spec}
	pod.Spec.SchedulerName = scheduler
	return pod
}

func (b *Bench) createPods(ctx context.Context, w *workload, n int, pod func(i int) *corev1.Pod) error {
	return inParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := b.Client.CoreV1().Pods(w.namespace).Create(ctx, pod(i), metav1.CreateOptions{})
		return err
	})
}

func (b *Bench) create(ctx context.Context, w *workload, n int) error {
	return b.createPods(ctx, w, n, func(i int) *corev1.Pod { return bare(i, "nobody") })
}

// createAndFree makes the fewest writes with which a Job's pods can be done.
func (b *Bench) createAndFree(ctx context.Context, w *workload, n int) error {
	free := []byte(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["` + batchv1.JobTrackingFinalizer + `"]}}`)
	return b.createAndEnd(ctx, w, n, func(i int) *corev1.Pod {
		pod := bare(i, scheduler)
		pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
		return pod
	}, func(name string) error {
		_, err := b.Client.CoreV1().Pods(w.namespace).Patch(ctx, name, types.StrategicMergePatchType, free, metav1.PatchOptions{})
		return err
	})
}

func (b *Bench) createForKWOK(ctx context.Context, w *workload, n int) error {
	return b.createAndEnd(ctx, w, n, func(i int) *corev1.Pod {
		pod := bare(i, corev1.DefaultSchedulerName)
		pod.Annotations = puppet.Script{ExitCodes: []int{0}}.Annotations()
		return pod
	}, func(string) error { return nil })
}

// createAndEnd creates pods, does something to each that has succeeded, and
// returns when that is done for all.
func (b *Bench) createAndEnd(ctx context.Context, w *workload, n int, pod func(i int) *corev1.Pod, then func(name string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	names := make(chan string, n)
	unwatch, err := requests.Watch(ctx, b.Client, w.namespace, requests.Pods, cache.ResourceEventHandlerFuncs{
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
		if err := b.createPods(ctx, w, n, pod); err != nil {
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
