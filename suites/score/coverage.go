package score

import (
	"fmt"
	"go/ast"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
)

// Coverage is which statements of upstream's controllers the specs reach.
type Coverage struct {
	Version string
	Specs   int // that upstream's controller was run against
	Files   []FileCoverage
	Blocks  []Block // that no spec reaches, in the order of the source
}

// FileCoverage counts the statements of a file.
type FileCoverage struct {
	File                string // in the module k8s.io/kubernetes
	Statements, Reached int
	// LeftOut are not reached, for a reason that equivalent.yaml has.
	LeftOut int
}

// Block is statements of a function, one after another, that no spec reaches.
type Block struct {
	File, Function string
	From, To       int    // lines
	Text           string // of its first statement, on one line
	Statements     int
	// Reason is why; empty where equivalent.yaml has none.
	Reason string
}

// place is a numbered statement.
type place struct {
	number   int
	from, to int // lines
	text     string
}

// coverage compares the statements that were reached, by their numbers, with all that the source has.
func coverage(packages []*source, numbers map[node]int, reached map[int]bool, list List, on []gates.Gate) (
	all Coverage) {
	for _, s := range packages {
		for _, f := range s.files {
			of := FileCoverage{File: f.name}
			for _, decl := range f.ast.Decls {
				function := "a variable"
				if d, ok := decl.(*ast.FuncDecl); ok {
					function = functionName(f, d)
				}
				var open *Block
				for _, p := range places(f, decl, numbers) {
					of.Statements++
					switch {
					case reached[p.number]:
						of.Reached++
						open = nil
						continue
					case open == nil:
						all.Blocks = append(all.Blocks, Block{
							File: f.name, Function: function, From: p.from, Text: p.text,
							Reason: list.unreached(f.name, function, p.text, on),
						})
						open = &all.Blocks[len(all.Blocks)-1]
					}
					open.To = max(open.To, p.to)
					open.Statements++
					if open.Reason != "" {
						of.LeftOut++
					}
				}
			}
			if of.Statements > 0 {
				all.Files = append(all.Files, of)
			}
		}
	}
	return all
}

// places are the numbered statements of a declaration, in the order of the source.
func places(f *file, decl ast.Decl, numbers map[node]int) (all []place) {
	ast.Inspect(decl, func(n ast.Node) bool {
		for _, s := range statements(n) {
			if number, ok := numbers[node{f, f.offset(s.Pos())}]; ok {
				all = append(all, place{number, f.line(s.Pos()), f.line(s.End()), short(f.of(s))})
			}
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b place) int { return a.from - b.from })
	return all
}

// Total counts the statements of all files.
func (c Coverage) Total() (t FileCoverage) {
	for _, f := range c.Files {
		t.Statements += f.Statements
		t.Reached += f.Reached
		t.LeftOut += f.LeftOut
	}
	return t
}

// Percent is how many of the statements that are not left out were reached.
func (f FileCoverage) Percent() float64 {
	if f.Statements == f.LeftOut {
		return 100
	}
	return 100 * float64(f.Reached) / float64(f.Statements-f.LeftOut)
}

// Open are the blocks that nobody has given a reason for.
func (c Coverage) Open() (open []Block) {
	for _, b := range c.Blocks {
		if b.Reason == "" {
			open = append(open, b)
		}
	}
	return open
}

func (c Coverage) String() string {
	t := c.Total()
	return fmt.Sprintf("%.1f %% of %d statements that can be reached were, by %d specs (%s: %d reached, %d left out "+
		"with a reason, %d in %d blocks are not reached)", t.Percent(), t.Statements-t.LeftOut, c.Specs, c.Version,
		t.Reached, t.LeftOut, t.Statements-t.Reached-t.LeftOut, len(c.Open()))
}

// Write writes all of it as Markdown.
func (c Coverage) Write(out io.Writer) error {
	text := &strings.Builder{}
	row := tableOf(text)
	fmt.Fprintf(text, "# Statements of Kubernetes %s that specs reach\n\n%s\n\n", c.Version, c)
	row("file", "statements", "reached", "left out", "%")
	row("---", "---", "---", "---", "---")
	for _, f := range c.Files {
		row(f.File, fmt.Sprint(f.Statements), fmt.Sprint(f.Reached), fmt.Sprint(f.LeftOut),
			fmt.Sprintf("%.1f", f.Percent()))
	}
	fmt.Fprint(text, "\n## Not reached\n\n")
	row("place", "function", "statements", "begins with", "why")
	row("---", "---", "---", "---", "---")
	for _, b := range c.Blocks {
		row(fmt.Sprintf("%s:%d-%d", path.Base(b.File), b.From, b.To), b.Function, fmt.Sprint(b.Statements),
			"`"+b.Text+"`", b.Reason)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
