package job

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

type change func(*batchv1.Job)

// makeJob is a Job of one pod that was started a minute before noon.
func makeJob(changes ...change) *batchv1.Job {
	labels := map[string]string{batchv1.ControllerUidLabel: "job-uid", batchv1.JobNameLabel: "pi"}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pi", UID: "job-uid", ResourceVersion: "10"},
		Spec: batchv1.JobSpec{
			Parallelism:  ptr.To[int32](1),
			Completions:  ptr.To[int32](1),
			BackoffLimit: ptr.To[int32](6),
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: "job-uid"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
					Containers: []corev1.Container{{Name: "main", Image: "pi"}}},
			},
		},
		Status: batchv1.JobStatus{StartTime: ptr.To(metav1.NewTime(noon.Add(-time.Minute)))},
	}
	for _, c := range changes {
		c(job)
	}
	return job
}

func size(parallelism, completions int32) change {
	return func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &parallelism, &completions }
}

func workQueue(parallelism int32) change {
	return func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &parallelism, nil }
}

func withIndexes(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion) }
func withSuspend(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) }
func unstarted(j *batchv1.Job)   { j.Status.StartTime = nil }
func perIndex(limit int32) change {
	return func(j *batchv1.Job) {
		withIndexes(j)
		j.Spec.BackoffLimitPerIndex, j.Spec.BackoffLimit = &limit, ptr.To[int32](math.MaxInt32)
	}
}
func maxFailedIndexes(n int32) change {
	return func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = &n }
}
func indexes(completed, failed string) change {
	return func(j *batchv1.Job) {
		j.Status.CompletedIndexes = completed
		if failed != "" {
			j.Status.FailedIndexes = &failed
		}
	}
}

// rule adds one to the pod failure policy: ACTION[/CONTAINER] In|NotIn CODES, or
// ACTION CONDITION=STATUS....
func rule(text string) change {
	words := strings.Fields(text)
	action, container, _ := strings.Cut(words[0], "/")
	r := batchv1.PodFailurePolicyRule{Action: batchv1.PodFailurePolicyAction(action)}
	for _, word := range words[1:] {
		kind, status, isCondition := strings.Cut(word, "=")
		code, err := strconv.Atoi(word)
		switch {
		case isCondition:
			r.OnPodConditions = append(r.OnPodConditions, batchv1.PodFailurePolicyOnPodConditionsPattern{
				Type: corev1.PodConditionType(kind), Status: corev1.ConditionStatus(status)})
		case err != nil:
			r.OnExitCodes = &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOperator(word)}
			if container != "" {
				r.OnExitCodes.ContainerName = &container
			}
		default:
			r.OnExitCodes.Values = append(r.OnExitCodes.Values, int32(code))
		}
	}
	return func(j *batchv1.Job) {
		replaceFailed(j) // the API asks for that
		if j.Spec.PodFailurePolicy == nil {
			j.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{}
		}
		j.Spec.PodFailurePolicy.Rules = append(j.Spec.PodFailurePolicy.Rules, r)
	}
}

// success adds a rule to the success policy: INDEXES, xCOUNT, or both.
func success(text string) change {
	names, count, counted := strings.Cut(text, "x")
	var r batchv1.SuccessPolicyRule
	if names != "" {
		r.SucceededIndexes = &names
	}
	if counted {
		n, _ := strconv.Atoi(count)
		r.SucceededCount = ptr.To(int32(n))
	}
	return func(j *batchv1.Job) {
		withIndexes(j)
		if j.Spec.SuccessPolicy == nil {
			j.Spec.SuccessPolicy = &batchv1.SuccessPolicy{}
		}
		j.Spec.SuccessPolicy.Rules = append(j.Spec.SuccessPolicy.Rules, r)
	}
}

func onFailure(j *batchv1.Job) {
	j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
}
func beingDeleted(j *batchv1.Job) { j.DeletionTimestamp = ptr.To(metav1.NewTime(noon)) }
func replaceFailed(j *batchv1.Job) {
	j.Spec.PodReplacementPolicy = ptr.To(batchv1.Failed)
}
func limit(n int32) change { return func(j *batchv1.Job) { j.Spec.BackoffLimit = &n } }
func activeFor(seconds int64) change {
	return func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = &seconds }
}
func counted(succeeded, failed int32) change {
	return func(j *batchv1.Job) { j.Status.Succeeded, j.Status.Failed = succeeded, failed }
}
func uncounted(succeeded, failed string) change {
	uids := func(names string) (list []types.UID) {
		for _, n := range strings.Fields(names) {
			list = append(list, types.UID(n))
		}
		return list
	}
	return func(j *batchv1.Job) {
		j.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{Succeeded: uids(succeeded), Failed: uids(failed)}
	}
}
func is(kind batchv1.JobConditionType, status corev1.ConditionStatus) change {
	return func(j *batchv1.Job) {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: kind, Status: status, Reason: "Because"})
	}
}

