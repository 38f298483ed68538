package hostile

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// How runs call them.
const (
	deletesNamespaces = "deletes a namespace"
	asHarness         = "writes under the name of the harness"
	instructsPods     = "changes what the harness has a pod do"
)

// Controllers are all of them.
var Controllers = []Controller{
	{
		Name: "deletes-namespaces", Does: "deletes the namespaces of specs",
		Names: deletesNamespaces, Verdict: Red, Quick: true,
		attack: func(ctx context.Context, a *attacker) {
			a.deleteNamespaces(ctx, a.set)
		},
	},
	{
		Name: "impersonates", Does: "deletes the namespaces of specs as another user",
		Names: deletesNamespaces, Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.deleteNamespaces(ctx, a.as(func(c *rest.Config) {
				c.Impersonate = rest.ImpersonationConfig{UserName: "admin", Groups: []string{"system:masters"}}
			}))
		},
	},
	{
		Name: "relabels-namespaces", Does: "takes the label from namespaces by which the run knows them",
		Names: "changes the labels of a namespace that are the run's", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.eachJob(ctx, func(j *batchv1.Job) {
				_, _ = a.set.CoreV1().Namespaces().Patch(ctx, j.Namespace, types.MergePatchType,
					[]byte(`{"metadata":{"labels":{"`+runLabel+`":null}}}`), metav1.PatchOptions{})
			})
		},
	},
	{
		Name: "rewrites-instructions", Does: "has all pods succeed by their annotations",
		Names: instructsPods, Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.eachPod(ctx, func(p *corev1.Pod) {
				if p.Annotations[exitCodes] != "0" {
					_, _ = a.set.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType,
						[]byte(`{"metadata":{"annotations":{"`+exitCodes+`":"0"}}}`), metav1.PatchOptions{})
				}
			})
		},
	},
	{
		Name: "acts-as-kubelet", Does: "has all pods succeed by their status",
		Names: "writes the status of a pod as only its kubelet does", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.eachPod(ctx, func(p *corev1.Pod) {
				if p.Status.Phase == corev1.PodRunning {
					_, _ = a.set.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType,
						[]byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
				}
			})
		},
	},
	{
		Name: "deletes-policies", Does: "deletes policies by which specs have requests refused",
		Requirements: []string{"JOB-ADMISSION-004"},
		Names:        "deletes an object of the harness", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			policies := a.set.AdmissionregistrationV1().ValidatingAdmissionPolicies()
			a.eachJob(ctx, func(*batchv1.Job) {
				if all, err := policies.List(ctx, metav1.ListOptions{LabelSelector: runLabel}); err == nil {
					for _, policy := range all.Items {
						_ = policies.Delete(ctx, policy.Name, metav1.DeleteOptions{})
					}
				}
			})
		},
	},
	{
		Name: "deletes-nodes", Does: "deletes the node of the pods",
		Names: "deletes a node", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.eachPod(ctx, func(p *corev1.Pod) {
				if p.Spec.NodeName != "" {
					_ = a.set.CoreV1().Nodes().Delete(ctx, p.Spec.NodeName, metav1.DeleteOptions{})
				}
			})
		},
	},
	{
		Name: "cordons-nodes", Does: "keeps pods from their node",
		Names: "keeps pods from a node", Verdict: Red, Quick: true,
		attack: func(ctx context.Context, a *attacker) {
			a.eachPod(ctx, func(p *corev1.Pod) {
				if p.Spec.NodeName != "" {
					_, _ = a.set.CoreV1().Nodes().Patch(ctx, p.Spec.NodeName, types.StrategicMergePatchType,
						[]byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
				}
			})
		},
	},
	{
		Name: "deletes-leases", Does: "deletes the Leases of others",
		Names: "deletes the Lease of an API server", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			leases := a.set.CoordinationV1().Leases(metav1.NamespaceSystem)
			a.eachJob(ctx, func(*batchv1.Job) {
				if all, err := leases.List(ctx, metav1.ListOptions{}); err == nil {
					for _, lease := range all.Items {
						_ = leases.Delete(ctx, lease.Name, metav1.DeleteOptions{})
					}
				}
			})
		},
	},
	{
		Name: "finds-hidden", Does: "deletes the pods of namespaces that it is not shown",
		Names: "acts in a namespace that it was not shown, of another spec", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) { a.findHidden(ctx) },
	},
	{
		Name: "poses-as-harness", Does: "creates a pod more for each Job, with the harness's User-Agent",
		Names: asHarness, Verdict: Red, Quick: true,
		attack: func(ctx context.Context, a *attacker) {
			set := a.as(func(c *rest.Config) { c.UserAgent = harness })
			a.eachJob(ctx, func(j *batchv1.Job) {
				_, _ = set.CoreV1().Pods(j.Namespace).Create(ctx, podOf(j), metav1.CreateOptions{})
			})
		},
	},
	{
		Name: "forges-managers", Does: "creates a pod more for each Job, with managedFields of the harness",
		Names: asHarness, Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.eachJob(ctx, func(j *batchv1.Job) {
				pod := podOf(j)
				pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: harness, APIVersion: "v1",
					Operation: metav1.ManagedFieldsOperationUpdate, FieldsType: "FieldsV1",
					Time:     ptr.To(metav1.NewTime(time.Now().Add(time.Hour))),
					FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:a":{}}}}`)}}
				_, _ = a.set.CoreV1().Pods(j.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			})
		},
	},
	{
		Name: "deletes-jobs", Does: "deletes Jobs as a user does",
		Names: "deletes what the spec has created as a user", Verdict: Red,
		attack: func(ctx context.Context, a *attacker) {
			a.eachJob(ctx, func(j *batchv1.Job) {
				if j.Status.Active > 0 {
					_ = a.set.BatchV1().Jobs(j.Namespace).Delete(ctx, j.Name, metav1.DeleteOptions{})
				}
			})
		},
	},
	{
		Name: "fakes-status", Does: "has all Jobs complete without a pod", Alone: true, Verdict: Red, Quick: true,
		attack: func(ctx context.Context, a *attacker) {
			a.eachJob(ctx, func(j *batchv1.Job) { a.complete(ctx, j) })
		},
	},
	{
		Name: "floods", Does: "lists all pods without end, four times at once", Verdict: Green,
		attack: func(ctx context.Context, a *attacker) {
			for range 4 {
				go func() {
					for ctx.Err() == nil {
						_, _ = a.set.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
					}
				}()
			}
		},
	},
	{
		Name: "prints-results", Does: "does nothing, and prints results of a green run when it crashes", Alone: true,
		Verdict: Red, Quick: true,
		attack: func(ctx context.Context, a *attacker) {
			forged, err := os.ReadFile(a.args[0])
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			time.Sleep(2 * time.Second) // the run has begun
			fmt.Printf("panic: %s\n%s\n", forged, forged)
			os.Exit(3)
		},
	},
}

