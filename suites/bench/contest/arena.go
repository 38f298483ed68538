package contest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/suites/bench/player"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ownWriters is how many requests the benchmark itself has in flight.
const ownWriters = 32

// stallLimit is how long no Job may change before a measurement is given up.
const stallLimit = 2 * time.Minute

// arena is a namespace with a Player in it, and an eye on the Jobs.
type arena struct {
	client    kubernetes.Interface
	namespace string
	player    *player.Player
	factory   informers.SharedInformerFactory
	unwatch   context.CancelFunc

	mu       sync.Mutex
	jobs     map[string]*batchv1.Job
	finished map[string]time.Time // when it was seen
	changed  chan struct{}
}

func openArena(ctx context.Context, c kubernetes.Interface) (*arena, error) {
	ns, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "jobconformance-bench-"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	a := &arena{
		client: c, namespace: ns.Name,
		jobs: map[string]*batchv1.Job{}, finished: map[string]time.Time{}, changed: make(chan struct{}),
	}
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.unwatch = cancel
	a.factory = informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithNamespace(ns.Name))
	informer := a.factory.Batch().V1().Jobs().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    a.saw,
		UpdateFunc: func(_, job any) { a.saw(job) },
	}); err != nil {
		return nil, err
	}
	a.factory.Start(watching.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		a.leave()
		return nil, ctx.Err()
	}
	if a.player, err = player.Play(ctx, c, ns.Name); err != nil {
		a.leave()
		return nil, err
	}
	return a, nil
}

func (a *arena) saw(obj any) {
	job := obj.(*batchv1.Job)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.jobs[job.Name] = job
	if _, known := a.finished[job.Name]; !known && ended(job) != "" {
		a.finished[job.Name] = time.Now()
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// ended is Complete or Failed, or empty.
func ended(job *batchv1.Job) batchv1.JobConditionType {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

// await waits until n Jobs have finished, and returns when the last of them had.
func (a *arena) await(ctx context.Context, n int) (time.Time, error) {
	for {
		a.mu.Lock()
		changed, done := a.changed, len(a.finished)
		var last time.Time
		for _, at := range a.finished {
			if at.After(last) {
				last = at
			}
		}
		a.mu.Unlock()
		if done >= n {
			return last, nil
		}
		select {
		case <-changed:
		case <-time.After(stallLimit):
			return last, errors.Join(fmt.Errorf("%d of %d Jobs are finished, and none has changed for %s", done, n, stallLimit), a.player.Err())
		case <-ctx.Done():
			return last, context.Cause(ctx)
		}
	}
}

// judge looks at what became of the Jobs: a fast controller that counts wrong has
// won nothing.
func (a *arena) judge(row Row) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	want, succeeded, failed := batchv1.JobComplete, row.Pods, 0
	if row.fails {
		want, succeeded, failed = batchv1.JobFailed, 0, row.Pods
	}
	if len(a.jobs) != row.jobs {
		return fmt.Errorf("there are %d Jobs instead of %d", len(a.jobs), row.jobs)
	}
	for name, job := range a.jobs {
		if ended(job) != want {
			return fmt.Errorf("the Job %s is %s instead of %s", name, ended(job), want)
		}
		succeeded -= int(job.Status.Succeeded)
		failed -= int(job.Status.Failed)
	}
	if succeeded != 0 || failed != 0 {
		return fmt.Errorf("the Jobs' statuses miss %d succeeded and %d failed pods", succeeded, failed)
	}
	return a.player.Err()
}

// leave ends the watches and the Player; the namespace stays.
func (a *arena) leave() {
	if a.player != nil {
		a.player.Stop()
	}
	a.unwatch()
	a.factory.Shutdown()
}

// clear empties the namespace. Pods go by many requests at a time, without a
// grace period. The namespace itself, which takes its time, is not waited for:
// with nothing in it, its end costs nothing.
func (a *arena) clear(ctx context.Context) error {
	a.leave()
	background := metav1.DeletePropagationBackground // or Jobs would orphan their pods
	batch, core, all := a.client.BatchV1(), a.client.CoreV1(), metav1.ListOptions{}
	for _, collection := range []interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}{batch.CronJobs(a.namespace), batch.Jobs(a.namespace)} {
		if err := collection.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &background}, all); err != nil {
			return err
		}
	}
	pods, err := core.Pods(a.namespace).List(ctx, all)
	if err != nil {
		return err
	}
	err = inParallel(ctx, len(pods.Items), func(ctx context.Context, i int) error {
		err := core.Pods(a.namespace).Delete(ctx, pods.Items[i].Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		return err
	}
	if err := core.Events(a.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, all); err != nil {
		return err
	}
	return core.Namespaces().Delete(ctx, a.namespace, metav1.DeleteOptions{})
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
