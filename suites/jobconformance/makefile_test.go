package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/build"
)

// TestMain runs the program where the tests have started it as one.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); !strings.HasSuffix(name, ".test") || name == build.Suites {
		main()
	}
	os.Exit(m.Run())
}

// stub prints its arguments and the variables that make hands on, one in a line.
const stub = `#!/bin/sh
for a; do echo "argument $a"; done
env | grep -v '^JOBCONFORMANCE_VARIABLES=' | sed -n 's/^JOBCONFORMANCE_//p' | sort
`

// callMake calls the Makefile in a folder where bin/jobconformance is another program, and
// returns the exit code and what was printed.
func callMake(t *testing.T, program string, environment []string, args ...string) (int, string) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("not verified: there is no make")
	}
	dir := t.TempDir()
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	// In place of the compiler, this puts the program there.
	fake := "#!/bin/sh\nmkdir -p bin && ln -sf '" + program + "' bin/jobconformance\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", append([]string{"--no-print-directory", "-f", makefile}, args...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir}, environment...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func stubProgram(t *testing.T) string {
	program := filepath.Join(t.TempDir(), "stub")
	if err := os.WriteFile(program, []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

func TestMakeHandsVariablesOn(t *testing.T) {
	program := stubProgram(t)
	for name, c := range map[string]struct {
		environment []string
		args        string // separated by newlines
		want        string
	}{
		"no variable": {nil, "", "argument run"},
		"words": {nil, "e2e\nLABELS=behaviour:parallelism && !slow || a",
			"argument run\nLABELS=behaviour:parallelism && !slow || a"},
		"quotes": {nil, "e2e\nIMPLEMENTATION=exec:./my-controller --name=\"a b\" --x='y' --kubeconfig={kubeconfig}",
			"argument run\nIMPLEMENTATION=exec:./my-controller --name=\"a b\" --x='y' --kubeconfig={kubeconfig}"},
		"dollars": {nil,
			"explore\nSCENARIOS=^(a|b)$|^$HOME$(x)$$\nPLAN=end pods 1: user suspends; update " +
				"jobs/status 3: answer 500, #2",
			"argument explore\nPLAN=end pods 1: user suspends; update jobs/status 3: answer 500, " +
				"#2\nSCENARIOS=^(a|b)$|^$HOME$(x)$"},
		"other names": {nil, "e2e\nREPORTS=a b\nLIST=1\nKEEP=0", "argument run\nKEEP=0\nLIST=1\nREPORTS=a b"},
		"nothing":     {nil, "e2e\nLABELS=", "argument run"},
		"environment": {[]string{"LABELS=a && b$", "REPORTS=x"}, "e2e\nLABELS=c",
			"argument run\nLABELS=c\nREPORTS=x"},
		"of others": {[]string{"VERSION=1", "URL=2", "PROJECT=3", "ENVIRONMENT=production", "JOBS=8", "X=5"},
			"e2e", "argument run"},
		"long": {nil, "bench-long",
			"argument bench\nargument --rows=long\nargument --floors=false\nargument --qps=unlimited"},
		"long, otherwise": {nil, "bench-long\nQPS=5/10",
			"argument bench\nargument --rows=long\nargument --floors=false\nQPS=5/10"},
		"arguments": {nil, "compare\nOLD=a b\nNEW=it's\nOUTPUT=json",
			"argument compare\nargument a b\nargument it's\nOUTPUT=json"},
		"kubeconfig": {nil, "e2e\nKUBECONFIG=a:b\nCLUSTER=existing", "argument run\nCLUSTER=existing"},
		"gaps":       {nil, "gaps\nKUBERNETES_VERSION=1.37", "argument gaps\nKUBERNETES_VERSION=1.37"},
		"the next version": {nil, "next-kubernetes\nKUBERNETES_SOURCE=a b", "argument gaps\n" +
			"argument --kubernetes-source=a b\n" + "argument run\n" +
			"argument --implementation=kube-controller-manager\nargument --kubernetes-source=a b\n" +
			"argument --output-dir=reports/next-kubernetes/kube-controller-manager\nargument run\n" +
			"argument --kubernetes-source=a b\n" +
			"argument --output-dir=reports/next-kubernetes/reference"},
		"a site": {nil, "catalogue\nREPORTS=site", "argument catalogue\nREPORTS=site"},
		"an image": {nil, "program-image\nCACHE_DIR=c",
			"argument images\nargument save\nargument bin/jobconformance.tar\nCACHE_DIR=c"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := callMake(t, program, c.environment, strings.FieldsFunc(c.args, func(r rune) bool {
				return r == '\n'
			})...)
			lines := strings.TrimSpace(out)
			if _, after, compiled := strings.Cut(lines, "takes a minute or two\n"); compiled {
				lines = after
			}
			if code != 0 || lines != c.want {
				t.Errorf("exit code %d, %s\nwant %s", code, lines, c.want)
			}
		})
	}
}

func TestMakeRefusesUnknownVariables(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"e2e LABLES=x":         "unknown variable LABLES of jobconformance run; did you mean LABELS?\n",
		"e2e REPROTS=x LIST=1": "did you mean REPORTS?\n",
		"soak KILLS=3": "unknown variable KILLS of jobconformance soak; see " +
			"jobconformance soak --help\n",
		"prefetch e2e LABLES=x":       "did you mean LABELS?\n",
		"compare OLD=a NEW=b OLDER=c": "unknown variable OLDER of jobconformance compare",
		"e2e PROCS=many":              "JOBCONFORMANCE_PROCS=many is no integer; correct or unset it\n",
		"test LABELS=x":               "unknown variable LABELS of make test, which has CACHE_DIR",
		"lint LABELS=x":               "unknown variable LABELS of make lint, which has none.  Stop.\n",
		"models FUZZ_STEP=1":          "which has FUZZ_STEPS.  Stop.\n",
	} {
		code, out := callMake(t, program, nil, strings.Fields(args)...)
		if code != exitBadInput || !strings.Contains(out, want) {
			t.Errorf("make %s: exit code %d, %s\nwant %q", args, code, out, want)
		}
	}
	if code, out := callMake(t, program, nil, "repro", "LIST=1", "OUTPUT=json"); code != exitGreen ||
		!strings.Contains(out, `"issue": 139428`) {
		t.Errorf("make repro LIST=1 OUTPUT=json: exit code %d, %s", code, out)
	}
}
