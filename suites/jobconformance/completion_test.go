package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/bench"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestCompletion(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\ncontexts: [{name: mine, context: {}}]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	const words, files, folders, noSpace = cobra.ShellCompDirectiveNoFileComp, cobra.ShellCompDirectiveFilterFileExt,
		cobra.ShellCompDirectiveFilterDirs, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	for line, c := range map[string]struct {
		want      string // a line; empty where there is none
		directive cobra.ShellCompDirective
	}{
		"exp":                          {"explain\tExplain requirements", words},
		"--clus":                       {"--cluster\t", words},
		"--cluster ":                   {"embedded", words},
		"run --cluster k":              {"kind", words},
		"run -i ku":                    {"kube-controller-manager\tupstream's", words},
		"run -i ex":                    {"exec:\ta process", noSpace},
		"run --labels behaviour:par":   {"behaviour:parallelism\t", words},
		"list --labels !slow&&(area:j": {"!slow&&(area:job\t", words},
		"run --labels !slo":            {"!slow\t", words},
		"run --requirement JOB-TRACKING-001,JOB-PAR":     {"JOB-TRACKING-001,JOB-PARALLELISM-001\t", words},
		"run --requirement=JOB-TRACKING-00":              {"JOB-TRACKING-001\tA Job controller MUST create", words},
		"run --decline indexed,su":                       {"indexed,success-policy\t", words},
		"run --controllers cr":                           {"cronjob", words},
		"run --environment ":                             {"queued", words},
		"run --flaky ":                                   {"allow", words},
		"run --known-bugs ":                              {"off", words},
		"run --history ":                                 {"none", words},
		"run --binaries ":                                {"build", words},
		"run --kubernetes-version v1.36":                 {"v1.36.3", words},
		"run --shard ":                                   {"auto\tby the variables", words},
		"run --managed-by ":                              {"", words},
		"run --expectations ":                            {"yaml", files},
		"run --output-dir ":                              {"", folders},
		"run --kubeconfig ":                              {"", cobra.ShellCompDirectiveDefault},
		"run --kubeconfig=" + kubeconfig + " --context ": {"mine", words},
		"run ":                            {"", words},
		"explain job-pod-is-t":            {"job-pod-is-tracked\tA created pod has", words},
		"explain JOB-END-001 JOB-END-00":  {"JOB-END-002\t", words},
		"repro --issue 1394":              {"139428\t", words},
		"repro --issue missed":            {"missed-run-lost\t", words},
		"repro --scenario ":               {"yml", files},
		"repro-matrix --issue fixed,unre": {"fixed,unreported\t", words},
		"bench --rows ":                   {bench.RowNames()[0], words},
		"compare ":                        {"", cobra.ShellCompDirectiveDefault},
	} {
		t.Run(line, func(t *testing.T) {
			var out, errs bytes.Buffer
			args := append([]string{cobra.ShellCompRequestCmd}, strings.Split(line, " ")...)
			if code := execute(t.Context(), args, &out, &errs); code != exitGreen {
				t.Fatalf("exit code %d, %s", code, &errs)
			}
			text := "\n" + out.String()
			if !strings.Contains(text, "\n"+c.want) {
				t.Errorf("it offers %s, want %q", text, c.want)
			}
			if !strings.HasSuffix(text, fmt.Sprintf("\n:%d\n", c.directive)) {
				t.Errorf("it ends %q, want the directive %d", text, c.directive)
			}
		})
	}
}

func TestCompletedFlagsAreThere(t *testing.T) {
	known := map[string]bool{}
	each(rootCommand(), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	})
	names := append([]string{}, folderFlags...)
	for name := range flagValues {
		names = append(names, name)
	}
	for name := range fileFlags {
		names = append(names, name)
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("no command has the flag %s", name)
		}
	}
}
