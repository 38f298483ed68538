package crash

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/sandbox"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// maxWrites bounds how many writes a controller makes before it is killed.
	maxWrites = 40
	// maxRunTime is when it is killed if it does not make as many.
	maxRunTime = 3 * time.Second
	// stallLimit is how long nothing may change after the last kill.
	stallLimit = 2 * time.Minute
)

// Test kills a controller again and again while it works. All exported fields are
// required.
type Test struct {
	requests.Cluster
	Implementation implementation.Implementation
	Kills, Jobs    int
	Seed           uint64    // of the Jobs and of the times of the kills
	Progress       io.Writer // takes a line every 20 kills

	sandbox  *sandbox.Sandbox
	watched  *faultproxy.Hidden // the way of the controller to the API server
	random   *rand.Rand
	scripts  []Script
	recorder *history.Recorder
	runner   *scriptRunner
}

// Run creates the Jobs, kills and restarts the controller, and examines the
// outcome. An error means that there is no result.
func (t *Test) Run(ctx context.Context) (*Tally, error) {
	t.random = rand.New(rand.NewPCG(t.Seed, 0))
	t.scripts = Scripts(t.Jobs, t.random)
	box, err := sandbox.Open(ctx, sandbox.Options{
		Config: t.Config(), User: "crash", Run: t.Name(), Prefix: "jobconformance-crash-",
		KubernetesVersion: t.Version(),
		Except:            invariants.NotAfterRestart(), // it is restarted outside of the sandbox
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = box.Close(context.WithoutCancel(ctx)) }()
	t.sandbox, t.recorder = box, box.Recorder
	if t.watched, err = t.Watched(t.Implementation); err != nil {
		return nil, err
	}
	defer t.watched.Stop()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.runner = newScriptRunner(t.Client, box.Namespace, t.scripts, rand.New(rand.NewPCG(t.Seed, 1)))
	ran := make(chan struct{})
	running, end := context.WithCancel(ctx)
	go func() {
		defer close(ran)
		if err := t.runner.run(running); err != nil {
			cancel(err)
		}
	}()
	tally, err := t.execute(ctx)
	end()
	<-ran
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return tally, err
}

func (t *Test) execute(ctx context.Context) (*Tally, error) {
	for _, s := range t.scripts {
		if _, err := t.Client.BatchV1().Jobs(t.sandbox.Namespace).Create(ctx, s.Job,
			metav1.CreateOptions{}); err != nil {
			return nil, err
		}
	}
	tally := &Tally{Seed: t.Seed}
	if err := t.killAll(ctx, tally); err != nil {
		return nil, err
	}
	last, err := t.start(tally.Kills)
	if err != nil {
		return nil, err
	}
	defer last.Kill()
	guarded, done := requests.Guarded(ctx, last)
	defer done()
	if err := t.awaitEnd(guarded); err != nil {
		return nil, err
	}
	tally.Writes = t.Counter.Counts().Writes()
	return tally, t.examine(ctx, tally)
}

func (t *Test) start(n int) (*process.Process, error) {
	return t.Implementation.Start(t.Builds, t.watched.Kubeconfig(),
		filepath.Join(t.Reports, fmt.Sprintf("crash-%03d.log", n)))
}

// killAll starts the controller and kills it, Kills times.
func (t *Test) killAll(ctx context.Context, tally *Tally) error {
	pods := 0
	for _, s := range t.scripts {
		pods += s.Want.Pods
	}
	edits := t.edits()
	for ; ; tally.Kills++ {
		for _, edit := range edits[tally.Kills] {
			if err := edit(ctx); err != nil {
				return err
			}
		}
		if tally.Kills == t.Kills {
			t.runner.allow(math.MaxInt)
			return nil
		}
		t.runner.allow(pods * (tally.Kills + 1) / (t.Kills + 1))
		controller, err := t.start(tally.Kills)
		if err != nil {
			return err
		}
		err = t.awaitKill(ctx, controller)
		controller.Kill()
		if err != nil {
			return err
		}
		if done := tally.Kills + 1; done%20 == 0 || done == t.Kills {
			console.Line(t.Progress, "killed "+t.Implementation.Name, "%d of %d, %d of %d Jobs finished", done, t.Kills,
				t.finished(), len(t.scripts))
		}
	}
}

// awaitKill returns when the controller is to be killed: after a random number of
// writes and up to 20 ms.
func (t *Test) awaitKill(ctx context.Context, controller *process.Process) error {
	ctx, done := requests.Guarded(ctx, controller)
	defer done()
	last := t.Counter.Counts().Writes() + t.random.IntN(maxWrites)
	delay := time.Duration(t.random.Int64N(int64(20 * time.Millisecond)))
	over := time.After(maxRunTime)
	for {
		changed := t.Counter.Changed()
		if t.Counter.Counts().Writes() >= last {
			break
		}
		select {
		case <-changed:
		case <-over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// edits suspend and resume Jobs. The key is the number of kills before the edit.
func (t *Test) edits() map[int][]func(context.Context) error {
	edits := map[int][]func(context.Context) error{}
	at := func(kills int, name string, suspend bool) {
		edits[kills] = append(edits[kills], func(ctx context.Context) error {
			patch := fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, suspend)
			_, err := t.Client.BatchV1().Jobs(t.sandbox.Namespace).Patch(ctx, name, types.MergePatchType, patch,
				metav1.PatchOptions{})
			return client.IgnoreNotFound(err) // examine says that it is gone
		})
	}
	for _, s := range t.scripts {
		from := t.random.IntN(t.Kills + 1)
		to := from + t.random.IntN(t.Kills-from+1)
		if s.Pause {
			at(from, s.Job.Name, true)
		}
		if s.Pause || s.Resume {
			at(to, s.Job.Name, false)
		}
	}
	return edits
}

// awaitEnd waits until the Jobs are finished and no pod is tracked, or until
// nothing has changed for stallLimit: then the tally lists what is wrong.
func (t *Test) awaitEnd(ctx context.Context) error {
	unfinished := t.scripts
	for {
		changed := t.recorder.Changed()
		for len(unfinished) > 0 && t.isOver(unfinished[0].Job.Name) {
			unfinished = unfinished[1:]
		}
		if len(unfinished) == 0 && len(t.tracked()) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(stallLimit):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (t *Test) isOver(name string) bool {
	job := t.recorder.Job(name)
	return job == nil || kinds.Finished(job) != ""
}

// examine fills the tally from the history.
func (t *Test) examine(ctx context.Context, tally *Tally) error {
	h, err := t.recorder.Settled(ctx)
	if err != nil {
		return err
	}
	if len(h.Gaps) > 0 {
		return fmt.Errorf("the watch of %ss was cut: %s; pods may be missing from the count", h.Gaps[0].Kind,
			h.Gaps[0].Reason)
	}
	for _, i := range t.watched.Interferences() {
		tally.blame("%s", i)
	}
	tally.count(t.scripts, outcomes(h), t.tracked())
	for _, v := range t.sandbox.Judge(h) {
		tally.blame("%s", v)
	}
	return t.Counter.Err()
}
