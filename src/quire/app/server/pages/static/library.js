// The library: found as one types, added by drop, chosen, removed with a way back.

import { call, upload } from "./api.js";
import { resume, show } from "./jobs.js";
import { bind } from "./keys.js";
import { failed, say, toast } from "./live.js";
import { names, shelve } from "./shelf.js";
import { settled, swap } from "./swap.js";

const filter = document.getElementById("filter");
const chosen = new Set();
const $ = (id) => document.getElementById(id);

// ------------------------------------------------------------------ the list

function query() {
  const asked = new URLSearchParams(new FormData(filter));
  for (const [name, value] of [...asked]) if (!value || (name === "sort" && value === "-added")) asked.delete(name);
  return asked;
}

async function list(signal) {
  const held = current()?.dataset.id;
  const asked = query();
  const limit = new URLSearchParams(location.search).get("limit"); // of "Show more"
  if (limit) asked.set("limit", limit);
  await swap(`/?${asked}`, ["papers", "counted"], signal);
  if (held) focusOn(row(held));
  for (const box of document.querySelectorAll('input[name="paper"]')) box.checked = chosen.has(box.value);
}

const passages = settled(async (signal) => {
  const q = filter.elements.q.value.trim();
  if (q.length < 3) { $("passages").replaceChildren(); return; }
  await swap(`/search?${new URLSearchParams({ q })}`, ["passages"], signal);
  say(`${document.querySelectorAll(".paper").length} papers, ${document.querySelectorAll(".hits > li").length} passages`);
}, 250);

const search = settled(async (signal) => {
  history.replaceState(null, "", query().size ? `/?${query()}` : "/");
  await list(signal);
  say(`${document.querySelectorAll(".paper").length} papers`);
}, 120);

filter.addEventListener("input", (event) => { search(); if (event.target.name === "q") passages(); });
filter.addEventListener("submit", (event) => { event.preventDefault(); search(); passages(); });
if (filter.elements.q.value) passages();

// ------------------------------------------------------------------ adding

const watched = ["add", "retry", "refresh", "restore"];
const refreshed = settled((signal) => list(signal), 300);
let known = -1;

function changed(job, over) {
  const done = job.progress?.stage === "parse" ? job.progress.done : known;
  if (over || done !== known) { known = done; refreshed(); }
}

const isPdf = (file) => /\.pdf$/i.test(file.name) || file.type === "application/pdf";

async function begins(file) {
  return new TextDecoder("latin1").decode(await file.slice(0, 1024).arrayBuffer()).includes("%PDF-");
}

/** Count and name what is no PDF. */
function leftOut(files) {
  if (!files.length) return;
  const names = files.slice(0, 6).map((file) => file.name).join(", ") + (files.length > 6 ? ` and ${files.length - 6} more` : "");
  const named = files.every(isPdf) ? "no PDF, whatever the name says" : files.length === 1 ? "it is no PDF" : "they are no PDFs";
  toast(`${files.length} file${files.length === 1 ? " was" : "s were"} left out, ${named}: ${names}. To have one in, save or print it as a PDF.`, { bad: true });
}

async function add(files) {
  const seen = files.filter((file) => !/^(\.|Thumbs\.db$|desktop\.ini$)/.test(file.name));
  const real = await Promise.all(seen.map(async (file) => isPdf(file) && begins(file)));
  const pdfs = seen.filter((_, i) => real[i]);
  leftOut(seen.filter((_, i) => !real[i]));
  if (!pdfs.length) {
    if (!seen.length) toast("There is no PDF among these files.", { bad: true });
    return;
  }
  const size = pdfs.reduce((sum, file) => sum + file.size, 0);
  const article = document.getElementById("job").content.firstElementChild.cloneNode(true);
  article.querySelector(".job-title").textContent = `Sending ${pdfs.length} file${pdfs.length === 1 ? "" : "s"}`;
  article.querySelector(".job-stage").textContent = `${(size / 1e6).toFixed(1)} MB`;
  article.querySelector("[data-cancel]").hidden = true;
  $("jobs").append(article);
  try {
    const { job } = await upload("/papers", pdfs, (share) => { article.querySelector("progress").value = share; });
    show(job, changed);
  } catch (error) {
    failed(error);
  } finally {
    article.remove();
  }
}

/** All files of dropped things, folders opened. */
async function dropped(transfer) {
  const roots = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!roots.length) return [...transfer.files];
  const files = [];
  const walk = async (entry) => {
    if (entry.isFile) { files.push(await new Promise((resolve, reject) => { entry.file(resolve, reject); })); return; }
    const reader = entry.createReader();
    for (;;) { // a folder tells a hundred at a time
      const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (!some.length) return;
      for (const one of some) await walk(one);
    }
  };
  for (const root of roots) await walk(root);
  return files;
}

