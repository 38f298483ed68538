package gaps

import (
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	batchv1 "k8s.io/api/batch/v1"
)

// api is the module k8s.io/api that this module requires.
func api(t *testing.T) fs.FS {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	return os.DirFS(strings.TrimSpace(string(dir)))
}

func known() Catalogue {
	return Catalogue{Requirements: table.All(), Gates: gates.All(), Without: Without()}
}

func TestEachFieldIsCovered(t *testing.T) {
	lines, judged, err := known().OfFields(api(t), build.DefaultKubernetesVersion)
	if err != nil || judged < 54 {
		t.Fatalf("%d fields, %v", judged, err)
	}
	for _, line := range lines {
		t.Error(line)
	}
}

// Fields reads the sources of other versions as well; those of the one that is compiled in are known.
func TestFieldsAreThoseOfTheTypes(t *testing.T) {
	fields, err := Fields(api(t))
	if err != nil {
		t.Fatal(err)
	}
	var read, compiled []string
	for _, f := range fields {
		read = append(read, f.String())
	}
	seen := map[reflect.Type]bool{}
	var walk func(of reflect.Type, root bool)
	walk = func(of reflect.Type, root bool) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[batchv1.Job]().PkgPath() || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && (!root || !f.Anonymous) {
				compiled = append(compiled, of.Name()+"."+name)
			}
			walk(f.Type, false)
		}
	}
	walk(reflect.TypeFor[batchv1.Job](), true)
	walk(reflect.TypeFor[batchv1.CronJob](), true)
	slices.Sort(read)
	slices.Sort(compiled)
	if !slices.Equal(read, compiled) {
		t.Errorf("read %q, want %q", read, compiled)
	}
}

func TestPlantedFieldIsFound(t *testing.T) {
	text, err := fs.ReadFile(api(t), batchTypes)
	if err != nil {
		t.Fatal(err)
	}
	const before = "type JobSpec struct {\n"
	planted := strings.Replace(string(text), before, before+
		"	// +featureGate=JobPlants\n	Planted *JobPlant `json:\"planted,omitempty\"`\n", 1) +
		"\ntype JobPlant struct {\n	// +k8s:ifDisabled(JobPlants)=+k8s:forbidden\n" +
		"	Height []int32 `json:\"height\"`\n}\n"
	version := build.DefaultKubernetesVersion
	lines, _, err := known().OfFields(fstest.MapFS{batchTypes: {Data: []byte(planted)}}, version)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "field JobPlant.height (batch/v1/types.go:") ||
		!strings.HasSuffix(lines[0], "), gate JobPlants: no requirement of "+version+" has it as a source") {
		t.Errorf("found %q", lines)
	}
	gates, err := known().GatesOfFields(fstest.MapFS{batchTypes: {Data: []byte(planted)}})
	if err != nil || len(gates) != 2 || !strings.HasPrefix(gates[0], "gate JobPlants (batch/v1/types.go:") {
		t.Errorf("gates %q, %v", gates, err)
	}
}

func TestWhatTheCatalogueHasIsJudgedByVersion(t *testing.T) {
	sources := fstest.MapFS{batchTypes: {Data: []byte("package v1\ntype Job struct { Spec JobSpec `json:\"spec\"` }\n" +
		"type CronJob struct {}\ntype JobSpec struct { A int `json:\"a\"`; B int `json:\"b,omitempty\"` }")}}
	requirement := func(id, source, versions string) contract.Requirement {
		return contract.Requirement{ID: id, Source: source, Versions: versions}
	}
	c := Catalogue{Without: map[contract.Field]string{{Type: "JobSpec", Name: "d"}: "It is not there."},
		Requirements: []contract.Requirement{
			requirement("JOB-A-001", "KEP-1; batch/v1 JobSpec.a: it is there", ""),
			requirement("JOB-B-001", "batch/v1 JobSpec.b", ">= 1.38.0"),
			requirement("JOB-C-001", "batch/v1 JobSpec.c", "< 1.38.0"),
		}}
	for version, want := range map[string][]string{
		"v1.37.2": {"field JobSpec.b (batch/v1/types.go:4): no requirement of v1.37.2 has it as a source",
			"requirement JOB-C-001: its source JobSpec.c is no field of v1.37.2",
			"field JobSpec.d has no requirement for a reason, and is no field of v1.37.2"},
		"v1.38.0-alpha.2": {"field JobSpec.d has no requirement for a reason, and is no field of v1.38.0-alpha.2"},
	} {
		lines, judged, err := c.OfFields(sources, version)
		if err != nil || judged != 2 || !slices.Equal(lines, want) {
			t.Errorf("%s: %d fields, %q, %v, want %q", version, judged, lines, err, want)
		}
	}
}

func TestFieldsThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"no Go":      "packag v1",
		"no CronJob": "package v1\ntype Job struct {}",
		"no name":    "package v1\ntype Job struct { A int }\ntype CronJob struct {}",
	} {
		if _, err := Fields(fstest.MapFS{batchTypes: {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Fields(fstest.MapFS{}); err == nil {
		t.Error("no file: no error")
	}
}

// The states of some gates since v1.36; of v1.37 is what the word Since says.
const features = `package features

import "k8s.io/component-base/featuregate"

const (
	// Lets the Job controller do more.
	More featuregate.Feature = "More"
	// Nothing of them.
	JobPlants featuregate.Feature = "JobPlants"
	// Nothing of them.
	Used featuregate.Feature = "Used"
	// Nothing of them: a joborigin.
	Other featuregate.Feature = "Other"
	Old featuregate.Feature = "Old"
	Known featuregate.Feature = "Known"
)

var versioned = map[featuregate.Feature]featuregate.VersionedSpecs{
	More:      {{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Alpha}},
	JobPlants: {{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta}},
	Used: {
		{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.38"), Default: true, PreRelease: featuregate.GA, LockToDefault: true},
	},
	Known: {{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta}},
	another.Gate: {{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta}},
}

var needs = map[featuregate.Feature][]featuregate.Feature{Used: {More}, Known: {}}
`

const older = `package features

var unversioned = map[featuregate.Feature]featuregate.FeatureSpec{
	Old: {Default: true, PreRelease: featuregate.GA, LockToDefault: true},
}
`

func kubernetes() fstest.MapFS {
	sources := fstest.MapFS{
		"pkg/features/kube_features.go": {Data: []byte(features)},
		"pkg/features/older.go":         {Data: []byte(older)},
		"pkg/controller/job/a.go": {Data: []byte("package job\n" + `import kube "k8s.io/kubernetes/pkg/features"
var _ = enabled(kube.Used)`)},
		"pkg/controller/job/a_test.go": {Data: []byte("package job\n" + `import "k8s.io/kubernetes/pkg/features"
var _ = enabled(features.Other)`)},
		"pkg/controller/cronjob/a.go": {Data: []byte("package cronjob\n" + `import "k8s.io/component-base/features"
var _ = enabled(features.Other)`)},
	}
	for _, folder := range ofJobs {
		sources[folder+"/doc.go"] = &fstest.MapFile{Data: []byte("package a")}
	}
	return sources
}

func TestGatesOfAVersion(t *testing.T) {
	beta := []gates.Since{{Minor: 37, Maturity: gates.Beta, On: true}}
	for name, c := range map[string]struct {
		version string
		known   []gates.Known
		want    []string
	}{
		"none known": {"v1.37.2", nil, []string{
			"gate JobPlants (pkg/features/kube_features.go:9), beta, on: fixtures/gates does not have it",
			"gate More (pkg/features/kube_features.go:7), alpha, off: fixtures/gates does not have it",
			"gate Used (pkg/controller/job/a.go:3), beta, on, needs More: fixtures/gates does not have it"}},
		"known": {"v1.37.2", []gates.Known{
			{Gate: "JobPlants", Since: beta}, {Gate: "Known", Since: beta},
			{Gate: "More", Since: []gates.Since{{Minor: 36, Maturity: gates.Alpha}}},
			{Gate: "Used", Needs: []gates.Gate{"More"}, Since: beta},
			{Gate: "Old", Since: []gates.Since{{Minor: 30, Maturity: gates.GA, On: true}}},
			{Gate: "Gone", Since: []gates.Since{{Minor: 30, Maturity: gates.GA, On: true}}},
			{Gate: "Later", Since: []gates.Since{{Minor: 38, Maturity: gates.Alpha}}}}, nil},
		"known otherwise": {"v1.38.0-rc.0", []gates.Known{
			{Gate: "JobPlants", Since: []gates.Since{{Minor: 38, Maturity: gates.GA, On: true}}},
			{Gate: "Known", Needs: []gates.Gate{"More"}, Since: beta},
			{Gate: "More", Since: []gates.Since{{Minor: 39, Maturity: gates.Alpha}}},
			{Gate: "Used", Since: beta, Needs: []gates.Gate{"More"}},
			{Gate: "Gone", Since: beta}}, []string{
			"gate JobPlants (pkg/features/kube_features.go:9), beta, on: fixtures/gates has it GA, on",
			"gate Known (pkg/features/kube_features.go:15), beta, on: fixtures/gates has it beta, on, needs More",
			"gate More (pkg/features/kube_features.go:7), alpha, off: fixtures/gates has it not there",
			"gate Used (pkg/controller/job/a.go:3), GA, on, needs More: fixtures/gates has it beta, on, needs More",
			"gate Gone is gone: fixtures/gates has it beta, on"}},
	} {
		lines, _, err := Catalogue{Gates: c.known}.OfGates(kubernetes(), c.version)
		if err != nil || !slices.Equal(lines, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, lines, err, c.want)
		}
	}
}

func TestGatesThatCannotBeRead(t *testing.T) {
	for name, change := range map[string]func(fstest.MapFS){
		"no features": func(f fstest.MapFS) {
			delete(f, "pkg/features/kube_features.go")
			delete(f, "pkg/features/older.go")
		},
		"no gate": func(f fstest.MapFS) { f["pkg/features/kube_features.go"].Data = []byte("package features") },
		"no Go":   func(f fstest.MapFS) { f["pkg/controller/job/doc.go"].Data = []byte("packag a") },
		"other states": func(f fstest.MapFS) {
			f["pkg/features/kube_features.go"].Data = []byte(strings.ReplaceAll(features, `version.MustParse("1.36")`, "v136"))
		},
	} {
		sources := kubernetes()
		change(sources)
		if _, err := Gates(sources, 37); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
