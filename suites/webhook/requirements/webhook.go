// Package requirements has those of the webhooks of a CronJob that is a custom resource. What the
// API server does with batch/v1's CronJob, API-CRONJOB-001 and so on, holds for them, too.
package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

const (
	defaulting = "docs: reference/access-authn-authz/extensible-admission-controllers#idempotence; " +
		"API conventions: defaulting"
	refusals = "API conventions: response status kind; docs: " +
		"reference/access-authn-authz/extensible-admission-controllers#response"
)

var (
	KeepsWhatIsSet = set.New("WEBHOOK-DEFAULT-001",
		"A webhook MUST leave fields of a CronJob as they are set, 0 and false included.",
		defaulting, contract.Webhooks)
	DefaultsRemovedFields = set.New("WEBHOOK-DEFAULT-002",
		"A field that an update removes MUST get its default again.",
		defaulting, contract.Webhooks)
	DefaultsOnce = set.New("WEBHOOK-DEFAULT-003",
		"A write that leaves the spec of a CronJob as it is MUST leave its generation as it is.",
		defaulting, contract.Webhooks)
	RefusesAsInvalid = set.New("WEBHOOK-VALIDATE-001",
		"A webhook MUST refuse an invalid CronJob with code 422, reason Invalid and the path of the field, "+
			"whether it is new or changed.",
		refusals, contract.Webhooks)
	NamesAllFields = set.New("WEBHOOK-VALIDATE-002",
		"The refusal of a CronJob MUST name all fields that are wrong.",
		refusals, contract.Webhooks)
	AnswersAnyText = set.New("WEBHOOK-VALIDATE-003",
		"A webhook MUST refuse texts that are no schedule and no time zone, whatever they are, "+
			"and serve the next request.",
		"kubernetes/kubernetes#134320", contract.Webhooks)
	LeavesQuotasToJobs = set.New("WEBHOOK-VALIDATE-004",
		"A CronJob MUST be accepted while a quota has no room for its Jobs.",
		"docs: concepts/policy/resource-quotas; batch/v1 CronJobSpec.jobTemplate", contract.Webhooks)
	InvalidOnesCanGo = set.New("WEBHOOK-VALIDATE-005",
		"A CronJob that was stored without the webhook and is invalid MUST be free to get labels and a status, to be "+
			"deleted, and to lose its finalizers.",
		"docs: reference/access-authn-authz/extensible-admission-controllers#failure-policy; docs: "+
			"concepts/overview/working-with-objects/finalizers", contract.Webhooks)
	LeavesNoTraces = set.New("WEBHOOK-VALIDATE-006",
		"The validation of a CronJob MUST leave nothing behind, whether the request is a dry run or not.",
		"docs: reference/access-authn-authz/extensible-admission-controllers#side-effects", contract.Webhooks)
)
