package plan

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestPlanScales(t *testing.T) {
	checkPlans(t, []planRow{
		{"creates parallelism pods for a new Job", MakeJob(Unstarted, Size(2, 5)), nil, "create 2"},
		{"creates no more pods than completions", MakeJob(Size(5, 2)), nil, "create 2"},
		{"creates no more pods than completions are left", MakeJob(Size(3, 5), Counted(3, 0)), MakePods("a running"),
			"active=1, succeeded=3, create 1"},
		{"creates nothing with parallelism 0", MakeJob(Size(0, 2)), nil, ""},
		{"creates nothing while enough pods are active", MakeJob(Size(2, 5)), MakePods("a", "b running ready"),
			"active=2, ready=1"},
		{"a success counts before it is recorded", MakeJob(Size(2, 2)), MakePods("a running", "b succeeded"),
			"active=1, +b, removeFinalizer b"},
		{"scales down by the pods that have got least far", MakeJob(Size(1, 5)),
			MakePods("a running ready ago=9s", "b running ready ago=5s", "c running", "d"),
			"active=4, ready=2, deleteUncounted d c b"},
		{"scales down by the pods that restarted most, then the youngest", MakeJob(Size(1, 5)),
			MakePods("a running ago=9s", "b running ago=5s", "c running restarts=2 ago=20s"),
			"active=3, deleteUncounted c b"},
		{"deletes surplus pods when completions are reached", MakeJob(Size(2, 1), Counted(1, 0)), MakePods("a running"),
			"active=1, succeeded=1, deleteUncounted a"},
		{"replaces a terminating pod at once", MakeJob(), MakePods("a running deleted bare"),
			"terminating=1, create 1"},
		{"does not replace a terminating pod with podReplacementPolicy Failed", MakeJob(ReplaceFailed),
			MakePods("a running deleted"), "terminating=1"},
		{"creates no pods for a Job being deleted, and removes the finalizer of those it has",
			MakeJob(BeingDeleted, Size(3, 3)), MakePods("a running"),
			"active=1, removeFinalizer a"},
		// Found by TestWorlds: the process died between the two writes that delete a uncounted.
		{"takes back a pod without finalizer that is needed", MakeJob(), MakePods("a running bare"),
			"active=1, adopt a"},
		{"deletes a pod without finalizer that is not needed", MakeJob(Size(0, 1)), MakePods("a running bare"),
			"active=1, deleteUncounted a"},
		{"leaves a finished Job alone", MakeJob(Is(batchv1.JobComplete, corev1.ConditionTrue), Counted(1, 0)),
			MakePods("a running"),
			"succeeded=1, Complete=True"},
	})
}

func TestPlanRunsWorkQueues(t *testing.T) {
	checkPlans(t, []planRow{
		{"creates parallelism pods for a work queue", MakeJob(WorkQueue(3)), nil, "create 3"},
		{"creates no pods after a work queue's first success, and lets pods finish",
			MakeJob(WorkQueue(3), Counted(1, 0)), MakePods("a running", "b"),
			"active=2, succeeded=1"},
		{"deletes no pods of a work queue that is scaled down after its first success",
			MakeJob(WorkQueue(1), Counted(1, 0)), MakePods("a running", "b"),
			"active=2, succeeded=1"},
		{"completes a work queue when its other pods have ended", MakeJob(WorkQueue(3), Counted(1, 1)), nil,
			"succeeded=1, failed=1, SuccessCriteriaMet=True"},
	})
}

