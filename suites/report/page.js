"use strict";
const form = document.getElementById("filter"), all = [...document.querySelectorAll("details.q, details.s")];
const texts = new Map(), lists = [...document.querySelectorAll("section.list")];
function text(d) {
  if (!texts.has(d)) {
    const parts = [...d.querySelectorAll("summary, .id, pre, li")].map(e => e.textContent);
    texts.set(d, parts.join(" ").toLowerCase());
  }
  return texts.get(d);
}
function filter() {
  const outcome = form.outcome.value, feature = form.feature.value, words = form.text.value.toLowerCase();
  let specs = 0, requirements = 0;
  for (const d of all) {
    d.hidden = !((!outcome || d.dataset.outcome === outcome || outcome === "new" && "new" in d.dataset) &&
      (!feature || d.dataset.feature.split(" ").includes(feature)) && (!words || text(d).includes(words)));
    if (!d.hidden) d.classList.contains("s") ? specs++ : requirements++;
  }
  for (const l of lists) l.hidden = !l.querySelector("details:not([hidden])");
  document.getElementById("shown").textContent = specs + " specs, " + requirements + " requirements";
}

// The address has either the ID of what it shows, or the filter, as in #outcome=failed&text=quota.
function changed() {
  filter();
  const set = [...new FormData(form)].filter(([, value]) => value);
  history.replaceState(null, "", "#" + new URLSearchParams(set));
}
function follow() {
  const hash = location.hash.slice(1);
  if (hash.includes("=")) {
    form.reset();
    for (const [name, value] of new URLSearchParams(hash)) if (form[name]) form[name].value = value;
    filter();
    form.scrollIntoView();
    return;
  }
  const there = hash && document.getElementById(decodeURIComponent(hash));
  if (!there) return;
  if (there.hidden || there.closest("section[hidden]")) { form.reset(); filter(); }
  for (let d = there.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  there.scrollIntoView();
}
form.addEventListener("input", changed);
form.addEventListener("submit", e => e.preventDefault());
addEventListener("hashchange", follow);

async function copy(button, text) {
  const word = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch { // not allowed on pages that came by plain HTTP
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = word; }, 2000);
}
document.addEventListener("click", e => {
  if (e.target.matches(".again button")) copy(e.target, e.target.parentElement.querySelector("code").textContent);
  if (e.target.matches("button.link")) copy(e.target, location.href.split("#")[0] + "#" + e.target.closest("details").id);
});

// Timelines. That of a spec is parsed when the spec is unfolded: the page opens sooner.
function unfolded(details) {
  for (const folded of details.querySelectorAll('script[type="image/svg+xml"]')) folded.outerHTML = folded.textContent;
  for (const svg of details.querySelectorAll('.wide > svg.tl[role="img"]')) new Timeline(svg);
}
document.addEventListener("toggle", e => { if (e.target.open && e.target.matches("details.s")) unfolded(e.target); }, true);

function element(name, text, properties) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}

