package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/bench"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestBadInputIsOneLineAndCode2(t *testing.T) {
	t.Setenv("ARTIFACTS", t.TempDir()) // for the folders for reports
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	crd, err := filepath.Abs("../../fixtures/dialect/example/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	declines := filepath.Join(t.TempDir(), "dialect.yaml")
	if err := os.WriteFile(declines, []byte("crd: "+crd+
		"\nfields: {spec.suspend: spec.paused, spec.jobTemplate: spec.template.jobTemplate, "+
		"status.active: status.running, status.lastSuccessfulTime: \"\"}\n"+
		"declines: [CRON-STATUS-005, CRON-STATUS-001]"),
		0o644); err != nil {
		t.Fatal(err)
	}
	unfit := filepath.Join(t.TempDir(), "dialect.yaml")
	if err := os.WriteFile(unfit, []byte("crd: "+crd), 0o644); err != nil {
		t.Fatal(err)
	}
	const published = "../report/published/kube-controller-manager-v1.37.2.yaml"
	api := filepath.Join(t.TempDir(), "report.yaml")
	if err := report.Write(filepath.Dir(api), &report.Report{
		TypeMeta:     metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.Kind},
		Requirements: []report.Requirement{{ID: "API-JOB-001", Outcome: report.Conformant}},
	}); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(foreign, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"rungs of a shard":       {[]string{"run", "--next", "--shard=1/2"}, "leave --rerun-failed and --shard out"},
		"unknown implementation": {[]string{"-i", "kueue"}, `unknown implementation "kueue"`},
		"command not there":      {[]string{"-i", "exec:/no/such/controller"}, "cannot be started"},
		"misspelt placeholder":   {[]string{"-i", "exec:sh {kubeconfg}"}, "unknown placeholder {kubeconfg}"},
		"not a version":          {[]string{"--kubernetes-version", "newest"}, `"newest" is not a version`},
		"skip no expression":     {[]string{"list", "--skip", "("}, "--skip is not a regular expression"},
		"no pre-release":         {[]string{"--kubernetes-version", "v1.37.0-rc"}, `"v1.37.0-rc" is not a version`},
		"gaps of no version":     {[]string{"gaps", "--kubernetes-version", "newest"}, `"newest" is not a version`},
		"gaps of no tree":        {[]string{"gaps", "--kubernetes-source", t.TempDir()}, "is no tree of Kubernetes"},
		"no tree":                {[]string{"--kubernetes-source", t.TempDir()}, "is no tree of Kubernetes"},
		"repro no tree": {[]string{"repro", "--issue=139428", "--kubernetes-source", t.TempDir()},
			"is no tree of Kubernetes"},
		"tree of two versions": {[]string{"repro", "--issue=139428", "--kubernetes-source=.",
			"--version=v1.36.1,v1.36.3"}, "a tree has one version"},
		"confined somehow":         {[]string{"--confine", "some"}, "use auto, strict or off"},
		"not a regular expression": {[]string{"--focus", "("}, "not a regular expression"},
		"not a label filter":       {[]string{"--labels", "a &&"}, "not a label filter"},
		"unknown requirement":      {[]string{"--requirement", "JOB-NONE-001"}, `unknown requirement "JOB-NONE-001"`},
		"unknown feature":          {[]string{"--decline", "indexed,magic"}, `unknown feature "magic"`},
		"core declined":            {[]string{"--decline", "core"}, "the core cannot be declined"},
		"known bugs":               {[]string{"--known-bugs", "some"}, "--known-bugs=on, allow or off"},
		"flag of the run's": {[]string{"-i", "kube-controller-manager --controllers=job"},
			"the run itself gives"},
		"upstream no version": {[]string{"-i", "image:mine", "--upstream", "1.37"}, `"1.37" is not a version`},
		"upstream of ours":    {[]string{"--upstream", "v1.37.1"}, "leave --upstream out"},
		"gate not on or off":  {[]string{"--feature-gates", "A"}, "the feature gate A is neither on nor off"},
		"repro with no gate": {[]string{"repro", "--issue=139428", "--feature-gates", "A=yes"},
			"the feature gate A=yes is neither on nor off"},
		"APIs not served":         {[]string{"--runtime-config", "batch/v2"}, "write it as --runtime-config="},
		"no time to start":        {[]string{"--startup-timeout", "0s"}, "give --startup-timeout=20s or more"},
		"misspelt port":           {[]string{"-i", "exec:sh {metricport}"}, "unknown placeholder {metricport}"},
		"no expectations":         {[]string{"--expectations", file}, ":1: it is empty"},
		"flaky":                   {[]string{"--flaky", "retry"}, "--flaky=red or allow"},
		"quiet and verbose":       {[]string{"--quiet", "--verbose"}, "--verbose and --quiet contradict each other"},
		"no process":              {[]string{"--procs", "-1"}, "1 or more"},
		"no patience":             {[]string{"--patience", "-1s"}, "--patience between 1s and 1h"},
		"patience without a unit": {[]string{"--patience", "60"}, "has no unit; did you mean 60s, or 60m?"},
		"no repeat":               {[]string{"--repeat", "-1"}, "1 or more"},
		"unknown flag":            {[]string{"--implementations", "reference"}, "unknown flag: --implementations"},
		"misspelt flag":           {[]string{"list", "--lables=x"}, "unknown flag: --lables; did you mean --labels?"},
		"not a number":            {[]string{"--procs", "many"}, "--procs=many is no integer"},
		"extra argument":          {[]string{"reference"}, "unknown command"},
		"no such command":         {[]string{"nosuch"}, `unknown command "nosuch"`},
		"a command misspelt":      {[]string{"crush"}, "did you mean crash?"},
		"one report":              {[]string{"compare", "a"}, "missing argument: NEW"},
		"expectations of nothing": {[]string{"expectations", "none.yaml", "a.yaml"}, "the report cannot be read"},
		"expectations nowhere":    {[]string{"expectations", "report.yaml"}, "missing argument: FILE"},
		"three reports":           {[]string{"compare", "a", "b", "c"}, "the report cannot be read"},
		"a third report damaged":  {[]string{"compare", published, published, file}, "is no report to use"},
		"a badge of nothing":      {[]string{"badge", "none.yaml", "a.json"}, "the report cannot be read"},
		"a badge nowhere":         {[]string{"badge", published}, "missing argument: FILE"},
		"a badge in no folder": {[]string{"badge", published, filepath.Join(file, "a.json")},
			"the badge cannot be written"},
		"a badge of a part": {[]string{"badge", "--part=jobs", published, "a.json"}, "use job, cronjob or api"},
		"a badge without Jobs": {[]string{"badge", "--part=job", api, "a.json"},
			"the report has no requirement of job"},
		"catalogue of a word":  {[]string{"catalogue", "JOB"}, `unexpected argument "JOB"`},
		"catalogue unwritable": {[]string{"catalogue", "--output-dir", filepath.Join(file, "site")}, "--output-dir"},
		"catalogue over a page": {[]string{"catalogue", "--output-dir", filepath.Dir(foreign)},
			"was not written by an earlier run"},
		"explore an argument":    {[]string{"explore", "x"}, `unexpected argument "x"`},
		"score of nothing drawn": {[]string{"score", "--coverage", "--seed=1"}, "leave out --seed"},
		"score nothing":          {[]string{"score", "--count=0"}, "--count 1 or more"},
		"score above all":        {[]string{"score", "--goal=101"}, "101 is no percentage"},
		"soak without time":      {[]string{"soak", "--minutes=0"}, "--minutes more than 0"},
		"repro without an issue": {[]string{"repro"}, "exactly one of --issue and --scenario"},
		"no manifest":            {[]string{"--manifests", declines}, "document 1 is no manifest"},
		"no role":                {[]string{"--rbac", declines}, "document 1 is no manifest"},
		"no file with a role":    {[]string{"--rbac", "role.yaml"}, "the manifests cannot be read"},
		"rights of the built-in": {[]string{"-i", "builtin", "--cluster=kind", "--rbac", "view"},
			"leave --rbac out"},
		"bisect one version": {[]string{"repro", "--issue=139428", "--bisect=v1.36.1"},
			`"" is no version to search from or to`},
		"bisect backwards": {[]string{"repro", "--issue=139428", "--bisect=v1.36.10..v1.36.9"},
			"v1.36.10 is not older than v1.36.9"},
		"bisect no version": {[]string{"repro", "--issue=139428", "--bisect=v1.36.1..v1.36.3", "--version=1.99"},
			`"1.99" is no version`},
		"bisect a tree": {[]string{"repro", "--issue=139428", "--bisect=v1.36.1..v1.36.3",
			"--kubernetes-source=."}, "leave out --kubernetes-source or --bisect"},
		"repro no times":        {[]string{"repro", "--issue=139428", "--repeat=0"}, "1 or more"},
		"bench an argument":     {[]string{"bench", "jobs"}, `unexpected argument "jobs"`},
		"unknown row":           {[]string{"bench", "--rows=jobs,jobz"}, `unknown row "jobz"`},
		"no burst":              {[]string{"bench", "--qps=100/"}, `"100/" is not a rate limit`},
		"no requests a second":  {[]string{"bench", "--qps=0/5"}, `"0/5" is not a rate limit`},
		"bench no times":        {[]string{"bench", "--repeat=0"}, "--repeat 1 or more"},
		"bench nothing":         {[]string{"bench", "--scale=-1"}, "--scale above 0"},
		"bench not a number":    {[]string{"bench", "--repeat=x"}, "--repeat=x is no integer"},
		"bench no version":      {[]string{"bench", "--kubernetes-version=1.99"}, `"1.99" is not a version`},
		"crash unknown flag":    {[]string{"crash", "--kill=3"}, "did you mean --kills?"},
		"crash unlike any flag": {[]string{"crash", "--x=3"}, "see jobconformance crash --help"},
		"misspelt label": {
			[]string{"list", "--labels=!slo"}, `no spec has the label "slo"; did you mean slow?`},
		"no spec with a label":  {[]string{"list", "--labels=profile:core"}, "use profile:api, profile:cronjob"},
		"a skip of no spec":     {[]string{"list", "--skip=paralelism"}, "--skip=paralelism matches no spec"},
		"list of no spec":       {[]string{"list", "--focus=no such spec"}, "matches no spec"},
		"list of no version":    {[]string{"list", "--kubernetes-version=1.99"}, `"1.99" is not a version`},
		"dry run of no version": {[]string{"--dry-run", "--kubernetes-version=1.99"}, `"1.99" is not a version`},
		"dry run nowhere":       {[]string{"--dry-run", "--cluster=embeded"}, `unknown cluster "embeded"`},
		"kubeconfig of no cluster": {[]string{"--kubeconfig=/nope"},
			"--kubeconfig does nothing with --cluster=embedded; leave it out, or give --cluster=existing"},
		"context of kind":      {[]string{"--dry-run", "--cluster=kind", "--context=x"}, "give --cluster=existing"},
		"node image elsewhere": {[]string{"--cluster=existing", "--node-image=x"}, "give --cluster=kind"},
		"kept, embedded":       {[]string{"--keep"}, "--keep does nothing with --cluster=embedded"},
		"loaded, embedded":     {[]string{"--load=a.tar"}, "--load does nothing with --cluster=embedded"},
		"puppets, embedded":    {[]string{"--puppet-image=x"}, "give --cluster=kind or existing"},
		"profile of kind":      {[]string{"--cluster=kind", "--profile"}, "give --cluster=embedded"},
		"assets of kind": {[]string{"--dry-run", "--cluster=kind", "--assets=."},
			"--assets does nothing with --cluster=kind; leave it out, or give --cluster=embedded"},
		"binaries of kind": {[]string{"--dry-run", "--cluster=kind", "--binaries=build"},
			"--binaries does nothing with --cluster=kind"},
		"etcd of kind": {[]string{"--cluster=kind", "--etcd-downloads=https://example.com"},
			"--etcd-downloads does nothing with --cluster=kind"},
		"assets of kind with upstream": {[]string{"--dry-run", "--cluster=kind", "-i=kube-controller-manager",
			"--assets=."}, "--assets does nothing with --cluster=kind"},
		"a path alone": {[]string{"-i", "./my-controller"},
			"did you mean 'exec:./my-controller --kubeconfig={kubeconfig}'?"},
		"misspelt implementation": {[]string{"-i", "kube-controler-manager --v=2"},
			"did you mean kube-controller-manager?"},
		"an issue but for a digit": {[]string{"repro", "--issue=13942"},
			"issue 13942 is unknown; did you mean 139428?"},
		"images, embedded": {[]string{"images", "--cluster=embedded", "--node-image=x"},
			"--node-image does nothing with --cluster=embedded"},
		"gates, existing": {[]string{"--cluster=existing", "--feature-gates=A=true"},
			"leave --feature-gates out"},
		"a dry run of no origin": {[]string{"--dry-run", "--binaries=buld"}, `"buld" is no origin`},
		"a list and an issue":    {[]string{"repro", "--list", "--issue=139428"}, "leave --list out, or the others"},
		"a schema and an issue": {[]string{"repro", "--schema", "--issue=139428"},
			"leave --schema out, or the others"},
		"dry run of no scenario": {[]string{"repro", "--dry-run", "--scenario", declines}, "unknown field"},
		"an outcome as JSON":     {[]string{"repro", "--issue=139428", "-o=json"}, "leave --output out"},
		"a feature misspelt":     {[]string{"--decline=indexd"}, "did you mean indexed?"},
		"a bug misspelt":         {[]string{"repro", "--issue=missed-run-losst"}, "did you mean missed-run-lost?"},
		"a state misspelt":       {[]string{"repro-matrix", "--issue=fixd"}, "did you mean fixed?"},
		"no such controller": {[]string{"--controllers=job,jobs"},
			`unknown controller "jobs"; use job or cronjob`},
		"no managedBy": {[]string{"--managed-by=mine"}, `"mine" is no value of spec.managedBy`},
		"managedBy, upstream": {[]string{"-i=kube-controller-manager", "--managed-by=example.com/mine"},
			"kube-controller-manager reconciles no Jobs of example.com/mine"},
		"managedBy without Jobs": {[]string{"--controllers=cronjob", "--managed-by=example.com/mine"},
			"reconciles no Jobs"},
		"no dialect": {[]string{"--dialect=none.yaml"}, "the dialect cannot be read"},
		"jobs in a dialect": {[]string{"--dialect=../../fixtures/dialect/example/jobs.yaml"},
			"a dialect with jobs: is of a Job controller alone; add --controllers=job"},
		"dialect of Jobs with managedBy": {[]string{"--controllers=job", "--managed-by=example.com/mine",
			"--dialect=../../fixtures/dialect/example/jobs.yaml"}, "batch.example.com/v1 Run are no other"},
		"dialect of the aggregator": {[]string{"--implementation=aggregator", "--dialect=none.yaml"},
			"aggregator reconciles no custom resource"},
		"dialect of CronJobs": {[]string{"--controllers=job",
			"--dialect=../../fixtures/dialect/example/dialect.yaml"},
			"reconciles no custom resource in place of CronJobs"},
		"dialect elsewhere": {[]string{"--cluster=existing", "--controllers=cronjob",
			"--dialect=../../fixtures/dialect/example/dialect.yaml"}, "on embedded and kind clusters only"},
		"dialect of another API": {[]string{"--controllers=cronjob", "--dialect=" + unfit},
			`v1 has no spec.suspend: add 'spec.suspend: ""'; v1 has no status.active: add`},
		"dialect declines": {[]string{"--controllers=cronjob", "--dialect=" + declines},
			"the dialect cannot decline CRON-STATUS-001"},
		"unknown environment":    {[]string{"--environment=kueue"}, `unknown environment "kueue"; use queued`},
		"list of no environment": {[]string{"list", "--environment=kueue"}, `unknown environment "kueue"`},
		"a queue too early": {[]string{"--environment=queued", "--kubernetes-version=v1.35.4"},
			"Kubernetes v1.35.4 does not serve; versions from v1.36.0 on do"},
		"pods elsewhere on kind":    {[]string{"-i=aggregator", "--cluster=kind"}, "needs two clusters"},
		"pods elsewhere in a queue": {[]string{"-i=aggregator", "--environment=queued"}, "leave --environment out"},
		"pods elsewhere in a soak":  {[]string{"soak", "-i=aggregator"}, "are in another cluster"},
		"crash nobody":              {[]string{"crash", "-i=nobody"}, `unknown implementation "nobody"`},
		"crash another cluster's":   {[]string{"crash", "-i=aggregator"}, "are in another cluster"},
		"crash a custom resource":   {[]string{"crash", "-i=crd"}, "reconciles a custom resource"},
		"crash no Jobs":             {[]string{"crash", "--jobs=0"}, "--jobs 1 or more"},
		"crash an image":            {[]string{"crash", "-i=image:mine"}, "an embedded cluster runs no"},
		"crash the cluster's own":   {[]string{"crash", "-i=builtin"}, "no Job controller of its own"},
		"not a rate limit":          {[]string{"bench", "--qps=fast"}, `"fast" is not a rate limit`},
		"unwritable reports":        {[]string{"--output-dir", filepath.Join(file, "reports")}, "--output-dir"},
		"unwritable cache": {[]string{"--cache-dir", filepath.Join(file, "cache"), "--output-dir", t.TempDir()},
			"--cache-dir"},
		"no shard":            {[]string{"--shard=3/2"}, "use 2/4, auto with"},
		"soak no shard":       {[]string{"soak", "--seed=1", "--shard=0/4"}, "use 2/4, auto with"},
		"soak without a seed": {[]string{"soak", "--shard=1/4"}, "the same --seed"},
		"soak too few": {[]string{"soak", "--shard=1/4", "--seed=1", "--count=3"},
			"too few workloads for 4 shards: 3"},
		"score no shard":       {[]string{"score", "--seed=1", "--shard=5/4"}, "use 2/4, auto with"},
		"score without a seed": {[]string{"score", "--shard=1/4"}, "the same --seed"},
		"matrix no shard":      {[]string{"repro-matrix", "--shard=2"}, "use 2/4, auto with"},
		"matrix too few": {[]string{"repro-matrix", "--shard=1/4", "--versions=v1.36.1,v1.36.3"},
			"too few versions for 4 shards: 2"},
		"explore too few": {[]string{"explore", "--shard=1/4", "--scenarios=^parallelism$"},
			"too few scenarios for 4 shards: 1"},
		"results of no shard":  {[]string{"--print-results"}, "give --shard, or leave --print-results out"},
		"no count of shards":   {[]string{"list", "--shard=auto/0"}, "JOB_COMPLETION_INDEX"},
		"images of no version": {[]string{"images", "--kubernetes-version=1.99"}, `"1.99" is not a version`},
		"an image in no file":  {[]string{"images", "save"}, "missing argument: FILE"},
		"an image of assets":   {[]string{"images", "save", "--assets=/a", "b.tar"}, "leave --assets out"},
		"a name on no kind":    {[]string{"--cluster-name=a"}, "--cluster=kind"},
		"gen no CPU": {[]string{"gen", "job", "--image=a", "--claim=b", "--cpu=many"},
			`"many" is no quantity`},
		"gen no image":          {[]string{"gen", "job", "--claim=a"}, "give --image and --shards"},
		"since nothing":         {[]string{"--since", filepath.Join(file, "a")}, "report.yaml"},
		"merge since no report": {[]string{"merge", t.TempDir(), "--since", file}, "is no report to use"},
		"merge nothing":         {[]string{"merge"}, "missing argument: PATH..."},
		"merge no shards":       {[]string{"merge", t.TempDir()}, "no shard has ended"},
		"merge no folder":       {[]string{"merge", filepath.Join(file, "a")}, "has no shard"},
		"unknown origin": {[]string{"prefetch", "--binaries=net", "--cache-dir", t.TempDir()},
			`"net" is no origin`},
		"no such mirror": {[]string{"prefetch", "--binaries=download",
			"--kubernetes-downloads=http://127.0.0.1:1", "--cache-dir", t.TempDir()}, "--kubernetes-downloads"},
		"assets without binaries": {[]string{"--assets", t.TempDir(), "--cache-dir", t.TempDir(), "--output-dir",
			t.TempDir()}, "lacks kube-apiserver or etcd"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := execute(context.Background(), c.args, &out, &errs); code != exitBadInput {
				t.Errorf("exit code %d, want %d", code, exitBadInput)
			}
			if text := errs.String(); !strings.Contains(text, c.want) || strings.Count(text, "\n") != 1 {
				t.Errorf("it said %q, want one line with %q", text, c.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for name, want := range map[string][]string{
		"": append([]string{"JOBCONFORMANCE_LABELS"}, commands...),
		"run": {"kube-controller-manager", "exec:COMMAND", "{kubeconfig}", "--focus", "--timeout",
			"--dry-run"},
		"list":          {"--skip"},
		"version":       {"--output"},
		"bench":         append([]string{"--qps", "Markdown"}, bench.RowNames()...),
		"crash":         {"--kills", "default 200"},
		"explore":       {"--plan", "results.jsonl"},
		"soak":          {"--minutes", "default 10"},
		"score":         {"--goal", "default 95"},
		"repro":         {"--issue", "--scenario"},
		"repro-matrix":  {"--versions"},
		"compare":       {"OLD NEW [REPORT]..."},
		"badge":         {"REPORT FILE", "--part"},
		"catalogue":     {"--output-dir", "default \"reports/catalogue\""},
		"images mirror": {"REGISTRY", "--node-image"},
		"gen":           {"Indexed Job", "job"},
		"gen job":       {"--claim", "default 4"},
		"merge":         {"PATH...", "a shard is missing"},
		"prefetch":      {"--binaries", "default \"auto\""},
		"check-history": {"FILE...", "--timeline"},
	} {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), append(strings.Fields(name), "--help"), &out, &errs); code != exitGreen ||
			errs.Len() > 0 {
			t.Errorf("%s --help: exit code %d, %s", name, code, &errs)
		}
		for _, text := range append(want, "Exit codes: 0", "Examples:") {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s --help lacks %q", name, text)
			}
		}
	}
}

