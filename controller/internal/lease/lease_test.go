package lease

import (
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentconfig "k8s.io/component-base/config"
)

func TestALeaderReadsThatAnotherOneLeads(t *testing.T) {
	client := fake.NewClientset().CoordinationV1()
	lost := map[string]int{}
	replica := func(name string) *Lock {
		return New(client, componentconfig.LeaderElectionConfiguration{ResourceNamespace: "a", ResourceName: "a"},
			func() { lost[name]++ })
	}
	record := func(l *Lock) resourcelock.LeaderElectionRecord {
		return resourcelock.LeaderElectionRecord{HolderIdentity: l.Identity()}
	}
	read := func(locks ...*Lock) {
		t.Helper()
		for _, l := range locks {
			if _, _, err := l.Get(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	expect := func(what string, want map[string]int) {
		t.Helper()
		if lost["first"] != want["first"] || lost["second"] != want["second"] {
			t.Errorf("%s: lost is called %v, want %v", what, lost, want)
		}
	}

	first, second := replica("first"), replica("second")
	if err := first.Create(t.Context(), record(first)); err != nil {
		t.Fatal(err)
	}
	read(first, second)
	expect("the second one waits", nil)
	if err := second.Update(t.Context(), record(second)); err != nil {
		t.Fatal(err)
	}
	read(first, first, second)
	expect("the second one has taken the Lease", map[string]int{"first": 1})
	if err := second.Update(t.Context(), resourcelock.LeaderElectionRecord{}); err != nil {
		t.Fatal(err)
	}
	if err := first.Update(t.Context(), record(first)); err != nil {
		t.Fatal(err)
	}
	read(first, second)
	expect("the second one has given it back", map[string]int{"first": 1})
}
