package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	completionIndexEnv = "JOB_COMPLETION_INDEX"
	// maxGeneratedPrefix leaves room for the five random characters that the API server adds to
	// generateName within a DNS label of 63.
	maxGeneratedPrefix = 58
)

// Kind is the group, version and kind of a Job.
var Kind = batchv1.SchemeGroupVersion.WithKind("Job")

// create adds up to n pods, the lowest indexes first. Indexes in back-off are skipped; the next
// ones take their slots.
func (p *Plan) create(v View, c counts, n int) {
	if !Indexed(v.Job) {
		for range n {
			p.Create = append(p.Create, newPod(v.Job, noIndex, nil))
		}
		return
	}
	taken := c.indexes.completed
	taken = taken.plus(c.indexes.failed).with(indexesOf(c.active)...)
	if ReplaceOnlyFailed(v.Job) {
		taken = taken.with(indexesOf(c.terminating)...) // JOB-REPLACEMENT-005
	}
	var waiting []int
	for ix, pod := range c.indexes.retained {
		// JOB-BACKOFFLIMITPERINDEX-014, JOB-BACKOFFLIMITPERINDEX-015
		if wait := v.Backoff.after(Attempts(pod)+1, finishTime(pod)).Sub(v.Now); wait > 0 {
			waiting = append(waiting, ix)
			p.requeueAfter(wait)
		}
	}
	// JOB-INDEXED-001, JOB-INDEXED-009, JOB-INDEXED-010, JOB-ELASTIC-001, JOB-ADMISSION-015,
	// JOB-BACKOFFLIMITPERINDEX-003
	all := Intervals{{0, completions(v.Job) - 1}}
	for _, ix := range all.Minus(taken.with(waiting...)).Lowest(n) {
		p.Create = append(p.Create, newPod(v.Job, ix, c.indexes.retained[ix]))
	}
}

// newPod returns a pod from the Job's template. Its labels are the template's: the API server has
// put job-name and controller-uid there. failed is the pod of the same index that it follows and
// inherits the number of failures from, nil if there is none.
// JOB-PODS-001, JOB-DEADLINE-009, JOB-SUSPEND-009, JOB-SUSPEND-010, JOB-ADMISSION-017
func newPod(job *batchv1.Job, index int, failed *corev1.Pod) *corev1.Pod {
	template := job.Spec.Template.DeepCopy()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       job.Namespace,
			GenerateName:    namePrefix(job.Name, "-"), // JOB-PODS-003
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			Finalizers:      template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, Kind)}, // JOB-PODS-004
		},
		Spec: template.Spec,
	}
	if !HasFinalizer(pod) {
		pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer) // JOB-TRACKING-001
	}
	if index != noIndex {
		setIndex(pod, job.Name, index)
	}
	if LimitPerIndex(job) { // JOB-BACKOFFLIMITPERINDEX-012, JOB-BACKOFFLIMITPERINDEX-013
		counted, ignored := inherited(job, failed)
		pod.Annotations[batchv1.JobIndexFailureCountAnnotation] = strconv.Itoa(counted)
		if ignored > 0 {
			pod.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation] = strconv.Itoa(ignored)
		}
	}
	return pod
}

// inherited returns indexFailures of the pod that follows a failed one.
func inherited(job *batchv1.Job, failed *corev1.Pod) (counted, ignored int) {
	if failed == nil {
		return 0, 0
	}
	counted, ignored = indexFailures(failed)
	if decide(job, failed).action == batchv1.PodFailurePolicyActionIgnore {
		return counted, min(ignored+1, math.MaxInt32)
	}
	return min(counted+1, math.MaxInt32), ignored
}

// setIndex gives a pod its completion index in all the ways that KEP-2214 and KEP-4017 promise:
// annotation, label, environment, name and host name.
// JOB-INDEXED-001, JOB-INDEXED-002, JOB-INDEXED-003, JOB-INDEXED-004
func setIndex(pod *corev1.Pod, jobName string, index int) {
	ix := strconv.Itoa(index)
	pod.GenerateName = namePrefix(jobName, "-"+ix+"-")
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, ix)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, ix)
	pod.Spec.Hostname = jobName + "-" + ix
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			addIndexEnv(&containers[i])
		}
	}
}

func addIndexEnv(c *corev1.Container) {
	// JOB-INDEXED-005
	if slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == completionIndexEnv }) {
		return
	}
	path := fmt.Sprintf("metadata.labels['%s']", batchv1.JobCompletionIndexAnnotation)
	c.Env = append(c.Env, corev1.EnvVar{
		Name:      completionIndexEnv,
		ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}},
	})
}

// namePrefix shortens the name rather than the suffix, which carries the index. JOB-IDENTITY-002
func namePrefix(name, suffix string) string {
	return name[:min(len(name), maxGeneratedPrefix-len(suffix))] + suffix
}
