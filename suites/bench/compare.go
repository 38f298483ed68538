package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/bench/contest"
	"github.com/jobconformance/jobconformance/suites/bench/report"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/jobconformance/jobconformance/suites/bench/usage"
	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/e2e-framework/support"
)

const compareHelp = `Runs the reference controller and kube-controller-manager of the cluster's version,
with its Job and CronJob controllers alone, by turns on one embedded cluster: every
row in a namespace of its own, with a process of its own. Prints Markdown.

  seconds        from the first request to the moment the last Job is finished
  calls per pod  the controller's requests except watches, told by the API
                 server's audit log of its user
  peak MiB       most resident memory of the process (VmHWM)
  CPU seconds    of the process, for the row alone

Figures are medians over --repeat; a ratio below 1 is in the reference's favour. The
pods are not played by KWOK: the benchmark writes their statuses itself, one
for each pod, as soon as it sees it. What the machine does without a controller is
measured as well.`

// compare has the values of the flags.
type compare struct {
	rows    []string
	limits  []string
	repeat  int
	scale   float64
	floors  bool
	options run.Options
	errs    io.Writer
}

func compareCommand() *cobra.Command {
	var c compare
	command := &cobra.Command{
		Use:   "compare",
		Short: "Measure the reference controller against kube-controller-manager",
		Long:  compareHelp,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.errs = cmd.ErrOrStderr()
			return c.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringSliceVar(&c.rows, "rows", nil, "rows to measure: "+strings.Join(rowNames(), ", ")+" (default: all but long)")
	set.StringSliceVar(&c.limits, "qps", []string{"200/400", "unlimited"}, "rate limits of the controllers' clients, as requests a second/at once, or unlimited; a table for each")
	set.IntVar(&c.repeat, "repeat", 1, "measure every row so many times, and print medians")
	set.Float64Var(&c.scale, "scale", 1, "size of the rows: 0.1 tries out in a minute whether all works")
	set.BoolVar(&c.floors, "floors", true, "measure what the machine does without a controller, too")
	commonFlags(command, &c.options)
	return command
}

// commonFlags are those of all commands.
func commonFlags(command *cobra.Command, o *run.Options) {
	set := command.Flags()
	set.StringVar(&o.Build.KubernetesVersion, "kubernetes-version", build.DefaultKubernetesVersion, "version of the control plane and of kube-controller-manager as the implementation")
	set.StringVar(&o.Build.AssetsDir, "assets", "", "folder with ready-made kube-apiserver and etcd to use instead of built ones, as in $KUBEBUILDER_ASSETS")
	set.StringVar(&o.Build.CacheDir, "cache-dir", "", "folder for built control planes (default: jobconformance in the user's cache folder)")
	set.StringVar(&o.Reports, "reports", "", "folder for logs (default: reports in the checkout)")
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badinput.New(fmt.Sprintf("unexpected argument %q", args[0]), "there are only flags, see --help")
	}
	return nil
}

func rowNames() []string {
	var names []string
	for _, r := range contest.Rows(1) {
		names = append(names, r.Name)
	}
	return names
}

// chosen returns the rows that were asked for.
func (c *compare) chosen() ([]contest.Row, error) {
	for _, name := range c.rows {
		if !slices.Contains(rowNames(), name) {
			return nil, badinput.New(fmt.Sprintf("unknown row %q", name), "use "+strings.Join(rowNames(), ", "))
		}
	}
	return slices.DeleteFunc(contest.Rows(c.scale), func(r contest.Row) bool {
		if len(c.rows) == 0 {
			return r.Long
		}
		return !slices.Contains(c.rows, r.Name)
	}), nil
}

// parseLimit reads "200/400", "200" or "unlimited".
func parseLimit(text string) (contest.Limit, error) {
	if text == "unlimited" {
		return contest.Unlimited, nil
	}
	qps, burst, both := strings.Cut(text, "/")
	var l contest.Limit
	var err, err2 error
	l.QPS, err = strconv.Atoi(qps)
	l.Burst = l.QPS
	if both {
		l.Burst, err2 = strconv.Atoi(burst)
	}
	if cmp.Or(err, err2) != nil || l.QPS < 1 || l.Burst < 1 {
		return l, badinput.New(fmt.Sprintf("%q is no rate limit", text), "write one like 200/400, or unlimited")
	}
	return l, nil
}

