// Command jobconformance checks a Job and CronJob controller: it starts a
// cluster, runs the controller against it, runs the suites, and reports which
// requirements hold. Its commands explore, soak, benchmark and crash controllers,
// reproduce known bugs, read the reports of earlier runs, and fill the cache. The
// Makefile calls it. A run starts the same program by other names: see package build.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jobconformance/jobconformance/controller/app"
	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	_ "github.com/jobconformance/jobconformance/suites/internal/scratch" // before envtest
	"github.com/jobconformance/jobconformance/suites/specs"
	ginkgo "github.com/onsi/ginkgo/v2/ginkgo/command"
	"github.com/onsi/ginkgo/v2/ginkgo/run"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// Exit codes of all commands.
const (
	exitGreen    = 0
	exitRed      = 1
	exitBadInput = 2
	exitHarness  = 3
	exitSignal   = 128 // and the number of the signal
)

// interrupted is why the context of a command ends that a signal ends.
type interrupted struct{ syscall.Signal }

func (i interrupted) Error() string { return "interrupted by " + unix.SignalName(i.Signal) }

// exitCode is the error of a command that has printed its result and ends with
// this code.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// verdict returns nil for a green result.
func verdict(green bool) error {
	if green {
		return nil
	}
	return exitCode(exitRed)
}

// sameSignal is how long the same signal once more says nothing new: timeout(1) sends it to its command, and then to
// the group of both, and so do terminals and the programs between.
const sameSignal = time.Second

func main() {
	switch filepath.Base(os.Args[0]) {
	case build.Reference:
		os.Exit(app.Main(os.Args[1:]))
	case build.Suites:
		os.Exit(specs.Main(os.Args[1:]))
	case build.Ginkgo:
		ginkgo.Program{Name: build.Ginkgo, DefaultCommand: run.BuildRunCommand()}.RunAndExit(os.Args)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		first := <-signals
		cancel(interrupted{first.(syscall.Signal)})
		time.AfterFunc(sameSignal, func() { signal.Reset(first) }) // a second Ctrl-C ends the program at once
		for second := range signals {
			if second != first { // CI systems send SIGTERM some seconds after SIGINT: the reports are written meanwhile
				signal.Stop(signals)
			}
		}
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// rootCommand has all commands.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "jobconformance",
		Short: "Check Job and CronJob controllers against the batch/v1 contract",
		Long: `Checks Job and CronJob controllers against the batch/v1 contract of Kubernetes, on a
cluster that it starts itself. Without a command it does what run does.

Each flag can also be given as an environment variable: --labels as JOBCONFORMANCE_LABELS. In a
clone, make e2e LABELS=... is the same as run --labels=...

` + exitCodes,
		Example: `  jobconformance run
  jobconformance run -i 'exec:./my-controller --kubeconfig={kubeconfig}'
  jobconformance repro --issue 139428`,
		Args: arguments,
		RunE: func(*cobra.Command, []string) error { return nil }, // never: see withCommand
	}
	addGroups(root)
	root.SetUsageFunc(printUsage)
	root.PersistentFlags().Duration("timeout", 0,
		"stop after this time, as in 30m, without a verdict (default: no limit)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := fromEnvironment(cmd); err != nil {
			return err
		}
		limit, err := cmd.Flags().GetDuration("timeout")
		if err == nil && limit > 0 {
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), limit,
				fmt.Errorf("%w (%s)", errTimeout, console.Flag("timeout", limit.String())))
			context.AfterFunc(ctx, cancel)
			cmd.SetContext(ctx)
		}
		return err
	}
	root.SetFlagErrorFunc(wrongFlag)
	root.Version = suiteVersion()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SuggestionsMinimumDistance = 2
	takeReleases(root)
	completeAll(root)
	return root
}

