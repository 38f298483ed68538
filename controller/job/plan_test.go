package job

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
		{"a new Job starts as many as run together", makeJob(unstarted, size(2, 5)), nil, "create 2"},
		{"but no more than completions ask for", makeJob(size(5, 2)), nil, "create 2"},
		{"or than are left", makeJob(size(3, 5), counted(3, 0)), makePods("a running"), "active=1, succeeded=3, create 1"},
		{"nothing with parallelism 0", makeJob(size(0, 2)), nil, ""},
		{"nothing while enough are active", makeJob(size(2, 5)), makePods("a", "b running ready"), "active=2, ready=1"},
		{"a success that is not counted yet counts", makeJob(size(2, 2)), makePods("a running", "b succeeded"),
			"active=1, +b, release b"},
		{"scaling down takes what got least far", makeJob(size(1, 5)),
			makePods("a running ready ago=9s", "b running ready ago=5s", "c running", "d"), "active=4, ready=2, retire d c b"},
		{"and what restarted most, then the youngest", makeJob(size(1, 5)),
			makePods("a running ago=9s", "b running ago=5s", "c running restarts=2 ago=20s"), "active=3, retire c b"},
		{"surplus goes when completions are reached", makeJob(size(2, 1), counted(1, 0)), makePods("a running"),
			"active=1, succeeded=1, retire a"},
		{"a terminating pod is replaced at once", makeJob(), makePods("a running deleted bare"), "terminating=1, create 1"},
		{"but not if only failed ones are to be replaced", makeJob(replaceFailed), makePods("a running deleted"), "terminating=1"},
		{"a Job being deleted gets no pods and lets go of those it has", makeJob(beingDeleted, size(3, 3)), makePods("a running"),
			"active=1, release a"},
		// Found by TestWorlds: the process died between the two writes that retire a.
		{"who lost the finalizer but is wanted again is taken back", makeJob(), makePods("a running bare"), "active=1, adopt a"},
		{"and goes for good if not", makeJob(size(0, 1)), makePods("a running bare"), "active=1, retire a"},
		{"a finished Job is left alone", makeJob(is(batchv1.JobComplete, corev1.ConditionTrue), counted(1, 0)), makePods("a running"),
			"succeeded=1, Complete=True"},
	})
}

func TestPlanRunsWorkQueues(t *testing.T) {
	checkPlans(t, []planRow{
		{"as many as run together", makeJob(workQueue(3)), nil, "create 3"},
		{"none after the first success, but who runs may finish", makeJob(workQueue(3), counted(1, 0)), makePods("a running", "b"),
			"active=2, succeeded=1"},
		{"nor fewer when scaled down after that", makeJob(workQueue(1), counted(1, 0)), makePods("a running", "b"),
			"active=2, succeeded=1"},
		{"done when the others are", makeJob(workQueue(3), counted(1, 1)), nil, "succeeded=1, failed=1, SuccessCriteriaMet=True"},
	})
}

func TestPlanCountsOnce(t *testing.T) {
	checkPlans(t, []planRow{
		{"first the status takes note", makeJob(size(2, 2)), makePods("a running", "b succeeded"),
			"active=1, +b, release b"},
		{"then the finalizer goes", makeJob(size(2, 2), uncounted("b", "")), makePods("a running", "b succeeded"),
			"active=1, +b, release b"},
		{"then the counter moves", makeJob(size(2, 2), uncounted("b", "")), makePods("a running", "b succeeded bare"),
			"active=1, succeeded=1"},
		{"even if the pod is gone", makeJob(size(2, 2), uncounted("b", "")), makePods("a running"), "active=1, succeeded=1"},
		{"and stays", makeJob(size(2, 2), counted(1, 0)), makePods("a running", "b succeeded bare"), "active=1, succeeded=1"},
		{"a noted failure stays one, whatever the pod says later", makeJob(size(1, 2), uncounted("", "b")), makePods("a running", "b succeeded"),
			"active=1, -b, release b"},
		{"a pod deleted while it ran has failed", makeJob(), makePods("a running deleted"),
			"terminating=1, -a, release a, again 10s"},
		{"unless only a final phase tells", makeJob(replaceFailed), makePods("a failed deleted ago=1h"),
			"-a, release a, create 1"},
	})
}

