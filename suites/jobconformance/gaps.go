package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/suites/contract/gaps"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/spf13/cobra"
)

const gapsHelp = `Prints what a version of Kubernetes has for Jobs and CronJobs that this program does not know:
fields of batch/v1 that no requirement covers, outside of pod templates, and feature gates that it
does not have in its table, or has otherwise. A gate is one of Jobs where code about them alone uses
it, or its name or its comment mentions them.

Needs the source of the version: the modules k8s.io/api and k8s.io/kubernetes, from the Go module
cache or proxy, or a clone. Where there is no k8s.io/kubernetes, the gates are not verified.

Exit codes: 0 there are none, 1 there are some, 2 bad input, also where the source is not to be had.`

const gapsExample = `  jobconformance gaps
  jobconformance gaps --kubernetes-version v1.38.0-rc.1
  jobconformance gaps --kubernetes-source ../kubernetes`

func gapsCommand() *cobra.Command {
	var b build.Builder
	c := command("gaps", "List fields and feature gates of Kubernetes without a requirement", gapsHelp, gapsExample,
		func(cmd *cobra.Command, _ []string) error { return printGaps(cmd.Context(), cmd.OutOrStdout(), b) })
	c.Flags().StringVar(&b.KubernetesVersion, "kubernetes-version", "",
		"version of Kubernetes (default: "+build.DefaultKubernetesVersion+", or that of --kubernetes-source)")
	c.Flags().StringVar(&b.Source, "kubernetes-source", "",
		"clone of kubernetes/kubernetes, or unpacked module k8s.io/kubernetes, to read instead of a published version")
	return c
}

func printGaps(ctx context.Context, out io.Writer, b build.Builder) error {
	upstream, err := b.Upstream(ctx)
	if err != nil {
		return err
	}
	api, err := upstream.API(ctx)
	if err != nil {
		return err
	}
	known := gaps.Catalogue{Requirements: table.All(), Gates: gates.All(), Without: gaps.Without()}
	found, fields, err := known.OfFields(api, upstream.Version)
	if err != nil {
		return err
	}
	kubernetes, missing := upstream.Kubernetes(ctx)
	judged := 0
	var ofGates []string
	switch {
	case missing == nil:
		ofGates, judged, err = known.OfGates(kubernetes, upstream.Version)
	case badinput.Is(missing):
		ofGates, err = known.GatesOfFields(api)
	default:
		err = missing
	}
	if err != nil {
		return err
	}
	for _, line := range append(found, ofGates...) {
		fmt.Fprintln(out, line)
	}
	what := fmt.Sprintf("%d fields and %d feature gates", fields, judged)
	if missing != nil {
		what = fmt.Sprintf("%d fields, without the feature gates,", fields)
	}
	word := "NO GAPS"
	if len(found)+len(ofGates) > 0 {
		word = "GAPS"
	}
	fmt.Fprintf(out, "%s: of %s of Jobs and CronJobs in Kubernetes %s, %d are not known\n", word, what,
		upstream.Version, len(found)+len(ofGates))
	if word == "GAPS" {
		return exitCode(exitRed)
	}
	return missing
}
