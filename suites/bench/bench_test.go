package bench

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/suites/bench/requests"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestChosenRows(t *testing.T) {
	for asked, want := range map[string]string{
		"":          "jobs job indexed cronjobs failing",
		"long":      "long",
		"long,jobs": "jobs long",
	} {
		o := Options{Scale: 1, Repeat: 1, Limits: []Limit{Unlimited}}
		if asked != "" {
			o.Rows = strings.Split(asked, ",")
		}
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range o.rows() {
			names = append(names, r.name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q chooses %q, want %q", asked, got, want)
		}
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"200/400":   {QPS: 200, Burst: 400},
		"50":        {QPS: 50, Burst: 50},
		"unlimited": Unlimited,
	} {
		got, err := ParseLimit(text)
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
		if back, err := ParseLimit(got.String()); err != nil || back != got {
			t.Errorf("%v is written %s", got, got)
		}
	}
}

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
		"right": {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 0),
			finishedJob("b", batchv1.JobComplete, 2, 0)}, ""},
		"one more": {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 2, 0),
			finishedJob("b", batchv1.JobComplete, 2, 0)}, "miss -1 succeeded"},
		"one failed": {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 1),
			finishedJob("b", batchv1.JobComplete, 2, 0)}, "and -1 failed"},
		"Failed": {[]*batchv1.Job{finishedJob("a", batchv1.JobComplete, 1, 0),
			finishedJob("b", batchv1.JobFailed, 2, 0)}, "b is Failed"},
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

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1}, 5},
		{[]float64{3, 1, 2}, 2},
		{[]float64{100, 1, 2, 4}, 3},
	} {
		before := append([]float64(nil), c.numbers...)
		if got := median(c.numbers); got != c.want {
			t.Errorf("median of %v: %v, want %v", before, got, c.want)
		}
		if c.numbers[0] != before[0] {
			t.Errorf("%v became %v", before, c.numbers)
		}
	}
	if !math.IsNaN(median(nil)) {
		t.Error("a median of nothing")
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0.123: "0.12", 9.876: "9.88", 12.34: "12.3", 1234.5: "1234"} {
		if got := figure(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
	if figure(math.NaN()) != "–" || ratio(1, 0) != "–" || ratio(0, 0) != "–" || ratio(1, 4) != "0.25" {
		t.Error("a ratio or a figure where there is none, or none where there is one")
	}
}

// three repeats, of which the middle one counts.
func repeats(seconds float64, creates int) []sample {
	var all []sample
	for _, factor := range []float64{1, 10, 0.1} {
		all = append(all, sample{
			time: time.Duration(seconds * factor * float64(time.Second)), cpu: 2 * factor,
			peak: uint64(40 * factor * (1 << 20)),
			calls: requests.Counts{{Verb: "create", Resource: "pods"}: creates,
				{Verb: "patch", Resource: "pods"}: creates * 2},
		})
	}
	return all
}

func TestTablesHaveMediansPerPodAndRatios(t *testing.T) {
	lines := []line{{text: "a Job", pods: 100, ours: repeats(3, 100), theirs: repeats(6, 200)}}
	for name, c := range map[string]struct {
		write func(*strings.Builder)
		want  string
	}{
		"comparison": {
			func(b *strings.Builder) { printComparison(b, lines) },
			"| row | seconds | upstream | ratio | calls per pod | upstream | ratio | peak MiB | upstream | ratio | " +
				"CPU seconds | upstream | ratio |\n" +
				"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n" +
				"| a Job | 3.00 | 6.00 | 0.50 | 3.00 | 6.00 | 0.50 | 40.0 | 40.0 | 1.00 | 2.00 | 2.00 | 1.00 |\n\n",
		},
		"comparison with what takes no controller": {
			func(b *strings.Builder) {
				printComparison(b, append([]line{{text: "by hand", pods: 100, ours: repeats(3, 100),
					theirs: repeats(6, 200), byHand: []float64{2, 9, 1}}}, lines...))
			},
			"| row | seconds | upstream | ratio | calls per pod | upstream | ratio | peak MiB | upstream | ratio | " +
				"CPU seconds | upstream | ratio | seconds by hand | ratio |\n" +
				"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | " +
				"---: | ---: | ---: | ---: |\n" +
				"| by hand | 3.00 | 6.00 | 0.50 | 3.00 | 6.00 | 0.50 | 40.0 | 40.0 | 1.00 | 2.00 | " +
				"2.00 | 1.00 | 2.00 | 1.50 |\n" +
				"| a Job | 3.00 | 6.00 | 0.50 | 3.00 | 6.00 | 0.50 | 40.0 | 40.0 | 1.00 | 2.00 | " +
				"2.00 | 1.00 | – | – |\n\n",
		},
		"calls": {
			func(b *strings.Builder) { printCalls(b, lines) },
			"| row | by | patch pods | create pods |\n" +
				"| --- | ---: | ---: | ---: |\n" +
				"| a Job | reference | 2.000 | 1.000 |\n" +
				"| a Job | upstream | 4.000 | 2.000 |\n\n",
		},
		"floors": {
			func(b *strings.Builder) {
				printFloors(b, []floorLine{{text: "a loop", pods: 1000, seconds: []float64{4, 1, 2}}})
			},
			"| without a controller | pods | seconds | pods a second |\n" +
				"| --- | ---: | ---: | ---: |\n" +
				"| a loop | 1000 | 2.00 | 500 |\n\n",
		},
	} {
		var got strings.Builder
		c.write(&got)
		if got.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got.String(), c.want)
		}
	}
}