var commands = []string{"badge", "bench", "catalogue", "check-history", "compare", "completion", "crash",
	"expectations", "explore", "gen", "images", "list", "merge", "prefetch", "repro", "repro-matrix", "run",
	"score", "soak", "version"}

func TestFlagsFromEnvironment(t *testing.T) {
	t.Setenv("JOBCONFORMANCE_OUTPUT", "json")
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"version"}, &out, &errs); code != exitGreen ||
		!strings.HasPrefix(out.String(), "{") {
		t.Errorf("exit code %d, %q, %q, want JSON", code, &out, &errs)
	}
	out.Reset()
	if code := execute(t.Context(), []string{"version", "-o", "text"}, &out, &errs); code != exitGreen ||
		!strings.HasPrefix(out.String(), "jobconformance ") {
		t.Errorf("exit code %d, %q, %q, want text: the command line comes first", code, &out, &errs)
	}
	t.Setenv("JOBCONFORMANCE_OUTPUT", "xml")
	if code := execute(t.Context(), []string{"version"}, &out, &errs); code != exitBadInput ||
		!strings.Contains(errs.String(), "JOBCONFORMANCE_OUTPUT") {
		t.Errorf("exit code %d, %q, want bad input that names the variable", code, &errs)
	}
}

func TestTimeoutIsNoVerdict(t *testing.T) {
	var out, errs bytes.Buffer
	code := execute(t.Context(), []string{"list", "--timeout=1ns"}, &out, &errs)
	if code != exitHarness || !strings.Contains(errs.String(), "the time was over (--timeout=1ns)") {
		t.Errorf("exit code %d, %q, want that the time is over", code, &errs)
	}
}

// reference is the page with all flags; with UPDATE=1, the test writes it.
const reference = "README.md"

func TestReferenceOfFlagsIsUpToDate(t *testing.T) {
	t.Setenv("ARTIFACTS", "")
	var want bytes.Buffer
	want.WriteString("# jobconformance\n\nThe commands and their flags, as `--help` prints them. `make " +
		"figures` writes this page.\n")
	root := rootCommand()
	describe(&want, root)
	for _, g := range root.Groups() {
		fmt.Fprintf(&want, "\n# %s\n", g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				describe(&want, c)
			}
			for _, below := range c.Commands() {
				if c.GroupID == g.ID {
					describe(&want, below)
				}
			}
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(reference, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(reference); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("suites/jobconformance/%s is not what the code says (%v): run make figures", reference, err)
	}
}

// describe writes the part of the reference about one command.
func describe(out *bytes.Buffer, c *cobra.Command) {
	fmt.Fprintf(out, "\n## %s\n\n```\n%s\n\nUsage:\n  %s\n", c.CommandPath(), strings.TrimSpace(c.Long), c.UseLine())
	printCommands(out, c)
	printFlags(out, c)
	out.WriteString("```\n")
}
