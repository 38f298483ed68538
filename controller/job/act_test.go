package job

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

func TestStaleInformersDuplicateNothing(t *testing.T) {
	s := newAPIServer(t, MakeJob(Unstarted, Size(2, 3)))
	s.mustSync()
	s.expect("active=2")
	s.expectWrites("update jobs/status", "create pods", "create pods", "update jobs/status")

	// Pods finish; their informer shows it, that of Jobs shows nothing (#137210).
	s.succeed()
	s.mustSync()
	s.expect("active=1, succeeded=2")
	if len(s.pods) != 3 {
		t.Errorf("%d pods were created, want 3", len(s.pods))
	}

	// The last one too. Now the Job is complete, which no informer knows (#130333).
	s.succeed()
	s.mustSync()
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
				s := newAPIServer(t, MakeJob(Size(2, 2)), "a succeeded", "b running", "c failed bare", "d failed 1h")
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
					if plan.HasFinalizer(pod) {
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
			s := newAPIServer(t, MakeJob(Size(2, 2)), "a succeeded", "b running", "d failed 1h")
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
			s.mustSync()
			s.expect("active=1, succeeded=1, failed=1")
		})
	}
}

func TestConflictTouchesNoPod(t *testing.T) {
	s := newAPIServer(t, MakeJob(Unstarted, Size(3, 3)))
	s.jobs["pi"] = stamped(s, MakeJob(Unstarted, Size(3, 3), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) }))
	if err := s.sync(); !apierrors.IsConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	s.expectWrites("update jobs/status")
	// The API server is asked, though the informer still shows the old Job.
	s.mustSync()
	s.expect("Suspended=True, unstarted")
	s.expectWrites("update jobs/status")
}

func TestLostAnswerCreatesNoSecondPod(t *testing.T) {
	s := newAPIServer(t, MakeJob())
	s.lose, s.refuse = true, once("create pods", errors.New("connection reset by peer"))
	if err := s.sync(); err == nil {
		t.Fatal("no error")
	}
	s.clock.Step(time.Minute)
	s.mustSync()
	if len(s.pods) != 1 {
		t.Errorf("%d pods, want 1", len(s.pods))
	}
	s.expect("active=1")
}

func TestQuotaIsTriedAgainWithPatience(t *testing.T) {
	s := newAPIServer(t, MakeJob(Size(8, 8)))
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
	s.mustSync()
	s.expectWrites() // not yet
	s.refuse = func(string) error { return nil }
	s.clock.Step(refusalBase)
	s.mustSync()
	s.expect("active=8")
}

func TestTerminatingNamespaceIsLeftAlone(t *testing.T) {
	s := newAPIServer(t, MakeJob())
	s.refuse = once("create pods", &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}}}})
	s.mustSync()
	s.expectWrites("update jobs/status", "create pods")
	if len(s.events.Events) > 0 {
		t.Error(<-s.events.Events)
	}
}

func TestSurplusPodThatSucceededUnseenIsCounted(t *testing.T) {
	s := newAPIServer(t, MakeJob(func(j *batchv1.Job) { j.Spec.Completions = nil }), "a running 5s", "b running 9s")
	s.put("a succeeded") // the informer shows it running, and it is to be deleted uncounted
	s.mustSync()
	s.expect("active=1, succeeded=1")
	if s.pods["b"].DeletionTimestamp != nil {
		t.Error("b is deleted as well")
	}
}

func TestTerminatingPodIsNotDeletedAgain(t *testing.T) {
	s := newAPIServer(t, MakeJob(Size(0, 1)), "a running")
	s.pods["a"].Finalizers = append(s.pods["a"].Finalizers, "test/finalizer")
	for range 3 {
		s.mustSync()
	}
	s.expect("terminating=1")
	s.expectWrites("update jobs/status", "patch pods", "delete pods", "update jobs/status")
}

func TestRecreatedJobInheritsNothing(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "a failed", "b failed")
	s.mustSync()
	s.expect("failed=2")
	again := MakeJob()
	again.UID = "another-uid"
	s.jobs["pi"] = stamped(s, again)
	s.pods = map[string]*corev1.Pod{}
	s.show()
	s.mustSync()
	s.expect("active=1") // without back-off (#132042)
}

func TestOrphansAreAdopted(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "a running bare")
	s.pods["a"].OwnerReferences = nil
	s.show()
	s.mustSync()
	s.expect("active=1")
	if a := s.pods["a"]; !metav1.IsControlledBy(a, s.jobs["pi"]) || !plan.HasFinalizer(a) {
		t.Errorf("%+v", a.ObjectMeta)
	}
	s.expectWrites("patch pods", "update jobs/status")
}

