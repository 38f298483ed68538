package main

import (
	"bytes"
	"strings"
	"testing"

	crd "github.com/jobconformance/jobconformance/controller/crd/deploy"
	controller "github.com/jobconformance/jobconformance/controller/deploy"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"k8s.io/utils/ptr"
)

// manifest is what this program deploys, or has users deploy.
type manifest struct {
	text  string
	token bool // its program calls the API server of its cluster
}

func manifestsOfPods(t *testing.T) map[string]manifest {
	var job, claimed bytes.Buffer
	for out, args := range map[*bytes.Buffer][]string{&job: nil, &claimed: {"--claim=results"}} {
		if code := execute(t.Context(), append([]string{"gen", "job", "--image=i"}, args...), out, out); code != 0 {
			t.Fatal(out)
		}
	}
	return map[string]manifest{
		"controller/deploy":     {controller.Manifests, true},
		"controller/crd/deploy": {crd.Manifests, true},
		"gen job":               {job.String(), false},
		"gen job --claim":       {claimed.String(), false},
	}
}

// decoded returns the objects of some YAML.
func decoded(t *testing.T, text string) (objects []runtime.Object) {
	t.Helper()
	for document := range strings.SplitSeq(text, "\n---\n") {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

func TestPodsAreRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for name, m := range manifestsOfPods(t) {
		pods := 0
		for _, object := range decoded(t, m.text) {
			var template *corev1.PodTemplateSpec
			switch o := object.(type) {
			case *appsv1.Deployment:
				template = &o.Spec.Template
			case *batchv1.Job:
				template = &o.Spec.Template
			default:
				continue
			}
			pods++
			for _, change := range []func(*corev1.PodSpec){nil, func(s *corev1.PodSpec) {
				s.SecurityContext.SeccompProfile = nil
			}} { // the check itself is checked by a pod that it refuses
				spec := template.Spec.DeepCopy()
				if change != nil {
					change(spec)
				}
				found := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &metav1.ObjectMeta{}, spec))
				if found.Allowed != (change == nil) {
					t.Errorf("%s: allowed %t: %s", name, found.Allowed, found.ForbiddenDetail())
				}
			}
			for _, c := range template.Spec.Containers {
				if !ptr.Deref(c.SecurityContext.ReadOnlyRootFilesystem, false) {
					t.Errorf("%s: %s can write into its image", name, c.Name)
				}
			}
			if token := ptr.Deref(template.Spec.AutomountServiceAccountToken, true); token != m.token {
				t.Errorf("%s: a token is mounted: %t, want %t", name, token, m.token)
			}
		}
		if pods != 1 {
			t.Errorf("%s: %d pods, want 1", name, pods)
		}
	}
}

// What the rules have to be, the controllers' own tests and runs say. None may be for anything.
func TestRulesNameWhatTheyAllow(t *testing.T) {
	for name, m := range manifestsOfPods(t) {
		for _, object := range decoded(t, m.text) {
			var rules []rbacv1.PolicyRule
			switch o := object.(type) {
			case *rbacv1.ClusterRole:
				rules = o.Rules
			case *rbacv1.Role:
				rules = o.Rules
			}
			for _, r := range rules {
				all := strings.Join(append(append(r.Verbs, r.Resources...), r.APIGroups...), " ")
				for _, wide := range []string{"*", "secrets", "escalate", "bind", "impersonate", "pods/exec"} {
					if strings.Contains(all, wide) {
						t.Errorf("%s allows %s", name, all)
					}
				}
			}
		}
	}
}
