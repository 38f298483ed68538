package fields

import "slices"

// The scenarios in which the end is by the spec alone, however far the object is when that changes.
const (
	running   = "fields-job"       // all pods succeed
	failing   = "fields-failing"   // all pods fail, up to the limit
	indexed   = "fields-indexed"   // an elastic Job, all pods succeed
	suspended = "fields-suspended" // it is resumed after all changes
	cron      = "fields-cron"      // its next Job is due after all changes
	cronFails = "fields-cron-failed"
)

// Names are those of these scenarios.
func Names() []string { return []string{running, failing, indexed, suspended, cron, cronFails} }

var (
	succeeding = []string{running, indexed, suspended}
	ofAnyJob   = []string{running, failing, indexed, suspended}
	ofCron     = []string{cron}
	ofAnyCron  = []string{cron, cronFails}
)

// object is one in JSON.
type object = map[string]any

// one is what maps of texts get.
func one() object { return object{"example.com/changed": "true"} }

func to(path string, value any, more ...Set) Change {
	return Change{Sets: append([]Set{{path, value}}, more...)}
}

func (c Change) steady(in ...string) Change { c.Steady = in; return c }

func (c Change) back(in ...string) Change { c.Back = in; return c }

func (c Change) never(in ...string) Change { c.Never = in; return c }

func (c Change) until(end string) Change { c.Until = end; return c }

// refused is a change that the API server never accepts.
func refused(path string, value any, more ...Set) Change {
	c := to(path, value, more...)
	c.Refused = true
	return c
}

// isSuspended is the end state of a Job that is not resumed.
const isSuspended = "size(jobs) > 0 && jobs.all(j, done(jobs[j], 'Suspended') && jobs[j].status.active == 0 && " +
	"jobs[j].status.terminating == 0) && pods.all(p, !has(p.metadata.finalizers))"

// hasNoPods is the end state of a Job whose parallelism is 0.
const hasNoPods = "size(jobs) > 0 && jobs.all(j, jobs[j].spec.parallelism == 0 && has(jobs[j].status.startTime) && " +
	"jobs[j].status.active == 0 && jobs[j].status.terminating == 0) && pods.all(p, !has(p.metadata.finalizers))"

// gated is the end state of a Job whose pods are not scheduled.
const gated = "size(jobs) > 0 && jobs.all(j, has(jobs[j].spec.template.spec.schedulingGates)) && size(pods) > 0 && " +
	"pods.all(p, has(p.spec.schedulingGates))"

// ofJobs are the changes of a Job.
func ofJobs() []Change {
	gone := to("spec.ttlSecondsAfterFinished", 0)
	gone.Last = true
	without := refused("spec.completions", nil)
	without.Alone = true // success-policy-without-completions
	all := []Change{
		to("metadata.labels", one()).steady(ofAnyJob...),
		to("metadata.annotations", one()).steady(ofAnyJob...),
		to("spec.parallelism", 0).back(ofAnyJob...).until(hasNoPods),
		to("spec.parallelism", 1).steady(ofAnyJob...).never("user-success-policy"), // its second pod does not end
		to("spec.parallelism", 4).steady(succeeding...),
		to("spec.completions", 2, Set{"spec.parallelism", 2}).steady(indexed),
		to("spec.completions", 4, Set{"spec.parallelism", 4}).steady(indexed),
		to("spec.activeDeadlineSeconds", 3600).steady(ofAnyJob...).never("user-deadline"), // the same
		to("spec.activeDeadlineSeconds", 1),
		to("spec.backoffLimit", 0).steady(succeeding...),
		to("spec.backoffLimit", 3).steady(ofAnyJob...),
		to("spec.maxFailedIndexes", 2).steady(indexed),
		to("spec.maxFailedIndexes", 0).steady(indexed),
		to("spec.manualSelector", true).back(ofAnyJob...), // without a selector, it would not be created so
		to("spec.podReplacementPolicy", "Failed").steady(ofAnyJob...),
		to("spec.suspend", true).back(ofAnyJob...).until(isSuspended),
		to("spec.suspend", false).steady(ofAnyJob...),
		to("spec.ttlSecondsAfterFinished", 3600).steady(ofAnyJob...),
		gone,
	}
	all = append(all, ofScheduling("spec.template.")...)
	return append(all,
		without,
		refused("spec.backoffLimitPerIndex", 5),
		refused("spec.completionMode", "Indexed"),
		refused("spec.completionMode", "NonIndexed"),
		refused("spec.managedBy", "example.com/controller"),
		refused("spec.podFailurePolicy", onFailure()),
		refused("spec.successPolicy", onSuccess()),
		refused("spec.selector", selector()),
		refused("spec.template.spec.restartPolicy", "OnFailure"),
		refused("spec.template.spec.activeDeadlineSeconds", 3600),
		refused("spec.template.spec.terminationGracePeriodSeconds", 5),
		refused("spec.template.spec.containers[].image", "other"),
		refused("spec.template.spec.containers[].name", "other"),
		refused("spec.template.spec.containers[].command", []any{"true"}),
		refused("spec.template.spec.containers[].args", []any{"true"}),
		refused("spec.template.spec.containers[].env", []any{object{"name": "CHANGED", "value": "true"}}),
	)
}

