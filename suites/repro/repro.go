// Package repro runs scenarios on embedded clusters of several versions, and
// compares the outcomes with the known bugs of each version.
package repro

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// Options of Run. Those without a default are required.
type Options struct {
	Scenario       *scenario.Scenario
	Implementation implementation.Implementation
	// Against is another one to run the scenario with on each version. Default: none.
	Against *implementation.Implementation
	// Versions of Kubernetes, as in v1.36.1.
	Versions []string
	// Repeat is how often the scenario is run on each version. Default: once.
	Repeat int
	// Procs is how many of them run at the same time. Default: DefaultProcs.
	Procs int
	// Build is where binaries come from; its version is set from Versions.
	Build build.Builder
	// FeatureGates of the control plane and of kube-controller-manager, beside those of the scenario. Default:
	// those that the version needs.
	FeatureGates string
	// Reports is the folder for histories, the page and logs.
	Reports string
	// Out takes progress, line by line.
	Out io.Writer

	logs string // a folder in Reports for logs; by default that itself
}

// DefaultProcs is small, because some scenarios measure time.
const DefaultProcs = 4

// Reproduction is what the runs of a scenario with one implementation on one version have shown.
type Reproduction struct {
	Implementation, Version string
	// Red is whether red was expected.
	Red bool
	Score
	// Result is the first that was not as expected, or else the first.
	Result *scenario.Result
	// History is the file of the Result's history.
	History string
}

// AsExpected reports whether every run was as expected.
func (o Reproduction) AsExpected() bool { return o.all(o.Red) }

// Score is how often a scenario was red.
type Score struct {
	// Reds is how often it was red, of Times.
	Reds  int `json:"reds"`
	Times int `json:"times"`
}

// all reports whether every run was red, or else every run green.
func (s Score) all(red bool) bool {
	if red {
		return s.Reds == s.Times
	}
	return s.Reds == 0
}

func (s Score) String() string {
	if s.Times == 1 {
		return console.Color(s.Reds == 0)
	}
	return fmt.Sprintf("RED %d times of %d", s.Reds, s.Times)
}

// Run runs a scenario on each version, one after the other. The error is a
// *badinput.Error where the caller can correct it; the outcomes so far come with
// it.
func Run(ctx context.Context, o Options) (outcomes []Reproduction, err error) {
	for _, version := range o.Versions {
		outcome, err := runOn(ctx, o, version)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, outcome)
	}
	if o.Against == nil {
		return outcomes, nil
	}
	other := o
	other.Implementation, other.Against, other.logs = *o.Against, nil, "against"
	more, err := Run(ctx, other)
	return append(outcomes, more...), err
}

func runOn(ctx context.Context, o Options, version string) (Reproduction, error) {
	name := o.Implementation.Name
	outcome := Reproduction{
		Implementation: name, Version: version, Red: library.Red(o.Scenario, name, version),
		Score: Score{Times: max(o.Repeat, 1)},
	}
	var results []*scenario.Result
	o, err := o.withGates(o.Scenario.Gates, version)
	if err != nil {
		return outcome, err
	}
	err = onCluster(ctx, o, version, func(ctx context.Context, environment scenario.Environment) (err error) {
		results, err = repeat(ctx, o, environment, outcome.Times)
		return err
	})
	if err != nil {
		return outcome, err
	}
	outcome.Result = results[0]
	for _, r := range results {
		if !r.Green() {
			outcome.Reds++
		}
		if outcome.Result.Green() != outcome.Red && r.Green() == outcome.Red {
			outcome.Result = r
		}
	}
	outcome.History = filepath.Join(o.Reports, "histories",
		history.FileName(name+" "+version+" "+o.Scenario.Description, outcome.Result.Namespace))
	return outcome, outcome.Result.Save(outcome.History)
}