func (c *compare) run(ctx context.Context, out io.Writer) error {
	rows, err := c.chosen()
	if err != nil {
		return err
	}
	var limits []contest.Limit
	for _, text := range c.limits {
		l, err := parseLimit(text)
		if err != nil {
			return err
		}
		limits = append(limits, l)
	}
	if c.repeat < 1 || len(limits) == 0 || !(c.scale > 0) || c.scale > 100 {
		return badinput.New("there is nothing to measure", "give --repeat 1 or more, a --qps and a --scale above 0")
	}
	before, err := usage.ThisMachine()
	if err != nil {
		return err
	}
	var result strings.Builder
	version, err := c.measure(ctx, &result, rows, limits)
	if err != nil {
		return err
	}
	after, err := usage.ThisMachine()
	if err != nil {
		return err
	}
	report.Header(out, version, before, after)
	_, err = fmt.Fprintf(out, "Workers: %d of each controller.\n\n%s", contest.Workers, result.String())
	return err
}

// measure opens a Lab for all that is measured, and writes the tables.
func (c *compare) measure(ctx context.Context, out io.Writer, rows []contest.Row, limits []contest.Limit) (version string, err error) {
	counter := &requests.Counter{}
	lab, client, err := openLab(ctx, c.options, implementation.Reference, counter, c.errs)
	if err != nil {
		return "", err
	}
	defer lab.Close()
	con := &contest.Contest{Lab: lab, Counter: counter, Client: client}
	if c.floors {
		floors, err := c.measureFloors(ctx, con)
		if err != nil {
			return "", err
		}
		report.Floors(out, floors)
	}
	for _, limit := range limits {
		lines, err := c.measureRows(ctx, con, rows, limit)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(out, "Client rate limit (requests a second/at once): %s\n\n", limit)
		report.Comparison(out, lines)
		report.Calls(out, lines)
	}
	return lab.Version(), nil
}

// openLab starts an embedded cluster whose audit log of the implementation goes
// to the counter.
func openLab(ctx context.Context, o run.Options, name string, counter *requests.Counter, errs io.Writer) (*run.Lab, *kubernetes.Clientset, error) {
	impl, err := implementation.Parse(name)
	if err != nil {
		return nil, nil, err
	}
	o.Implementation, o.Out, o.Bare = impl, errs, true
	o.Embedded = []support.ClusterOpts{cluster.WithAudit(run.ImplementationUser, counter)}
	lab, err := run.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	config := lab.Config()
	config.UserAgent = "jobconformance (bench)"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		lab.Close()
		return nil, nil, err
	}
	return lab, client, nil
}

func (c *compare) measureFloors(ctx context.Context, con *contest.Contest) ([]report.Floor, error) {
	var floors []report.Floor
	for _, f := range contest.Floors(c.scale) {
		line := report.Floor{Text: f.Text, Pods: f.Pods}
		for range c.repeat {
			took, err := con.MeasureFloor(ctx, f)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(c.errs, "%-70s %s\n", f.Text, took.Round(10*time.Millisecond))
			line.Seconds = append(line.Seconds, took.Seconds())
		}
		floors = append(floors, line)
	}
	return floors, nil
}

// measureRows lets the controllers take turns in who goes first.
func (c *compare) measureRows(ctx context.Context, con *contest.Contest, rows []contest.Row, limit contest.Limit) ([]report.Line, error) {
	var lines []report.Line
	for n, row := range rows {
		line := report.Line{Text: row.Text, Pods: row.Pods}
		for again := range c.repeat {
			pair := []struct {
				name string
				to   *[]report.Figures
			}{{implementation.Reference, &line.Ours}, {implementation.KubeControllerManager, &line.Theirs}}
			if (n+again)%2 == 1 {
				slices.Reverse(pair)
			}
			for _, turn := range pair {
				impl, err := implementation.Parse(turn.name)
				if err != nil {
					return nil, err
				}
				s, err := con.Measure(ctx, impl, limit, row)
				if err != nil {
					return nil, err
				}
				fmt.Fprintf(c.errs, "%-70s %-9s %8s %6d calls\n", row.Text+", "+turn.name, limit, s.Time.Round(10*time.Millisecond), s.Calls.Total())
				*turn.to = append(*turn.to, report.Figures{Seconds: s.Time.Seconds(), Calls: s.Calls, CPU: s.CPU, MiB: float64(s.Peak) / (1 << 20)})
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}
