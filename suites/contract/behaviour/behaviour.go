// Package behaviour has the rows of the table that a run prints, as decorators of specs.
//
//	var _ = Describe("Job parallelism:", behaviour.Parallelism, func() {
package behaviour

import (
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/onsi/ginkgo/v2"
)

// The behaviours. The area of a spec follows from the requirements that it covers.
var (
	ActiveDeadlineSeconds = of("activeDeadlineSeconds")
	Admission             = of("admission")
	BackoffLimit          = of("backoffLimit")
	BackoffLimitPerIndex  = of("backoffLimitPerIndex")
	Completions           = of("completions")
	ConcurrencyPolicy     = of("concurrencyPolicy")
	Defaults              = of("defaults")
	Faults                = of("faults")
	HistoryLimits         = of("historyLimits")
	Indexed               = of("indexed")
	ManagedBy             = of("managedBy")
	Metrics               = of("metrics")
	OnFailure             = of("OnFailure")
	Ownership             = of("ownership")
	Parallelism           = of("parallelism")
	PodFailurePolicy      = of("podFailurePolicy")
	PodReplacementPolicy  = of("podReplacementPolicy")
	Regressions           = of("regressions")
	RestartPolicyRules    = of("restartPolicyRules")
	Schedule              = of("schedule")
	Scheduling            = of("scheduling")
	Status                = of("status")
	SuccessPolicy         = of("successPolicy")
	Suspend               = of("suspend")
	Validation            = of("validation")
	Webhooks              = of("webhooks")
)

func of(name string) ginkgo.Labels { return ginkgo.Labels{spec.BehaviourLabel + name} }