func TestPlanCountsOnce(t *testing.T) {
	checkPlans(t, []planRow{
		{"first records the UID in the status", MakeJob(Size(2, 2)), MakePods("a running", "b succeeded"),
			"active=1, +b, removeFinalizer b"},
		{"then removes the finalizer", MakeJob(Size(2, 2), Uncounted("b", "")), MakePods("a running", "b succeeded"),
			"active=1, +b, removeFinalizer b"},
		{"then raises the counter", MakeJob(Size(2, 2), Uncounted("b", "")), MakePods("a running", "b succeeded bare"),
			"active=1, succeeded=1"},
		{"raises the counter even if the pod is gone", MakeJob(Size(2, 2), Uncounted("b", "")), MakePods("a running"),
			"active=1, succeeded=1"},
		{"leaves the counter alone afterwards", MakeJob(Size(2, 2), Counted(1, 0)),
			MakePods("a running", "b succeeded bare"), "active=1, succeeded=1"},
		{"a recorded failure stays one, however the pod ends", MakeJob(Size(1, 2), Uncounted("", "b")),
			MakePods("a running", "b succeeded"),
			"active=1, -b, removeFinalizer b"},
		{"a pod deleted while it ran has failed", MakeJob(), MakePods("a running deleted"),
			"terminating=1, -a, removeFinalizer a, requeue 10s"},
		{"with podReplacementPolicy Failed, a pod fails when it has a final phase", MakeJob(ReplaceFailed),
			MakePods("a failed deleted ago=1h"),
			"-a, removeFinalizer a, create 1"},
	})
}

func TestPlanCountsNoMoreThanFitsTheStatus(t *testing.T) {
	var pods []*corev1.Pod
	for range 2 * MaxPods {
		pods = append(pods, MakePod("a succeeded"))
	}
	p := New(viewOf(MakeJob(Size(1, 2*MaxPods)), pods...))
	if n := len(p.Status.UncountedTerminatedPods.Succeeded); n != MaxPods || len(p.RemoveFinalizer) != n {
		t.Errorf("records %d and releases %d pods, want %d", n, len(p.RemoveFinalizer), MaxPods)
	}
}

func TestPlanDelaysCreation(t *testing.T) {
	checkPlans(t, []planRow{
		{"waits ten seconds after the first failure", MakeJob(), MakePods("a failed ago=4s"),
			"-a, removeFinalizer a, requeue 6s"},
		{"waits twenty seconds after the second failure", MakeJob(Counted(0, 2)),
			MakePods("a failed bare ago=30s", "b failed bare ago=4s"),
			"failed=2, requeue 16s"},
		{"does not wait for a failure that is long past", MakeJob(Counted(0, 1)), MakePods("a failed bare ago=1h"),
			"failed=1, create 1"},
		{"does not wait after a success", MakeJob(Size(1, 2), Counted(1, 2)),
			MakePods("a failed bare ago=30s", "b failed bare ago=20s", "c succeeded bare ago=10s"),
			"succeeded=1, failed=2, create 1"},
		{"a failure after a success counts as the first", MakeJob(Size(1, 2), Counted(1, 2)),
			MakePods("a failed bare ago=30s", "b succeeded bare ago=20s", "c failed bare ago=4s"),
			"succeeded=1, failed=2, requeue 6s"},
		{"does not wait for pods that it deleted uncounted", MakeJob(), MakePods("a running deleted bare"),
			"terminating=1, create 1"},
		// #139457: status.active is what runs, though creation waits.
		{"updates the status while creation waits", MakeJob(Size(2, 2)), MakePods("a running ready", "b failed"),
			"active=1, ready=1, -b, removeFinalizer b, requeue 10s"},
	})
	v := viewOf(MakeJob())
	v.CreateAfter = Noon.Add(3 * time.Second)
	if got := describe(v.Job, New(v)); got != "requeue 3s" {
		t.Errorf("after a refusal: %s", got)
	}
}

func TestPlanRemembersDeletedFailures(t *testing.T) {
	v := viewOf(MakeJob(), MakePods("a failed ago=20s", "b failed ago=10s")...)
	v.History = New(v).History
	v.Job, v.Pods = MakeJob(Counted(0, 2)), nil
	if got := describe(v.Job, New(v)); got != "failed=2, requeue 10s" {
		t.Error(got)
	}
}

