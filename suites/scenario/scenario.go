// Package scenario runs scenarios written as data: what is created, how pods end,
// which faults come in which order, and what must be seen. The implementation
// sees the scenario's namespace only, through a fault proxy of its own; all that
// happens is recorded, and every invariant is checked at the end.
//
//	description: a lost answer costs no pod too many
//	steps:
//	- fault: {on: create pods, nth: 2, do: lose answer}
//	- create: {apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {...}}
//	- direct: {pods: 3, exitCodes: "0"}
//	- await: done(jobs.a, 'Complete') && size(created) == 3
package scenario

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/gates"
)

// Scenario is one of them. The zero value of each field means that there is none.
type Scenario struct {
	// Description is one line.
	Description string `yaml:"description"`
	// Issue and Pull are the numbers in kubernetes/kubernetes that report and fix
	// the bug which the scenario shows.
	Issue int `yaml:"issue,omitempty"`
	Pull  int `yaml:"pull,omitempty"`
	// Key stands for the number where nobody has reported the bug: missed-run-lost.
	Key string `yaml:"key,omitempty"`
	// Component has the bug: kube-controller-manager (the default) or
	// kube-apiserver.
	Component string `yaml:"component,omitempty"`
	// Affected are the versions of Kubernetes that have the bug, as a constraint:
	// ">= 1.36.0, < 1.36.3".
	Affected string `yaml:"affected,omitempty"`
	// Versions in which it is shown red and green, as in v1.36.1.
	Red   string `yaml:"red,omitempty"`
	Green string `yaml:"green,omitempty"`
	// Because says what is wrong in the component, for a reader who sees it red.
	Because string `yaml:"because,omitempty"`
	// Source is where it does so: lines of SourceVersion.
	Source []Place `yaml:"source,omitempty"`
	// Otherwise says what the bundled reference does otherwise, and Reference where.
	Otherwise string  `yaml:"otherwise,omitempty"`
	Reference []Place `yaml:"reference,omitempty"`
	// Requirements are IDs of requirements.
	Requirements []string `yaml:"requirements,omitempty"`
	// Uses are features that it needs and that are not those of its requirements.
	Uses []string `yaml:"uses,omitempty"`
	// Gates are feature gates that have to be on, as in WorkloadWithJob: repro switches them on.
	Gates []gates.Gate `yaml:"gates,omitempty"`
	// Except are invariants that the scenario breaks itself.
	Except []string `yaml:"except,omitempty"`
	// Implementation is "later" if a step starts it. By default it runs from the
	// beginning.
	Implementation string `yaml:"implementation,omitempty"`
	// Alone is true if no other Job controller may act on pods whose Job is gone.
	Alone bool `yaml:"alone,omitempty"`
	// Ends are, by the name of a Job, how its pods end, in the order in which they
	// are created: "1,0@2s" lets the first fail, and all others succeed 2 s after
	// their creation. Default: as soon as they run. Pods of other Jobs end as their
	// templates, and the steps, say.
	Ends map[string]string `yaml:"ends,omitempty"`
	// Faults are there before the implementation starts; steps add others.
	Faults []Fault `yaml:"faults,omitempty"`
	Steps  []Step  `yaml:"steps"`

	lines map[string]int // of the fields above, in the file that it was read from
}

// Place is in a source file.
type Place struct {
	// File is the path below the root of the repository.
	File     string `yaml:"file"`
	Function string `yaml:"function"`
	// Line is 0 for the whole function.
	Line int `yaml:"line,omitempty"`
}

// SourceVersion is the version of Kubernetes whose lines scenarios name.
const SourceVersion = "v1.37.2"

// Link is the page of a line of SourceVersion.
func (p Place) Link() string {
	return fmt.Sprintf("https://github.com/kubernetes/kubernetes/blob/%s/%s#L%d", SourceVersion, p.File, p.Line)
}

// Sources is Source in Markdown, with links.
func (s *Scenario) Sources() string {
	var all []string
	for _, p := range s.Source {
		all = append(all, fmt.Sprintf("[%s in %s:%d](%s)", p.Function, path.Base(p.File), p.Line, p.Link()))
	}
	return strings.Join(all, ", ")
}

// ID is the number of the issue, or the Key; empty for a scenario that is about no bug.
func (s *Scenario) ID() string {
	if s.Issue > 0 {
		return strconv.Itoa(s.Issue)
	}
	return s.Key
}

// Later is the value of Scenario.Implementation that leaves its start to a step.
const Later = "later"

