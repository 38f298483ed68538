package admission

import (
	"context"
	"encoding/pem"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// build makes the API server reject all pods in one way. It may change the pod
// template of the Job for that.
type build func(s *framework.Sandbox, pod *corev1.PodSpec) denial

func policy(s *framework.Sandbox, _ *corev1.PodSpec) denial {
	GinkgoHelper()
	return denyPods(s)
}

// unserved registers a webhook without a server.
func unserved(s *framework.Sandbox, _ *corev1.PodSpec) denial {
	GinkgoHelper()
	example := creating(s, examplePod())
	config := hook(s, pods.rule(admissionregistrationv1.Create),
		admissionregistrationv1.WebhookClientConfig{URL: ptr.To("https://127.0.0.1:1/")})
	awaitDenied(s, example)
	return denial{lift: func() {
		GinkgoHelper()
		Expect(s.Client.Delete(s.Context(), config)).To(Succeed())
		awaitAccepted(s, example)
	}}
}

// quota is a ResourceQuota that the API server enforces.
type quota struct {
	*framework.Sandbox
	*corev1.ResourceQuota
	resource corev1.ResourceName
	example  request
}

// full creates a quota without room for a resource, which the example needs.
func full(s *framework.Sandbox, name corev1.ResourceName, example request) *quota {
	GinkgoHelper()
	made := framework.Create(s, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "room"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{name: resource.MustParse("0")}},
	})
	awaitDenied(s, example)
	return &quota{s, made, name, example}
}

// set changes the quota to some room. It does not delete the quota, because the API
// server may enforce a deleted one for a while.
func (q *quota) set(room string) {
	GinkgoHelper()
	framework.Change(q.Sandbox, q.ResourceQuota, func(r *corev1.ResourceQuota) {
		r.Spec.Hard[q.resource] = resource.MustParse(room)
	})
	awaitAccepted(q.Sandbox, q.example)
}

func (q *quota) denial() denial { return denial{lift: func() { q.set("100") }} }

// fullOfPods creates a quota without room for pods.
func fullOfPods(s *framework.Sandbox) *quota {
	GinkgoHelper()
	return full(s, corev1.ResourcePods, creating(s, examplePod()))
}

func noRoom(s *framework.Sandbox, _ *corev1.PodSpec) denial {
	GinkgoHelper()
	return fullOfPods(s).denial()
}

// limits creates a LimitRange whose minimum is above the requests of the pods. lift
// lowers it, as for quotas.
func limits(s *framework.Sandbox, pod *corev1.PodSpec) denial {
	GinkgoHelper()
	set := func(cpu string) []corev1.LimitRangeItem {
		return []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer,
			Min: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}
	}
	pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}
	example := examplePod()
	example.Spec = *pod.DeepCopy()
	made := framework.Create(s, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits"},
		Spec: corev1.LimitRangeSpec{Limits: set("1")}})
	awaitDenied(s, creating(s, example))
	return denial{lift: func() {
		GinkgoHelper()
		framework.Change(s, made, func(l *corev1.LimitRange) { l.Spec.Limits = set("1m") })
		awaitAccepted(s, creating(s, example))
	}}
}

// restricted enforces the Pod Security level restricted, which the pods do not meet.
func restricted(s *framework.Sandbox, _ *corev1.PodSpec) denial {
	GinkgoHelper()
	const level = "pod-security.kubernetes.io/enforce"
	set := func(to string) {
		GinkgoHelper()
		s.ChangeNamespace(func(n *corev1.Namespace) { n.Labels[level] = to })
	}
	set("restricted")
	example := creating(s, examplePod())
	awaitDenied(s, example)
	return denial{lift: func() {
		GinkgoHelper()
		set("baseline")
		awaitAccepted(s, example)
	}}
}

// noClass gives the pods a PriorityClass that does not exist; lift creates it.
func noClass(s *framework.Sandbox, pod *corev1.PodSpec) denial {
	const late = "late"
	pod.PriorityClassName = s.ClusterWideName(late)
	return denial{lift: func() {
		GinkgoHelper()
		framework.CreateClusterWide(s,
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: late}, Value: 1000})
	}}
}

