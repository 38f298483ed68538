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

const (
	shown   = `[...document.querySelectorAll("details.q")].filter(q => !q.hidden).length`
	choose  = `(() => { const f = document.getElementById("filter"); f.reset(); f.%s.value = %q; f.dispatchEvent(new Event("input")); })()`
	visible = `(() => { const p = document.querySelector('details.s[open] svg.tl'); return !!p && p.getBoundingClientRect().height > 20; })()`
)

func set(field, value string) string {
	return strings.NewReplacer("%s", field, "%q", `"`+value+`"`).Replace(choose)
}

func TestPage(t *testing.T) {
	page := address(t)
	ctx := open(t)
	do(t, ctx, runtime.Enable()) // and start the browser
	said := complaints(ctx)

	start := time.Now()
	var all, requests int
	do(t, ctx, chromedp.Navigate(page), chromedp.WaitReady("#requirements"),
		chromedp.Evaluate(shown, &all), chromedp.Evaluate(`performance.getEntriesByType("resource").length`, &requests))
	t.Logf("%d requirements, open in %s", all, time.Since(start).Round(time.Millisecond))
	if all == 0 {
		t.Fatal("the page shows no requirement")
	}
	if requests != 0 {
		t.Errorf("the page fetched %d other files", requests)
	}
	shoot(t, ctx, "overview.png", "")

	var broken, passed, found int
	do(t, ctx, chromedp.Evaluate(set("outcome", "non-conformant"), nil), chromedp.Evaluate(shown, &broken),
		chromedp.Evaluate(set("outcome", "conformant"), nil), chromedp.Evaluate(shown, &passed),
		chromedp.Evaluate(set("text", "no such sentence"), nil), chromedp.Evaluate(shown, &found))
	if broken == 0 || broken >= all || broken+passed > all || found != 0 {
		t.Errorf("of %d requirements the filters show %d non-conformant, %d conformant, %d without a match", all, broken, passed, found)
	}

	// A link to a requirement that the filter hides shows it again, opened.
	var opened bool
	do(t, ctx, chromedp.Evaluate(`location.hash = document.querySelector('details.q[data-outcome="non-conformant"]').id`, nil),
		chromedp.Poll(`(() => { const q = document.getElementById(location.hash.slice(1)); return q.open && !q.hidden; })()`, &opened))

	var timeline bool
	do(t, ctx, chromedp.Evaluate(visible, &timeline))
	if !timeline {
		t.Error("the failed spec's timeline is not to be seen")
	}
	shoot(t, ctx, "timeline.png", "details.s[open]")
	do(t, ctx, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	shoot(t, ctx, "dark.png", "details.s[open]")

	if complained := said(); len(complained) > 0 {
		t.Errorf("the page complained: %q", complained)
	}
}
