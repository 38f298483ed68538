// Package leaks looks for what a controller keeps of objects that are gone, such as goroutines and watches.
package leaks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/sandbox"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/prometheus/procfs"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Options say what comes and goes.
type Options struct {
	// Waves is how often, 3 or more: the first is not compared with, as caches fill.
	Waves int
	// Objects is how many Jobs and CronJobs there are in a wave, 10 or more. A quarter are CronJobs, which start a Job
	// each.
	Objects int
	// Progress takes a line for each wave.
	Progress io.Writer
}

const (
	// waveLimit is how long a wave may take.
	waveLimit = 5 * time.Minute
	// lookEvery is how often is looked at the process after a wave, until it has had nothing less for settled, or for
	// settleLimit.
	lookEvery   = 250 * time.Millisecond
	settled     = 2 * time.Second
	settleLimit = 20 * time.Second
)

// Run has waves of objects come and go under the implementation of an environment. An error means that there is no
// result.
func Run(ctx context.Context, env *run.Environment, environment scenario.Environment, o Options) (*Tally, error) {
	box, err := sandbox.Open(ctx, sandbox.Options{
		Config: env.Config(), User: "leaks", Run: env.Name(), Prefix: "jobconformance-leaks-",
		KubernetesVersion: env.Version(),
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = box.Close(context.WithoutCancel(ctx)) }()
	_, unmeasured := environment.Implementation.Measured()
	controller, err := box.Behind(implementation.ProxyOptions{
		Config: environment.As, Implementation: environment.Implementation, Builds: environment.Builds,
		Folder: filepath.Join(env.Reports, "leaks"), Metrics: unmeasured == nil,
	})
	if err != nil {
		return nil, err
	}
	if err := controller.Start(); err != nil {
		return nil, err
	}
	t := &Tally{Objects: o.Objects}
	for n := range o.Waves {
		begun := time.Now()
		if err := wave(ctx, box, o.Objects); err != nil {
			return nil, err
		}
		if err := controller.ExitError(); err != nil {
			return nil, err
		}
		s, err := sampled(ctx, controller, unmeasured == nil)
		if err != nil {
			return nil, err
		}
		t.Samples = append(t.Samples, s)
		console.Line(o.Progress, fmt.Sprintf("wave %d of %d", n+1, o.Waves), "%s, after %s", s,
			console.Tenths(time.Since(begun)))
	}
	t.Interferences = box.Interferences()
	return t, nil
}

// wave creates objects, waits until the controller has done its work, deletes them, and waits until they are gone.
func wave(ctx context.Context, box *sandbox.Sandbox, objects int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, waveLimit, fmt.Errorf("a wave was not over after %s", waveLimit))
	defer cancel()
	var made []client.Object
	for n := range objects {
		name := fmt.Sprintf("leak-%d", n)
		if n%4 == 3 {
			cronJob, err := box.CreateDue(ctx, puppet.CronJob(name, puppet.Job("").ExitCodes("0")))
			if err != nil {
				return err
			}
			made = append(made, cronJob)
			continue
		}
		job := puppet.Job(name).ExitCodes("0").Obj()
		job.Namespace = box.Namespace
		if err := box.Client.Create(ctx, job); err != nil {
			return err
		}
		made = append(made, job)
	}
	err := box.Recorder.Until(ctx, func() bool {
		finished := 0
		for _, job := range box.Recorder.Jobs() {
			if kinds.Finished(&job) != "" {
				finished++
			}
		}
		return finished >= objects
	})
	if err != nil {
		return errors.Join(fmt.Errorf("the Jobs of a wave have not finished: %w", err), context.Cause(ctx))
	}
	for _, object := range made {
		background := client.PropagationPolicy(metav1.DeletePropagationBackground)
		if err := box.Client.Delete(ctx, object, background); err != nil {
			return err
		}
	}
	err = box.Recorder.Until(ctx, func() bool {
		return len(box.Recorder.Jobs())+len(box.Recorder.CronJobs())+len(box.Recorder.Pods()) == 0
	})
	if err != nil {
		return errors.Join(fmt.Errorf("the objects of a wave are not gone: %w", err), context.Cause(ctx))
	}
	return nil
}

// sampled looks at the process until nothing of it has become less for a while.
func sampled(ctx context.Context, controller *implementation.Proxied, metrics bool) (least Sample, err error) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	begun, changed := time.Now(), time.Now()
	if least, err = look(ctx, controller, metrics); err != nil {
		return least, err
	}
	for time.Since(changed) <= settled && time.Since(begun) <= settleLimit {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return least, context.Cause(ctx)
		}
		s, err := look(ctx, controller, metrics)
		if err != nil {
			return least, err
		}
		if s.lessThan(least) {
			least, changed = s.least(least), time.Now()
		}
	}
	return least, nil
}

// look takes a sample.
func look(ctx context.Context, controller *implementation.Proxied, metrics bool) (s Sample, err error) {
	proc, err := procfs.NewProc(controller.PID())
	if err != nil {
		return s, fmt.Errorf("the process of the implementation cannot be read: %w", err)
	}
	if s.Descriptors, err = proc.FileDescriptorsLen(); err != nil {
		return s, err
	}
	stat, err := proc.Stat()
	if err != nil {
		return s, err
	}
	s.Memory, s.Threads = stat.ResidentMemory(), stat.NumThreads
	for _, c := range controller.Calls() {
		if c.Verb == "watch" && c.Took == 0 {
			s.Watches++
		}
		if c.Verb == history.VerbStart {
			s.Watches = 0
		}
	}
	if !metrics {
		return s, nil
	}
	all, err := controller.Metrics(ctx)
	if err != nil {
		return s, fmt.Errorf("the metrics of the implementation: %w", err)
	}
	for _, m := range all {
		if m.Metric["__name__"] == "go_goroutines" {
			s.Goroutines = int(m.Value)
		}
	}
	return s, nil
}