// Step is one of the following; Answers, OrAnswers, IfAny, Within and For add to it.
type Step struct {
	// Create creates an object of a namespaced kind.
	Create *Object `yaml:"create,omitempty"`
	// Patch changes an object.
	Patch *Patch `yaml:"patch,omitempty"`
	// Delete deletes one.
	Delete *Delete `yaml:"delete,omitempty"`
	// Direct directs pods: how they end, whether they are ready.
	Direct *Direct `yaml:"direct,omitempty"`
	// Fault is put between the implementation and the API server from now on.
	Fault *Fault `yaml:"fault,omitempty"`
	// Clear takes all faults of earlier steps away: its value is "faults".
	Clear string `yaml:"clear,omitempty"`
	// Hold keeps the events of a resource back, so that the implementation's
	// cache of it grows stale; Held waits until an event is kept back, and Release
	// lets all of them through. Their values are resources: "jobs".
	Hold    string `yaml:"hold,omitempty"`
	Held    string `yaml:"held,omitempty"`
	Release string `yaml:"release,omitempty"`
	// Expire cuts the watches of a resource and answers 410 Gone to what would go
	// on from there, so that it has to be listed again.
	Expire string `yaml:"expire,omitempty"`
	// Network is "cut": nothing gets through; or "restored".
	Network string `yaml:"network,omitempty"`
	// Namespace is "delete": that of the scenario terminates, with all that is in it.
	Namespace string `yaml:"namespace,omitempty"`
	// Implementation is started, stopped (SIGTERM), killed (SIGKILL) or restarted
	// (killed and started): its values are start, stop, kill and restart.
	Implementation string `yaml:"implementation,omitempty"`
	// Clock has the implementation's clock differ from that of the machine, and so of the API server and of pods, until
	// it is started again: 1h, -1h; 0s sets it right. On Linux only, on amd64 and arm64.
	Clock *time.Duration `yaml:"clock,omitempty"`
	// Await waits until an expression is true, up to Within. It is in CEL, about jobs, cronjobs, pods,
	// created, events, calls and metrics.
	Await string `yaml:"await,omitempty"`
	// May is Await for what a conformant controller may do as well as leave: after Within, the
	// scenario goes on.
	May string `yaml:"may,omitempty"`
	// Stays is an expression that must be true now and at every revision, for For.
	Stays string `yaml:"stays,omitempty"`
	// Always is an expression that must be true from now on at every revision, up
	// to the end.
	Always string `yaml:"always,omitempty"`
	// Pause lets time go by: a cut network of 30 s, for example. It is no way to
	// wait for something.
	Pause time.Duration `yaml:"pause,omitempty"`

	// Answers is the status code that the API server must answer Create, Patch or
	// Delete with. By default it must do what it was asked for.
	Answers int `yaml:"answers,omitempty"`
	// OrAnswers is a status code that the API server may answer Create, Patch or Delete with as well:
	// nothing has changed then, and the scenario goes on. Default: none.
	OrAnswers int `yaml:"orAnswers,omitempty"`
	// IfAny has Patch or Delete with Which do nothing where no object is so, or where it is
	// gone before the request. Default: they wait for one.
	IfAny bool `yaml:"ifAny,omitempty"`
	// Within is how long Await, May, Direct and Held may take. Default: the patience of
	// the run, 30 s.
	Within time.Duration `yaml:"within,omitempty"`
	// For is how long Stays lasts. Default: 2.5 s.
	For time.Duration `yaml:"for,omitempty"`

	line int // in the file that it was read from; 0 for none
}

// Patch is a merge patch.
type Patch struct {
	// APIVersion is for kinds that no spec uses: scheduling.k8s.io/v1beta1. Default: that of a kind
	// which specs use.
	APIVersion string `yaml:"apiVersion,omitempty"`
	Kind       string `yaml:"kind"`
	Name       string `yaml:"name,omitempty"`
	// Which is as in Delete.
	Which string `yaml:"which,omitempty"`
	// Status says that it is for the status, not for the rest.
	Status bool `yaml:"status,omitempty"`
	// Merge may have expressions in its texts, as an Object may.
	Merge map[string]any `yaml:"merge"`
}

// Delete deletes an object.
type Delete struct {
	// APIVersion is as in Patch.
	APIVersion string `yaml:"apiVersion,omitempty"`
	Kind       string `yaml:"kind"`
	Name       string `yaml:"name,omitempty"`
	// Which is for a Pod or a Job in the place of Name: an expression on the object
	// p. The first that is so is deleted, as soon as there is one.
	Which string `yaml:"which,omitempty"`
	// Propagation is Background (the default), Foreground or Orphan.
	Propagation string `yaml:"propagation,omitempty"`
	// Force is for a Pod: it has no time to end, as with kubectl delete --force.
	Force bool `yaml:"force,omitempty"`
}

// Direct directs pods by the annotations of package puppet. It waits until there
// are as many as it is for.
type Direct struct {
	// Which is an expression on the pod p. Default: all that have not ended and
	// were not directed by an earlier step.
	Which string `yaml:"which,omitempty"`
	// Pods is how many of them, those that were created first. Default: 1.
	Pods int `yaml:"pods,omitempty"`
	// The rest is as package puppet has it; see there.
	ExitCodes   string        `yaml:"exitCodes,omitempty"`
	InitCodes   string        `yaml:"initCodes,omitempty"`
	FinishedAgo time.Duration `yaml:"finishedAgo,omitempty"`
	Ready       string        `yaml:"ready,omitempty"`
	Start       string        `yaml:"start,omitempty"`
	Terminate   string        `yaml:"terminate,omitempty"`
	Disruption  string        `yaml:"disruption,omitempty"`
}

// Fault is one of faultproxy's. A file has its parts in fields: {on: create pods, nth: 2, do:
// lose answer}.
type Fault struct{ faultproxy.Fault }
