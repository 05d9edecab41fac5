// Long work at the top of a view: how far it is, while it runs, also when one comes back to the page.

import { call, follow } from "./api.js";
import { failed, say } from "./live.js";

const names = { add: "Adding", retry: "Reading again", refresh: "Reading anew", restore: "Bringing back", quiz: "Making questions", evaluate: "Asking questions" };
const stages = { "": "starting", read: "looking at files", parse: "papers read:", encode: "passages indexed:", waiting: "waiting for another process" };
const shown = new Set();

const left = (seconds) => (!seconds ? "" : seconds < 60 ? `, ${Math.ceil(seconds)} s left` : `, ${Math.ceil(seconds / 60)} min left`);

function draw(article, job) {
  const { stage = "", done = 0, total = 0, label = "", seconds_left: rest = null } = job.progress ?? {};
  const bar = article.querySelector("progress");
  if (total) bar.value = done / total; else bar.removeAttribute("value");
  const counted = total ? ` ${done} of ${total}${left(rest)}` : "";
  article.querySelector(".job-stage").textContent = job.state === "waiting" ? "waiting for its turn" : `${stages[stage] ?? stage}${counted}`;
  const list = article.querySelector(".job-files");
  if (label && stage !== "encode" && label !== list.lastChild?.textContent) {
    const line = document.createElement("li");
    line.textContent = label;
    list.append(line);
    while (list.children.length > 3) list.firstChild.remove();
  }
}

function told(job) {
  const files = job.result?.files ?? [];
  const count = (outcome) => files.filter((file) => file.outcome === outcome).length;
  const parts = [["added", "added"], ["updated", "updated"], ["duplicate", "known already"], ["unchanged", "known already"], ["failed", "failed"]]
    .map(([outcome, words]) => [count(outcome), words]).filter(([number]) => number).map(([number, words]) => `${number} ${words}`);
  if (job.state === "cancelled") return "Stopped; what was done is kept.";
  if (job.state === "failed") return job.error?.message ?? "It failed.";
  return parts.length ? `${parts.join(", ")}.` : "Done.";
}

function end(article, job) {
  const bad = (job.result?.files ?? []).filter((file) => file.outcome === "failed");
  article.querySelector("progress").hidden = true;
  article.querySelector(".job-stage").textContent = told(job);
  const list = article.querySelector(".job-files");
  list.replaceChildren(...bad.map((file) => {
    const line = document.createElement("li");
    line.className = "bad";
    line.textContent = file.error.includes(file.file_name) ? file.error : `${file.file_name}: ${file.error}`;
    return line;
  }));
  const button = article.querySelector("[data-cancel]");
  button.textContent = "Close";
  button.onclick = () => article.remove();
  say(told(job));
  if (!bad.length && job.state === "done") setTimeout(() => article.remove(), 4000);
}

/** Show a job until it has ended; `on(job)` whenever it changed. */
export function show(job, on = () => {}) {
  if (shown.has(job.id)) return;
  shown.add(job.id);
  const article = document.getElementById("job").content.firstElementChild.cloneNode(true);
  article.querySelector(".job-title").textContent = names[job.kind] ?? job.kind;
  article.querySelector("[data-cancel]").onclick = () => call("POST", `/jobs/${job.id}/cancel`).catch(failed);
  document.getElementById("jobs").append(article);
  draw(article, job);
  follow(job.id, (now) => {
    const over = ["done", "failed", "cancelled"].includes(now.state);
    if (over) end(article, now); else draw(article, now);
    on(now, over);
  });
}

/** Show what is at work already: begun here before, or elsewhere. */
export async function resume(kinds, on) {
  const { jobs } = await call("GET", "/jobs?running=true");
  for (const job of jobs) if (kinds.includes(job.kind)) show(job, on);
}
