package repro

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"golang.org/x/sync/errgroup"
)

// Cell is one bug on one version: a line of the file that a matrix goes on from.
type Cell struct {
	Issue          int    `json:"issue"`
	Version        string `json:"version"`
	Implementation string `json:"implementation"`
	// Scenario is a digest of its YAML: another one has to be played again.
	Scenario string `json:"scenario"`
	// Reds is how often it was red, of Times.
	Reds  int `json:"reds"`
	Times int `json:"times"`
	// Why says what was wrong, of the first that was red.
	Why  string        `json:"why,omitempty"`
	Took time.Duration `json:"took"` // in nanoseconds, all of them together
}

// key tells cells apart.
func (c Cell) key() string {
	return fmt.Sprintf("%d %s %s %s %d", c.Issue, c.Version, c.Implementation, c.Scenario, c.Times)
}

// MatrixName is the file with all cells that are finished, in the folder of
// reports.
const MatrixName = "matrix.jsonl"

// Matrix plays bugs on versions, all of them side by side on one cluster for each
// version. Cells that are in the folder of reports already are not played again.
// A version that cannot be built leaves its cells out; the error names it, and
// comes with what there is of the others.
func Matrix(ctx context.Context, o Options, bugs []regressions.Regression) ([]Cell, error) {
	m := &matrix{o: o, done: map[string]Cell{}}
	if err := m.load(); err != nil {
		return nil, err
	}
	var failed []error
	for _, version := range o.Versions {
		err := m.version(ctx, version, bugs)
		if err != nil && !badinput.Is(err) {
			return m.cells(bugs), err
		}
		if err != nil {
			fmt.Fprintf(o.Out, "%-70s %v\n", version, err)
			failed = append(failed, err)
		}
	}
	return m.cells(bugs), errors.Join(failed...)
}

type matrix struct {
	o    Options
	mu   sync.Mutex
	done map[string]Cell
}

func (m *matrix) path() string { return filepath.Join(m.o.Reports, MatrixName) }

// load reads what an earlier run has finished; a line that it was just writing
// when it was killed is none.
func (m *matrix) load() error {
	if err := os.MkdirAll(m.o.Reports, 0o755); err != nil {
		return badinput.Wrap(err, "the folder for reports cannot be written", "choose another with REPORTS")
	}
	text, err := os.ReadFile(m.path())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return badinput.Wrap(err, "the results of an earlier run cannot be read", "choose another folder with REPORTS")
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	for line := range bytes.Lines(whole) {
		var c Cell
		if err := json.Unmarshal(line, &c); err != nil || c.Version == "" {
			return badinput.New(m.path()+" is no file of results", "remove it, or choose another folder with REPORTS")
		}
		m.done[c.key()] = c
	}
	if len(whole) < len(text) {
		return os.Truncate(m.path(), int64(len(whole)))
	}
	return nil
}

// cell is an empty one.
func (m *matrix) cell(bug regressions.Regression, version string) Cell {
	digest := sha256.Sum256(bug.Text)
	return Cell{
		Issue: bug.Issue, Version: version, Implementation: m.o.Implementation.Name,
		Scenario: hex.EncodeToString(digest[:6]), Times: max(m.o.Repeat, 1),
	}
}

func (m *matrix) cells(bugs []regressions.Regression) (cells []Cell) {
	for _, bug := range bugs {
		for _, version := range m.o.Versions {
			if c, ok := m.done[m.cell(bug, version).key()]; ok {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func (m *matrix) version(ctx context.Context, version string, bugs []regressions.Regression) error {
	todo := slices.DeleteFunc(slices.Clone(bugs), func(bug regressions.Regression) bool {
		_, done := m.done[m.cell(bug, version).key()]
		return done
	})
	if len(todo) < len(bugs) {
		fmt.Fprintf(m.o.Out, "%-70s %d of %d were played before\n", version, len(bugs)-len(todo), len(bugs))
	}
	if len(todo) == 0 {
		return nil
	}
	return onCluster(ctx, m.o, version, func(ctx context.Context, theatre scenario.Theatre) error {
		plays, ctx := errgroup.WithContext(ctx)
		plays.SetLimit(cmp.Or(m.o.Procs, DefaultProcs))
		for _, bug := range todo {
			plays.Go(func() error { return m.play(ctx, theatre, bug, version) })
		}
		return plays.Wait()
	})
}

// play plays one cell, and notes what became of it.
func (m *matrix) play(ctx context.Context, theatre scenario.Theatre, bug regressions.Regression, version string) error {
	c := m.cell(bug, version)
	for range c.Times {
		r, err := theatre.Play(ctx, regressions.Among(bug.Scenario, m.o.Implementation.Name, version))
		if err != nil {
			return fmt.Errorf("%s on %s: %w", bug.Name(), version, err)
		}
		c.Took += r.Took
		if !r.Green() {
			c.Reds++
			c.Why = cmp.Or(c.Why, r.Why())
		}
		file := fmt.Sprintf("%d on %s with %s", bug.Issue, version, m.o.Implementation.Name)
		if err := r.Save(filepath.Join(m.o.Reports, "histories", history.FileName(file, r.Namespace))); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[c.key()] = c
	fmt.Fprintf(m.o.Out, "%-70s %s after %s\n", fmt.Sprintf("%s #%d", version, bug.Issue), c.word(bug), c.Took.Round(100*time.Millisecond))
	return m.append(c)
}

func (m *matrix) append(c Cell) (err error) {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(m.path(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(append(line, '\n'))
	return err
}

// AsExpected tells whether a bug showed each time where it is, and never where it
// is not.
func (c Cell) AsExpected(bug regressions.Regression) bool {
	if regressions.Red(bug.Scenario, c.Implementation, c.Version) {
		return c.Reds == c.Times
	}
	return c.Reds == 0
}

func (c Cell) word(bug regressions.Regression) string {
	text := colour(c.Reds == 0)
	if c.Times > 1 && c.Reds > 0 {
		text = fmt.Sprintf("RED %d times of %d", c.Reds, c.Times)
	}
	if !c.AsExpected(bug) {
		text += ", not as expected"
	}
	return text
}
