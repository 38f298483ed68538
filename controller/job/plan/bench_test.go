package plan

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// BenchmarkPlan measures one Plan of a huge Job: half of its pods run, half have
// ended, and every other index is completed, which is the worst that intervals
// can be.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int32{1_000, 10_000, 100_000} {
		for name, changes := range map[string][]Change{
			"plain":   {Size(n, 3*n)},
			"indexed": {Size(n, 3*n), WithIndexes, everyOther(3 * n)},
			"perIndex": {Size(n, 3*n), PerIndex(3), Rule("Ignore In 42"), Rule("FailJob NotIn 1"),
				Success(fmt.Sprintf("0-%d", n)), everyOther(3 * n)},
		} {
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				v := viewOf(MakeJob(changes...), manyPods(n)...)
				b.ReportAllocs()
				for b.Loop() {
					New(v)
				}
			})
		}
	}
}

// everyOther index below n/2 is completed, one after the other.
func everyOther(n int32) Change {
	var list []string
	for ix := range n / 2 {
		if ix%2 == 0 {
			list = append(list, fmt.Sprint(ix))
		}
	}
	return Indexes(strings.Join(list, ","), "")
}

func manyPods(n int32) []*corev1.Pod {
	kinds := MakePods("a running ready ix=0", "b succeeded ix=0", "c running ix=0", "d failed exit=1 ix=0 ago=1h")
	var pods []*corev1.Pod
	for i := range n {
		pod := kinds[i%4].DeepCopy()
		pod.Name = fmt.Sprint("pod-", i)
		pod.UID = types.UID(pod.Name)
		pod.CreationTimestamp = metav1.NewTime(Noon)
		pod.Annotations[batchv1.JobCompletionIndexAnnotation] = fmt.Sprint(2*i + 1)
		pods = append(pods, pod)
	}
	return pods
}
