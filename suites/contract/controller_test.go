package contract_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notTheControllers are requirements on Jobs and CronJobs that no line of a controller keeps, with
// what keeps them.
var notTheControllers = map[string]string{
	"CRON-HISTORY-003":         "the API server sets the default limits",
	"CRON-JOBS-007":            "the garbage collector deletes what has a CronJob as its owner",
	"CRON-OWNERS-002":          "the garbage collector removes the owner references of Jobs that are orphaned",
	"JOB-FINISHED-003":         "the TTL controller deletes finished Jobs",
	"JOB-IDENTITY-001":         "the API server puts the labels into the template of a Job",
	"JOB-PODFAILUREPOLICY-018": "the eviction API sets the condition DisruptionTarget",
	"JOB-PODS-002":             "the API server puts the labels into the template of a Job",
}

var requirementID = regexp.MustCompile(`\b(?:JOB|CRON)-[A-Z]+-\d{3}\b`)

// TestControllerCitesRequirements: every requirement on Jobs and CronJobs stands in a comment of the
// reference controllers, at the line that keeps it, or above as something else's, and not both.
func TestControllerCitesRequirements(t *testing.T) {
	page, err := os.ReadFile("../REQUIREMENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string]bool{}
	err = filepath.WalkDir("../../controller", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			_, comment, _ := strings.Cut(line, "//")
			for _, id := range requirementID.FindAllString(comment, -1) {
				cited[id] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{}
	for _, id := range requirementID.FindAllString(string(page), -1) {
		required[id] = true
	}
	for id := range required {
		switch reason := notTheControllers[id]; {
		case cited[id] && reason != "":
			t.Errorf("%s is cited below controller/, though %s; delete one of the two", id, reason)
		case !cited[id] && reason == "":
			t.Errorf("%s is not cited below controller/; write it at the line that keeps it", id)
		}
	}
	for id := range cited {
		if !required[id] {
			t.Errorf("%s is cited below controller/, but is no requirement; correct the number", id)
		}
	}
	for id := range notTheControllers {
		if !required[id] {
			t.Errorf("%s is listed above, but is no requirement; delete it", id)
		}
	}
}
