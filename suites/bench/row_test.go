package bench

import (
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// TestRowsMakeWhatTheySay counts the objects of every row.
func TestRowsMakeWhatTheySay(t *testing.T) {
	for _, row := range rowsAt(0.1) {
		t.Run(row.name, func(t *testing.T) {
			g, ctx := NewWithT(t), t.Context()
			a := &workload{client: fake.NewClientset(), namespace: "a"}
			if row.prepare != nil {
				g.Expect(row.prepare(ctx, a)).To(Succeed())
			}
			g.Expect(row.start(ctx, a)).To(Succeed())

			jobs, err := a.client.BatchV1().Jobs("a").List(ctx, metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			crons, err := a.client.BatchV1().CronJobs("a").List(ctx, metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(len(jobs.Items) + len(crons.Items)).To(Equal(row.jobs))
			pods := 0
			for _, job := range jobs.Items {
				g.Expect(job.Spec.Template.Spec.SchedulerName).To(Equal(scheduler))
				if job.Spec.Completions == nil {
					pods++
					continue
				}
				pods += int(*job.Spec.Completions)
			}
			for _, cron := range crons.Items {
				g.Expect(cron.Spec.JobTemplate.Spec.Template.Spec.SchedulerName).To(Equal(scheduler))
				g.Expect(cron.Status.LastScheduleTime).NotTo(BeNil())
				pods++
			}
			g.Expect(pods).To(Equal(row.pods))
		})
	}
}

func finishedJob(name string, condition batchv1.JobConditionType, succeeded, failed int32) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: batchv1.JobStatus{
		Succeeded: succeeded, Failed: failed,
		Conditions: []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue}},
	}}
}

func TestAWrongResultIsNoResult(t *testing.T) {
	row := row{pods: 3, jobs: 2}
	for name, c := range map[string]struct {
		jobs []*batchv1.Job
		want string
	}{
		"right":       {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 0), finishedJob("b", batchv1.JobComplete, 2, 0)}, ""},
		"one more":    {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 2, 0), finishedJob("b", batchv1.JobComplete, 2, 0)}, "miss -1 succeeded"},
		"one failed":  {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 1), finishedJob("b", batchv1.JobComplete, 2, 0)}, "and -1 failed"},
		"Failed":      {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 0), finishedJob("b", batchv1.JobFailed, 2, 0)}, "b is Failed"},
		"one missing": {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 0)}, "1 Jobs instead of 2"},
	} {
		g := NewWithT(t)
		a := &workload{finisher: &finisher{}, jobs: map[string]*batchv1.Job{}}
		for _, job := range c.jobs {
			a.jobs[job.Name] = job
		}
		err := a.judge(row)
		if c.want == "" {
			g.Expect(err).NotTo(HaveOccurred(), name)
		} else {
			g.Expect(err).To(MatchError(ContainSubstring(c.want)), name)
		}
	}
}