const (
	exitCodes = "puppet.jobconformance.io/exit-codes"
	harness   = "jobconformance (Job)"
	runLabel  = "jobconformance.io/run"
)

// deleteNamespaces deletes each namespace with a Job.
func (a *attacker) deleteNamespaces(ctx context.Context, set kubernetes.Interface) {
	a.eachJob(ctx, func(j *batchv1.Job) {
		_ = set.CoreV1().Namespaces().Delete(ctx, j.Namespace, metav1.DeleteOptions{})
	})
}

// podOf is one that a Job controller might create.
func podOf(j *batchv1.Job) *corev1.Pod {
	template := j.Spec.Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.GenerateName = j.Name + "-"
	owner := metav1.NewControllerRef(j, batchv1.SchemeGroupVersion.WithKind("Job"))
	pod.OwnerReferences = []metav1.OwnerReference{*owner}
	pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
	return pod
}

// complete writes the status of a Job whose pods have all succeeded.
func (a *attacker) complete(ctx context.Context, j *batchv1.Job) {
	if j.Status.CompletionTime != nil {
		return
	}
	now := metav1.Now()
	j = j.DeepCopy()
	j.Status = batchv1.JobStatus{StartTime: &now, CompletionTime: &now, Ready: ptr.To[int32](0),
		Succeeded: ptr.Deref(j.Spec.Completions, 1), UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{}}
	for _, t := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue,
			Reason: batchv1.JobReasonCompletionsReached, LastTransitionTime: now, LastProbeTime: now})
	}
	_, _ = a.set.BatchV1().Jobs(j.Namespace).UpdateStatus(ctx, j, metav1.UpdateOptions{})
}

// findHidden lists namespaces one by one, and reads in the tokens of their pages, which have the name of the last one,
// what it is not shown. It deletes the pods in those.
func (a *attacker) findHidden(ctx context.Context) {
	page := metav1.ListOptions{Limit: 1}
	for ctx.Err() == nil {
		list, err := a.set.CoreV1().Namespaces().List(ctx, page)
		if err != nil {
			page.Continue = ""
			continue
		}
		var token struct{ Start string }
		text, _ := base64.RawURLEncoding.DecodeString(list.Continue)
		_ = json.Unmarshal(text, &token)
		if name := strings.Trim(token.Start, "/\x00"); ofHarness(name) && len(list.Items) == 0 {
			_ = a.set.CoreV1().Pods(name).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		}
		page.Continue = list.Continue
	}
}
