// The pages beside an answer, or alone: all in a run, opened at a box, walked from evidence to evidence.

import { call } from "./api.js";
import { bind } from "./keys.js";
import { failed, say } from "./live.js";
import { layWords } from "./words.js";
import { drawNotes } from "./notes.js";
import { page } from "./swap.js";

const SVG = "http://www.w3.org/2000/svg";
let zoom = 1;
let opener = null; // where the focus goes back to
let current = null; // the link of the evidence that is shown
const small = matchMedia("(max-width: 40rem)");

export const reader = () => document.getElementById("reader");
const leaf = (number) => reader()?.querySelector(`.leaf[data-page="${number}"]`);
const beside = () => document.getElementById("beside");

/** Mark boxes on a page, in place of all marks of that kind; gives the marks. */
export function mark(number, boxes, kind) {
  const made = boxes.map(([x, y, width, height]) => {
    const one = document.createElementNS(SVG, "rect");
    const values = { class: kind, x: x - 2, y: y - 1, width: width + 4, height: height + 2, rx: 1 };
    for (const [name, value] of Object.entries(values)) one.setAttribute(name, value);
    return one;
  });
  leaf(number)?.querySelector(".marks").append(...made);
  return made;
}

const unmark = (kind) => { for (const one of reader()?.querySelectorAll(`.marks .${kind}`) ?? []) one.remove(); };

// ------------------------------------------------------------------ where one is

function show(target) {
  const desk = reader().querySelector(".desk");
  const [box, view] = [target.getBoundingClientRect(), desk.getBoundingClientRect()];
  const whole = target.matches(".leaf");
  desk.scrollTo({
    top: desk.scrollTop + box.top - view.top - (whole ? 8 : (view.height - box.height) / 2.6),
    left: whole ? desk.scrollLeft : desk.scrollLeft + box.left + box.width / 2 - view.left - view.width / 2,
  });
}

const found = () => reader()?.querySelector(".marks .found");

/** How large pages have to be on a small screen for the marks to be read: as wide as the screen, if they can be. */
function readable() {
  const marks = [...reader().querySelectorAll(".marks .found")].map((one) => ["x", "width"].map((name) => Number(one.getAttribute(name))));
  if (!marks.length) return 1;
  const wide = Math.max(...marks.map(([x, width]) => x + width)) - Math.min(...marks.map(([x]) => x));
  return Math.min(2.5, Math.max(1, Number(found().closest(".leaf").dataset.width) / (wide + 24)));
}

function fit() {
  if (small.matches) zoom = readable();
  reader().querySelector(".desk").style.setProperty("--zoom", zoom);
  show(found() ?? leaf(reader().dataset.page));
}

function isAt(number) {
  const pane = reader();
  if (!pane || pane.dataset.page === String(number)) return;
  pane.dataset.page = number;
  pane.querySelector("[name=page]").value = number;
  pane.setAttribute("aria-label", `Page ${number} of ${pane.dataset.title}`);
  for (const one of pane.querySelectorAll(".thumbs a")) {
    if (one.dataset.to === String(number)) { one.setAttribute("aria-current", "page"); one.scrollIntoView({ block: "nearest" }); } else one.removeAttribute("aria-current");
  }
  if (pane.classList.contains("alone")) history.replaceState(null, "", `/read/${pane.dataset.paper}/${number}`);
}

/** Make a pane that is in the page work: words are laid over the pages that come near; the quote's lines are marked. */
export async function settle(pane, quote = "") {
  const desk = pane.querySelector(".desk");
  [hits, at, sought] = [[], -1, ""]; // those of another paper
  const near = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) if (isIntersecting && !target.dataset.laid) { target.dataset.laid = "yes"; layWords(pane.dataset.paper, target).catch(() => {}); }
  }, { root: desk, rootMargin: "50%" });
  for (const one of pane.querySelectorAll(".leaf")) near.observe(one);
  desk.addEventListener("scroll", () => {
    const middle = desk.getBoundingClientRect().top + desk.clientHeight / 2.5;
    const at = [...pane.querySelectorAll(".leaf")].findLast((one) => one.getBoundingClientRect().top <= middle);
    if (at) isAt(at.dataset.page);
  }, { passive: true });
  fit();
  drawNotes().catch(() => {});
  await narrowed(quote);
}

