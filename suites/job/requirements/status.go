package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The counters and times in the status of a Job.
var (
	StatusActive = contract.New("JOB-STATUS-001",
		"The status field active MUST be the number of pending and running pods that are not being deleted.",
		"batch/v1 JobStatus.active",
		contract.Invariants{"job-counts-what-is-there"})
	StatusReady = contract.New("JOB-STATUS-002",
		"The status field ready MUST be the number of active pods that have the condition Ready.",
		"batch/v1 JobStatus.ready; KEP-2879",
		contract.Invariants{"job-counters-in-range", "job-counts-what-is-there"})
	StatusTerminating = contract.New("JOB-STATUS-003",
		"The status field terminating MUST be the number of pending and running pods that are being deleted.",
		"batch/v1 JobStatus.terminating; KEP-3939; kubernetes/kubernetes#121342",
		contract.Invariants{"job-counts-what-is-there"})
	StatusCounts = contract.New("JOB-STATUS-004",
		"The status fields succeeded and failed MUST be the numbers of pods that have succeeded and failed.",
		"batch/v1 JobStatus.succeeded; batch/v1 JobStatus.failed",
		contract.Invariants{"job-counts-no-more-than-pods", "job-counters-never-decrease"})
	StartTime = contract.New("JOB-STATUS-005",
		"A Job controller MUST set startTime when it begins to work on a Job that is not suspended.",
		"batch/v1 JobStatus.startTime",
		contract.Invariants{"job-starts-when-it-runs"})
	StartTimeIsFixed = contract.New("JOB-STATUS-006",
		"A Job controller MUST NOT change startTime while the Job is not suspended.",
		"batch/v1 JobStatus.startTime",
		contract.Invariants{"job-start-time-kept"})
	CompletionTime = contract.New("JOB-STATUS-007",
		"A Job MUST have a completionTime if it is Complete, which is not before its startTime.",
		"batch/v1 JobStatus.completionTime",
		contract.Invariants{"job-completion-time"})
	NoCompletionTimeOnFailure = contract.New("JOB-STATUS-008",
		"A Job that has failed MUST NOT have a completionTime.",
		"batch/v1 JobStatus.completionTime",
		contract.Invariants{"job-completion-time"})
	StatusDuringBackoff = contract.New("JOB-STATUS-009",
		"A Job controller MUST keep the status up to date while it puts the next pod off.",
		"kubernetes/kubernetes#139428; batch/v1 JobStatus.failed")
	FinishedHasNoActivePods = contract.New("JOB-STATUS-010",
		"A finished Job MUST have no active pods in its status.",
		"batch/v1 JobStatus.active",
		contract.Invariants{"job-finished-is-settled"})
	LeavesTheSpec = contract.New("JOB-STATUS-011",
		"A Job controller MUST NOT change the spec of a Job.",
		"API conventions: spec and status",
		contract.Invariants{"job-spec-is-the-users"})
	QuietWhenIdle = contract.New("JOB-STATUS-012",
		"A Job controller MUST NOT write Jobs and pods again and again while nothing happens to them.",
		"API conventions: spec and status; docs: concepts/architecture/controller",
		contract.Invariants{"job-writes-have-causes", "job-pod-writes-are-few"})
)

// No pod is lost or counted twice (KEP-2307).
var (
	TrackingFinalizer = contract.New("JOB-TRACKING-001",
		"A Job controller MUST create pods with the finalizer batch.kubernetes.io/job-tracking.",
		"batch/v1 JobTrackingFinalizer; KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers",
		contract.Invariants{"job-pod-is-tracked"})
	FinalizerUntilCounted = contract.New("JOB-TRACKING-002",
		"A Job controller MUST keep the finalizer on a pod that has finished until the status has counted it.",
		"batch/v1 JobStatus.uncountedTerminatedPods; KEP-2307",
		contract.Invariants{"job-pod-released-after-counting"})
	CountsOnce = contract.New("JOB-TRACKING-003",
		"A Job controller MUST count every pod once at most.",
		"batch/v1 JobStatus.uncountedTerminatedPods; KEP-2307; kubernetes/kubernetes#105199; kubernetes/kubernetes#104666",
		contract.Invariants{"job-pod-counted-once", "job-counts-no-more-than-pods", "job-uncounted-become-counted"})
	ReleasesBeforeFinish = contract.New("JOB-TRACKING-004",
		"A Job controller MUST remove the finalizer from all pods of a Job before the Job finishes.",
		"KEP-2307; kubernetes/kubernetes#119159",
		contract.Invariants{"job-finished-after-release"})
	ReleasesOrphans = contract.New("JOB-TRACKING-005",
		"A Job controller MUST remove the finalizer from the pods of a Job that is gone.",
		"KEP-2307; kubernetes/kubernetes#108752; kubernetes/kubernetes#141329")
	ReleasesLostPods = contract.New("JOB-TRACKING-006",
		"A Job controller MUST remove the finalizer from a pod that is not the Job's any more.",
		"KEP-2307")
	UncountedLists = contract.New("JOB-TRACKING-007",
		"The uncounted lists MUST name pods only that have finished or are being deleted, and MUST be empty when the Job has finished.",
		"batch/v1 JobStatus.uncountedTerminatedPods",
		contract.Invariants{"job-uncounted-are-pods-of-the-job", "job-finished-is-settled"})
)

// Pods that are being deleted.
var (
	EndedIsNotTerminating = contract.New("JOB-TERMINATING-001",
		"A pod that has ended MUST NOT count as terminating, nor keep its Job from finishing, although it is being deleted and still there.",
		"batch/v1 JobStatus.terminating: in phase Pending or Running; KEP-3939")
	TerminatingIsNotActive = contract.New("JOB-TERMINATING-002",
		"A pod that is being deleted MUST NOT count as active or ready, whatever its condition Ready says.",
		"batch/v1 JobStatus.active and ready",
		contract.ReadyPods)
)
