// A paper's own page.

import { call } from "./api.js";
import { bind } from "./keys.js";
import { failed, toast } from "./live.js";
import { names, shelve } from "./shelf.js";

const shelf = document.getElementById("shelf");
shelf.addEventListener("submit", (event) => event.preventDefault());
shelf.addEventListener("change", (event) => {
  const { name, value, checked } = event.target;
  shelve(shelf.dataset.paper, name === "read" ? { read: checked } : { [name]: names(value) }).then(() => toast("Kept", { seconds: 2 })).catch(failed);
});

// Corrections: what was changed is sent; what the file says can be taken back.
const edit = document.getElementById("edit");
const first = new Map([...new FormData(edit)]);
async function correct(changes) {
  await call("PATCH", `/papers/${edit.dataset.paper}`, changes);
  location.reload();
}
edit.addEventListener("submit", (event) => {
  event.preventDefault();
  const changes = Object.fromEntries([...new FormData(edit)].filter(([name, value]) => value !== first.get(name)));
  if (Object.keys(changes).length) correct(changes).catch(failed);
});
edit.addEventListener("click", (event) => {
  const back = event.target.closest("[data-revert]");
  if (back) correct({ [back.dataset.revert]: null }).catch(failed);
});

bind({
  b: () => { const button = document.querySelector("[data-copy-from]"); button?.click(); return Boolean(button); },
  "*": () => { document.querySelector("[data-star]").click(); },
  i: () => { document.querySelector(".study-head .primary").click(); },
});
