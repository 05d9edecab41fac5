// Stars, tags, collections, what was read: of one paper, or of those that are chosen.

import { call } from "./api.js";
import { failed, say } from "./live.js";

/** The names in a text with commas between them. */
export const names = (text) => text.split(",").map((name) => name.trim()).filter(Boolean);

/** Change what is made of a paper. */
export const shelve = (paper, changes) => call("PUT", `/papers/${paper}/shelf`, changes);

async function star(button) {
  const on = button.getAttribute("aria-pressed") !== "true";
  await shelve(button.dataset.star, { starred: on });
  button.setAttribute("aria-pressed", String(on));
  say(on ? "Starred" : "Not starred");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-star]");
  if (button) star(button).catch(failed);
});
