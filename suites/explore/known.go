package explore

import (
	"regexp"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/version"
)

// Known is a deviation that was explained: a bug of an implementation.
type Known struct {
	// Implementation has it, in Versions of Kubernetes (a constraint; all, if it is
	// empty).
	Implementation string
	Versions       string
	// Story, Plan and Cause are regular expressions on the whole of what they
	// say; empty is any.
	Story, Plan, Cause string
	// Issue is its number, as in "kubernetes/kubernetes#141329"; empty if it has none.
	Issue string
	// Why is what the implementation does wrong.
	Why string
}

// Expected returns those that an implementation has in a release, as in v1.37.1.
func Expected(implementation, release string) []Known {
	return slices.DeleteFunc(slices.Clone(all), func(k Known) bool {
		return k.Implementation != implementation || !version.Satisfies(release, k.Versions)
	})
}

func (k Known) has(o Outcome) bool {
	return matches(k.Story, o.Story) && matches(k.Plan, o.Plan) &&
		!slices.ContainsFunc(o.Causes, func(cause string) bool { return !matches(k.Cause, cause) })
}

func matches(expression, text string) bool {
	return expression == "" || regexp.MustCompile("^(?:"+expression+")$").MatchString(text)
}

// knownOf is the deviation that explains an outcome, nil if none does.
func knownOf(known []Known, o Outcome) *Known {
	if !o.Red() {
		return nil
	}
	i := slices.IndexFunc(known, func(k Known) bool { return k.has(o) })
	if i < 0 {
		return nil
	}
	return &known[i]
}

// all are the deviations that explorations have shown so far.
var all = []Known{
	{
		Implementation: implementation.KubeControllerManager,
		Story:          "cron-deletion|cron-replace", Plan: "watch cronjobs [0-9]+: hold", Cause: "step [67]",
		Why: "The CronJob controller takes its cache of CronJobs for the truth. While that still has the CronJob " +
			"as it was before the start, the end of its Job is reason to look at it again, the tick seems due again, " +
			"and the Job is created again, even for a CronJob that is gone (syncCronJob in " +
			"pkg/controller/cronjob/cronjob_controllerv2.go; it asks the API server for Jobs, but not for the CronJob).",
	},
	{
		Implementation: implementation.KubeControllerManager,
		Story:          "suspend", Plan: "(create pods|update jobs/status) [0-9]+: .*", Cause: "step 7",
		Why: "When a Job is resumed and its pods have succeeded before that is on record, it is Complete and Suspended " +
			"for good, without a startTime: syncJob in pkg/controller/job/job_controller.go either finds that a Job has " +
			"succeeded, or brings the condition Suspended up to date.",
	},
	{
		Implementation: implementation.KubeControllerManager, Versions: "< 1.37.0",
		Story: "cron-.*", Plan: "(create (jobs|pods)|update cronjobs/status) [0-9]+: .*", Cause: "step [37]",
		Issue: "kubernetes/kubernetes#136918",
		Why: "After a crash or an error between the start of a Job and its record, the CronJob controller looks for the " +
			"Job in no namespace, and never takes it up again.",
	},
	{
		Implementation: implementation.KubeControllerManager,
		Plan:           "create pods [0-9]+: lose answer", Cause: "job-one-pod-per-index|job-active-within-parallelism",
		Why: "After a pod was created without an answer, the Job controller expects none: when the next event of the Job " +
			"comes before that of the pod, the pod is created again (createPod's error lowers the expectations, manageJob " +
			"in pkg/controller/job/job_controller.go). Seen once in three, on a busy machine.",
	},
}
