// What happened, told to eyes and to screen readers.

const $ = (id) => document.getElementById(id);

/** Tell politely what happened, without showing it. */
export function say(text) {
  $("say").textContent = "";
  requestAnimationFrame(() => { $("say").textContent = text; });
}

/**
 * Show a message for a while. With `undo` ({label, run}) it stays longer and offers the way back.
 * Returns a function that takes it away.
 */
export function toast(text, { bad = false, undo = null, seconds = bad || undo ? 12 : 5 } = {}) {
  const box = document.createElement("div");
  box.className = bad ? "toast bad" : "toast";
  const words = document.createElement("span");
  words.textContent = text;
  box.append(words);
  let timer = 0;
  const gone = () => { clearTimeout(timer); box.remove(); };
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = undo ? undo.label : "Close";
  button.addEventListener("click", () => { gone(); undo?.run(); });
  if (undo || bad) box.append(button);
  $("toasts").append(box);
  timer = setTimeout(gone, seconds * 1000);
  box.addEventListener("focusin", () => clearTimeout(timer));
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  if (bad) $("shout").textContent = text; else say(text);
  return gone;
}

/** Show what went wrong, with quire's own hint. */
export function failed(error) {
  toast(error.hint ? `${error.message} ${error.hint}` : error.message, { bad: true });
}