// warned waits for a Warning event about an object that has a reason.
func warned(s *framework.Sandbox, about types.UID, reason string) {
	GinkgoHelper()
	s.SoonEmitted("the controller has emitted a Warning "+reason, func(g Gomega) {
		g.Expect(s.Events()).To(ContainElement(And(
			HaveField("InvolvedObject.UID", about),
			HaveField("Type", corev1.EventTypeWarning),
			HaveField("Reason", reason))))
	})
}

// waits waits until a Job has started, and expects that it gets no pods and no
// condition.
func waits(s *framework.Sandbox, job *framework.Job) {
	GinkgoHelper()
	job.HasStarted()
	s.Stays("the Job has no pods and no condition", hasNothing(s, job))
}

func hasNothing(s *framework.Sandbox, job *framework.Job) func(Gomega) {
	return func(g Gomega) {
		g.Expect(s.Created()).To(BeEmpty())
		job.Reports(g, Counters{})
		g.Expect(job.Conditions()).To(BeEmpty())
	}
}

// createsLater waits until there are so many pods, of which some were rejected before.
func createsLater(s *framework.Sandbox, n int) {
	GinkgoHelper()
	s.SoonAfter(framework.MaxAPIBackoff, "all pods are created", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(n))
	})
}

// counter is a webhook in this process that rejects requests and records when each of
// them arrived. Events record the first few only.
type counter struct {
	denial
	mu      sync.Mutex
	arrived []time.Time
	open    bool
}

// count rejects all requests of a kind in the sandbox's namespace, and counts those
// that are no dry runs.
func count(s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, example request) *counter {
	GinkgoHelper()
	c := &counter{}
	server := httptest.NewTLSServer(&admission.Webhook{Handler: c})
	DeferCleanup(server.Close)
	hook(s, rule, admissionregistrationv1.WebhookClientConfig{
		URL:      &server.URL,
		CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	})
	awaitDenied(s, example)
	c.lift = func() {
		GinkgoHelper()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open = true
	}
	return c
}

// hook registers a webhook for the sandbox's namespace only.
func hook(s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations,
	at admissionregistrationv1.WebhookClientConfig) *admissionregistrationv1.ValidatingWebhookConfiguration {
	GinkgoHelper()
	return framework.CreateClusterWide(s, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "hook"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    "refuse.jobconformance.io",
			ClientConfig:            at,
			NamespaceSelector:       s.Selector(),
			Rules:                   []admissionregistrationv1.RuleWithOperations{rule},
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	})
}

// Handle implements admission.Handler.
func (c *counter) Handle(_ context.Context, request admission.Request) admission.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ptr.Deref(request.DryRun, false) {
		c.arrived = append(c.arrived, time.Now())
	}
	if c.open {
		return admission.Allowed("")
	}
	return admission.Denied("not now")
}

// attempts returns the times at which requests have arrived so far.
func (c *counter) attempts() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.arrived)
}

// expectAttempts expects that some requests have arrived, but at most max.
func (c *counter) expectAttempts(max int) {
	GinkgoHelper()
	Expect(len(c.attempts())).To(And(BeNumerically(">", 0), BeNumerically("<=", max)), "attempts")
}

// expectGrowingDelays waits until requests have been rejected for framework.RefusedFor, and expects that
// the delays between them grow. A back-off may start with a few milliseconds, but what it sends within the
// first seconds is limited, too. What was refused may come a minute later, for which the spec does not wait.
func (c *counter) expectGrowingDelays(s *framework.Sandbox, meanwhile string, holds func(Gomega)) {
	GinkgoHelper()
	const most = 25
	s.Soon("a request is rejected", func(g Gomega) { g.Expect(c.attempts()).NotTo(BeEmpty()) })
	s.Stays(meanwhile, holds)
	c.expectAttempts(most)
	s.StaysFor(time.Until(c.attempts()[0].Add(framework.RefusedFor)), meanwhile, holds)
	framework.ExpectGrowingDelays(c.attempts(), s.Calls())
	s.ExceptRest()
}
