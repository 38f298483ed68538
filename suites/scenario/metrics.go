package scenario

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metricsEvery is how often an awaited metric is read.
const metricsEvery = 200 * time.Millisecond

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
func (s *Scenario) Measures() bool {
	for i := range s.Steps {
		if when, text := s.Steps[i].expects(); when != nothing {
			if e, err := compile(text); err == nil && e.measures {
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
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text + " 0\n"))
	if err != nil || len(families) != 1 {
		return types.NewErr(`%q is no series such as name{label="value"}: %v`, text, err)
	}
	all, err := metrics.ConvertToNative(reflect.TypeFor[[]any]())
	if err != nil {
		return types.WrapErr(err)
	}
	var want model.Vector
	for _, family := range families {
		if want, err = expfmt.ExtractSamples(&expfmt.DecodeOptions{}, family); err != nil || len(want) != 1 {
			return types.NewErr("%q is not one series: %v", text, err)
		}
	}
	var sum types.Double
	for _, s := range all.([]any) {
		if s, ok := s.(*model.Sample); ok && has(s.Metric, want[0].Metric) {
			sum += types.Double(s.Value)
		}
	}
	return sum
}

// has reports whether a series has these labels, its name among them.
func has(m, labels model.Metric) bool {
	for name, value := range labels {
		if m[name] != value {
			return false
		}
	}
	return true
}
