package job

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// An API server of another version may hold Jobs that today's refuses.
func TestFlawedJobsAreLeftAlone(t *testing.T) {
	for _, row := range []struct {
		name   string
		change change
		event  string
	}{
		{"a completion mode of a later API", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("Ranked") }, "UnknownCompletionMode"},
		{"indexes without completions", func(j *batchv1.Job) { withIndexes(j); j.Spec.Completions = nil }, "spec.completions"},
		{"no selector", func(j *batchv1.Job) { j.Spec.Selector = nil }, "spec.selector"},
		{"a selector for everything", func(j *batchv1.Job) { j.Spec.Selector = &metav1.LabelSelector{} }, "spec.selector"},
		{"a selector for other pods", func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"app": "other"} }, "spec.selector"},
		{"a selector that is none", func(j *batchv1.Job) {
			j.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}}
		}, "spec.selector"},
		{"negative parallelism", size(-1, 1), "spec.parallelism is negative"},
		{"negative completions", size(1, -1), "spec.completions is negative"},
		{"negative backoffLimit", limit(-1), "spec.backoffLimit is negative"},
		{"negative backoffLimitPerIndex", perIndex(-1), "spec.backoffLimitPerIndex is negative"},
		{"negative maxFailedIndexes", maxFailedIndexes(-1), "spec.maxFailedIndexes is negative"},
		{"negative activeDeadlineSeconds", activeFor(math.MinInt64), "spec.activeDeadlineSeconds is negative"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newAPIServer(t, makeJob(row.change), "a running", "b succeeded")
			if err := s.sync(); err != nil {
				t.Fatal(err)
			}
			s.expectWrites()
			if e := <-s.events.Events; !strings.HasPrefix(e, "Warning ") || !strings.Contains(e, row.event) {
				t.Errorf("event %q, want %q", e, row.event)
			}
			other := makeJob(row.change)
			other.Spec.ManagedBy = ptr.To("example.com/other")
			s.jobs["pi"] = stamped(s, other)
			s.show()
			if err := s.sync(); err != nil || len(s.events.Events) > 0 {
				t.Error("another controller's Job is none of ours")
			}

			// Its pods must not keep it from being deleted in the foreground.
			s.jobs["pi"] = stamped(s, makeJob(row.change, beingDeleted))
			s.show()
			key := cache.NewObjectName("ns", "b")
			if err := s.controller.releaseOrphan(context.Background(), key); err != nil || hasFinalizer(s.pods["b"]) {
				t.Errorf("the pod keeps its finalizer: %v", err)
			}
		})
	}
}

// What makes no sense but does no harm is taken as it is meant, or for nothing.
func TestPlanTakesNonsense(t *testing.T) {
	status := func(s batchv1.JobStatus) change { return func(j *batchv1.Job) { j.Status = s } }
	many := func(j *batchv1.Job) {
		for range 5000 {
			is("Odd", corev1.ConditionTrue)(j)
		}
		is(batchv1.JobSuspended, corev1.ConditionFalse)(j)
		is(batchv1.JobSuspended, corev1.ConditionTrue)(j)
	}
	checkPlans(t, []planRow{
		{"a replacement policy of a later API", makeJob(func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To[batchv1.PodReplacementPolicy]("Never") }),
			makePods("a running deleted bare"), "terminating=1, create 1"},
		{"negative counters", makeJob(status(batchv1.JobStatus{Succeeded: -4, Failed: -4})), nil, "create 1"},
		{"completedIndexes that are none", makeJob(withIndexes, size(2, 4), indexes("x,7-3,-1,1-99999999999999999999,3", "")), makePods("a running ix=0"),
			"active=1, succeeded=1, indexes=3, create [1]"},
		{"indexes that both failed and completed", makeJob(perIndex(0), size(2, 4), indexes("0-2", "1,3")), nil,
			"succeeded=3, indexes=0-2, failedIndexes=3, FailureTarget=True"},
		{"annotations that are no indexes", makeJob(withIndexes, size(3, 3)), makePods("a ix=-1", "b ix=1e3", "c ix=", "d ix=9223372036854775808", "e running ix=0"),
			"active=5, retire d c b a"},
		{"a deadline in 300 years", makeJob(activeFor(math.MaxInt64)), makePods("a running"), "active=1, again 2562047h46m16s"},
		{"as many completions as there can be", makeJob(withIndexes, size(2, math.MaxInt32), indexes("0-2147483640", "")), nil,
			"succeeded=2147483641, indexes=0-2147483640, create [2147483641 2147483642]"},
		{"no numbers at all", makeJob(func(j *batchv1.Job) {
			j.Spec.Parallelism, j.Spec.BackoffLimit, j.Spec.Completions = nil, nil, nil
		}), nil, "create 1"},
	})
	p := plan(View{Job: makeJob(many), Now: noon, Backoff: defaultBackoff})
	for range 2 { // once more with its own result: it must not go on for ever
		job := makeJob()
		job.Status = p.Status
		p = plan(View{Job: job, Now: noon.Add(time.Second), Backoff: defaultBackoff})
	}
	if len(p.Events) > 0 || p.Status.Conditions[len(p.Status.Conditions)-1].Status != corev1.ConditionFalse {
		t.Errorf("resumed again and again: %v", p.Events)
	}
}

