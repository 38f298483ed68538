package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	// writesPerLife bounds how many writes a controller makes before it is killed.
	writesPerLife = 40
	// lifeLimit is when it is killed if it does not come to that.
	lifeLimit = 3 * time.Second
	// stallLimit is how long nothing may change once nobody is killed any more.
	stallLimit = 2 * time.Minute
)

// Ordeal is what a controller goes through.
type Ordeal struct {
	Lab            *run.Lab
	Client         kubernetes.Interface
	Counter        *requests.Counter // of the Lab's audit log
	Implementation implementation.Implementation
	Kills, Jobs    int
	Seed           uint64 // the Jobs, and the moments; not what happens in them
	Progress       io.Writer

	namespace string
	random    *rand.Rand
	scripts   []Script
	recorder  *history.Recorder
	director  *director
}

// Run goes through with it. An error means that there is no result.
func (o *Ordeal) Run(ctx context.Context) (*Tally, error) {
	o.random = rand.New(rand.NewPCG(o.Seed, 0))
	o.scripts = Scripts(o.Jobs, o.random)
	ns, err := o.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "jobconformance-crash-"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	o.namespace = ns.Name
	if o.recorder, err = history.Record(ctx, o.Client, ns.Name); err != nil {
		return nil, err
	}
	defer o.recorder.Stop()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-o.Lab.Ended():
			cancel(err)
		case <-ctx.Done():
		}
	}()
	o.director = newDirector(o.Client, ns.Name, o.scripts, rand.New(rand.NewPCG(o.Seed, 1)))
	directed := make(chan struct{})
	directing, end := context.WithCancel(ctx)
	go func() {
		defer close(directed)
		if err := o.director.run(directing); err != nil {
			cancel(err)
		}
	}()
	t, err := o.play(ctx)
	end()
	<-directed
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return t, err
}

func (o *Ordeal) play(ctx context.Context) (*Tally, error) {
	for _, s := range o.scripts {
		if _, err := o.Client.BatchV1().Jobs(o.namespace).Create(ctx, s.Job, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
	}
	t := &Tally{Seed: o.Seed}
	if err := o.killAll(ctx, t); err != nil {
		return nil, err
	}
	last, err := o.start(t.Kills)
	if err != nil {
		return nil, err
	}
	defer last.Kill()
	if err := o.awaitEnd(ctx, last); err != nil {
		return nil, err
	}
	t.Writes = o.Counter.Counts().Writes()
	return t, o.examine(ctx, t)
}

func (o *Ordeal) start(life int) (*process.Process, error) {
	return o.Lab.Start(o.Implementation, fmt.Sprintf("crash-%03d.log", life))
}

// killAll starts the controller and kills it, for all but its last life.
func (o *Ordeal) killAll(ctx context.Context, t *Tally) error {
	pods := 0
	for _, s := range o.scripts {
		pods += s.Want.Pods
	}
	turns := o.turns()
	for ; t.Kills < o.Kills; t.Kills++ {
		o.director.allow(pods * (t.Kills + 1) / (o.Kills + 1))
		for _, turn := range turns[t.Kills] {
			if err := turn(ctx); err != nil {
				return err
			}
		}
		life, err := o.start(t.Kills)
		if err != nil {
			return err
		}
		err = o.live(ctx, life)
		life.Kill()
		if err != nil {
			return err
		}
		if done := t.Kills + 1; done%20 == 0 || done == o.Kills {
			fmt.Fprintf(o.Progress, "%-70s %d of %d, %d of %d Jobs finished\n", "killed "+o.Implementation.Name, done, o.Kills, o.finished(), len(o.scripts))
		}
	}
	for _, late := range turns[o.Kills] {
		if err := late(ctx); err != nil {
			return err
		}
	}
	o.director.allow(math.MaxInt)
	return nil
}

// live returns when the controller is to be killed: after some writes, and a
// moment more.
func (o *Ordeal) live(ctx context.Context, life *process.Process) error {
	last := o.Counter.Counts().Writes() + o.random.IntN(writesPerLife)
	moment := time.Duration(o.random.Int64N(int64(20 * time.Millisecond)))
	over := time.After(lifeLimit)
	for {
		changed := o.Counter.Changed()
		if o.Counter.Counts().Writes() >= last {
			break
		}
		select {
		case <-changed:
		case <-over:
			return nil
		case <-life.Done():
			return fmt.Errorf("%s ended by itself with %s; the end of its log:\n%s", life.Name(), life.Exit(), life.LogEnd(10))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case <-time.After(moment):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// turns are the moments, by the number of kills, at which Jobs are suspended or
// resumed.
func (o *Ordeal) turns() map[int][]func(context.Context) error {
	turns := map[int][]func(context.Context) error{}
	at := func(kills int, name string, suspend bool) {
		turns[kills] = append(turns[kills], func(ctx context.Context) error {
			patch := fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, suspend)
			_, err := o.Client.BatchV1().Jobs(o.namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		})
	}
	for _, s := range o.scripts {
		from := o.random.IntN(o.Kills + 1)
		to := from + o.random.IntN(o.Kills-from+1)
		if s.Pause {
			at(from, s.Job.Name, true)
		}
		if s.Pause || s.Resume {
			at(to, s.Job.Name, false)
		}
	}
	return turns
}

// awaitEnd waits until the Jobs are finished and no pod is tracked, or nothing
// changes any more: then the tally says what is wrong.
func (o *Ordeal) awaitEnd(ctx context.Context, last *process.Process) error {
	for _, s := range o.scripts {
		err := o.await(ctx, last, func() bool {
			job := o.recorder.Job(s.Job.Name)
			return job == nil || condition(job) != ""
		})
		if err != nil {
			return ignoreStall(err)
		}
	}
	for _, name := range o.tracked() {
		err := o.await(ctx, last, func() bool {
			pod := o.recorder.Pod(name)
			return pod == nil || !isTracked(pod)
		})
		if err != nil {
			return ignoreStall(err)
		}
	}
	return nil
}

var errStall = errors.New("nothing changes any more")

func ignoreStall(err error) error {
	if errors.Is(err, errStall) {
		return nil
	}
	return err
}

func (o *Ordeal) await(ctx context.Context, last *process.Process, done func() bool) error {
	for {
		changed := o.recorder.Changed()
		if done() {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(stallLimit):
			return errStall
		case <-last.Done():
			return fmt.Errorf("%s ended by itself with %s; the end of its log:\n%s", last.Name(), last.Exit(), last.LogEnd(10))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// examine fills the tally from what is there, and from all that was.
func (o *Ordeal) examine(ctx context.Context, t *Tally) error {
	h, err := o.recorder.Settled(ctx)
	if err != nil {
		return err
	}
	if len(h.Gaps) > 0 {
		return fmt.Errorf("the watch of %ss was cut: %s; pods may be missing from the count", h.Gaps[0].Kind, h.Gaps[0].Reason)
	}
	t.count(o.scripts, outcomes(h), o.tracked())
	// A controller may forget with its memory when the next pod is due.
	for _, v := range invariants.Check(h, invariants.ForVersion(o.Lab.Version()), invariants.Except("job-backoff-is-kept")) {
		t.blame("%s", v)
	}
	return o.Counter.Err()
}
