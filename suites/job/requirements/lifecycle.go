package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// The counters and times in the status of a Job.
var (
	StatusActive = set.New("JOB-STATUS-001",
		"The status field active MUST be the number of pending and running pods that are not being deleted.",
		"batch/v1 JobStatus.active",
		contract.Invariants{"job-counts-what-is-there", "job-active-at-rest"},
		contract.Grounds{spec.JobActive})
	StatusReady = set.New("JOB-STATUS-002",
		"The status field ready MUST be the number of active pods that have the condition Ready.",
		"batch/v1 JobStatus.ready; KEP-2879",
		contract.Invariants{"job-counters-in-range", "job-counts-what-is-there", "job-ready-at-rest"},
		contract.Grounds{spec.JobReady})
	StatusTerminating = set.New("JOB-STATUS-003",
		"The status field terminating MUST be the number of pending and running pods that are being deleted.",
		"batch/v1 JobStatus.terminating; KEP-3939; kubernetes/kubernetes#121342",
		contract.Invariants{"job-counts-what-is-there", "job-terminating-at-rest"},
		contract.Grounds{spec.JobTerminating}, contract.Situations{spec.PodTerminating})
	StatusCounts = set.New("JOB-STATUS-004",
		"The status fields succeeded and failed MUST be the numbers of pods that have succeeded and failed.",
		"batch/v1 JobStatus.succeeded; batch/v1 JobStatus.failed",
		contract.Invariants{"job-counts-no-more-than-pods", "job-counters-never-decrease", "job-counted-at-rest"})
	StartTime = set.New("JOB-STATUS-005",
		"A Job controller MUST set startTime when it begins to work on a Job that is not suspended.",
		"batch/v1 JobStatus.startTime",
		contract.Invariants{"job-starts-when-it-runs"},
		contract.Grounds{spec.JobStartTime})
	StartTimeIsFixed = set.New("JOB-STATUS-006",
		"A Job controller MUST NOT change startTime while the Job is not suspended.",
		"batch/v1 JobStatus.startTime",
		contract.Invariants{"job-start-time-kept"})
	CompletionTime = set.New("JOB-STATUS-007",
		"A Job MUST have a completionTime if it is Complete: the time when that happened, and "+
			"not before its startTime.",
		"batch/v1 JobStatus.completionTime: the time when the job was completed",
		contract.Invariants{"job-completion-time"})
	NoCompletionTimeOnFailure = set.New("JOB-STATUS-008",
		"A Job that has failed MUST NOT have a completionTime.",
		"batch/v1 JobStatus.completionTime",
		contract.Invariants{"job-completion-time-is-of-complete"}, contract.Situations{spec.PodFailed})
	StatusDuringBackoff = set.New("JOB-STATUS-009",
		"A Job controller MUST keep the status up to date while it puts the next pod off.",
		"kubernetes/kubernetes#139428; batch/v1 JobStatus.failed",
		contract.About{spec.JobActive, spec.JobReady, spec.JobTerminating},
		contract.Situations{spec.FailedWithinLimit})
	FinishedHasNoActivePods = set.New("JOB-STATUS-010",
		"A finished Job MUST have no active pods in its status.",
		"batch/v1 JobStatus.active",
		contract.Invariants{"job-finished-is-settled"},
		contract.About{spec.JobActive})
	LeavesTheSpec = set.New("JOB-STATUS-011",
		"A Job controller MUST NOT change the spec of a Job.",
		"API conventions: spec and status",
		contract.Invariants{"job-spec-is-the-users"})
	QuietWhenIdle = set.New("JOB-STATUS-012",
		"A Job controller MUST NOT write Jobs and pods again and again while nothing happens to them.",
		"API conventions: spec and status; docs: concepts/architecture/controller",
		contract.Invariants{"job-writes-have-causes", "job-pod-writes-are-few"})
	OneConditionPerType = set.New("JOB-STATUS-013",
		"A Job MUST NOT have two conditions of the same type.",
		"batch/v1 JobStatus.conditions; batch/v1 JobCondition.type; API conventions: typical status properties",
		contract.Invariants{"job-conditions-are-unique"})
	CountsInTime = set.New("JOB-STATUS-014",
		"A Job controller SHOULD count a pod, and replace it where no back-off delays that, within 10 s of its end.",
		"batch/v1 JobStatus.succeeded; docs: concepts/architecture/controller",
		contract.Situations{spec.PodSucceeded})
)

