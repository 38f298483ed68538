package job

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// stepsTaken is over all worlds of this process.
var stepsTaken int

// TestMain prints how far `make fuzz` went; the last line is its verdict.
func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("JOBCONFORMANCE_FUZZ_STEPS") != "" {
		verdict := map[bool]string{true: "every invariant is kept", false: "FAILED, see above"}[code == 0]
		fmt.Printf("fuzz: the Job controller took %d steps, %s\n", stepsTaken, verdict)
	}
	os.Exit(code)
}

// TestWorlds runs random Jobs, a few seconds long or for as many steps as
// JOBCONFORMANCE_FUZZ_STEPS says.
func TestWorlds(t *testing.T) {
	want, _ := strconv.Atoi(os.Getenv("JOBCONFORMANCE_FUZZ_STEPS"))
	if want > 0 { // a world is some 60 steps
		if err := flag.Set("rapid.checks", strconv.Itoa(want/60+1)); err != nil {
			t.Fatal(err)
		}
	}
	for rapid.Check(t, runWorld); stepsTaken < want; {
		rapid.Check(t, runWorld)
	}
}

func FuzzWorlds(f *testing.F) { f.Fuzz(rapid.MakeFuzz(runWorld)) }

func runWorld(t *rapid.T) {
	w := newWorld(t, randomJob(t))
	things := []string{"sync", "sync", "sync", "pods", "pods", "jobs", "jobs", "run", "end", "end", "end", "delete",
		"kubelet", "kubelet", "user", "wait"}
	for range rapid.IntRange(10, 80).Draw(t, "steps") {
		what := rapid.SampledFrom(things).Draw(t, "step")
		pick := rapid.IntRange(0, 999).Draw(t, "pick")
		if what != "sync" {
			w.act(what, pick)
		} else {
			w.sync(randomFault(t, pick))
		}
		t.Logf("%s %d: %s", what, pick, w.describe())
		stepsTaken++
	}
	w.settle()
}

// randomJob may be of every kind, and with every policy that goes with it.
func randomJob(t *rapid.T) *batchv1.Job {
	number := func(what string, from, to int) *int32 {
		return ptr.To(int32(rapid.IntRange(from, to).Draw(t, what)))
	}
	yes := func(what string) bool { return rapid.Bool().Draw(t, what) }
	job := MakeJob(Unstarted)
	spec := &job.Spec
	spec.BackoffLimit = number("backoffLimit", 0, 4)
	spec.Parallelism, spec.Completions = number("parallelism", 0, 5), number("completions", 0, 6)
	spec.Suspend = ptr.To(yes("suspend"))
	switch rapid.SampledFrom([]string{"plain", "queue", "indexed", "limit per index"}).Draw(t, "mode") {
	case "queue":
		spec.Completions = nil
	case "indexed":
		Indexed(job)
	case "limit per index":
		Indexed(job)
		spec.BackoffLimitPerIndex, spec.BackoffLimit = number("backoffLimitPerIndex", 0, 2),
			ptr.To[int32](math.MaxInt32)
		if yes("maxFailedIndexes") {
			spec.MaxFailedIndexes = number("indexes", 0, 3)
		}
		if yes("limit of all") {
			spec.BackoffLimit = number("backoffLimit", 0, 4)
		}
	}
	if plan.Indexed(job) && yes("successPolicy") {
		rules := []batchv1.SuccessPolicyRule{
			{SucceededIndexes: ptr.To("0")},
			{SucceededIndexes: ptr.To("1-3")},
			{SucceededCount: ptr.To[int32](2)},
			{SucceededIndexes: ptr.To("0,2"), SucceededCount: ptr.To[int32](1)},
			{SucceededIndexes: ptr.To("4-5"), SucceededCount: ptr.To[int32](1)},
		}
		spec.SuccessPolicy = &batchv1.SuccessPolicy{Rules: rapid.SliceOfN(rapid.SampledFrom(rules), 1, 2).Draw(t,
			"rules")}
	}
	switch rapid.SampledFrom([]string{"none", "none", "podFailurePolicy", "replace failed", "OnFailure"}).Draw(t,
		"extra") {
	case "podFailurePolicy":
		rules := []batchv1.PodFailurePolicyRule{
			{Action: "Ignore", OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
				{Type: corev1.DisruptionTarget}}},
			onExitCodes("FailJob", "In", 42), onExitCodes("Count", "In", 1), onExitCodes("Ignore", "In", 3),
			onExitCodes("Ignore", "In", 143),
		}
		if spec.BackoffLimitPerIndex != nil {
			rules = append(rules, onExitCodes("FailIndex", "In", 3), onExitCodes("FailIndex", "NotIn", 1, 143))
		}
		spec.PodReplacementPolicy = ptr.To(batchv1.Failed) // the API asks for that
		spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: rapid.SliceOfN(rapid.SampledFrom(rules), 1, 3).Draw(t,
			"rules")}
	case "replace failed":
		spec.PodReplacementPolicy = ptr.To(batchv1.Failed)
	case "OnFailure":
		spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}
	if rapid.IntRange(0, 4).Draw(t, "deadline") == 0 {
		spec.ActiveDeadlineSeconds = ptr.To(int64(rapid.IntRange(1, 100).Draw(t, "seconds")))
	}
	return job
}

