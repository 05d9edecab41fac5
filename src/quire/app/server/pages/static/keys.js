// Keys without a mouse. Every key stands in the list behind `?` (templates/keys.html); single ones can be turned off.

const bound = new Map();
let before = "";
let timer = 0;

/** Bind keys: {"/": f, "g l": f, "Escape": f}. A function that returns false lets the key do what it always does. */
export function bind(keys) {
  for (const [key, work] of Object.entries(keys)) bound.set(key, work);
}

/** Whether single keys do something in this browser. */
export function enabled() {
  try { return localStorage.getItem("quire-keys") !== "off"; } catch { return true; }
}

/** Let single keys do something, or nothing. */
export function enable(on) {
  try { localStorage.setItem("quire-keys", on ? "on" : "off"); } catch { /* for this page only */ }
}

const writes = (element) => element.closest?.("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const key = event.key;
  const control = key === "Escape";
  if (!control && (writes(event.target) || !enabled() || document.querySelector("dialog[open]"))) return;
  const work = bound.get(before ? `${before} ${key}` : key) ?? (before ? bound.get(key) : undefined);
  clearTimeout(timer);
  before = !before && key === "g" ? "g" : "";
  if (before) timer = setTimeout(() => { before = ""; }, 1200);
  if (work && work(event) !== false) event.preventDefault();
});
