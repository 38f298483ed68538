package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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
// resourceVersions, preconditions and finalizers. Informers show what it has
// only when told to, so that a test decides how stale they are.
type apiServer struct {
	t          *testing.T
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
}

func newAPIServer(t *testing.T, job *batchv1.Job, pods ...string) *apiServer {
	s := &apiServer{t: t, version: 100, clock: testingclock.NewFakeClock(noon), events: record.NewFakeRecorder(100),
		jobs: map[string]*batchv1.Job{job.Name: job}, pods: map[string]*corev1.Pod{},
		refuse: func(string) error { return nil }}
	for _, pod := range makePods(pods...) {
		s.pods[pod.Name] = pod
	}
	client := &fake.Clientset{}
	client.AddReactor("*", "*", s.react)
	s.connect(client)
	return s
}

// connect starts a new process, as it were: it remembers nothing.
func (s *apiServer) connect(client *fake.Clientset) {
	factory := informers.NewSharedInformerFactory(client, 0)
	c, err := New(client, factory, s.events, Options{Clock: s.clock})
	if err != nil {
		s.t.Fatal(err)
	}
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

func replace[T any](t *testing.T, store cache.Indexer, objects map[string]T, version int) {
	var list []any
	for _, o := range objects {
		list = append(list, o)
	}
	if err := store.Replace(list, strconv.Itoa(version)); err != nil {
		t.Fatal(err)
	}
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

func (s *apiServer) status() string { return describe(Plan{Status: s.jobs["pi"].Status}) }

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
	p := makePod(pod)
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
		s.pods[pod.Name] = stamped(s, pod)
		return pod.DeepCopy(), nil
	case "delete pods":
		pod := s.pods[action.(clienttesting.DeleteAction).GetName()]
		if pod == nil {
			return nil, notFound("pods")
		}
		pod = pod.DeepCopy()
		pod.DeletionTimestamp = &metav1.Time{Time: noon}
		s.store(pod)
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
	s.store(patched)
	return patched.DeepCopy(), nil
}

// store keeps a pod, unless it is being deleted and nothing holds it.
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

func TestStaleInformersDuplicateNothing(t *testing.T) {
	s := newAPIServer(t, makeJob(unstarted, size(2, 3)))
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=2")
	s.expectWrites("update jobs/status", "create pods", "create pods", "update jobs/status")

	// Pods finish; their informer shows it, that of Jobs shows nothing (#137210).
	for _, pod := range s.pods {
		pod.Status.Phase = corev1.PodSucceeded
		stamped(s, pod)
	}
	s.showPods()
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1, succeeded=2")
	if len(s.pods) != 3 {
		t.Errorf("%d pods were created, want 3", len(s.pods))
	}

	// The last one too. Now the Job is complete, which no informer knows (#130333).
	for _, pod := range s.pods {
		pod.Status.Phase = corev1.PodSucceeded
		stamped(s, pod)
	}
	s.showPods()
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("succeeded=3, SuccessCriteriaMet=True, Complete=True, completed")
	if len(s.pods) != 3 {
		t.Errorf("%d pods were created, want 3", len(s.pods))
	}
}

// A status write may be refused, or go through without our knowing, at any point:
// the counters come out the same (#105214).
func TestEveryWriteMayFail(t *testing.T) {
	for _, lose := range []bool{false, true} {
		for nth := range 8 {
			t.Run(fmt.Sprintf("write %d, lost %t", nth, lose), func(t *testing.T) {
				s := newAPIServer(t, makeJob(size(2, 2)), "a succeeded", "b running", "c failed bare", "d failed ago=1h")
				s.lose = lose
				n := 0
				s.refuse = func(string) error {
					n++
					if n == nth+1 {
						return apierrors.NewInternalError(errors.New("chaos"))
					}
					return nil
				}
				for range 10 {
					if err := s.sync(); err == nil {
						break
					}
					s.clock.Step(refusalMax)
				}
				s.expect("active=1, succeeded=1, failed=1")
				s.put("b succeeded")
				s.show()
				for range 10 {
					if err := s.sync(); err == nil {
						break
					}
				}
				s.expect("succeeded=2, failed=1, SuccessCriteriaMet=True, Complete=True, completed")
				for _, pod := range s.pods {
					if hasFinalizer(pod) {
						t.Errorf("pod %s keeps its finalizer", pod.Name)
					}
				}
			})
		}
	}
}

func TestRestartAtEveryWrite(t *testing.T) {
	for nth := range 8 {
		t.Run(fmt.Sprintf("write %d", nth), func(t *testing.T) {
			s := newAPIServer(t, makeJob(size(2, 2)), "a succeeded", "b running", "d failed ago=1h")
			n := 0
			s.refuse = func(string) error {
				if n++; n > nth {
					return errors.New("dead")
				}
				return nil
			}
			_ = s.sync()
			s.refuse = func(string) error { return nil }
			s.restart()
			if err := s.sync(); err != nil {
				t.Fatal(err)
			}
			s.expect("active=1, succeeded=1, failed=1")
		})
	}
}

func TestConflictTouchesNoPod(t *testing.T) {
	s := newAPIServer(t, makeJob(unstarted, size(3, 3)))
	s.jobs["pi"] = stamped(s, makeJob(unstarted, size(3, 3), withSuspend))
	if err := s.sync(); !apierrors.IsConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	s.expectWrites("update jobs/status")
	// The API server is asked, though the informer still shows the old Job.
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("Suspended=True, unstarted")
	s.expectWrites("update jobs/status")
}

func TestLostAnswerCreatesNoSecondPod(t *testing.T) {
	s := newAPIServer(t, makeJob())
	s.lose, s.refuse = true, once("create pods", errors.New("connection reset by peer"))
	if err := s.sync(); err == nil {
		t.Fatal("no error")
	}
	s.clock.Step(time.Minute)
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	if len(s.pods) != 1 {
		t.Errorf("%d pods, want 1", len(s.pods))
	}
	s.expect("active=1")
}

func TestQuotaIsTriedAgainWithPatience(t *testing.T) {
	s := newAPIServer(t, makeJob(size(8, 8)))
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("exceeded quota"))
	s.refuse = func(write string) error {
		if write == "create pods" {
			return forbidden
		}
		return nil
	}
	if err := s.sync(); !apierrors.IsForbidden(err) {
		t.Fatal(err)
	}
	s.expectWrites("update jobs/status", "create pods") // one, not eight
	if e := <-s.events.Events; !strings.HasPrefix(e, "Warning FailedCreate Error creating: ") {
		t.Error(e)
	}
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expectWrites() // not yet
	s.refuse = func(string) error { return nil }
	s.clock.Step(refusalBase)
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=8")
}

