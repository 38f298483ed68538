package main

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestARunSaysHowToGoOnToTheNextRung(t *testing.T) {
	f := new(flags)
	if err := f.command().ParseFlags([]string{"-i", "exec:./mine", "--controllers=job", "--next"}); err != nil {
		t.Fatal(err)
	}
	const again = "--implementation=exec:./mine --controllers=job"
	for name, c := range map[string]struct {
		run  record.Run
		want string
	}{
		"it stops": {record.Run{Stopped: "pods, 1 of 13", Specs: []spec.Spec{{Failed: true}}},
			"the rung pods, 1 of 13 does not hold yet; check again: "},
		"all hold":          {record.Run{}, "every rung that was checked holds; all of them together: "},
		"nothing was known": {record.Run{HarnessError: "no API server"}, ""},
	} {
		var out strings.Builder
		f.printNext(&out, &c.run)
		got := out.String()
		if !strings.Contains(got, c.want) || strings.Contains(got, again) != (c.want != "") ||
			strings.Contains(got, again+" --next\n") != (c.run.Stopped != "") {
			t.Errorf("%s: it says %q", name, got)
		}
	}
}