// ofScheduling are the changes of a pod template that are possible in a suspended Job.
func ofScheduling(template string) (all []Change) {
	for _, c := range []Change{
		to(template+"metadata.labels", one()),
		to(template+"metadata.annotations", one()),
		to(template+"spec.nodeSelector", object{"kubernetes.io/os": "linux"}),
		to(template+"spec.tolerations", []any{object{"key": "example.com/changed", "operator": "Exists"}}),
		to(template+"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", []any{object{
			"weight": 1, "preference": object{"matchExpressions": []any{
				object{"key": "example.com/changed", "operator": "Exists"}}}}}),
		to(template+"spec.containers[].resources.requests", object{"cpu": "1m"}),
		to(template+"spec.containers[].resources.limits", object{"memory": "1Gi"}),
	} {
		all = append(all, c.steady(suspended))
	}
	return append(all, to(template+"spec.schedulingGates", []any{object{"name": "example.com/changed"}}).until(gated).
		back(suspended))
}

func selector() object {
	return object{"matchLabels": one(), "matchExpressions": []any{
		object{"key": "example.com/changed", "operator": "In", "values": []any{"true"}}}}
}

func onFailure() object {
	return object{"rules": []any{object{"action": "Ignore",
		"onPodConditions": []any{object{"type": "DisruptionTarget", "status": "True"}},
	}, object{"action": "FailJob",
		"onExitCodes": object{"containerName": "main", "operator": "In", "values": []any{42}}}}}
}

func onSuccess() object {
	return object{"rules": []any{object{"succeededIndexes": "0", "succeededCount": 1}}}
}

// ofCronJobs are the changes of a CronJob. Those of its template are about its next Job.
func ofCronJobs() []Change {
	const job = "spec.jobTemplate.spec."
	isIndexed := []Set{{job + "completionMode", "Indexed"}, {job + "completions", 2}}
	all := []Change{
		to("metadata.labels", one()).steady(ofAnyCron...),
		to("metadata.annotations", one()).steady(ofAnyCron...),
		to("spec.concurrencyPolicy", "Forbid").steady(ofAnyCron...),
		to("spec.concurrencyPolicy", "Replace").steady(ofAnyCron...),
		to("spec.failedJobsHistoryLimit", 0).steady(ofAnyCron...),
		to("spec.successfulJobsHistoryLimit", 0).steady(ofAnyCron...),
		to("spec.schedule", "0 12 31 12 *").steady(ofAnyCron...),
		to("spec.startingDeadlineSeconds", 40_000_000).steady(ofAnyCron...),
		to("spec.suspend", true).back(ofAnyCron...),
		to("spec.suspend", false).steady(ofAnyCron...),
		to("spec.timeZone", "Asia/Tokyo").steady(ofAnyCron...),
		to("spec.timeZone", nil).steady(ofAnyCron...),
		to("spec.jobTemplate.metadata.labels", one()).steady(ofAnyCron...),
		to("spec.jobTemplate.metadata.annotations", one()).steady(ofAnyCron...),
		to(job+"activeDeadlineSeconds", 3600).steady(ofCron...),
		to(job+"backoffLimit", 9).steady(ofCron...),
		to(job+"backoffLimitPerIndex", 1, isIndexed...).steady(ofCron...),
		to(job+"completionMode", "Indexed", Set{job + "completions", 2}).steady(ofCron...),
		to(job+"completions", 2).steady(ofCron...),
		to(job+"managedBy", "example.com/controller").until(
			"size(jobs) > 0 && jobs.all(j, has(jobs[j].spec.managedBy))"),
		to(job+"maxFailedIndexes", 1, slices.Concat(isIndexed, []Set{{job + "backoffLimitPerIndex", 1}})...).
			steady(ofCron...),
		to(job+"parallelism", 2).steady(ofCron...),
		to(job+"parallelism", 0).until(hasNoPods),
		to(job+"podFailurePolicy", onFailure()).steady(ofCron...),
		to(job+"podReplacementPolicy", "Failed").steady(ofCron...),
		to(job+"successPolicy", onSuccess(), isIndexed...).steady(ofCron...),
		to(job+"suspend", true).until(isSuspended),
		to(job+"ttlSecondsAfterFinished", 3600).steady(ofCron...),
		to(job+"template.spec.restartPolicy", "OnFailure").steady(ofCron...),
		to(job+"template.spec.activeDeadlineSeconds", 3600).steady(ofCron...),
		to(job+"template.spec.terminationGracePeriodSeconds", 5).steady(ofCron...),
		to(job+"template.spec.containers[].image", "other").steady(ofCron...),
		to(job+"template.spec.containers[].name", "other").steady(ofCron...),
		to(job+"template.spec.containers[].command", []any{"true"}).steady(ofCron...),
		to(job+"template.spec.containers[].args", []any{"true"}).steady(ofCron...),
		to(job+"template.spec.containers[].env", []any{object{"name": "CHANGED", "value": "true"}}).steady(ofCron...),
	}
	all = append(all, refused(job+"manualSelector", true, Set{job + "selector", selector()},
		Set{job + "template.metadata.labels", one()}))
	for _, c := range ofScheduling(job + "template.") {
		if c.Until == "" {
			c = c.steady(ofCron...)
		}
		c.Back = ofCron
		all = append(all, c)
	}
	return all
}

