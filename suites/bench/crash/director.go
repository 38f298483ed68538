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

// director tells every pod how it ends, in any order, but only so many pods that
// the work cannot be over before the kills are.
type director struct {
	client    kubernetes.Interface
	namespace string
	scripts   map[string]Script // by the Job's name

	mu      sync.Mutex
	random  *rand.Rand
	seen    map[string]int // pods by Job and index
	waiting []line
	told    int
	allowed int
	wake    chan struct{}
}

// line is what one pod is to be told.
type line struct{ pod, codes string }

func newDirector(c kubernetes.Interface, namespace string, scripts []Script, random *rand.Rand) *director {
	d := &director{
		client: c, namespace: namespace, random: random,
		scripts: map[string]Script{}, seen: map[string]int{}, wake: make(chan struct{}, 1),
	}
	for _, s := range scripts {
		d.scripts[s.Job.Name] = s
	}
	return d
}

// run directs until ctx is done.
func (d *director) run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(d.client, 0, informers.WithNamespace(d.namespace))
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { d.enter(obj.(*corev1.Pod)) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	for {
		select {
		case <-d.wake:
		case <-ctx.Done():
			return nil
		}
		for l, ok := d.next(); ok && ctx.Err() == nil; l, ok = d.next() {
			if err := d.tell(ctx, l); err != nil && ctx.Err() == nil {
				return fmt.Errorf("telling pod %s how to end: %w", l.pod, err)
			}
		}
	}
}

// enter writes the new pod's line.
func (d *director) enter(pod *corev1.Pod) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	script, ok := d.scripts[ref.Name]
	if !ok {
		return
	}
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil {
		index = anyIndex
	}
	key := ref.Name + "/" + strconv.Itoa(index)
	codes := script.Success
	if d.seen[key] < script.Failures[index] {
		codes = "1"
	}
	d.seen[key]++
	d.waiting = append(d.waiting, line{pod.Name, codes})
	d.rouse()
}

// allow lets so many pods end in all.
func (d *director) allow(pods int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.allowed = pods
	d.rouse()
}

func (d *director) rouse() {
	select {
	case d.wake <- struct{}{}:
	default: // it is awake
	}
}

// next takes any of the waiting lines.
func (d *director) next() (line, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) == 0 || d.told >= d.allowed {
		return line{}, false
	}
	d.told++
	i, last := d.random.IntN(len(d.waiting)), len(d.waiting)-1
	l := d.waiting[i]
	d.waiting[i] = d.waiting[last]
	d.waiting = d.waiting[:last]
	return l, true
}

func (d *director) tell(ctx context.Context, l line) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, puppet.ExitCodes, strings.TrimSpace(l.codes))
	_, err := d.client.CoreV1().Pods(d.namespace).Patch(ctx, l.pod, types.MergePatchType, patch, metav1.PatchOptions{})
	return client.IgnoreNotFound(err) // suspension deletes pods
}
