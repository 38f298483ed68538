package job

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Removing the last finalizer of a pod that is being deleted answers with an old
// resourceVersion, and no newer revision of the pod ever exists. An informer that
// still shows it with the finalizer must not have it counted again.
func TestVanishedPodIsCountedOnce(t *testing.T) {
	s := newAPIServer(t, makeJob(), "a failed deleted ago=1h")
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	if s.pods["a"] != nil {
		t.Error("the finalizer holds the pod")
	}
	s.expect("active=1, failed=1")
	s.show()
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1, failed=1")
}

func TestCreatedPodThatIsGoneIsForgotten(t *testing.T) {
	s := newAPIServer(t, makeJob())
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1")
	for name := range s.pods {
		delete(s.pods, name)
	}
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1") // the informer may not have got there yet
	s.version++
	s.show()
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	s.expect("active=1")
	if len(s.pods) != 1 {
		t.Errorf("%d pods, want a new one", len(s.pods))
	}
}

func TestMemoryIsCorrectedByInformers(t *testing.T) {
	m := &memory{}
	wrote := makePod("a running")
	wrote.ResourceVersion = "7"
	m.sawPod(wrote)
	m.deleted("b")

	shown := makePods("a", "b running") // both of version 5
	phases := func(pods []*corev1.Pod) map[string]corev1.PodPhase {
		result := map[string]corev1.PodPhase{}
		for _, pod := range pods {
			result[pod.Name] = pod.Status.Phase
		}
		return result
	}
	pods := m.latestPods(shown, "6")
	if got := phases(pods); got["a"] != corev1.PodRunning || len(got) != 2 {
		t.Errorf("the newer one counts: %v", got)
	}
	if pods[1].DeletionTimestamp == nil || shown[1].DeletionTimestamp != nil {
		t.Error("what was deleted is marked, on a copy")
	}

	shown = makePods("a succeeded", "b running deleted")
	shown[0].ResourceVersion = "8"
	if got := phases(m.latestPods(shown, "9")); got["a"] != corev1.PodSucceeded {
		t.Errorf("the newer one counts: %v", got)
	}
	if len(m.pods) > 0 {
		t.Errorf("%d pods are kept in memory", len(m.pods))
	}
}

// TestPodsOfThePastAreLeftOut: what has ended and been counted is looked at once
// after that, also by a new process, and again when it changes.
func TestPodsOfThePastAreLeftOut(t *testing.T) {
	s := newAPIServer(t, makeJob(size(1, 3)), "a failed exit=1", "b running")
	pods := func() (names string) {
		view, err := s.controller.observe(t.Context(), s.jobs["pi"], s.controller.memories.Of(cache.NewObjectName("ns", "pi"), s.jobs["pi"].UID))
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range view.Pods {
			names += pod.Name
		}
		return names
	}
	expect := func(want string) {
		t.Helper()
		if got := pods(); got != want {
			t.Errorf("pods %q, want %q", got, want)
		}
	}
	for range 3 { // note the failure, release the pod, see that it is released
		if err := s.sync(); err != nil {
			t.Fatal(err)
		}
		s.show()
	}
	s.expect("active=1, failed=1")
	expect("b")
	s.restart()
	expect("ab")
	if err := s.sync(); err != nil {
		t.Fatal(err)
	}
	expect("b")
	stamped(s, s.pods["a"])
	s.show()
	expect("ab")
}
