// What every view has: the theme switch, the list of keys, ways between the views, copying.

import { bind, enable, enabled } from "./keys.js";
import { say, toast } from "./live.js";

const root = document.documentElement;
const themes = ["system", "light", "dark"];
const themeButton = document.getElementById("theme");

function theme() { return root.dataset.theme ?? "system"; }

function named() {
  const words = { system: "as the system", light: "light", dark: "dark" };
  themeButton.setAttribute("aria-label", `Theme: ${words[theme()]}`);
}

function turn() {
  const next = themes[(themes.indexOf(theme()) + 1) % themes.length];
  if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
  try { localStorage.setItem("quire-theme", next); } catch { /* for this page only */ }
  named();
  toast(next === "system" ? "Light or dark as the system" : `Always ${next}`, { seconds: 2 });
}

themeButton.addEventListener("click", turn);
named();

const keys = document.getElementById("keys");
const keysOn = document.getElementById("keys-on");
const showKeys = () => keys.showModal();
document.getElementById("show-keys").addEventListener("click", showKeys);
keys.addEventListener("click", (event) => { if (event.target === keys) keys.close(); });
keysOn.checked = enabled();
keysOn.addEventListener("change", () => enable(keysOn.checked));

const go = (address) => () => { location.href = address; };
bind({ "?": showKeys, t: turn, "g l": go("/"), "g a": go("/ask"), "g m": go("/memory"), "g e": go("/measure") });

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

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-copy]");
  if (link) copy(new URL(link.dataset.copy, location.href).href, "Link");
  const from = event.target.closest("[data-copy-from]");
  if (from) copy(document.getElementById(from.dataset.copyFrom).textContent, "BibTeX");
});

window.addEventListener("offline", () => say("This device is offline; quire on this machine goes on."));

// A file that is dropped beside the library must not replace the page.
if (!document.getElementById("drop")) {
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => { if (carries(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    toast("Drop PDFs on the library", { undo: { label: "Go there", run: go("/") } });
  });
}
