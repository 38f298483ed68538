package report

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// shownLines is how many lines of a log are shown of a failed spec.
const shownLines = 20

// Explain returns what is known of a failed spec besides its message, for a terminal:
// what it broke, or what it covers; the command that runs it again; what the implementation was refused;
// the last events of its namespaces, and what the implementation logged about them. The folder is that of
// the run's reports.
func Explain(s spec.Spec, folder, again string) string {
	var b strings.Builder
	var broken []string
	for _, key := range ladder.Owners(table.All()).Of(s) {
		if key.Kind == causes.Requirement {
			broken = append(broken, key.ID)
		}
	}
	if len(broken) == 0 {
		broken = s.Requirements
	}
	var covered []string
	for _, q := range table.All() {
		switch {
		case slices.Contains(broken, q.ID):
			fmt.Fprintf(&b, "%s: %s\n  source: %s\n", q.ID, q.Text, q.Source)
		case slices.Contains(s.Requirements, q.ID):
			covered = append(covered, q.ID)
		}
	}
	if len(covered) > 0 && !s.Finished {
		fmt.Fprintf(&b, "Not verified because of that: %s\n", strings.Join(covered, ", "))
	}
	fmt.Fprintf(&b, "Again: %s\n", again)
	if refused := s.Refused(terminalRefusals); refused != "" {
		b.WriteString(refused + "\n")
	}
	b.WriteString(details(s, logsOf(folder, []spec.Spec{s})))
	return b.String()
}

// How many kinds of refused requests are shown of a spec: in a terminal, and in reports.
const (
	terminalRefusals = 3
	reportRefusals   = 20
)

// details are the last events of a spec, and the last lines of its implementations.
func details(s spec.Spec, logged map[spec.Namespace]string) string {
	var b strings.Builder
	for _, file := range s.Histories {
		_, h, err := history.Load(string(file))
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
		} else if text := events(h); text != "" {
			b.WriteString(text + "\n")
		}
	}
	for _, namespace := range s.Namespaces {
		b.WriteString(logged[namespace])
	}
	for _, log := range ownLogs(s) {
		fmt.Fprintf(&b, "The last lines of %s:\n%s\n", log, strings.Join(lastLines(log), "\n"))
	}
	return b.String()
}

// logsOf returns the last lines about the namespaces of specs in the logs of the implementation that they
// share, each log read once.
func logsOf(folder string, specs []spec.Spec) map[spec.Namespace]string {
	texts := map[spec.Namespace]string{}
	var wanted []spec.Namespace
	for _, s := range specs {
		wanted = append(wanted, s.Namespaces...)
	}
	logs, _ := filepath.Glob(filepath.Join(folder, "implementation*.log")) // one for each start
	for _, log := range logs {
		lines := map[spec.Namespace][]string{}
		for _, namespace := range wanted {
			lines[namespace] = nil
		}
		scanRecords(log, func(line string) {
			for _, word := range namespaces.FindAllString(line, -1) {
				n := spec.Namespace(word)
				if had, known := lines[n]; known && (len(had) == 0 || had[len(had)-1] != line) {
					lines[n] = append(had[max(0, len(had)+1-shownLines):len(had):len(had)], line)
				}
			}
		})
		for _, namespace := range wanted {
			if of := lines[namespace]; len(of) > 0 {
				texts[namespace] += fmt.Sprintf("The last lines of %s about %s:\n%s\n", filepath.Base(log), namespace,
					strings.Join(of, "\n"))
			}
		}
	}
	return texts
}

// namespaces finds the names of namespaces of specs in a log.
var namespaces = regexp.MustCompile(`jobconformance-[a-z0-9-]*[a-z0-9]`)

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

// valueLines is how many lines are shown of a value that klog breaks into lines.
const valueLines = 5

// scanRecords reads a log like scanLines, and gives the values that klog breaks into lines, joined errors and stacks,
// in one line with the rest of what was logged. The name of a Job stands after them.
func scanRecords(path string, each func(record string)) {
	record, lines, inValue := "", 0, false
	scanLines(path, func(line string) {
		text, isValue := strings.CutPrefix(line, "\t")
		switch {
		case inValue && isValue:
			if lines++; lines <= valueLines {
				record += strings.TrimSpace(text) + "; "
			}
			return
		case inValue && strings.HasPrefix(line, " >"):
			record = strings.TrimSuffix(record, "; ")
			line = line[1:]
		case record != "":
			each(record)
			record = ""
		}
		record, lines, inValue = record+line, 0, strings.HasSuffix(line, "=<")
		if !inValue {
			each(record)
			record = ""
		}
	})
	if record != "" {
		each(record)
	}
}

// lastLines returns the last lines of a log.
func lastLines(path string) (lines []string) {
	scanLines(path, func(line string) {
		lines = append(lines[max(0, len(lines)+1-shownLines):], line)
	})
	return lines
}

// scanLines reads a log, as far as there is one, with its lines cut.
func scanLines(path string, each func(line string)) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	for line := range limits.Lines(file) {
		each(line)
	}
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
