// What is copied or taken away: links, BibTeX, answers with their citations in the style that was chosen last.

import { reach } from "./api.js";
import { failed, toast } from "./live.js";

const KEPT = "quire-style";
function style() {
  try { return localStorage.getItem(KEPT) ?? "apa"; } catch { return "apa"; }
}

/** Show the style in all menus and their addresses. */
export function styled() {
  for (const select of document.querySelectorAll("[data-style]")) select.value = style();
  for (const link of document.querySelectorAll("[data-export]")) {
    const to = new URL(link.href);
    to.searchParams.set("style", style());
    link.href = to.pathname + to.search;
  }
}
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-style]")) return;
  try { localStorage.setItem(KEPT, event.target.value); } catch { /* for this page only */ }
  styled();
});
styled();

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // no permission, or no clipboard without https
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  toast(`${what} copied`, { seconds: 3 });
}

async function copyCited(button) {
  const response = await reach(`${button.dataset.copyCited}&style=${style()}`);
  if (!response.ok) throw new Error("The answer cannot be copied.");
  await copy((await response.text()).trim(), "Answer");
  button.closest("details").open = false;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-copy]");
  if (link) copy(new URL(link.dataset.copy, location.href).href, "Link");
  const cited = event.target.closest("[data-copy-cited]");
  if (cited) copyCited(cited).catch(failed);
  const from = event.target.closest("[data-copy-from]");
  if (from) copy(document.getElementById(from.dataset.copyFrom).textContent, "BibTeX");
});

document.addEventListener("toggle", (event) => { if (event.target.matches?.(".menu")) styled(); }, true);
