package job

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Removing the last finalizer of a pod that is being deleted answers with an old
// resourceVersion, and no newer revision of the pod ever exists. An informer that
// still shows it with the finalizer must not have it counted again.
func TestVanishedPodIsCountedOnce(t *testing.T) {
	s := newAPIServer(t, MakeJob(), "a failed deleted 1h")
	s.mustSync()
	if s.pods["a"] != nil {
		t.Error("the pod is still there")
	}
	s.expect("active=1, failed=1")
	s.show()
	s.mustSync()
	s.expect("active=1, failed=1")
}

func TestCreatedPodThatIsGoneIsForgotten(t *testing.T) {
	s := newAPIServer(t, MakeJob())
	s.mustSync()
	s.expect("active=1")
	for name := range s.pods {
		delete(s.pods, name)
	}
	s.mustSync()
	s.expect("active=1") // the informer may not have got there yet
	s.version++
	s.show()
	s.mustSync()
	s.expect("active=1")
	if len(s.pods) != 1 {
		t.Errorf("%d pods, want a new one", len(s.pods))
	}
}

func TestCacheIsCorrectedByInformers(t *testing.T) {
	k := &Cache{}
	wrote := MakePod("a running")
	wrote.ResourceVersion = "7"
	k.sawPod(wrote)
	k.deleted("b")

	shown := []*corev1.Pod{MakePod("a"), MakePod("b running")} // both of version 5
	phases := func(pods []*corev1.Pod) map[string]corev1.PodPhase {
		result := map[string]corev1.PodPhase{}
		for _, pod := range pods {
			result[pod.Name] = pod.Status.Phase
		}
		return result
	}
	pods := k.latestPods(shown, "6", Noon)
	if got := phases(pods); got["a"] != corev1.PodRunning || len(got) != 2 {
		t.Errorf("the newer one counts: %v", got)
	}
	if !pods[1].DeletionTimestamp.Time.Equal(Noon) || shown[1].DeletionTimestamp != nil {
		t.Error("a pod that was deleted is marked, on a copy, by the controller's clock")
	}

	shown = []*corev1.Pod{MakePod("a succeeded"), MakePod("b running deleted")}
	shown[0].ResourceVersion = "8"
	if got := phases(k.latestPods(shown, "9", Noon)); got["a"] != corev1.PodSucceeded {
		t.Errorf("the newer one counts: %v", got)
	}
	if len(k.pods) > 0 {
		t.Errorf("%d pods are kept", len(k.pods))
	}
}

// TestCountedPodsAreLeftOut: a pod that has ended and been counted is in one more View, also of a new
// process, and in another when it changes.
func TestCountedPodsAreLeftOut(t *testing.T) {
	s := newAPIServer(t, MakeJob(Size(1, 3)), "a failed", "b running")
	pods := func() string {
		known := s.controller.caches.Of(theJob, s.jobs["pi"].UID)
		view, err := s.controller.observe(t.Context(), s.jobs["pi"], known,
			s.controller.pods.LastStoreSyncResourceVersion())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, pod := range view.Pods {
			names = append(names, pod.Name)
		}
		slices.Sort(names) // the informer's order is any
		return strings.Join(names, "")
	}
	expect := func(want string) {
		t.Helper()
		if got := pods(); got != want {
			t.Errorf("pods %q, want %q", got, want)
		}
	}
	for range 3 { // record the failure, remove the finalizer, see that it is gone
		s.mustSync()
		s.show()
	}
	s.expect("active=1, failed=1")
	expect("b")
	s.restart()
	expect("ab")
	s.mustSync()
	expect("b")
	stamped(s, s.pods["a"])
	s.show()
	expect("ab")
}