// explanation says why nothing changes some fields.
type explanation struct {
	kind  string // all kinds, if it is empty
	why   string
	paths []string
}

// explained are the fields that no change is for. One that a newer version of Kubernetes adds to a Job, a CronJob, a
// pod or a container is none of them.
var explained = slices.Concat([]explanation{
	{"", "it says which object it is", []string{"apiVersion", "kind", "metadata.name", "metadata.namespace",
		"metadata.uid", "metadata.generateName"}},
	{"", "the API server alone writes it", []string{"metadata.creationTimestamp", "metadata.deletionGracePeriodSeconds",
		"metadata.deletionTimestamp", "metadata.generation", "metadata.managedFields", "metadata.resourceVersion",
		"metadata.selfLink"}},
	{"", "it is for deletions, which are actions of users without it", []string{"metadata.finalizers"}},
	{"", "with an owner that is not there, the garbage collector deletes the object",
		[]string{"metadata.ownerReferences"}},
	{"", "it is the controller's to write", []string{"status"}},
}, ofTemplates("Job", "spec."), ofTemplates("CronJob", "spec.jobTemplate.spec."), []explanation{
	{"CronJob", "of the metadata of its template, a Job has labels and annotations alone",
		inMetadata("spec.jobTemplate.")},
})

// ofTemplates explains the fields of the spec of a Job, which is at a path.
func ofTemplates(kind, job string) []explanation {
	below := func(path string, names ...string) (all []string) {
		for _, name := range names {
			all = append(all, job+path+name)
		}
		return all
	}
	return []explanation{
		{kind, "it is dropped without the gate WorkloadWithJob; suites/scheduling has its changes", below("scheduling.",
			"disruptionMode", "resourceClaims", "schedulingConstraints", "schedulingPolicy")},
		{kind, "of the metadata of its template, a pod has labels and annotations, or finalizers that nobody takes off",
			inMetadata(job + "template.")},
		{kind, "a controller copies it as it is: fields that it may look at have changes", slices.Concat(
			below("template.spec.", "volumes", "initContainers", "ephemeralContainers", "dnsPolicy", "dnsConfig",
				"serviceAccountName", "serviceAccount", "automountServiceAccountToken", "hostNetwork", "hostPID",
				"hostIPC",
				"shareProcessNamespace", "securityContext", "imagePullSecrets", "hostname", "subdomain", "hostAliases",
				"priorityClassName", "priority", "readinessGates", "runtimeClassName", "enableServiceLinks",
				"preemptionPolicy", "overhead", "setHostnameAsFQDN", "os", "hostUsers", "resourceClaims", "resources",
				"hostnameOverride", "schedulingGroup", "evictionResponders"),
			below("template.spec.containers[].", "workingDir", "ports", "envFrom", "resizePolicy", "restartPolicy",
				"restartPolicyRules", "volumeMounts", "volumeDevices", "livenessProbe", "readinessProbe",
				"startupProbe",
				"lifecycle", "terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy", "securityContext",
				"stdin", "stdinOnce", "tty", "env[].valueFrom", "resources.claims"))},
		{kind, "with it, no node takes the pod, or another one than the scheduler places it", below("template.spec.",
			"nodeName", "schedulerName", "topologySpreadConstraints", "affinity.podAffinity",
			"affinity.podAntiAffinity",
			"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution")},
		{kind, "its neighbours have a change", slices.Concat(below("template.spec.tolerations[].", "effect",
			"tolerationSeconds", "value"), below("template.spec.affinity.nodeAffinity."+
			"preferredDuringSchedulingIgnoredDuringExecution[].preference.", "matchFields",
			"matchExpressions[].values"))},
	}
}

// inMetadata are the fields of the metadata of a template that have no change.
func inMetadata(template string) (all []string) {
	for _, name := range []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers",
		"generateName", "generation", "managedFields", "name", "namespace", "ownerReferences", "resourceVersion",
		"selfLink", "uid"} {
		all = append(all, template+"metadata."+name)
	}
	return all
}
