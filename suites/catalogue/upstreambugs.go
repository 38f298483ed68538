package catalogue

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
	// Issue is the issue or pull request, as in "kubernetes/kubernetes#136918".
	Issue string
	// Text is one sentence on what the controller does.
	Text string
}

// UpstreamBugs are those that the specs show.
func UpstreamBugs() []UpstreamBug {
	return []UpstreamBug{
		{
			Versions:    "< 1.37.0",
			Requirement: "CRON-STATUS-008",
			Issue:       "kubernetes/kubernetes#136918",
			Text:        "After a crash between the start of a Job and its record, the CronJob controller looks for the Job in no namespace, and never takes it up again.",
		},
	}
}
