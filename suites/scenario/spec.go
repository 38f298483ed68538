package scenario

import (
	"errors"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"k8s.io/client-go/tools/clientcmd"
)

// OfSpec returns the theatre of a spec with protocol.FaultsLabel, by the settings of
// its run.
func OfSpec() (Theatre, error) {
	settings := protocol.Current()
	if settings.Start == nil {
		return Theatre{}, errors.New("this spec starts an implementation: run it with make e2e")
	}
	config, err := clientcmd.BuildConfigFromFlags("", settings.Kubeconfig)
	if err != nil {
		return Theatre{}, err
	}
	as, err := clientcmd.BuildConfigFromFlags("", settings.Start.Kubeconfig)
	if err != nil {
		return Theatre{}, err
	}
	as.QPS = -1
	return Theatre{
		Config: config, As: as, Implementation: settings.Start.Implementation, Builds: settings.Start.Builds,
		Version: settings.KubernetesVersion, Run: settings.Run, Folder: settings.Start.Logs, Patience: settings.Patience,
	}, nil
}

// Failure returns what a spec fails with for a result that is not green.
func (r *Result) Failure() protocol.Failure {
	f := protocol.Failure{Cause: protocol.Assertion, Message: r.Why()}
	for _, v := range r.Violations {
		f.Cause = protocol.Invariant
		f.Invariants = append(f.Invariants, v.Invariant.ID)
	}
	if r.Exited {
		f.Cause = protocol.ImplementationExited
	}
	return f
}