func TestPlanCountsNoMoreThanTheStatusHolds(t *testing.T) {
	var pods []*corev1.Pod
	for range 2 * maxPodsPerPlan {
		pods = append(pods, makePod("a succeeded"))
	}
	p := plan(View{Job: makeJob(size(1, 2*maxPodsPerPlan)), Pods: pods, Now: noon, Backoff: defaultBackoff})
	if n := len(p.Status.UncountedTerminatedPods.Succeeded); n != maxPodsPerPlan || len(p.Release) != n {
		t.Errorf("notes %d and releases %d pods, want %d", n, len(p.Release), maxPodsPerPlan)
	}
}

func TestPlanHoldsCreationBack(t *testing.T) {
	checkPlans(t, []planRow{
		{"ten seconds after the first failure", makeJob(), makePods("a failed ago=4s"), "-a, release a, again 6s"},
		{"twenty after the second", makeJob(counted(0, 2)), makePods("a failed bare ago=30s", "b failed bare ago=4s"),
			"failed=2, again 16s"},
		{"nothing is owed for what is long past", makeJob(counted(0, 1)), makePods("a failed bare ago=1h"), "failed=1, create 1"},
		{"a success clears the debt", makeJob(size(1, 2), counted(1, 2)),
			makePods("a failed bare ago=30s", "b failed bare ago=20s", "c succeeded bare ago=10s"), "succeeded=1, failed=2, create 1"},
		{"a later failure begins anew", makeJob(size(1, 2), counted(1, 2)),
			makePods("a failed bare ago=30s", "b succeeded bare ago=20s", "c failed bare ago=4s"), "succeeded=1, failed=2, again 6s"},
		{"retired pods owe nothing", makeJob(), makePods("a running deleted bare"), "terminating=1, create 1"},
		// #139457: status.active is what runs, though creation waits.
		{"the status does not wait", makeJob(size(2, 2)), makePods("a running ready", "b failed"),
			"active=1, ready=1, -b, release b, again 10s"},
	})
	p := plan(View{Job: makeJob(), Now: noon, Backoff: defaultBackoff, CreateAfter: noon.Add(3 * time.Second)})
	if got := describe(p); got != "again 3s" {
		t.Errorf("after a refusal: %s", got)
	}
}

func TestPlanRemembersDeletedFailures(t *testing.T) {
	v := View{Job: makeJob(), Pods: makePods("a failed ago=20s", "b failed ago=10s"), Now: noon, Backoff: defaultBackoff}
	v.History = plan(v).History
	v.Job, v.Pods = makeJob(counted(0, 2)), nil
	if got := describe(plan(v)); got != "failed=2, again 10s" {
		t.Error(got)
	}
}

func TestPlanFails(t *testing.T) {
	target := is(batchv1.JobFailureTarget, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"at the limit it goes on", makeJob(limit(1)), makePods("a failed ago=1h"), "-a, release a, create 1"},
		{"past it, it says so before it kills", makeJob(limit(0), size(2, 2)), makePods("a failed", "b running"),
			"active=1, -a, FailureTarget=True, release a, kill b"},
		{"counts who was killed", makeJob(limit(0), target, uncounted("", "a")), makePods("a failed bare", "b running deleted"),
			"terminating=1, failed=1, -b, FailureTarget=True, release b"},
		{"in spite of podReplacementPolicy", makeJob(limit(0), target, replaceFailed), makePods("b running deleted"),
			"terminating=1, -b, FailureTarget=True, release b"},
		{"waits for terminating pods", makeJob(limit(0), target, counted(0, 2)), makePods("b running deleted bare"),
			"terminating=1, failed=2, FailureTarget=True"},
		{"waits for finalizers", makeJob(limit(0), target, counted(0, 1), uncounted("", "b")), makePods("b failed"),
			"failed=1, -b, FailureTarget=True, release b"},
		{"and then has failed", makeJob(limit(0), target, counted(0, 2)), makePods("b failed bare"),
			"failed=2, FailureTarget=True, Failed=True, !Because"},
		{"a late success changes nothing", makeJob(limit(0), target, counted(0, 1)), makePods("b succeeded"),
			"failed=1, +b, FailureTarget=True, release b"},
	})
}

