package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// fits validates a text as an editor does: against the schema alone.
func fits(t *testing.T) func(text string) error {
	t.Helper()
	text, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		var document any
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		asJSON, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(asJSON, &document); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(document)
	}
}

func TestTheSchemaTakesWhatReadTakes(t *testing.T) {
	validate := fits(t)
	for name, text := range map[string]string{
		"every step": everyStep,
		"a kind that no spec uses": oneJob + "- create: {apiVersion: v1, kind: Secret, data: {}}\n" +
			"- delete: {apiVersion: v1, kind: Secret, name: a}\n",
		"codes that are numbers": oneJob + "- direct: {exitCodes: 0, ready: true}\n",
		"expressions in an object": oneJob + `- patch: {kind: Job, name: a, merge: {spec: {parallelism: "${1 + 1}"}}}` + "\n" +
			`- patch: {kind: Job, name: a, status: true, merge: {status: {startTime: "${now - duration('1m')}"}}}` + "\n",
		"a null in a patch": oneJob +
			"- patch: {kind: Job, which: p.status.failed == 1, merge: {metadata: {finalizers: null}}}\n",
		"a quantity": oneJob + "- patch: {kind: Pod, which: 'true', merge: {spec: {containers: [{name: a, " +
			"resources: {limits: {cpu: 1, memory: 1Gi}}}]}}}\n  ifAny: true\n",
	} {
		if _, err := Read(name, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheLibraryFitsTheSchema(t *testing.T) {
	validate := fits(t)
	files, err := filepath.Glob("library/*/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestTheSchemaRefusesMistakes(t *testing.T) {
	validate := fits(t)
	for name, text := range map[string]string{
		"no description":                  strings.Replace(oneJob, "description: one pod\n", "", 1),
		"no steps":                        "description: d\nsteps: []\n",
		"an unknown field":                "issues: 1\n" + oneJob,
		"a version":                       "red: '1.36'\n" + oneJob,
		"a component":                     "component: kubelet\n" + oneJob,
		"a feature":                       "uses: [core]\n" + oneJob,
		"an invariant":                    "except: [all]\n" + oneJob,
		"when it starts":                  "implementation: soon\n" + oneJob,
		"a number":                        "issue: many\n" + oneJob,
		"an unknown field of a step":      oneJob + "- awaits: 'true'\n",
		"a misspelt step":                 oneJob + "- dirrect: {}\n",
		"an empty step":                   oneJob + "- {}\n",
		"two in one":                      oneJob + "- hold: jobs\n  await: 'true'\n",
		"no kind":                         oneJob + "- create: {apiVersion: v1, metadata: {name: a}}\n",
		"no apiVersion":                   oneJob + "- create: {kind: Job, metadata: {name: a}}\n",
		"a kind without its version":      oneJob + "- patch: {kind: Workload, name: a, merge: {}}\n",
		"another version of a kind":       oneJob + "- create: {apiVersion: batch/v1beta1, kind: Job}\n",
		"a field of a Job":                strings.Replace(oneJob, "template", "parallel: 2\n      template", 1),
		"a value of a Job":                strings.Replace(oneJob, "template", "parallelism: two\n      template", 1),
		"a field of a pod":                strings.Replace(oneJob, "restartPolicy", "restartPolicie", 1),
		"a field of a container":          strings.Replace(oneJob, "name: main", "nam: main", 1),
		"a field of a merge patch":        oneJob + "- patch: {kind: Job, name: a, merge: {spec: {suspended: true}}}\n",
		"a verb":                          oneJob + "- fault: {on: make pods, do: drop}\n",
		"a resource":                      oneJob + "- fault: {on: create pod, do: drop}\n",
		"an effect":                       oneJob + "- fault: {on: create pods, do: explode}\n",
		"a code":                          oneJob + "- fault: {on: create pods, do: answer 200}\n",
		"a delay":                         oneJob + "- fault: {on: create pods, do: delay long}\n",
		"a field of a fault":              oneJob + "- fault: {on: create pods, nht: 1, do: drop}\n",
		"two counts":                      oneJob + "- fault: {on: create pods, nth: 1, first: 2, do: drop}\n",
		"a resource that nobody watches":  oneJob + "- hold: job\n",
		"network":                         oneJob + "- network: cutt\n",
		"what the namespace does":         oneJob + "- namespace: cut\n",
		"clear":                           oneJob + "- clear: all\n",
		"what the implementation does":    oneJob + "- implementation: pause\n",
		"a delete of no name":             oneJob + "- delete: {kind: Job}\n",
		"a delete of two":                 oneJob + "- delete: {kind: Pod, name: a, which: 'true'}\n",
		"which CronJob":                   oneJob + "- delete: {kind: CronJob, which: 'true'}\n",
		"a Job by force":                  oneJob + "- delete: {kind: Job, name: a, force: true}\n",
		"a time to stand still":           oneJob + "- fault: {on: create pods, do: freeze before}\n",
		"propagation":                     oneJob + "- delete: {kind: Job, name: a, propagation: Slow}\n",
		"answers to a wait":               oneJob + "- await: 'true'\n  answers: 422\n",
		"no status code":                  oneJob + "- delete: {kind: Job, name: a}\n  answers: 1\n",
		"a refusal of a wait":             oneJob + "- await: 'true'\n  orAnswers: 422\n",
		"no refusal":                      oneJob + "- delete: {kind: Job, name: a}\n  orAnswers: 200\n",
		"a wait for what is done at once": oneJob + "- hold: jobs\n  within: 1s\n",
		"any of nothing":                  oneJob + "- hold: jobs\n  ifAny: true\n",
		"for an await":                    oneJob + "- await: 'true'\n  for: 1s\n",
		"a clock":                         oneJob + "- clock: +-1h\n",
		"a time":                          oneJob + "- pause: soon\n",
		"a time with a space":             oneJob + "- await: 'true'\n  within: 3 s\n",
		"a time without a unit":           oneJob + "- await: 'true'\n  within: 5\n",
	} {
		if _, err := Read(name, []byte(text)); err == nil {
			t.Errorf("%s is no mistake", name)
		}
		if validate(text) == nil {
			t.Errorf("%s fits the schema", name)
		}
	}
}

// What an editor shows beside a field comes from the comments of the types.
func TestTheSchemaExplainsFields(t *testing.T) {
	text, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"await waits until an expression is true, up to within.",
		"on is a verb and a resource", "Specifies the maximum desired number of pods"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the schema lacks %q", want)
		}
	}
}
