package main

import (
	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/folder"
	"github.com/spf13/pflag"
)

// exitCodes is the end of the help of all commands that start a cluster.
const exitCodes = `Exit codes: 0 green, 1 red, 2 bad input, 3 no verdict: the harness failed or --timeout was over,
130 after Ctrl-C, 143 after SIGTERM. An interrupted command stops everything that it started.`

// processes are the implementations that are processes on this machine.
const processes = "reference, kube-controller-manager or exec:COMMAND"

// implementationFlag is the controller that a command is about.
func implementationFlag(set *pflag.FlagSet, name *string, value, usage string) {
	set.StringVarP(name, "implementation", "i", value, usage)
}

// cacheFlags are where the programs of a cluster come from.
func cacheFlags(set *pflag.FlagSet, b *build.Builder) {
	section(set, theCluster, func(set *pflag.FlagSet) {
		set.StringVar(&b.AssetsDir, "assets", "",
			"folder with kube-apiserver and etcd to use instead of those in the cache, as in $KUBEBUILDER_ASSETS")
		set.StringVar(&b.CacheDir, "cache-dir", "",
			"folder for control planes (default: jobconformance in the user's cache folder)")
		set.StringVar((*string)(&b.Origin), "binaries", string(build.Auto),
			"how a control plane comes into the cache: download, build, or auto: built where "+
				"no release can be downloaded")
		set.StringVar(&b.KubernetesDownloads, "kubernetes-downloads", build.DefaultKubernetesDownloads,
			"URL of Kubernetes' releases, or of a mirror with their layout")
		set.StringVar(&b.EtcdDownloads, "etcd-downloads", build.DefaultEtcdDownloads, "the same for etcd")
	})
}

// buildFlags are where binaries and reports are, for all commands that start a
// cluster. Each has a folder for reports of its own.
func buildFlags(set *pflag.FlagSet, b *build.Builder, reports *string, command string) {
	cacheFlags(set, b)
	section(set, theResult, func(set *pflag.FlagSet) { reportsFlag(set, reports, command) })
}

// reportsFlag is the folder for the reports of a command.
func reportsFlag(set *pflag.FlagSet, reports *string, command string) {
	set.StringVar(reports, "output-dir", folder.Default(command),
		"folder for reports and logs; by default below $ARTIFACTS, where it is set")
}

// sourceFlag is the tree that is built instead of a published version.
func sourceFlag(set *pflag.FlagSet, b *build.Builder) {
	section(set, theCluster, func(set *pflag.FlagSet) {
		set.StringVar(&b.Source, "kubernetes-source", "",
			"build the control plane and kube-controller-manager from this clone of kubernetes/kubernetes, or "+
				"unpacked module k8s.io/kubernetes")
	})
}

// clusterFlags are those of commands that start one cluster of one version.
func clusterFlags(set *pflag.FlagSet, o *run.Options, command string) {
	versionFlags(set, o)
	confineFlag(set, &o.Confine)
	buildFlags(set, &o.Build, &o.Reports, command)
}

// confineFlag is how much a controller is confined.
func confineFlag(set *pflag.FlagSet, level *process.Level) {
	*level = process.Auto
	section(set, theController, func(set *pflag.FlagSet) {
		set.Var(level, "confine",
			"what keeps a controller that is a process away from the run and from all other processes, and has "+
				"what it writes be gone with it: auto, what this machine gives; strict, all of it or exit code 2; off")
	})
}

// versionFlags are what the programs of a cluster are.
func versionFlags(set *pflag.FlagSet, o *run.Options) {
	section(set, theCluster, func(set *pflag.FlagSet) {
		set.StringVar(&o.Build.KubernetesVersion, "kubernetes-version", "",
			"version of the control plane and of kube-controller-manager as the implementation, as in "+
				"v1.36.3, v1.37.0-rc.1, or 1.36 for the newest of it that this program knows (default: "+
				build.DefaultKubernetesVersion+", or that of --kubernetes-source)")
	})
	sourceFlag(set, &o.Build)
	gatesFlag(set, &o.FeatureGates)
}

// gatesFlag are the feature gates of a cluster.
func gatesFlag(set *pflag.FlagSet, gates *string) {
	section(set, theCluster, func(set *pflag.FlagSet) {
		set.StringVar(gates, "feature-gates", "",
			"feature gates of both, for example A=true,B=false (default: those that the version needs)")
	})
}

// shardFlag is the part of a campaign that is run on one machine of several.
func shardFlag(set *pflag.FlagSet, shard *run.Shard, of string) {
	set.Var(shard, "shard", "run only every nth of the "+of+
		", from the first: 1/4, 2/4 and so on; auto and auto/4 as for run")
}

// onOneCluster returns an implementation whose Jobs and pods are in the cluster that it works on.
func onOneCluster(name string) (implementation.Implementation, error) {
	impl, err := implementation.Parse(name)
	switch {
	case err != nil:
	case impl.HasOwnResource():
		err = badinput.New("the implementation "+impl.Name+
			" reconciles a custom resource, which only jobconformance run knows", "use "+processes)
	case impl.HasMember():
		err = badinput.New("the pods of "+impl.Name+" are in another cluster, which only jobconformance run starts",
			"use "+processes)
	}
	return impl, err
}

// proxied returns one of them that can run behind a fault proxy.
func proxied(name string) (implementation.Implementation, error) {
	impl, err := onOneCluster(name)
	if err == nil && !impl.IsProcess() {
		err = badinput.New("the implementation "+impl.Name+" cannot run behind a fault proxy", "use "+processes)
	}
	return impl, err
}
