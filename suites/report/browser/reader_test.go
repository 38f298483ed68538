package browser

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// scheme is light or dark.
func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures(
		[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// phone has a screen of 390 x 844 pixels, desktop one of 1200 x 1600.
func phone() chromedp.Action   { return emulation.SetDeviceMetricsOverride(390, 844, 1, true) }
func desktop() chromedp.Action { return emulation.SetDeviceMetricsOverride(1200, 1600, 1, false) }

func show(t *testing.T, ctx context.Context, page string) {
	t.Helper()
	// From another page, as one that differs in its fragment only is not loaded again.
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(page), chromedp.WaitReady("#requirements"),
		chromedp.Poll(loaded+" > 0", nil))
}

func evaluate[T any](t *testing.T, ctx context.Context, expression string) (value T) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(expression, &value, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	return value
}

// The address of the page has the filter, or the ID of a spec, a requirement or a cause, and shows the same to
// all who open it.
func TestAddress(t *testing.T) {
	page, ctx := address(t), open(t)
	show(t, ctx, page)
	do(t, ctx, chromedp.Evaluate(set("outcome", "failed"), nil))
	filtered := evaluate[string](t, ctx, `location.href`)
	if !strings.HasSuffix(filtered, "#outcome=failed") {
		t.Errorf("with a filter the address is %s", filtered)
	}
	count := evaluate[string](t, ctx, `document.getElementById("shown").textContent`)
	show(t, ctx, filtered)
	if again := evaluate[string](t, ctx, `document.getElementById("shown").textContent`); again != count {
		t.Errorf("%s shows %s, and showed %s", filtered, again, count)
	}
	// A link to what the filter hides shows it, and the way back filters again.
	do(t, ctx, chromedp.Evaluate(`location.hash = document.querySelector("details.q").id`, nil),
		chromedp.Poll(`document.querySelector("details.q").open && !document.querySelector("details.q").hidden`, nil),
		chromedp.Evaluate(`history.back()`, nil),
		chromedp.Poll(`document.getElementById("shown").textContent === "`+count+`"`, nil))
	for _, one := range []string{"details.cause", "details.s", "details.q"} {
		id := evaluate[string](t, ctx, `document.querySelector("`+one+`").id`)
		show(t, ctx, page+"#"+id)
		if !evaluate[bool](t, ctx, `document.getElementById("`+id+`").open`) {
			t.Errorf("#%s is not unfolded", id)
		}
		if !evaluate[bool](t, ctx, `!!document.querySelector("`+one+`[open] button.link")`) {
			t.Errorf("#%s has no link to copy", id)
		}
	}
	// What is new since an earlier report has a filter where there is one.
	if evaluate[bool](t, ctx, `!!document.querySelector("[data-new]")`) {
		show(t, ctx, page+"#outcome=new")
		others := evaluate[int](t, ctx, `document.querySelectorAll("details.s:not([data-new]):not([hidden])").length`)
		if others > 0 {
			t.Errorf("%d specs that are not new are shown as new", others)
		}
		show(t, ctx, page+"#"+evaluate[string](t, ctx, `document.querySelector("details.q").id`))
	}
	do(t, ctx, chromedp.Click("details.q[open] button.link", chromedp.ByQuery),
		chromedp.Poll(`document.querySelector("details.q[open] button.link").textContent === "copied"`, nil))
	for _, link := range evaluate[[]string](t, ctx, `[...document.querySelectorAll("nav a")].map(a => a.hash.slice(1))`) {
		if !evaluate[bool](t, ctx, `!!document.getElementById("`+link+`")`) {
			t.Errorf("#%s leads nowhere", link)
		}
	}
}

// On a phone, the bar with the filter is small and covers no title, and no text has to be scrolled sideways.
func TestPhone(t *testing.T) {
	page, ctx := address(t), open(t)
	do(t, ctx, phone())
	show(t, ctx, page)
	shoot(t, ctx, "phone.png", "")
	id := evaluate[string](t, ctx, `[...document.querySelectorAll("details.s")].slice(0, 3).at(-1).id`)
	show(t, ctx, page+"#"+id)
	do(t, ctx, chromedp.Poll(`Math.abs(document.getElementById("`+id+`").getBoundingClientRect().top) < 200`, nil))
	shoot(t, ctx, "phone-spec.png", "")
	if gap := evaluate[float64](t, ctx, `document.querySelector("#`+id+` > summary").getBoundingClientRect().top -
		document.getElementById("filter").getBoundingClientRect().bottom`); gap < 0 {
		t.Errorf("the bar covers %.0f px of the title of the spec", -gap)
	}
	if height := evaluate[float64](t, ctx, `document.getElementById("filter").offsetHeight`); height > 48 {
		t.Errorf("the bar is %.0f px high", height)
	}
	// Timelines, and tables of numbers, scroll in boxes of their own.
	const texts = `[...document.querySelectorAll("h1, dl *, nav *, form, .cause *, .profiles *, details.s[open] *")]`
	if wide := evaluate[[]string](t, ctx, texts+`.filter(e => !e.closest(".wide *, .revision *, option") &&
		(e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 ||
			e.matches("pre") && e.scrollWidth > e.clientWidth + 1))
		.map(e => e.outerHTML.slice(0, 150))`); len(wide) > 0 {
		t.Errorf("too wide: %q", wide)
	}
}

// focused is the mark of a timeline that has the focus.
const focused = `document.activeElement.getAttribute("aria-label")`

func press(keys string) chromedp.Action { return chromedp.KeyEvent(keys) }

// A timeline is read with the keyboard: from mark to mark, what changed, and the difference of any two revisions.
func TestTimeline(t *testing.T) {
	page, ctx := address(t), open(t)
	show(t, ctx, page)
	const spec = `document.querySelector("details.s[open]")`
	// That of a spec with many revisions. A controller that does nothing leaves none.
	most := evaluate[int](t, ctx, `(() => {
		const all = [...document.querySelectorAll("details.s")].map(d => ({ d, n: d.innerHTML.split("data-r=").length - 1 }));
		all.sort((a, b) => b.n - a.n);
		for (const { d } of all) d.open = d === all[0].d;
		return all[0].n; })()`)
	if most < 3 {
		t.Skipf("not verified: no spec of the page has more than %d revisions", most)
	}
	do(t, ctx, chromedp.Poll(spec+`.querySelector('.tl [tabindex="0"]') !== null`, nil))
	id := evaluate[string](t, ctx, spec+`.id`)
	if outlined := evaluate[int](t, ctx, spec+`.querySelectorAll('.tl [tabindex="0"]').length`); outlined != 1 {
		t.Fatalf("Tab stops %d times in a timeline", outlined)
	}
	do(t, ctx, chromedp.Evaluate(spec+`.querySelector('.tl [tabindex="0"]').focus()`, nil))
	first := evaluate[string](t, ctx, focused)
	do(t, ctx, press(kb.ArrowRight))
	second := evaluate[string](t, ctx, focused)
	do(t, ctx, press(kb.ArrowLeft))
	if back := evaluate[string](t, ctx, focused); first == "" || second == first || back != first {
		t.Errorf("the arrows lead from %q to %q to %q", first, second, back)
	}
	if width := evaluate[string](t, ctx, `getComputedStyle(document.activeElement).strokeWidth`); width != "3px" {
		t.Errorf("the focus is not visible: it has a line of %s", width)
	}

	// What a revision changes, and what differs from the first one.
	fields := func() []string {
		t.Helper()
		return evaluate[[]string](t, ctx, `[...`+spec+`.querySelectorAll(".revision tbody tr")]
			.map(r => [...r.cells].map(c => c.textContent).join("|"))`)
	}
	do(t, ctx, chromedp.Poll(spec+`.querySelectorAll(".revision tbody tr").length > 0`, nil))
	if created := fields(); len(created) < 5 {
		t.Errorf("the first revision has the fields %q", created)
	}
	do(t, ctx, press(kb.Enter), press(kb.ArrowRight))
	compared := fields()
	title := evaluate[string](t, ctx, spec+`.querySelector(".revision").textContent`)
	if len(compared) == 0 || strings.Count(compared[0], "|") != 2 {
		t.Errorf("compared with the first one, %q differ in %q", title, compared)
	}
	shoot(t, ctx, "compared.png", "")
	do(t, ctx, press(kb.Escape))
	if marked := evaluate[int](t, ctx, spec+`.querySelectorAll(".from").length`); marked != 0 {
		t.Error("Escape does not end the comparison")
	}
	title = evaluate[string](t, ctx, spec+`.querySelector(".revision").textContent`)
	if !strings.Contains(title, second) {
		t.Errorf("with the focus on %q, it shows %q", second, title)
	}

	// Zoom stretches time, and keeps the mark in sight.
	distance := func() float64 {
		return evaluate[float64](t, ctx, `(() => {
			const x = [...`+spec+`.querySelectorAll(".tl .d")].map(d => d.getBoundingClientRect().x);
			return Math.max(...x) - Math.min(...x); })()`)
	}
	before, label := distance(), evaluate[string](t, ctx, focused)
	do(t, ctx, press("+"), press("+"))
	after := distance()
	if after < 3.9*before || after > 4.1*before {
		t.Errorf("zoomed twice, marks are %.0f px apart, and were %.0f px", after, before)
	}
	if seen := evaluate[bool](t, ctx, `(() => {
		const m = document.activeElement.getBoundingClientRect();
		const b = document.activeElement.closest(".wide").getBoundingClientRect();
		return m.left >= b.left - 1 && m.right <= b.right + 1; })()`); !seen {
		t.Errorf("%s is out of sight", label)
	}
	if ticks := evaluate[int](t, ctx, spec+`.querySelectorAll(".tl .g").length`); ticks < 8 || ticks > 40 {
		t.Errorf("the axis has %d lines", ticks)
	}
	shoot(t, ctx, "zoomed.png", "")
	do(t, ctx, chromedp.Click(`#`+id+` .tools button[aria-label="zoom out"]`, chromedp.ByQuery),
		chromedp.Click(`#`+id+` .tools button[aria-label="zoom out"]`, chromedp.ByQuery))
	if again := distance(); again < before-1 || again > before+1 {
		t.Errorf("zoomed out, marks are %.0f px apart, and were %.0f px", again, before)
	}

	// A mouse does the same.
	box := evaluate[[]float64](t, ctx, `(() => { const b = `+spec+`.querySelectorAll(".tl .d")[0].getBoundingClientRect();
		return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	do(t, ctx, chromedp.MouseClickXY(box[0], box[1], chromedp.ButtonType(input.Left)),
		chromedp.Poll(spec+`.querySelector(".tl .d") === document.activeElement`, nil),
		chromedp.Click(`#`+id+` .revision button`, chromedp.ByQuery),
		chromedp.Poll(spec+`.querySelector(".tl .d").matches(".from")`, nil))
}

// axe is the program that checks accessibility, which npm ci brings.
const axe = "node_modules/axe-core/axe.min.js"

// axeRun is what axe finds on the page, a line each.
const axeRun = `axe.run({ resultTypes: ["violations"] })
	.then(r => r.violations.map(v => v.id + ": " + v.help + ": " +
		v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" and ")))`

func TestAxeFindsNothing(t *testing.T) {
	page := address(t)
	script, err := os.ReadFile(filepath.FromSlash(axe))
	if err != nil {
		t.Fatalf("%v: run npm ci in this folder", err)
	}
	ctx := open(t)
	show(t, ctx, page)
	// Two of each kind are like the others: without them it takes a twentieth of the time.
	do(t, ctx, chromedp.Evaluate(string(script), nil), chromedp.Evaluate(`const seen = {};
		for (const d of document.querySelectorAll("details.q, details.s, .cause li")) {
			const kind = d.className + d.dataset.outcome;
			if ((seen[kind] = (seen[kind] || 0) + 1) > 2) d.remove();
		}
		for (const d of [document.querySelector("details.cause"), document.querySelector("details.q"),
			document.getElementById("features"), document.getElementById("legend")]) d.open = true;
		document.querySelector("details.s[open] .tl .d").focus()`, nil))
	for _, screen := range []struct {
		name string
		size chromedp.Action
	}{{"desktop", desktop()}, {"phone", phone()}} {
		for _, colors := range []string{"light", "dark"} {
			t.Run(screen.name+" "+colors, func(t *testing.T) {
				do(t, ctx, screen.size, scheme(colors))
				for _, violation := range evaluate[[]string](t, ctx, axeRun) {
					t.Error(violation)
				}
				shoot(t, ctx, screen.name+"-"+colors+".png", "main")
			})
		}
	}
}
