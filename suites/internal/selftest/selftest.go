// Package selftest starts a cluster for tests of the suites: each checks other controllers than the
// reference, made of it.
package selftest

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"sigs.k8s.io/yaml"
)

// Named returns the regular expression in an environment variable, for the names of some
// controllers. It skips the test where nobody asks for tests that start a cluster; target of the
// Makefile does.
func Named(t *testing.T, variable, target string) *regexp.Regexp {
	t.Helper()
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skipf("not verified: it starts a cluster; run `make %s`", target)
	}
	names, err := regexp.Compile(os.Getenv(variable))
	if err != nil {
		t.Fatalf("%s is not a regular expression: %v", variable, err)
	}
	return names
}

// Builder is where the programs of the cluster come from.
func Builder() build.Builder {
	return build.Builder{AssetsDir: os.Getenv("KUBEBUILDER_ASSETS"), CacheDir: os.Getenv("CACHE_DIR")}
}

// Open starts a cluster, with reports in a folder below reports of the checkout, and returns it with
// the implementation that the reference is. Both go with the test, and the context ends with Ctrl-C.
func Open(t *testing.T, reports string) (context.Context, *run.Environment, implementation.Implementation) {
	t.Helper()
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	t.Cleanup(stop)
	impl, err := implementation.Parse(implementation.Reference)
	if err != nil {
		t.Fatal(err)
	}
	environment, err := run.Open(ctx, run.Options{
		Build:          Builder(),
		Implementation: impl, Out: os.Stdout,
		Reports: filepath.Join("..", "..", "reports", reports),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(environment.Close)
	return ctx, environment, impl
}

// Scenarios compiles mutants of the checkout at root, starts a cluster, with reports in a folder below its reports, and
// calls do with what runs scenarios against the reference there, and with the programs of the mutants by their names.
func Scenarios(t *testing.T, root, reports string, wrong []mutants.Mutant,
	do func(context.Context, *run.Environment, scenario.Environment, map[string]string) error) {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := mutants.Build(t.Context(), root, t.TempDir(), wrong)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := implementation.Parse(implementation.Reference)
	if err != nil {
		t.Fatal(err)
	}
	err = scenario.With(t.Context(), run.Options{Build: Builder(), Implementation: reference, Out: os.Stdout,
		Reports: filepath.Join(root, "reports", reports)},
		func(ctx context.Context, env *run.Environment, environment scenario.Environment) error {
			if err := do(ctx, env, environment, programs); err != nil {
				return err
			}
			return ctx.Err()
		})
	if err != nil {
		t.Fatal(err)
	}
}

// Described returns what a file of wrong controllers describes, in YAML.
func Described[T any](t *testing.T, text []byte) (all []T) {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}
