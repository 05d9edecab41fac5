// Measures: a quiz of the library started and watched.

import { call } from "./api.js";
import { resume, show } from "./jobs.js";
import { bind } from "./keys.js";
import { failed } from "./live.js";

bind({ "/": () => { const field = document.querySelector(".questions input"); field?.focus(); return Boolean(field); } });

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
