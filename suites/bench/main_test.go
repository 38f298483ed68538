package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/bench/contest"
)

func TestBadInputIsOneLineAndCode2(t *testing.T) {
	for want, args := range map[string][]string{
		"no command":                      nil,
		`unknown command "run"`:           {"run"},
		`unexpected argument "jobs"`:      {"compare", "jobs"},
		`unknown row "jobz"`:              {"compare", "--rows=jobs,jobz"},
		`"fast" is no rate limit`:         {"compare", "--qps=fast"},
		`"100/" is no rate limit`:         {"compare", "--qps=100/"},
		`"0/5" is no rate limit`:          {"compare", "--qps=0/5"},
		"there is nothing to measure":     {"compare", "--repeat=0"},
		"--scale above 0":                 {"compare", "--scale=-1"},
		`invalid argument "x"`:            {"compare", "--repeat=x"},
		"unknown flag":                    {"crash", "--kill=3"},
		`unknown implementation "nobody"`: {"crash", "--implementation=nobody"},
		"nothing to kill":                 {"crash", "--jobs=0"},
		"an embedded cluster runs no":     {"crash", "--implementation=image:a"},
		"no Job controller of its own":    {"crash", "--implementation=builtin"},
		`"1.37" is not a version`:         {"compare", "--kubernetes-version=1.37"},
	} {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), args, &out, &errs); code != exitBadInput {
			t.Errorf("%q: exit code %d, want %d", args, code, exitBadInput)
		}
		if said := errs.String(); !strings.Contains(said, want) || strings.Count(said, "\n") != 1 || out.Len() > 0 {
			t.Errorf("%q says %q and %q, want one line with %q", args, said, out.String(), want)
		}
	}
}

func TestHelpNamesEveryRow(t *testing.T) {
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"compare", "--help"}, &out, &errs); code != exitGreen {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, r := range contest.Rows(1) {
		if !strings.Contains(out.String(), r.Name) {
			t.Errorf("--help does not name the row %s", r.Name)
		}
	}
}

func TestChosenRows(t *testing.T) {
	for asked, want := range map[string]string{
		"":          "jobs job indexed cronjobs failing",
		"long":      "long",
		"long,jobs": "jobs long",
	} {
		c := compare{scale: 1}
		if asked != "" {
			c.rows = strings.Split(asked, ",")
		}
		rows, err := c.chosen()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range rows {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q chooses %q, want %q", asked, got, want)
		}
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]contest.Limit{
		"200/400":   {QPS: 200, Burst: 400},
		"50":        {QPS: 50, Burst: 50},
		"unlimited": contest.Unlimited,
	} {
		got, err := parseLimit(text)
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
		if back, err := parseLimit(got.String()); err != nil || back != got {
			t.Errorf("%v is written %s", got, got)
		}
	}
}