// No pod is lost or counted twice (KEP-2307).
var (
	TrackingFinalizer = set.New("JOB-TRACKING-001",
		"A Job controller MUST create pods with the finalizer batch.kubernetes.io/job-tracking.",
		"batch/v1 JobTrackingFinalizer; KEP-2307; docs: "+
			"concepts/workloads/controllers/job#job-tracking-with-finalizers",
		contract.Invariants{"job-pod-is-tracked"})
	FinalizerUntilCounted = set.New("JOB-TRACKING-002",
		"A Job controller MUST keep the finalizer on a pod that has finished until the status has counted it: in the "+
			"uncounted lists, or in completedIndexes.",
		"batch/v1 JobStatus.uncountedTerminatedPods; KEP-2307",
		contract.Invariants{"job-pod-released-after-counting"})
	CountsOnce = set.New("JOB-TRACKING-003",
		"A Job controller MUST count every pod once at most.",
		"batch/v1 JobStatus.uncountedTerminatedPods; KEP-2307; kubernetes/kubernetes#105199; "+
			"kubernetes/kubernetes#104666",
		contract.Invariants{"job-pod-counted-once", "job-counts-no-more-than-pods", "job-uncounted-become-counted"},
		contract.Situations{spec.PodSucceeded})
	ReleasesBeforeFinish = set.New("JOB-TRACKING-004",
		"A Job controller MUST remove the finalizer from all pods of a Job before the Job finishes.",
		"KEP-2307; kubernetes/kubernetes#119159",
		contract.Invariants{"job-finished-after-release"})
	ReleasesOrphans = set.New("JOB-TRACKING-005",
		"A Job controller MUST remove the finalizer from the pods of a Job that is gone.",
		"KEP-2307; kubernetes/kubernetes#108752; kubernetes/kubernetes#141329",
		contract.Invariants{"job-pods-released-at-rest"}, contract.Situations{spec.DeletedWithPods})
	ReleasesLostPods = set.New("JOB-TRACKING-006",
		"A Job controller MUST remove the finalizer from a pod that is not the Job's any more.",
		"KEP-2307",
		contract.Situations{spec.PodUnmatched})
	UncountedLists = set.New("JOB-TRACKING-007",
		"The uncounted lists MUST name pods only that have finished or are being deleted, and MUST be "+
			"empty when the Job has finished.",
		"batch/v1 JobStatus.uncountedTerminatedPods; batch/v1 UncountedTerminatedPods.succeeded; "+
			"batch/v1 UncountedTerminatedPods.failed",
		contract.Invariants{"job-uncounted-are-pods-of-the-job", "job-finished-is-settled"})
	ReleasesLatePods = set.New("JOB-TRACKING-008",
		"A Job controller MUST remove the finalizer from a pod that is deleted after its Job has finished.",
		"KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers",
		contract.Invariants{"job-pods-released-at-rest"}, contract.Situations{spec.PodOfEndedJob})
	LeavesForeignFinalizers = set.New("JOB-TRACKING-009",
		"A Job controller MUST NOT remove the finalizer from a pod whose controller is not a Job.",
		"batch/v1 JobTrackingFinalizer; KEP-2307",
		contract.Versions(">= 1.36.0")) // v1.30.14 removes it
)

// Pods that are being deleted.
var (
	EndedIsNotTerminating = set.New("JOB-TERMINATING-001",
		"A pod that has ended MUST NOT count as terminating, nor keep its Job from finishing, although it is "+
			"being deleted and still there.",
		"batch/v1 JobStatus.terminating: in phase Pending or Running; KEP-3939",
		contract.About{spec.JobTerminating})
	TerminatingIsNotActive = set.New("JOB-TERMINATING-002",
		"A pod that is being deleted MUST NOT count as active or ready, whatever its condition Ready says.",
		"batch/v1 JobStatus.active and ready",
		contract.ReadyPods,
		contract.About{spec.JobActive, spec.JobReady}, contract.Situations{spec.PodTerminating})
)

