package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/shlex"
)

// Who mistypes a word is given the right one, or those that there are, and nothing is run.
func TestTypingErrorsAreRefusedWithASuggestion(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		// commands and flags
		"rum":                        "did you mean run?",
		"lst":                        "did you mean list?",
		"crush":                      "did you mean crash?",
		"explan JOB-TRACKING-001":    "did you mean explain?",
		"images mirorr x":            "did you mean mirror?",
		"completion bsh":             "did you mean bash",
		"run --lables=x":             "did you mean --labels?",
		"run --focuss=x":             "did you mean --focus?",
		"run --implementaton=x":      "did you mean --implementation?",
		"run --ouput-dir=x":          "did you mean --output-dir?",
		"crash --kill=3":             "did you mean --kills?",
		"JOBCONFORMANCE_LABEL=x run": "did you mean JOBCONFORMANCE_LABELS?",
		// specs and requirements
		"run --labels=!slo":                                    "did you mean slow?",
		"run --labels=behavior:parallelism":                    "did you mean behaviour:parallelism?",
		"run --labels=behaviour:parallelism||behavior:indexed": "did you mean behaviour:indexed?",
		"list --labels=profile:core":                           "use profile:api, profile:cronjob, profile:job",
		"run --labels=feature:indexd":                          "did you mean feature:indexed?",
		"run --focus=paralelism":                               "jobconformance list has the texts of all",
		"run --skip=paralelism":                                "jobconformance list has the texts of all",
		"run --requirement=JOB-PARALELISM-001":                 "did you mean JOB-PARALLELISM-001?",
		"explain JOB-TRAKING-001":                              "did you mean JOB-TRACKING-001?",
		"explain job-pod-is-traked":                            "did you mean job-pod-is-tracked?",
		"run --decline=indexd":                                 "did you mean indexed?",
		"run --decline=indexed,suspnd":                         "did you mean suspend?",
		"repro --issue=13942":                                  "did you mean 139428?",
		"repro --issue=missed-run-losst":                       "did you mean missed-run-lost?",
		// implementations and clusters
		"run -i refrence":                     "did you mean reference?",
		"run -i kube-controler-manager":       "did you mean kube-controller-manager?",
		"run -i ./mine":                       "did you mean 'exec:./mine --kubeconfig={kubeconfig}'?",
		"run -i 'exec:sh {kubeconfg}'":        "did you mean {kubeconfig}?",
		"run -i 'exec:sh {metricsport}'":      "did you mean {metricsPort}?",
		"run --controllers=jobs":              "use job or cronjob",
		"run --cluster=embeded":               "use embedded, kind or existing",
		"run --kubeconfig=/nope":              "give --cluster=existing",
		"run --environment=queue":             "use queued",
		"run --binaries=biuld":                "choose auto, download or build",
		"run --kubernetes-version=lates":      "did you mean latest?",
		"run --kubernetes-version=1.x":        "give one like v1.",
		"run --feature-gates=WorkloadWithJob": "WorkloadWithJob is neither on nor off",
		"run --managed-by=mine":               "write one like example.com/mine",
		"run --cluster=kind --assets=.":       "give --cluster=embedded",
		"bench --rows=jobz":                   "use jobs, job, indexed",
		"list -o=yml":                         "use text or json",
		// numbers and times
		"run --timeout=30":                   "did you mean 30s, or 30m?",
		"run --patience=60":                  "did you mean 60s, or 60m?",
		"run '--startup-timeout=5 minutes'":  "write it as 30s, 5m or 1h30m",
		"JOBCONFORMANCE_TIMEOUT=30 run":      "did you mean 30s, or 30m?",
		"run --replicas=0":                   "give --replicas 1 or more",
		"run --replicas=2 -i 'exec:sh -c :'": "name {lease} and {leaseNamespace} in its command",
		"run --procs=1O":                     "--procs=1O is no integer",
		"soak --minutes=ten":                 "--minutes=ten is no number",
		"run --shard=3/2":                    "use 2/4",
		"run --flaky=alow":                   "give --flaky=red or allow",
		"run --known-bugs=of":                "give --known-bugs=on, allow or off",
		"run --history=al":                   "use failed, all or none",
		"run --rerun-failed=reports/e2e":     "name a report.yaml of a run, or its folder",
		"run --expectations=expected.yaml":   "give the path of a YAML file",
		"compare old":                        "missing argument: NEW",
	} {
		t.Run(line, func(t *testing.T) {
			args, err := shlex.Split(line)
			if err != nil {
				t.Fatal(err)
			}
			for strings.HasPrefix(args[0], prefix) {
				name, value, _ := strings.Cut(args[0], "=")
				t.Setenv(name, value)
				args = args[1:]
			}
			var out, errs bytes.Buffer
			code := execute(t.Context(), args, &out, &errs)
			if code != exitBadInput || !strings.Contains(errs.String(), want) ||
				strings.Count(errs.String(), "\n") != 1 {
				t.Errorf("exit code %d, %q, want a line with %q", code, &errs, want)
			}
		})
	}
}
