// A thread of questions. Each is sent; while it is answered, the server draws it as it stands, again and again.

import { call, stream } from "./api.js";
import "./judge.js";
import { bind } from "./keys.js";
import { failed, say } from "./live.js";
import { close, open } from "./reader.js";
import { paced, page } from "./swap.js";

const form = document.getElementById("question");
const text = document.getElementById("text");
const turns = document.getElementById("turns");
const send = document.getElementById("send");
const stop = document.getElementById("stop");
const scope = document.getElementById("scope");
const scopeList = document.getElementById("scope-list");
let asking = null; // {id, abort}

// ------------------------------------------------------------------ which papers

const boxes = () => [...form.querySelectorAll('input[name="papers"]')];
const chosen = () => boxes().filter((box) => box.checked).map((box) => box.value);

function told() {
  const count = chosen().length;
  const papers = count ? `${count} chosen paper${count === 1 ? "" : "s"}` : "whole library";
  const wanted = form.elements.answer_format.value.trim();
  const kind = form.elements.kind;
  const what = kind?.value ? `${kind.value} of ` : "";
  const words = what + (wanted ? `${papers}, as ${wanted}` : papers);
  scope.textContent = words[0].toUpperCase() + words.slice(1);
  text.required = kind?.value !== "overview" && kind?.value !== "comparison";
}

scope.addEventListener("click", () => {
  scopeList.hidden = !scopeList.hidden;
  scope.setAttribute("aria-expanded", String(!scopeList.hidden));
  if (!scopeList.hidden) document.getElementById("scope-filter").focus();
});
scopeList.addEventListener("change", (event) => {
  told();
  if (event.target.name === "papers" && form.dataset.thread) {
    call("PATCH", `/threads/${form.dataset.thread}`, { papers: chosen() }).catch(failed);
  }
});
document.getElementById("scope-filter").addEventListener("input", (event) => {
  const sought = event.target.value.toLowerCase();
  for (const item of scopeList.querySelectorAll("li")) item.hidden = !item.textContent.toLowerCase().includes(sought);
});
scopeList.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.type !== "checkbox") { event.preventDefault(); scope.click(); text.focus(); }
  if (event.key === "Escape") { event.stopPropagation(); scope.click(); scope.focus(); }
});
told();

// ------------------------------------------------------------------ asking

const PACE = 150; // milliseconds between two drawings

/** The turn of a question as the server draws it now, in place of `turn`; the answer itself only when all is `over`. */
async function drawn(turn, id, over = false) {
  const made = document.adoptNode((await page(`/asks/${id}`)).querySelector(".turn"));
  if (!over && !made.dataset.ask) return turn;
  const opened = turn.querySelectorAll("details");
  if (made.dataset.ask) {
    made.querySelectorAll("details").forEach((one, i) => { one.open = opened[i]?.open ?? false; });
    made.querySelector(".now").textContent = turn.querySelector(".now")?.textContent ?? "";
  }
  turn.replaceWith(made);
  return made;
}

function begin(question) {
  let turn = document.getElementById("working").content.firstElementChild.cloneNode(true);
  turn.querySelector(".question").textContent = question;
  turns.append(turn);
  turn.scrollIntoView({ block: "start" });
  const started = performance.now();
  const doing = () => (turn.querySelector(".value") ? "Writing" : turn.querySelector(".evidence") ? "Thinking" : "Looking");
  const tick = () => { const now = turn.querySelector(".now"); if (now) now.textContent = `${doing()} · ${((performance.now() - started) / 1000).toFixed(1)} s`; };
  const clock = setInterval(tick, 100);
  return {
    came: paced(async () => { if (asking?.id) turn = await drawn(turn, asking.id); }, PACE),
    async end() { clearInterval(clock); await this.came.stop(); if (asking.id) turn = await drawn(turn, asking.id, true); return turn; },
    told(words) { clearInterval(clock); turn.querySelector(".now")?.replaceChildren(words); },
  };
}

/** What a conversation is called that begins so. */
function named(question, kind) {
  if (!kind) return question;
  const about = kind === "overview" ? boxes().find((box) => box.checked)?.closest("label").querySelector("span").textContent : question;
  return `${kind[0].toUpperCase()}${kind.slice(1)}: ${about ?? question}`;
}