func TestTerminatingNamespaceIsLeftAlone(t *testing.T) {
	s := newAPIServer(t, makeJob())
	s.refuse = once("create pods", &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}}}})
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expectWrites("update jobs/status", "create pods")
	if len(s.events.Events) > 0 {
		t.Error(<-s.events.Events)
	}
}

func TestSurplusPodThatSucceededUnseenIsCounted(t *testing.T) {
	s := newAPIServer(t, makeJob(size(1, 2), workQueue(1)), "a running ago=5s", "b running ago=9s")
	s.put("a succeeded") // the informer shows it running, and it is to be retired
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1, succeeded=1")
	if s.pods["b"].DeletionTimestamp != nil {
		t.Error("b is deleted as well")
	}
}

func TestTerminatingPodIsNotDeletedAgain(t *testing.T) {
	s := newAPIServer(t, makeJob(size(0, 1)), "a running")
	s.pods["a"].Finalizers = append(s.pods["a"].Finalizers, "test/hold")
	for range 3 {
		if err := s.sync(); err != nil {
			t.Fatal(err)
		}
	}
	s.expect("terminating=1")
	s.expectWrites("update jobs/status", "patch pods", "delete pods", "update jobs/status")
}

func TestRecreatedJobInheritsNothing(t *testing.T) {
	s := newAPIServer(t, makeJob(), "a failed", "b failed")
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("failed=2")
	again := makeJob()
	again.UID = "another-uid"
	s.jobs["pi"] = stamped(s, again)
	s.pods = map[string]*corev1.Pod{}
	s.show()
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1") // without back-off (#132042)
}