let over = 0;
const carries = (event) => event.dataTransfer?.types.includes("Files");
document.addEventListener("dragenter", (event) => { if (carries(event)) { over += 1; $("drop").hidden = false; } });
document.addEventListener("dragleave", (event) => { if (carries(event) && --over <= 0) { over = 0; $("drop").hidden = true; } });
document.addEventListener("dragover", (event) => { if (carries(event)) event.preventDefault(); });
document.addEventListener("drop", async (event) => {
  if (!carries(event)) return;
  event.preventDefault();
  over = 0;
  $("drop").hidden = true;
  add(await dropped(event.dataTransfer)).catch(failed);
});
const files = $("files");
const folder = $("folder");
$("add").addEventListener("click", () => files.click());
$("add-folder").addEventListener("click", () => folder.click());
for (const input of [files, folder]) {
  input.addEventListener("change", () => { add([...input.files]).catch(failed); input.value = ""; });
}

// ------------------------------------------------------------------ each paper

const row = (id) => document.querySelector(`.paper[data-id="${CSS.escape(id)}"]`);

/** Remove a paper, as soon as nothing else changes the library. */
async function taken(id) {
  for (let told = null; ; await new Promise((resolve) => { setTimeout(resolve, 2000); })) {
    try {
      await call("DELETE", `/papers/${id}`);
      told?.();
      return;
    } catch (error) {
      if (error.status !== 423) { told?.(); throw error; }
      told ??= toast("It is removed as soon as the adding is done, if this page stays open", { seconds: 600 });
    }
  }
}

async function remove(id) {
  const gone = row(id);
  const next = gone.nextElementSibling ?? gone.previousElementSibling;
  gone.classList.add("leaving");
  try {
    await taken(id);
  } catch (error) {
    row(id)?.classList.remove("leaving");
    failed(error);
    return;
  }
  const name = gone.querySelector("h2").textContent;
  chosen.delete(id);
  count();
  focusOn(next);
  await list();
  toast(`“${name.slice(0, 80)}” was removed`, { undo: { label: "Undo", run: () => restore(id) } });
}

const restore = (id) => call("POST", `/papers/${id}/restore`).then(({ job }) => show(job, changed)).catch(failed);

async function retry(id) {
  try {
    const { job } = await call("POST", "/papers/retry", { papers: [id] });
    show(job, changed);
  } catch (error) {
    failed(error);
  }
}

function count() {
  $("chosen").hidden = !chosen.size;
  $("chosen-count").textContent = `${chosen.size} paper${chosen.size === 1 ? "" : "s"}`;
  $("ask-chosen").href = `/ask?${new URLSearchParams([...chosen].map((id) => ["paper", id]))}`;
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-remove], [data-retry], [data-restore], [data-add]");
  if (target?.dataset.remove) remove(target.dataset.remove);
  else if (target?.dataset.retry) retry(target.dataset.retry);
  else if (target?.dataset.restore) restore(target.dataset.restore);
  else if (target) files.click();
});
document.addEventListener("change", (event) => {
  if (event.target.name !== "paper") return;
  if (event.target.checked) chosen.add(event.target.value); else chosen.delete(event.target.value);
  count();
});
$("choose-none").addEventListener("click", () => {
  chosen.clear();
  for (const box of document.querySelectorAll('input[name="paper"]')) box.checked = false;
  count();
});

// ------------------------------------------------------------------ what is made of those that are chosen

const naming = $("naming");
let kind = "tags";

function name(which, label) {
  kind = which;
  $("naming-label").textContent = label;
  naming.hidden = false;
  naming.elements.name.value = "";
  naming.elements.name.focus();
}

async function made(changes) {
  for (const id of chosen) await shelve(id, typeof changes === "function" ? await changes(id) : changes);
  await list();
}

$("tag-chosen").addEventListener("click", () => name("tags", "Tag"));
$("collect-chosen").addEventListener("click", () => name("collections", "Collection"));
$("read-chosen").addEventListener("click", () => made({ read: true }).then(() => say("Read")).catch(failed));
$("naming-close").addEventListener("click", () => { naming.hidden = true; });
naming.addEventListener("submit", (event) => {
  event.preventDefault();
  const named = naming.elements.name.value.trim();
  naming.hidden = true;
  // What is not told stays, so the names that a paper has are asked for by a change of nothing.
  made(async (id) => ({ [kind]: [...(await shelve(id, {}))[kind], ...names(named)] })).then(() => toast(`Kept under “${named}”`, { seconds: 2 })).catch(failed);
});

// ------------------------------------------------------------------ keys

const rows = () => [...document.querySelectorAll(".paper")];
const current = () => document.activeElement?.closest(".paper");

function focusOn(one) {
  one?.querySelector("h2 a, button")?.focus();
  one?.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = rows();
  const at = all.indexOf(current());
  focusOn(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))]);
}

bind({
  "/": () => filter.elements.q.focus(), a: () => files.click(), j: () => step(1), k: () => step(-1),
  x: () => { const box = current()?.querySelector('input[name="paper"]'); box?.click(); return Boolean(box); },
  i: () => { location.href = $("ask-chosen").href; },
  "*": () => { const button = current()?.querySelector("[data-star]"); button?.click(); return Boolean(button); },
  Delete: () => { const held = current(); if (held) remove(held.dataset.id); return Boolean(held); },
  Escape: () => { if (document.activeElement !== filter.elements.q) return false; filter.elements.q.value = ""; search(); passages(); filter.elements.q.blur(); return true; },
});
filter.elements.q.addEventListener("keydown", (event) => { if (event.key === "ArrowDown") { event.preventDefault(); step(1); } });

resume(watched, changed).catch(failed);