func TestPlanFails(t *testing.T) {
	target := Is(batchv1.JobFailureTarget, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"goes on at backoffLimit", MakeJob(Limit(1)), MakePods("a failed ago=1h"), "-a, removeFinalizer a, create 1"},
		{"sets FailureTarget before it deletes pods past backoffLimit", MakeJob(Limit(0), Size(2, 2)),
			MakePods("a failed", "b running"),
			"active=1, -a, FailureTarget=True, removeFinalizer a, deleteCounted b"},
		{"counts the pods that a failing Job deletes", MakeJob(Limit(0), target, Uncounted("", "a")),
			MakePods("a failed bare", "b running deleted"),
			"terminating=1, failed=1, -b, FailureTarget=True, removeFinalizer b"},
		{"counts the pods that a failing Job deletes, whatever podReplacementPolicy",
			MakeJob(Limit(0), target, ReplaceFailed), MakePods("b running deleted"),
			"terminating=1, -b, FailureTarget=True, removeFinalizer b"},
		{"waits for terminating pods before Failed", MakeJob(Limit(0), target, Counted(0, 2)),
			MakePods("b running deleted bare"),
			"terminating=1, failed=2, FailureTarget=True"},
		{"waits for finalizers before Failed", MakeJob(Limit(0), target, Counted(0, 1), Uncounted("", "b")),
			MakePods("b failed"),
			"failed=1, -b, FailureTarget=True, removeFinalizer b"},
		{"sets Failed when all pods have ended and are counted", MakeJob(Limit(0), target, Counted(0, 2)),
			MakePods("b failed bare"),
			"failed=2, FailureTarget=True, Failed=True, !Because"},
		{"fails in spite of a late success", MakeJob(Limit(0), target, Counted(0, 1)), MakePods("b succeeded"),
			"failed=1, +b, FailureTarget=True, removeFinalizer b"},
	})
}

func TestPlanCountsRestarts(t *testing.T) {
	checkPlans(t, []planRow{
		{"goes on below the limit of restarts", MakeJob(OnFailure, Limit(2), Size(1, 1)),
			MakePods("a running restarts=1"), "active=1"},
		{"fails at the limit of restarts of all pods", MakeJob(OnFailure, Limit(2), Size(2, 2)),
			MakePods("a running restarts=1", "b restarts=1"),
			"active=2, FailureTarget=True, deleteCounted a b"},
		{"counts restarts of init containers", MakeJob(OnFailure, Limit(2)),
			MakePods("a pending init=1 initRestarts=2"),
			"active=1, FailureTarget=True, deleteCounted a"},
		{"fails at the first restart with backoffLimit 0", MakeJob(OnFailure, Limit(0)),
			MakePods("a running restarts=1"), "active=1, FailureTarget=True, deleteCounted a"},
		{"goes on without restarts with backoffLimit 0", MakeJob(OnFailure, Limit(0)), MakePods("a running"),
			"active=1"},
		{"does not count restarts of finished pods", MakeJob(OnFailure, Limit(1), Size(1, 2), Counted(1, 0)),
			MakePods("a succeeded bare", "b running"), "active=1, succeeded=1"},
		{"does not count restarts with restartPolicy Never", MakeJob(Limit(1)), MakePods("a running restarts=9"),
			"active=1"},
	})
}

