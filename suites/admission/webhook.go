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
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// counter is a webhook in this process, which refuses requests and knows when
// each of them came: an event tells of the first few only.
type counter struct {
	wall
	mu   sync.Mutex
	came []time.Time
	open bool
}

// count refuses all requests of a kind within the scene's namespace, and counts
// those that are no dry runs.
func count(ctx context.Context, s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, example request) *counter {
	GinkgoHelper()
	c := &counter{}
	server := httptest.NewTLSServer(&admission.Webhook{Handler: c})
	DeferCleanup(server.Close)
	hook(ctx, s, rule, admissionregistrationv1.WebhookClientConfig{
		URL:      &server.URL,
		CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	})
	stands(ctx, s, example)
	c.lift = func(ctx context.Context) {
		GinkgoHelper()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open = true
	}
	return c
}

// hook registers a webhook for the scene's namespace alone.
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
		c.came = append(c.came, time.Now())
	}
	if c.open {
		return admission.Allowed("")
	}
	return admission.Denied("not now")
}

// attempts are the times at which requests came so far.
func (c *counter) attempts() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.came)
}