// How a Job finishes.
var (
	OneVerdict = set.New("JOB-END-001",
		"A Job MUST finish with exactly one of the conditions Complete and Failed, which stays True from then on.",
		"batch/v1 JobStatus.conditions; batch/v1 JobCondition.status",
		contract.Invariants{"job-verdict-is-final", "job-completes-at-rest", "job-fails-at-rest"})
	CompleteIsAnnounced = set.New("JOB-END-002",
		"A Job MUST have the condition SuccessCriteriaMet by the time it is Complete, both with the reason "+
			"CompletionsReached where the number of successes decided.",
		"batch/v1 JobReasonCompletionsReached; KEP-3998; KEP-4368; docs: "+
			"concepts/workloads/controllers/job#terminal-job-conditions",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-comes-first"},
		contract.Situations{spec.CompletionsReached})
	FailedIsAnnounced = set.New("JOB-END-003",
		"A Job MUST have the condition FailureTarget by the time it has Failed, both with the same reason.",
		"batch/v1 JobFailureTarget; KEP-4368; docs: concepts/workloads/controllers/job#terminal-job-conditions",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-comes-first"},
		contract.Situations{spec.PodFailed})
	CompleteAfterAllPods = set.New("JOB-END-004",
		"A Job controller MUST set SuccessCriteriaMet as soon as that is decided, and Complete only when all "+
			"pods of the Job have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-complete-after-pods",
			"job-succeeds-by-its-policy-after-pods"},
		contract.Situations{spec.PodTerminating})
	FailedAfterAllPods = set.New("JOB-END-005",
		"A Job controller MUST set FailureTarget as soon as that is decided, and Failed only when all "+
			"pods of the Job have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-failed-after-pods",
			"job-fails-by-its-policy-after-pods", "job-fails-by-max-failed-indexes-after-pods"},
		contract.Situations{spec.DecidedWithPods})
	NoPodsOnceDecided = set.New("JOB-END-006",
		"A Job controller MUST NOT create pods of a Job that is decided or finished.",
		"batch/v1 JobStatus.conditions; docs: concepts/workloads/controllers/job#job-termination-and-cleanup; "+
			"kubernetes/kubernetes#130103",
		contract.Invariants{"job-creates-nothing-once-decided"}, contract.Situations{spec.CompletionsReached})
	FinishedStatusIsFixed = set.New("JOB-END-007",
		"A Job controller MUST NOT change the status of a finished Job, whatever happens to its spec and its pods.",
		"batch/v1 JobStatus.conditions",
		contract.Invariants{"job-status-is-final"}, contract.Situations{spec.PodOfEndedJob})
	FinishTimeForTTL = set.New("JOB-END-008",
		"The condition of a finished Job MUST record when it finished, so that the Job is deleted "+
			"after ttlSecondsAfterFinished.",
		"batch/v1 JobSpec.ttlSecondsAfterFinished; docs: concepts/workloads/controllers/ttlafterfinished")
)

// What a finished Job leaves behind, and how it is deleted.
var (
	ForegroundDeletion = set.New("JOB-FINISHED-001",
		"A Job that is deleted in the foreground MUST go after its pods, which a Job controller MUST "+
			"neither hold up nor replace.",
		"metav1.DeletePropagationForeground; docs: "+
			"concepts/architecture/garbage-collection#foreground-deletion; KEP-2307",
		contract.Situations{spec.DeletedWithPods})
	KeepsFinishedJob = set.New("JOB-FINISHED-002",
		"A Job controller MUST NOT delete a finished Job, and neither ttlSecondsAfterFinished "+
			"nor its absence changes that.",
		"batch/v1 JobSpec.ttlSecondsAfterFinished; docs: concepts/workloads/controllers/ttlafterfinished")
	TTLAfterFailure = set.New("JOB-FINISHED-003",
		"A Job that has failed MUST go like a Complete one when its ttlSecondsAfterFinished "+
			"have passed, with its pods.",
		"batch/v1 JobSpec.ttlSecondsAfterFinished: either Complete or Failed",
		contract.Situations{spec.LimitExceeded})
	EventsForPods = set.New("JOB-FINISHED-004",
		"A Job controller SHOULD emit the events SuccessfulCreate and SuccessfulDelete for the pods "+
			"that it creates and deletes.",
		"docs: concepts/workloads/controllers/job#running-an-example-job")
	EventForEnd = set.New("JOB-FINISHED-005",
		"A Job controller SHOULD emit an event at a Job's end: Completed, or a warning with the "+
			"reason of the condition Failed.",
		"docs: concepts/workloads/controllers/job#running-an-example-job")
)