// TestPlanSurvivesAnything feeds objects that no API server would hold. The plan
// must not panic, and neither change its View nor depend on anything else.
func TestPlanSurvivesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(what string) *int32 {
			return rapid.Ptr(rapid.OneOf(rapid.Int32Min(0), rapid.Int32Range(0, 9)), true).Draw(t, what)
		}
		text := rapid.SampledFrom([]string{"", "0", "1", "-1", "2-1", "0-3", "99999999999999999999", "x,1", "1,1,0"})
		job := randomJob(t)
		job.Spec.Parallelism, job.Spec.Completions, job.Spec.BackoffLimit = number("parallelism"), number("completions"), number("backoffLimit")
		job.Spec.BackoffLimitPerIndex, job.Spec.MaxFailedIndexes = number("backoffLimitPerIndex"), number("maxFailedIndexes")
		job.Status.CompletedIndexes, job.Status.FailedIndexes = text.Draw(t, "completed"), ptr.To(text.Draw(t, "failed"))
		job.Status.Succeeded, job.Status.Failed = rapid.Int32().Draw(t, "succeeded"), rapid.Int32().Draw(t, "failed")
		if reason, _ := flaw(job); reason != "" {
			return // such a Job never comes to a plan
		}
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom([]string{"Suspended", "FailureTarget", "SuccessCriteriaMet", "Odd"}), 0, 4).Draw(t, "conditions") {
			is(batchv1.JobConditionType(kind), rapid.SampledFrom([]corev1.ConditionStatus{"True", "False", "Odd"}).Draw(t, "status"))(job)
		}
		if rapid.Bool().Draw(t, "deleted") {
			beingDeleted(job)
		}
		v := View{Job: job, Now: noon, Backoff: defaultBackoff}
		for _, pod := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b running ready", "c running deleted", "d failed bare",
			"e failed exit=42", "f succeeded", "g deleted bare", "h running bare"}), 0, 8).Draw(t, "pods") {
			pod += " ix=" + text.Draw(t, "ix") + " fails=" + text.Draw(t, "fails") + " ignored=" + text.Draw(t, "ignored")
			v.Pods = append(v.Pods, makePod(pod))
		}
		before := describe(Plan{Status: job.Status})
		p := plan(v)
		if again := describe(plan(v)); again != describe(p) {
			t.Fatalf("plans differ:\n%s\n%s", describe(p), again)
		}
		if after := describe(Plan{Status: job.Status}); after != before {
			t.Fatalf("plan changed its View from %s to %s", before, after)
		}
		if len(p.Create) > 0 && len(p.Retire)+len(p.Kill) > 0 {
			t.Fatal("creates and deletes at once")
		}
	})
}

func TestRefusedStatusIsTold(t *testing.T) {
	s := newAPIServer(t, makeJob(unstarted))
	s.refuse = once("update jobs/status", apierrors.NewInvalid(jobKind.GroupKind(), "pi", nil))
	if err := s.sync(); !apierrors.IsInvalid(err) {
		t.Fatalf("%v: a failure must be told, to be tried again with patience", err)
	}
	if e := <-s.events.Events; !strings.HasPrefix(e, "Warning FailedStatusUpdate ") {
		t.Error(e)
	}
	s.expectWrites("update jobs/status")
}
