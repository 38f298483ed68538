package app

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/controller/deploy"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// deployed reads the objects of the manifests.
func deployed[T any](t *testing.T) T {
	for document := range strings.SplitSeq(deploy.Manifests, "\n---\n") {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := object.(T); ok {
			return o
		}
	}
	t.Fatal("no such object")
	panic("unreachable")
}

var (
	call     = regexp.MustCompile(`(?:BatchV1\(\)|CoreV1\(\)|\bof)\.(\w+)\([^()]*(?:\(\))?\)\.(\w+)\(`)
	informer = regexp.MustCompile(
		`(?:factory\.(?:Batch|Core)\(\)\.V1\(\)|\bscheduling)\.(\w+)\(\)`)
)

// TestRightsAreTheLeast compares the ClusterRole with the calls in the code.
func TestRightsAreTheLeast(t *testing.T) {
	// What is not called by name: the recorder writes events, the API server asks
	// who may block an owner's deletion.
	want := map[string]bool{
		"events create": true, "events patch": true,
		"jobs/finalizers update": true, "cronjobs/finalizers update": true,
		// One function makes both kinds.
		"workloads create": true, "workloads get": true, "podgroups create": true, "podgroups get": true,
	}
	files, err := filepath.Glob("../*job/*.go") // the plan packages call nothing
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(code), -1) {
			resource, verb := strings.ToLower(m[1]), strings.ToLower(m[2])
			if verb == "updatestatus" {
				resource, verb = resource+"/status", "update"
			}
			want[resource+" "+verb] = true
		}
		for _, m := range informer.FindAllStringSubmatch(string(code), -1) {
			resource := strings.ToLower(m[1])
			want[resource+" list"], want[resource+" watch"] = true, true
		}
	}
	// Of the first contact.
	want["jobs list"] = true

	got := map[string]bool{}
	for _, rule := range deployed[*rbacv1.ClusterRole](t).Rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				got[resource+" "+verb] = true
			}
		}
	}
	for _, right := range slices.Sorted(maps.Keys(got)) {
		if !want[right] {
			t.Errorf("%s: is granted and not used", right)
		}
	}
	for _, right := range slices.Sorted(maps.Keys(want)) {
		if !got[right] {
			t.Errorf("%s: is used and not granted", right)
		}
	}
}

// TestProbesAreServed: the manifest's probes ask for what there is, where it is.
func TestProbesAreServed(t *testing.T) {
	container := deployed[*appsv1.Deployment](t).Spec.Template.Spec.Containers[0]
	port := container.Ports[0]
	if want := newCommand().Flags().Lookup("metrics-bind-address").DefValue; want != fmt.Sprint(":",
		port.ContainerPort) {
		t.Errorf("port %d, but the default is %s", port.ContainerPort, want)
	}
	health := newHealth()
	health.ready.Store(true)
	server := httptest.NewServer(handler(health))
	defer server.Close()
	for _, get := range []string{container.LivenessProbe.HTTPGet.Path, container.ReadinessProbe.HTTPGet.Path} {
		response, err := http.Get(server.URL + get)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", get, response.Status)
		}
	}
	if a, b := container.LivenessProbe.HTTPGet.Port.StrVal,
		container.ReadinessProbe.HTTPGet.Port.StrVal; a != port.Name || b != port.Name {
		t.Errorf("the probes ask ports %s and %s, not %s", a, b, port.Name)
	}
	if err := newCommand().ParseFlags(container.Args); err != nil {
		t.Error(err)
	}
}
