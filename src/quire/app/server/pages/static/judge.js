// One key, or one click: right, wrong, or the right answer instead. What the library learned from it is told.

import { call } from "./api.js";
import { bind } from "./keys.js";
import { failed, say } from "./live.js";

/** The judging part that a key is meant for: that of the answer with the focus, else of the last one. */
function part() {
  const parts = document.querySelectorAll(".judge");
  return document.activeElement?.closest(".turn")?.querySelector(".judge") ?? parts[parts.length - 1];
}

function learned(judge, told, label, pressed) {
  const place = judge.querySelector(".learned");
  const kept = told.correction || told.item;
  place.replaceChildren();
  if (pressed === "evidence" || pressed === "highlight") place.append("Kept. Similar questions will find this place first. ");
  else if (pressed === "unanswerable") place.append("Kept. The same question will be told so, until the papers change. ");
  else if (pressed === "suggested") place.append("Kept. This question, too, is answered so from now on. ");
  else if (label === "right") place.append("Kept. The same question is answered at once, and similar ones learn from it. ");
  else if (told.correction) place.append("Thank you: your answer is kept and will be offered instead. ");
  else place.append("Noted. It will never be shown as an example; tell the right answer if you know it. ");
  for (const line of told.retired ?? []) place.append(`${line}. `);
  if (kept) {
    const link = document.createElement("a");
    link.href = `/memory#item-${kept}`;
    link.textContent = "See it in the memory";
    place.append(link);
  }
  place.hidden = false;
}

async function rule(judge, label, more, chosen) {
  try {
    const body = { label, ...more };
    const which = chosen?.dataset.verdict ?? (label === "right" && more.highlight ? "highlight" : label);
    const told = await call("POST", `/runs/${judge.dataset.run}/verdict`, body);
    for (const button of judge.closest(".turn").querySelectorAll("[data-verdict]")) {
      const pressed = chosen ? button === chosen : button.dataset.verdict === ("answer" in body ? "correct" : label);
      button.setAttribute("aria-pressed", String(pressed));
    }
    close(judge);
    learned(judge, told, label, which);
    if (label === "right") say("Judged right");
  } catch (error) {
    failed(error);
  }
}

function correct(judge) {
  const form = judge.querySelector(".correction");
  form.hidden = !form.hidden;
  judge.querySelector('[data-verdict="correct"]').setAttribute("aria-expanded", String(!form.hidden));
  if (!form.hidden) form.elements.answer.focus();
}

/** Hide the form. Its field would keep the keys until the page is next drawn, so the focus goes to its button. */
function close(judge) {
  const [form, button] = [judge.querySelector(".correction"), judge.querySelector('[data-verdict="correct"]')];
  if (form.contains(document.activeElement)) button.focus();
  form.hidden = true;
  button.setAttribute("aria-expanded", "false");
}

/** A highlight that is called the answer: it is where the correction that is being written stands, or right. */
function highlighted(note) {
  const judge = document.querySelector(".evidence a[aria-current]")?.closest(".turn")?.querySelector(".judge") ?? part();
  const form = judge?.querySelector(".correction");
  if (!form || form.hidden) { if (judge) rule(judge, "right", { highlight: note.id }); return; }
  form.dataset.highlight = note.id;
  form.elements.where.value = `Page ${note.page}: “${note.quote.slice(0, 80)}”`;
  form.elements.answer.value ||= note.quote.slice(0, 1000);
  form.elements.answer.focus();
}
document.addEventListener("answers", (event) => highlighted(event.detail));

function press(which) {
  const button = part()?.querySelector(`[data-verdict="${which}"]:not([hidden])`);
  if (!button) return false;
  button.click();
  return true;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-verdict]");
  if (!button) return;
  const judge = button.closest(".turn").querySelector(".judge");
  const which = button.dataset.verdict;
  if (which === "correct") correct(judge);
  else if (which === "evidence") rule(judge, "right", { evidence: Number(button.dataset.number) }, button);
  else if (which === "highlight") rule(judge, "right", { highlight: button.dataset.noteId }, button);
  else if (which === "unanswerable" || which === "suggested") rule(judge, "right", { [which]: true }, button);
  else rule(judge, which, {}, button);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".correction")) return;
  event.preventDefault();
  const { elements, dataset } = event.target;
  const more = dataset.highlight ? { highlight: dataset.highlight } : {};
  rule(event.target.closest(".judge"), "wrong", { answer: elements.answer.value.trim(), ...more });
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !event.target.closest?.(".correction")) return;
  event.stopPropagation();
  const judge = event.target.closest(".judge");
  correct(judge);
  judge.querySelector('[data-verdict="correct"]').focus();
}, true);

bind({
  r: () => press("right"), w: () => press("wrong"), c: () => press("correct"),
  l: () => { const copies = document.querySelectorAll(".turn [data-copy]"); copies[copies.length - 1]?.click(); return copies.length > 0; },
});