// makePod reads "NAME [PHASE] [ready|deleted|bare|other] [KEY=VALUE]...": bare
// has no finalizer; keys are ix (completion index), restarts, ago (when it
// finished, became ready, or was created), exit (code of its container main) and
// init (that of its init container setup), initRestarts, cond (a condition that is true), fails
// and ignored (how often its index failed before).
func makePod(text string) *corev1.Pod {
	words := strings.Fields(text)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: words[0], UID: types.UID(words[0]), ResourceVersion: "5",
		Labels:            map[string]string{batchv1.ControllerUidLabel: "job-uid"},
		Annotations:       map[string]string{},
		CreationTimestamp: metav1.NewTime(noon.Add(-time.Minute)),
		Finalizers:        []string{batchv1.JobTrackingFinalizer},
		OwnerReferences:   []metav1.OwnerReference{*metav1.NewControllerRef(makeJob(), jobKind)},
	}}
	pod.Status.Phase = corev1.PodPending
	at := metav1.NewTime(noon)
	exit := []corev1.ContainerStatus{}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "pending":
		case "running":
			pod.Status.Phase = corev1.PodRunning
			pod.Spec.NodeName = "node"
		case "failed":
			pod.Status.Phase = corev1.PodFailed
		case "succeeded":
			pod.Status.Phase = corev1.PodSucceeded
		case "ready":
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		case "deleted":
			pod.DeletionTimestamp = ptr.To(metav1.NewTime(noon.Add(30 * time.Second)))
			pod.DeletionGracePeriodSeconds = ptr.To[int64](30)
		case "bare":
			pod.Finalizers = nil
		case "ix":
			pod.Annotations[batchv1.JobCompletionIndexAnnotation] = value
		case "restarts":
			n, _ := strconv.Atoi(value)
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: int32(n)}}
		case "exit":
			exit = append(exit, exited("main", value))
		case "init":
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, exited("setup", value))
		case "initRestarts":
			n, _ := strconv.Atoi(value)
			pod.Status.InitContainerStatuses[0].RestartCount = int32(n)
		case "cond":
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodConditionType(value), Status: corev1.ConditionTrue})
		case "fails":
			pod.Annotations[batchv1.JobIndexFailureCountAnnotation] = value
		case "ignored":
			pod.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation] = value
		case "ago":
			d, err := time.ParseDuration(value)
			if err != nil {
				panic(err)
			}
			at = metav1.NewTime(noon.Add(-d))
			pod.CreationTimestamp = at
		default:
			panic("unknown word " + word)
		}
	}
	if terminal(pod) {
		if len(exit) == 0 {
			exit = append(exit, exited("main", "0"))
		}
		for i := range exit {
			exit[i].State.Terminated.FinishedAt = at
		}
		pod.Status.ContainerStatuses = exit
	}
	for i := range pod.Status.Conditions {
		pod.Status.Conditions[i].LastTransitionTime = at
	}
	return pod
}

func exited(container, code string) corev1.ContainerStatus {
	n, _ := strconv.Atoi(code)
	return corev1.ContainerStatus{Name: container, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(n)}}}
}

func makePods(texts ...string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, text := range texts {
		pods = append(pods, makePod(text))
	}
	return pods
}

// describe puts a Plan into one line, without what is empty or zero.
func describe(p Plan) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	names := func(what string, pods []*corev1.Pod) {
		var list []string
		for _, pod := range pods {
			list = append(list, pod.Name)
		}
		if len(list) > 0 {
			add("%s %s", what, strings.Join(list, " "))
		}
	}
	number := func(what string, n int32) {
		if n != 0 {
			add("%s=%d", what, n)
		}
	}
	s := p.Status
	number("active", s.Active)
	number("ready", ptr.Deref(s.Ready, 0))
	number("terminating", ptr.Deref(s.Terminating, 0))
	number("succeeded", s.Succeeded)
	number("failed", s.Failed)
	if s.CompletedIndexes != "" {
		add("indexes=%s", s.CompletedIndexes)
	}
	if f := ptr.Deref(s.FailedIndexes, ""); f != "" {
		add("failedIndexes=%s", f)
	}
	if u := s.UncountedTerminatedPods; u != nil {
		for _, uid := range u.Succeeded {
			add("+%s", uid)
		}
		for _, uid := range u.Failed {
			add("-%s", uid)
		}
	}
	for _, c := range s.Conditions {
		add("%s=%s", c.Type, c.Status)
	}
	if s.StartTime == nil {
		add("unstarted")
	}
	if s.CompletionTime != nil {
		add("completed")
	}
	for _, e := range p.Events {
		add("!%s", e.Reason)
	}
	names("adopt", p.Adopt)
	names("disown", p.Disown)
	names("release", p.Release)
	names("retire", p.Retire)
	names("kill", p.Kill)
	if len(p.Create) > 0 && p.Create[0].index == noIndex {
		add("create %d", len(p.Create))
	} else if len(p.Create) > 0 {
		var list []string
		for _, n := range p.Create {
			text := strconv.Itoa(n.index)
			if n.after != nil {
				text += " after " + n.after.Name
			}
			list = append(list, text)
		}
		add("create %v", list)
	}
	if p.Again > 0 {
		add("again %v", p.Again)
	}
	return strings.Join(parts, ", ")
}

// planRow is one line of a table: a Job, its pods, and the Plan that follows.
type planRow struct {
	name string
	job  *batchv1.Job
	pods []*corev1.Pod
	want string
}

func checkPlans(t *testing.T, rows []planRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := plan(View{Job: row.job, Pods: row.pods, Now: noon, Backoff: defaultBackoff})
			if got := describe(p); got != row.want {
				t.Errorf("\n got %s\nwant %s", got, row.want)
			}
		})
	}
}