func TestNothingIsAdoptedForAJobBeingDeleted(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "a running bare")
	s.pods["a"].OwnerReferences = nil
	s.show()
	// which the informer does not show (#42639)
	s.jobs["pi"] = stamped(s, MakeJob(func(j *batchv1.Job) { j.DeletionTimestamp = ptr.To(metav1.NewTime(Noon)) }))
	for range 2 {
		s.mustSync()
	}
	s.expectWrites("update jobs/status")
}

// The informer is going to show that pods are gone; until then no sync follows another.
func TestGonePodsAreNeitherAdoptedNorReleased(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"adopted":  func(p *corev1.Pod) { p.OwnerReferences = nil },
		"released": func(p *corev1.Pod) { p.Labels = nil },
	} {
		s := newAPIServer(t, MakeJob(Size(0, 1)), "a running")
		change(s.pods["a"])
		s.show()
		delete(s.pods, "a")
		queue := &wakes{clock: s.clock, at: map[cache.ObjectName]time.Time{}}
		s.controller.queue = queue
		for syncs := 0; syncs == 0 || len(queue.at) > 0; syncs++ {
			if err := s.controller.sync(context.Background(), theJob); err != nil || syncs > 3 {
				t.Fatalf("%s: sync %d: %v", name, syncs, err)
			}
			queue.due()
		}
	}
}

// An API server that cannot be read stops nothing but this sync.
func TestReadsMayFail(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Cache)
		pods   string
	}{
		{"the Job", func(k *Cache) { k.jobUnconfirmed = true }, "a running"},
		{"the pods", func(k *Cache) { k.podsUnconfirmed.Store(true) }, "a running"},
		{"the Job before an adoption", func(*Cache) {}, "a running bare"},
	} {
		s := newAPIServer(t, MakeJob(), row.pods)
		if !plan.HasFinalizer(s.pods["a"]) {
			s.pods["a"].OwnerReferences = nil
			s.show()
		}
		row.change(s.controller.caches.Of(theJob, "job-uid"))
		s.read = func() error { return errors.New("chaos") }
		if err := s.sync(); err == nil {
			t.Errorf("%s: no error", row.name)
		}
		s.expectWrites()
	}
}

func TestMismatchedPodsAreReleased(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "a running")
	s.pods["a"].Labels = nil
	s.show()
	s.mustSync()
	if a := s.pods["a"]; len(a.OwnerReferences) > 0 || plan.HasFinalizer(a) {
		t.Errorf("%+v", a.ObjectMeta)
	}
	s.expect("active=1")
}

func TestManagedByOtherIsLeftAlone(t *testing.T) {
	other := "example.com/other"
	s := newAPIServer(t, MakeJob(func(j *batchv1.Job) { j.Spec.ManagedBy = &other }), "a succeeded")
	s.mustSync()
	s.expectWrites()
}

func TestOrphansLoseTheFinalizer(t *testing.T) {
	key := cache.NewObjectName("ns", "a")
	s := newAPIServer(t, MakeJob(), "a running")
	release := func() error { return s.controller.syncOrphan(context.Background(), key) }
	if err := release(); err != nil || !plan.HasFinalizer(s.pods["a"]) {
		t.Errorf("its Job is there: %v", err)
	}
	s.jobStore.Delete(s.jobs["pi"])
	if err := release(); err != nil || !plan.HasFinalizer(s.pods["a"]) {
		t.Errorf("its Job is there, though the informer shows none: %v", err)
	}
	delete(s.jobs, "pi")
	s.refuse = once("patch pods", errors.New("chaos"))
	if err := release(); err == nil {
		t.Error("a failure must be returned, to be retried (#141329)")
	}
	if err := release(); err != nil || plan.HasFinalizer(s.pods["a"]) {
		t.Errorf("an orphan keeps its finalizer: %v", err)
	}
}

func TestRefusedStatusIsReported(t *testing.T) {
	s := newAPIServer(t, MakeJob(Unstarted))
	s.refuse = once("update jobs/status", apierrors.NewInvalid(plan.Kind.GroupKind(), "pi", nil))
	if err := s.sync(); !apierrors.IsInvalid(err) {
		t.Fatalf("%v: a failure must be returned, to be retried with back-off", err)
	}
	if e := <-s.events.Events; !strings.HasPrefix(e, "Warning FailedStatusUpdate ") {
		t.Error(e)
	}
	s.expectWrites("update jobs/status")
}
