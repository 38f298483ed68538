package suites

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/jobconformance/jobconformance/suites/score/measured"
	"github.com/jobconformance/jobconformance/suites/specs"
	"golang.org/x/mod/semver"
)

// documented are the pages with figures, each as <!--name-->figure<!--/-->.
var documented = []string{"../README.md", "../SECURITY.md", "../fixtures/README.md", "repro/README.md",
	"score/README.md"}

var marked = regexp.MustCompile(`(?s)<!--([a-z-]+)-->(.*?)<!--/-->`)

// With UPDATE=1, the test writes the figures. With MATRIX=reports/matrix.jsonl, it
// first takes the results of that repro-matrix over into repro/matrix.jsonl.
func TestFiguresAreUpToDate(t *testing.T) {
	cells := readCells(t, "repro/matrix.jsonl")
	update := os.Getenv("UPDATE") != ""
	if newer := os.Getenv("MATRIX"); update && newer != "" {
		cells = mergeCells(cells, readCells(t, filepath.Join("..", newer)))
		writeCells(t, "repro/matrix.jsonl", cells)
	}
	figures := figuresOf(t, cells)
	for _, page := range documented {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		want := marked.ReplaceAllStringFunc(string(text), func(figure string) string {
			name := marked.FindStringSubmatch(figure)[1]
			value, ok := figures[name]
			if !ok {
				t.Errorf("%s has an unknown figure %q", page, name)
			}
			return fmt.Sprintf("<!--%s-->%s<!--/-->", name, value)
		})
		if update {
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want != string(text) {
			t.Errorf("the figures of %s are out of date: run make figures", page)
		}
	}
}

// samples are the indented blocks of the README that `make picture` has taken from runs, by their files in
// report/samples.
var samples = map[string]*regexp.Regexp{
	"green": regexp.MustCompile(`(?m)^    \$ jobconformance run --labels=.*\n(?:    .*\n)+`),
	"red":   regexp.MustCompile(`(?m)^    \[1/\d+\] FAILED .*\n(?:    .*\n)+`),
}

// How many requirements there are, and how many specs were not run, changes with each that is added: a sample has
// the figures of today.
var (
	ofRequirements = regexp.MustCompile(`of \d+ requirements`)
	lastLine       = regexp.MustCompile(`(?m)^GREEN .*: (\d+) passed, 0 failed, (\d+) declined, (\d+) not verified`)
	progress       = regexp.MustCompile(`(?m)^\[1/(\d+)\]`)
)

// With UPDATE=1, the test writes the samples.
func TestSamplesAreUpToDate(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	all, selected := specs.Preview(), 0
	for _, s := range all {
		if slices.Contains(s.Labels(), "behaviour:parallelism") {
			selected++
		}
	}
	want := string(text)
	for name, block := range samples {
		sample, err := os.ReadFile(filepath.Join("report/samples", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		run := progress.FindSubmatch(sample)
		if run == nil || string(run[1]) != fmt.Sprint(selected) || !block.MatchString(want) {
			t.Errorf("the sample %s is of a run of other specs than the %d that there are now, or the README has no "+
				"place for it: run make picture", name, selected)
			continue
		}
		now := ofRequirements.ReplaceAllString(string(sample), fmt.Sprintf("of %d requirements", len(table.All())))
		if last := lastLine.FindStringSubmatchIndex(now); last != nil {
			number := func(group int) int {
				n, _ := strconv.Atoi(now[last[2*group]:last[2*group+1]])
				return n
			}
			now = now[:last[6]] + fmt.Sprint(len(all)-number(1)-number(2)) + now[last[7]:]
		}
		want = block.ReplaceAllLiteralString(want, console.Indent(now, 4)+"\n")
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("../README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("the samples of README.md are out of date: run make figures")
	}
}

func figuresOf(t *testing.T, cells []repro.Cell) map[string]string {
	t.Helper()
	wrong, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	bugs, err := library.Regressions()
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, c := range cells {
		if !slices.Contains(versions, c.Version) {
			versions = append(versions, c.Version)
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return semver.Compare(b, a) })
	scores, err := measured.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	scored := "nothing yet"
	if len(scores) > 0 {
		scored = scores[len(scores)-1].String()
	}
	var matrix bytes.Buffer
	repro.Table(&matrix, "kube-controller-manager", versions, bugs, cells)
	count := func(n int) string { return fmt.Sprint(n) }
	return map[string]string{
		"specs":        count(len(specs.Preview())),
		"requirements": count(len(table.All())),
		"invariants":   count(len(invariants.Invariants())),
		"mutants":      count(len(wrong)),
		"bugs":         count(len(bugs)),
		"bug-matrix":   "\n" + matrix.String(),
		"score":        scored,
		"limits":       "\n" + limits.Table(),
	}
}

func readCells(t *testing.T, path string) (cells []repro.Cell) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if cells, err = repro.ReadCells(text); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return cells
}

// mergeCells returns the cells with newer ones of the same bug and version in their place.
func mergeCells(cells, newer []repro.Cell) []repro.Cell {
	for _, n := range newer {
		i := slices.IndexFunc(cells, func(c repro.Cell) bool {
			return c.Issue == n.Issue && c.Key == n.Key && c.Version == n.Version
		})
		if i < 0 {
			cells = append(cells, n)
		} else {
			cells[i] = n
		}
	}
	return cells
}

func writeCells(t *testing.T, path string, cells []repro.Cell) {
	t.Helper()
	var text []byte
	for _, c := range cells {
		c.Why, c.Took = "", 0
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
