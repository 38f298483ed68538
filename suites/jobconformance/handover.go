package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/explore"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/spf13/cobra"
)

const handoverHelp = `Has one controller take over the Jobs and CronJobs of another one in mid-life, as an upgrade, a
rollback or another build does. Each scenario of the exploration runs under the first
implementation alone, and then once for each of its writes and each event that it sees: the
first is killed before or after the write, or before the event, and the second starts. It has to
bring every object to the same end, stay there, and keep all invariants. What the first may
forget, such as a back-off in memory, is not held against the second. Then the same is done in
the other direction.

With --returns, it is handed over a second time, back to the first, at pairs of such steps. The
API server stays as it is; with --from-feature-gates and --to-feature-gates, one program can be
both, with a gate off and on.

Results are saved in results.jsonl in the folder for reports, and a run that is there is not
repeated: the same command resumes.

Exit codes: 0 all runs done, and no violations but known ones, 1 a violation, 2 bad
input, 3 no verdict: the time was over before all runs were done, or the harness
failed, 130 after Ctrl-C, 143 after SIGTERM. After these three, the same command resumes.`

const handoverExample = `  jobconformance handover --from=kube-controller-manager --to='exec:./mine --kubeconfig={kubeconfig}'
  jobconformance handover --from=kube-controller-manager@v1.36.4 --to=kube-controller-manager --returns=20
  jobconformance handover --from=reference --to=kube-controller-manager --one-way --scenarios='^indexed$' \
    --plan='create pods 2: hand over after'`

// side is one of the two implementations of a hand-over.
type side struct {
	name  string
	gates string
	impl  implementation.Implementation
}

// String is its name, with the gates that only it has.
func (s side) String() string {
	if s.gates == "" {
		return s.name
	}
	return s.name + " (" + s.gates + ")"
}

// handover has the values of the flags.
type handover struct {
	exploration
	from, to side
	oneWay   bool
	returns  int
	file     string
}

func handoverCommand() *cobra.Command {
	var h handover
	c := command("handover", "Have one controller take over from another at every write and every event", handoverHelp,
		handoverExample, func(cmd *cobra.Command, _ []string) error {
			h.options.Out = cmd.OutOrStdout()
			return h.run(cmd.Context(), h.options.Out)
		})
	set := c.Flags()
	set.StringVar(&h.from.name, "from", implementation.KubeControllerManager,
		"the controller that begins: "+processes+"; kube-controller-manager@v1.36.4 is that of a version")
	set.StringVar(&h.to.name, "to", implementation.Reference, "the controller that takes over: the same")
	set.StringVar(&h.from.gates, "from-feature-gates", "",
		"feature gates of the first alone, if it is "+implementation.Reference+" or "+
			implementation.KubeControllerManager+" (default: those of the cluster)")
	set.StringVar(&h.to.gates, "to-feature-gates", "", "those of the second alone (default: those of the cluster)")
	set.BoolVar(&h.oneWay, "one-way", false, "leave the other direction out")
	set.IntVar(&h.returns, "returns", 0,
		"run each scenario with this many pairs of hand-overs, there and back, as well")
	set.StringVar(&h.file, "scenario", "",
		"run only this file, such as one of the folder found, as it is: its faults say when it is handed over")
	h.flags(set, "handover", "create pods 2: hand over after")
	return c
}

// check rejects bad input before anything is started.
func (h *handover) check() (err error) {
	if h.file != "" && (h.scenarios != "" || h.plan != "") {
		return badinput.New(console.Flag("scenario")+" is a whole run already",
			"leave "+console.Flag("scenarios")+" and "+console.Flag("plan")+" out")
	}
	for _, s := range []*side{&h.from, &h.to} {
		if s.impl, err = proxied(s.name); err != nil {
			return err
		}
		if s.gates != "" && !s.impl.Bundled() {
			return badinput.New(fmt.Sprintf("the feature gates of %s are its own", s.name), "give them in its command")
		}
		if _, err := gates.Parse(s.gates); err != nil {
			return err
		}
	}
	if h.returns < 0 {
		return badinput.New("a number of hand-overs is negative", "give "+console.Flag("returns")+" 0 or more")
	}
	if err := h.choose(); err != nil {
		return err
	}
	if h.plan != "" || h.file != "" {
		h.oneWay = true
	}
	return nil
}

