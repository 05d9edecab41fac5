// Measures: a quiz of the library started and watched, questions of an evaluation found.

import { call } from "./api.js";
import { resume, show } from "./jobs.js";
import { bind } from "./keys.js";
import { failed } from "./live.js";

const filter = document.getElementById("filter");
if (filter) {
  const narrowed = () => {
    const words = filter.elements.q.value.toLowerCase();
    const status = filter.elements.status.value;
    for (const one of document.querySelectorAll(".cases > li")) {
      one.hidden = (status && one.dataset.status !== status) || !one.textContent.toLowerCase().includes(words);
    }
  };
  filter.addEventListener("input", narrowed);
  filter.addEventListener("submit", (event) => { event.preventDefault(); narrowed(); });
  bind({ "/": () => filter.elements.q.focus() });
}

// A quiz is made first, then asked; each is work of its own, and whoever comes back sees what runs.
async function changed(job, over) {
  if (!over || job.state !== "done") return;
  if (job.kind === "evaluate") { location.reload(); return; }
  try {
    show((await call("POST", "/evaluations", { quiz: job.result.quiz, limit: 100 })).job, changed);
  } catch (error) {
    failed(error);
  }
}

const quiz = document.getElementById("quiz");
quiz?.addEventListener("click", async () => {
  try {
    show((await call("POST", "/quiz", { each: 1 })).job, changed);
  } catch (error) {
    failed(error);
  }
});
if (quiz) resume(["quiz", "evaluate"], changed).catch(failed);
