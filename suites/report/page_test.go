package report

import (
	"fmt"
	"html/template"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestPageIsOneFileThatNeedsNothingElse(t *testing.T) {
	r := judge(
		ended("a <b> & c", broken, "JOB-A-002"), ended("b", passed, "JOB-A-001"), ended("i", notRun, "JOB-I-001"))
	r.Implementation.Name = "<script>alert(1)</script>"
	text, err := Page(r, map[string]Picture{
		"b": {Timelines: []Timeline{{SVG: `<svg class="tl"></svg>`}}, Again: "make e2e FOCUS='b'"}}, []string{"a.log"})
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, bad := range []string{"<script>alert", "src=", "@import", "url(", "<link rel=\"stylesheet", "a <b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q in it", bad)
		}
	}
	for _, good := range []string{
		`id="JOB-A-001"`, `data-outcome="non-conformant"`, `href="#spec-a--b----c"`, `id="spec-a--b----c"`,
		`<svg class="tl">`,
		`1 <span class="o failed">failed</span>`, "make e2e FOCUS=", `href="a.log"`, `id="cause-JOB-A-001"`,
	} {
		if !strings.Contains(page, good) {
			t.Errorf("the page lacks %q", good)
		}
	}
	// Every link within the page leads somewhere.
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(m[1], "=") && !strings.Contains(page, `id="`+m[1]+`"`) {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
}

// Of 400 specs with pictures of 10 kB each, about as large as they get.
func TestPageOfManySpecsStaysSmall(t *testing.T) {
	var specs []spec.Spec
	pictures := map[string]Picture{}
	for i := range 400 {
		name := fmt.Sprintf("spec %d does what it says", i)
		specs = append(specs, ended(name, passed, "JOB-A-001", "JOB-A-002"))
		pictures[name] = Picture{Timelines: []Timeline{
			{SVG: template.HTML("<svg>" + strings.Repeat("<circle/>", 1100) + "</svg>")}}}
	}
	text, err := Page(judge(specs...), pictures, nil)
	if err != nil {
		t.Fatal(err)
	}
	if limit := 5 << 20; len(text) > limit {
		t.Errorf("the page has %d bytes, more than %d", len(text), limit)
	}
}

// sampleEnv is where the test below writes a page for tests in a browser. Default: nowhere.
const sampleEnv = "JOBCONFORMANCE_SAMPLE"

// The page of a run with 600 specs and all outcomes.
func TestSamplePage(t *testing.T) {
	path := os.Getenv(sampleEnv)
	if path == "" {
		t.Skip("not verified: " + sampleEnv + " names no file")
	}
	ends := []func(*spec.Spec){failed, should, known, fixed, harness, notRun, declined, broken}
	var specs []spec.Spec
	pictures := map[string]Picture{}
	for i := range 600 {
		end, q := passed, table.All()[i%len(table.All())]
		if i%10 == 0 {
			end = ends[i/10%len(ends)]
		}
		s := ended(fmt.Sprintf("Job sample: the controller keeps %s, number %d", q.ID, i), end, q.ID)
		s.Source = spec.Source{File: "suites/job/parallelism.go", Line: 20 + i}
		refused := "Requests of the implementation that failed:\n  9 times update jobs/a/status: 422 Job.batch \"a\" " +
			"is invalid: status.conditions: cannot set Complete=True condition without the SuccessCriteriaMet=true " +
			"condition"
		if !s.Failed {
			refused = ""
		}
		pictures[s.Text] = Picture{
			Refused: refused, Details: strings.Replace(refused, "Requests", "Log lines", 1),
			Timelines: []Timeline{{SVG: template.HTML(timeline.SVG(sample(5), nil)),
				Revisions: timeline.Revisions(sample(5))}},
			Again: "make e2e IMPLEMENTATION='exec:./x' FOCUS='^" + s.Text + "$$'",
		}
		specs = append(specs, s)
	}
	run := Run{
		Run: record.Run{Specs: specs[:400], Date: time.Now().AddDate(0, 0, -1), Duration: time.Minute},
		Implementation: Implementation{Name: "mine", Version: "v0.1.0", Organization: "Example",
			URL: "https://example.org"},
		Cluster:   Cluster{Kind: "embedded", KubernetesVersion: "v1.37.1"},
		Selection: Selection{Labels: "area:job && !slow"},
	}
	run.Earlier = Judge(run, table.All())
	run.Specs, run.Date = specs, time.Now()
	r := Judge(run, table.All())
	text, err := Page(r, pictures, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// sample is the history of a Job that has run its pods.
func sample(pods int) (h history.History) {
	start := time.Unix(1e9, 0)
	add := func(after int, object client.Object) {
		object.SetResourceVersion(fmt.Sprint(len(h.Revisions)))
		h.Revisions = append(h.Revisions, history.Revision{At: start.Add(time.Duration(after) * time.Millisecond),
			Type: watch.Added, Object: object, Manager: "controller"})
	}
	job := batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "job", Namespace: "jobconformance-x7k2f",
		Labels: map[string]string{"batch.kubernetes.io/job-name": "a"}}}
	job.Spec.Parallelism, job.Spec.Completions = ptr.To(int32(pods)), ptr.To(int32(pods))
	job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: "puppet",
		TerminationMessagePath: "/dev"}}
	add(0, job.DeepCopy())
	for i := range pods {
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("a-", i), UID: types.UID(fmt.Sprint(i)),
			OwnerReferences: []metav1.OwnerReference{{UID: "job"}}}, Spec: job.Spec.Template.Spec}
		for k, phase := range []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded} {
			pod.Status.Phase = phase
			add(20*i+300*k, pod.DeepCopy())
		}
	}
	for i, c := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(slices.Clone(job.Status.Conditions),
			batchv1.JobCondition{Type: c, Status: corev1.ConditionTrue})
		add(20*pods+700+5*i, job.DeepCopy())
	}
	return h
}