// The field suspend (KEP-2232), and what may change in a suspended Job (KEP-2926, KEP-5440).
var (
	SuspendedHasNoPods = set.New("JOB-SUSPEND-001",
		"A Job controller MUST NOT create pods of a Job while it is suspended.",
		"batch/v1 JobSpec.suspend; KEP-2232",
		contract.Suspend, contract.Invariants{"job-creates-nothing-while-suspended"},
		contract.Situations{spec.JobSuspended})
	SuspensionDeletesPods = set.New("JOB-SUSPEND-002",
		"When a Job is suspended, a Job controller MUST delete its active pods.",
		"batch/v1 JobSpec.suspend; KEP-2232",
		contract.Suspend, contract.Invariants{"job-surplus-at-rest"}, contract.Situations{spec.SuspendedWithPods})
	SuspensionCountsNothing = set.New("JOB-SUSPEND-003",
		"Pods that were deleted because of the suspension MUST count neither as failed nor as "+
			"succeeded, however they end.",
		"docs: concepts/workloads/controllers/job#suspending-a-job; KEP-2232",
		contract.Suspend, contract.Situations{spec.SuspendedWithPods})
	SuspendedCondition = set.New("JOB-SUSPEND-004",
		"A suspended Job MUST have the condition Suspended; when it is resumed, the condition MUST become False.",
		"batch/v1 JobStatus.conditions; KEP-2232",
		contract.Suspend, contract.Invariants{"job-suspended-follows-the-spec"},
		contract.Situations{spec.JobSuspended, spec.JobResumed})
	SuspendedTransitionTime = set.New("JOB-SUSPEND-005",
		"The lastTransitionTime of the condition Suspended MUST be when the Job was last suspended or resumed.",
		"batch/v1 JobCondition.lastTransitionTime; docs: concepts/workloads/controllers/job#suspending-a-job",
		contract.Suspend, contract.Situations{spec.JobSuspended, spec.JobResumed})
	ResumeStartsAnew = set.New("JOB-SUSPEND-006",
		"When a Job is resumed, a Job controller MUST create pods for what is left to do, and set startTime anew.",
		"batch/v1 JobSpec.suspend; batch/v1 JobStatus.startTime; KEP-2232",
		contract.Suspend, contract.Invariants{"job-resumes-with-a-new-start"},
		contract.About{spec.JobStartTime}, contract.Situations{spec.JobResumed})
	SuspensionKeepsCounts = set.New("JOB-SUSPEND-007",
		"Successes, completed indexes and failures from before the suspension MUST stay counted.",
		"batch/v1 JobStatus.succeeded, failed and completedIndexes; KEP-2232",
		contract.Suspend, contract.Situations{spec.SuspendedWithPods, spec.JobResumed})
	SuspensionAfterFinish = set.New("JOB-SUSPEND-008",
		"A Job that has finished MUST stay as it is when it is suspended or resumed.",
		"batch/v1 JobStatus.conditions: terminal conditions cannot be disabled; KEP-2232",
		contract.Suspend, contract.Situations{spec.JobResumed})
	TemplateChangesBeforeStart = set.New("JOB-SUSPEND-009",
		"Pods MUST be created with the labels, annotations, node selector, tolerations and node affinity that the "+
			"template got while a Job that never ran was suspended.",
		"KEP-2926; docs: concepts/workloads/controllers/job#mutable-scheduling-directives",
		contract.Suspend, contract.Situations{spec.JobSuspended, spec.JobResumed})
	TemplateChangesWhileSuspended = set.New("JOB-SUSPEND-010",
		"The same MUST hold for a suspended Job that had run before, for its scheduling directives and the "+
			"resources of its containers.",
		"KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"), contract.Gates{gates.MutablePodResourcesForSuspendedJobs,
			gates.MutableSchedulingDirectivesForSuspendedJobs},
		contract.Situations{spec.SuspendedWithPods, spec.JobResumed})
	EventsForSuspension = set.New("JOB-SUSPEND-011",
		"A Job controller SHOULD emit the events Suspended and Resumed when a Job is suspended and resumed.",
		"docs: concepts/workloads/controllers/job#suspending-a-job",
		contract.Suspend, contract.Situations{spec.JobSuspended, spec.JobResumed})
	SuspendedReasons = set.New("JOB-SUSPEND-012",
		"The condition Suspended SHOULD have the reason JobSuspended while the Job is "+
			"suspended, and JobResumed afterwards.",
		"KEP-2232; kube-controller-manager has them since v1.21, batch/v1 has no constants for them",
		contract.Suspend, contract.Situations{spec.JobSuspended, spec.JobResumed})
	SuspensionResetsStartTime = set.New("JOB-SUSPEND-013",
		"A suspended Job MUST have no startTime.",
		"batch/v1 JobSpec.suspend: suspending a Job will reset the StartTime field of the Job; KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"), contract.About{spec.JobStartTime},
		contract.Gates{gates.MutableSchedulingDirectivesForSuspendedJobs},
		contract.Situations{spec.SuspendedWithPods})
	SuspensionAfterDecision = set.New("JOB-SUSPEND-014",
		"A Job that has the condition FailureTarget or SuccessCriteriaMet MUST finish although it is suspended "+
			"before its last pod has ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; KEP-3998",
		contract.Suspend, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.JobSuspended, spec.DecidedWithPods})
	SuspendedWithNothingToDo = set.New("JOB-SUSPEND-015",
		"A suspended Job with completions of 0 MUST become Complete.",
		"batch/v1 JobSpec.completions; batch/v1 JobSpec.suspend",
		contract.Suspend, contract.Versions(">= 1.36.0"),
		contract.Situations{spec.JobSuspended}) // the API server of v1.30.14 refuses it without a startTime
)

