package plan

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

func TestOrphaned(t *testing.T) {
	finished := Is(batchv1.JobComplete, corev1.ConditionTrue)
	other := func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/other") }
	ofReplicaSet := MakePod("a running")
	ofReplicaSet.OwnerReferences[0].Kind = "ReplicaSet"
	for _, row := range []struct {
		name     string
		pod      *corev1.Pod
		owner    *batchv1.Job
		matching []batchv1.Job
		want     bool
	}{
		{"a pod whose Job counts it", MakePod("a running"), MakeJob(), nil, false},
		{"a pod whose Job is finished", MakePod("a running"), MakeJob(finished), nil, true},
		{"a pod whose Job is gone", MakePod("a running"), nil, nil, true},
		{"a pod whose finished Job is another controller's", MakePod("a running"), MakeJob(finished, other), nil,
			false},
		{"a pod of another kind of controller", ofReplicaSet, nil, nil, false},
		{"a pod that a Job will adopt", MakePod("a running orphan"), nil, []batchv1.Job{*MakeJob()}, false},
		{"a pod that no Job will adopt, as it is being deleted", MakePod("a running orphan deleted"), nil,
			[]batchv1.Job{*MakeJob()}, true},
		{"a pod that only a finished Job matches", MakePod("a running orphan"), nil, []batchv1.Job{*MakeJob(finished)},
			true},
		{"a pod that nothing matches", MakePod("a running orphan"), nil, nil, true},
	} {
		if got := Orphaned(row.pod, row.owner, row.matching, ""); got != row.want {
			t.Errorf("%s: %t", row.name, got)
		}
	}
}

func TestFailureAction(t *testing.T) {
	job := MakeJob(Rule("Ignore In 42"))
	for pod, want := range map[string]bool{"a failed exit=42": true, "a failed exit=1": false,
		"a running exit=42": false} {
		if _, matched := FailureAction(job, MakePod(pod)); matched != want {
			t.Errorf("%s: %t", pod, matched)
		}
	}
}

func TestByProgress(t *testing.T) {
	pods := MakePods("unknown", "sidecar running", "steady running", "fresh running ready ago=1s",
		"old running ready ago=9s", "unborn", "pending", "unassigned")
	pods[0].Status.Phase, pods[0].Spec.NodeName, pods[6].Spec.NodeName = corev1.PodUnknown, "node", "node"
	pods[1].Spec.InitContainers = []corev1.Container{{Name: "proxy",
		RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}}
	pods[1].Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "proxy", RestartCount: 3}}
	pods[5].CreationTimestamp.Reset()
	var got string
	for _, pod := range byProgress(pods) {
		got += pod.Name + " "
	}
	if want := "unborn unassigned pending unknown sidecar steady fresh old "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNewPods(t *testing.T) {
	job := MakeJob(WithIndexes)
	job.Name = strings.Repeat("x", 63)
	pod := newPod(job, 7, failureCount{})
	if want := strings.Repeat("x", 55) + "-7-"; pod.GenerateName != want {
		t.Errorf("prefix %s, want %s", pod.GenerateName, want)
	}
	if pod.Labels[batchv1.JobCompletionIndexAnnotation] != "7" || CompletionIndex(pod) != 7 ||
		pod.Spec.Hostname != job.Name+"-7" {
		t.Errorf("%+v", pod)
	}
	if env := pod.Spec.Containers[0].Env; len(env) != 1 ||
		env[0].ValueFrom.FieldRef.FieldPath != "metadata.labels['batch.kubernetes.io/job-completion-index']" {
		t.Errorf("%+v", env)
	}
	job.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "setup",
		Env: []corev1.EnvVar{{Name: completionIndexEnv, Value: "mine"}}}}
	if env := newPod(job, 7, failureCount{}).Spec.InitContainers[0].Env; len(env) != 1 || env[0].Value != "mine" {
		t.Errorf("a variable of the user's is overwritten: %+v", env)
	}
	if len(job.Spec.Template.Labels) != 2 || len(job.Spec.Template.Spec.Containers[0].Env) != 0 {
		t.Error("the template changed")
	}
	owner := newPod(MakeJob(), noIndex, failureCount{}).OwnerReferences[0]
	if !*owner.Controller || !*owner.BlockOwnerDeletion || owner.Kind != "Job" || owner.APIVersion != "batch/v1" {
		t.Errorf("%+v", owner)
	}
}