// refuseShells has the command for completion refuse a shell that it does not know.
func refuseShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = arguments, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// wrongFlag refuses a flag that a command does not have, or its value.
func wrongFlag(c *cobra.Command, err error) error {
	see := "see " + c.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var all []string
		c.InheritedFlags() // adds those of the program to c.Flags()
		c.Flags().VisitAll(func(flag *pflag.Flag) { all = append(all, "--"+flag.Name) })
		see = spelling.Remedy("--"+unknown.GetSpecifiedName(), all, see)
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return wrongValue("--"+wrong.GetFlag().Name, wrong.GetFlag(), wrong.GetValue(), err, see)
	}
	return badinput.New(err.Error(), see)
}

// wrongValue refuses a value that cannot be the flag's, which messages call name: a time without a unit, or what is
// no number. Otherwise err says what is wrong, and see what to do.
func wrongValue(name string, flag *pflag.Flag, value string, err error, see string) error {
	_, notANumber := strconv.ParseFloat(value, 64)
	switch kind := flag.Value.Type(); {
	case kind == "duration" && notANumber == nil:
		return badinput.New(fmt.Sprintf("%s=%s has no unit", name, value),
			fmt.Sprintf("did you mean %ss, or %[1]sm?", value))
	case kind == "duration":
		return badinput.New(fmt.Sprintf("%s=%s is no time", name, value), "write it as 30s, 5m or 1h30m")
	case strings.HasPrefix(kind, "int"):
		return badinput.New(fmt.Sprintf("%s=%s is no integer", name, value), see)
	case kind == "float64":
		return badinput.New(fmt.Sprintf("%s=%s is no number", name, value), see)
	}
	return badinput.New(err.Error(), see)
}

var errTimeout = errors.New("the time was over")

// execute runs one command and returns its exit code.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	root := rootCommand()
	refuseShells(root)
	root.SetArgs(withCommand(args))
	root.SetOut(console.NewScreen(out, os.Getenv))
	errs = console.NewScreen(errs, os.Getenv)
	root.SetErr(errs)

	cmd, err := root.ExecuteContextC(ctx)
	var code exitCode
	switch {
	case err == nil:
		return exitGreen
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "jobconformance: interrupted; everything is stopped")
		by := interrupted{syscall.SIGINT}
		errors.As(context.Cause(ctx), &by)
		return exitSignal + int(by.Signal)
	case cmd.Context() != nil && errors.Is(context.Cause(cmd.Context()), errTimeout):
		fmt.Fprintf(errs, "jobconformance: %v; everything is stopped\n", context.Cause(cmd.Context()))
		return exitHarness
	case badinput.Is(err):
		fmt.Fprintln(errs, "jobconformance:", err)
		return exitBadInput
	default:
		fmt.Fprintln(errs, "jobconformance: the harness failed, this is no verdict:", err)
		return exitHarness
	}
}

// withCommand puts run before flags that are not the program's own, also where a shell completes them.
func withCommand(args []string) []string {
	if len(args) > 1 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) && strings.HasPrefix(args[1], "-") {
		return slices.Insert(slices.Clone(args), 1, "run")
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") &&
		!slices.Contains([]string{"-h", "--help", "-v", "--version"}, args[0]) {
		return append([]string{"run"}, args...)
	}
	return args
}

// command returns a command without its flags. It is called with as many
// arguments as use names behind the command's own name; "..." allows more, and "[" none.
func command(use, short, long, example string, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: arguments, RunE: run}
	c.Flags().SortFlags = false
	return c
}

func arguments(cmd *cobra.Command, args []string) error {
	wanted := strings.Fields(cmd.Use)[1:]
	needed := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return strings.HasPrefix(name, "[") })
	see := "see " + cmd.CommandPath() + " --help"
	switch {
	case len(args) > len(wanted) && cmd.HasSubCommands():
		cmd.SuggestionsMinimumDistance = cmd.Root().SuggestionsMinimumDistance
		if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
			see = "did you mean " + strings.Join(similar, " or ") + "?"
		}
		return badinput.New(fmt.Sprintf("unknown command %q", args[0]), see)
	case len(args) < len(needed):
		return badinput.New("missing argument: "+strings.Join(needed[len(args):], " "), see)
	case len(args) > len(wanted) && !strings.HasSuffix(cmd.Use, "..."):
		return badinput.New(fmt.Sprintf("unexpected argument %q", args[len(wanted)]), see)
	}
	return nil
}