func TestPlanCountsRestarts(t *testing.T) {
	checkPlans(t, []planRow{
		{"below the limit", makeJob(onFailure, limit(2), size(1, 1)), makePods("a running restarts=1"), "active=1"},
		{"at the limit", makeJob(onFailure, limit(2), size(2, 2)), makePods("a running restarts=1", "b restarts=1"),
			"active=2, FailureTarget=True, kill a b"},
		{"those of init containers too", makeJob(onFailure, limit(2)), makePods("a pending init=1 initRestarts=2"),
			"active=1, FailureTarget=True, kill a"},
		{"with none allowed", makeJob(onFailure, limit(0)), makePods("a running restarts=1"), "active=1, FailureTarget=True, kill a"},
		{"with none allowed and none made", makeJob(onFailure, limit(0)), makePods("a running"), "active=1"},
		{"of finished pods no more", makeJob(onFailure, limit(1), size(1, 2), counted(1, 0)), makePods("a succeeded bare", "b running"), "active=1, succeeded=1"},
		{"not for restartPolicy Never", makeJob(limit(1)), makePods("a running restarts=9"), "active=1"},
	})
}

func TestPlanKeepsDeadlines(t *testing.T) {
	checkPlans(t, []planRow{
		{"looks again in time", makeJob(activeFor(100)), makePods("a running"), "active=1, again 40s"},
		{"ends what is overdue", makeJob(activeFor(60)), makePods("a running"), "active=1, FailureTarget=True, kill a"},
		{"counts from the start", makeJob(activeFor(60), unstarted), nil, "create 1, again 1m0s"},
		{"leaves suspended Jobs alone", makeJob(activeFor(60), withSuspend), nil, "Suspended=True, unstarted, !Suspended"},
		{"starts again with the Job", makeJob(activeFor(60), is(batchv1.JobSuspended, corev1.ConditionTrue)), nil,
			"Suspended=False, !Resumed, create 1, again 1m0s"},
	})
	p := plan(View{Job: makeJob(activeFor(60)), Now: noon})
	if c := trueCondition(p.Status, batchv1.JobFailureTarget); c.Reason != batchv1.JobReasonDeadlineExceeded {
		t.Errorf("reason %s", c.Reason)
	}
}

func TestPlanSuspends(t *testing.T) {
	on := is(batchv1.JobSuspended, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"removes the pods first", makeJob(withSuspend), makePods("a running"), "active=1, retire a"},
		{"then says so", makeJob(withSuspend), makePods("a running deleted bare"),
			"terminating=1, Suspended=True, unstarted, !Suspended"},
		{"once", makeJob(withSuspend, on, unstarted), nil, "Suspended=True, unstarted"},
		{"starts nothing when created suspended", makeJob(withSuspend, unstarted), nil, "Suspended=True, unstarted, !Suspended"},
		{"resumes with a new start", makeJob(on, unstarted), nil, "Suspended=False, !Resumed, create 1"},
		{"still counts what succeeded", makeJob(withSuspend), makePods("a succeeded"), "+a, SuccessCriteriaMet=True, release a"},
	})
}

func TestPlanCompletes(t *testing.T) {
	met := is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"says so first", makeJob(), makePods("a succeeded"), "+a, SuccessCriteriaMet=True, release a"},
		{"then counts and is complete", makeJob(met, uncounted("a", "")), makePods("a succeeded bare"),
			"succeeded=1, SuccessCriteriaMet=True, Complete=True, completed, !Completed"},
		{"but not while a pod terminates", makeJob(met, counted(1, 0)), makePods("b running deleted bare"),
			"terminating=1, succeeded=1, SuccessCriteriaMet=True"},
		{"nor while one is held", makeJob(met, uncounted("a", "")), makePods("a succeeded"),
			"+a, SuccessCriteriaMet=True, release a"},
		{"retires who still runs", makeJob(met, counted(1, 0)), makePods("b running"),
			"active=1, succeeded=1, SuccessCriteriaMet=True, retire b"},
		{"and tells when more succeeded than were asked for", makeJob(met, counted(2, 0)), nil,
			"succeeded=2, SuccessCriteriaMet=True, Complete=True, completed, !TooManySucceededPods, !Completed"},
		{"with nothing to do at once", makeJob(size(1, 0)), nil, "SuccessCriteriaMet=True"},
		{"with nothing to do, though suspended", makeJob(size(1, 0), withSuspend, unstarted, met), nil,
			"SuccessCriteriaMet=True, Complete=True, unstarted, completed, !Completed"},
		{"after failing it does not", makeJob(limit(0)), makePods("a succeeded", "b failed"),
			"+a, -b, FailureTarget=True, release a b"},
	})
}

