package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func with(outcomes ...Outcome) *Report {
	r := &Report{}
	for i, o := range outcomes {
		if o != "" {
			r.Requirements = append(r.Requirements,
				Requirement{ID: "JOB-A-00" + string(rune('1'+i)), Text: "It MUST.", Outcome: o})
		}
	}
	return r
}

func TestCompare(t *testing.T) {
	for name, test := range map[string]struct {
		old, new             Outcome
		worse, better, other int
	}{
		"the same":                   {Conformant, Conformant, 0, 0, 0},
		"broken now":                 {Conformant, NonConformant, 1, 0, 0},
		"broken, not known before":   {spec.NotVerified, NonConformant, 1, 0, 0},
		"no longer verified":         {Conformant, spec.NotVerified, 1, 0, 0},
		"declined now":               {Conformant, spec.Declined, 1, 0, 0},
		"fixed":                      {NonConformant, Conformant, 0, 1, 0},
		"broken, and not verified":   {NonConformant, spec.NotVerified, 0, 1, 0},
		"verified now":               {spec.NotVerified, Conformant, 0, 1, 0},
		"new and conformant":         {"", Conformant, 0, 0, 1},
		"new and broken":             {"", NonConformant, 1, 0, 0},
		"gone":                       {Conformant, "", 0, 0, 1},
		"a warning now":              {Conformant, spec.Warning, 1, 0, 0},
		"a known issue now":          {Conformant, spec.KnownIssue, 1, 0, 0},
		"a known issue, fixed":       {spec.KnownIssue, Conformant, 0, 1, 0},
		"a known issue, then none":   {spec.KnownIssue, spec.UnexpectedPass, 1, 0, 0},
		"broken, now a warning":      {NonConformant, spec.Warning, 0, 1, 0},
		"a warning, now broken":      {spec.Warning, NonConformant, 1, 0, 0},
		"a known issue, not looked":  {spec.KnownIssue, spec.NotVerified, 1, 0, 0},
		"not verified, then harness": {spec.NotVerified, spec.HarnessError, 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Compare(with(Conformant, test.old), with(Conformant, test.new))
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Worse) != test.worse || len(c.Better) != test.better || len(c.Other) != test.other ||
				c.Regressed() != (test.worse > 0) {
				t.Errorf("%d worse, %d better, %d other, want %d, %d, %d", len(c.Worse), len(c.Better), len(c.Other),
					test.worse, test.better, test.other)
			}
			var b strings.Builder
			c.Print(&b)
			if last := b.String()[strings.LastIndex(strings.TrimSpace(b.String()), "\n")+1:]; strings.HasPrefix(last,
				"REGRESSED") != c.Regressed() {
				t.Errorf("the last line is %q", last)
			}
		})
	}
}

// Some bugs of Kubernetes depend on the order in which two watches arrive.
func TestCompareTakesNoBugForARegressionThatSomeRunsDoNotShow(t *testing.T) {
	of := func(sometimes ...bool) *Report {
		r := with(spec.KnownIssue)
		for _, is := range sometimes {
			r.Requirements[0].Evidence = append(r.Requirements[0].Evidence, Evidence{KnownIssue: "a", Sometimes: is})
		}
		return r
	}
	for name, test := range map[string]struct {
		known         *Report
		worse, better int
	}{
		"in some runs":                    {of(true), 0, 0},
		"in all runs":                     {of(false), 1, 1},
		"one in all, another one in some": {of(true, false), 1, 1},
	} {
		forth, err := Compare(with(Conformant), test.known)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Compare(test.known, with(Conformant))
		if err != nil {
			t.Fatal(err)
		}
		if len(forth.Worse) != test.worse || len(back.Better) != test.better {
			t.Errorf("%s: %d worse, and back %d better, want %d, %d", name, len(forth.Worse), len(back.Better),
				test.worse, test.better)
		}
	}
}

func TestCompareSaysWhatElseDiffers(t *testing.T) {
	one, other := with(Conformant), with(Conformant)
	one.Implementation.Name, other.Implementation.Name = "reference", "exec:./mine"
	other.Selection.Labels = "behaviour:parallelism"
	c, err := Compare(one, other)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"they have different controllers: reference, then exec:./mine",
		"they have different specs by --labels: all, then behaviour:parallelism"}
	if !slices.Equal(c.Notes, want) {
		t.Errorf("the notes are %q, want %q", c.Notes, want)
	}
	if c, _ := Compare(one, one); len(c.Notes) > 0 {
		t.Errorf("of the same report they are %q", c.Notes)
	}
}

func TestCompareRefusesReportsWithNothingInCommon(t *testing.T) {
	if c, err := Compare(with(Conformant), with("", Conformant)); !badinput.Is(err) {
		t.Errorf("it returns %v, %v", c, err)
	}
}
