// The memory: found by likeness, forgotten for good after being asked once more.

import { call } from "./api.js";
import { bind } from "./keys.js";
import { failed, toast } from "./live.js";
import { settled, swap } from "./swap.js";

const field = () => document.querySelector('#filter input[name="q"]');
const address = () => (field()?.value ? `/memory?${new URLSearchParams({ q: field().value })}` : "/memory");

const search = settled((signal) => swap(address(), ["items"], signal), 200);
document.addEventListener("input", (event) => { if (event.target === field()) search(); });
document.addEventListener("submit", (event) => { event.preventDefault(); search(); });

async function forget(button) {
  if (!button.dataset.sure) { // there is no way back, so it is asked, where the hand already is
    button.dataset.sure = "yes";
    button.classList.add("primary");
    button.lastChild.textContent = "Forget for good";
    button.addEventListener("blur", () => {
      delete button.dataset.sure;
      button.classList.remove("primary");
      button.lastChild.textContent = "Forget";
    }, { once: true });
    return;
  }
  const row = button.closest("li");
  const next = row.nextElementSibling ?? row.previousElementSibling;
  try {
    await call("DELETE", `/memory/${button.dataset.forget}`);
  } catch (error) {
    failed(error);
    return;
  }
  const after = next?.id;
  await swap(address(), ["remembered"]);
  document.getElementById(after ?? "")?.querySelector("[data-forget]")?.focus();
  toast("Forgotten, for good");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-forget]");
  if (button) forget(button);
});
bind({ "/": () => { field()?.focus(); return Boolean(field()); } });