func onExitCodes(action batchv1.PodFailurePolicyAction, operator batchv1.PodFailurePolicyOnExitCodesOperator,
	codes ...int32) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{Action: action,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: operator, Values: codes}}
}

func randomFault(t *rapid.T, pick int) fault {
	f := fault{
		kind:     rapid.SampledFrom([]string{"", "", "fail", "lose", "die"}).Draw(t, "fault"),
		at:       rapid.IntRange(1, 6).Draw(t, "write"),
		meddleAt: rapid.IntRange(0, 6).Draw(t, "meddle at"),
		pick:     pick,
	}
	if f.meddleAt > 0 {
		f.meddle = rapid.SampledFrom([]string{"pods", "jobs", "run", "end", "delete", "kubelet", "user"}).Draw(t,
			"meddle")
	}
	return f
}

func (w *world) describe() string {
	text := "no Job"
	if job := w.jobs["pi"]; job != nil {
		text = fmt.Sprintf("%s (%s, parallelism %d, suspended %t)", job.UID, describeStatus(job.Status),
			ptr.Deref(job.Spec.Parallelism, 1), suspended(job))
	}
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		pod := w.pods[name]
		text += fmt.Sprintf("; %s ix=%s %s", name, podIndex(pod), pod.Status.Phase)
		if pod.DeletionTimestamp != nil {
			text += " deleted"
		}
		if !plan.HasFinalizer(pod) {
			text += " bare"
		}
	}
	return text
}

// settle ends all faults and lets pods succeed. The controller only gets to work
// when it asked for that, or when something changes: it must neither spin nor
// oversleep, and a Job that can end must.
func (w *world) settle() {
	if job := w.jobs["pi"]; job != nil {
		job = job.DeepCopy()
		job.Spec.Suspend = ptr.To(false)
		if !plan.Indexed(job) || *job.Spec.Completions != *job.Spec.Parallelism {
			job.Spec.Parallelism = ptr.To[int32](3)
		}
		w.putJob(job)
	}
	for range 400 {
		w.collectGarbage()
		w.rest()
		if w.over() {
			w.checkEnd()
			return
		}
		if !w.kubelets() {
			w.clock.Step(20 * time.Second)
		}
	}
	w.t.Fatalf("it does not end: %s", w.describe())
}

// rest syncs until nothing is due.
func (w *world) rest() {
	for range 100 {
		w.showJobs()
		w.showPods()
		w.clock.Step(newPodPeriod)
		_, awake := w.jobKeys.at[theJob]
		awake = awake && !w.jobKeys.at[theJob].After(w.clock.Now())
		if !awake && len(w.orphanKeys.at) == 0 {
			w.checkRest()
			return
		}
		w.sync(fault{})
		stepsTaken++
	}
	w.t.Fatalf("it never comes to rest: %s", w.describe())
}

// kubelets end what runs, and report whether there was anything.
func (w *world) kubelets() bool {
	any := false
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		switch pod := w.pods[name].DeepCopy(); {
		case pod.DeletionTimestamp != nil && slices.Contains(pod.Finalizers, kubeletFinalizer):
			w.kubeletEnds(pod, true)
			any = true
		case active(pod):
			w.end(pod, 0, false)
			any = true
		}
	}
	return any
}

// over reports whether nothing more can happen to the Job.
func (w *world) over() bool {
	job := w.jobs["pi"]
	if job.DeletionTimestamp != nil {
		return !slices.ContainsFunc(slices.Collect(maps.Values(w.pods)), func(pod *corev1.Pod) bool {
			return plan.HasFinalizer(pod) || active(pod)
		})
	}
	return plan.Finished(job)
}
