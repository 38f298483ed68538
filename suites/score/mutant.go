package score

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
)

// Mutant is upstream's controller with one change of its source.
type Mutant struct {
	File     string `json:"file"` // in the module k8s.io/kubernetes
	Function string `json:"function"`
	Line     int    `json:"line"`
	Operator string `json:"operator"`
	// Change is the text before and after it. It has a number where the same change can be
	// made in several places of the function.
	Change string `json:"change"`

	file   *file
	source *source
	decl   int    // its index in the file
	node   node   // the innermost statement of a list that has it; zero outside of functions
	edits  []edit // of the file's text

}

// node is where a statement begins, in a file.
type node struct {
	file   *file
	offset int
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

// apply makes edits that do not overlap. Of several at one place, the first comes first.
func apply(text string, edits []edit) string {
	sorted := slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	at := 0
	for _, e := range sorted {
		out.WriteString(text[at:e.from] + e.text)
		at = e.to
	}
	return out.String() + text[at:]
}

// ID names the mutant of one version in results: it depends on no seed.
func (m *Mutant) ID() string {
	sum := sha256.Sum256([]byte(m.File + "\n" + m.Function + "\n" + m.Operator + "\n" + m.Change))
	return fmt.Sprintf("%x", sum[:6])
}

func (m *Mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s", m.File, m.Line, m.Function, m.Change)
}

// everyMutant returns all mutants of some packages in a fixed order, but for those of other files than asked for, a
// pattern of path.Match or empty, and those that the list leaves out with these gates. Some may not compile.
func everyMutant(sources []*source, files string, list List, on []gates.Gate) []*Mutant {
	var all []*Mutant
	for _, s := range sources {
		for _, f := range s.files {
			for n, decl := range f.ast.Decls {
				all = append(all, mutate(s, f, n, decl)...)
			}
		}
	}
	all = slices.DeleteFunc(all, func(m *Mutant) bool {
		return files != "" && !matches(files, path.Base(m.File)) || list.leavesOut(m.File, m.Function, on) != ""
	})
	number := map[string]int{}
	for _, m := range all {
		place := m.File + " " + m.Function + " " + m.Operator + " " + m.Change
		number[place]++
		if n := number[place]; n > 1 {
			m.Change = fmt.Sprintf("%s (%d)", m.Change, n)
		}
	}
	return all
}

// draw returns as many mutants as wanted that compile, at random, and how many of those
// that it drew do not. With a larger count, the same seed draws the same ones first.
func draw(all []*Mutant, seed uint64, count int, imports types.Importer) (drawn []*Mutant, broken int) {
	random := rand.New(rand.NewPCG(seed, 0))
	for _, i := range random.Perm(len(all)) {
		if len(drawn) == count {
			break
		}
		if m := all[i]; m.source.compiles(m, imports) {
			drawn = append(drawn, m)
		} else {
			broken++
		}
	}
	return drawn, broken
}

// functionName is that of a declaration, as in (*Controller).syncJob; of a variable, its own.
func functionName(f *file, decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	return "(" + f.of(decl.Recv.List[0].Type) + ")." + decl.Name.Name
}

// short is a text on one line, and not a long one.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const limit = 140
	if len(text) > limit {
		return text[:limit] + "…"
	}
	return text
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