/** Mark the quote's own lines instead of the box around them; where it stands several times in it the box stays. */
async function narrowed(quote) {
  const pane = reader();
  const boxes = pane.querySelectorAll(".marks .found");
  if (!quote || boxes.length > 1) return;
  const { paper, page: number } = pane.dataset;
  const box = boxes.length ? ["x", "y", "width", "height"].map((name, i) => Number(boxes[0].getAttribute(name)) + [2, 2, -4, -4][i]) : [];
  const asked = new URLSearchParams({ q: quote.slice(0, 2000), page: number, ...(box.length ? { box: box.join() } : {}) });
  const { places } = await call("GET", `/papers/${paper}/find?${asked}`).catch(() => ({ places: [] }));
  if (!places.length || (boxes.length && places.length > 1) || reader() !== pane) return;
  unmark("found");
  mark(number, places[0].boxes, "found line");
  fit();
}

function larger(step) {
  zoom = Math.min(4, Math.max(0.5, Math.round((zoom + step) * 4) / 4));
  const at = leaf(reader()?.dataset.page);
  reader()?.querySelector(".desk").style.setProperty("--zoom", zoom);
  if (at) show(at);
  say(`${Math.round(zoom * 100)} percent`);
}

// ------------------------------------------------------------------ opened beside an answer

let newest = 0; // what is asked for later, or closed, is not replaced by what arrives late

/** Show an address of the reader; in the pane that is open, where it is of the same paper. */
export async function load(address, quote = "") {
  const own = ++newest;
  const [, paper, number] = /^\/read\/([^/]+)\/(\d+)/.exec(address) ?? [];
  try {
    if (reader()?.dataset.paper === decodeURIComponent(paper ?? "")) {
      unmark("found");
      isAt(number);
      mark(number, new URLSearchParams(address.split("?")[1]).getAll("box").map((box) => box.split(",").map(Number)), "found");
      fit();
      walkTold();
      await narrowed(quote);
      return;
    }
    if (!beside()) { location.href = address; return; }
    const made = (await page(address)).getElementById("reader");
    if (own !== newest) return;
    made.classList.remove("alone");
    beside().replaceChildren(made);
    beside().hidden = false;
    document.getElementById("split").classList.add("reading");
    walkTold();
    await settle(made, quote);
  } catch (error) {
    failed(error);
  }
}

const evidence = () => [...(current?.closest(".turn")?.querySelectorAll(".evidence a[data-evidence]") ?? [])];

function walkTold() {
  const all = evidence();
  const walk = reader()?.querySelector(".evidence-walk");
  if (!walk) return;
  walk.hidden = !all.includes(current);
  if (walk.hidden) return;
  walk.querySelector("[data-walk]").textContent = `${all.indexOf(current) + 1} of ${all.length}`;
  for (const one of document.querySelectorAll(".evidence a[aria-current]")) one.removeAttribute("aria-current");
  current.setAttribute("aria-current", "true");
}

/** Show the page of a piece of evidence (a link with data-evidence) beside its answer. */
export async function open(link) {
  opener = link;
  current = link.closest(".turn")?.querySelector(`.evidence a[data-evidence="${link.dataset.evidence}"]`) ?? link;
  await load(link.getAttribute("href"), current.querySelector(".quote")?.textContent);
  if (!current) return; // closed meanwhile
  const all = evidence();
  say(`Evidence ${all.indexOf(current) + 1} of ${all.length}: ${reader()?.getAttribute("aria-label")}`);
  if (matchMedia("(max-width: 56rem)").matches) reader()?.querySelector(".desk").focus();
}

function walk(step) {
  if (!current) {
    const turns = document.querySelectorAll(".turn");
    const first = turns[turns.length - 1]?.querySelector(".evidence a[data-evidence]");
    return first ? open(first) : false;
  }
  const all = evidence();
  const next = all[(all.indexOf(current) + step + all.length) % all.length];
  next?.scrollIntoView({ block: "nearest" });
  return next ? open(next) : false;
}

/** Close the page beside the answer; false if there is none. */
export function close() {
  newest += 1;
  if (!beside() || beside().hidden) return false;
  beside().hidden = true;
  beside().replaceChildren();
  document.getElementById("split").classList.remove("reading");
  for (const one of document.querySelectorAll(".evidence a[aria-current]")) one.removeAttribute("aria-current");
  opener?.focus();
  current = null;
  return true;
}

