package app

import (
	"bytes"
	"strings"
	"testing"
)

func TestManifestsArePrinted(t *testing.T) {
	for name, want := range map[string]string{
		"controller":     "kind: Deployment",
		"crd":            "kind: Deployment",
		"crd-definition": "kind: CustomResourceDefinition",
		"crd-webhooks":   "kind: ValidatingWebhookConfiguration",
	} {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), []string{"manifests", name}, &out, &errs); code != exitStopped ||
			errs.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", name, code, &errs)
		}
		if !strings.Contains(out.String(), want) || out.String() != manifests[name] {
			t.Errorf("%s: no %q in %s", name, want, &out)
		}
	}
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"manifests", "job"}, &out, &errs); code != exitBadStart ||
		!strings.Contains(errs.String(), "crd-webhooks") {
		t.Errorf("unknown manifests: exit code %d, %s", code, &errs)
	}
}
