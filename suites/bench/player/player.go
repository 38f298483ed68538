// Package player ends pods as fast as the API server takes it, for benchmarks.
//
// On an embedded cluster a pod is otherwise scheduled, and played by KWOK: that
// is four writes or more, and templates and queries for each. It costs the
// machine more than the controllers that are to be measured. A pod for the
// Player names a scheduler that does not exist, so that nobody else touches it;
// its first status, written as soon as it is seen, is its last.
package player

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Scheduler is the spec.schedulerName of pods for a Player.
const Scheduler = "jobconformance-player"

// ExitCode is the annotation that says how a pod ends, "0" without it.
const ExitCode = "player.jobconformance.io/exit-code"

// writers is how many pods are written at the same time.
const writers = 16

// Player plays all pods of a namespace that are for it.
type Player struct {
	client kubernetes.Interface
	queue  workqueue.TypedInterface[*corev1.Pod]
	ended  atomic.Int64
	err    atomic.Pointer[error]
	stop   func()
}

// Play begins to play. It returns when the watch stands; the context bounds only
// that.
func Play(ctx context.Context, c kubernetes.Interface, namespace string) (*Player, error) {
	playing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &Player{client: c, queue: workqueue.NewTyped[*corev1.Pod]()}
	factory := informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().Pods().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if pod := obj.(*corev1.Pod); pod.Spec.SchedulerName == Scheduler && pod.Status.Phase == corev1.PodPending {
			p.queue.Add(pod)
		}
	}})
	if err != nil {
		cancel()
		return nil, err
	}
	var working sync.WaitGroup
	for range writers {
		working.Go(func() { p.work(playing) })
	}
	p.stop = func() {
		cancel()
		p.queue.ShutDown()
		working.Wait()
		factory.Shutdown()
	}
	factory.Start(playing.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		p.Stop()
		return nil, fmt.Errorf("watching the pods of namespace %s: %w", namespace, ctx.Err())
	}
	return p, nil
}

// Stop ends it, and waits until nothing runs any more.
func (p *Player) Stop() { p.stop() }

// Ended is how many pods have ended.
func (p *Player) Ended() int { return int(p.ended.Load()) }

// Err is not nil when a pod could not be played, which makes whatever waits for
// it wait in vain.
func (p *Player) Err() error {
	if err := p.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *Player) work(ctx context.Context) {
	for {
		pod, quit := p.queue.Get()
		if quit {
			return
		}
		if err := p.play(ctx, pod.DeepCopy()); err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			p.err.CompareAndSwap(nil, &err)
		}
		p.queue.Done(pod)
	}
}

func (p *Player) play(ctx context.Context, pod *corev1.Pod) error {
	pods := p.client.CoreV1().Pods(pod.Namespace)
	end(pod)
	_, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) { // somebody else wrote the pod, but not its status
		if pod, err = pods.Get(ctx, pod.Name, metav1.GetOptions{}); err == nil {
			end(pod)
			_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		}
	}
	if err != nil {
		return fmt.Errorf("playing a pod: %w", err)
	}
	p.ended.Add(1)
	return nil
}
