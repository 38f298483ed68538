package report

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// lastLines is how many lines of the implementation's log are shown of a failed
// spec.
const lastLines = 20

// Explain says what is known of a failed spec besides its message, for a
// terminal: the requirements that it covers with their sources, the last events
// of its namespace, what the implementation logged about it, and the command
// that runs just this spec again.
func Explain(s protocol.Spec, folder, again string) string {
	var b strings.Builder
	for _, id := range s.Requirements {
		if q, found := table.Find(id); found {
			fmt.Fprintf(&b, "%s: %s\n  source: %s\n", q.ID, q.Text, q.Source)
		}
	}
	if about, h, found := historyOf(s.Text, filepath.Join(folder, HistoriesName)); found {
		if text := events(h); text != "" {
			b.WriteString(text + "\n")
		}
		if lines := logged(filepath.Join(folder, "implementation.log"), about.Namespace); len(lines) > 0 {
			fmt.Fprintf(&b, "The implementation's last words about %s:\n%s\n", about.Namespace, strings.Join(lines, "\n"))
		}
		for _, log := range lives(filepath.Join(folder, "lives", about.Namespace)) {
			fmt.Fprintf(&b, "The last words of %s:\n%s\n", log, strings.Join(logged(log, ""), "\n"))
		}
	}
	fmt.Fprintf(&b, "Again: %s\n", again)
	return b.String()
}

// lives are the logs of implementations that a spec started itself, by a name in
// a folder of its own where there were several.
func lives(folder string) []string {
	one, _ := filepath.Glob(filepath.Join(folder, "*.log"))
	several, _ := filepath.Glob(filepath.Join(folder, "*", "*.log"))
	return append(one, several...)
}

// historyOf finds the saved history of a spec.
func historyOf(spec, folder string) (about history.About, h history.History, found bool) {
	files, _ := filepath.Glob(filepath.Join(folder, history.FileName(spec, "*")))
	for _, path := range files {
		if about, h, err := history.Load(path); err == nil && about.Spec == spec {
			return about, h, true
		}
	}
	return about, h, false
}

// logged are the last lines of a log that have a word in them.
func logged(path, word string) (lines []string) {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if strings.Contains(scan.Text(), word) {
			lines = append(lines, scan.Text())
		}
	}
	return slices.Clone(lines[max(0, len(lines)-lastLines):])
}

// Again is the command that runs one spec again, with the variables that the run
// was made with (as in IMPLEMENTATION=reference).
func Again(variables []string, spec string) string {
	words := []string{"make", "e2e"}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, name+"="+quoted(value))
	}
	return strings.Join(append(words, "FOCUS="+quoted(Exactly(spec))), " ")
}

// Exactly is the expression that selects these specs and no others. Ginkgo
// matches it against the suite's name and the spec's text.
func Exactly(specs ...string) string {
	var all []string
	for _, s := range specs {
		all = append(all, regexp.QuoteMeta(s))
	}
	return "^" + regexp.QuoteMeta(protocol.Suite) + " (" + strings.Join(all, "|") + ")$"
}

var plain = regexp.MustCompile(`^[\w@%+:,./-]*$`)

// quoted is a word for make and the shell that it calls.
func quoted(word string) string {
	word = strings.ReplaceAll(word, "$", "$$")
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
