package contract

// UpstreamBug is a defect of kube-controller-manager that upstream knows of, and
// that a spec shows. A run against upstream's controller in one of the versions
// reports the failure as known; a pass turns it red, so that the list stays true.
type UpstreamBug struct {
	// Versions of Kubernetes that have it, as a constraint.
	Versions string
	// Spec is the text of the one that fails; or Requirement, where all specs of
	// it do.
	Spec        string
	Requirement string
	// Invariant is one that the bug breaks in other specs, too; empty if none.
	Invariant string
	// Issue is the issue or pull request, as in "kubernetes/kubernetes#136918".
	Issue string
	// Text is one sentence on what the controller does.
	Text string
}

const lostStart = "After a crash or an error between the start of a Job and its record, the CronJob controller looks for the Job in no namespace, and never takes it up again."

// UpstreamBugs are those that the specs show.
func UpstreamBugs() []UpstreamBug {
	return []UpstreamBug{
		{
			Versions:  "< 1.31.0",
			Spec:      "Job parallelism: the controller deletes the active pods of a suspended Job and creates new ones on resumption",
			Invariant: "job-counters-in-range",
			Issue:     "kubernetes/kubernetes#125089",
			Text:      "When the Job controller deletes pods, the status counts them as ready for a while, but no longer as active.",
		},
		{
			Versions:    "< 1.36.0",
			Requirement: "JOB-FAULTS-007",
			Issue:       "kubernetes/kubernetes#137210",
			Text:        "The Job controller acts on a Job in its cache that lacks what it has just counted, and creates pods for those that it released.",
		},
		{
			Versions:    "< 1.37.0",
			Requirement: "CRON-STATUS-008",
			Issue:       "kubernetes/kubernetes#136918",
			Text:        lostStart,
		},
		{
			Versions:    "< 1.37.0",
			Requirement: "CRON-FAULTS-001",
			Issue:       "kubernetes/kubernetes#136918",
			Text:        lostStart,
		},
		{
			Versions:    "< 1.37.0",
			Requirement: "CRON-FAULTS-002",
			Issue:       "kubernetes/kubernetes#136918",
			Text:        lostStart,
		},
		{
			Versions: "< 1.37.0",
			Spec:     "CronJob faults: exactly one Job starts despite crashes before and after creating it",
			Issue:    "kubernetes/kubernetes#136918",
			Text:     lostStart,
		},
		{
			Versions: "< 1.37.0",
			Spec:     "CronJob faults: exactly one Job starts despite crashes before and after writing the status",
			Issue:    "kubernetes/kubernetes#136918",
			Text:     lostStart,
		},
		{
			Versions: "< 1.37.0",
			Spec:     "One fault at a time leaves no trace in what a CronJob does",
			Issue:    "kubernetes/kubernetes#136918",
			Text:     lostStart,
		},
	}
}
