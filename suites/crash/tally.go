package crash

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Tally is the result.
type Tally struct {
	Seed       uint64
	Kills      int
	Writes     int // of the controller, over all restarts
	Complete   int // Jobs
	Failed     int // Jobs
	Pods       int // that were created
	Violations []string
}

// Green reports whether there was no violation.
func (t *Tally) Green() bool { return len(t.Violations) == 0 }

// shown is how many violations Print writes in full: one defect makes many.
const shown = 10

// Print writes it, with the first violations.
func (t *Tally) Print(out io.Writer) {
	for _, v := range t.Violations[:min(shown, len(t.Violations))] {
		fmt.Fprintf(out, "VIOLATION %s\n", v)
	}
	if more := len(t.Violations) - shown; more > 0 {
		fmt.Fprintf(out, "… and %d more\n", more)
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(table, "kills\t%d\n", t.Kills)
	fmt.Fprintf(table, "Jobs\t%d complete, %d failed\n", t.Complete, t.Failed)
	fmt.Fprintf(table, "pods\t%d\n", t.Pods)
	fmt.Fprintf(table, "writes\t%d\n", t.Writes)
	fmt.Fprintf(table, "violations\t%d\n", len(t.Violations))
	fmt.Fprintf(table, "seed\t%d\n", t.Seed)
	_ = table.Flush()
}

// count compares the outcomes of the Jobs, by name, with their scripts. Pods that
// still have the tracking finalizer are violations.
func (t *Tally) count(scripts []Script, became map[string]End, tracked []string) {
	for _, s := range scripts {
		got, ok := became[s.Job.Name]
		if !ok {
			t.blame("Job %s is gone", s.Job.Name)
			continue
		}
		t.Pods += got.Pods
		switch got.Condition {
		case batchv1.JobComplete:
			t.Complete++
		case batchv1.JobFailed:
			t.Failed++
		}
		t.judge(s, got)
	}
	slices.Sort(tracked)
	for _, pod := range tracked {
		t.blame("pod %s still has the finalizer %s", pod, batchv1.JobTrackingFinalizer)
	}
}

// All has all violations, for a file.
func (t *Tally) All() string { return strings.Join(t.Violations, "\n") + "\n" }

func (t *Tally) judge(s Script, got End) {
	name, want := s.Job.Name, s.Want
	if got.Condition != want.Condition {
		t.blame("Job %s is %q, want %q", name, got.Condition, want.Condition)
	}
	if got.Succeeded != want.Succeeded {
		t.blame("Job %s has %d succeeded pods in its status, want %d", name, got.Succeeded, want.Succeeded)
	}
	if s.Pause {
		return // a pause deletes the active pods, which may count as failed
	}
	if got.Failed != want.Failed {
		t.blame("Job %s has %d failed pods in its status, want %d", name, got.Failed, want.Failed)
	}
	if got.Pods != want.Pods {
		t.blame("Job %s had %d pods, want %d", name, got.Pods, want.Pods)
	}
}

func (t *Tally) blame(format string, args ...any) {
	t.Violations = append(t.Violations, fmt.Sprintf(format, args...))
}

// outcomes returns how the Jobs were at the end of a history, and how many pods
// were created for each.
func outcomes(h history.History) map[string]End {
	all := map[string]End{}
	for _, r := range h.Jobs("") {
		job := r.Job()
		if r.Type == watch.Deleted {
			delete(all, job.Name)
			continue
		}
		o := all[job.Name]
		o.Condition, o.Succeeded, o.Failed = kinds.Finished(job), job.Status.Succeeded, job.Status.Failed
		all[job.Name] = o
	}
	for _, r := range h.Pods("") {
		if ref := metav1.GetControllerOfNoCopy(r.Object); r.Type == watch.Added && ref != nil {
			o := all[ref.Name]
			o.Pods++
			all[ref.Name] = o
		}
	}
	return all
}

// finished returns how many Jobs are finished now.
func (t *Test) finished() int {
	n := 0
	for _, job := range t.recorder.Jobs() {
		if kinds.Finished(&job) != "" {
			n++
		}
	}
	return n
}

// tracked returns the pods that have the tracking finalizer now.
func (t *Test) tracked() []string {
	var names []string
	for _, pod := range t.recorder.Pods() {
		if slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer) {
			names = append(names, pod.Name)
		}
	}
	return names
}