func TestPlanKeepsDeadlines(t *testing.T) {
	checkPlans(t, []planRow{
		{"requeues at the deadline", MakeJob(ActiveFor(100)), MakePods("a running"), "active=1, requeue 40s"},
		{"fails a Job past its deadline", MakeJob(ActiveFor(60)), MakePods("a running"),
			"active=1, FailureTarget=True, deleteCounted a"},
		{"counts the deadline from the start", MakeJob(ActiveFor(60), Unstarted), nil, "create 1, requeue 1m0s"},
		{"has no deadline for a suspended Job", MakeJob(ActiveFor(60), WithSuspend), nil,
			"Suspended=True, unstarted, !Suspended"},
		{"starts the deadline again when the Job is resumed",
			MakeJob(ActiveFor(60), Is(batchv1.JobSuspended, corev1.ConditionTrue)), nil,
			"Suspended=False, !Resumed, create 1, requeue 1m0s"},
	})
	p := New(View{Job: MakeJob(ActiveFor(60)), Now: Noon})
	if c := trueCondition(p.Status, batchv1.JobFailureTarget); c.Reason != batchv1.JobReasonDeadlineExceeded {
		t.Errorf("reason %s", c.Reason)
	}
}

func TestPlanSuspends(t *testing.T) {
	on := Is(batchv1.JobSuspended, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"deletes the pods before Suspended", MakeJob(WithSuspend), MakePods("a running"),
			"active=1, deleteUncounted a"},
		{"sets Suspended when no pod is active", MakeJob(WithSuspend), MakePods("a running deleted bare"),
			"terminating=1, Suspended=True, unstarted, !Suspended"},
		{"sets Suspended once", MakeJob(WithSuspend, on, Unstarted), nil, "Suspended=True, unstarted"},
		{"creates nothing for a Job created suspended", MakeJob(WithSuspend, Unstarted), nil,
			"Suspended=True, unstarted, !Suspended"},
		{"resumes with a new startTime", MakeJob(on, Unstarted), nil, "Suspended=False, !Resumed, create 1"},
		{"counts successes while suspended", MakeJob(WithSuspend), MakePods("a succeeded"),
			"+a, SuccessCriteriaMet=True, removeFinalizer a"},
	})
}

func TestPlanCompletes(t *testing.T) {
	met := Is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"sets SuccessCriteriaMet first", MakeJob(), MakePods("a succeeded"),
			"+a, SuccessCriteriaMet=True, removeFinalizer a"},
		{"sets Complete once all pods are counted", MakeJob(met, Uncounted("a", "")), MakePods("a succeeded bare"),
			"succeeded=1, SuccessCriteriaMet=True, Complete=True, completed, !Completed"},
		{"is not Complete while a pod terminates", MakeJob(met, Counted(1, 0)), MakePods("b running deleted bare"),
			"terminating=1, succeeded=1, SuccessCriteriaMet=True"},
		{"is not Complete while a pod has the finalizer", MakeJob(met, Uncounted("a", "")), MakePods("a succeeded"),
			"+a, SuccessCriteriaMet=True, removeFinalizer a"},
		{"gives a suspended Job that completes a startTime", MakeJob(Unstarted, WithSuspend, met, Counted(1, 0)), nil,
			"succeeded=1, SuccessCriteriaMet=True, Complete=True, completed, !Completed"},
		{"deletes pods that still run when completions are reached", MakeJob(met, Counted(1, 0)), MakePods("b running"),
			"active=1, succeeded=1, SuccessCriteriaMet=True, deleteUncounted b"},
		{"warns when more pods succeeded than completions", MakeJob(met, Counted(2, 0)), nil,
			"succeeded=2, SuccessCriteriaMet=True, Complete=True, completed, !TooManySucceededPods, !Completed"},
		{"meets completions 0 at once", MakeJob(Size(1, 0)), nil, "SuccessCriteriaMet=True"},
		{"completes a suspended Job with completions 0", MakeJob(Size(1, 0), WithSuspend, Unstarted, met), nil,
			"SuccessCriteriaMet=True, Complete=True, unstarted, completed, !Completed"},
		{"fails rather than completes", MakeJob(Limit(0)), MakePods("a succeeded", "b failed"),
			"+a, -b, FailureTarget=True, removeFinalizer a b"},
	})
}

