// Package requirements has the requirements of Jobs that are scheduled as workloads (KEP-5547). The specs beside it
// cover them.
package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

// with adds a requirement of the feature gate. v1.36 had other objects and no field.
func with(id, text, source string, details ...contract.Detail) contract.Requirement {
	return set.New(id, text, source, append(details, contract.WorkloadScheduling, contract.Versions(">= 1.37.0"),
		contract.Gates{gates.WorkloadWithJob})...)
}

// What a Job controller creates before the first pod.
var (
	CreatesGroups = with("WORKLOAD-CREATE-001",
		"A Job controller MUST have created a Workload and a PodGroup for a Job before it creates the Job's first "+
			"pod, whatever the Job's completion mode, parallelism and scheduling.",
		"KEP-5547: the controller always materializes scheduling objects for an eligible Job; Object Creation Order")
	WorkloadOfJob = with("WORKLOAD-CREATE-002",
		"The Workload of a Job MUST have the Job as its controller and in spec.controllerRef.",
		"KEP-5547: OwnerReferences Relationship; scheduling.k8s.io/v1beta1 WorkloadSpec.controllerRef")
	PodGroupOfJob = with("WORKLOAD-CREATE-003",
		"The PodGroup of a Job MUST have the Job as its controller and the Workload as another owner, and "+
			"spec.workloadRef MUST name the Workload and its template.",
		"KEP-5547: OwnerReferences Relationship; scheduling.k8s.io/v1beta1 PodGroupSpec.workloadRef")
	BasicByDefault = with("WORKLOAD-CREATE-004",
		"The Workload of a Job MUST have one template, whose policy is basic where the Job has none.",
		"KEP-5547: Defaulting Rules")
	PassesScheduling = with("WORKLOAD-CREATE-005",
		"The Workload and the PodGroup of a Job MUST have the Job's disruptionMode.",
		"batch/v1 JobSchedulingConfiguration.disruptionMode; KEP-5547")
	PassesTopology = set.New("WORKLOAD-CREATE-011",
		"The Workload and the PodGroup of a Job MUST have the Job's schedulingConstraints.",
		"batch/v1 JobSchedulingConfiguration.schedulingConstraints; KEP-5547; KEP-5732; kubernetes: "+
			"TestJobGangScheduling", contract.WorkloadScheduling, contract.Versions(">= 1.37.0"),
		contract.Gates{gates.WorkloadWithJob, gates.TopologyAwareWorkloadScheduling})
	PassesClaims = set.New("WORKLOAD-CREATE-012",
		"The Workload and the PodGroup of a Job MUST have the Job's resourceClaims.",
		"batch/v1 JobSchedulingConfiguration.resourceClaims; KEP-5547; KEP-5729",
		contract.WorkloadScheduling, contract.Versions(">= 1.37.0"),
		contract.Gates{gates.WorkloadWithJob, gates.DRAWorkloadResourceClaims})
	PassesPriority = with("WORKLOAD-CREATE-006",
		"The Workload and the PodGroup of a Job MUST have the priorityClassName of its pod template.",
		"scheduling.k8s.io/v1beta1 PodGroupTemplate.priorityClassName; kubernetes: TestJobGangScheduling")
	// That the PodGroup owns the pods, as KEP-5547 has it, is no requirement. The protection of PodGroups keeps one
	// until its pods have ended, and the garbage collector keeps a pod until its owners are gone: the pods of a Job
	// that is deleted would run on. Kubernetes v1.37 does not do it.
	PodsJoinGroup = with("WORKLOAD-CREATE-007",
		"Each pod of a Job, one that replaces another as well, MUST have its PodGroup in spec.schedulingGroup.",
		"KEP-5547: Job Integration; v1 PodSpec.schedulingGroup")
	GroupsForAnyName = with("WORKLOAD-CREATE-008",
		"A Job controller MUST create the Workload and the PodGroup of a Job of any valid name, and others for a Job "+
			"that is created again under its name.",
		"KEP-5547: Naming Conventions; scheduling.k8s.io/v1beta1 PodGroupTemplate.name: it must be a DNS label")
	OneOfEach = with("WORKLOAD-CREATE-009",
		"A Job controller MUST NOT create a Workload or a PodGroup for a Job that has pods.",
		"KEP-5547: Controller Workflow; creation only when the Job has no pods associated with it")
	GroupsGoWithJob = with("WORKLOAD-CREATE-010",
		"The Workload and the PodGroup of a Job MUST go with it.",
		"KEP-5547: Both are automatically garbage collected when the corresponding Job is deleted",
		contract.Situations{spec.DeletedWithPods})
)