async function thread(question, kind) {
  if (form.dataset.thread) return form.dataset.thread;
  const made = await call("POST", "/threads", { title: named(question, kind).slice(0, 120), papers: chosen() });
  form.dataset.thread = made.id;
  history.replaceState(null, "", `/ask/${made.id}`);
  return made.id;
}

async function finished(turn) {
  turn.scrollIntoView({ block: "start" });
  const state = turn.querySelector(".state, .now")?.textContent.trim() ?? "";
  say(`${state}. ${turn.querySelector(".value, .lead")?.textContent.trim() ?? ""}`);
  const first = turn.querySelector(".answer .evidence a[data-evidence]");
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
  if (first && matchMedia("(min-width: 56.01rem)").matches) await open(first);
}

function busy(question) {
  asking = question;
  send.hidden = true;
  stop.hidden = false;
}

function free() {
  asking = null;
  send.hidden = false;
  stop.hidden = true;
}

async function ask(question, memory = true) {
  const kind = form.elements.kind?.value ?? "";
  if (!question && text.required) return;
  const typed = question;
  question ||= kind === "overview" ? "An overview" : "question, method, data, main result";
  if (asking) return;
  close();
  text.value = "";
  document.querySelector(".opening")?.classList.replace("opening", "unseen");
  for (const part of document.querySelectorAll(".earlier, .who")) part.remove();
  text.placeholder = "Ask on";
  scopeList.hidden = true;
  const shown = begin(question);
  busy({ id: "", abort: new AbortController() });
  const body = { question, memory, kind, papers: chosen(), answer_format: form.elements.answer_format.value.trim() };
  if (kind) { form.elements.kind.value = ""; told(); } // what follows is a question again
  let turn = null;
  try {
    body.thread = await thread(question, kind);
    await stream("/ask", body, (kind, data) => {
      if (kind === "asked") asking.id = data.id;
      else if (kind !== "done") shown.came();
    }, asking.abort.signal);
    turn = await shown.end();
  } catch (error) {
    shown.told(error.name === "AbortError" ? "Stopped." : error.message);
    if (error.name !== "AbortError") failed(error);
    if (!asking.id) { // nobody has it but this page
      text.value ||= typed;
      if (kind) { form.elements.kind.value = kind; told(); }
    }
  } finally {
    free();
  }
  if (turn) await finished(turn).catch(failed);
}

async function halt() {
  if (!asking) return false;
  say("Stopping");
  const { id, abort } = asking;
  if (!id) { abort.abort(); return true; }
  try { await call("POST", `/asks/${id}/cancel`); } catch (error) { failed(error); }
  return true;
}

send.disabled = false; // before that the browser would send the form itself
form.addEventListener("submit", (event) => { event.preventDefault(); ask(text.value.trim()); });
turns.addEventListener("click", (event) => {
  const anew = event.target.closest("[data-anew]");
  if (anew) ask(anew.closest(".turn").dataset.question, false);
});
stop.addEventListener("click", halt);
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); ask(text.value.trim()); }
  if (event.key === "Escape" && !asking) { text.blur(); event.stopPropagation(); }
});
bind({
  "/": () => text.focus(), s: () => scope.click(),
  Escape: () => (asking ? (halt(), true) : close()),
});
if (matchMedia("(min-width: 40rem)").matches && !turns.children.length) text.focus();

/** Asked before, and not answered when the page was left: whoever comes back sees it through, or stops it. */
function resume(turn) {
  const own = { id: turn.dataset.ask };
  const source = new EventSource(`/api/v1/asks/${own.id}/events`);
  const came = paced(async () => { turn = await drawn(turn, own.id); }, PACE);
  const end = async () => {
    source.close();
    if (asking === own) free();
    await came.stop();
    await drawn(turn, own.id, true);
  };
  busy(own);
  for (const kind of ["step", "text"]) source.addEventListener(kind, came);
  source.addEventListener("done", () => { end().catch(failed); });
  source.addEventListener("error", (event) => { if (event.data === undefined) end().catch(failed); }); // the line, not the answer
}
for (const turn of turns.querySelectorAll("[data-ask]:not([data-ask=''])")) resume(turn);