func TestPlanIndexes(t *testing.T) {
	done := func(indexes string) Change {
		return func(j *batchv1.Job) { WithIndexes(j); j.Status.CompletedIndexes = indexes }
	}
	checkPlans(t, []planRow{
		{"creates the lowest indexes first", MakeJob(WithIndexes, Size(3, 5)), nil, "create [0 1 2]"},
		{"creates indexes that are neither completed nor active", MakeJob(done("0,2"), Size(3, 5)),
			MakePods("a running ix=3"),
			"active=1, succeeded=2, indexes=0,2, create [1 4]"},
		{"records a success by its index", MakeJob(done("0"), Size(2, 5)),
			MakePods("a running ix=2", "b succeeded ix=1 ago=1m"),
			"active=1, succeeded=2, indexes=0,1, removeFinalizer b, create [3]"},
		{"counts an index once", MakeJob(done("1"), Size(1, 3)), MakePods("a succeeded ix=1", "b running ix=0"),
			"active=1, succeeded=1, indexes=1, removeFinalizer a"},
		{"deletes pods with repeated and invalid indexes", MakeJob(WithIndexes, Size(4, 4)),
			MakePods("a running ready ix=0", "b ix=0", "c running ix=4", "d running"),
			"active=4, ready=1, deleteUncounted d c b"},
		{"pods with invalid indexes count neither way", MakeJob(WithIndexes, Size(1, 1)),
			MakePods("a failed ix=7", "b succeeded", "c running ix=0"),
			"active=1, removeFinalizer a b"},
		{"with podReplacementPolicy Failed, skips indexes of terminating pods",
			MakeJob(WithIndexes, ReplaceFailed, Size(2, 3)),
			MakePods("a running deleted ix=0"), "terminating=1, create [1]"},
		{"completes when all indexes have", MakeJob(done("0-2"), Size(3, 3)), nil,
			"succeeded=3, indexes=0-2, SuccessCriteriaMet=True"},
		{"drops completed indexes beyond completions", MakeJob(done("0-4"), Size(3, 3)), nil,
			"succeeded=3, indexes=0-2, SuccessCriteriaMet=True"},
	})
}

