package suites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// resting are the grounds on which the steps of handles rest, by the names of their methods.
var resting = map[spec.Ground][]string{
	spec.JobActive: {"Counts", "CountsAfter", "Reports", "ReportsNow", "ReportsActive", "Completes", "CompletesWith",
		"Fails", "FailsWith", "IsSuspended"},
	spec.JobReady: {"Counts", "CountsAfter", "Reports", "ReportsNow", "ReportsReady", "Completes", "CompletesWith",
		"Fails", "FailsWith", "IsSuspended"},
	spec.JobTerminating: {"Counts", "CountsAfter", "Reports", "ReportsNow", "ReportsTerminating", "Completes",
		"CompletesWith", "Fails", "FailsWith", "IsSuspended"},
	spec.CronJobStarted: {"Starts", "StartsOne", "KeepsRunning", "RecordsStart"},
	spec.CronJobActive:  {"Refers", "RefersOnlyTo"},
	spec.CronJobNoOther: {"StartsOne", "KeepsRunning", "Refers", "RefersOnlyTo"},
	spec.JobStartTime:   {"HasStarted", "ReportsStart", "StartedAt"},
	spec.CronJobScheduledTime: {"Starts", "StartsOne", "Runs", "KeepsRunning", "Existing", "Started",
		"ScheduledTime"},
	spec.CronJobLastScheduleTime: {"Starts", "StartsOne", "ScheduledLast", "WasScheduledLast", "RecordsStart"},
	spec.CronJobActsOnJobs:       {"ActsOnJobs"},
}

// comparison is an expectation about the field of a ground that does not go through a handle.
var comparison = map[spec.Ground]*regexp.Regexp{
	spec.JobActive:    regexp.MustCompile(`Expect\(\w*[jJ]ob\.(Now\(\)\.Status\.Active|Counters\(\))\)\.To\(`),
	spec.JobReady:     regexp.MustCompile(`Expect\(\w*[jJ]ob\.(Now\(\)\.Status\.Ready|Counters\(\))\)\.To\(`),
	spec.JobStartTime: regexp.MustCompile(`Expect\(\w*[jJ]ob\.Now\(\)\.Status\.StartTime`),
	spec.CronJobScheduledTime: regexp.MustCompile(
		`Expect\([^\n]*Annotations\)\.To\(HaveKey\w*\(\s*batchv1\.CronJobScheduledTimestampAnnotation`),
	spec.JobTerminating: regexp.MustCompile(`Expect\(\w*[jJ]ob\.(Now\(\)\.Status\.Terminating|Counters\(\))\)\.To\(`),
	spec.CronJobActive: regexp.MustCompile(
		`Expect\((cronJob|again|other|one|two)\.(Now\(\)\.Status\.Active|Active\(\))\)\.To\(`),
	spec.CronJobLastScheduleTime: regexp.MustCompile(`Expect\(\w+\.Now\(\)\.Status\.LastScheduleTime\)\.To\(`),
}

// source is one spec as it is written.
type source struct {
	where, text string
	about       []spec.Ground // of its requirements
	own         bool          // it checks what the API server does with the field
	body        string
}

var (
	declaration = regexp.MustCompile(`(?m)^\s*(\w+)\s*=\s*set\.New\("([A-Z0-9-]+)"`)
	identifier  = regexp.MustCompile(`\w+`)
)

// sources returns the specs of packages, with the requirements that they cover.
func sources(t *testing.T, packages ...string) (all []source) {
	t.Helper()
	ids := map[string][]string{} // of requirements, by the names of their variables
	files, _ := filepath.Glob("*/requirements/*.go")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			ids[m[1]] = append(ids[m[1]], m[2])
		}
	}
	for _, name := range packages {
		files, _ := filepath.Glob(name + "/*.go")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, file, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is || len(call.Args) < 2 {
					return true
				}
				fun, is := call.Fun.(*ast.Ident)
				label, literal := call.Args[0].(*ast.BasicLit)
				if !is || !literal || fun.Name != "It" && fun.Name != "Entry" {
					return true
				}
				of := func(n ast.Node) string {
					return string(text[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
				}
				s := source{where: set.Position(call.Pos()).String(), body: of(call)}
				s.text, _ = strconv.Unquote(label.Value)
				for _, arg := range call.Args[1:] {
					if covers, is := arg.(*ast.CallExpr); is && of(covers.Fun) == "covers.Requirements" {
						s.covers(identifier.FindAllString(of(covers), -1), ids)
					}
				}
				all = append(all, s)
				return fun.Name != "It"
			})
		}
	}
	return all
}

func (s *source) covers(names []string, ids map[string][]string) {
	for _, name := range names {
		for _, id := range ids[name] {
			q, _ := table.Find(id)
			s.about = append(s.about, slices.Concat(q.Grounds, q.About)...)
			s.own = s.own || q.Profile() == contract.API
		}
	}
}

// restsOn returns the grounds on which the steps of the spec rest that it names itself.
func (s source) restsOn() (grounds []spec.Ground) {
	for _, ground := range slices.Sorted(maps.Keys(resting)) {
		if slices.ContainsFunc(resting[ground], func(step string) bool {
			return strings.Contains(s.body, "."+step+"(")
		}) {
			grounds = append(grounds, ground)
		}
	}
	return grounds
}

// TestSpecsCompareGroundsByHandles lists the grounds of each spec with -v. A spec that is not about one
// must leave the comparison to a handle, which knows what has to be so where the status says otherwise.
func TestSpecsCompareGroundsByHandles(t *testing.T) {
	all := sources(t, "job", "cronjob", "faults", "admission")
	rest := 0
	for _, s := range all {
		if grounds := s.restsOn(); len(grounds) > 0 {
			t.Logf("%s: %q", s.text, grounds)
			rest++
		}
		for ground, direct := range comparison {
			if found := direct.FindString(s.body); found != "" && !s.own && !slices.Contains(s.about, ground) {
				t.Errorf("%s: %q is not about %s, and compares it by itself: %s", s.where, s.text, ground, found)
			}
		}
	}
	if len(all) < 400 || rest < 200 {
		t.Errorf("%d specs were found, of which %d rest on grounds", len(all), rest)
	}
}