// withGates returns the options with feature gates on. The error, where the version does not have one or the
// options switch it off, is a *badinput.Error.
func (o Options) withGates(on []gates.Gate, version string) (Options, error) {
	given, err := gates.Parse(o.FeatureGates)
	if err != nil {
		return o, err
	}
	for _, gate := range on {
		switch is, set := given[gate]; {
		case !gates.Has(gate, version):
			return o, badinput.New(fmt.Sprintf("Kubernetes %s has no feature gate %s, which the scenario needs",
				version, gate), "give other versions")
		case set && !is:
			return o, badinput.New(fmt.Sprintf("%s switches %s off, which the scenario needs",
				console.Flag("feature-gates", o.FeatureGates), gate), "leave that gate out")
		case !set:
			o.FeatureGates = gates.Joined(o.FeatureGates, string(gate)+"=true")
		}
	}
	return o, nil
}

// onCluster calls do with a cluster of a version.
func onCluster(ctx context.Context, o Options, version string,
	do func(context.Context, scenario.Environment) error) error {
	o.Build.KubernetesVersion = version
	return scenario.With(ctx, run.Options{
		Implementation: o.Implementation, Build: o.Build, FeatureGates: o.FeatureGates, Out: o.Out,
		Reports: filepath.Join(o.Reports, o.logs, version),
	}, func(ctx context.Context, _ *run.Environment, environment scenario.Environment) error {
		return do(ctx, environment)
	})
}

// pool says how many scenarios run at the same time.
func (o Options) pool() campaign.Pool { return campaign.Pool{Workers: cmp.Or(o.Procs, DefaultProcs)} }

func repeat(ctx context.Context, o Options, environment scenario.Environment, times int) ([]*scenario.Result, error) {
	results := make([]*scenario.Result, times)
	return results, campaign.Each(ctx, o.pool(), campaign.UpTo(times), func(ctx context.Context, i int) (err error) {
		results[i], err = environment.Run(ctx, library.Among(o.Scenario, o.Implementation.Name, environment.Version))
		if err == nil {
			console.Line(o.Out, environment.Version, "%s after %s", console.Color(results[i].Green()),
				console.Tenths(results[i].Took))
		}
		return err
	})
}

// Cell is one bug on one version: a line of the file from which a matrix resumes.
type Cell struct {
	Issue          int    `json:"issue,omitempty"`
	Key            string `json:"key,omitempty"` // of a bug without a number
	Version        string `json:"version"`
	Implementation string `json:"implementation"`
	// Scenario is a digest of its YAML: a changed one is run again.
	Scenario string `json:"scenario"`
	Score
	// Why is the reason of the first that was red.
	Why  string        `json:"why,omitempty"`
	Took time.Duration `json:"took"` // in nanoseconds, all of them together
}

// key identifies a cell.
func (c Cell) key() string {
	return fmt.Sprintf("%d%s %s %s %s %d", c.Issue, c.Key, c.Version, c.Implementation, c.Scenario, c.Times)
}

//go:embed matrix.jsonl
var recorded []byte

// Recorded returns the cells that README.md shows: the results of the last matrix.
func Recorded() ([]Cell, error) { return ReadCells(recorded) }

