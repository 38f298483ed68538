package job

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
)

// The informers are wired up: a Job starts its pod, and when the Job is gone the
// pod loses its finalizer.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	client := fake.NewClientset(MakeJob(Unstarted))
	created, released := make(chan string, 10), make(chan string, 10)
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		pod.Name, pod.UID, pod.ResourceVersion = "first", "first", "9999"
		created <- pod.Name
		return false, nil, nil
	})
	client.PrependReactor("patch", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		released <- action.(clienttesting.PatchAction).GetName()
		return false, nil, nil
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	c := New(client, factory, &record.FakeRecorder{}, clock.RealClock{}, "")
	factory.Start(ctx.Done())
	done := make(chan struct{})
	go func() { c.Run(ctx, 2); close(done) }()
	if name := <-created; name != "first" {
		t.Error(name)
	}
	if err := client.BatchV1().Jobs("ns").Delete(ctx, "pi", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if name := <-released; name != "first" {
		t.Error(name)
	}
	stop()
	<-done
}

func TestPodsWakeTheirJobs(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*corev1.Pod)
		want   int
	}{
		{"its own", func(*corev1.Pod) {}, 1},
		{"one that might adopt it", func(p *corev1.Pod) { p.OwnerReferences = nil }, 1},
		{"none that does not match",
			func(p *corev1.Pod) { p.OwnerReferences, p.Labels = nil, map[string]string{"app": "x"} }, 0},
		{"none if somebody else controls it", func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "ReplicaSet" }, 0},
	} {
		s := newAPIServer(t, MakeJob())
		queue := &wakes{clock: s.clock, at: map[cache.ObjectName]time.Time{}}
		s.controller.queue = queue
		pod := MakePod("a running")
		row.change(pod)
		s.controller.podChanged(nil, pod)
		if len(queue.at) != row.want {
			t.Errorf("%s: %v", row.name, queue.at)
		}
		queue.at = map[cache.ObjectName]time.Time{}
		s.controller.podChanged(pod, pod)
		if len(queue.at) > 0 {
			t.Error("a resync wakes nobody")
		}
		loop.OnChange(s.controller.podChanged).OnDelete(cache.DeletedFinalStateUnknown{Obj: pod})
		if len(queue.at) != row.want {
			t.Errorf("%s, when its deletion was missed: %v", row.name, queue.at)
		}
	}
}

// A pod whose owner reference went before its Job, as when a Job is deleted and
// its pods are not, is left for that Job to adopt as long as the informer shows
// it. When the Job is gone, somebody has to look again.
func TestAJobThatIsGoneLeavesNoOrphans(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "orphan running", "a running")
	s.pods["orphan"].OwnerReferences = nil
	s.show()
	orphans := &wakes{clock: s.clock, at: map[cache.ObjectName]time.Time{}}
	s.controller.orphans = orphans
	s.controller.jobChanged(s.jobs["pi"], s.jobs["pi"])
	if len(orphans.at) > 0 {
		t.Errorf("the Job is there, but %v are woken", orphans.at)
	}
	s.controller.jobChanged(s.jobs["pi"], nil)
	if len(orphans.at) != 2 {
		t.Errorf("the Job is gone, and of two pods %v are woken", orphans.at)
	}
	orphans.at = map[cache.ObjectName]time.Time{}
	another := s.jobs["pi"].DeepCopy()
	another.UID = "another"
	loop.OnChange(s.controller.jobChanged).OnUpdate(s.jobs["pi"], another)
	if len(orphans.at) != 2 {
		t.Errorf("another Job has its name, and of two pods %v are woken", orphans.at)
	}
}

// TestUnconfirmedOwner: while the API server cannot say whether a pod's Job exists, the pod is no orphan.
func TestUnconfirmedOwner(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "a running")
	if err := s.jobStore.Delete(s.jobs["pi"]); err != nil {
		t.Fatal(err)
	}
	s.read = func() error { return errors.New("chaos") }
	if err := s.controller.syncOrphan(t.Context(), cache.NewObjectName("ns", "a")); err == nil {
		t.Error("no error, so that nothing is tried again")
	}
	s.expectWrites()
}
