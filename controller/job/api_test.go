package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
)

// apiServer stands behind the fake clientset. Unlike the latter alone it knows
// resourceVersions, preconditions and finalizers. Informers show its objects only when a test calls
// show, so that the test decides how old their view is.
type apiServer struct {
	t          tb
	controller *Controller
	clock      *testingclock.FakeClock
	events     *record.FakeRecorder
	jobStore   cache.Indexer

	version int
	jobs    map[string]*batchv1.Job
	pods    map[string]*corev1.Pod
	writes  []string
	// refuse returns the error of a write such as "create pods", nil to let it
	// through. If lose is set, the write happens all the same.
	refuse func(write string) error
	lose   bool
	// read returns the error of all that is no write.
	read func() error
	// changed is called with every write to a Job's status and to a pod; before is nil
	// for one that is new.
	changed func(before, after metav1.Object)
}

// tb is what testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newAPIServer(t tb, job *batchv1.Job, pods ...string) *apiServer {
	s := &apiServer{t: t, version: 100, clock: testingclock.NewFakeClock(Noon), events: record.NewFakeRecorder(100),
		jobs: map[string]*batchv1.Job{job.Name: job}, pods: map[string]*corev1.Pod{},
		refuse: func(string) error { return nil }, read: func() error { return nil },
		changed: func(before, after metav1.Object) {}}
	for _, pod := range pods {
		p := MakePod(pod)
		s.pods[p.Name] = p
	}
	client := &fake.Clientset{}
	client.AddReactor("*", "*", s.react)
	s.connect(client)
	return s
}

// connect starts a new process, as it were: it remembers nothing.
func (s *apiServer) connect(client *fake.Clientset) {
	factory := informers.NewSharedInformerFactory(client, 0)
	c := New(client, factory, s.events, s.clock, "")
	c.parallelWrites = 1 // in order
	s.controller, s.jobStore = c, factory.Batch().V1().Jobs().Informer().GetIndexer()
	s.show()
}

func (s *apiServer) restart() { s.connect(s.controller.client.(*fake.Clientset)) }

// show brings the informers up to date.
func (s *apiServer) show() {
	s.showJobs()
	s.showPods()
}

func (s *apiServer) showJobs() { replace(s.t, s.jobStore, s.jobs, s.version) }
func (s *apiServer) showPods() { replace(s.t, s.controller.pods, s.pods, s.version) }

func replace[T any](t tb, store cache.Indexer, objects map[string]T, version int) {
	var list []any
	for _, o := range objects {
		list = append(list, trimmed(o))
	}
	if err := store.Replace(list, strconv.Itoa(version)); err != nil {
		t.Fatal(err)
	}
}

// trimmed returns what an informer with Trim keeps of an object.
func trimmed[T any](object T) any {
	kept, err := Trim(any(object).(runtime.Object).DeepCopyObject())
	if err != nil {
		panic(err)
	}
	return kept
}

// sync runs until nothing is written any more, with informers that show nothing
// new, and returns the first error.
func (s *apiServer) sync() error {
	s.t.Helper()
	for range 20 {
		before := len(s.writes)
		if err := s.controller.sync(context.Background(), cache.NewObjectName("ns", "pi")); err != nil {
			return err
		}
		if len(s.writes) == before {
			return nil
		}
	}
	s.t.Fatalf("never comes to rest: %v", s.writes)
	return nil
}

func (s *apiServer) mustSync() {
	s.t.Helper()
	if err := s.sync(); err != nil {
		s.t.Fatal(err)
	}
}

// succeed ends all pods, and shows it.
func (s *apiServer) succeed() {
	for _, pod := range s.pods {
		pod.Status.Phase = corev1.PodSucceeded
		stamped(s, pod)
	}
	s.showPods()
}

func (s *apiServer) status() string { return describeStatus(s.jobs["pi"].Status) }

func (s *apiServer) expect(want string) {
	s.t.Helper()
	if got := s.status(); got != want {
		s.t.Errorf("status is %q, want %q", got, want)
	}
}

func (s *apiServer) expectWrites(want ...string) {
	s.t.Helper()
	if !slices.Equal(s.writes, want) {
		s.t.Errorf("writes were %q, want %q", s.writes, want)
	}
	s.writes = nil
}

func (s *apiServer) put(pod string) {
	p := MakePod(pod)
	s.pods[p.Name] = stamped(s, p)
}

func stamped[T metav1.Object](s *apiServer, obj T) T {
	s.version++
	obj.SetResourceVersion(strconv.Itoa(s.version))
	return obj
}

