package score

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
)

// baseline has the specs that upstream's unchanged controller passes.
type baseline []baselineSpec

// baselineSpec is how one spec has ended: a line of the file from which Run resumes.
type baselineSpec struct {
	On     string `json:"on"` // as in Result
	Text   string `json:"text"`
	Passed bool   `json:"passed,omitempty"`
	// Warns says that a failure would be a warning.
	Warns bool `json:"warns,omitempty"`
	// Reached are the numbers of the statements that it reaches, ascending.
	Reached []int `json:"reached,omitempty"`
}

// reaching returns the specs that reach a statement and warn, or that do not warn; all that
// reach any for 0, what is outside of functions.
func (b baseline) reaching(statement int, warn bool) []baselineSpec {
	return slices.DeleteFunc(slices.Clone(b), func(s baselineSpec) bool {
		_, found := slices.BinarySearch(s.Reached, statement)
		return s.Warns != warn || !found && (statement != 0 || len(s.Reached) == 0)
	})
}

// Filter is the label filter of the specs that mutants meet.
const Filter = spec.AreaLabel + "job || " + spec.AreaLabel + "cronjob"

// baselinePart is how many specs are run, and then saved, at once.
const baselinePart = 105

// measureBaseline runs all specs against upstream's controller, but for those that were run
// before. It fails unless they are green.
func (r *runner) measureBaseline(ctx context.Context) error {
	file, lines, err := campaign.OpenFile(filepath.Join(r.Reports, baselineFile), func(s baselineSpec) bool {
		return s.On == r.On
	})
	if err != nil {
		return badinput.Wrap(err, "the results cannot be read or written",
			"choose another folder with "+console.Flag("output-dir"))
	}
	defer file.Close()
	filter := Filter
	if only := r.options.Labels; only != "" {
		filter = "(" + Filter + ") && (" + only + ")"
	}
	all, err := run.List(ctx, r.options.Options, run.Selection{Labels: filter})
	if err != nil {
		return err
	}
	var left []string
	for _, s := range all {
		if s.Selected && !slices.ContainsFunc(lines, func(line baselineSpec) bool { return line.Text == s.Text }) {
			left = append(left, s.Text)
		}
	}
	console.Line(r.options.Out, "upstream's unchanged controller", "%d specs were run before, %d are left", len(lines),
		len(left))
	start := time.Now()
	for part := range slices.Chunk(left, baselinePart) {
		some, err := r.runBaseline(ctx, part)
		if err != nil {
			return err
		}
		for _, line := range some {
			if err := file.Append(line); err != nil {
				return err
			}
		}
		lines = append(lines, some...)
	}
	r.reached = map[int]bool{}
	for _, line := range lines {
		for _, n := range line.Reached {
			r.reached[n] = true
		}
	}
	r.specs = len(lines)
	if len(r.reached) == 0 {
		return errors.New("upstream's unchanged controller has noted no statement that it reached")
	}
	r.baseline = slices.DeleteFunc(lines, func(s baselineSpec) bool { return !s.Passed })
	console.Line(r.options.Out, "upstream's unchanged controller", "passes %d specs, %s", len(r.baseline),
		console.Tenths(time.Since(start)))
	return nil
}

// runBaseline runs some specs against upstream's controller.
func (r *runner) runBaseline(ctx context.Context, specs []string) (lines []baselineSpec, err error) {
	builds := r.Builds
	builds.KubeControllerManager = r.program(0)
	folder := filepath.Join(r.Reports, mutantsFolder, "none")
	defer os.RemoveAll(filepath.Join(folder, "implementations"))
	verdict, err := r.Check(ctx, r.options.Implementation, builds, run.Selection{
		Apart: true, Quiet: true, Procs: r.options.Specs, History: spec.KeepFailed, Logs: spec.KeepAll, Known: r.known,
		Focus: spec.Exactly(specs...), Reports: folder,
	})
	if err != nil {
		return nil, err
	}
	if !verdict.Green() {
		for _, s := range verdict.Failed() {
			fmt.Fprintf(r.options.Out, "FAILED %s\n%s\n", s.Text, console.Indent(s.Reason(), 4))
		}
		return nil, fmt.Errorf("upstream's unchanged controller is not green: %d specs failed; see %s",
			len(verdict.Failed()), console.Path(folder))
	}
	for _, s := range verdict.Specs {
		if !slices.Contains(specs, s.Text) {
			continue
		}
		reached, err := readReached(string(s.Logs))
		if err != nil {
			return nil, err
		}
		lines = append(lines, baselineSpec{
			On: r.On, Text: s.Text, Reached: reached,
			Passed: s.Outcome() == spec.Passed, Warns: s.Level == spec.Should || s.Level == spec.May,
		})
	}
	return lines, nil
}

// readReached returns the numbers of statements that the implementations of a spec have
// reached, whose logs are in a folder.
func readReached(folder string) ([]int, error) {
	if folder == "" {
		return nil, nil
	}
	seen := map[int]bool{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != reachedFile {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			n, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			seen[n] = true
		}
		return nil
	})
	return sortedKeys(seen), err
}
