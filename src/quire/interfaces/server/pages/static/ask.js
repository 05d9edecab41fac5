// A thread of questions: each is sent, its steps stream in, and the finished answer is drawn by the server.

import { call, stream } from "./api.js";
import "./judge.js";
import { bind } from "./keys.js";
import { failed, say } from "./live.js";
import { close, open } from "./reader.js";
import { page } from "./swap.js";

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
  const papers = count ? `${count} chosen paper${count === 1 ? "" : "s"}` : "Whole library";
  const wanted = form.elements.answer_format.value.trim();
  scope.textContent = wanted ? `${papers}, as ${wanted}` : papers;
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

function action(step) {
  if (!step.call) return "";
  const given = Object.entries(step.call.arguments).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${step.call.name}(${given.join(", ")})`;
}

function seen(observation) {
  const count = observation.rows?.length ?? 0;
  if (observation.kind === "rows") return `${count} row${count === 1 ? "" : "s"} came back`;
  return { error: "An error came back", image: "A picture came back", final: "The answer", warning: "A warning came back" }[observation.kind] ?? "Text came back";
}

function thought(step) {
  if (step.opening) return "Looked up before anything else.";
  return step.thought || (step.call ? "" : "The reply could not be understood.");
}

function drawStep(list, step) {
  const item = document.getElementById("step").content.cloneNode(true);
  item.querySelector(".number").textContent = list.children.length + 1;
  item.querySelector(".said").textContent = thought(step);
  const call = item.querySelector(".call");
  call.textContent = action(step);
  call.hidden = !step.call;
  const details = item.querySelector("details");
  details.hidden = !step.observation;
  if (step.observation) {
    details.querySelector("summary").textContent = seen(step.observation);
    details.querySelector(".seen").textContent = step.observation.text.slice(0, 20000);
  }
  list.append(item);
}

function begin(question) {
  const turn = document.getElementById("working").content.firstElementChild.cloneNode(true);
  turn.querySelector(".question").textContent = question;
  turn.querySelector("summary").textContent = "Steps";
  const started = performance.now();
  const now = turn.querySelector(".now");
  let doing = "Looking";
  const clock = setInterval(() => { now.textContent = `${doing} · ${((performance.now() - started) / 1000).toFixed(1)} s`; }, 100);
  turns.append(turn);
  turn.scrollIntoView({ block: "start" });
  const list = turn.querySelector("ol");
  return {
    turn,
    step(one) {
      drawStep(list, one);
      doing = one.thought || "Working";
      turn.querySelector("summary").textContent = `${list.children.length} step${list.children.length === 1 ? "" : "s"}`;
    },
    end(words = "") { clearInterval(clock); now.textContent = words; },
  };
}

async function thread(question) {
  if (form.dataset.thread) return form.dataset.thread;
  const made = await call("POST", "/threads", { title: question.slice(0, 120), papers: chosen() });
  form.dataset.thread = made.id;
  history.replaceState(null, "", `/ask/${made.id}`);
  return made.id;
}

async function finished(shown, run) {
  const made = (await page(`/runs/${run}`)).querySelector(".turn");
  shown.turn.replaceWith(document.adoptNode(made));
  made.scrollIntoView({ block: "start" });
  const state = made.querySelector(".state").textContent.trim();
  say(`${state}. ${made.querySelector(".value, .lead")?.textContent.trim() ?? ""}`);
  const first = made.querySelector(".evidence a[data-evidence]");
  if (first && matchMedia("(min-width: 56.01rem)").matches) await open(first);
  made.tabIndex = -1;
  made.focus({ preventScroll: true });
}

async function ask(question, memory = true) {
  if (!question || asking) return;
  close();
  text.value = "";
  document.querySelector(".opening")?.classList.replace("opening", "unseen");
  for (const part of document.querySelectorAll(".earlier, .who")) part.remove();
  text.placeholder = "Ask on";
  scopeList.hidden = true;
  const shown = begin(question);
  asking = { id: "", abort: new AbortController() };
  send.hidden = true;
  stop.hidden = false;
  let run = "";
  let trouble = null;
  const body = { question, memory, papers: chosen(), answer_format: form.elements.answer_format.value.trim() };
  try {
    body.thread = await thread(question);
    await stream("/ask", body, (kind, data) => {
      if (kind === "asked") asking.id = data.id;
      else if (kind === "step") shown.step(data);
      else if (kind === "answer") run = data.run_id;
      else if (kind === "error") trouble = data.error;
    }, asking.abort.signal);
    shown.end();
    if (run) await finished(shown, run);
    else shown.end(trouble ? `${trouble.message} ${trouble.hint ?? ""}` : "Stopped.");
  } catch (error) {
    shown.end(error.name === "AbortError" ? "Stopped." : error.message);
    if (error.name !== "AbortError") failed(error);
  } finally {
    asking = null;
    send.hidden = false;
    stop.hidden = true;
  }
}

async function halt() {
  if (!asking) return false;
  say("Stopping");
  const { id, abort } = asking;
  if (!id) { abort.abort(); return true; }
  try { await call("POST", `/asks/${id}/cancel`); } catch (error) { failed(error); }
  setTimeout(() => abort.abort(), 3000); // what still runs after that ends on the server
  return true;
}

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
// Asked before, and not answered when the page was left: whoever comes back sees it through.
for (const turn of turns.querySelectorAll("[data-ask]:not([data-ask=''])")) {
  const source = new EventSource(`/api/v1/asks/${turn.dataset.ask}/events`);
  source.addEventListener("done", () => { source.close(); location.reload(); });
  source.addEventListener("error", () => source.close());
}
