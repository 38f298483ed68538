// Package timeline draws a history as a picture: a lane for each Job and CronJob
// with its conditions and counters, below it one for each pod with its phases,
// and marks where the spec itself did something and where an invariant broke. An
// implementation that met faults has a lane of its own.
package timeline

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

// The measures of a picture, in pixels.
const (
	width     = 960
	labels    = 190 // room for names at the left
	right     = 20
	top       = 24 // room for the axis
	owner     = 46 // height of the lane of a Job or CronJob with two rows of conditions, or fewer
	row       = 10 // height of a row of conditions
	letter    = 6  // width of a letter
	pod       = 18
	maxLanes  = 60 // more would be no picture any more
	minWindow = 100 * time.Millisecond
)

// SVG draws a history, with the revisions of its violations in red. It gives an
// svg element that a page styles by its classes; nothing when nothing happened.
func SVG(h history.History, violations []invariants.Violation) string {
	if len(h.Revisions) == 0 {
		return ""
	}
	c := &canvas{blamed: blamed(violations)}
	c.from, c.to = window(h)
	lanes, left := lanesOf(h)
	y := float64(top)
	for _, s := range implementations(h.Incidents()) {
		y += c.implementation(s, y)
	}
	for _, lane := range lanes {
		y += c.lane(lane, y)
	}
	for _, line := range left.lines() {
		c.add(`<text class="n" x="4" y="%.0f">%s</text>`, y+13, line)
		y += pod
	}
	c.axis(y)
	span := c.to.Sub(c.from).Milliseconds()
	return fmt.Sprintf(`<svg class="tl" viewBox="0 0 %d %.0f" role="img" aria-label="timeline" `+
		`data-left="%d" data-wide="%d" data-room="%d" data-span="%d">%s%s</svg>`,
		width, y+6, labels, width, width-labels-right, span, c.under.String(), c.b.String())
}

// window returns when the first and the last of a history happened.
func window(h history.History) (from, to time.Time) {
	from, to = h.Revisions[0].At, h.Revisions[0].At
	note := func(at time.Time) {
		if at.Before(from) {
			from = at
		}
		if at.After(to) {
			to = at
		}
	}
	for _, r := range h.Revisions {
		note(r.At)
	}
	for _, c := range h.Incidents() {
		note(c.At)
	}
	if to.Sub(from) < minWindow {
		to = from.Add(minWindow)
	}
	return from, to
}

// lane is one object's revisions, in order.
type lane struct {
	key       types.UID
	revisions []history.Revision
}

func (l lane) kind() string { return l.revisions[0].Kind() }
func (l lane) name() string { return l.revisions[0].Object.GetName() }

// left is how much a picture has no room for.
type left struct{ objects, revisions int }

func (l left) lines() (lines []string) {
	if l.objects > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", l.objects))
	}
	if l.revisions > 0 {
		lines = append(lines, fmt.Sprintf("%d later revisions of these objects are in the history only", l.revisions))
	}
	return lines
}

// lanesOf are the objects as they appear, each pod below its Job, each Job below
// its CronJob, and what there was no room for.
func lanesOf(h history.History) (lanes []lane, rest left) {
	at := map[types.UID]int{}
	var all []lane
	for _, r := range h.Revisions {
		if r.Kind() == "Event" {
			continue
		}
		key := r.Object.GetUID()
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, lane{key: key})
		}
		all[i].revisions = append(all[i].revisions, r)
	}
	below := map[types.UID][]lane{}
	var roots []lane
	for _, l := range all {
		owned := false
		for _, o := range l.revisions[0].Object.GetOwnerReferences() {
			if _, there := at[o.UID]; there && o.UID != l.key && !owned {
				below[o.UID] = append(below[o.UID], l)
				owned = true
			}
		}
		if !owned {
			roots = append(roots, l)
		}
	}
	var walk func([]lane)
	walk = func(some []lane) {
		for _, l := range some {
			lanes = append(lanes, l)
			walk(below[l.key])
		}
	}
	walk(roots)
	if len(lanes) > maxLanes {
		rest.objects = len(lanes) - maxLanes
		lanes = lanes[:maxLanes]
	}
	room := limits.Drawn
	for i, l := range lanes {
		// Each lane has one at least.
		n := min(len(l.revisions), max(room-(len(lanes)-1-i), 1))
		rest.revisions += len(l.revisions) - n
		lanes[i].revisions = l.revisions[:n]
		room -= n
	}
	return lanes, rest
}

