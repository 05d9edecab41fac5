// What every view has: the theme switch, the list of keys, ways between the views, copying.

import { bind, enable, enabled } from "./keys.js";
import { say, toast } from "./live.js";
import "./copying.js";
import "./math.js";

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

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

const go = (address) => () => { location.href = address; };
bind({ "?": showKeys, t: turn, "g l": go("/"), "g a": go("/ask"), "g m": go("/memory"), "g e": go("/measure") });

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
