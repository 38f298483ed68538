package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// SiteEnv is the folder that jobconformance catalogue has written.
const SiteEnv = "JOBCONFORMANCE_SITE"

// site returns the address of a file in that folder.
func site(t *testing.T) func(name string) string {
	t.Helper()
	folder := os.Getenv(SiteEnv)
	if folder == "" {
		t.Skip("not verified: " + SiteEnv + " names no folder")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) string {
		return (&url.URL{Scheme: "file", Path: filepath.Join(folder, filepath.FromSlash(name))}).String()
	}
}

// kinds are one page of each kind, the ones with the most first.
var kinds = []string{"index.html", "bugs.html", "reports.html", "requirement/JOB-BACKOFF-001.html",
	"requirement/JOB-STATUS-009.html", "bug/139428.html", "bug/missed-run-lost.html", "behaviour/backoffLimit.html",
	"report/kube-controller-manager-v1.37.2.html", "requirements.html", "controllers.html"}

func visit(t *testing.T, ctx context.Context, page string) {
	t.Helper()
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(page), chromedp.WaitReady("footer"))
}

const (
	listed = `[...document.querySelectorAll("#found a")].map(a => a.textContent)`
	styled = `getComputedStyle(document.querySelector("main")).maxWidth !== "none"`
	browse = `document.getElementById("browse").checkVisibility()`
)

// typed puts words into the search, as a reader does.
func typed(words string) chromedp.Action {
	return chromedp.Tasks{chromedp.Evaluate(`document.querySelector("#search input").select()`, nil),
		chromedp.KeyEvent(words)}
}

func TestCatalogueIsSearched(t *testing.T) {
	at, ctx := site(t), open(t)
	var loaded []string
	chromedp.ListenTarget(ctx, func(event any) {
		if e, is := event.(*network.EventRequestWillBeSent); is && !strings.HasPrefix(e.Request.URL, "data:") {
			loaded = append(loaded, e.Request.URL)
		}
	})
	do(t, ctx, runtime.Enable(), network.Enable())
	said := complaints(ctx)
	do(t, ctx, chromedp.Navigate(at("index.html")), chromedp.WaitVisible("#search input"))
	if got := strings.Join(loaded, " "); got != at("index.html")+" "+at("style.css") {
		t.Errorf("it loads %s", got)
	}
	if !evaluate[bool](t, ctx, styled) || !evaluate[bool](t, ctx, browse) {
		t.Error("it has no style, or nothing to browse")
	}
	do(t, ctx, typed("139428"))
	if found := evaluate[[]string](t, ctx, listed); len(found) == 0 || found[0] != "#139428" ||
		evaluate[bool](t, ctx, browse) {
		t.Errorf("the number of a bug finds %q", found)
	}
	do(t, ctx, typed("job-backoff-001"))
	if found := evaluate[[]string](t, ctx, listed); len(found) == 0 || found[0] != "JOB-BACKOFF-001" {
		t.Errorf("an ID finds %q", found)
	}
	do(t, ctx, typed("bug delayed replacement pod"))
	if found := evaluate[[]string](t, ctx, listed); len(found) == 0 || !strings.HasPrefix(found[0], "#") {
		t.Errorf("words about a bug find %q", found)
	}
	shoot(t, ctx, "catalogue-search.png", "")
	do(t, ctx, typed("nosuchword"))
	if count := evaluate[string](t, ctx, `document.getElementById("count").textContent`); count != "0 found" {
		t.Errorf("a word that is nowhere: %q", count)
	}
	// The address has the words, and what it finds leads there.
	do(t, ctx, typed("backoffLimit"))
	there := evaluate[string](t, ctx, `location.href`)
	if !strings.HasSuffix(there, "#q=backoffLimit") {
		t.Errorf("the address is %s", there)
	}
	visit(t, ctx, there)
	if found := evaluate[[]string](t, ctx, listed); len(found) == 0 || found[0] != "backoffLimit" {
		t.Errorf("%s finds %q", there, found)
	}
	do(t, ctx, chromedp.Click("#found a", chromedp.ByQuery), chromedp.WaitReady("#requirements"))
	if title := evaluate[string](t, ctx, `document.title`); !strings.Contains(title, "backoffLimit") {
		t.Errorf("it leads to %q", title)
	}
	if complained := said(); len(complained) > 0 {
		t.Errorf("the pages complained: %q", complained)
	}
}

