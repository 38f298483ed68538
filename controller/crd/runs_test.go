package crd

import (
	"testing"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func ofRuns(c *v1.CronJob) {
	c.Spec.RunTemplate = &v1.RunTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"team": "blue"},
			Annotations: map[string]string{"a": "b"}},
		Spec: v1.RunSpec{Retries: ptr.To[int32](2)},
	}
}

func TestARunIsStartedAndRecorded(t *testing.T) {
	live := server(t, hourly(ofRuns, last("09:00")))
	reconcileOnce(t, live, live, "10:00")
	var runs v1.RunList
	if err := live.List(t.Context(), &runs); err != nil || len(runs.Items) != 1 {
		t.Fatalf("%+v, %v", runs.Items, err)
	}
	cronJob, jobs := state(t, live)
	run := runs.Items[0]
	if run.Labels["team"] != "blue" || run.Annotations["a"] != "b" || run.Annotations[v1.ScheduledAt] == "" ||
		ptr.Deref(run.Spec.Retries, 0) != 2 || !metav1.IsControlledBy(&run, &cronJob) || len(jobs) > 0 {
		t.Errorf("%+v, Jobs %v", run, jobs)
	}
	if refs := cronJob.Status.Active; len(refs) != 1 || refs[0].Kind != "Run" || refs[0].Name != run.Name {
		t.Errorf("%+v", refs)
	}
	before := cronJob.ResourceVersion
	reconcileOnce(t, live, live, "10:00")
	if cronJob, _ = state(t, live); cronJob.ResourceVersion != before {
		t.Error("the status is written again")
	}
}

func TestRunsThatHaveEnded(t *testing.T) {
	ended := metav1.NewTime(at("09:30"))
	for phase, want := range map[string]string{"": "", v1.RunSucceeded: "Complete", v1.RunFailed: "Failed"} {
		job := planned(&v1.Run{Status: v1.RunStatus{Phase: phase, Ended: &ended}})
		var got string
		for _, c := range job.Status.Conditions {
			got = string(c.Type)
		}
		if got != want || (job.Status.CompletionTime != nil) != (want == string(batchv1.JobComplete)) {
			t.Errorf("%q: %+v", phase, job.Status)
		}
	}
}
