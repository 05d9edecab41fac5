// The words of a page over its picture, transparent: to be selected, copied, found by the browser; and its links.

import { call } from "./api.js";

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

/** A link of the page: within the paper, or to an address, which opens in a tab of its own. */
function layLink({ box: [x, y, w, h], page, top, url }, paper, width, height) {
  const link = document.createElement("a");
  link.className = "leads";
  if (page) {
    link.href = `/read/${paper}/${page}`;
    Object.assign(link.dataset, { to: page, top });
    link.setAttribute("aria-label", `To page ${page}`);
  } else {
    Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer nofollow", title: url });
    link.setAttribute("aria-label", url);
  }
  const share = (part, of) => `${(100 * part) / of}%`;
  Object.assign(link.style, { left: share(x, width), top: share(y, height), width: share(w, width), height: share(h, height) });
  return link;
}

// Between two lines there is no word, and a browser would select up to the end of the page. A part that lies behind
// the words takes such places; it stands beside the line that the selection has reached, so that it ends there.
let before = null;

document.addEventListener("selectionchange", () => {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed) {
    before = null;
    for (const gaps of document.querySelectorAll(".text-layer > .gaps")) gaps.classList.remove("selecting");
    return;
  }
  const range = chosen.getRangeAt(0);
  const still = (edge) => before && range.compareBoundaryPoints(edge, before) === 0;
  if (still(Range.START_TO_START) && still(Range.END_TO_END)) return;
  const backwards = still(Range.END_TO_END) || still(Range.START_TO_END);
  const at = backwards ? range.startContainer : range.endContainer;
  const line = (at.nodeType === Node.TEXT_NODE ? at.parentElement : at).closest(".text-layer > div:not(.gaps)");
  const gaps = line?.parentElement.querySelector(":scope > .gaps");
  gaps?.classList.add("selecting");
  if (gaps) line[backwards ? "before" : "after"](gaps);
  before = range.cloneRange();
});

/** Lay the words and links of a page over it. */
export async function layWords(paper, leaf) {
  const { words, links } = await call("GET", `/papers/${paper}/pages/${leaf.dataset.page}/words`);
  const layer = document.createElement("div");
  layer.className = "text-layer";
  leaf.append(layer);
  const lines = new Map();
  for (const word of words) lines.set(word.line, [...(lines.get(word.line) ?? []), word]);
  const [width, height] = [Number(leaf.dataset.width), Number(leaf.dataset.height)];
  const font = getComputedStyle(layer).fontFamily;
  const gaps = Object.assign(document.createElement("div"), { className: "gaps" });
  layer.append(...[...lines.values()].map((line) => layLine(line, width, height, font)), gaps, ...links.map((one) => layLink(one, paper, width, height)));
}
