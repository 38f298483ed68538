package main

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

func TestVariablesThatNoCommandHasAreRefused(t *testing.T) {
	for given, want := range map[string]string{
		"":                               "",
		":run;":                          "",
		"LABELS REPORTS LIST:run;":       "",
		"TIMEOUT:run;":                   "",
		"KUBEBUILDER_ASSETS:prefetch;":   "",
		"VERSION:score;":                 "",
		"VERSION LIST:repro;":            "",
		"LABELS CACHE_DIR:prefetch;run;": "",
		"LABLES:run;":                    "unknown variable LABLES of jobconformance run; did you mean LABELS?",
		"LABELS REPROTS:run;":            "unknown variable REPROTS of jobconformance run; did you mean REPORTS?",
		"KILLS:soak;": "unknown variable KILLS of jobconformance soak; " +
			"see jobconformance soak --help",
		"VERSION:run;": "unknown variable VERSION of jobconformance run; " +
			"see jobconformance run --help",
		"LIST:explore;": "unknown variable LIST of jobconformance explore; see " +
			"jobconformance explore --help",
		"KILLS:prefetch;images save a;":    "see jobconformance prefetch --help and jobconformance images save --help",
		"KUBERNETES_VERISON:prefetch;":     "did you mean KUBERNETES_VERSION?",
		"HELP:run;":                        "unknown variable HELP",
		"LABELS:bench --floors=false;run;": "",
	} {
		err := checkVariables(rootCommand(), given)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", given, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", given, err, want)
		}
	}
}

func TestVariableOfMakeIsAFlag(t *testing.T) {
	t.Setenv(givenEnv, "REPORTS LIST:run;")
	t.Setenv("JOBCONFORMANCE_REPORTS", "a b")
	t.Setenv("JOBCONFORMANCE_OUTPUT_DIR", "of the environment")
	t.Setenv("JOBCONFORMANCE_LIST", "1")
	t.Setenv("JOBCONFORMANCE_KEEP", "0")
	t.Setenv("JOBCONFORMANCE_PROCS", "3")
	run, _, err := rootCommand().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.ParseFlags([]string{"--procs=5"}); err != nil {
		t.Fatal(err)
	}
	if err := fromEnvironment(run); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"output-dir": "a b", "dry-run": "true", "keep": "false", "procs": "5",
		"labels": ""} {
		if got := run.Flag(name).Value.String(); got != want {
			t.Errorf("--%s is %q, want %q", name, got, want)
		}
	}
}

func TestVariablesOfTheEnvironmentThatNoCommandHasAreRefused(t *testing.T) {
	run, _, err := rootCommand().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string]string{
		"LABELS=x":                              "",
		"JOBCONFORMANCE_LABELS=x":               "",
		"JOBCONFORMANCE_LIST=1":                 "",
		"JOBCONFORMANCE_MINUTES=1":              "", // of soak
		"JOBCONFORMANCE_VARIABLES=:run;":        "",
		"JOBCONFORMANCE_SELFTEST=1":             "",
		"JOBCONFORMANCE_SERVICE_HOST=10.0.0.1":  "",
		"JOBCONFORMANCE_PORT_80_TCP_ADDR=10":    "",
		"JOBCONFORMANCE_WEB_SERVICE_PORT_HTTP=": "",
		"JOBCONFORMANCE_LABEL=x":                "is no flag of any command; did you mean JOBCONFORMANCE_LABELS?",
		"JOBCONFORMANCE_OUTPUTDIR=x":            "did you mean JOBCONFORMANCE_OUTPUT_DIR?",
		"JOBCONFORMANCE_MINUTE=x":               "did you mean JOBCONFORMANCE_MINUTES?",
		"JOBCONFORMANCE_X=1":                    "unset it, or see jobconformance run --help",
		"JOBCONFORMANCE_=1":                     "unset it",
	} {
		err := checkEnvironment(run, []string{"PATH=/bin", variable})
		if want == "" && err != nil || want != "" && (!badinput.Is(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", variable, err, want)
		}
	}
}