func TestPlanIndexes(t *testing.T) {
	done := func(indexes string) change {
		return func(j *batchv1.Job) { withIndexes(j); j.Status.CompletedIndexes = indexes }
	}
	checkPlans(t, []planRow{
		{"lowest first", makeJob(withIndexes, size(3, 5)), nil, "create [0 1 2]"},
		{"what is neither done nor active", makeJob(done("0,2"), size(3, 5)), makePods("a running ix=3"),
			"active=1, succeeded=2, indexes=0,2, create [1 4]"},
		{"a success is noted by its index", makeJob(done("0"), size(2, 5)), makePods("a running ix=2", "b succeeded ix=1 ago=1m"),
			"active=1, succeeded=2, indexes=0,1, release b, create [3]"},
		{"twice the same counts once", makeJob(done("1"), size(1, 3)), makePods("a succeeded ix=1", "b running ix=0"),
			"active=1, succeeded=1, indexes=1, release a"},
		{"repeated and wrong indexes go", makeJob(withIndexes, size(4, 4)),
			makePods("a running ready ix=0", "b ix=0", "c running ix=4", "d running"), "active=4, ready=1, retire d c b"},
		{"and count neither way", makeJob(withIndexes, size(1, 1)), makePods("a failed ix=7", "b succeeded", "c running ix=0"),
			"active=1, release a b"},
		{"terminating ones are not doubled if failed ones only are replaced", makeJob(withIndexes, replaceFailed, size(2, 3)),
			makePods("a running deleted ix=0"), "terminating=1, create [1]"},
		{"all done", makeJob(done("0-2"), size(3, 3)), nil, "succeeded=3, indexes=0-2, SuccessCriteriaMet=True"},
		{"fewer completions forget higher indexes", makeJob(done("0-4"), size(3, 3)), nil,
			"succeeded=3, indexes=0-2, SuccessCriteriaMet=True"},
	})
}

func TestPlanLimitsEachIndex(t *testing.T) {
	target := is(batchv1.JobFailureTarget, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"a failed pod is held until its index goes on", makeJob(perIndex(1)), makePods("a failed ix=0 ago=4s"), "again 6s"},
		{"which then inherits", makeJob(perIndex(1)), makePods("a failed ix=0 ago=10s"), "create [0 after a]"},
		{"and lets go of it", makeJob(perIndex(1)), makePods("a failed ix=0 ago=10s", "b ix=0 fails=1"), "active=1, -a, release a"},
		{"each further failure doubles its delay", makeJob(perIndex(5)), makePods("a failed ix=0 fails=2 ago=10s"), "again 30s"},
		{"ignored ones as well", makeJob(perIndex(5), rule("Ignore In 1")), makePods("a failed ix=0 exit=1 fails=1 ignored=1 ago=10s"), "again 30s"},
		{"who waits leaves its place to others", makeJob(perIndex(1), size(1, 3)), makePods("a failed ix=0"), "create [1], again 10s"},
		{"of several the one that failed last is held", makeJob(perIndex(5), size(1, 2)),
			makePods("a failed ix=0 ago=20s", "b failed ix=0 fails=1 ago=30s", "c failed ix=0 fails=1 ago=20s"),
			"-a, -b, release a b, create [0 after c]"},
		{"it is held, though noted", makeJob(perIndex(5), uncounted("", "a")), makePods("a failed ix=0 ago=4s"), "-a, again 6s"},
		{"an index fails past its limit", makeJob(perIndex(1), size(2, 2)), makePods("a failed ix=0 fails=1", "b running ix=1"),
			"active=1, failedIndexes=0, -a, release a"},
		{"and is not started again", makeJob(perIndex(1), size(2, 3), indexes("", "0")), makePods("b running ix=1"),
			"active=1, failedIndexes=0, create [2]"},
		{"one that has succeeded does not fail", makeJob(perIndex(0), size(1, 2), indexes("0", "")), makePods("a failed ix=0 ago=1h"),
			"succeeded=1, indexes=0, -a, release a, create [1]"},
		{"and one that has failed does not succeed", makeJob(perIndex(0), size(1, 2), indexes("", "0")), makePods("a succeeded ix=0"),
			"failedIndexes=0, release a, create [1]"},
		{"the Job fails when all indexes have ended", makeJob(perIndex(0), size(2, 2), indexes("0", "")), makePods("a failed ix=1"),
			"succeeded=1, indexes=0, failedIndexes=1, -a, FailureTarget=True, release a"},
		{"or too many failed", makeJob(perIndex(0), maxFailedIndexes(1), size(3, 5), indexes("", "0")), makePods("a failed ix=1", "b running ix=2"),
			"active=1, failedIndexes=0,1, -a, FailureTarget=True, release a, kill b"},
		{"whom it kills has not failed its index", makeJob(perIndex(0), target, size(3, 5), indexes("", "0")), makePods("b failed deleted ix=2"),
			"failedIndexes=0, -b, FailureTarget=True, release b"},
		{"an ending Job holds nothing", makeJob(perIndex(3), target), makePods("a failed ix=0"), "-a, FailureTarget=True, release a"},
		{"nor does one being deleted", makeJob(perIndex(3), beingDeleted), makePods("a failed ix=0"), "-a, release a"},
		{"held pods count against the limit of all", makeJob(perIndex(3), limit(0)), makePods("a failed ix=0"), "FailureTarget=True"},
		{"annotations that make no sense are 0", makeJob(perIndex(1)), makePods("a failed ix=0 fails=99999999999 ignored=-4 ago=10s"), "create [0 after a]"},
	})
	for want, job := range map[string]*batchv1.Job{
		batchv1.JobReasonFailedIndexes:            makeJob(perIndex(0)),
		batchv1.JobReasonMaxFailedIndexesExceeded: makeJob(perIndex(0), maxFailedIndexes(0)),
	} {
		p := plan(View{Job: job, Pods: makePods("a failed ix=0"), Now: noon})
		if c := trueCondition(p.Status, batchv1.JobFailureTarget); c == nil || c.Reason != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
}

