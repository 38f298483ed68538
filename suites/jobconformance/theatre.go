package main

import (
	"context"
	"fmt"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/spf13/pflag"
)

// Where scenarios are played against one implementation, for the commands that
// play many of them.

// theatreFlags are those of its cluster.
func theatreFlags(set *pflag.FlagSet, o *run.Options) {
	set.StringVar(&o.Build.KubernetesVersion, "kubernetes-version", build.DefaultKubernetesVersion, "version of the control plane and of kube-controller-manager as the implementation")
	set.StringVar(&o.FeatureGates, "feature-gates", "", "feature gates of both, as A=true,B=false (default: those that the version needs)")
	set.StringVar(&o.Build.AssetsDir, "assets", "", "folder with ready-made kube-apiserver and etcd to use instead of built ones, as in $KUBEBUILDER_ASSETS")
	set.StringVar(&o.Build.CacheDir, "cache-dir", "", "folder for built control planes (default: jobconformance in the user's cache folder)")
}

// proxied is an implementation that can be put behind a fault proxy.
func proxied(name string) (implementation.Implementation, error) {
	impl, err := implementation.Parse(name)
	if err == nil && !impl.IsProcess() {
		err = badinput.New("the implementation "+impl.Name+" cannot be put behind a fault proxy", "use reference, kube-controller-manager or exec:COMMAND")
	}
	return impl, err
}

// openTheatre starts the cluster. The context ends with it, too; close stops all.
func openTheatre(ctx context.Context, o run.Options) (_ context.Context, lab *run.Lab, theatre scenario.Theatre, close func(), err error) {
	if o.Implementation.Warning != "" {
		fmt.Fprintln(o.Out, "note:", o.Implementation.Warning)
	}
	o.Bare = true
	if lab, err = run.Open(ctx, o); err != nil {
		return ctx, nil, theatre, nil, err
	}
	if theatre, err = scenario.In(lab, o.Implementation); err != nil {
		lab.Close()
		return ctx, nil, theatre, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case err := <-lab.Ended():
			cancel(fmt.Errorf("the cluster has ended: %w", err))
		case <-ctx.Done():
		}
	}()
	return ctx, lab, theatre, func() { cancel(nil); lab.Close() }, nil
}