// ReadCells returns the cells of a file of the name MatrixName.
func ReadCells(text []byte) (cells []Cell, err error) {
	for line := range bytes.Lines(text) {
		var c Cell
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// MatrixName is the file with all cells that are finished, in the folder of
// reports.
const MatrixName = "matrix.jsonl"

// Matrix runs the scenarios of bugs on versions, all of them that need the same feature gates
// side by side on one cluster for each version. Cells that are in the folder of reports already are not
// run again. A version that cannot be built leaves its cells out; the error names
// it, and comes with the cells of the others.
func Matrix(ctx context.Context, o Options, bugs []library.Entry) ([]Cell, error) {
	m, err := openMatrix(o)
	if err != nil {
		return nil, err
	}
	defer m.results.Close()
	var failed []error
	for _, version := range o.Versions {
		err := m.version(ctx, version, bugs)
		if err != nil && !badinput.Is(err) {
			return m.cells(bugs), err
		}
		if err != nil {
			console.Line(o.Out, version, "%v", err)
			failed = append(failed, err)
		}
	}
	return m.cells(bugs), errors.Join(failed...)
}

type matrix struct {
	o       Options
	results *campaign.Results[string, Cell]
}

// openMatrix reads what an earlier run has finished.
func openMatrix(o Options) (*matrix, error) {
	results, err := campaign.OpenResults(filepath.Join(o.Reports, MatrixName), Cell.key, func(Cell) bool {
		return true
	})
	if err != nil {
		return nil, badinput.Wrap(err, "the results of an earlier run cannot be read or written",
			"remove them, or choose another folder with "+console.Flag("output-dir"))
	}
	return &matrix{o, results}, nil
}

// cell returns an empty cell.
func (m *matrix) cell(bug library.Entry, version string) Cell {
	digest := sha256.Sum256(bug.Text)
	return Cell{
		Issue: bug.Issue, Key: bug.Key, Version: version, Implementation: m.o.Implementation.Name,
		Scenario: hex.EncodeToString(digest[:6]), Score: Score{Times: max(m.o.Repeat, 1)},
	}
}

func (m *matrix) cells(bugs []library.Entry) (cells []Cell) {
	for _, bug := range bugs {
		for _, version := range m.o.Versions {
			if c, ok := m.results.Find(m.cell(bug, version).key()); ok {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func (m *matrix) version(ctx context.Context, version string, bugs []library.Entry) error {
	todo := slices.DeleteFunc(slices.Clone(bugs), func(bug library.Entry) bool {
		_, done := m.results.Find(m.cell(bug, version).key())
		return done
	})
	if len(todo) < len(bugs) {
		console.Line(m.o.Out, version, "%d of %d were run before", len(bugs)-len(todo), len(bugs))
	}
	for len(todo) > 0 {
		on := todo[0].Gates
		same := func(bug library.Entry) bool { return slices.Equal(bug.Gates, on) }
		some := slices.DeleteFunc(slices.Clone(todo), func(bug library.Entry) bool { return !same(bug) })
		todo = slices.DeleteFunc(todo, same)
		if err := m.together(ctx, version, some); err != nil {
			return err
		}
	}
	return nil
}

// together runs scenarios that need the same feature gates on one cluster; none where the version has no such gates.
func (m *matrix) together(ctx context.Context, version string, bugs []library.Entry) error {
	for _, gate := range bugs[0].Gates {
		if !gates.Has(gate, version) {
			console.Line(m.o.Out, version, "%d are left out: it has no feature gate %s", len(bugs), gate)
			return nil
		}
	}
	o, err := m.o.withGates(bugs[0].Gates, version)
	if err != nil {
		return err
	}
	return onCluster(ctx, o, version, func(ctx context.Context, environment scenario.Environment) error {
		return campaign.Each(ctx, o.pool(), slices.Values(bugs), func(ctx context.Context, bug library.Entry) error {
			return m.run(ctx, environment, bug, version)
		})
	})
}

// run runs the scenario of one cell, and saves the outcome.
func (m *matrix) run(ctx context.Context, environment scenario.Environment, bug library.Entry, version string) error {
	c := m.cell(bug, version)
	for range c.Times {
		r, err := environment.Run(ctx, library.Among(bug.Scenario, m.o.Implementation.Name, version))
		if err != nil {
			return fmt.Errorf("%s on %s: %w", bug.ID(), version, err)
		}
		c.Took += r.Took
		if !r.Green() {
			c.Reds++
			c.Why = cmp.Or(c.Why, r.Why())
		}
		file := fmt.Sprintf("%s on %s with %s", bug.ID(), version, m.o.Implementation.Name)
		if err := r.Save(filepath.Join(m.o.Reports, "histories", history.FileName(file, r.Namespace))); err != nil {
			return err
		}
	}
	console.Line(m.o.Out, version+" "+bug.ID(), "%s after %s", c.word(bug), console.Tenths(c.Took))
	return m.results.Add(c)
}

// Of reports whether a cell is about a bug.
func (c Cell) Of(bug library.Entry) bool { return c.Issue == bug.Issue && c.Key == bug.Key }

// AsExpected reports whether a bug showed each time on a version that has it, and
// never on another one.
func (c Cell) AsExpected(bug library.Entry) bool {
	return c.all(library.Red(bug.Scenario, c.Implementation, c.Version))
}

func (c Cell) word(bug library.Entry) string {
	text := console.Color(true)
	if c.Reds > 0 {
		text = c.String()
	}
	if !c.AsExpected(bug) {
		text += ", not as expected"
	}
	return text
}
