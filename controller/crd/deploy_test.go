package crd

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/controller/crd/deploy"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// deployed reads the first object of a type from the manifests.
func deployed[T any](t *testing.T) T {
	t.Helper()
	for document := range strings.SplitSeq(deploy.Manifests, "\n---\n") {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
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

var marker = regexp.MustCompile(`// \+kubebuilder:rbac:groups=(\S+),resources=(\S+),verbs=(\S+)`)

// The ClusterRole gives the rights that the markers ask for, and no more.
func TestRightsAreThoseOfTheMarkers(t *testing.T) {
	code, err := os.ReadFile("reconciler.go")
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]bool{}, map[string]bool{}
	for _, m := range marker.FindAllStringSubmatch(string(code), -1) {
		for verb := range strings.SplitSeq(m[3], ";") {
			want[m[1]+" "+m[2]+" "+verb] = true
		}
	}
	for _, rule := range deployed[*rbacv1.ClusterRole](t).Rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				got[rule.APIGroups[0]+" "+resource+" "+verb] = true
			}
		}
	}
	if !maps.Equal(want, got) {
		t.Errorf("the manifest has %q, the markers have %q", slices.Sorted(maps.Keys(got)),
			slices.Sorted(maps.Keys(want)))
	}
}

// The Deployment starts the command with flags that it has; probes and Service use its ports.
func TestDeploymentFitsTheCommand(t *testing.T) {
	pod := deployed[*appsv1.Deployment](t).Spec.Template
	container, command := pod.Spec.Containers[0], NewCommand()
	if container.Args[0] != command.Name() {
		t.Fatalf("it starts %s, not %s", container.Args[0], command.Name())
	}
	if err := command.ParseFlags(container.Args[1:]); err != nil {
		t.Fatal(err)
	}
	value := func(flag string) string { return command.Flag(flag).Value.String() }
	ports := map[string]string{}
	for _, p := range container.Ports {
		ports[p.Name] = fmt.Sprint(p.ContainerPort)
	}
	service := deployed[*corev1.Service](t).Spec
	if service.Ports[0].Port != 443 || ports[service.Ports[0].TargetPort.StrVal] != value("webhook-port") ||
		pod.Labels["app"] != service.Selector["app"] {
		t.Errorf("the Service %+v does not lead to port %s", service, value("webhook-port"))
	}
	for path, probe := range map[string]*corev1.Probe{"/readyz": container.ReadinessProbe,
		"/healthz": container.LivenessProbe} {
		if probe.HTTPGet.Path != path || ":"+ports[probe.HTTPGet.Port.StrVal] != value("health-probe-bind-address") {
			t.Errorf("a probe asks for %+v, which is not served at %s", probe.HTTPGet,
				value("health-probe-bind-address"))
		}
	}
	if mount := container.VolumeMounts[0]; mount.MountPath != value("webhook-cert-dir") ||
		mount.Name != pod.Spec.Volumes[0].Name {
		t.Errorf("the certificate is at %s, not %s", mount.MountPath, value("webhook-cert-dir"))
	}
	if value("leader-elect") != "true" {
		t.Error("it elects no leader")
	}
}