func TestParseIntervals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"0", "0"}, {"0,1", "0,1"}, {"0-1", "0,1"}, {"0,2-4,6", "0,2-4,6"}, {"3,1,2", "1-3"},
		{"5-9", "5-7"}, {"9", ""}, // the limit is 8
		{"x,1,2-y,4-3,6", "1,6"},
	} {
		if got := ParseIntervals(c.text, 8).String(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestIntervalsAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 20
		want := map[int]bool{}
		var is Intervals
		for _, ix := range rapid.SliceOf(rapid.IntRange(0, limit-1)).Draw(t, "indexes") {
			before := is.String()
			next := is.with(ix)
			if is.String() != before {
				t.Fatalf("with changed its receiver: %s", is)
			}
			is, want[ix] = next, true
		}
		if is.Total() != len(want) {
			t.Fatalf("%s has %d of %v", is, is.Total(), want)
		}
		if again := ParseIntervals(is.String(), limit); !slices.Equal(again, is) {
			t.Fatalf("%v reads back as %v", is, again)
		}
		gaps := Intervals{{0, limit - 1}}.Minus(is).Lowest(limit)
		for ix := range limit {
			if is.Has(ix) != want[ix] {
				t.Fatalf("%s has %d: %t", is, ix, is.Has(ix))
			}
		}
		if len(gaps)+len(want) != limit || slices.ContainsFunc(gaps, func(ix int) bool { return want[ix] }) {
			t.Fatalf("gaps of %s: %v", is, gaps)
		}
	})
}

func TestBackoffDoublesUpToItsMax(t *testing.T) {
	for failures, want := range map[int]time.Duration{1: 10 * time.Second, 2: 20 * time.Second, 6: 320 * time.Second,
		7: 10 * time.Minute, 1 << 30: 10 * time.Minute} {
		if got := DefaultBackoff.after(failures, Noon).Sub(Noon); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
}

func TestFinishTime(t *testing.T) {
	at := func(d time.Duration) metav1.Time { return metav1.NewTime(Noon.Add(d)) }
	ended := func(name string, d time.Duration) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: at(d)}}}
	}
	unready := []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse,
		LastTransitionTime: at(-5 * time.Second)}}
	for _, row := range []struct {
		name   string
		change func(*corev1.Pod)
		want   time.Duration
	}{
		{"the last container", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended("a", -20*time.Second),
				ended("b", -10*time.Second)}
		}, -10 * time.Second},
		{"a sidecar ends last", func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "setup"},
				{Name: "proxy", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended("a", -20*time.Second)}
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{ended("setup", 0),
				ended("proxy", -15*time.Second)}
		}, -15 * time.Second},
		{"a container without a time, but readiness has one", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended("a", -20*time.Second), {Name: "b"}}
			p.Status.Conditions = unready
		}, -5 * time.Second},
		{"when its deletion began", func(p *corev1.Pod) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = ptr.To(at(30*time.Second)), ptr.To[int64](33)
		}, -3 * time.Second},
		{"at worst its creation", func(*corev1.Pod) {}, -time.Minute},
	} {
		pod := MakePod("a")
		row.change(pod)
		if got := finishTime(pod).Sub(Noon); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

// An API server of another version may have Jobs that today's refuses.
func TestInvalidJobsAreLeftAlone(t *testing.T) {
	for _, row := range []struct {
		name   string
		change Change
		event  string
	}{
		{"a completion mode of a later API",
			func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("Ranked") },
			"UnknownCompletionMode"},
		{"indexes without completions", func(j *batchv1.Job) { WithIndexes(j); j.Spec.Completions = nil },
			"spec.completions"},
		{"no selector", func(j *batchv1.Job) { j.Spec.Selector = nil }, "spec.selector"},
		{"a selector for everything", func(j *batchv1.Job) { j.Spec.Selector = &metav1.LabelSelector{} },
			"spec.selector"},
		{"a selector for other pods",
			func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"app": "other"} }, "spec.selector"},
		{"a selector that is none", func(j *batchv1.Job) {
			j.Spec.Selector = &metav1.LabelSelector{
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}}
		}, "spec.selector"},
		{"negative parallelism", Size(-1, 1), "spec.parallelism is negative"},
		{"negative completions", Size(1, -1), "spec.completions is negative"},
		{"negative backoffLimit", Limit(-1), "spec.backoffLimit is negative"},
		{"negative backoffLimitPerIndex", PerIndex(-1), "spec.backoffLimitPerIndex is negative"},
		{"negative maxFailedIndexes", MaxFailedIndexes(-1), "spec.maxFailedIndexes is negative"},
		{"negative activeDeadlineSeconds", ActiveFor(math.MinInt64), "spec.activeDeadlineSeconds is negative"},
	} {
		t.Run(row.name, func(t *testing.T) {
			job := MakeJob(row.change)
			pods := MakePods("a running", "b succeeded")
			p := New(viewOf(job, pods...))
			if len(p.Events) != 1 || p.Events[0].Type != "Warning" ||
				!strings.Contains(p.Events[0].Reason+p.Events[0].Message, row.event) {
				t.Errorf("events %q, want %q", p.Events, row.event)
			}
			p.Events = nil
			if got := describe(job, p); got != "" {
				t.Errorf("it is not left alone: %s", got)
			}
			if Orphaned(pods[1], job, nil, "") {
				t.Error("the Job still counts its pods")
			}
			// Its pods must not keep it from being deleted in the foreground.
			BeingDeleted(job)
			if !Orphaned(pods[1], job, nil, "") {
				t.Error("the pod keeps its finalizer")
			}
			// Another controller's Job is left alone, valid or not.
			job.Spec.ManagedBy = ptr.To("example.com/other")
			if p := New(viewOf(job, pods...)); len(p.Events) > 0 || Orphaned(pods[1], job, nil, "") {
				t.Errorf("%v", p.Events)
			}
		})
	}
}