func (s *apiServer) react(action clienttesting.Action) (bool, runtime.Object, error) {
	what := strings.TrimSuffix(action.GetVerb()+" "+action.GetResource().Resource+"/"+action.GetSubresource(), "/")
	if verb := action.GetVerb(); verb != "get" && verb != "list" {
		s.writes = append(s.writes, what)
		if err := s.refuse(what); err != nil {
			if s.lose {
				s.handle(what, action)
			}
			return true, nil, err
		}
	} else if err := s.read(); err != nil {
		return true, nil, err
	}
	obj, err := s.handle(what, action)
	return true, obj, err
}

func (s *apiServer) handle(what string, action clienttesting.Action) (runtime.Object, error) {
	switch what {
	case "get jobs":
		if job := s.jobs[action.(clienttesting.GetAction).GetName()]; job != nil {
			return job.DeepCopy(), nil
		}
		return nil, notFound("jobs")
	case "update jobs/status":
		update := action.(clienttesting.UpdateAction).GetObject().(*batchv1.Job).DeepCopy()
		current := s.jobs[update.Name]
		switch {
		case current == nil:
			return nil, notFound("jobs")
		case current.ResourceVersion != update.ResourceVersion:
			return nil, conflict("jobs")
		}
		s.changed(current, update)
		s.jobs[update.Name] = stamped(s, update)
		return update.DeepCopy(), nil
	case "list pods":
		return &corev1.PodList{Items: s.podItems()}, nil
	case "get pods":
		if pod := s.pods[action.(clienttesting.GetAction).GetName()]; pod != nil {
			return pod.DeepCopy(), nil
		}
		return nil, notFound("pods")
	case "create pods":
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod).DeepCopy()
		pod.Name = fmt.Sprintf("%s%d", pod.GenerateName, s.version)
		pod.UID = types.UID(pod.Name)
		pod.CreationTimestamp = metav1.NewTime(s.clock.Now())
		pod.Status.Phase = corev1.PodPending
		s.changed(nil, pod)
		s.pods[pod.Name] = stamped(s, pod)
		return pod.DeepCopy(), nil
	case "delete pods":
		pod := s.pods[action.(clienttesting.DeleteAction).GetName()]
		if pod == nil {
			return nil, notFound("pods")
		}
		if uid := action.(clienttesting.DeleteActionImpl).DeleteOptions.Preconditions.UID; *uid != pod.UID {
			return nil, conflict("pods")
		}
		s.delete(pod)
		return nil, nil
	case "patch pods":
		return s.patch(action.(clienttesting.PatchAction))
	}
	s.t.Errorf("unexpected %s", what)
	return nil, errors.New("unexpected")
}

func (s *apiServer) podItems() (items []corev1.Pod) {
	for _, name := range slices.Sorted(maps.Keys(s.pods)) {
		items = append(items, *s.pods[name].DeepCopy())
	}
	return items
}

func (s *apiServer) patch(action clienttesting.PatchAction) (runtime.Object, error) {
	pod := s.pods[action.GetName()]
	if pod == nil {
		return nil, notFound("pods")
	}
	before, _ := json.Marshal(pod)
	after, err := strategicpatch.StrategicMergePatch(before, action.GetPatch(), pod)
	if err != nil {
		return nil, err
	}
	patched := &corev1.Pod{}
	if err := json.Unmarshal(after, patched); err != nil {
		return nil, err
	}
	if patched.UID != pod.UID || patched.ResourceVersion != pod.ResourceVersion {
		return nil, conflict("pods")
	}
	s.changed(pod, patched)
	s.store(patched)
	return patched.DeepCopy(), nil
}

func (s *apiServer) delete(pod *corev1.Pod) {
	if pod.DeletionTimestamp == nil {
		pod = pod.DeepCopy()
		pod.DeletionTimestamp = &metav1.Time{Time: s.clock.Now()}
		s.store(pod)
	}
}

// store keeps a pod, unless it is being deleted and has no finalizer.
func (s *apiServer) store(pod *corev1.Pod) {
	if pod.DeletionTimestamp != nil && len(pod.Finalizers) == 0 {
		s.version++
		delete(s.pods, pod.Name)
		return
	}
	s.pods[pod.Name] = stamped(s, pod)
}

func notFound(resource string) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: resource}, "it")
}

func conflict(resource string) error {
	return apierrors.NewConflict(schema.GroupResource{Resource: resource}, "it", errors.New("changed"))
}

func once(write string, err error) func(string) error {
	done := false
	return func(w string) error {
		if done || w != write {
			return nil
		}
		done = true
		return err
	}
}