// Jobs that another controller manages (KEP-4368).
var (
	LeavesManagedJobs = set.New("JOB-MANAGEDBY-001",
		"A Job controller MUST NOT create pods for a Job whose managedBy names another one, nor write its status.",
		"batch/v1 JobSpec.managedBy; KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"), contract.Invariants{"job-managed-by-others-is-left-alone"},
		contract.Situations{spec.ManagedByOthers})
	LeavesManagedPods = set.New("JOB-MANAGEDBY-002",
		"A Job controller MUST leave the pods of such a Job alone: neither adopt, release nor delete them, nor take "+
			"the finalizer batch.kubernetes.io/job-tracking off.",
		"KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"), contract.Situations{spec.ManagedByOthers})
	LeavesManagedStatus = set.New("JOB-MANAGEDBY-003",
		"A Job controller MUST leave the status alone that another one writes, also when the Job has finished.",
		"KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"), contract.Situations{spec.ManagedByOthers})
	OwnManagedBy = set.New("JOB-MANAGEDBY-004",
		"A Job controller MUST look after a Job whose managedBy is "+
			"kubernetes.io/job-controller like after one without.",
		"batch/v1 JobSpec.managedBy",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	LeavesManagedSuccessor = set.New("JOB-MANAGEDBY-005",
		"A Job controller MUST leave a Job of another controller alone also where it has work left for an own Job "+
			"that was deleted and had the same name.",
		"batch/v1 JobSpec.managedBy; KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"), contract.Invariants{"job-managed-by-others-is-left-alone"},
		contract.Situations{spec.ManagedByOthers, spec.JobRecreated})
)