func TestCatalogueNeedsNoJavaScript(t *testing.T) {
	at, ctx := site(t), open(t)
	do(t, ctx, emulation.SetScriptExecutionDisabled(true))
	for _, name := range kinds {
		visit(t, ctx, at(name))
		if !evaluate[bool](t, ctx, styled) || evaluate[int](t, ctx, `document.querySelectorAll("main a[href]").length`) < 3 {
			t.Errorf("%s has no style or no links", name)
		}
	}
	visit(t, ctx, at("index.html"))
	if !evaluate[bool](t, ctx, browse) || evaluate[bool](t, ctx, `document.getElementById("search").checkVisibility()`) {
		t.Error("there is nothing to browse, or a search that finds nothing")
	}
	// A spec is unfolded without a script.
	visit(t, ctx, at("requirement/JOB-BACKOFF-001.html"))
	const code = `document.querySelector("#specs ~ details pre")`
	if evaluate[bool](t, ctx, code+`.checkVisibility()`) {
		t.Error("the code of a spec is not folded")
	}
	do(t, ctx, chromedp.Click("#specs ~ details > summary", chromedp.ByQuery))
	if !evaluate[bool](t, ctx, code+`.checkVisibility()`) {
		t.Error("the code of a spec cannot be unfolded")
	}
}

func TestCatalogueOnAPhone(t *testing.T) {
	at, ctx := site(t), open(t)
	do(t, ctx, phone())
	for _, name := range kinds {
		visit(t, ctx, at(name))
		shoot(t, ctx, "catalogue-phone-"+strings.ReplaceAll(name, "/", "-")+".png", "")
		do(t, ctx, chromedp.Evaluate(`for (const d of [...document.querySelectorAll("details")].slice(0, 20)) d.open = true`, nil))
		if wide := evaluate[[]string](t, ctx, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".wide *") &&
			(e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 ||
				e.matches("pre") && e.scrollWidth > e.clientWidth + 1)).map(e => e.outerHTML.slice(0, 150))`); len(wide) > 0 {
			t.Errorf("%s is too wide: %q", name, wide)
		}
	}
}

func TestAxeFindsNothingInTheCatalogue(t *testing.T) {
	at := site(t)
	script, err := os.ReadFile(filepath.FromSlash(axe))
	if err != nil {
		t.Fatalf("%v: run npm ci in this folder", err)
	}
	for _, name := range kinds {
		t.Run(name, func(t *testing.T) {
			ctx := open(t)
			visit(t, ctx, at(name))
			do(t, ctx, chromedp.Evaluate(string(script), nil), chromedp.Evaluate(`
				for (const list of document.querySelectorAll("section, ul, tbody")) {
					for (const e of [...list.children].slice(15)) if (!e.matches("script")) e.remove();
				}
				for (const d of [...document.querySelectorAll("details")].slice(0, 3)) d.open = true;
				if (document.getElementById("search")) {
					document.querySelector("#search input").value = "backoffLimit";
					document.getElementById("search").dispatchEvent(new Event("input"));
					document.getElementById("browse").hidden = false;
				}`, nil))
			for _, screen := range []struct {
				name string
				size chromedp.Action
			}{{"desktop", desktop()}, {"phone", phone()}} {
				for _, colors := range []string{"light", "dark"} {
					do(t, ctx, screen.size, scheme(colors))
					for _, violation := range evaluate[[]string](t, ctx, axeRun) {
						t.Errorf("%s, %s: %s", screen.name, colors, violation)
					}
					shoot(t, ctx, "catalogue-"+screen.name+"-"+colors+"-"+strings.ReplaceAll(name, "/", "-")+".png", "")
				}
			}
		})
	}
}