func TestFailuresAreInherited(t *testing.T) {
	job := makeJob(perIndex(5), rule("Ignore In 3"))
	for _, row := range []struct{ after, counted, ignored string }{
		{"", "0", ""},
		{"a failed ix=0 exit=1", "1", ""},
		{"a failed ix=0 exit=1 fails=2 ignored=1", "3", "1"},
		{"a failed ix=0 exit=3 fails=2 ignored=1", "2", "2"},
		{"a failed ix=0 exit=1 fails=2147483647", "2147483647", ""},
	} {
		n := newcomer{index: 0}
		if row.after != "" {
			n.after = makePod(row.after)
		}
		pod := newPod(job, n)
		counted, ignored := pod.Annotations[batchv1.JobIndexFailureCountAnnotation], pod.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation]
		if counted != row.counted || ignored != row.ignored {
			t.Errorf("after %q: %q and %q, want %q and %q", row.after, counted, ignored, row.counted, row.ignored)
		}
	}
	if pod := newPod(makeJob(withIndexes), newcomer{}); pod.Annotations[batchv1.JobIndexFailureCountAnnotation] != "" {
		t.Error("the count belongs to Jobs with a limit per index")
	}
}

func TestPlanScalesIndexes(t *testing.T) {
	checkPlans(t, []planRow{
		{"up", makeJob(withIndexes, size(4, 4), indexes("0,1", "")), makePods("c running ix=2"),
			"active=1, succeeded=2, indexes=0,1, create [3]"},
		{"down, from the top, whatever runs there", makeJob(withIndexes, size(2, 2)), makePods("a ix=0", "c running ready ix=2"),
			"active=2, ready=1, retire c"},
		{"down to what is done", makeJob(withIndexes, size(2, 2), indexes("0,1,3", "")), makePods("c running deleted bare ix=2"),
			"terminating=1, succeeded=2, indexes=0,1, SuccessCriteriaMet=True"},
		{"what failed beyond the end counts no more", makeJob(perIndex(0), size(2, 2), indexes("0", "3")), makePods("d failed ix=3", "b running ix=1"),
			"active=1, succeeded=1, indexes=0, release d"},
	})
}

func TestPlanClaims(t *testing.T) {
	v := View{Job: makeJob(), Strays: makePods("stray running"), Now: noon, Backoff: defaultBackoff}
	if got := describe(plan(v)); got != "adopt stray" {
		t.Errorf("strays come first: %s", got)
	}
	v.Job = makeJob(beingDeleted)
	if got := describe(plan(v)); got != "" {
		t.Errorf("a Job being deleted adopts nothing: %s", got)
	}
	v = View{Job: makeJob(), Mismatched: makePods("other running"), Now: noon, Backoff: defaultBackoff}
	if got := describe(plan(v)); got != "disown other, create 1" {
		t.Error(got)
	}
}

func TestCompletionTimeIsNeverBeforeStartTime(t *testing.T) {
	job := makeJob(is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue), counted(1, 0))
	job.Status.StartTime = ptr.To(metav1.NewTime(noon.Add(time.Hour)))
	if p := plan(View{Job: job, Now: noon}); p.Status.CompletionTime.Before(p.Status.StartTime) {
		t.Error(p.Status.CompletionTime)
	}
}
