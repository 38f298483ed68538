package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scriptRunner ends the pods as their Jobs' scripts have it, in random order. It
// ends only as many as allowed, so that the work lasts until the last kill.
type scriptRunner struct {
	client    kubernetes.Interface
	namespace string
	scripts   map[string]Script // by the Job's name

	mu      sync.Mutex
	random  *rand.Rand
	seen    map[string]int // pods by Job and index
	waiting []ending
	ended   int
	allowed int
	wake    chan struct{}
}

// ending is how one pod ends, as in puppet.ExitCodes.
type ending struct{ pod, codes string }

func newScriptRunner(c kubernetes.Interface, namespace string, scripts []Script, random *rand.Rand) *scriptRunner {
	r := &scriptRunner{
		client: c, namespace: namespace, random: random,
		scripts: map[string]Script{}, seen: map[string]int{}, wake: make(chan struct{}, 1),
	}
	for _, s := range scripts {
		r.scripts[s.Job.Name] = s
	}
	return r
}

// run ends pods until ctx is done.
func (r *scriptRunner) run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(r.client, 0, informers.WithNamespace(r.namespace))
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { r.add(obj.(*corev1.Pod)) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	for {
		select {
		case <-r.wake:
		case <-ctx.Done():
			return nil
		}
		for e, ok := r.next(); ok && ctx.Err() == nil; e, ok = r.next() {
			if err := r.end(ctx, e); err != nil && ctx.Err() == nil {
				return fmt.Errorf("ending pod %s: %w", e.pod, err)
			}
		}
	}
}

// add decides how a new pod ends.
func (r *scriptRunner) add(pod *corev1.Pod) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	script, ok := r.scripts[ref.Name]
	if !ok {
		return
	}
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil {
		index = anyIndex
	}
	key := ref.Name + "/" + strconv.Itoa(index)
	codes := script.Success
	if r.seen[key] < script.Failures[index] {
		codes = "1"
	}
	r.seen[key]++
	r.waiting = append(r.waiting, ending{pod.Name, codes})
	r.wakeUp()
}

// allow sets how many pods may end in all.
func (r *scriptRunner) allow(pods int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.allowed = pods
	r.wakeUp()
}

func (r *scriptRunner) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default: // it runs
	}
}

// next takes a random one of the waiting pods, if another may end.
func (r *scriptRunner) next() (ending, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 || r.ended >= r.allowed {
		return ending{}, false
	}
	r.ended++
	i, last := r.random.IntN(len(r.waiting)), len(r.waiting)-1
	e := r.waiting[i]
	r.waiting[i] = r.waiting[last]
	r.waiting = r.waiting[:last]
	return e, true
}

func (r *scriptRunner) end(ctx context.Context, e ending) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, puppet.ExitCodes, strings.TrimSpace(e.codes))
	_, err := r.client.CoreV1().Pods(r.namespace).Patch(ctx, e.pod, types.MergePatchType, patch, metav1.PatchOptions{})
	return client.IgnoreNotFound(err) // suspension deletes pods
}
