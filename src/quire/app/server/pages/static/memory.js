// The memory: found by likeness, forgotten with a way back, or for good after being asked once more.

import { call } from "./api.js";
import { bind } from "./keys.js";
import { failed, toast } from "./live.js";
import { settled, swap } from "./swap.js";

const field = () => document.querySelector('#filter input[name="q"]');
const address = () => (field()?.value ? `/memory?${new URLSearchParams({ q: field().value })}` : "/memory");

const search = settled((signal) => swap(address(), ["items"], signal), 200);
document.addEventListener("input", (event) => { if (event.target === field()) search(); });
document.addEventListener("submit", (event) => { event.preventDefault(); search(); });

const drawn = () => swap(address(), ["remembered"]);

async function forget(button) {
  const id = button.dataset.forget;
  const row = button.closest("li");
  const after = (row.nextElementSibling ?? row.previousElementSibling)?.id;
  await call("DELETE", `/memory/${id}`);
  await drawn();
  document.getElementById(after ?? "")?.querySelector("[data-forget]")?.focus();
  toast("Forgotten; for 30 days it can be taken back", { undo: { label: "Undo", run: () => restore(id).catch(failed) } });
}

async function restore(id) {
  await call("POST", `/memory/${id}/restore`);
  await drawn();
  document.querySelector(`#item-${CSS.escape(id)} [data-forget]`)?.focus();
  toast("Remembered again", { seconds: 3 });
}

async function erase(button) {
  if (!button.dataset.sure) { // there is no way back, so it is asked, where the hand already is
    const words = button.lastChild.textContent;
    button.dataset.sure = "yes";
    button.classList.add("primary");
    button.lastChild.textContent = "Yes, for good";
    button.addEventListener("blur", () => {
      delete button.dataset.sure;
      button.classList.remove("primary");
      button.lastChild.textContent = words;
    }, { once: true });
    return;
  }
  await call("DELETE", `/memory/${button.dataset.erase}?for_good=true`);
  await drawn();
  toast("Forgotten, for good");
}

const doings = { forget, restore: (button) => restore(button.dataset.restore), erase };
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-forget], [data-restore], [data-erase]");
  if (button) doings[Object.keys(doings).find((name) => name in button.dataset)](button).catch(failed);
});
bind({ "/": () => { field()?.focus(); return Boolean(field()); } });
