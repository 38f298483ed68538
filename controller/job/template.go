package job

import (
	"fmt"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	completionIndexEnv = "JOB_COMPLETION_INDEX"
	// maxGeneratedPrefix leaves room for the five random characters that the API
	// server adds to generateName within a DNS label of 63.
	maxGeneratedPrefix = 58
)

var jobKind = batchv1.SchemeGroupVersion.WithKind("Job")

// newPod is a pod from the Job's template. Its labels are the template's: the
// API server has put job-name and controller-uid there.
func newPod(job *batchv1.Job, n newcomer) *corev1.Pod {
	template := job.Spec.Template.DeepCopy()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       job.Namespace,
			GenerateName:    namePrefix(job.Name, "-"),
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			Finalizers:      template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, jobKind)},
		},
		Spec: template.Spec,
	}
	if !hasFinalizer(pod) {
		pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer)
	}
	if n.index != noIndex {
		setIndex(pod, job.Name, n.index)
	}
	if limitPerIndex(job) {
		counted, ignored := inherited(job, n.after)
		pod.Annotations[batchv1.JobIndexFailureCountAnnotation] = strconv.Itoa(counted)
		if ignored > 0 {
			pod.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation] = strconv.Itoa(ignored)
		}
	}
	return pod
}

// setIndex tells a pod its completion index in all the ways that KEP-2214 and
// KEP-4017 promise: annotation, label, environment and host name.
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
	if slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == completionIndexEnv }) {
		return
	}
	path := fmt.Sprintf("metadata.labels['%s']", batchv1.JobCompletionIndexAnnotation)
	c.Env = append(c.Env, corev1.EnvVar{
		Name:      completionIndexEnv,
		ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}},
	})
}

// namePrefix shortens the name rather than the suffix, which carries the index.
func namePrefix(name, suffix string) string {
	return name[:min(len(name), maxGeneratedPrefix-len(suffix))] + suffix
}
