package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Environment is where scenarios run: a cluster, and an implementation that is started
// for each of them. Its fields are required, unless they have a default. Run may be
// called many times at once.
type Environment struct {
	// Config is an administrator's, As the implementation's.
	Config, As     *rest.Config
	Implementation implementation.Implementation
	Builds         implementation.Builds
	// Version of the API server, as in v1.37.1.
	Version string
	// RunName is the value of kinds.RunLabel on the namespaces.
	RunName string
	// Folder is where logs are written, in a folder for each namespace.
	Folder string
	// Patience is the longest that a conformant implementation may take for one
	// reaction. Default: that of sandbox.DefaultWaits.
	Patience time.Duration
	// Settle is how long a scenario goes on after its last step, so that what a wrong
	// controller does then is seen as well. Default: that of sandbox.DefaultWaits.
	Settle time.Duration
}

// With starts a cluster without suites, calls do with an environment for the
// implementation in it, and stops the cluster. Logs go below the run's reports. The
// context of do also ends when a part of the cluster ends.
func With(ctx context.Context, o run.Options, do func(context.Context, *run.Environment, Environment) error) error {
	if o.Implementation.Warning != "" {
		fmt.Fprintln(o.Out, "note:", o.Implementation.Warning)
	}
	o.Bare = true
	return run.With(ctx, o, func(ctx context.Context, started *run.Environment) error {
		as, err := started.As()
		if err != nil {
			return err
		}
		return do(ctx, started, Environment{
			Config: started.Config(), As: as, Implementation: o.Implementation, Builds: started.Builds,
			Version: started.Version(), RunName: started.Name(), Folder: filepath.Join(started.Reports, "scenarios"),
		})
	})
}

// OfSpec returns the environment of a spec with protocol.FaultsLabel, by the settings of
// its run.
func OfSpec() (Environment, error) {
	settings := protocol.Current()
	if settings.Start == nil {
		return Environment{}, errors.New("this spec starts an implementation: run it with make e2e")
	}
	config, err := clientcmd.BuildConfigFromFlags("", settings.Kubeconfig)
	if err != nil {
		return Environment{}, err
	}
	as, err := clientcmd.BuildConfigFromFlags("", settings.Start.Kubeconfig)
	if err != nil {
		return Environment{}, err
	}
	as.QPS = -1
	return Environment{
		Config: config, As: as, Implementation: settings.Start.Implementation, Builds: settings.Start.Builds,
		Version: settings.KubernetesVersion, RunName: settings.Run, Folder: settings.Start.Logs, Patience: settings.Patience,
	}, nil
}
