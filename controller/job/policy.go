package job

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// ruling is what the pod failure policy (KEP-3329) says of a failed pod.
type ruling struct {
	action batchv1.PodFailurePolicyAction
	why    string
}

var knownActions = []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionFailIndex,
	batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionCount}

// ruleOn goes by the first rule that fits. Without one the pod counts. Rules
// with an action of a later API are passed over, as the API asks.
func ruleOn(job *batchv1.Job, pod *corev1.Pod) ruling {
	if job.Spec.PodFailurePolicy != nil {
		for i, rule := range job.Spec.PodFailurePolicy.Rules {
			if fit := fits(rule, pod); fit != "" && slices.Contains(knownActions, rule.Action) {
				return ruling{rule.Action, fmt.Sprintf("%s matching %s rule at index %d", fit, rule.Action, i)}
			}
		}
	}
	return ruling{action: batchv1.PodFailurePolicyActionCount}
}

// fits says why a rule fits a failed pod, and nothing if it does not. Containers
// go before init containers; those that run or have exited with 0 never fit.
func fits(rule batchv1.PodFailurePolicyRule, pod *corev1.Pod) string {
	if codes := rule.OnExitCodes; codes != nil {
		for _, c := range slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses) {
			end := c.State.Terminated
			if end == nil || end.ExitCode == 0 || codes.ContainerName != nil && *codes.ContainerName != c.Name {
				continue
			}
			listed := slices.Contains(codes.Values, end.ExitCode)
			if codes.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn && listed ||
				codes.Operator == batchv1.PodFailurePolicyOnExitCodesOpNotIn && !listed {
				return fmt.Sprintf("Container %s for pod %s/%s failed with exit code %d", c.Name, pod.Namespace, pod.Name, end.ExitCode)
			}
		}
		return ""
	}
	for _, c := range pod.Status.Conditions {
		for _, pattern := range rule.OnPodConditions {
			if c.Type == pattern.Type && c.Status == cmp.Or(pattern.Status, corev1.ConditionTrue) {
				return fmt.Sprintf("Pod %s/%s has condition %s", pod.Namespace, pod.Name, c.Type)
			}
		}
	}
	return ""
}

// matchedRule returns the first rule of the success policy (KEP-3998) that the
// completed indexes meet: enough of those that it names, or of any. A rule that
// names none that exist is never met.
func matchedRule(job *batchv1.Job, completed intervals) (index int, met bool) {
	if job.Spec.SuccessPolicy == nil || !indexed(job) || len(completed) == 0 {
		return 0, false
	}
	for i, rule := range job.Spec.SuccessPolicy.Rules {
		reached, all := completed.total(), false
		if rule.SucceededIndexes != nil {
			named := parseIntervals(*rule.SucceededIndexes, completions(job))
			reached = named.total() - named.minus(completed).total()
			all = reached == named.total()
		}
		if reached > 0 && (all || rule.SucceededCount != nil && reached >= int(*rule.SucceededCount)) {
			return i, true
		}
	}
	return 0, false
}
