package report

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// shownLines is how many lines of a log are shown of a failed spec.
const shownLines = 20

// Explain returns what is known of a failed spec besides its message, for a terminal:
// its requirements with their sources, the last events of its namespaces, what the
// implementation logged about them, and the command that runs the spec again. The folder
// is that of the run's reports.
func Explain(s spec.Spec, folder, again string) string {
	var b strings.Builder
	for _, id := range s.Requirements {
		if q, found := table.Find(id); found {
			fmt.Fprintf(&b, "%s: %s\n  source: %s\n", q.ID, q.Text, q.Source)
		}
	}
	for _, file := range s.Histories {
		about, h, err := history.Load(string(file))
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		if text := events(h); text != "" {
			b.WriteString(text + "\n")
		}
		logs, _ := filepath.Glob(filepath.Join(folder, "implementation*.log")) // one for each start
		for _, log := range logs {
			if lines := lastLines(log, about.Namespace); len(lines) > 0 {
				fmt.Fprintf(&b, "The last lines of %s about %s:\n%s\n", filepath.Base(log), about.Namespace,
					strings.Join(lines, "\n"))
			}
		}
	}
	for _, log := range ownLogs(s) {
		fmt.Fprintf(&b, "The last lines of %s:\n%s\n", log, strings.Join(lastLines(log, ""), "\n"))
	}
	fmt.Fprintf(&b, "Again: %s\n", again)
	return b.String()
}

// ownLogs returns the logs of implementations that a spec started, which have a folder
// each where there were several.
func ownLogs(s spec.Spec) []string {
	if s.Logs == "" {
		return nil
	}
	one, _ := filepath.Glob(filepath.Join(string(s.Logs), "*.log"))
	several, _ := filepath.Glob(filepath.Join(string(s.Logs), "*", "*.log"))
	return append(one, several...)
}

// lastLines returns the last lines of a log that have a word in them.
func lastLines(path, word string) (lines []string) {
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
	return slices.Clone(lines[max(0, len(lines)-shownLines):])
}

// lastEvents is how many Events of a namespace are shown of a failed spec.
const lastEvents = 20

// events returns the last Events of a history, a line each.
func events(h history.History) string {
	var lines []string
	for _, r := range h.Revisions {
		if e := r.Event(); e != nil {
			lines = append(lines, fmt.Sprintf("%s %s %s/%s %s: %s", r.At.UTC().Format("15:04:05.000"),
				e.Type, e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Reason, firstLine(e.Message)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "The last events:\n" + strings.Join(lines[max(0, len(lines)-lastEvents):], "\n")
}
