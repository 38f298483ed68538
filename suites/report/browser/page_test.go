// Package browser opens a report's page in a real browser and uses it as a
// reader would. It is a module of its own, so that nothing else needs a browser.
package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Where the page is that has to be opened: one of a run with at least one failed
// spec. Its screenshots go into ScreenshotsEnv, if that is set.
const (
	PageEnv        = "JOBCONFORMANCE_PAGE"
	ScreenshotsEnv = "JOBCONFORMANCE_SCREENSHOTS"
)

func open(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1200, 1600))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func address(t *testing.T) string {
	t.Helper()
	path := os.Getenv(PageEnv)
	if path == "" {
		t.Skip("not verified: " + PageEnv + " names no page")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func shoot(t *testing.T, ctx context.Context, name, selector string) {
	t.Helper()
	folder := os.Getenv(ScreenshotsEnv)
	if folder == "" {
		return
	}
	var picture []byte
	action := chromedp.CaptureScreenshot(&picture)
	if selector != "" {
		action = chromedp.Screenshot(selector, &picture, chromedp.ByQuery)
	}
	do(t, ctx, action)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// complaints gathers what the page says to the console, and what it throws.
func complaints(ctx context.Context) func() []string {
	var mu sync.Mutex
	var said []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			said = append(said, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			said = append(said, "console: "+string(e.Type))
		}
	})
	return func() []string { mu.Lock(); defer mu.Unlock(); return said }
}

// Expressions of JavaScript about the page. Those with %s are about "q" for requirements or
// "s" for specs.
const (
	shown  = `[...document.querySelectorAll("details.%s")].filter(d => !d.hidden).length`
	choose = `(() => { const f = document.getElementById("filter"); f.reset(); f.%s.value = %q; f.dispatchEvent(new Event("input")); })()`
	// visible reports whether what broke comes first, and a failed spec with its timeline is on the first screen.
	visible = `(() => { const d = document.querySelector("details.s[open]"), p = d && d.querySelector("svg.tl");
		return !!p && p.getBoundingClientRect().height > 20 && d.getBoundingClientRect().top < innerHeight &&
			document.getElementById("causes").getBoundingClientRect().top < innerHeight / 3; })()`
	// overlaps counts names of conditions that are printed over each other.
	overlaps = `(() => { let n = 0;
		for (const svg of document.querySelectorAll("details.s[open] svg.tl")) {
			const boxes = [...svg.querySelectorAll("text.c")].map(t => t.getBoundingClientRect());
			boxes.forEach((a, i) => boxes.slice(0, i).forEach(b => { if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) n++; }));
		} return n; })()`
	loaded   = `performance.getEntriesByType("navigation")[0].loadEventEnd`
	clicked  = `document.querySelector("details.s[open] .again button").textContent === "copied"`
	selector = "details.s[open] .again button"
)

func set(field, value string) string {
	return strings.NewReplacer("%s", field, "%q", `"`+value+`"`).Replace(choose)
}

// specs and requirements count those that are shown.
func specs(n *int) chromedp.Action { return chromedp.Evaluate(strings.Replace(shown, "%s", "s", 1), n) }
func requirements(n *int) chromedp.Action {
	return chromedp.Evaluate(strings.Replace(shown, "%s", "q", 1), n)
}

func TestPage(t *testing.T) {
	there := address(t)
	ctx := open(t)
	do(t, ctx, runtime.Enable()) // and start the browser
	said := complaints(ctx)

	var all, allSpecs, requests int
	var milliseconds float64
	do(t, ctx, chromedp.Navigate(there), chromedp.WaitReady("#requirements"), requirements(&all), specs(&allSpecs),
		chromedp.Poll(loaded+" > 0", nil), chromedp.Evaluate(loaded, &milliseconds),
		chromedp.Evaluate(`performance.getEntriesByType("resource").length`, &requests))
	t.Logf("%d requirements, %d specs, open in %.0f ms", all, allSpecs, milliseconds)
	if all == 0 || allSpecs == 0 {
		t.Fatal("the page shows no requirement, or no spec")
	}
	if requests != 0 {
		t.Errorf("the page fetched %d other files", requests)
	}
	shoot(t, ctx, "overview.png", "")

	// What failed comes first, with a timeline whose words can be read.
	var timeline bool
	var over int
	do(t, ctx, chromedp.Evaluate(visible, &timeline), chromedp.Evaluate(overlaps, &over))
	if !timeline || over != 0 {
		t.Errorf("the failed spec's timeline is there: %t; %d names of conditions are printed over others", timeline,
			over)
	}
	do(t, ctx, chromedp.Click(selector, chromedp.ByQuery), chromedp.Poll(clicked, nil))

	var other string // an outcome that the page has, too
	do(t, ctx,
		chromedp.Evaluate(
			`[...document.querySelectorAll("details.q")].map(q => q.dataset.outcome).find(o => o !== "non-conformant")`,
			&other))
	var broken, rest, failed, found, named int
	do(t, ctx, chromedp.Evaluate(set("outcome", "non-conformant"), nil), requirements(&broken),
		chromedp.Evaluate(set("outcome", other), nil), requirements(&rest),
		chromedp.Evaluate(set("outcome", "failed"), nil), specs(&failed),
		chromedp.Evaluate(set("text", "no such sentence"), nil), requirements(&found),
		chromedp.Evaluate(set("text", "BACKOFFLIMIT"), nil), specs(&named))
	if broken == 0 || broken >= all || rest == 0 || broken+rest > all || failed == 0 || failed >= allSpecs ||
		found != 0 || named == 0 || named >= allSpecs {
		t.Errorf("of %d requirements the filters show %d non-conformant, %d %s, %d without a match; of %d specs "+
			"%d failed, %d by their text",
			all, broken, rest, other, found, allSpecs, failed, named)
	}

	// A link to a requirement that the filter hides shows it again, opened.
	var opened bool
	do(t, ctx, chromedp.Evaluate(
		`location.hash = document.querySelector('details.q[data-outcome="non-conformant"]').id`, nil),
		chromedp.Poll(
			`(() => { const q = document.getElementById(location.hash.slice(1)); return q.open && !q.hidden; })()`,
			&opened))

	do(t, ctx, chromedp.Evaluate(
		`document.getElementById("legend").open = true; document.getElementById("legend").scrollIntoView()`, nil))
	shoot(t, ctx, "legend.png", "")
	do(t, ctx, chromedp.Evaluate(`document.querySelector("details.s[open]").scrollIntoView()`, nil))
	shoot(t, ctx, "timeline.png", "")
	do(t, ctx, scheme("dark"), chromedp.Evaluate("scrollTo(0, 0)", nil))
	shoot(t, ctx, "dark.png", "")

	if complained := said(); len(complained) > 0 {
		t.Errorf("the page complained: %q", complained)
	}
}

// PictureEnv is the path of the picture of a page that the README shows. Default: it is not made.
const PictureEnv = "JOBCONFORMANCE_PICTURE"

// TestPicture makes a picture of the top of the page, up to the end of the first timeline.
func TestPicture(t *testing.T) {
	path := os.Getenv(PictureEnv)
	if path == "" {
		t.Skip("not verified: " + PictureEnv + " names no file; run make picture")
	}
	ctx := open(t)
	do(t, ctx, emulation.SetDeviceMetricsOverride(1000, 1600, 1, false), scheme("light"))
	show(t, ctx, address(t))
	bottom := evaluate[float64](t, ctx,
		`document.querySelector("details.s[open] .wide").getBoundingClientRect().bottom`)
	var picture []byte
	do(t, ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		clip := &page.Viewport{Width: 1000, Height: bottom + 8, Scale: 1}
		picture, err = page.CaptureScreenshot().WithClip(clip).Do(ctx)
		return err
	}))
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