func pod(name, scheduler, code string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, Annotations: map[string]string{exitCode: code}},
		Spec: corev1.PodSpec{SchedulerName: scheduler,
			Containers: []corev1.Container{{Name: "main", Image: "none"}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func TestFinisherEndsItsPods(t *testing.T) {
	g, ctx := NewWithT(t), t.Context()
	c := fake.NewClientset(pod("early", scheduler, "0"))
	// What is created between an informer's list and its watch never arrives from this client.
	watching := make(chan struct{}, 1)
	c.PrependWatchReactor("pods", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := c.Tracker().Watch(action.GetResource(), action.GetNamespace())
		watching <- struct{}{}
		return true, w, err
	})
	p, err := finishPods(ctx, c, "a")
	g.Expect(err).NotTo(HaveOccurred())
	defer p.stop()
	<-watching
	for _, made := range []*corev1.Pod{pod("failing", scheduler, "3"), pod("foreign", "default-scheduler", "0")} {
		_, err := c.CoreV1().Pods("a").Create(ctx, made, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Eventually(p.ended.Load, time.Minute).Should(BeEquivalentTo(2))
	g.Expect(p.err()).NotTo(HaveOccurred())

	phase := func(name string) corev1.PodStatus {
		seen, err := c.CoreV1().Pods("a").Get(ctx, name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return seen.Status
	}
	g.Expect(phase("early").Phase).To(Equal(corev1.PodSucceeded))
	g.Expect(phase("failing").Phase).To(Equal(corev1.PodFailed))
	g.Expect(phase("failing").ContainerStatuses[0].State.Terminated.ExitCode).To(BeEquivalentTo(3))
	g.Expect(phase("foreign").Phase).To(Equal(corev1.PodPending))
}

var kept []byte

func TestUsageOfThisProcess(t *testing.T) {
	before, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	kept = make([]byte, size)
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		for i := 0; i < size; i += 512 {
			kept[i]++
		}
	}
	kept = nil
	after, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if more := after.peak - before.peak; more < size/2 || more > 4*size {
		t.Errorf("the peak grew by %d bytes, want about %d", more, size)
	}
	if more := after.cpu - before.cpu; more < 0.02 || more > 10 {
		t.Errorf("%.2f s of CPU time, want about 0.3", more)
	}
}

func TestNoSuchProcess(t *testing.T) {
	if _, err := usageOf(1 << 30); err == nil {
		t.Error("no error for a process that is not there")
	}
}

func TestThisMachine(t *testing.T) {
	m, err := thisMachine()
	if err != nil {
		t.Fatal(err)
	}
	if m.memory < 64<<20 {
		t.Errorf("%d bytes of memory", m.memory)
	}
}
