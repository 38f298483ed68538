package report

import (
	"strings"
	"testing"
)

func TestGrowthOfRequests(t *testing.T) {
	of := func(creates, statuses int) map[string]Requests {
		return map[string]Requests{"one": {"create pods": creates, "update jobs/status": 10},
			"two": {"update jobs/status": statuses}}
	}
	for name, c := range map[string]struct {
		old, new map[string]Requests
		want     string
	}{
		"the same": {of(5, 100), of(5, 100), ""},
		"noise":    {of(5, 100), of(6, 145), ""},
		"Events": {map[string]Requests{"one": {}},
			map[string]Requests{"one": {"create events": 90}}, ""},
		"few of which there are twice":  {of(5, 100), of(20, 100), ""},
		"less":                          {of(5, 200), of(5, 100), ""},
		"a spec that the old one lacks": {map[string]Requests{"one": {}}, of(5, 300), ""},
		"the old one has none at all":   {nil, of(5, 300), ""},
		"a status is written again and again": {of(5, 100), of(5, 300),
			"more requests: update jobs/status, 110, then 310; most in two (100, then 300)"},
		"what was never sent": {map[string]Requests{"one": {}}, map[string]Requests{"one": {"get pods": 40}},
			"more requests: get pods, 0, then 40; most in one (0, then 40)"},
	} {
		var lines []string
		for _, g := range growth(c.old, c.new) {
			lines = append(lines, g.String())
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