// mark is a revision that a violation shows.
type mark struct {
	object  types.UID
	version string
	change  watch.EventType
}

func markOf(r history.Revision) mark {
	return mark{r.Object.GetUID(), r.Object.GetResourceVersion(), r.Type}
}

func blamed(violations []invariants.Violation) map[mark]string {
	m := map[mark]string{}
	for _, v := range violations {
		for _, r := range v.Revisions {
			m[markOf(r)] = v.Invariant.ID
		}
	}
	return m
}

type canvas struct {
	from, to time.Time
	blamed   map[mark]string
	drawn    int             // revisions
	under, b strings.Builder // under is drawn first
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// escape returns a text as that of an element or an attribute, without what is no text.
func escape(text string) string { return html.EscapeString(console.Escape(text)) }

func (c *canvas) x(at time.Time) float64 {
	share := float64(at.Sub(c.from)) / float64(c.to.Sub(c.from))
	return labels + share*(width-labels-right)
}

// axis draws the times since the first revision, about eight of them.
func (c *canvas) axis(bottom float64) {
	span := c.to.Sub(c.from)
	step := 10 * time.Millisecond
	for _, next := range []time.Duration{20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000,
		600_000, 3_600_000} {
		if span/step <= 8 {
			break
		}
		step = next * time.Millisecond
	}
	for t := time.Duration(0); t <= span; t += step {
		x := c.x(c.from.Add(t))
		fmt.Fprintf(&c.under, `<path class="g" d="M%.1f %dV%.0f"/><text class="t" x="%.1f" y="12">%s</text>`, x, top-8,
			bottom, x, t)
	}
}

// lane draws one and returns its height.
func (c *canvas) lane(l lane, y float64) float64 {
	height := float64(pod)
	if l.kind() == "Pod" {
		c.pod(l, y)
	} else {
		conditions, rows := c.conditions(l)
		height = owner + row*float64(max(rows-2, 0))
		c.owner(l, y, height)
		for _, f := range conditions {
			c.add(`<path class="c" d="M%.1f %.1fV%.1f"/><text class="c" x="%.1f" dx="%.1f" y="%.1f">%s</text>`,
				f.at, y+2, y+height-pod, f.at, f.x-f.at, y+row*float64(f.row+1), escape(f.name))
		}
	}
	name := l.name()
	if len(name) > 26 {
		name = name[:25] + "…"
	}
	c.add(`<text class="n" x="%d" y="%.0f">%s %s</text>`, 4, y+13, l.kind(), escape(name))
	for i, r := range l.revisions {
		c.dot(r, said(l.revisions, i), y+height-pod/2)
	}
	return height
}

// dot is one revision; a pointer that rests on it reads what changed.
func (c *canvas) dot(r history.Revision, title string, y float64) {
	class, size := "d", 2.5
	if r.ByHarness() {
		class, size = "d h", 3.5
	}
	if id, bad := c.blamed[markOf(r)]; bad {
		class, size = "d bad", 5
		title += " — breaks " + id
		fmt.Fprintf(&c.under, `<path class="bad" d="M%.1f %dV%.0f"/>`, c.x(r.At), top-8, y)
	}
	c.add(`<circle class="%s" cx="%.1f" cy="%.0f" r="%.1f" data-r="%d"><title>%.3fs %s</title></circle>`,
		class, c.x(r.At), y, size, c.drawn, r.At.Sub(c.from).Seconds(), escape(title))
	c.drawn++
}

// pod draws the phases of a pod as bars.
func (c *canvas) pod(l lane, y float64) {
	for i, r := range l.revisions {
		if r.Type == watch.Deleted {
			continue
		}
		end := c.to
		if i+1 < len(l.revisions) {
			end = l.revisions[i+1].At
		}
		p := r.Pod()
		class := strings.ToLower(string(p.Status.Phase))
		if class == "" {
			class = "pending"
		}
		if p.DeletionTimestamp != nil {
			class += " going"
		}
		c.add(`<rect class="%s" x="%.1f" y="%.0f" width="%.1f" height="%d"/>`, escape(class), c.x(r.At), y+4,
			max(c.x(end)-c.x(r.At), 0.5), pod-8)
	}
}

// condition is one that becomes true, with the place of its name.
type condition struct {
	name  string
	at, x float64 // of the revision, and where the name begins
	row   int
}

// conditions places the names of a Job's conditions: each in the first row where none
// that came earlier reaches into it. It returns how many rows there are.
func (c *canvas) conditions(l lane) (all []condition, rows int) {
	var ends []float64 // of the last name in each row
	for i, r := range l.revisions {
		if r.Job() == nil {
			continue
		}
		for _, name := range news(l.revisions, i) {
			size := float64(letter * len(name))
			f := condition{name: name, at: c.x(r.At), x: c.x(r.At) + 3}
			if f.x+size > width {
				f.x = f.at - 3 - size
			}
			f.row = slices.IndexFunc(ends, func(end float64) bool { return end < f.x })
			if f.row < 0 {
				f.row = len(ends)
				ends = append(ends, 0)
			}
			ends[f.row] = f.x + size + letter
			all = append(all, f)
		}
	}
	return all, len(ends)
}

// owner draws how many pods of a Job, or Jobs of a CronJob, are active.
func (c *canvas) owner(l lane, y, height float64) {
	highest := 1
	for _, r := range l.revisions {
		highest = max(highest, active(r))
	}
	base, room := y+height-pod, height-pod-4
	var path strings.Builder
	last := 0.0
	for i, r := range l.revisions {
		level := base - room*float64(active(r))/float64(highest)
		if i == 0 {
			fmt.Fprintf(&path, "M%.1f %.1f", c.x(r.At), base)
		}
		if level != last {
			fmt.Fprintf(&path, "H%.1fV%.1f", c.x(r.At), level)
			last = level
		}
	}
	fmt.Fprintf(&path, "H%.1fV%.1f", c.x(l.revisions[len(l.revisions)-1].At), base)
	c.add(`<path class="a" d="%s"/>`, path.String())
	c.add(`<text class="t l" x="%d" y="%.0f" style="text-anchor:start">active, at most %d</text>`, 4, y+26, highest)
}

func active(r history.Revision) int {
	if cron := r.CronJob(); cron != nil {
		return len(cron.Status.Active)
	}
	if job := r.Job(); job != nil {
		return int(max(job.Status.Active, 0))
	}
	return 0
}

func truths(r history.Revision) []string {
	var out []string
	for _, condition := range r.Job().Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			out = append(out, string(condition.Type))
		}
	}
	return out
}