// What makes no sense but does no harm is taken as it is meant, or for nothing.
func TestPlanTakesNonsense(t *testing.T) {
	status := func(s batchv1.JobStatus) Change { return func(j *batchv1.Job) { j.Status = s } }
	many := func(j *batchv1.Job) {
		for range 5000 {
			Is("Odd", corev1.ConditionTrue)(j)
		}
		Is(batchv1.JobSuspended, corev1.ConditionFalse)(j)
		Is(batchv1.JobSuspended, corev1.ConditionTrue)(j)
	}
	checkPlans(t, []planRow{
		{"a replacement policy of a later API",
			MakeJob(func(j *batchv1.Job) {
				j.Spec.PodReplacementPolicy = ptr.To[batchv1.PodReplacementPolicy]("Never")
			}),
			MakePods("a running deleted bare"), "terminating=1, create 1"},
		{"negative counters", MakeJob(status(batchv1.JobStatus{Succeeded: -4, Failed: -4})), nil, "create 1"},
		{"completedIndexes that are none", MakeJob(WithIndexes, Size(2, 4),
			Indexes("x,7-3,-1,1-99999999999999999999,3", "")), MakePods("a running ix=0"),
			"active=1, succeeded=1, indexes=3, create [1]"},
		{"indexes that both failed and completed", MakeJob(PerIndex(0), Size(2, 4), Indexes("0-2", "1,3")), nil,
			"succeeded=3, indexes=0-2, failedIndexes=3, FailureTarget=True"},
		{"annotations that are no indexes", MakeJob(WithIndexes, Size(3, 3)),
			MakePods("a ix=-1", "b ix=1e3", "c ix=", "d ix=9223372036854775808", "e running ix=0"),
			"active=5, deleteUncounted d c b a"},
		{"a deadline in 300 years", MakeJob(ActiveFor(math.MaxInt64)), MakePods("a running"),
			"active=1, requeue 2562047h46m16s"},
		{"as many completions as there can be",
			MakeJob(WithIndexes, Size(2, math.MaxInt32), Indexes("0-2147483640", "")), nil,
			"succeeded=2147483641, indexes=0-2147483640, create [2147483641 2147483642]"},
		{"no numbers at all", MakeJob(func(j *batchv1.Job) {
			j.Spec.Parallelism, j.Spec.BackoffLimit, j.Spec.Completions = nil, nil, nil
		}), nil, "create 1"},
	})
	v := viewOf(MakeJob(many))
	p := New(v)
	for range 2 { // once more with its own result: it must not go on for ever
		if p.Status != nil {
			v.Job = MakeJob()
			v.Job.Status = *p.Status
		}
		v.Now = v.Now.Add(time.Second)
		p = New(v)
	}
	if conditions := v.Job.Status.Conditions; len(p.Events) > 0 ||
		conditions[len(conditions)-1].Status != corev1.ConditionFalse {
		t.Errorf("resumed again and again: %v", p.Events)
	}
}

