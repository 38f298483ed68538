package scenario

import (
	"strings"
	"testing"

	"github.com/prometheus/common/model"
)

func TestTheValueOfMetrics(t *testing.T) {
	series := []*model.Sample{
		{Metric: model.Metric{"__name__": "pods_total", "reason": "new", "status": "failed"}, Value: 1},
		{Metric: model.Metric{"__name__": "pods_total", "reason": "new", "status": "succeeded"}, Value: 2},
		{Metric: model.Metric{"__name__": "pods_total", "reason": "recreate", "status": "succeeded"}, Value: 3},
		{Metric: model.Metric{"__name__": "took_sum"}, Value: 0.5},
	}
	for text, want := range map[string]string{
		`value(metrics, 'pods_total{status="succeeded"}') == 5`:              "",
		`value(metrics, 'pods_total{status="succeeded",reason="new"}') == 2`: "",
		`value(metrics, 'pods_total') >= 6 && size(jobs) == 0`:               "",
		`value(metrics, 'took_sum') < 1`:                                     "",
		`value(metrics, 'nothing_total') == 0`:                               "",
		`value(metrics, 'pods_total') == 5`:                                  "it is false",
		`value(metrics, 'pods_total{status=failed}') == 1`:                   "is no series such as",
	} {
		e, err := compile(text)
		if err != nil || !e.measures {
			t.Errorf("%s: %v", text, err)
			continue
		}
		world := map[string]any{"jobs": map[string]any{}, "metrics": list(series, func(s **model.Sample) any {
			return *s
		})}
		if got := e.holds(world); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAFailureShowsTheSeries(t *testing.T) {
	all := model.Vector{
		{Metric: model.Metric{"__name__": "pods_total", "status": "failed"}, Value: 1},
		{Metric: model.Metric{"__name__": "took_sum"}, Value: 0.5},
	}
	if got, want := served("value(metrics, 'pods_total') == 2", all), "\npods_total{status=\"failed\"} 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhatMeasures(t *testing.T) {
	for step, want := range map[*Step]bool{
		{Await: "value(metrics, 'depth') == 0"}:               true,
		{Stays: "value(metrics, 'depth') == 0"}:               true,
		{Await: "jobs.exists(name, name == 'metrics')"}:       false,
		{Patch: &Patch{Kind: "Pod", Which: "size(jobs) > 0"}}: false,
	} {
		if got := (&Scenario{Steps: []Step{{Pause: 1}, *step}}).Measures(); got != want {
			t.Errorf("%s: %v", step, got)
		}
	}
}
