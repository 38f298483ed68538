package main

import (
	"fmt"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/spf13/cobra"
)

func prefetchCommand() *cobra.Command {
	var versions []string
	var b build.Builder
	c := command("prefetch", "Fill the cache with control planes, so that later runs need no network",
		`Downloads or builds etcd, kube-apiserver, kube-controller-manager and
kube-scheduler unless the cache has them, and prints the folder of each.

Exit codes: 0 all are there, 2 one could not be downloaded or built,
130 after Ctrl-C, 143 after SIGTERM.`,
		`  jobconformance prefetch
  jobconformance prefetch --kubernetes-version=v1.36.3,v1.37.1 --binaries=download`,
		func(cmd *cobra.Command, _ []string) error {
			b.Out = cmd.OutOrStdout()
			for _, b.KubernetesVersion = range versions {
				bins, err := b.Binaries(cmd.Context())
				if err != nil {
					return err
				}
				for _, program := range []string{bins.Etcd, bins.KubeAPIServer} {
					fmt.Fprintln(cmd.OutOrStdout(), filepath.Dir(program))
				}
			}
			return nil
		})
	c.Flags().StringSliceVar(&versions, "kubernetes-version", []string{build.DefaultKubernetesVersion},
		"versions of Kubernetes, separated by commas")
	cacheFlags(c.Flags(), &b)
	return c
}