func TestPlanLimitsEachIndex(t *testing.T) {
	target := Is(batchv1.JobFailureTarget, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"retains a failed pod until its index is retried", MakeJob(PerIndex(1)), MakePods("a failed ix=0 ago=4s"),
			"requeue 6s"},
		{"creates the next pod with one failure more", MakeJob(PerIndex(1)), MakePods("a failed ix=0 ago=10s"),
			"create [0 after 1]"},
		{"removes the finalizer once the next pod exists", MakeJob(PerIndex(1)),
			MakePods("a failed ix=0 ago=10s", "b ix=0 fails=1"), "active=1, -a, removeFinalizer a"},
		{"doubles the delay of an index with each failure", MakeJob(PerIndex(5)),
			MakePods("a failed ix=0 fails=2 ago=10s"), "requeue 30s"},
		{"doubles the delay of an index with each ignored failure", MakeJob(PerIndex(5), Rule("Ignore In 1")),
			MakePods("a failed ix=0 exit=1 fails=1 ignored=1 ago=10s"), "requeue 30s"},
		{"gives the slot of an index in back-off to the next one", MakeJob(PerIndex(1), Size(1, 3)),
			MakePods("a failed ix=0"), "create [1], requeue 10s"},
		{"retains the pod of an index that failed last", MakeJob(PerIndex(5), Size(1, 2)),
			MakePods("a failed ix=0 ago=20s", "b failed ix=0 fails=1 ago=30s", "c failed ix=0 fails=1 ago=20s"),
			"-a, -b, removeFinalizer a b, create [0 after 2]"},
		{"retains a failed pod though it is recorded", MakeJob(PerIndex(5), Uncounted("", "a")),
			MakePods("a failed ix=0 ago=4s"), "-a, requeue 6s"},
		{"fails an index past its limit", MakeJob(PerIndex(1), Size(2, 2)),
			MakePods("a failed ix=0 fails=1", "b running ix=1"),
			"active=1, failedIndexes=0, -a, removeFinalizer a"},
		{"does not retry a failed index", MakeJob(PerIndex(1), Size(2, 3), Indexes("", "0")),
			MakePods("b running ix=1"),
			"active=1, failedIndexes=0, create [2]"},
		{"does not fail an index that has succeeded", MakeJob(PerIndex(0), Size(1, 2), Indexes("0", "")),
			MakePods("a failed ix=0 ago=1h"),
			"succeeded=1, indexes=0, -a, removeFinalizer a, create [1]"},
		{"does not complete an index that has failed", MakeJob(PerIndex(0), Size(1, 2), Indexes("", "0")),
			MakePods("a succeeded ix=0"),
			"failedIndexes=0, removeFinalizer a, create [1]"},
		{"fails the Job when all indexes have ended", MakeJob(PerIndex(0), Size(2, 2), Indexes("0", "")),
			MakePods("a failed ix=1"),
			"succeeded=1, indexes=0, failedIndexes=1, -a, FailureTarget=True, removeFinalizer a"},
		{"fails the Job past maxFailedIndexes", MakeJob(PerIndex(0), MaxFailedIndexes(1), Size(3, 5), Indexes("", "0")),
			MakePods("a failed ix=1", "b running ix=2"),
			"active=1, failedIndexes=0,1, -a, FailureTarget=True, removeFinalizer a, deleteCounted b"},
		{"does not fail the index of a pod that it deleted", MakeJob(PerIndex(0), target, Size(3, 5), Indexes("", "0")),
			MakePods("b failed deleted ix=2"),
			"failedIndexes=0, -b, FailureTarget=True, removeFinalizer b"},
		{"retains nothing for an ending Job", MakeJob(PerIndex(3), target), MakePods("a failed ix=0"),
			"-a, FailureTarget=True, removeFinalizer a"},
		{"retains nothing for a Job being deleted", MakeJob(PerIndex(3), BeingDeleted), MakePods("a failed ix=0"),
			"-a, removeFinalizer a"},
		{"counts retained pods against backoffLimit", MakeJob(PerIndex(3), Limit(0)), MakePods("a failed ix=0"),
			"FailureTarget=True"},
		{"takes invalid failure counts for 0", MakeJob(PerIndex(1)),
			MakePods("a failed ix=0 fails=99999999999 ignored=-4 ago=10s"), "create [0 after 1]"},
	})
	for want, job := range map[string]*batchv1.Job{
		batchv1.JobReasonFailedIndexes:            MakeJob(PerIndex(0)),
		batchv1.JobReasonMaxFailedIndexesExceeded: MakeJob(PerIndex(0), MaxFailedIndexes(0)),
	} {
		p := New(View{Job: job, Pods: MakePods("a failed ix=0"), Now: Noon})
		if c := trueCondition(p.Status, batchv1.JobFailureTarget); c == nil || c.Reason != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
}

