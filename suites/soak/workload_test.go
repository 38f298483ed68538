package soak

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/scenario"
	"pgregory.net/rapid"
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
			"hold:", "release:", "expire:", "network:", "implementation:", "delete:", "fault:", "kind: CronJob", "completionMode: Indexed",
			"backoffLimitPerIndex:", "maxFailedIndexes:", "podFailurePolicy:", "successPolicy:", "podReplacementPolicy: Failed",
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

// A finding is made small from its seed.
func TestShrinkingBeginsWithTheFinding(t *testing.T) {
	const seed = 7
	want, err := Workload.Example(seed).YAML()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	s := &shrinker{name: "a finding"}
	beginWith(seed, 0)
	s.run(func() {
		rapid.Check(s, func(rt *rapid.T) {
			text, err := Workload.Draw(rt, "workload").YAML()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
			if strings.Count(string(text), "kind: Job") > 0 {
				rt.Fatalf("it went wrong")
			}
		})
	})
	if len(got) < 2 || withoutTimes(got[0]) != withoutTimes(string(want)) {
		t.Errorf("%d were tried; the first of them is\n%s\nwant\n%s", len(got), fmt.Sprint(got[:1]), want)
	}
	if !s.failed {
		t.Error("the shrinker did not notice a failure")
	}
}

// withoutTimes leaves out what depends on when the workload is made.
func withoutTimes(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "lastScheduleTime") && !strings.Contains(line, "schedule:") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
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
