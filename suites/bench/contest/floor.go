package contest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/bench/player"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Floor is a loop that does without a controller: what the machine allows.
type Floor struct {
	Name, Text string
	Pods       int
	measure    func(*Contest, context.Context, *arena, int) error
}

// Floors returns all of them, at a scale as Rows has it.
func Floors(scale float64) []Floor {
	n := func(full int) int { return max(1, int(float64(full)*scale)) }
	return []Floor{
		{"create", "bare pods are created, no more", n(5000), (*Contest).create},
		{"play", "the same, and the benchmark plays them, and each loses a finalizer", n(5000), (*Contest).createAndPlay},
		{"kwok", "bare pods are created, scheduled and played by KWOK instead", n(1000), (*Contest).createForKWOK},
	}
}

// MeasureFloor returns how long a Floor takes.
func (c *Contest) MeasureFloor(ctx context.Context, f Floor) (time.Duration, error) {
	a, err := openArena(ctx, c.Client)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := f.measure(c, ctx, a, f.Pods); err != nil {
		a.leave()
		return 0, fmt.Errorf("%s: %w", f.Name, err)
	}
	took := time.Since(begin)
	return took, a.clear(ctx)
}

// bare is a pod as a controller makes it of a row's template.
func bare(i int, scheduler string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod-", i)}, Spec: template("").Obj().Spec.Template.Spec}
	pod.Spec.SchedulerName = scheduler
	return pod
}

func (c *Contest) createPods(ctx context.Context, a *arena, n int, pod func(i int) *corev1.Pod) error {
	return inParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := c.Client.CoreV1().Pods(a.namespace).Create(ctx, pod(i), metav1.CreateOptions{})
		return err
	})
}

func (c *Contest) create(ctx context.Context, a *arena, n int) error {
	return c.createPods(ctx, a, n, func(i int) *corev1.Pod { return bare(i, "nobody") })
}

// createAndPlay makes the fewest writes with which a Job's pods can be done.
func (c *Contest) createAndPlay(ctx context.Context, a *arena, n int) error {
	free := []byte(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["` + batchv1.JobTrackingFinalizer + `"]}}`)
	return c.createAndEnd(ctx, a, n, func(i int) *corev1.Pod {
		pod := bare(i, player.Scheduler)
		pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
		return pod
	}, func(name string) error {
		_, err := c.Client.CoreV1().Pods(a.namespace).Patch(ctx, name, types.StrategicMergePatchType, free, metav1.PatchOptions{})
		return err
	})
}

func (c *Contest) createForKWOK(ctx context.Context, a *arena, n int) error {
	return c.createAndEnd(ctx, a, n, func(i int) *corev1.Pod {
		pod := bare(i, corev1.DefaultSchedulerName)
		pod.Annotations = puppet.Script{ExitCodes: []int{0}}.Annotations()
		return pod
	}, func(string) error { return nil })
}

// createAndEnd creates pods, does something to each that has succeeded, and
// returns when that is done for all.
func (c *Contest) createAndEnd(ctx context.Context, a *arena, n int, pod func(i int) *corev1.Pod, then func(name string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	names := make(chan string, n)
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, 0, informers.WithNamespace(a.namespace))
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			p := after.(*corev1.Pod)
			if p.Status.Phase == corev1.PodSucceeded && before.(*corev1.Pod).Status.Phase != p.Status.Phase {
				names <- p.Name
			}
		},
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel(nil)
	factory.WaitForCacheSync(ctx.Done())

	var work sync.WaitGroup
	work.Go(func() {
		if err := c.createPods(ctx, a, n, pod); err != nil {
			cancel(err)
		}
	})
	work.Go(func() {
		err := inParallel(ctx, n, func(ctx context.Context, _ int) error {
			select {
			case name := <-names:
				return then(name)
			case <-time.After(stallLimit):
				return errors.Join(fmt.Errorf("no pod has ended for %s", stallLimit), a.player.Err())
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