/** Go to a page; there to a height in points. */
export function go(number, top = 0) {
  const target = leaf(number);
  if (!target) return false;
  show(target);
  if (top) reader().querySelector(".desk").scrollBy({ top: (top / Number(target.dataset.height)) * target.clientHeight - 40 });
  isAt(number);
  return true;
}

const step = (by) => go(Number(reader()?.dataset.page) + by);

function thumbs() {
  const nav = reader()?.querySelector(".thumbs");
  if (!nav) return false;
  if (!nav.children.length) {
    nav.append(...[...reader().querySelectorAll(".leaf")].map(({ dataset: { page: number } }) => {
      const link = document.createElement("a");
      const picture = document.createElement("img");
      Object.assign(picture, { loading: "lazy", alt: `Page ${number}`, src: `/api/v1/papers/${reader().dataset.paper}/pages/${number}.png?dpi=36` });
      link.href = `/read/${reader().dataset.paper}/${number}`;
      link.dataset.to = number;
      link.append(picture, number);
      return link;
    }));
  }
  nav.hidden = !nav.hidden;
  reader().querySelector('[data-go="thumbs"]').setAttribute("aria-expanded", String(!nav.hidden));
  return true;
}

// ------------------------------------------------------------------ words found in the PDF

let hits = []; // {number, marks}
let at = -1;
let sought = "";

async function find(q) {
  unmark("hit");
  [hits, at, sought] = [[], -1, q];
  const told = reader().querySelector("[data-found]");
  reader().querySelector("[data-find] button").hidden = !q;
  if (!q) { told.textContent = ""; return; }
  const { places, truncated } = await call("GET", `/papers/${reader().dataset.paper}/find?${new URLSearchParams({ q })}`);
  if (q !== sought) return;
  hits = places.map(({ page: number, boxes }) => ({ number, marks: mark(number, boxes, "hit") }));
  if (!hits.length) { told.textContent = "Not found"; return; }
  const first = hits.findIndex((hit) => hit.number >= Number(reader().dataset.page));
  told.dataset.more = truncated ? "+" : "";
  turnTo(Math.max(0, first));
}

function turnTo(number) {
  for (const one of hits[at]?.marks ?? []) one.classList.remove("now");
  at = (number + hits.length) % hits.length;
  for (const one of hits[at].marks) one.classList.add("now");
  show(hits[at].marks[0]);
  isAt(hits[at].number);
  const told = reader().querySelector("[data-found]");
  told.textContent = `${at + 1} of ${hits.length}${told.dataset.more}`;
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-find]");
  if (!form) return;
  event.preventDefault();
  const q = form.elements.q.value.trim();
  if (q === sought && hits.length) turnTo(at + 1); else find(q).catch(failed);
});
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key === "Enter" && field.matches?.(".page-of input")) { event.preventDefault(); if (!go(field.value.trim())) field.value = reader().dataset.page; }
  if (!field.closest?.("[data-find]")) return;
  if (event.key === "Enter" && event.shiftKey && hits.length) { event.preventDefault(); turnTo(at - 1); }
  if (event.key === "Escape") { event.stopPropagation(); field.value = ""; find("").catch(failed); reader().querySelector(".desk").focus(); }
}, true);
document.addEventListener("input", (event) => { if (event.target.closest("[data-find]") && !event.target.value) find("").catch(failed); });

// ------------------------------------------------------------------ doings

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const cited = event.target.closest("a[data-evidence]");
  if (cited && beside()) { event.preventDefault(); open(cited); return; }
  const link = event.target.closest("[data-to]");
  if (link && reader()) { event.preventDefault(); go(link.dataset.to, Number(link.dataset.top ?? 0)); return; }
  const doings = {
    smaller: () => larger(-0.25), larger: () => larger(0.25), close, thumbs,
    "evidence-before": () => walk(-1), "evidence-after": () => walk(1), "page-before": () => step(-1), "page-after": () => step(1),
  };
  const done = doings[event.target.closest("[data-go]")?.dataset.go];
  if (done) { event.preventDefault(); done(); }
});

bind({
  n: () => walk(1), p: () => walk(-1), "[": () => step(-1), "]": () => step(1), v: () => thumbs(),
  f: () => { const field = reader()?.querySelector("[data-find] input"); field?.focus(); return Boolean(field); },
  "+": () => larger(0.25), "=": () => larger(0.25), "-": () => larger(-0.25), Escape: close,
});
