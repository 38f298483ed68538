package soak

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/suites/scenario"
	"pgregory.net/rapid"
)

// shrink makes the first finding as small as it gets. What depends on a race may
// not show again: then it stays as it is, and the result says so.
func (o Options) shrink(ctx context.Context, t *Tally) error {
	first := t.Findings[0]
	fmt.Fprintf(o.Out, "workload %d is made smaller, for up to %s\n", first.Seed, o.Shrink)
	beginWith(first.Seed, o.Shrink)
	shrinking, stop := context.WithTimeout(ctx, 2*o.Shrink)
	defer stop()
	s := &shrinker{name: fmt.Sprint("workload ", first.Seed)}
	var smallest *scenario.Scenario
	var result *scenario.Result
	s.run(func() {
		rapid.Check(s, func(rt *rapid.T) {
			next := Workload.Draw(rt, "workload")
			next.Description = fmt.Sprintf("random workload %d, made small", first.Seed)
			r, err := o.Environment.Run(shrinking, next)
			if err != nil || r.Green() {
				return
			}
			if smallest == nil || len(next.Steps) <= len(smallest.Steps) {
				smallest, result = next, r
			}
			rt.Fatalf("it went wrong")
		})
	})
	if smallest == nil {
		fmt.Fprintf(o.Out, "workload %d went well this time: it takes a race\n", first.Seed)
		return ctx.Err()
	}
	finding, err := o.keep(fmt.Sprintf("workload-%d-small", first.Seed), smallest, result)
	if err != nil {
		return err
	}
	finding.Seed = first.Seed
	t.Smallest = &finding
	return ctx.Err()
}

// beginWith makes the next rapid.Check begin with a seed, and end after a time.
func beginWith(seed int, limit time.Duration) {
	testing.Init() // package rapid asks for its flags
	if !flag.Parsed() {
		// This program has others, which package flag does not know.
		_ = flag.CommandLine.Parse(nil)
	}
	for name, value := range map[string]string{
		"rapid.seed": strconv.Itoa(seed), "rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": limit.String(),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err) // the flags and the values are those of the package
		}
	}
}

// shrinker is what package rapid talks to, outside of a test.
type shrinker struct {
	name   string
	failed bool
}

// end is how a test ends before its time.
type end struct{}

// run runs what may end so.
func (s *shrinker) run(check func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(end); !ok {
				panic(r)
			}
		}
	}()
	check()
}

func (s *shrinker) Helper()               {}
func (s *shrinker) Name() string          { return s.name }
func (s *shrinker) Logf(string, ...any)   {}
func (s *shrinker) Log(...any)            {}
func (s *shrinker) Skipf(string, ...any)  { s.SkipNow() }
func (s *shrinker) Skip(...any)           { s.SkipNow() }
func (s *shrinker) SkipNow()              { panic(end{}) }
func (s *shrinker) Errorf(string, ...any) { s.Fail() }
func (s *shrinker) Error(...any)          { s.Fail() }
func (s *shrinker) Fatalf(string, ...any) { s.FailNow() }
func (s *shrinker) Fatal(...any)          { s.FailNow() }
func (s *shrinker) FailNow()              { s.failed = true; panic(end{}) }
func (s *shrinker) Fail()                 { s.failed = true }
func (s *shrinker) Failed() bool          { return s.failed }

var _ rapid.TB = (*shrinker)(nil)
