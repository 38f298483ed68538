package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	allowed   = regexp.MustCompile(`^(k8s\.io/(api|apimachinery|utils)/|[a-z0-9/]+$)`)
	forbidden = regexp.MustCompile(
		`^(k8s\.io/(client-go|component-base|apiserver|kubectl|kubernetes)/|sigs\.k8s\.io/controller-runtime/|github\.com/(robfig|jobconformance)/)`)
)

// TestPlansArePure: the plan packages import the standard library and the API types, and nothing that
// these import leads to a client, to a controller or to another package of this repository.
func TestPlansArePure(t *testing.T) {
	for _, plan := range []string{"./job/plan", "./cronjob/plan"} {
		for _, name := range list(t, "-f", `{{join .Imports "\n"}}`, plan) {
			if !allowed.MatchString(name) {
				t.Errorf("%s imports %s; a plan may import the standard library and k8s.io/{api,apimachinery,utils}",
					plan, name)
			}
		}
		for _, name := range list(t, "-deps", plan) {
			if forbidden.MatchString(name) && !strings.HasSuffix(name, strings.TrimPrefix(plan, ".")) {
				t.Errorf("%s depends on %s; pass in what it needs with the View", plan, name)
			}
		}
	}
}

func list(t *testing.T, args ...string) []string {
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}
