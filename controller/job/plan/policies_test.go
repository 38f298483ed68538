package plan

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestPodFailurePolicy(t *testing.T) {
	const count = "Count"
	for _, row := range []struct {
		name  string
		rules []string
		pod   string
		want  string
	}{
		{"no policy", nil, "a failed exit=1", count},
		{"no rule that matches", []string{"FailJob In 2"}, "a failed exit=1", count},
		{"In", []string{"FailJob In 1 2"}, "a failed exit=2",
			"FailJob: Container main for pod ns/a failed with exit code 2 matching FailJob rule at index 0"},
		{"NotIn", []string{"Ignore NotIn 1"}, "a failed exit=2", "Ignore"},
		{"NotIn, but it is", []string{"Ignore NotIn 1"}, "a failed exit=1", count},
		{"exit code 0 matches nothing", []string{"Ignore NotIn 1"}, "a failed exit=0", count},
		{"a running container matches nothing", []string{"Ignore NotIn 1"}, "a failed restarts=3 deleted", count},
		{"an operator of a later API matches nothing", []string{"FailJob Near 1"}, "a failed exit=1", count},
		{"the first rule counts", []string{"Count In 1", "FailJob In 1"}, "a failed exit=1", count},
		{"the second rule if the first does not match", []string{"Ignore In 2", "FailJob In 1"}, "a failed exit=1",
			"FailJob: Container main for pod ns/a failed with exit code 1 matching FailJob rule at index 1"},
		{"an action of a later API is skipped", []string{"Restart In 1", "Ignore In 1"}, "a failed exit=1", "Ignore"},
		{"a container by name", []string{"FailJob/main In 1"}, "a failed exit=1",
			"FailJob: Container main for pod ns/a failed with exit code 1 matching FailJob rule at index 0"},
		{"another container", []string{"FailJob/other In 1"}, "a failed exit=1", count},
		{"an init container", []string{"FailJob/setup In 3"}, "a failed init=3",
			"FailJob: Container setup for pod ns/a failed with exit code 3 matching FailJob rule at index 0"},
		{"containers go before init containers", []string{"FailJob NotIn 9"}, "a failed init=3 exit=4",
			"FailJob: Container main for pod ns/a failed with exit code 4 matching FailJob rule at index 0"},
		{"a condition", []string{"Ignore DisruptionTarget=True"}, "a failed cond=DisruptionTarget", "Ignore"},
		{"a condition is True by default", []string{"FailJob DisruptionTarget="}, "a failed cond=DisruptionTarget",
			"FailJob: Pod ns/a has condition DisruptionTarget matching FailJob rule at index 0"},
		{"a condition of another status", []string{"Ignore DisruptionTarget=False"}, "a failed cond=DisruptionTarget",
			count},
		{"one condition of two", []string{"FailIndex ConfigIssue=True DisruptionTarget=True"},
			"a failed cond=DisruptionTarget", "FailIndex"},
		{"a rule that asks for nothing", []string{"FailJob"}, "a failed exit=1", count},
	} {
		t.Run(row.name, func(t *testing.T) {
			job := MakeJob()
			for _, r := range row.rules {
				Rule(r)(job)
			}
			r := decide(job, MakePod(row.pod))
			got := string(r.action)
			if r.action == batchv1.PodFailurePolicyActionFailJob {
				got += ": " + r.reason
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestPlanFollowsThePodFailurePolicy(t *testing.T) {
	target := Is(batchv1.JobFailureTarget, corev1.ConditionTrue)
	failJob, ignore := Rule("FailJob In 42"), Rule("Ignore DisruptionTarget=")
	checkPlans(t, []planRow{
		{"FailJob fails the Job at once", MakeJob(failJob, Size(2, 2)), MakePods("a failed exit=42", "b running"),
			"active=1, -a, FailureTarget=True, removeFinalizer a, deleteCounted b"},
		{"FailJob does not apply to running pods", MakeJob(failJob), MakePods("a running exit=42"), "active=1"},
		{"FailJob does not apply to pods deleted uncounted", MakeJob(failJob),
			MakePods("a failed exit=42 deleted bare ago=1h"), "create 1"},
		{"Ignore counts nothing but delays", MakeJob(ignore, Limit(0)),
			MakePods("a failed cond=DisruptionTarget ago=4s"),
			"removeFinalizer a, requeue 6s"},
		{"Count counts", MakeJob(Rule("Count In 1"), Limit(0)), MakePods("a failed exit=1"),
			"-a, FailureTarget=True, removeFinalizer a"},
		{"rules do not apply to a terminating pod", MakeJob(failJob), MakePods("a running deleted exit=42"),
			"terminating=1"},
		{"rules apply to pods that a failing Job deletes", MakeJob(ignore, target),
			MakePods("a running deleted cond=DisruptionTarget", "b running deleted"),
			"terminating=2, -b, FailureTarget=True, removeFinalizer a b"},
		{"FailIndex fails the index and counts", MakeJob(PerIndex(5), Rule("FailIndex In 3"), Size(2, 2)),
			MakePods("a failed exit=3 ix=0 ago=1h", "b running ix=1"),
			"active=1, failedIndexes=0, -a, removeFinalizer a"},
	})
	p := New(View{Job: MakeJob(failJob), Pods: MakePods("a failed exit=42"), Now: Noon})
	c := trueCondition(p.Status, batchv1.JobFailureTarget)
	if c.Reason != batchv1.JobReasonPodFailurePolicy || !strings.Contains(c.Message, "ns/a") {
		t.Errorf("%+v", c)
	}
}

func TestSuccessPolicy(t *testing.T) {
	for _, row := range []struct {
		name      string
		rules     []string
		completed string
		want      int // -1 is not met
	}{
		{"no policy", nil, "0-9", -1},
		{"all that are named", []string{"0,2"}, "0-2", 0},
		{"all but one", []string{"0,2"}, "0,1", -1},
		{"enough of any", []string{"x3"}, "1,5,7", 0},
		{"not enough", []string{"x3"}, "1,5", -1},
		{"enough of those that are named", []string{"0-4x2"}, "1,3,8", 0},
		{"enough, but not of those that are named", []string{"0-4x2"}, "1,8,9", -1},
		{"all that are named, though the count is higher", []string{"0,1x5"}, "0,1", 0},
		{"the second rule", []string{"0", "1", "x1"}, "1", 1},
		{"nothing is asked", []string{""}, "0-9", -1},
		{"nothing is named that exists", []string{"12-15"}, "0-9", -1},
		{"no index is completed", []string{"x0"}, "", -1},
		{"a count that makes no sense", []string{"3x-1"}, "0", -1},
		{"what is named is no list", []string{"all"}, "0-9", -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			job := MakeJob(WithIndexes, Size(10, 10))
			for _, r := range row.rules {
				Success(r)(job)
			}
			got, met := metRule(job, ParseIntervals(row.completed, 10))
			if !met {
				got = -1
			}
			if got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

func TestPlanFollowsTheSuccessPolicy(t *testing.T) {
	met := Is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"sets SuccessCriteriaMet and deletes pods that run", MakeJob(Success("0"), Size(2, 2)),
			MakePods("a succeeded ix=0", "b running ix=1"),
			"active=1, succeeded=1, indexes=0, SuccessCriteriaMet=True, removeFinalizer a, deleteUncounted b"},
		{"removes the finalizer of terminating pods, uncounted",
			MakeJob(Success("0"), ReplaceFailed, met, Size(2, 2), Indexes("0", "")), MakePods("b running deleted ix=1"),
			"terminating=1, succeeded=1, indexes=0, SuccessCriteriaMet=True, removeFinalizer b"},
		{"waits until the pods are gone", MakeJob(Success("0"), met, Size(2, 2), Indexes("0", "")),
			MakePods("b running deleted bare ix=1"),
			"terminating=1, succeeded=1, indexes=0, SuccessCriteriaMet=True"},
		{"sets Complete when the pods are gone", MakeJob(Success("0"), met, Size(2, 2), Indexes("0", "")), nil,
			"succeeded=1, indexes=0, SuccessCriteriaMet=True, Complete=True, completed, !Completed"},
		{"counts a late success", MakeJob(Success("0"), met, Size(2, 2), Indexes("0", "")),
			MakePods("b succeeded ix=1"),
			"succeeded=2, indexes=0,1, SuccessCriteriaMet=True, removeFinalizer b"},
		{"failure goes first", MakeJob(Success("0"), Limit(0), Size(2, 2)),
			MakePods("a succeeded ix=0", "b failed ix=1"),
			"succeeded=1, indexes=0, -b, FailureTarget=True, removeFinalizer a b"},
	})
	for want, job := range map[string]*batchv1.Job{
		batchv1.JobReasonSuccessPolicy:      MakeJob(Success("0")),
		batchv1.JobReasonCompletionsReached: MakeJob(Success("5")),
	} {
		p := New(View{Job: job, Pods: MakePods("a succeeded ix=0"), Now: Noon})
		if c := trueCondition(p.Status, batchv1.JobSuccessCriteriaMet); c == nil || c.Reason != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
}
