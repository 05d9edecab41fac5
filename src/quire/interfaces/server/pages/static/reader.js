// The page beside an answer: opened at a box, walked from evidence to evidence, its words to be selected.

import { call } from "./api.js";
import { bind } from "./keys.js";
import { failed, say } from "./live.js";
import { narrow } from "./marks.js";
import { page } from "./swap.js";

let zoom = 1;
let opener = null; // where the focus goes back to
let current = null; // the link of the evidence that is shown
const small = matchMedia("(max-width: 40rem)");

const reader = () => document.getElementById("reader");

const pen = new OffscreenCanvas(1, 1).getContext("2d");

/** How wide a text is, in units of its own size. */
function breadth(text, font) {
  pen.font = `100px ${font}`;
  return pen.measureText(text).width / 100;
}

/** One printed line: its words one after the other, each as wide as on the picture. */
function layLine(words, width, height, font) {
  const line = document.createElement("div");
  const tall = Math.max(...words.map(({ box }) => box[3]));
  const place = (length) => `${(100 * length) / width}cqw`;
  line.style.left = place(words[0].box[0]);
  line.style.top = `${(100 * Math.min(...words.map(({ box }) => box[1]))) / height}%`;
  line.style.fontSize = place(tall);
  line.append(...words.map(({ text, box: [x, , w] }, i) => {
    const next = words[i + 1];
    const span = document.createElement("span");
    span.textContent = next && !next.glued ? `${text} ` : text;
    const room = next && next.box[0] > x ? next.box[0] - x : w;
    span.style.width = place(room);
    span.style.transform = `scaleX(${room / (tall * breadth(span.textContent, font) || 1)})`;
    return span;
  }), "\n"); // so that what is copied has its lines
  return line;
}

/** Every word in its place over the picture, transparent: to be selected, copied, found by the browser. */
async function layWords(pane) {
  const layer = pane.querySelector(".text-layer");
  const { paper, page: number } = pane.dataset;
  const { words } = await call("GET", `/papers/${paper}/pages/${number}/words`);
  const lines = new Map();
  for (const word of words) lines.set(word.line, [...(lines.get(word.line) ?? []), word]);
  const font = getComputedStyle(layer).fontFamily;
  const { width, height } = layer.dataset;
  layer.replaceChildren(...[...lines.values()].map((line) => layLine(line, Number(width), Number(height), font)));
  return words;
}

function toMark(pane) {
  const marks = [...pane.querySelectorAll(".marks .found")].map((mark) => mark.getBoundingClientRect());
  const desk = pane.querySelector(".desk");
  if (!marks.length) return;
  const view = desk.getBoundingClientRect();
  const middle = (Math.min(...marks.map((box) => box.left)) + Math.max(...marks.map((box) => box.right))) / 2;
  desk.scrollTo({
    top: desk.scrollTop + marks[0].top - view.top - (view.height - marks[0].height) / 2.6,
    left: desk.scrollLeft + middle - view.left - view.width / 2,
  });
}

/** How large a page has to be on a small screen for its marks to be read: as wide as the screen, if they can be. */
function readable(pane) {
  const edges = (mark) => ["x", "width"].map((name) => Number(mark.getAttribute(name)));
  const marks = [...pane.querySelectorAll(".marks .found")].map(edges);
  if (!marks.length) return 1;
  const wide = Math.max(...marks.map(([x, width]) => x + width)) - Math.min(...marks.map(([x]) => x));
  return Math.min(2.5, Math.max(1, Number(pane.querySelector(".text-layer").dataset.width) / (wide + 24)));
}

function fit(pane) {
  if (small.matches) zoom = readable(pane);
  pane.querySelector(".leaf").style.setProperty("--zoom", zoom);
  toMark(pane);
}

/** Make a pane that is in the page work; a `quote` is marked by its own words. */
export function settle(pane, quote = "") {
  fit(pane);
  layWords(pane).then((words) => {
    narrow(pane.querySelector(".marks"), quote, words);
    if (quote) fit(pane);
  }).catch(() => {}); // the picture says the same; a page without words has none to select
}

function larger(step) {
  zoom = Math.min(4, Math.max(0.5, Math.round((zoom + step) * 4) / 4));
  const pane = reader();
  pane?.querySelector(".leaf").style.setProperty("--zoom", zoom);
  say(`${Math.round(zoom * 100)} percent`);
}

let newest = 0; // what is asked for later, or closed, is not replaced by what arrives late

async function load(address, quote = "") {
  const own = ++newest;
  try {
    const made = (await page(address)).getElementById("reader");
    if (own !== newest) return;
    const old = reader();
    const beside = document.getElementById("beside");
    if (!beside) { location.href = address; return; }
    made.classList.remove("alone");
    if (old) old.replaceWith(made); else beside.replaceChildren(made);
    beside.hidden = false;
    document.getElementById("split").classList.add("reading");
    settle(made, quote);
    walkTold();
  } catch (error) {
    failed(error);
  }
}

const evidence = () => [...(current?.closest(".turn")?.querySelectorAll(".evidence a[data-evidence]") ?? [])];

function walkTold() {
  const all = evidence();
  const walk = reader()?.querySelector(".evidence-walk");
  if (!walk || !all.length) return;
  const place = all.indexOf(current) + 1;
  walk.hidden = false;
  walk.querySelector("[data-walk]").textContent = `${place} of ${all.length}`;
  for (const one of document.querySelectorAll(".evidence a[aria-current]")) one.removeAttribute("aria-current");
  current.setAttribute("aria-current", "true");
}

/** Show the page of a piece of evidence (a link with data-evidence) beside its answer. */
export async function open(link) {
  const turn = link.closest(".turn");
  opener = link;
  current = turn?.querySelector(`.evidence a[data-evidence="${link.dataset.evidence}"]`) ?? link;
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
  const beside = document.getElementById("beside");
  newest += 1;
  if (!beside || beside.hidden) return false;
  beside.hidden = true;
  beside.replaceChildren();
  document.getElementById("split").classList.remove("reading");
  for (const one of document.querySelectorAll(".evidence a[aria-current]")) one.removeAttribute("aria-current");
  opener?.focus();
  current = null;
  return true;
}

function leaf(which) {
  const link = reader()?.querySelector(`[data-go="${which}"][href]`);
  if (!link) return false;
  return document.getElementById("beside") ? load(link.getAttribute("href")) : link.click();
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const cited = event.target.closest("a[data-evidence]");
  if (cited && document.getElementById("beside")) { event.preventDefault(); open(cited); return; }
  const go = event.target.closest("[data-go]")?.dataset.go;
  const doings = {
    smaller: () => larger(-0.25), larger: () => larger(0.25), close,
    "evidence-before": () => walk(-1), "evidence-after": () => walk(1),
  };
  if (go in doings) doings[go]();
  else if (go && document.getElementById("beside")) { event.preventDefault(); leaf(go); }
});

bind({
  n: () => walk(1), p: () => walk(-1), "[": () => leaf("page-before"), "]": () => leaf("page-after"),
  "+": () => larger(0.25), "=": () => larger(0.25), "-": () => larger(-0.25), Escape: close,
});