func TestFailuresAreInherited(t *testing.T) {
	job := MakeJob(PerIndex(5), Rule("Ignore In 3"))
	for _, row := range []struct {
		after            []string
		counted, ignored string
	}{
		{nil, "0", ""},
		{[]string{"a failed ix=0 exit=1"}, "1", ""},
		{[]string{"a failed ix=0 exit=1 fails=2 ignored=1"}, "3", "1"},
		{[]string{"a failed ix=0 exit=3 fails=2 ignored=1"}, "2", "2"},
		// The pod that followed was deleted, or is about to be.
		{[]string{"a failed bare ix=0 exit=1", "b failed bare ix=0 exit=1 fails=1"}, "2", ""},
		{[]string{"a failed bare ix=0 exit=1", "b running deleted bare ix=0 fails=1"}, "1", ""},
		{[]string{"a failed bare ix=0 exit=1", "b failed deleted bare ix=0 exit=1 fails=1"}, "1", ""},
		// Completions excluded the index after it had failed for good.
		{[]string{"a failed bare ix=0 exit=1 fails=5"}, "0", ""},
	} {
		var pods []*corev1.Pod
		for _, text := range row.after {
			pods = append(pods, MakePod(text))
		}
		pod := newPod(job, 0, failureCounts(job, pods)[0])
		counted, ignored := pod.Annotations[batchv1.JobIndexFailureCountAnnotation],
			pod.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation]
		if counted != row.counted || ignored != row.ignored {
			t.Errorf("after %q: %q and %q, want %q and %q", row.after, counted, ignored, row.counted, row.ignored)
		}
	}
	if pod := newPod(MakeJob(WithIndexes), 0,
		failureCount{}); pod.Annotations[batchv1.JobIndexFailureCountAnnotation] != "" {
		t.Error("the count belongs to Jobs with a limit per index")
	}
}

func TestPlanScalesIndexes(t *testing.T) {
	checkPlans(t, []planRow{
		{"creates added indexes", MakeJob(WithIndexes, Size(4, 4), Indexes("0,1", "")), MakePods("c running ix=2"),
			"active=1, succeeded=2, indexes=0,1, create [3]"},
		{"deletes removed indexes, whatever their pods do", MakeJob(WithIndexes, Size(2, 2)),
			MakePods("a ix=0", "c running ready ix=2"),
			"active=2, ready=1, deleteUncounted c"},
		{"completes when scaled down to completed indexes", MakeJob(WithIndexes, Size(2, 2), Indexes("0,1,3", "")),
			MakePods("c running deleted bare ix=2"),
			"terminating=1, succeeded=2, indexes=0,1, SuccessCriteriaMet=True"},
		{"drops failed indexes beyond completions", MakeJob(PerIndex(0), Size(2, 2), Indexes("0", "3")),
			MakePods("d failed ix=3", "b running ix=1"),
			"active=1, succeeded=1, indexes=0, removeFinalizer d"},
	})
}

func TestPlanClaims(t *testing.T) {
	v := viewOf(MakeJob())
	v.Orphans = MakePods("loose running orphan", "going running orphan deleted", "other running orphan mismatched")
	if got := describe(v.Job, New(v)); got != "adopt loose" {
		t.Errorf("a Plan that adopts does nothing else: %s", got)
	}
	v.Pods = MakePods("loose running")
	if got := describe(v.Job, New(v)); got != "active=1" {
		t.Errorf("a pod is not adopted twice: %s", got)
	}
	v.Orphans = MakePods("counted succeeded orphan", "counted-too failed orphan")
	if got := describe(v.Job, New(v)); got != "active=1" {
		t.Errorf("a pod that was counted is not adopted: %s", got)
	}
	v.Job.Spec.ManualSelector = ptr.To(true)
	if got := describe(v.Job, New(v)); got != "adopt counted counted-too" {
		t.Errorf("with a selector of its own, a Job adopts any pod: %s", got)
	}
	v.Job, v.Pods = MakeJob(BeingDeleted), nil
	if got := describe(v.Job, New(v)); got != "" {
		t.Errorf("a Job being deleted adopts nothing: %s", got)
	}
	v = viewOf(MakeJob(), MakePods("other running mismatched", "going running mismatched deleted",
		"free running orphan")...)
	if got := describe(v.Job, New(v)); got != "release other, create 1" {
		t.Error(got)
	}
}

func TestCompletionTimeIsNeverBeforeStartTime(t *testing.T) {
	job := MakeJob(Is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue), Counted(1, 0))
	job.Status.StartTime = ptr.To(metav1.NewTime(Noon.Add(time.Hour)))
	if p := New(View{Job: job, Now: Noon}); p.Status.CompletionTime.Before(p.Status.StartTime) {
		t.Error(p.Status.CompletionTime)
	}
}