// The field activeDeadlineSeconds.
var (
	FailsAtDeadline = set.New("JOB-DEADLINE-001",
		"A Job MUST fail with the reason DeadlineExceeded when activeDeadlineSeconds have passed since "+
			"its startTime, and not before.",
		"batch/v1 JobSpec.activeDeadlineSeconds; batch/v1 JobReasonDeadlineExceeded; docs: "+
			"concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Invariants{"job-fails-at-its-deadline"}, contract.Situations{spec.DeadlinePassed})
	DeadlineDeletesActive = set.New("JOB-DEADLINE-002",
		"When the deadline is over, a Job controller MUST delete all pods of the Job that "+
			"are active, and start no more.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.DeadlinePassed})
	DeadlineKeepsFinished = set.New("JOB-DEADLINE-003",
		"When the deadline is over, a Job controller MUST leave pods alone that have finished.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.DeadlinePassed, spec.PodSucceeded})
	DeadlineIsNoticed = set.New("JOB-DEADLINE-004",
		"The deadline MUST be noticed although nothing else happens to the Job or its pods.",
		"kubernetes/kubernetes#110294",
		contract.Situations{spec.DeadlinePassed})
	DeadlineBeatsBackoff = set.New("JOB-DEADLINE-005",
		"The deadline MUST take precedence over backoffLimit: a Job that waits to start another pod fails in time.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.DeadlinePassed})
	DeadlineWhileRestarting = set.New("JOB-DEADLINE-006",
		"The deadline of a Job MUST hold while containers restart in place.",
		"batch/v1 JobSpec.activeDeadlineSeconds; docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.DeadlinePassed, spec.ContainerRestarted})
	ChangedDeadline = set.New("JOB-DEADLINE-007",
		"A deadline that is changed while the Job is active MUST hold from then on, counted from startTime as before.",
		"batch/v1 JobSpec.activeDeadlineSeconds",
		contract.Situations{spec.DeadlineChanged})
	DeadlineAfterCompletion = set.New("JOB-DEADLINE-008",
		"A Job that is Complete MUST stay so when its deadline passes.",
		"batch/v1 JobSpec.activeDeadlineSeconds; batch/v1 JobStatus.conditions",
		contract.Situations{spec.CompletionsReached})
	PodDeadlineIsNotTheJobs = set.New("JOB-DEADLINE-009",
		"A Job controller MUST NOT take the activeDeadlineSeconds of the pod template for those of the Job.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.DeadlinePassed})
	DeadlineBeginsAtResume = set.New("JOB-DEADLINE-010",
		"The deadline of a Job that was created suspended MUST NOT begin before it is resumed.",
		"batch/v1 JobSpec.activeDeadlineSeconds; KEP-2232",
		contract.Suspend, contract.Situations{spec.JobResumed})
	DeadlineStopsWhileSuspended = set.New("JOB-DEADLINE-011",
		"The deadline MUST NOT pass while the Job is suspended, and MUST begin anew when it is resumed.",
		"batch/v1 JobSpec.activeDeadlineSeconds; KEP-2232",
		contract.Suspend, contract.Situations{spec.JobResumed, spec.DeadlinePassed})
	DeadlineInTime = set.New("JOB-DEADLINE-012",
		"A Job controller SHOULD fail a Job within 10 s of its deadline.",
		"batch/v1 JobSpec.activeDeadlineSeconds: duration before the system tries to terminate it",
		contract.Situations{spec.DeadlinePassed})
)

// How a Job finds its pods where names, labels and owners are unusual.
var (
	LegacyPodLabels = set.New("JOB-IDENTITY-001",
		"A pod of a Job MUST have the labels job-name and controller-uid, too, which are older than those with the "+
			"prefix batch.kubernetes.io.",
		"batch/v1 JobNameLabel and ControllerUidLabel; docs: reference/labels-annotations-taints#job-name-deprecated")
	LongJobName = set.New("JOB-IDENTITY-002",
		"A Job controller MUST run a Job whose name is as long as a label's value may be.",
		"batch/v1 JobNameLabel")
	KeepsJobsApart = set.New("JOB-IDENTITY-003",
		"A Job controller MUST keep the pods of Jobs apart that have the same template.",
		"batch/v1 JobSpec.manualSelector: the system picks labels that are unique to the Job")
	NotTheEarlierJobsPods = set.New("JOB-IDENTITY-004",
		"A Job MUST NOT be given the pods that an earlier one of its name left behind, whatever becomes of them.",
		"batch/v1 ControllerUidLabel; metav1.DeletePropagationOrphan",
		contract.Situations{spec.JobRecreated, spec.PodWithoutOwner})
	ManualSelectorTakesOver = set.New("JOB-IDENTITY-005",
		"A Job whose manualSelector is that of an earlier one MUST go on with the pods which that one left running.",
		"docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector",
		contract.Situations{spec.DeletedWithPods, spec.PodWithoutOwner})
	NoAdoptionOfTerminating = set.New("JOB-IDENTITY-006",
		"A Job controller MUST NOT adopt a pod that is being deleted, and MUST NOT be held up by one.",
		"metav1.OwnerReference; kubernetes/kubernetes#42639")
	NoAdoptionOnceFinished = set.New("JOB-IDENTITY-007",
		"A Job controller MUST NOT adopt pods for a Job that has finished.",
		"batch/v1 JobStatus.conditions",
		contract.Situations{spec.PodWithoutOwner})
	NotFromOtherNamespaces = set.New("JOB-IDENTITY-008",
		"A Job controller MUST NOT adopt, count or replace a pod of another namespace, whether its owner reference "+
			"names the Job or its labels match the Job's selector.",
		"docs: concepts/overview/working-with-objects/owners-dependents: cross-namespace owner references are "+
			"disallowed by design; kubernetes/kubernetes#134654")
	OwnerInAllParts = set.New("JOB-IDENTITY-009",
		"A Job controller SHOULD NOT count a pod whose owner reference has the Job's UID, but the kind or the name "+
			"of something else.",
		"kubernetes/kubernetes#134654: kind and name must match as well; SHOULD, as metav1.IsControlledBy, which many "+
			"controllers rely on, compares the UID alone, and nobody but a user writes such a reference; "+
			"its apiVersion may be any",
		contract.Versions(">= 1.36.0"))
)