// TestPlanSurvivesAnything feeds objects that no API server would accept. The plan
// must not panic, and neither change its View nor depend on anything else.
func TestPlanSurvivesAnything(t *testing.T) {
	changes := []Change{WithSuspend, WithIndexes, PerIndex(1), WorkQueue(2), OnFailure, ReplaceFailed, ActiveFor(10),
		Success("0"), Success("1-3"), Success("x2"), Success("0,2x1"), Rule("Ignore DisruptionTarget="),
		Rule("Ignore In 3"),
		Rule("FailJob In 42"), Rule("FailIndex In 3"), Rule("FailIndex NotIn 1 143")}
	rapid.Check(t, func(t *rapid.T) {
		number := func(what string) *int32 {
			return rapid.Ptr(rapid.OneOf(rapid.Int32Min(0), rapid.Int32Range(0, 9)), true).Draw(t, what)
		}
		text := rapid.SampledFrom([]string{"", "0", "1", "-1", "2-1", "0-3", "99999999999999999999", "x,1", "1,1,0"})
		job := MakeJob(Unstarted)
		for _, change := range rapid.SliceOfN(rapid.SampledFrom(changes), 0, 4).Draw(t, "changes") {
			change(job)
		}
		job.Spec.Parallelism, job.Spec.Completions, job.Spec.BackoffLimit = number("parallelism"),
			number("completions"), number("backoffLimit")
		job.Spec.BackoffLimitPerIndex, job.Spec.MaxFailedIndexes = number("backoffLimitPerIndex"),
			number("maxFailedIndexes")
		job.Status.CompletedIndexes, job.Status.FailedIndexes = text.Draw(t, "completed"),
			ptr.To(text.Draw(t, "failed"))
		job.Status.Succeeded, job.Status.Failed = rapid.Int32().Draw(t, "succeeded"), rapid.Int32().Draw(t, "failed")
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom(
			[]string{"Suspended", "FailureTarget", "SuccessCriteriaMet", "Odd"}), 0, 4).Draw(t, "conditions") {
			Is(batchv1.JobConditionType(kind),
				rapid.SampledFrom([]corev1.ConditionStatus{"True", "False", "Odd"}).Draw(t, "status"))(job)
		}
		if rapid.Bool().Draw(t, "deleted") {
			BeingDeleted(job)
		}
		v := viewOf(job)
		for _, pod := range rapid.SliceOfN(
			rapid.SampledFrom([]string{"a", "b running ready", "c running deleted", "d failed bare",
				"e failed exit=42", "f succeeded", "g deleted bare", "h running bare"}), 0, 8).Draw(t, "pods") {
			pod += " ix=" + text.Draw(t, "ix") + " fails=" + text.Draw(t, "fails") + " ignored=" +
				text.Draw(t, "ignored")
			v.Pods = append(v.Pods, MakePod(pod))
		}
		before := DescribeStatus(job.Status)
		p := New(v)
		if again := describe(job, New(v)); again != describe(job, p) {
			t.Fatalf("plans differ:\n%s\n%s", describe(job, p), again)
		}
		if after := DescribeStatus(job.Status); after != before {
			t.Fatalf("New changed its View from %s to %s", before, after)
		}
		if len(p.Create) > 0 && len(p.DeleteUncounted)+len(p.DeleteCounted)+len(p.Adopt) > 0 {
			t.Fatal("creates and deletes or adopts at once")
		}
	})
}

// JOB-MANAGEDBY-001, JOB-MANAGEDBY-004
func TestManager(t *testing.T) {
	const mine = "example.com/mine"
	for _, row := range []struct {
		manager   string
		managedBy *string
		other     bool
	}{
		{"", nil, false}, {"", ptr.To(batchv1.JobControllerName), false}, {"", ptr.To(mine), true},
		{mine, nil, true}, {mine, ptr.To(batchv1.JobControllerName), true}, {mine, ptr.To(mine), false},
		{mine, ptr.To("example.com/other"), true},
	} {
		job := &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: row.managedBy}}
		if got := ManagedByOther(job, row.manager); got != row.other || Ours(job, row.manager) == row.other {
			t.Errorf("for %q, a Job with managedBy %q is another's: %t", row.manager, ptr.Deref(row.managedBy, "none"),
				got)
		}
		if p := New(View{Job: job, Manager: row.manager}); row.other && (p.Status != nil || len(p.Create) > 0) {
			t.Errorf("%q acts on another's Job: %+v", row.manager, p)
		}
	}
}
