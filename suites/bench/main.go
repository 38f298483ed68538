// Command bench measures the reference controller against upstream's, and tries
// out what becomes of Jobs when a controller is killed again and again. `make
// bench` and `make crash` call it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/spf13/cobra"
)

// Exit codes of this program.
const (
	exitGreen       = 0
	exitRed         = 1
	exitBadInput    = 2
	exitHarness     = 3
	exitInterrupted = 130
)

// errRed says that there is a result, and that it is not what it should be.
var errRed = errors.New("red")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure Job controllers, and kill them",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return badinput.New(fmt.Sprintf("unknown command %q", args[0]), "use compare or crash")
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			return badinput.New("no command", "use compare or crash; see bench --help")
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(compareCommand(), crashCommand())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return badinput.New(err.Error(), "see bench --help")
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitGreen
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "bench: interrupted, everything is stopped")
		return exitInterrupted
	case errors.Is(err, errRed):
		return exitRed
	case badinput.Is(err), strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintln(errs, "bench:", err)
		return exitBadInput
	default:
		fmt.Fprintln(errs, "bench: it failed, this is no result:", err)
		return exitHarness
	}
}
