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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

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
func count(ctx context.Context, s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, example request) *counter {
	GinkgoHelper()
	c := &counter{}
	server := httptest.NewTLSServer(&admission.Webhook{Handler: c})
	DeferCleanup(server.Close)
	hook(ctx, s, rule, admissionregistrationv1.WebhookClientConfig{
		URL:      &server.URL,
		CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	})
	awaitDenied(ctx, s, example)
	c.lift = func(ctx context.Context) {
		GinkgoHelper()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open = true
	}
	return c
}

// hook registers a webhook for the sandbox's namespace only.
func hook(ctx context.Context, s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, at admissionregistrationv1.WebhookClientConfig) *admissionregistrationv1.ValidatingWebhookConfiguration {
	GinkgoHelper()
	return framework.CreateClusterWide(ctx, s, &admissionregistrationv1.ValidatingWebhookConfiguration{
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

// maxAttempts is how many rejected requests a controller may send within the time of
// Stays. Its back-off may start with a few milliseconds, if it grows.
const maxAttempts = 25

// expectAttempts expects that some requests have arrived, but at most max.
func (c *counter) expectAttempts(max int) {
	GinkgoHelper()
	attempts := c.attempts()
	Expect(len(attempts)).To(And(BeNumerically(">", 0), BeNumerically("<=", max)), "attempts %v", since(attempts))
}

// since returns the times relative to the first.
func since(times []time.Time) []time.Duration {
	var all []time.Duration
	for _, t := range times {
		all = append(all, t.Sub(times[0]).Round(time.Millisecond))
	}
	return all
}
