package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func podOf(job, name string, index int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{{
		APIVersion: "batch/v1", Kind: "Job", Name: job, Controller: new(true),
	}}}}
	if index != anyIndex {
		pod.Annotations = map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(index)}
	}
	return pod
}

// endings takes all that may end now.
func endings(d *scriptRunner) []ending {
	var all []ending
	for l, ok := d.next(); ok; l, ok = d.next() {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b ending) int { return slices.Compare([]byte(a.pod), []byte(b.pod)) })
	return all
}

func TestRunnerFollowsTheScripts(t *testing.T) {
	d := newScriptRunner(fake.NewClientset(), "a", []Script{
		{Job: puppet.Job("plain").Obj(), Success: "0", Failures: map[int]int{anyIndex: 2}},
		{Job: puppet.Job("indexed").Obj(), Success: "1,0", Failures: map[int]int{1: 1}},
	}, rand.New(rand.NewPCG(1, 1)))
	for n := range 3 {
		d.add(podOf("plain", fmt.Sprint("p", n), anyIndex))
	}
	d.add(podOf("indexed", "i0", 0))
	d.add(podOf("indexed", "i1", 1))
	d.add(podOf("indexed", "i1-again", 1))
	d.add(podOf("foreign", "f", anyIndex))
	d.add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "unrelated"}})

	if early := endings(d); len(early) != 0 {
		t.Errorf("ended before anything was allowed: %v", early)
	}
	d.allow(2)
	some := endings(d)
	if len(some) != 2 {
		t.Errorf("%d end of the 2 that may", len(some))
	}
	d.allow(1000)
	all := append(some, endings(d)...)
	slices.SortFunc(all, func(a, b ending) int { return slices.Compare([]byte(a.pod), []byte(b.pod)) })
	want := []ending{{"i0", "1,0"}, {"i1", "1"}, {"i1-again", "1,0"}, {"p0", "1"}, {"p1", "1"}, {"p2", "0"}}
	if !slices.Equal(all, want) {
		t.Errorf("ended %v, want %v", all, want)
	}
}
