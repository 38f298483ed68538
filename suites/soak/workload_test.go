package soak

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
)

// What is found has to run again from its file.
func TestWorkloadsCanBeRunAndWrittenDown(t *testing.T) {
	kinds := map[string]bool{}
	for n := range 200 {
		seed := n + 1
		s := Workload.Example(seed)
		if err := s.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := scenario.Read("again", text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		second, err := again.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, second) {
			t.Fatalf("seed %d is another scenario when it is read again:\n%s\n%s", seed, text, second)
		}
		for _, kind := range []string{
			"hold:", "release:", "expire:", "network:", "implementation:", "delete:", "fault:", "kind: CronJob",
			"completionMode: Indexed",
			"backoffLimitPerIndex:", "maxFailedIndexes:", "podFailurePolicy:", "successPolicy:",
			"podReplacementPolicy: Failed",
			"suspend: true", "restartPolicy: OnFailure", "activeDeadlineSeconds:",
		} {
			kinds[kind] = kinds[kind] || strings.Contains(string(text), kind)
		}
	}
	for kind, seen := range kinds {
		if !seen {
			t.Errorf("200 workloads have no %s", kind)
		}
	}
}

// What is wrong in the tests is that a watch of pods is held while a Job has pods in parallel.
func wrong(s *scenario.Scenario) bool {
	held, parallel := false, false
	for _, step := range s.Steps {
		held = held || step.Hold == "pods"
		if step.Create != nil {
			job, isJob := step.Create.Object.(*batchv1.Job)
			parallel = parallel || isJob && *job.Spec.Parallelism > 1
		}
	}
	return held && parallel
}

func runWrong(_ context.Context, s *scenario.Scenario) (*scenario.Result, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !wrong(s) {
		return &scenario.Result{}, nil
	}
	return &scenario.Result{Failed: "it did not end", FailedStep: len(s.Steps)}, nil
}

func TestTheFirstFindingIsMadeSmall(t *testing.T) {
	var out bytes.Buffer
	o := Options{Run: runWrong, Seed: 1, Count: 60, Workers: 3, Shrink: time.Minute,
		Folder: filepath.Join(t.TempDir(), "workloads"), Out: &out}
	tally, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if tally.Green() || tally.Workloads() != 60 || tally.Findings[0].Smallest == "" {
		t.Fatalf("%d of %d went wrong:\n%s", len(tally.Findings), tally.Workloads(), &out)
	}
	small, err := scenario.Load(tally.Findings[0].Smallest)
	if err != nil {
		t.Fatal(err)
	}
	text, err := small.YAML()
	if err != nil {
		t.Fatal(err)
	}
	// The Job, the watch that is held and released, the end of faults, and the end.
	if !wrong(small) || len(small.Steps) > 5 {
		t.Errorf("%d steps:\n%s", len(small.Steps), text)
	}
	tally.Print(&out, func(file string) string { return "again " + file })
	for _, want := range []string{"made smaller", "step ", "    again: again ", "    smallest scenario: ",
		"RED seeds 1 to 60"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, &out)
		}
	}
}

func TestWhatTakesARaceStaysAsItIs(t *testing.T) {
	var out bytes.Buffer
	ran := 0
	o := Options{Seed: 1, Count: 1, Workers: 1, Shrink: time.Minute, Folder: t.TempDir(), Out: &out}
	o.Run = func(context.Context, *scenario.Scenario) (*scenario.Result, error) {
		if ran++; ran == 1 {
			return &scenario.Result{Failed: "it did not end", FailedStep: 1}, nil
		}
		return &scenario.Result{}, nil
	}
	tally, err := Run(t.Context(), o)
	if err != nil || ran != 2 || tally.Findings[0].Smallest != "" ||
		!strings.Contains(out.String(), "it takes a race") {
		t.Errorf("%d runs, %v:\n%s", ran, err, &out)
	}
}

func TestAtATempo(t *testing.T) {
	for seed := range 50 {
		s, plain := Workload.Example(seed+1), Workload.Example(seed+1)
		atTempo(s, 4)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		for i, step := range s.Steps {
			if step.Pause != 4*plain.Steps[i].Pause {
				t.Errorf("seed %d: a pause of %s was %s", seed+1, step.Pause, plain.Steps[i].Pause)
			}
		}
		text, err := s.YAML()
		if err != nil || strings.Contains(string(text), "activeDeadlineSeconds") {
			t.Errorf("seed %d: %v\n%s", seed+1, err, text)
		}
	}
}
