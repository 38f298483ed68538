package main

import (
	"os"
	"testing"
)

// The command for one spec is made of the flags that the user has given.
func TestAgain(t *testing.T) {
	os.Args[0] = "bin/jobconformance"
	const want = `bin/jobconformance --implementation='exec:./x --v=2' --cluster=kind --decline=indexed,suspend --keep=true ` +
		`--focus='^Job and CronJob conformance (a b)$'`
	var f flags
	given := []string{"-i", "exec:./x --v=2", "--cluster=kind", "--decline=indexed,suspend", "--keep", "--labels=slow",
		"--repeat=3", "--output-dir=x"}
	if err := f.command().ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	if got := f.again("a b"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