func (h *handover) run(ctx context.Context, out io.Writer) error {
	if err := h.check(); err != nil {
		return err
	}
	var given *scenario.Scenario
	if h.file != "" {
		var err error
		if given, err = scenario.Load(h.file); err != nil {
			return err
		}
	}
	h.options.Implementation, h.options.Others = h.from.impl, []implementation.Implementation{h.to.impl}
	var prints []func() error // the results, after the cluster has stopped
	err := scenario.With(ctx, h.options,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment) error {
			directions := [][2]side{{h.from, h.to}}
			if !h.oneWay {
				directions = append(directions, [2]side{h.to, h.from})
			}
			older := env.Version()
			for _, s := range directions[0] {
				older = version.Skew{APIServer: older, Controller: s.impl.Upstream()}.Older()
			}
			if err := h.keep(older, out); err != nil {
				return err
			}
			environment.Version = older
			for _, d := range directions {
				begins, takesOver := d[0].as(env.Version()), d[1].as(env.Version())
				environment.Implementation = begins
				environment.Successors = []implementation.Implementation{takesOver}
				print, err := h.direction(ctx, env, environment, d, given, out)
				if err != nil {
					return err
				}
				prints = append(prints, print)
			}
			return nil
		})
	if err != nil {
		return err
	}
	var worst error
	for _, print := range prints {
		if err := print(); err != nil && (worst == nil || err == exitCode(exitRed)) {
			worst = err
		}
	}
	return worst
}

// as returns the implementation with its own gates, on a cluster of a version.
func (s side) as(cluster string) implementation.Implementation {
	if s.gates == "" {
		return s.impl
	}
	return s.impl.WithGates(s.gates, cmp.Or(s.impl.Upstream(), cluster))
}

// direction explores one direction, or replays what is asked for.
func (h *handover) direction(ctx context.Context, env *run.Environment, environment scenario.Environment, d [2]side,
	given *scenario.Scenario, out io.Writer) (print func() error, err error) {
	title := fmt.Sprintf("%s, then %s", d[0], d[1])
	switch {
	case given != nil:
		r, err := environment.Run(ctx, given)
		if err != nil {
			return nil, err
		}
		return replayed(r, title+": "+filepath.Base(h.file), out), nil
	case h.plan != "":
		return h.replay(ctx, environment, title, out)
	}
	identity := explore.Identity{Implementation: title, Kubernetes: env.Version()}
	var known []spec.Bug
	for _, s := range d {
		program, err := digest(s.impl.Program(env.Builds))
		if err != nil {
			return nil, err
		}
		identity.Program += program
		of := cmp.Or(s.impl.Upstream(), env.Version())
		bugs, err := explore.Expected(s.name, of, env.GatesOn(of))
		if err != nil {
			return nil, err
		}
		for _, b := range bugs {
			if !slices.ContainsFunc(known, func(k spec.Bug) bool { return k.Name() == b.Name() }) {
				known = append(known, b)
			}
		}
	}
	console.Line(out, title, "%d scenarios", len(h.chosen))
	return h.begin(ctx, env.Reports, identity, out, &explore.Explorer{
		Runner: explore.On(environment), HandOver: true, Returns: h.returns, Known: known,
		Again: func(sc, plan string) string { return h.again("handover", sc, plan, words(d)...) },
	})
}

// words are the flags that say which implementations hand over.
func words(d [2]side) []string {
	all := []string{console.Argument("from", d[0].name), console.Argument("to", d[1].name)}
	for i, flag := range []string{"from-feature-gates", "to-feature-gates"} {
		if d[i].gates != "" {
			all = append(all, console.Argument(flag, d[i].gates))
		}
	}
	return all
}
