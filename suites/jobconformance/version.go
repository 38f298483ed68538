package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/spf13/cobra"
)

// versions are what the command version prints for programs.
type versions struct {
	Version           string `json:"version"`
	KubernetesVersion string `json:"kubernetesVersion"`
	GoVersion         string `json:"goVersion"`
	Platform          string `json:"platform"`
}

func versionCommand() *cobra.Command {
	var output format
	var next bool
	c := command("version", "Print the version of this program and of the cluster that it starts by default",
		`Prints the version of this program, that of the Kubernetes cluster that it starts by
default, and that of the Go toolchain that has built it.

Exit codes: 0 they were printed, 2 bad input.`,
		"  jobconformance version -o json\n"+
			"  jobconformance gaps --kubernetes-version $(jobconformance version --next-kubernetes)",
		func(cmd *cobra.Command, _ []string) error {
			if next {
				newest, err := build.Next(cmd.Context())
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), newest)
				}
				return err
			}
			v := versions{suiteVersion(), build.DefaultKubernetesVersion, runtime.Version(),
				runtime.GOOS + "/" + runtime.GOARCH}
			if output == asJSON {
				return printJSON(cmd.OutOrStdout(), v)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "jobconformance %s, Kubernetes %s, %s, %s\n", v.Version,
				v.KubernetesVersion, v.GoVersion, v.Platform)
			return err
		})
	outputFlag(c.Flags(), &output, "the versions")
	c.Flags().BoolVar(&next, "next-kubernetes", false, "print only the newest version of Kubernetes' minor version "+
		"after the default one that the Go module proxy lists, alphas, betas and rcs included")
	return c
}

func suiteVersion() string { return cmp.Or(version.Suite(), "unknown") }