// news are the conditions that became true with a revision.
func news(revisions []history.Revision, i int) []string {
	now := truths(revisions[i])
	if i == 0 {
		return now
	}
	before := truths(revisions[i-1])
	return slices.DeleteFunc(now, func(s string) bool { return slices.Contains(before, s) })
}

// said is what a revision changes, in a few words.
func said(revisions []history.Revision, i int) string {
	r := revisions[i]
	if r.Type == watch.Deleted {
		return "deleted"
	}
	words := []string{}
	switch {
	case r.Pod() != nil:
		p := r.Pod()
		words = append(words, string(p.Status.Phase))
		if p.DeletionTimestamp != nil {
			words = append(words, "terminating")
		}
		if len(p.Finalizers) == 0 {
			words = append(words, "no finalizers")
		}
	case r.Job() != nil:
		words = append(words, counters(r.Job()))
		words = append(words, news(revisions, i)...)
	case r.CronJob() != nil:
		words = append(words, fmt.Sprintf("active %d", len(r.CronJob().Status.Active)))
		if t := r.CronJob().Status.LastScheduleTime; t != nil {
			words = append(words, "last "+t.UTC().Format(time.TimeOnly))
		}
	}
	if r.ByHarness() {
		words = append(words, "by the spec")
	} else if r.Manager != "" {
		words = append(words, "by "+r.Manager)
	}
	return strings.Join(words, ", ")
}

func counters(job *batchv1.Job) string {
	s := job.Status
	text := fmt.Sprintf("active %d ready %d", s.Active, ptr.Deref(s.Ready, 0))
	for _, n := range []struct {
		name  string
		value int32
	}{{"terminating", ptr.Deref(s.Terminating, 0)}, {"succeeded", s.Succeeded}, {"failed", s.Failed}} {
		if n.value != 0 {
			text += fmt.Sprintf(" %s %d", n.name, n.value)
		}
	}
	return text
}
