// What is selected on a page: asked about, highlighted, noted, copied; and the notes that are there.

import { call } from "./api.js";
import { failed, toast } from "./live.js";

const reader = () => document.getElementById("reader");
const notes = new Map();
let picked = null; // {page, boxes, quote: whole words, said: what is copied}
let open = ""; // the note that is written

/** The selection as places of one page: a box a line, in points. */
function selection() {
  const chosen = getSelection();
  if (!chosen?.rangeCount || chosen.isCollapsed) return null;
  const range = chosen.getRangeAt(0);
  const leaf = (range.startContainer.parentElement ?? range.startContainer).closest?.(".leaf");
  if (!leaf || !reader()?.contains(leaf)) return null;
  const sheet = leaf.getBoundingClientRect();
  const scale = Number(leaf.dataset.width) / sheet.width;
  const [boxes, lines] = [[], []];
  for (const line of leaf.querySelectorAll(".text-layer > div")) {
    const held = [...line.children].filter((word) => range.intersectsNode(word));
    if (!held.length) continue;
    lines.push(held.map((word) => word.textContent).join(""));
    const words = held.map((word) => word.getBoundingClientRect());
    const [left, right] = [Math.min(...words.map((one) => one.left)), Math.max(...words.map((one) => one.right))];
    const top = Math.min(...words.map((one) => one.top));
    boxes.push([(left - sheet.left) * scale, (top - sheet.top) * scale, (right - left) * scale, words[0].height * scale].map((edge) => Math.round(edge * 10) / 10));
  }
  const quote = plain(lines.join("\n"));
  return quote && boxes.length ? { page: Number(leaf.dataset.page), boxes: boxes.slice(0, 200), quote: quote.slice(0, 4000), said: plain(chosen.toString()) } : null;
}

/** A copied text without the marks of notes (superscript numbers, daggers) and with its hyphenated words whole. */
export function plain(text) {
  return text.replace(/[†‡§¶¹²³⁰⁴-⁹]+/gu, "").replace(/(\p{L})-\s*\n\s*(\p{Ll})/gu, "$1$2").replace(/\s+/g, " ").trim();
}

document.addEventListener("selectionchange", () => {
  const bar = reader()?.querySelector(".picked");
  if (!bar) return;
  const now = selection();
  if (now) picked = now;
  bar.querySelector('[data-picked="answers"]').hidden = !document.querySelector(".judge");
  bar.hidden = !now;
});
document.addEventListener("copy", (event) => {
  const now = selection();
  if (!now) return;
  event.preventDefault();
  event.clipboardData.setData("text/plain", now.said);
});

function ask() {
  const words = `About “${picked.quote.slice(0, 500)}”: `;
  const field = document.getElementById("text");
  if (!field) { location.href = `/ask?${new URLSearchParams({ paper: reader().dataset.paper, q: words })}`; return; }
  field.value = words;
  const box = document.querySelector(`#scope-list input[value="${CSS.escape(reader().dataset.paper)}"]`);
  if (box && !box.checked) box.click();
  field.focus();
}

async function keep(text = "") {
  const { page, boxes, quote } = picked;
  const made = await call("POST", "/notes", { paper: reader().dataset.paper, page, boxes, quote, text });
  draw(made);
  getSelection().removeAllRanges();
  return made;
}

function draw(note) {
  notes.set(note.id, note);
  const layer = reader()?.querySelector(`.leaf[data-page="${note.page}"]`);
  if (!layer) return;
  const { width, height } = layer.dataset;
  const share = (part, of) => `${(100 * part) / of}%`;
  for (const [x, y, w, h] of note.boxes.length ? note.boxes : [[Number(width) - 28, 12, 16, 16]]) {
    const one = document.createElement("button");
    Object.assign(one, { type: "button", className: note.text ? "own noted" : "own", title: note.text || "Your highlight" });
    one.dataset.note = note.id;
    one.setAttribute("aria-label", note.text ? `Note: ${note.text}` : `Highlight: ${note.quote.slice(0, 80)}`);
    Object.assign(one.style, { left: share(x, width), top: share(y, height), width: share(w, width), height: share(h, height) });
    layer.append(one);
  }
}

/** Draw the notes of the paper that is open. */
export async function drawNotes() {
  for (const one of reader().querySelectorAll("[data-note]")) one.remove();
  const { notes: found } = await call("GET", `/notes?${new URLSearchParams({ paper: reader().dataset.paper })}`);
  for (const note of found) draw(note);
}

function write(id) {
  open = id;
  const form = reader().querySelector(".noting");
  form.hidden = false;
  form.elements.text.value = notes.get(id)?.text ?? "";
  form.querySelector('[data-noting="remove"]').hidden = !id;
  form.elements.text.focus();
}

async function remove(id) {
  const gone = await call("DELETE", `/notes/${id}`);
  await drawNotes();
  const { paper, page, boxes, quote, text } = gone;
  const run = () => call("POST", "/notes", { paper, page, boxes, quote, text }).then(draw).catch(failed);
  toast("The note was removed", { undo: { label: "Undo", run } });
}

const doings = {
  ask,
  answers: async () => { document.dispatchEvent(new CustomEvent("answers", { detail: await keep() })); },
  mark: () => keep().then(() => toast("Highlighted", { seconds: 2 })),
  note: () => write(""),
  copy: () => navigator.clipboard.writeText(picked.said).then(() => toast("Copied", { seconds: 2 })),
};

document.addEventListener("pointerdown", (event) => { if (event.target.closest("[data-picked]")) event.preventDefault(); }); // the selection stays
document.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-picked]");
  if (chosen && picked) Promise.resolve(doings[chosen.dataset.picked]()).catch(failed);
  if (event.target.closest("[data-note-page]")) {
    picked = { page: Number(reader().dataset.page), boxes: [], quote: "", said: "" };
    write("");
  }
  const note = event.target.closest("[data-note]");
  if (note) write(note.dataset.note);
  const noting = event.target.closest("[data-noting]");
  if (!noting) return;
  reader().querySelector(".noting").hidden = true;
  if (noting.dataset.noting === "remove") remove(open).catch(failed);
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest(".noting");
  if (!form) return;
  event.preventDefault();
  const text = form.elements.text.value.trim();
  if (!text && !open && !picked.quote) { form.elements.text.focus(); return; } // nothing is highlighted either
  const done = open ? call("PATCH", `/notes/${open}`, { text }).then(drawNotes) : keep(text);
  done.then(() => { form.hidden = true; toast("Kept", { seconds: 2 }); }).catch(failed);
});
