package timeline

import (
	"maps"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
)

// implementations are the faults of each implementation, in the order of their first.
func implementations(all []history.Call) [][]history.Call {
	at := map[string]int{}
	var groups [][]history.Call
	for _, f := range all {
		i, known := at[f.By]
		if !known {
			i = len(groups)
			at[f.By] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// implementation draws the lane of an implementation and returns its height: a bar for
// each life, thinner ones while something was kept from it, and a mark for each
// fault.
func (c *canvas) implementation(met []history.Call, y float64) float64 {
	name := "implementation"
	if by := met[0].By; by != "" {
		name = by
	}
	c.add(`<text class="n" x="%d" y="%.0f">%s</text>`, 4, y+13, escape(name))
	since := map[string]time.Time{} // what goes on, by what ended it
	ended := func(end string, at time.Time) {
		from, open := since[end]
		if !open {
			return
		}
		delete(since, end)
		if end == history.VerbKill {
			c.add(`<rect class="life" x="%.1f" y="%.0f" width="%.1f" height="%d"/>`, c.x(from), y+4,
				max(c.x(at)-c.x(from), 0.5), pod-8)
		} else {
			c.add(`<rect class="kept" x="%.1f" y="%.0f" width="%.1f" height="3"/>`, c.x(from), y+pod-3,
				max(c.x(at)-c.x(from), 0.5))
		}
	}
	for _, f := range met {
		switch f.Verb {
		case history.VerbStart:
			since[history.VerbKill] = f.At
		case history.VerbKill, history.VerbStop, history.VerbEnd:
			ended(history.VerbKill, f.At)
		case history.VerbHold:
			since[f.Resource] = f.At
		case history.VerbRelease:
			ended(f.Resource, f.At)
		case history.VerbCut:
			since[history.VerbRestore] = f.At
		case history.VerbRestore:
			ended(history.VerbRestore, f.At)
		case history.VerbFreeze:
			since[history.VerbThaw] = f.At
		case history.VerbThaw:
			ended(history.VerbThaw, f.At)
		}
	}
	for _, end := range slices.Sorted(maps.Keys(since)) {
		ended(end, c.to)
	}
	for _, f := range met {
		class := "f"
		if f.Refused() {
			class = "r"
		}
		x, middle := c.x(f.At), y+pod/2
		c.add(`<path class="%s" d="M%.1f %.1fl4 4l-4 4l-4 -4z"><title>%.3fs %s</title></path>`,
			class, x, middle-4, f.At.Sub(c.from).Seconds(), escape(f.String()))
	}
	return pod + 2
}
