package crash

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	batchv1 "k8s.io/api/batch/v1"
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
func (t *Tally) count(scripts []Script, became map[string]Outcome, tracked []string) {
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

func (t *Tally) judge(s Script, got Outcome) {
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
