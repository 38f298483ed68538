package scenario

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/prometheus/common/model"
)

var errNotWatched = errors.New("metrics are not watched: use them in await and stays")

// refersTo reports whether an expression has a variable.
func refersTo(a *cel.Ast, variable string) bool {
	for _, r := range a.NativeRep().ReferenceMap() {
		if r.Name == variable {
			return true
		}
	}
	return false
}

// Measures reports whether an expression is about metrics of the implementation.
func (s *Scenario) Measures() bool { return s.expects("metrics") }

// expects reports whether what a step expects is about a variable.
func (s *Scenario) expects(variable string) bool {
	for i := range s.Steps {
		if when, text := s.Steps[i].expects(); when != nothing {
			if e, err := compile(text); err == nil && refersTo(e.ast, variable) {
				return true
			}
		}
	}
	return false
}

// checkWhich refuses an expression that does not choose objects of the kind of p.
func (a about) checkWhich(text string) error {
	e, err := compile(text)
	switch {
	case err != nil:
		return err
	case e.measures:
		return errNotWatched
	}
	return a.check(text)
}

// measured is expression.holds with the metrics that the implementation serves now. It is not
// true while they cannot be read, as before the process serves them.
func (r *runner) measured(ctx context.Context, e expression) string {
	ctx, cancel := context.WithTimeout(ctx, r.Waits().Reaction)
	defer cancel()
	all, err := r.implementation.Metrics(ctx)
	if err != nil {
		return fmt.Sprintf("%s: its metrics cannot be read: %v", e.text, err)
	}
	now := r.world.now()
	now["metrics"] = list(all, func(s **model.Sample) any { return *s })
	failed := e.holds(now)
	if failed != "" {
		failed += served(e.text, all)
	}
	return failed
}

// served are the series whose names are in an expression, with their values.
func served(text string, all model.Vector) string {
	var lines []string
	for _, s := range all {
		if strings.Contains(text, string(s.Metric[model.MetricNameLabel])) {
			lines = append(lines, fmt.Sprintf("\n%s %v", s.Metric, s.Value))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// value is the sum of the series that a line of /metrics without its value stands for.
func value(metrics, series ref.Val) ref.Val {
	text, _ := series.Value().(string)
	samples, err := metrics.ConvertToNative(reflect.TypeFor[[]any]())
	if err != nil {
		return types.WrapErr(err)
	}
	var all model.Vector
	for _, s := range samples.([]any) {
		if s, ok := s.(*model.Sample); ok {
			all = append(all, s)
		}
	}
	sum, err := implementation.Sum(all, text)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Double(sum)
}
