package main

import (
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/spf13/pflag"
)

// onlyOn has the flags that say something about some kinds of clusters alone, with these kinds. Elsewhere the
// result would be about another cluster than the flag says.
var onlyOn = map[string][]string{
	"node-image":   {cluster.KindKind},
	"kind-config":  {cluster.KindKind},
	"keep":         {cluster.KindKind},
	"load":         {cluster.KindKind},
	"puppet-image": {cluster.KindKind, cluster.ExistingKind},
	"kubeconfig":   {cluster.ExistingKind},
	"context":      {cluster.ExistingKind},
	"profile":      {cluster.EmbeddedKind},
}

// programs are flags about where the programs of an embedded cluster come from; true where they are also about
// upstream's controller on other clusters. There they are rejected on a command line alone: in the environment they
// are often those of a machine.
var programs = map[string]bool{"assets": false, "etcd-downloads": false, "binaries": true, "kubernetes-downloads": true}

// checkApplies rejects flags with a value that do nothing on a cluster of that kind, where upstream says whether
// kube-controller-manager is started as a process.
func checkApplies(set *pflag.FlagSet, kind string, upstream bool) (err error) {
	set.VisitAll(func(flag *pflag.Flag) {
		kinds, limited := onlyOn[flag.Name]
		ofUpstream, isProgram := programs[flag.Name]
		if isProgram && flag.Annotations[environmentNote] == nil && !(ofUpstream && upstream) {
			kinds, limited = []string{cluster.EmbeddedKind}, true
		}
		given := valueOf(flag) != strings.Trim(flag.DefValue, "[]")
		if err != nil || !limited || !given || slices.Contains(kinds, kind) {
			return
		}
		err = badinput.New(console.Flag(flag.Name)+" does nothing with "+console.Flag("cluster", kind),
			"leave it out, or give "+console.Flag("cluster", strings.Join(kinds, " or ")))
	})
	return err
}
