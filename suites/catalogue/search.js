"use strict";
// Each entry is what it is, its title, its address, its text, and words that are not shown.
const entries = JSON.parse(document.getElementById("entries").textContent).map(([kind, title, url, text, more]) =>
  ({ kind, title, url, text, name: title.toLowerCase(), shown: (kind + " " + title + " " + text).toLowerCase(),
    all: (kind + " " + title + " " + text + " " + more).toLowerCase() }));
const form = document.getElementById("search"), most = 50;
const list = document.getElementById("found"), status = document.getElementById("count");

function element(name, text, properties) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}
// rank is lower for what fits better: the name itself, all words in what is shown, or in the rest.
function rank(e, words, query) {
  if (e.name === query) return 0;
  if (e.name.includes(query)) return 1;
  if (words.every(w => e.shown.includes(w))) return 2;
  return words.every(w => e.all.includes(w)) ? 3 : -1;
}
function search() {
  const query = form.q.value.trim().toLowerCase(), words = query.split(/\s+/).filter(Boolean);
  document.getElementById("browse").hidden = words.length > 0;
  const found = words.length ? entries.map(e => ({ e, rank: rank(e, words, query) })).filter(f => f.rank >= 0) : [];
  found.sort((a, b) => a.rank - b.rank);
  list.replaceChildren(...found.slice(0, most).map(({ e }) => {
    const item = element("li", "");
    item.append(element("span", e.kind + " ", { className: "soft" }), element("a", e.title, { href: e.url }), " " + e.text);
    return item;
  }));
  status.textContent = !words.length ? "" : found.length + " found" + (found.length > most ? ", the first " + most + " are shown" : "");
}
function follow() {
  form.q.value = new URLSearchParams(location.hash.slice(1)).get("q") || "";
  search();
}
form.addEventListener("input", () => {
  search();
  history.replaceState(null, "", "#" + new URLSearchParams(form.q.value ? { q: form.q.value } : {}));
});
form.addEventListener("submit", e => e.preventDefault());
addEventListener("hashchange", follow);
form.hidden = false;
follow();