func TestStraysAreAdopted(t *testing.T) {
	s := newAPIServer(t, makeJob(), "a running bare")
	s.pods["a"].OwnerReferences = nil
	s.show()
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1")
	if a := s.pods["a"]; !metav1.IsControlledBy(a, s.jobs["pi"]) || !hasFinalizer(a) {
		t.Errorf("%+v", a.ObjectMeta)
	}
	s.expectWrites("patch pods", "update jobs/status")
}

func TestNothingIsAdoptedForAJobBeingDeleted(t *testing.T) {
	s := newAPIServer(t, makeJob(), "a running bare")
	s.pods["a"].OwnerReferences = nil
	s.show()
	s.jobs["pi"] = stamped(s, makeJob(beingDeleted)) // which the informer does not show (#42639)
	for range 2 {
		if err := s.sync(); err != nil {
			t.Fatal(err)
		}
	}
	s.expectWrites("update jobs/status")
}

func TestMismatchedPodsAreLetGo(t *testing.T) {
	s := newAPIServer(t, makeJob(), "a running")
	s.pods["a"].Labels = nil
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	if a := s.pods["a"]; len(a.OwnerReferences) > 0 || hasFinalizer(a) {
		t.Errorf("%+v", a.ObjectMeta)
	}
	s.expect("active=1")
}

func TestManagedByOtherIsLeftAlone(t *testing.T) {
	other := "example.com/other"
	s := newAPIServer(t, makeJob(func(j *batchv1.Job) { j.Spec.ManagedBy = &other }), "a succeeded")
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expectWrites()
}

func TestOrphansLoseTheFinalizer(t *testing.T) {
	key := cache.NewObjectName("ns", "a")
	s := newAPIServer(t, makeJob(), "a running")
	release := func() error { return s.controller.releaseOrphan(context.Background(), key) }
	if err := release(); err != nil || !hasFinalizer(s.pods["a"]) {
		t.Errorf("its Job is there: %v", err)
	}
	s.jobStore.Delete(s.jobs["pi"])
	if err := release(); err != nil || !hasFinalizer(s.pods["a"]) {
		t.Errorf("its Job is there, though the informer shows none: %v", err)
	}
	delete(s.jobs, "pi")
	s.refuse = once("patch pods", errors.New("chaos"))
	if err := release(); err == nil {
		t.Error("a failure must be told, to be tried again (#141329)")
	}
	if err := release(); err != nil || hasFinalizer(s.pods["a"]) {
		t.Errorf("an orphan keeps its finalizer: %v", err)
	}
}

func TestNewPods(t *testing.T) {
	job := makeJob(withIndexes)
	job.Name = strings.Repeat("x", 63)
	pod := newPod(job, newcomer{index: 7})
	if want := strings.Repeat("x", 55) + "-7-"; pod.GenerateName != want {
		t.Errorf("prefix %s, want %s", pod.GenerateName, want)
	}
	if pod.Labels[batchv1.JobCompletionIndexAnnotation] != "7" || completionIndex(pod) != 7 || pod.Spec.Hostname != job.Name+"-7" {
		t.Errorf("%+v", pod)
	}
	if env := pod.Spec.Containers[0].Env; len(env) != 1 || env[0].ValueFrom.FieldRef.FieldPath != "metadata.labels['batch.kubernetes.io/job-completion-index']" {
		t.Errorf("%+v", env)
	}
	if len(job.Spec.Template.Labels) != 2 || len(job.Spec.Template.Spec.Containers[0].Env) != 0 {
		t.Error("the template changed")
	}
	owner := newPod(makeJob(), newcomer{index: noIndex}).OwnerReferences[0]
	if !*owner.Controller || !*owner.BlockOwnerDeletion || owner.Kind != "Job" || owner.APIVersion != "batch/v1" {
		t.Errorf("%+v", owner)
	}
}
