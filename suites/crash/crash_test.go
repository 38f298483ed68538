package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

func scripts() []Script { return Scripts(14, rand.New(rand.NewPCG(1, 0))) }

// well is what becomes of the Jobs with a controller that does all right.
func well(scripts []Script) map[string]End {
	became := map[string]End{}
	for _, s := range scripts {
		became[s.Job.Name] = s.Want
	}
	return became
}

func TestTallyOfAGoodOutcome(t *testing.T) {
	all := scripts()
	var tally Tally
	became := well(all)
	for _, s := range all {
		if s.Pause { // may cost pods
			o := became[s.Job.Name]
			o.Pods, o.Failed = o.Pods+2, o.Failed+2
			became[s.Job.Name] = o
		}
	}
	tally.count(all, became, nil)
	if !tally.Green() {
		t.Errorf("blamed for %q", tally.Violations)
	}
	if tally.Complete != 12 || tally.Failed != 2 {
		t.Errorf("%d complete and %d failed of 14 Jobs, every seventh of which fails", tally.Complete, tally.Failed)
	}
	var printed strings.Builder
	tally.Print(&printed)
	if !strings.Contains(printed.String(), "violations   0") {
		t.Error(printed.String())
	}
}

func TestTallyOfBadOutcomes(t *testing.T) {
	all := scripts()
	plain, paused := all[0].Job.Name, ""
	for _, s := range all {
		if s.Pause {
			paused = s.Job.Name
		}
	}
	change := func(name string, how func(*End)) func(map[string]End) {
		return func(became map[string]End) {
			o := became[name]
			how(&o)
			became[name] = o
		}
	}
	for want, c := range map[string]struct {
		spoil   func(map[string]End)
		tracked []string
	}{
		plain + " is gone":                {spoil: func(m map[string]End) { delete(m, plain) }},
		plain + ` is "", want "Complete"`: {spoil: change(plain, func(o *End) { o.Condition = "" })},
		plain + ` is "Failed"`:            {spoil: change(plain, func(o *End) { o.Condition = batchv1.JobFailed })},
		plain + " has 1 failed pods":      {spoil: change(plain, func(o *End) { o.Failed++ })},
		plain + " had":                    {spoil: change(plain, func(o *End) { o.Pods++ })},
		"succeeded pods in its status":    {spoil: change(plain, func(o *End) { o.Succeeded-- })},
		paused + " has 0 succeeded":       {spoil: change(paused, func(o *End) { o.Succeeded = 0 })},
		"pod a still has the finalizer":   {tracked: []string{"a"}},
	} {
		became := well(all)
		if c.spoil != nil {
			c.spoil(became)
		}
		var tally Tally
		tally.count(all, became, c.tracked)
		if len(tally.Violations) != 1 || !strings.Contains(tally.Violations[0], want) {
			t.Errorf("blamed for %q, want one with %q", tally.Violations, want)
		}
		var printed strings.Builder
		tally.Print(&printed)
		if tally.Green() || !strings.Contains(printed.String(), "VIOLATION "+tally.Violations[0]) {
			t.Errorf("printed\n%s", printed.String())
		}
	}
}

// TestScriptsAddUp keeps the expectation honest: what is wanted follows from the
// Job and from the annotations of its pods.
func TestScriptsAddUp(t *testing.T) {
	for _, s := range Scripts(700, rand.New(rand.NewPCG(3, 0))) {
		failures := 0
		for n := range maps.Values(s.Failures) {
			failures += n
		}
		limit, completions := ptr.Deref(s.Job.Spec.BackoffLimit, 6), *s.Job.Spec.Completions
		want := End{batchv1.JobComplete, completions, int32(failures), int(completions) + failures}
		if int32(failures) > limit {
			want = End{batchv1.JobFailed, 0, int32(failures), failures}
		}
		if s.Want != want {
			t.Errorf("%s: %+v is wanted, but its script leads to %+v", s.Job.Name, s.Want, want)
		}
		if want.Condition == batchv1.JobFailed && *s.Job.Spec.Parallelism != 1 {
			t.Errorf("%s fails with %d pods at a time: nobody knows how many are active then", s.Job.Name,
				*s.Job.Spec.Parallelism)
		}
	}
}

func TestScriptsFollowTheSeed(t *testing.T) {
	wants := func(seed uint64) (all []End) {
		for _, s := range Scripts(50, rand.New(rand.NewPCG(seed, 0))) {
			all = append(all, s.Want)
		}
		return all
	}
	if !slices.Equal(wants(1), wants(1)) || slices.Equal(wants(1), wants(2)) {
		t.Error("the Jobs do not follow from the seed")
	}
}

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
