// Package requirements has the requirements of metrics that Kubernetes promises to keep. The specs beside it cover
// them.
package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

// list has the metrics with their stability; KEP-1209 says what that means.
const list = "docs: reference/instrumentation/metrics; KEP-1209"

// What dashboards and alerts of any cluster go by. A controller with other metrics is not asked for them.
var (
	JobsFinished = set.New("JOB-METRICS-001",
		"A Job controller that serves the metrics of Kubernetes MUST count each Job that finishes once in "+
			"job_controller_jobs_finished_total, by its completion mode, its result and the reason of its last "+
			"condition.",
		list, contract.Metrics)
	PodsFinished = set.New("JOB-METRICS-002",
		"A Job controller that serves the metrics of Kubernetes MUST count each pod that it counts in a status "+
			"once in job_controller_job_pods_finished_total, by the completion mode of its Job and its result.",
		list+"; KEP-2307", contract.Metrics)
	SyncsTimed = set.New("JOB-METRICS-003",
		"A Job controller that serves the metrics of Kubernetes MUST count its syncs in "+
			"job_controller_job_syncs_total, and the time that each took in job_controller_job_sync_duration_seconds.",
		list, contract.Metrics)
	FailuresHandled = set.New("JOB-METRICS-004",
		"A Job controller that serves the metrics of Kubernetes MUST count each failed pod that matches a rule of "+
			"a podFailurePolicy once in job_controller_pod_failures_handled_by_failure_policy_total, by the rule's "+
			"action.",
		list+"; KEP-3329", contract.Metrics)
	FinalizersTracked = set.New("JOB-METRICS-005",
		"A Job controller that serves the metrics of Kubernetes MUST count each pod that ends with the tracking "+
			"finalizer, and each of them that loses it, once in "+
			"job_controller_terminated_pods_tracking_finalizer_total.",
		list+"; KEP-2307", contract.Metrics)
	SkewObserved = set.New("CRON-METRICS-001",
		"A CronJob controller that serves the metrics of Kubernetes MUST observe, once for each Job that it "+
			"creates, the time from the scheduled time until then in "+
			"cronjob_controller_job_creation_skew_duration_seconds.",
		list, contract.Metrics)
)