// Timeline lets a reader walk over the points of a picture, zoom it, and compare two revisions.
class Timeline {
  constructor(svg) {
    this.svg = svg;
    this.zoom = 1;
    this.revisions = [];
    this.load(svg.parentElement.dataset.revisions);
    this.points = [...svg.querySelectorAll(".d, .f, .r")].map(dot => ({ dot, ...this.middle(dot) }));
    this.points.sort((a, b) => a.x - b.x || a.y - b.y);
    svg.setAttribute("role", "group");
    for (const [i, m] of this.points.entries()) {
      m.dot.setAttribute("role", "button");
      m.dot.setAttribute("aria-label", m.dot.querySelector("title").textContent);
      m.dot.setAttribute("tabindex", i ? "-1" : "0");
    }
    const out = element("button", "−", { type: "button", title: "zoom out", ariaLabel: "zoom out" });
    const into = element("button", "+", { type: "button", title: "zoom in", ariaLabel: "zoom in" });
    out.addEventListener("click", () => this.scale(this.zoom / 2));
    into.addEventListener("click", () => this.scale(this.zoom * 2));
    const tools = element("div", "", { className: "tools" });
    const keys = "← → next revision, ↑ ↓ next object, Enter compares others with it, + − zoom";
    tools.append(out, into, element("span", keys, { className: "soft" }));
    this.panel = element("div", "", { className: "revision", hidden: true, tabIndex: 0 });
    this.panel.setAttribute("role", "region");
    this.panel.setAttribute("aria-label", "revision");
    this.panel.setAttribute("aria-live", "polite");
    svg.parentElement.before(tools);
    svg.parentElement.after(this.panel);
    svg.addEventListener("focusin", e => this.show(this.points.find(m => m.dot === e.target)));
    svg.addEventListener("click", e => { const dot = e.target.closest(".d, .f, .r"); if (dot) dot.focus(); });
    svg.addEventListener("keydown", e => this.key(e));
    // The names of objects stay in sight.
    const names = [...svg.querySelectorAll(".n, .t.l")];
    svg.parentElement.addEventListener("scroll", () => {
      const by = svg.parentElement.scrollLeft * svg.viewBox.baseVal.width / svg.clientWidth;
      for (const n of names) n.setAttribute("transform", "translate(" + by + ")");
    });
  }
  async load(packed) {
    if (!packed) return;
    const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
    this.revisions = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }
  middle(dot) {
    const box = dot.getBBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
  key(e) {
    const i = this.points.findIndex(m => m.dot === document.activeElement), from = this.points[i];
    if (!from || e.ctrlKey || e.metaKey || e.altKey) return;
    const next = {
      ArrowRight: () => this.points[i + 1], ArrowLeft: () => this.points[i - 1],
      ArrowDown: () => this.across(from, 1), ArrowUp: () => this.across(from, -1),
      Home: () => this.points[0], End: () => this.points.at(-1),
    }[e.key];
    if (next) {
      const to = next();
      if (to) to.dot.focus();
    } else if (e.key === "Enter" || e.key === " ") {
      this.pin(from);
    } else if (e.key === "Escape" && this.from) {
      this.pin(this.from, from);
    } else if (e.key === "+" || e.key === "-") {
      this.scale(e.key === "+" ? this.zoom * 2 : this.zoom / 2);
    } else {
      return;
    }
    e.preventDefault();
  }
  // across returns the point of the next lane above or below that is the nearest in time.
  across(from, direction) {
    const others = this.points.filter(m => (m.y - from.y) * direction > 4);
    const y = direction * Math.min(...others.map(m => m.y * direction));
    return others.filter(m => Math.abs(m.y - y) < 4).sort((a, b) => Math.abs(a.x - from.x) - Math.abs(b.x - from.x))[0];
  }
  // pin has others be compared with a revision, until it is chosen once more.
  pin(point, shown = point) {
    if (this.from) this.from.dot.classList.remove("from");
    this.from = this.from === point || !point.dot.dataset.r ? null : point;
    if (this.from) this.from.dot.classList.add("from");
    this.show(shown);
  }
  // fields returns those of a revision, by their paths.
  fields(i) {
    const r = this.revisions[i], all = r.base === undefined ? new Map() : this.fields(r.base);
    for (const name of r.unset || []) all.delete(name);
    for (const name in r.set) all.set(name, r.set[name]);
    return all;
  }
  show(point) {
    for (const m of this.points) m.dot.setAttribute("tabindex", m === point ? "0" : "-1");
    point.dot.scrollIntoView({ block: "nearest", inline: "nearest" });
    const title = element("p", ""), i = point.dot.dataset.r;
    const object = this.revisions[i] ? this.revisions[i].object + " " : "";
    title.append(element("strong", object + point.dot.querySelector("title").textContent));
    this.panel.replaceChildren(title);
    this.panel.hidden = false;
    if (!this.revisions[i]) return;
    const button = element("button", this.from === point ? "stop comparing" : "compare others with it", { type: "button" });
    button.addEventListener("click", () => { this.pin(point); point.dot.focus(); });
    title.append(" ", button);
    const r = this.revisions[i], previous = r.first ? undefined : r.base;
    const before = this.from && this.from !== point ? this.from.dot.dataset.r : previous;
    const old = before === undefined ? new Map() : this.fields(before), now = this.fields(i);
    const names = [...new Set([...old.keys(), ...now.keys()])].filter(name => old.get(name) !== now.get(name)).sort();
    if (!names.length) {
      this.panel.append(element("p", "No field differs.", { className: "soft" }));
      return;
    }
    const table = element("table", ""), head = table.createTHead().insertRow(), body = table.createTBody();
    const titles = ["field", r.at];
    if (before !== undefined) titles.splice(1, 0, this.revisions[before].object + " " + this.revisions[before].at);
    for (const t of titles) head.append(element("th", t, { scope: "col" }));
    for (const name of names) {
      const row = body.insertRow();
      row.insertCell().textContent = name;
      if (before !== undefined) row.insertCell().textContent = old.get(name) ?? "—";
      row.insertCell().textContent = now.get(name) ?? "—";
    }
    this.panel.append(table);
  }
  // scale stretches the axis of time.
  scale(zoom) {
    zoom = Math.min(Math.max(zoom, 1), 32);
    const svg = this.svg, left = +svg.dataset.left, by = zoom / this.zoom, stretch = x => left + (x - left) * by;
    if (by === 1) return;
    const place = (e, name, f) => e.setAttribute(name, f(+e.getAttribute(name)).toFixed(1));
    for (const e of svg.querySelectorAll("circle")) place(e, "cx", stretch);
    for (const e of svg.querySelectorAll("rect")) { place(e, "x", stretch); place(e, "width", w => w * by); }
    for (const e of svg.querySelectorAll("text.c, text.t:not(.l)")) place(e, "x", stretch);
    for (const e of svg.querySelectorAll("path")) {
      const path = e.getAttribute("d");
      e.setAttribute("d", path.replace(/([MH])([\d.]+)/g, (_, c, x) => c + stretch(+x).toFixed(1)));
    }
    for (const m of this.points) m.x = stretch(m.x);
    this.zoom = zoom;
    const height = svg.getAttribute("viewBox").split(" ")[3], wide = +svg.dataset.wide;
    const width = left + (wide - left) * zoom;
    svg.setAttribute("viewBox", "0 0 " + width.toFixed(0) + " " + height);
    svg.style.width = 100 * width / wide + "%";
    svg.style.minWidth = 48 * width / wide + "rem";
    this.axis(height);
    const focused = this.points.find(m => m.dot.getAttribute("tabindex") === "0");
    if (focused) focused.dot.scrollIntoView({ block: "nearest", inline: "center" });
  }
  axis(height) {
    const svg = this.svg, span = +svg.dataset.span, left = +svg.dataset.left;
    for (const old of svg.querySelectorAll(".g, .t:not(.l)")) old.remove();
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 3e5, 6e5, 36e5]
      .find(step => span / step <= 8 * this.zoom) || 36e5;
    for (let at = 0; at <= span; at += step) {
      const x = (left + at / span * svg.dataset.room * this.zoom).toFixed(1);
      const [line, text] = ["path", "text"].map(name => document.createElementNS("http://www.w3.org/2000/svg", name));
      line.setAttribute("class", "g");
      line.setAttribute("d", "M" + x + " 16V" + (height - 6));
      text.setAttribute("class", "t");
      text.setAttribute("x", x);
      text.setAttribute("y", 12);
      text.textContent = at < 1000 ? at + "ms" : at / 1000 + "s";
      svg.prepend(line, text);
    }
  }
}

filter();
for (const d of document.querySelectorAll("details.s[open]")) unfolded(d);
follow();
