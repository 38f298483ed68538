package explore

import (
	"maps"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// What somebody may do to a pod, of whatever Job, who takes it for his own or wants to be rid of it.
const (
	// Relabels takes the labels away that the Job's selector asks for: the Job has to release the pod, and to replace
	// it where it has not ended.
	Relabels Action = "user relabels a pod"
	// Untracks takes the tracking finalizer from a pod that runs: such a pod is never counted (KEP-2307), and the Job
	// replaces it when it has ended.
	Untracks Action = "user untracks a pod"
	// UntracksEnded does so to a pod that has ended. It was counted before, or never is.
	UntracksEnded Action = "user untracks an ended pod"
	// Unindexes takes the completion index away: an Indexed Job has to delete the pod, which does not count.
	Unindexes Action = "user takes the index of a pod"
	// DeletesNamespace deletes the namespace: the pods have to be released, so that it can go.
	DeletesNamespace Action = "user deletes the namespace"
	// LosesNode lets a pod run on a node that does not answer any more: it is deleted, and terminates until the garbage
	// collector of pods gives it up, which is when it fails.
	LosesNode Action = "user loses the node of a pod"
	// Forces deletes a pod that has not ended, without a time to end.
	Forces Action = "user deletes a pod by force"
)

// others are what somebody may do to the pods of an object of a kind after something with the verb.
func others(verb, kind string) []Action {
	switch {
	case verb == "watch", verb == "list":
		return nil
	case kind == "CronJob":
		return []Action{Relabels, Untracks, UntracksEnded, Forces, DeletesNamespace}
	}
	return []Action{Relabels, Untracks, UntracksEnded, Unindexes, Forces, DeletesNamespace}
}

// nodes are what becomes of nodes after something with the verb.
func nodes(verb, _ string) []Action {
	if verb == "watch" || verb == "list" {
		return nil
	}
	return []Action{LosesNode}
}

// lost is true for a pod on a node that does not answer any more.
const lost = "has(p.metadata.annotations) && '" + scenario.Lost + "' in p.metadata.annotations"

// loseNode are the steps of LosesNode.
func loseNode(end string) []scenario.Step {
	stays := map[string]any{"annotations": map[string]any{puppet.Terminate: puppet.Hold, scenario.Lost: "true"}}
	given := map[string]any{"phase": corev1.PodFailed, "reason": "NodeLost"}
	return []scenario.Step{
		{Await: "pods.exists(p, " + running + ") || " + end},
		{IfAny: true, Patch: &scenario.Patch{Kind: "Pod", Which: running, Merge: map[string]any{"metadata": stays}}},
		{IfAny: true, Delete: &scenario.Delete{Kind: "Pod", Which: lost}},
		{Pause: troubleTime},
		{IfAny: true, Patch: &scenario.Patch{Kind: "Pod", Which: lost, Status: true,
			Merge: map[string]any{"status": given}}},
		{IfAny: true, Delete: &scenario.Delete{Kind: "Pod", Which: lost, Force: true}},
	}
}

// toPods has the step of each: it is done to the oldest pod that is so, if there is one.
var toPods = map[Action]scenario.Step{
	Relabels: ofPod("has(p.metadata.finalizers)", "labels", map[string]any{batchv1.ControllerUidLabel: nil,
		batchv1.JobNameLabel: nil, "controller-uid": nil, "job-name": nil}),
	Untracks:      ofPod("has(p.metadata.finalizers) && p.status.phase == 'Running'", "finalizers", nil),
	UntracksEnded: ofPod("has(p.metadata.finalizers) && p.status.phase in ['Succeeded', 'Failed']", "finalizers", nil),
	Unindexes: ofPod("has(p.metadata.finalizers)", "annotations",
		map[string]any{batchv1.JobCompletionIndexAnnotation: nil}),
	Forces: {Delete: &scenario.Delete{Kind: "Pod", Which: "!(p.status.phase in ['Succeeded', 'Failed'])", Force: true},
		IfAny: true},
}

// unknowing are the invariants that do not hold with an action: what was taken from a pod, such as its index, they do
// not know any more, and the controller neither counts the pod nor what came of it.
var unknowing = map[Action][]string{
	Untracks:      {"job-index-failure-count"},
	UntracksEnded: {"job-index-failure-count"},
	Unindexes:     {"job-index-failure-count", "job-pod-released-after-counting"},
}

// ofPod returns a step that changes metadata of a pod. By the annotation, the history shows who it was: who only takes
// something away owns no field.
func ofPod(which, field string, to map[string]any) scenario.Step {
	metadata := map[string]any{"annotations": map[string]any{"example.com/changed": field}}
	switch {
	case to == nil:
		metadata[field] = nil
	case field == "annotations":
		maps.Copy(metadata[field].(map[string]any), to)
	default:
		metadata[field] = to
	}
	return scenario.Step{Patch: &scenario.Patch{Kind: "Pod", Which: which,
		Merge: map[string]any{"metadata": metadata}}, IfAny: true}
}

// Others are plans in which somebody is in the way.
func (s Seen) Others(sc Scenario) []Plan {
	return slices.DeleteFunc(s.acts(sc, others), func(p Plan) bool {
		_, created := sc.object()
		job, is := created.Object.(*batchv1.Job)
		return p[0].User == Unindexes && !(is && job.Spec.CompletionMode != nil &&
			*job.Spec.CompletionMode == batchv1.IndexedCompletion)
	})
}
