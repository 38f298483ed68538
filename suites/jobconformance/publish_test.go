package main

import (
	"os"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/console"
)

// The command for one spec is made of what the user has given: flags, or variables of make.
func TestAgain(t *testing.T) {
	os.Args[0] = "bin/jobconformance"
	for by, want := range map[string]string{
		"":  `bin/jobconformance --implementation='exec:./x --v=2' --cluster=kind --decline=indexed,suspend --keep=true --focus='^Job and CronJob conformance (a b)$'`,
		"1": `make e2e IMPLEMENTATION='exec:./x --v=2' CLUSTER=kind DECLINE=indexed,suspend KEEP=true FOCUS='^Job and CronJob conformance (a b)$$'`,
	} {
		t.Setenv(console.MakeEnv, by)
		var f flags
		if err := f.command().ParseFlags([]string{"-i", "exec:./x --v=2", "--cluster=kind", "--decline=indexed,suspend", "--keep", "--labels=slow", "--repeat=3", "--output-dir=x"}); err != nil {
			t.Fatal(err)
		}
		if got := f.again("a b"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
