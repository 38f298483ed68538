package job

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
		{"no rule that fits", []string{"FailJob In 2"}, "a failed exit=1", count},
		{"In", []string{"FailJob In 1 2"}, "a failed exit=2",
			"FailJob: Container main for pod ns/a failed with exit code 2 matching FailJob rule at index 0"},
		{"NotIn", []string{"Ignore NotIn 1"}, "a failed exit=2", "Ignore"},
		{"NotIn, but it is", []string{"Ignore NotIn 1"}, "a failed exit=1", count},
		{"0 fits nothing", []string{"Ignore NotIn 1"}, "a failed exit=0", count},
		{"a container that runs fits nothing", []string{"Ignore NotIn 1"}, "a failed restarts=3 deleted", count},
		{"an operator of a later API fits nothing", []string{"FailJob Near 1"}, "a failed exit=1", count},
		{"the first rule counts", []string{"Count In 1", "FailJob In 1"}, "a failed exit=1", count},
		{"the second if the first does not fit", []string{"Ignore In 2", "FailJob In 1"}, "a failed exit=1",
			"FailJob: Container main for pod ns/a failed with exit code 1 matching FailJob rule at index 1"},
		{"an action of a later API is passed over", []string{"Restart In 1", "Ignore In 1"}, "a failed exit=1", "Ignore"},
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
		{"a condition of another status", []string{"Ignore DisruptionTarget=False"}, "a failed cond=DisruptionTarget", count},
		{"one condition of two", []string{"FailIndex ConfigIssue=True DisruptionTarget=True"}, "a failed cond=DisruptionTarget", "FailIndex"},
		{"a rule that asks for nothing", []string{"FailJob"}, "a failed exit=1", count},
	} {
		t.Run(row.name, func(t *testing.T) {
			job := makeJob()
			for _, r := range row.rules {
				rule(r)(job)
			}
			r := ruleOn(job, makePod(row.pod))
			got := string(r.action)
			if r.action == batchv1.PodFailurePolicyActionFailJob {
				got += ": " + r.why
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestPlanFollowsThePodFailurePolicy(t *testing.T) {
	target := is(batchv1.JobFailureTarget, corev1.ConditionTrue)
	failJob, ignore := rule("FailJob In 42"), rule("Ignore DisruptionTarget=")
	checkPlans(t, []planRow{
		{"FailJob fails it at once", makeJob(failJob, size(2, 2)), makePods("a failed exit=42", "b running"),
			"active=1, -a, FailureTarget=True, release a, kill b"},
		{"only if a pod of the Job has failed", makeJob(failJob), makePods("a running exit=42"), "active=1"},
		{"and not if it was retired", makeJob(failJob), makePods("a failed exit=42 deleted bare ago=1h"), "create 1"},
		{"Ignore counts nothing, but owes a delay", makeJob(ignore, limit(0)), makePods("a failed cond=DisruptionTarget ago=4s"),
			"release a, again 6s"},
		{"Count counts", makeJob(rule("Count In 1"), limit(0)), makePods("a failed exit=1"), "-a, FailureTarget=True, release a"},
		{"a terminating pod has not failed yet", makeJob(failJob), makePods("a running deleted exit=42"), "terminating=1"},
		{"what a failing Job kills is judged, too", makeJob(ignore, target), makePods("a running deleted cond=DisruptionTarget", "b running deleted"),
			"terminating=2, -b, FailureTarget=True, release a b"},
		{"FailIndex fails the index, and counts", makeJob(perIndex(5), rule("FailIndex In 3"), size(2, 2)),
			makePods("a failed exit=3 ix=0 ago=1h", "b running ix=1"), "active=1, failedIndexes=0, -a, release a"},
	})
	p := plan(View{Job: makeJob(failJob), Pods: makePods("a failed exit=42"), Now: noon})
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
			job := makeJob(withIndexes, size(10, 10))
			for _, r := range row.rules {
				success(r)(job)
			}
			got, met := matchedRule(job, parseIntervals(row.completed, 10))
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
	met := is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue)
	checkPlans(t, []planRow{
		{"says so and retires who still runs", makeJob(success("0"), size(2, 2)), makePods("a succeeded ix=0", "b running ix=1"),
			"active=1, succeeded=1, indexes=0, SuccessCriteriaMet=True, release a, retire b"},
		{"lets go of who terminates, uncounted", makeJob(success("0"), replaceFailed, met, size(2, 2), indexes("0", "")), makePods("b running deleted ix=1"),
			"terminating=1, succeeded=1, indexes=0, SuccessCriteriaMet=True, release b"},
		{"waits until they are gone", makeJob(success("0"), met, size(2, 2), indexes("0", "")), makePods("b running deleted bare ix=1"),
			"terminating=1, succeeded=1, indexes=0, SuccessCriteriaMet=True"},
		{"and then is complete", makeJob(success("0"), met, size(2, 2), indexes("0", "")), nil,
			"succeeded=1, indexes=0, SuccessCriteriaMet=True, Complete=True, completed, !Completed"},
		{"a late success counts", makeJob(success("0"), met, size(2, 2), indexes("0", "")), makePods("b succeeded ix=1"),
			"succeeded=2, indexes=0,1, SuccessCriteriaMet=True, release b"},
		{"failure goes first", makeJob(success("0"), limit(0), size(2, 2)), makePods("a succeeded ix=0", "b failed ix=1"),
			"succeeded=1, indexes=0, -b, FailureTarget=True, release a b"},
	})
	for want, job := range map[string]*batchv1.Job{
		batchv1.JobReasonSuccessPolicy:      makeJob(success("0")),
		batchv1.JobReasonCompletionsReached: makeJob(success("5")),
	} {
		p := plan(View{Job: job, Pods: makePods("a succeeded ix=0"), Now: noon})
		if c := trueCondition(p.Status, batchv1.JobSuccessCriteriaMet); c == nil || c.Reason != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
}
