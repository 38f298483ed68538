package bench

import (
	"strings"
	"testing"
)

func TestChosenRows(t *testing.T) {
	for asked, want := range map[string]string{
		"":          "jobs job indexed cronjobs failing",
		"long":      "long",
		"long,jobs": "jobs long",
	} {
		o := Options{Scale: 1, Repeat: 1, Limits: []Limit{Unlimited}}
		if asked != "" {
			o.Rows = strings.Split(asked, ",")
		}
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range o.rows() {
			names = append(names, r.name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q chooses %q, want %q", asked, got, want)
		}
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"200/400":   {QPS: 200, Burst: 400},
		"50":        {QPS: 50, Burst: 50},
		"unlimited": Unlimited,
	} {
		got, err := ParseLimit(text)
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
		if back, err := ParseLimit(got.String()); err != nil || back != got {
			t.Errorf("%v is written %s", got, got)
		}
	}
}