// The size of a gang.
var (
	GangOfJob = with("WORKLOAD-GANG-001",
		"The Workload and the PodGroup of a Job with the policy gang MUST have its minCount.",
		"batch/v1 JobSchedulingConfiguration.schedulingPolicy; KEP-5547")
	GangOfParallelism = with("WORKLOAD-GANG-002",
		"Where a gang has no minCount, that of the Workload and the PodGroup MUST be the Job's parallelism, at "+
			"least 1, and the Job MUST stay without.",
		"KEP-5547: Defaulting Rules")
	FollowsMinCount = with("WORKLOAD-GANG-003",
		"A Job controller MUST have the Workload and the PodGroup follow a changed minCount of the Job.",
		"KEP-5547: Reconciliation Flow upon Updates")
	FollowsParallelism = with("WORKLOAD-GANG-004",
		"Where a gang has no minCount, a Job controller MUST have the Workload and the PodGroup follow a changed "+
			"parallelism of the Job.",
		"KEP-5547: Reconciliation Flow upon Updates; kubernetes: TestJobGangSchedulingElasticScaling")
	ResizeKeepsPods = with("WORKLOAD-GANG-005",
		"A Job controller MUST leave the pods of a Job alone when its minCount changes.",
		"scheduling.k8s.io/v1beta1 GangSchedulingPolicy.minCount: modifications do not affect already-scheduled pods")
	StartsTogether = with("WORKLOAD-GANG-006",
		"The pods of a gang MUST start once there is room for its minCount, and none of them before: a Job controller "+
			"creates them all without waiting for any of them to start.",
		"KEP-4671; scheduling.k8s.io/v1beta1 GangSchedulingPolicy.minCount: pods that must be schedulable at the same "+
			"time for the scheduler to admit the entire group")
)

// Suspension.
var (
	GroupAfterResume = with("WORKLOAD-SUSPEND-001",
		"The pods of a Job that was suspended and resumed MUST belong to a PodGroup that exists and has the Job as "+
			"its controller.",
		"KEP-5547: Suspend and Resume; a new PodGroup may be created on resume",
		contract.Situations{spec.JobResumed})
	GroupOfSuspended = with("WORKLOAD-SUSPEND-002",
		"A Job that was created suspended MUST have a Workload and a PodGroup before its first pod.",
		"KEP-5547: Suspend and Resume; kubernetes: TestJobGangSchedulingSuspendResume",
		contract.Situations{spec.JobSuspended})
	SizeWhileSuspended = with("WORKLOAD-SUSPEND-003",
		"The Workload and the PodGroup of a resumed Job MUST have a minCount that was changed while it was suspended.",
		"KEP-5547: Suspend and Resume; minCount changes made while suspended are still patched",
		contract.Situations{spec.JobSuspended})
)

// Whose the scheduling objects of a Job are.
var (
	LeavesToParent = with("WORKLOAD-PARENT-001",
		"A Job controller MUST NOT create a Workload or a PodGroup for a Job whose controller is neither a CronJob "+
			"nor delegates that by the annotation scheduling.k8s.io/group-template-name.",
		"KEP-5547: manageNone")
	GroupOfParent = with("WORKLOAD-PARENT-002",
		"For a Job with a controller and the annotation scheduling.k8s.io/group-template-name, a Job controller MUST "+
			"create a PodGroup from that template of its controller's Workload, and no Workload.",
		"KEP-5547: managePodGroupOnly; KEP-6089")
	LeavesToUser = with("WORKLOAD-PARENT-003",
		"A Job controller MUST NOT create a Workload or a PodGroup for a Job whose pod template has a "+
			"schedulingGroup, which its pods MUST keep.",
		"KEP-5547: manageNone, bring-your-own PodGroup")
	GroupsOfCronJob = with("WORKLOAD-PARENT-004",
		"A Job controller MUST create a Workload and a PodGroup for each Job of a CronJob.",
		"KEP-5547: Jobs created by CronJob are standalone")
	FollowsParent = with("WORKLOAD-PARENT-005",
		"The PodGroup of a Job that delegates MUST follow the minCount of the template in its controller's Workload.",
		"KEP-5547: PodGroup Sync; kubernetes: TestJobDelegatedPodGroup")
	WaitsForParent = with("WORKLOAD-PARENT-006",
		"A Job controller MUST NOT create pods for a Job that delegates while its controller's Workload, or the "+
			"template, is not there; once it is, it MUST.",
		"docs: concepts/workloads/podgroup-api/lifecycle#creation-ordering; KEP-5547")
)

