package score

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
)

var some = baseline{
	{Text: "wide", Reached: []int{1, 2, 3}},
	{Text: "narrower", Reached: []int{2}},
	{Text: "narrow", Reached: []int{2, 5}},
	{Text: "nothing"},
	{Text: "should", Reached: []int{2}, Warns: true},
}

func TestSpecsThatAreRunAgainstAMutant(t *testing.T) {
	r := runner{results: &results{kills: map[string]int{}}}
	for statement, want := range map[int][]string{
		2: {"narrower", "narrow", "wide"},
		3: {"wide"},
		4: nil,
		0: {"narrower", "narrow", "wide"}, // a variable of the package
	} {
		if got := r.order(some.reaching(statement, false)); !slices.Equal(got, want) {
			t.Errorf("statement %d: %v, want %v", statement, got, want)
		}
	}
	r.kills["wide"] = 2
	if got := r.order(some.reaching(2, true)); !slices.Equal(got, []string{"should"}) {
		t.Errorf("%v would warn", got)
	}
	if got := r.order(some.reaching(2, false)); got[0] != "wide" {
		t.Errorf("%v: the one that has caught the most is not first", got)
	}
}

func TestReachedStatementsOfAllProcesses(t *testing.T) {
	folder := t.TempDir()
	for path, text := range map[string]string{"reached": "3\n1\n", "second/reached": "2\n3\n", "start-1.log": "log\n"} {
		path = filepath.Join(folder, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readReached(folder); err != nil || !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
}

// Results of shards, one after the other in one file, are those of one campaign.
func TestShardsMakeOneCampaign(t *testing.T) {
	var drawn []*Mutant
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		drawn = append(drawn, &Mutant{Function: name})
	}
	var text []byte
	for number := 1; number <= 2; number++ {
		folder := t.TempDir()
		part, err := openResults(folder, "v1")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range run.Every(run.Shard{Number: number, Count: 2}, drawn) {
			if err := part.Append(Result{ID: m.ID(), On: "v1", Mutant: *m}); err != nil {
				t.Fatal(err)
			}
		}
		_ = part.Close()
		lines, err := os.ReadFile(filepath.Join(folder, resultsFile))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, lines...)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, resultsFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	for on, want := range map[string]int{"v1": 5, "v2": 0} {
		together, err := openResults(folder, on)
		if err != nil {
			t.Fatal(err)
		}
		_ = together.Close()
		c := Campaign{Drawn: len(drawn)}
		c.collect(drawn, together.done)
		if len(c.Results) != want || c.Complete() != (want == 5) {
			t.Errorf("%s has %d results, want %d", on, len(c.Results), want)
		}
		for i, r := range c.Results {
			if r.Mutant.Function != drawn[i].Function {
				t.Errorf("result %d is of %s, want the order of the draw", i, r.Mutant.Function)
			}
		}
	}
}

// A result is in the file as soon as there is one, and is a line about it.
func TestResultsAreNoted(t *testing.T) {
	folder := t.TempDir()
	earlier, err := openResults(folder, "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	survivor := Mutant{File: "a.go", Line: 7, Function: "f", Change: "run()"}
	r := runner{
		Campaign: &Campaign{Version: "v1.37.1",
			list: List{Equivalent: []Equivalent{
				{Version: "v1.37.1", File: "a.go", Function: "g", Reason: "as before"}}}},
		options: Options{Options: run.Options{Out: &out}}, results: earlier, began: time.Now(),
	}
	for _, result := range []Result{
		{ID: "1", Mutant: survivor},
		{ID: "2", Spec: "a Job", Requirements: []string{"JOB-A-001"}},
		{ID: "3", Mutant: Mutant{File: "a.go", Function: "g"}},
		{ID: "4", Harness: "no watches"},
		{ID: "5", Spec: "a Job waits", Requirements: []string{"JOB-A-002"}, Warns: true},
	} {
		if err := r.note(t.Context(), result, nil, 5); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"[1/5", "SURVIVED a.go:7 f: run()", "by the warning JOB-A-002: a Job waits", "caught",
		"by JOB-A-001: a Job", "equivalent a.go", "NOT STARTED", "[5/5, 0s left]"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it printed %q, without %q", &out, want)
		}
	}
	_ = earlier.Close()
	_, again, err := campaign.OpenFile(filepath.Join(folder, resultsFile), func(Result) bool { return true })
	if err != nil || len(again) != 5 || again[0].Mutant.Line != 7 || !again[1].Caught() {
		t.Errorf("%v, %v", again, err)
	}
	r.Results, r.Drawn = again, 5
	if m := r.Measured(); m.Caught != 1 || m.Survived != 2 || m.Warned != 1 || m.Equivalent != 1 || m.NotStarted != 1 ||
		m.Percent() <= 33 || m.Percent() >= 34 {
		t.Errorf("%+v", m)
	}
	if !r.Complete() {
		t.Error("not complete")
	}
	var table, left bytes.Buffer
	r.WriteTable(&table)
	if err := r.WriteSurvivors(&left); err != nil || strings.Count(left.String(), "function:") != 1 ||
		!strings.Contains(table.String(), "as before") {
		t.Errorf("%v, %s\n%s", err, &left, &table)
	}
	if r.note(t.Context(), Result{}, errors.New("the cluster is gone"), 5) == nil || r.failed == nil {
		t.Error("an error does not end the campaign")
	}
}
