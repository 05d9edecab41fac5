// Conversations: found, renamed where they stand, removed with a way back, exported in the style that was chosen.

import { call } from "./api.js";
import { styled } from "./copying.js";
import { bind } from "./keys.js";
import { failed, toast } from "./live.js";
import { settled, swap } from "./swap.js";

const field = document.querySelector('#filter input[name="q"]');
function address() {
  const limit = new URLSearchParams(location.search).get("limit"); // of "Show more"
  const asked = new URLSearchParams({ ...(field.value && { q: field.value }), ...(limit && { limit }) });
  return `/conversations?${asked}`.replace(/\?$/, "");
}
const drawn = (signal) => swap(address(), ["conversations"], signal).then(styled);
const search = settled(drawn, 200);
field.addEventListener("input", search);
document.getElementById("filter").addEventListener("submit", (event) => { event.preventDefault(); search(); });

/** The conversation of a row; a question of the shell becomes one. */
async function known(row) {
  if (row.dataset.id) return row.dataset.id;
  row.made ||= call("POST", "/threads", { run: row.dataset.run }); // once, though two ask for it meanwhile
  try {
    row.dataset.id = (await row.made).id;
  } finally {
    row.made = null;
  }
  return row.dataset.id;
}

const restore = (id) => call("POST", `/threads/${id}/restore`).then(() => drawn());

async function remove(row) {
  const name = row.querySelector("h2").textContent;
  const next = row.nextElementSibling ?? row.previousElementSibling;
  const id = await known(row);
  await call("DELETE", `/threads/${id}`);
  const after = next?.querySelector("h2 a")?.getAttribute("href");
  await drawn();
  document.querySelector(`.talks h2 a[href="${CSS.escape(after ?? "")}"]`)?.focus();
  toast(`“${name.slice(0, 80)}” was removed`, { undo: { label: "Undo", run: () => restore(id).catch(failed) } });
}

function rename(row) {
  const link = row.querySelector("h2 a");
  const input = Object.assign(document.createElement("input"), { type: "text", value: link.textContent, maxLength: 120 });
  input.setAttribute("aria-label", "Name of the conversation");
  link.replaceWith(input);
  input.select();
  let done = false;
  const end = (keep) => {
    if (done) return;
    done = true;
    const title = input.value.trim();
    input.replaceWith(link);
    link.focus();
    if (!keep || !title || title === link.textContent) return;
    known(row).then((id) => call("PATCH", `/threads/${id}`, { title })).then(() => { link.textContent = title; }).catch(failed);
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") end(true);
    if (event.key === "Escape") { event.stopPropagation(); end(false); }
  });
  input.addEventListener("blur", () => end(true));
}

document.addEventListener("click", (event) => {
  const row = event.target.closest(".talks li");
  if (event.target.closest("[data-remove]")) remove(row).catch(failed);
  if (event.target.closest("[data-rename]")) rename(row);
  const back = event.target.closest("[data-restore]");
  if (back) restore(back.dataset.restore).catch(failed);
});
bind({ "/": () => field.focus() });