// What happens when scheduling objects are refused.
var (
	WaitsForWorkload = with("WORKLOAD-ADMISSION-001",
		"While the Workload of a Job is refused, a Job controller MUST NOT create pods; once it is accepted, it MUST.",
		"KEP-5547: API errors are retryable")
	WaitsForPodGroup = with("WORKLOAD-ADMISSION-002",
		"While the PodGroup of a Job is refused, a Job controller MUST NOT create pods; once it is accepted, it MUST.",
		"KEP-5547: API errors are retryable")
	WarnsOfRefusal = with("WORKLOAD-ADMISSION-003",
		"A Job controller SHOULD emit a Warning FailedWorkloadCreate when the Workload of a Job is refused.",
		"KEP-5547: Reconcile Integration and Error Handling")
	EndsUngrouped = with("WORKLOAD-ADMISSION-004",
		"A Job whose Workload or PodGroup is refused MUST fail at its activeDeadlineSeconds.",
		"batch/v1 JobSpec.activeDeadlineSeconds; as JOB-ADMISSION-012 has it for pods",
		contract.Situations{spec.DeadlinePassed})
	SuspendsUngrouped = with("WORKLOAD-ADMISSION-005",
		"A Job whose Workload or PodGroup is refused MUST be suspended when a user asks for that.",
		"batch/v1 JobSpec.suspend; as JOB-ADMISSION-013 has it for pods",
		contract.Situations{spec.JobSuspended})
	CountsUngrouped = with("WORKLOAD-ADMISSION-006",
		"While a change of a Job's Workload or PodGroup is refused, a Job controller MUST count the pods that end.",
		"batch/v1 JobStatus.succeeded; KEP-2307; as JOB-TRACKING-005 has it for pods",
		contract.Situations{spec.PodSucceeded})
)

// What holds whatever happens to requests, watches and controllers.
var (
	GroupsDespiteFaults = with("WORKLOAD-FAULTS-001",
		"A Job MUST have one Workload and one PodGroup, whether requests for them fail or lose their answer.",
		"KEP-5547: designed to be idempotent and crash-safe",
		contract.Situations{spec.RequestFailed})
	GroupsDespiteCrashes = with("WORKLOAD-FAULTS-002",
		"A Job MUST have one Workload and one PodGroup, and its pods their group, when its controller crashes "+
			"before or after it creates one of them.",
		"KEP-5547: Discovery first",
		contract.Situations{spec.Restarted})
	GroupsDespiteOldCaches = with("WORKLOAD-FAULTS-003",
		"A Job controller whose watches of Workloads or PodGroups are late MUST NOT create a second one.",
		"KEP-5547: a create that races with informer lag fails with AlreadyExists and is retried",
		contract.Situations{spec.WatchLate})
	ResizesDespiteFaults = with("WORKLOAD-FAULTS-004",
		"A Job controller MUST have the Workload and the PodGroup follow a changed minCount, whether requests for "+
			"that fail or lose their answer.",
		"API conventions: controllers are level-triggered",
		contract.Situations{spec.RequestFailed})
	GroupsDespiteNewLeaders = with("WORKLOAD-FAULTS-005",
		"A Job MUST have one Workload and one PodGroup, and its pods their group, when another replica of its "+
			"controller becomes the leader before the request that creates one of them arrives.",
		"docs: concepts/architecture/leases#leader-election; KEP-5547: Discovery first",
		contract.Situations{spec.LeaderChanged})
)

// What the API server accepts.
var (
	RefusesLargeGangs = with("API-WORKLOAD-001",
		"The API server MUST refuse a gang whose minCount is above parallelism, of Jobs, of changes of them and of "+
			"the templates of CronJobs.",
		"KEP-5547: validateGangMinCount")
	AcceptsGrowth = with("API-WORKLOAD-002",
		"The API server MUST accept a change of minCount, one together with parallelism as well.",
		"batch/v1 JobSchedulingConfiguration.schedulingPolicy")
	SchedulingIsFixed = with("API-WORKLOAD-003",
		"The API server MUST refuse changes of spec.scheduling other than of minCount.",
		"batch/v1 JobSpec.scheduling; batch/v1 JobSchedulingConfiguration.schedulingConstraints; "+
			"batch/v1 JobSchedulingConfiguration.disruptionMode; "+
			"batch/v1 JobSchedulingConfiguration.resourceClaims; KEP-5547: Handling Updates and Mutability")
	OnePolicy = with("API-WORKLOAD-004",
		"The API server MUST refuse a schedulingPolicy that is not exactly one of basic and gang, a minCount below "+
			"1, and more than 4 resourceClaims.",
		"batch/v1 JobSchedulingConfiguration.schedulingPolicy; batch/v1 JobSchedulingConfiguration.resourceClaims; "+
			"scheduling.k8s.io/v1alpha3 WorkloadPodGroupSchedulingPolicy")
)
