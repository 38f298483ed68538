// Command jobconformance checks a Job and CronJob controller: it starts a
// cluster, runs the controller against it, runs the suites, and reports which
// requirements hold. Its commands explore, soak, benchmark and crash controllers,
// reproduce known bugs, read the reports of earlier runs, and fill the cache. The
// Makefile calls it. A run starts the same program by other names: see package build.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jobconformance/jobconformance/controller/app"
	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/specs"
	ginkgo "github.com/onsi/ginkgo/v2/ginkgo/command"
	"github.com/onsi/ginkgo/v2/ginkgo/run"
	"github.com/spf13/cobra"
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

func (i interrupted) Error() string { return "interrupted by the signal " + i.Signal.String() }

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
		signal.Stop(signals) // a second Ctrl-C ends the program at once
		cancel(interrupted{first.(syscall.Signal)})
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command and returns its exit code.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	program := e2eCommand()
	program.AddCommand(exploreCommand(), soakCommand(), reproCommand(), matrixCommand(), benchCommand(), crashCommand())
	program.AddCommand(checkHistoryCommand(), compareCommand(), prefetchCommand())
	program.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return badinput.New(err.Error(), "see "+c.CommandPath()+" --help")
	})
	program.Version = cmp.Or(version.Suite(), "unknown")
	program.SilenceErrors, program.SilenceUsage = true, true
	program.SuggestionsMinimumDistance = 2
	program.CompletionOptions.DisableDefaultCmd = true
	program.SetArgs(args)
	program.SetOut(out)
	program.SetErr(errs)

	err := program.ExecuteContext(ctx)
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
	case badinput.Is(err):
		fmt.Fprintln(errs, "jobconformance:", err)
		return exitBadInput
	default:
		fmt.Fprintln(errs, "jobconformance: the harness failed, this is no verdict:", err)
		return exitHarness
	}
}

// command returns a command without its flags. It is called with as many
// arguments as use names behind the command's own name; "..." allows more.
func command(use, short, long, example string, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: arguments, RunE: run}
	c.Flags().SortFlags = false
	return c
}

func arguments(cmd *cobra.Command, args []string) error {
	wanted := strings.Fields(cmd.Use)[1:]
	see := "see " + cmd.CommandPath() + " --help"
	switch {
	case len(args) > len(wanted) && cmd.HasSubCommands():
		if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
			see = "did you mean " + strings.Join(similar, " or ") + "?"
		}
		return badinput.New(fmt.Sprintf("unknown command %q", args[0]), see)
	case len(args) < len(wanted):
		return badinput.New("missing argument: "+strings.Join(wanted[len(args):], " "), see)
	case len(args) > len(wanted) && !strings.HasSuffix(cmd.Use, "..."):
		return badinput.New(fmt.Sprintf("unexpected argument %q", args[len(wanted)]), see)
	}
	return nil
}
