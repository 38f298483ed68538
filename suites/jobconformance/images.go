package main

import (
	"fmt"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func imagesCommand() *cobra.Command {
	var p pulling
	c := command("images", "Print or copy the images that a run pulls, or save one with this program",
		`Prints the images that a run with the same flags pulls, one in a line: the node image of a
kind cluster, that of the pods, and that of the implementation. An embedded cluster pulls none.

Exit codes: 0 they were printed, 2 bad input.`,
		`  jobconformance images --kubernetes-version=v1.36.3
  jobconformance images save jobconformance.tar`,
		func(cmd *cobra.Command, _ []string) error {
			pulls, err := p.pulls(cmd.Flags())
			for _, pull := range pulls {
				fmt.Fprintln(cmd.OutOrStdout(), pull.Image)
			}
			return err
		})
	p.add(c.Flags())
	c.AddCommand(saveImageCommand(), mirrorCommand())
	return c
}

// pulling has the flags of commands about the images that a run pulls.
type pulling struct {
	name    string // of the implementation
	options run.Options
}

func (p *pulling) add(set *pflag.FlagSet) {
	implementationFlag(set, &p.name, implementation.Reference, "the controller to check")
	set.StringVar(&p.options.Cluster, "cluster", cluster.KindKind, "where it is checked: embedded, kind or existing")
	set.StringVar(&p.options.Build.KubernetesVersion, "kubernetes-version", "",
		"version of the cluster (default: kind's own)")
	kubeletFlags(set, &p.options)
}

func (p *pulling) pulls(set *pflag.FlagSet) (pulls []run.Pull, err error) {
	if err := checkApplies(set, p.options.Cluster, false); err != nil {
		return nil, err
	}
	if p.options.Implementation, err = implementation.Parse(p.name); err != nil {
		return nil, err
	}
	return p.options.Pulls()
}

func saveImageCommand() *cobra.Command {
	var b build.Builder
	var versions []string
	var name string
	c := command("save FILE", "Save an image with this program and the programs of a cluster",
		`Writes an archive for docker load and the like: an image with this program, etcd and
the control planes of these versions, which it downloads or builds unless the cache has them.
The image is for Linux on this machine's architecture. It needs no network, no root, and no
folder that can be written but /tmp and the one for reports; gen job prints a Job for it.

Exit codes: 0 it was written, 2 bad input, 130 after Ctrl-C, 143 after SIGTERM.`,
		`  jobconformance images save jobconformance.tar
  docker load -i jobconformance.tar && docker run --rm --network none `+build.OwnImage+` run`,
		func(cmd *cobra.Command, args []string) error {
			b.Out = cmd.OutOrStdout()
			if err := b.SaveImage(cmd.Context(), args[0], name, versions...); err != nil {
				return err
			}
			_, err := fmt.Fprintf(b.Out, "%s has the image %s\n", args[0], name)
			return err
		})
	c.Flags().StringSliceVar(&versions, "kubernetes-version", []string{build.DefaultKubernetesVersion},
		"versions of Kubernetes, separated by commas")
	c.Flags().StringVar(&name, "tag", build.OwnImage, "name of the image")
	cacheFlags(c.Flags(), &b)
	return c
}
