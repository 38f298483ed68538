package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
	"golang.org/x/net/html"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// FuzzReport reads reports, and compares those that can be read.
func FuzzReport(f *testing.F) {
	sample := judge(ended("a", broken, "JOB-A-002"), ended("b", passed, "JOB-A-001"))
	folder := f.TempDir()
	if err := Write(folder, sample); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, FileName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("apiVersion: " + APIVersion + "\nkind: " + Kind + "\nrequirements: [{id: A, outcome: conformant}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parse(text)
		if err != nil {
			return
		}
		for _, pair := range [][2]*Report{{r, sample}, {sample, r}, {r, r}} {
			c, err := Compare(pair[0], pair[1])
			switch {
			case err == nil:
				c.Print(io.Discard)
			case !badinput.Is(err):
				t.Error(err)
			}
		}
		judge().since(r)
		_ = r.Failed()
		_ = r.Summarize(io.Discard)
		r.PrintCauses(io.Discard, "", record.Usual)
	})
}

// FuzzLog reads what PrintShard has printed.
func FuzzLog(f *testing.F) {
	folder := f.TempDir()
	if err := writeShard(folder, foreign("x"), nil); err != nil {
		f.Fatal(err)
	}
	var log bytes.Buffer
	if err := PrintShard(&log, folder); err != nil {
		f.Fatal(err)
	}
	f.Add(log.Bytes())
	f.Add([]byte("pod-1 " + console.ResultsMark + " 0123456789abcdef 1/2 YQ==\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		shards, _, err := readLines(bytes.NewReader(log), "a")
		if err != nil {
			return
		}
		for _, s := range shards {
			if s.Number < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// FuzzShard merges shards of other machines and writes their report.
func FuzzShard(f *testing.F) {
	folder := f.TempDir()
	if err := writeShard(folder, foreign("x"), map[string]Picture{"x": picture("x")}); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, ShardName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"Number":1,"Count":3,"Run":{"Specs":[{"Text":"a","Shard":1},{"Text":"b","Shard":9}],
		"Histories":{"a":"histories/../../x"}},"Pictures":{"a":{"Timelines":[{"SVG":"<svg><script/></svg>"}]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readShard(fstest.MapFS{ShardName: {Data: text}}, "a")
		if err != nil {
			return
		}
		m := &Merged{pictures: map[string]Picture{}}
		if m.add(s) != nil {
			return
		}
		m.merge(nil)
		to := filepath.Join(t.TempDir(), "a", "b")
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Write(to); err != nil {
			t.Log(err)
		}
		m.Print(io.Discard, record.Verbose)
		if left, _ := filepath.Glob(filepath.Join(to, "..", "..", "*")); len(left) > 1 {
			t.Errorf("it wrote %v", left)
		}
		page, err := os.ReadFile(filepath.Join(to, PageName))
		if err != nil {
			return
		}
		if tags(t, page)["script "] > 1 {
			t.Error("the page has another script than its own")
		}
	})
}

// FuzzOutputs has a text stand wherever an implementation, a cluster, a file or a flag can put one, and looks at all
// that a run prints and writes: nothing but text may come of it.
func FuzzOutputs(f *testing.F) {
	for _, text := range []string{
		"harmless", "\x1b[2J\x1b]0;title\a", "::error::forged", "  ::set-output name=a::b", "##[error]forged",
		"\r::stop-commands::x",
		"##vso[task.complete result=Succeeded;]", "<script>alert(1)</script>",
		"\"><img src=x onerror=alert(1)>", "]]>",
		"`````", "```\n# forged", "| a | b |", "</script>", "</svg>",
		"\x00\x7f\u0085\u202e\ufeff\U000e0041", "\xff\xfe", "&lt;",
		"a\nGREEN x",
		"jobconformance-results 0123456789abcdef 1/1 YQ==", "javascript:alert(1)", "%0A::error::x",
		"{{.}}", "<!--", "[a](b)", "\u2028",
	} {
		f.Add(text)
	}
	workspace := f.TempDir()
	f.Setenv("GITHUB_ACTIONS", "true")
	f.Setenv("GITHUB_WORKSPACE", workspace)
	var (
		want outputs
		once sync.Once
	)
	f.Fuzz(func(t *testing.T, text string) {
		text = "x" + text + "\n" + forged + text
		got := outputsOf(t, text)
		once.Do(func() { want = outputsOf(t, "x") })
		checkTerminal(t, got.terminal)
		checkMarkdown(t, got.markdown)
		if n, m := strings.Count(got.commands, "\n"), strings.Count(want.commands, "\n"); n != m {
			t.Errorf("%d lines of commands in place of %d:\n%q", n, m, got.commands)
		}
		for line := range strings.Lines(got.commands) {
			if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") ||
				strings.ContainsFunc(strings.TrimSuffix(line, "\n"), control) {
				t.Errorf("a command of GitHub: %q", line)
			}
		}
		if got, want := tags(t, got.page), tags(t, want.page); !reflect.DeepEqual(got, want) {
			t.Errorf("the page has the tags\n%v in place of\n%v", got, want)
		}
		if got, want := elements(t, got.junit), elements(t, want.junit); !reflect.DeepEqual(got, want) {
			t.Errorf("junit.xml has the elements\n%v in place of\n%v", got, want)
		}
		if r, err := parse(got.report); err != nil {
			t.Error(err)
		} else if name := r.Implementation.Name; utf8.ValidString(text) && name != reported(text) {
			t.Errorf("the name is %q in report.yaml, not %q", name, text)
		}
	})
}

// forged begins a line that nobody but the text of another may have.
const forged = "FORGED "

// outputs are all that is made of a run.
type outputs struct {
	terminal, commands, markdown string
	page, junit, report          []byte
}

func outputsOf(t *testing.T, text string) outputs {
	t.Helper()
	run, pictures := foreign(text), map[string]Picture{}
	for _, s := range run.Specs {
		pictures[s.Text] = picture(text)
	}
	r := Judge(run, requirements)
	var terminal, commands, markdown bytes.Buffer
	screen := console.NewScreen(&terminal, func(string) string { return "" })
	for _, detail := range []record.Detail{record.Usual, record.Verbose, record.Short, record.Quiet} {
		printer := record.Printer{Out: screen, Total: len(run.Specs), Owners: ladder.Owners(requirements),
			Detail: detail, Explain: func(s spec.Spec) string { return Explain(s, t.TempDir(), "again "+text) }}
		for _, s := range run.Specs {
			printer.Ended(&run.Run, s)
			printer.Again(s)
		}
		r.PrintCauses(screen, text, detail)
		run.Print(screen, detail)
	}
	console.Line(screen, text, "crash 1: %s", text)
	fmt.Fprintln(screen, past(text).Timeline())
	c, err := Compare(r, r)
	if err != nil {
		t.Fatal(err)
	}
	c.Print(screen)
	annotate(&commands, run.applicable(), r)
	if err := r.Summarize(&markdown); err != nil {
		t.Fatal(err)
	}
	o := outputs{terminal: terminal.String(), commands: commands.String(), markdown: markdown.String()}
	folder := t.TempDir()
	if err := writeAll(folder, run, r, pictures); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]*[]byte{PageName: &o.page, JUnitName: &o.junit, FileName: &o.report} {
		if *to, err = os.ReadFile(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// ours are fields that no other sets: they have the words of this program, or are read.
var ours = regexp.MustCompile(`^(Requirements?|Invariants|Versions|APIVersions|KubernetesVersion|Kind|Profiles|Areas|` +
	`Behaviours|Features|Issues|MayIssues|Gates|OneOf|All|Shard|KnownBugs|Principal|Controllers|Key|NotRun|Upstream)$`)

// foreign is a run with a text in each field that is not ours.
func foreign(text string) Run {
	run := Run{Run: record.Run{Date: time.Unix(1e9, 0), Duration: time.Second, HarnessError: "x", Incomplete: "x",
		Lacking: []string{"x"}, Companion: "x", Confinement: "x", Stopped: "x",
		Crashes:       []spec.Crash{{Exit: "x", Log: "x", Specs: []string{"x"}}},
		Interferences: []spec.Interference{{What: "x", Object: "x", Namespace: "x", Spec: "x"}},
		Leaders:       &spec.Leaders{Stuck: "x", Taken: "x", ClockFixed: "x", Trespasses: []spec.Trespass{{}}},
		Expectations:  []spec.Expectation{{Requirement: "JOB-I-001", Reason: "x"}},
	}}
	run.Cluster.KubernetesVersion, run.Flags = "v1.37.1", map[string]string{"implementation": text}
	run.Selection.Shard = "1/1"
	run.Implementation.Contact = []string{"x"}
	run.Selection.Expectations = Expectations(run.Expectations)
	for i, end := range []func(*spec.Spec){passed, failed, should, known, fixed, declined, notRun, harness, broken,
		quoting} {
		s := ended("", end, "JOB-A-001", "JOB-A-002")
		s.Shard, s.Behaviours, s.Namespaces = 1, []string{"a"}, []spec.Namespace{"a"}
		s.Source, s.Location = spec.Source{Line: 3}, spec.Source{Line: 4}
		s.Refusals = []spec.Refusal{{Fields: []string{"x"}, Times: 3, Code: 422}}
		s.Missed = []spec.Missed{{Ground: spec.JobActive, Principal: "JOB-A-001"}}
		if s.KnownIssue != nil {
			bug := *s.KnownIssue
			s.KnownIssue = &bug
		}
		s.Again = &spec.Again{Passed: i%2 == 0}
		run.Specs = append(run.Specs, s)
	}
	fill(reflect.ValueOf(&run).Elem(), text)
	for i := range run.Specs {
		run.Specs[i].Text = fmt.Sprintf("%d: %s", i, text) // each once
		run.Specs[i].Histories, run.Specs[i].Logs = nil, ""
	}
	return run
}

// fill puts a text into each string that is not ours.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !ours.MatchString(f.Name) {
				fill(v.Field(i), text)
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	}
}

// picture is what a page shows besides.
func picture(text string) Picture {
	h := past(text)
	svg := timeline.SVG(h, []invariants.Violation{})
	p := Picture{Refused: text, Details: text, Again: text}
	read, err := json.Marshal(map[string]any{"SVG": svg, "Revisions": timeline.Revisions(h)})
	if err != nil {
		panic(err)
	}
	var t Timeline
	if err := json.Unmarshal(read, &t); err != nil {
		panic(err)
	}
	p.Timelines = []Timeline{t}
	return p
}

// past is a history with a text in its objects.
func past(text string) history.History {
	meta := func(uid string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: text, UID: types.UID(uid), Annotations: map[string]string{"x": text}}
	}
	at := time.Unix(1e9, 0)
	job := &batchv1.Job{ObjectMeta: meta("a"), Status: batchv1.JobStatus{CompletedIndexes: text,
		Conditions: []batchv1.JobCondition{{Type: batchv1.JobConditionType(text), Status: corev1.ConditionTrue,
			Reason: text, Message: text}}}}
	pod := &corev1.Pod{ObjectMeta: meta("b"), Status: corev1.PodStatus{Phase: corev1.PodPhase(text), Message: text}}
	event := &corev1.Event{ObjectMeta: meta("c"), Type: text, Reason: text, Message: text}
	h := history.History{Gaps: []history.Gap{{Kind: "Job", From: at, To: at, Reason: text}},
		Calls: []history.Call{{At: at, By: text, Verb: "create", Resource: text, Name: text, Code: 500, Message: text,
			Fault: text}}}
	for _, change := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		h.Revisions = append(h.Revisions,
			history.Revision{At: at, Type: change, Object: job, Manager: text},
			history.Revision{At: at, Type: change, Object: pod, Manager: text},
			history.Revision{At: at, Type: change, Object: event, Manager: text})
	}
	return h
}

// reported is a text as report.yaml has it.
func reported(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x20 || r > 0x7e {
			b.WriteString(console.Escape(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// control reports whether a rune is no text.
func control(r rune) bool { return r != '\t' && !strconv.IsGraphic(r) }

func checkTerminal(t *testing.T, text string) {
	t.Helper()
	before := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		start := strings.TrimSpace(line)
		if strings.ContainsFunc(line, control) || !utf8.ValidString(line) || strings.HasPrefix(line, forged) ||
			strings.HasPrefix(start, "::") || regexp.MustCompile(`##[a-z.]*\[`).MatchString(line) ||
			logLine.MatchString(line) {
			t.Errorf("a line on the terminal: %q, after %q", line, before)
		}
		before = line
	}
}

func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case strings.ContainsFunc(line, control):
			t.Errorf("a line of the summary: %q", line)
		case fence != "" && line == fence:
			fence = ""
		case fence != "" && len(mark) >= len(fence) && strings.TrimSpace(line) == mark:
			t.Errorf("a line of the summary ends a block: %q", line)
		case fence != "":
		case len(mark) >= 3:
			fence = mark
		case strings.HasPrefix(line, forged) || strings.Contains(line, "<"):
			t.Errorf("a line of the summary: %q", line)
		}
	}
	if fence != "" {
		t.Errorf("a block of the summary does not end")
	}
}

// tags counts those of a page, with the names of their attributes.
func tags(t *testing.T, page []byte) map[string]int {
	t.Helper()
	all := map[string]int{}
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return all
		case html.CommentToken:
			all["comment"]++
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			var names []string
			for _, a := range tag.Attr {
				names = append(names, a.Key)
				if strings.HasPrefix(a.Key, "on") || strings.Contains(strings.ToLower(a.Val), "javascript:") &&
					slices.Contains([]string{"href", "src"}, a.Key) {
					t.Errorf("the page has %s", tag)
				}
			}
			all[tag.Data+" "+strings.Join(names, " ")]++
		}
	}
}

// elements counts those of an XML file.
func elements(t *testing.T, text []byte) map[string]int {
	t.Helper()
	all := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			all[start.Name.Local]++
		}
	}
}
