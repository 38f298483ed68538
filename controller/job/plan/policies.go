package plan

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// decision is what the pod failure policy (KEP-3329) makes of a failed pod.
type decision struct {
	action batchv1.PodFailurePolicyAction
	reason string // which rule matched and why; empty if none did
}

var knownActions = []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionFailJob,
	batchv1.PodFailurePolicyActionFailIndex,
	batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionCount}

// decide goes by the first rule that matches. Without one the pod counts. Rules with an action of a
// later API are skipped, as the API asks.
func decide(job *batchv1.Job, pod *corev1.Pod) decision {
	if job.Spec.PodFailurePolicy != nil {
		for i, rule := range job.Spec.PodFailurePolicy.Rules {
			// JOB-PODFAILUREPOLICY-021
			if why := matches(rule, pod); why != "" && slices.Contains(knownActions, rule.Action) {
				return decision{rule.Action, fmt.Sprintf("%s matching %s rule at index %d", why, rule.Action, i)}
			}
		}
	}
	return decision{action: batchv1.PodFailurePolicyActionCount}
}

// FailureAction returns what the pod failure policy does about a pod, and false if the pod is no
// failure of the Job or no rule matches it.
func FailureAction(job *batchv1.Job, pod *corev1.Pod) (batchv1.PodFailurePolicyAction, bool) {
	decision := decide(job, pod)
	return decision.action, decision.reason != "" && countsAsFailed(job, pod) && validIndex(job, pod)
}

// matches returns why a rule matches a failed pod, and nothing if it does not. Containers go before
// init containers; those that run or have exited with 0 never match.
func matches(rule batchv1.PodFailurePolicyRule, pod *corev1.Pod) string {
	if codes := rule.OnExitCodes; codes != nil {
		// JOB-PODFAILUREPOLICY-014, JOB-PODFAILUREPOLICY-015
		for _, c := range slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses) {
			end := c.State.Terminated
			// JOB-PODFAILUREPOLICY-012, JOB-PODFAILUREPOLICY-013, JOB-PODFAILUREPOLICY-022
			if end == nil || end.ExitCode == 0 || codes.ContainerName != nil && *codes.ContainerName != c.Name {
				continue
			}
			listed := slices.Contains(codes.Values, end.ExitCode)
			// JOB-PODFAILUREPOLICY-010, JOB-PODFAILUREPOLICY-011
			if codes.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn && listed ||
				codes.Operator == batchv1.PodFailurePolicyOnExitCodesOpNotIn && !listed {
				return fmt.Sprintf("Container %s for pod %s/%s failed with exit code %d", c.Name, pod.Namespace,
					pod.Name, end.ExitCode)
			}
		}
		return ""
	}
	for _, c := range pod.Status.Conditions {
		for _, pattern := range rule.OnPodConditions {
			// JOB-PODFAILUREPOLICY-016, JOB-PODFAILUREPOLICY-017
			if c.Type == pattern.Type && c.Status == cmp.Or(pattern.Status, corev1.ConditionTrue) {
				return fmt.Sprintf("Pod %s/%s has condition %s", pod.Namespace, pod.Name, c.Type)
			}
		}
	}
	return ""
}

// metRule returns the first rule of the success policy (KEP-3998) that the completed indexes meet:
// enough of those that it names, or of any. A rule that names none that exist is never met.
func metRule(job *batchv1.Job, completed Intervals) (index int, met bool) {
	if job.Spec.SuccessPolicy == nil || !Indexed(job) || len(completed) == 0 {
		return 0, false
	}
	for i, rule := range job.Spec.SuccessPolicy.Rules {
		reached, all := completed.Total(), false // JOB-SUCCESSPOLICY-016
		if rule.SucceededIndexes != nil {        // JOB-SUCCESSPOLICY-001
			named := ParseIntervals(*rule.SucceededIndexes, completions(job))
			reached = named.Total() - named.Minus(completed).Total()
			all = reached == named.Total()
		}
		// JOB-SUCCESSPOLICY-002, JOB-SUCCESSPOLICY-003, JOB-SUCCESSPOLICY-005
		if reached > 0 && (all || rule.SucceededCount != nil && reached >= int(*rule.SucceededCount)) {
			return i, true
		}
	}
	return 0, false
}
