// Parts of a page made anew by the server: the same templates draw them the first time and every time after.

import { reach } from "./api.js";
import { failed } from "./live.js";

/** Fetch a page of this server and give its document. */
export async function page(address, signal) {
  const response = await reach(address, { signal, headers: { Accept: "text/html" } });
  const made = new DOMParser().parseFromString(await response.text(), "text/html");
  if (!response.ok) throw new Error(made.querySelector("main")?.textContent.trim() || `The server answered ${response.status}.`);
  return made;
}

/** Replace elements of this page, by their ids, with those of the page at `address`. */
export async function swap(address, ids, signal) {
  const made = await page(address, signal);
  for (const id of ids) {
    const fresh = made.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(document.adoptNode(fresh));
  }
}

/** Call `work` once the calls have paused for so long; a newer call makes the older one's signal abort. */
export function settled(work, milliseconds = 120) {
  let timer = 0;
  let running = new AbortController();
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running.abort();
      running = new AbortController();
      work(running.signal, ...values)?.catch?.((error) => { if (error.name !== "AbortError") failed(error); });
    }, milliseconds);
  };
}

/** Do `work` now or as soon as it was last done that long ago, one at a time; `stop()` waits for what runs. */
export function paced(work, milliseconds) {
  let running = null;
  let again = false;
  let over = false;
  async function run() {
    while (again && !over) {
      again = false;
      await Promise.all([work().catch(() => {}), new Promise((resolve) => { setTimeout(resolve, milliseconds); })]);
    }
    running = null;
  }
  const asked = () => { again = true; running ??= run(); };
  asked.stop = async () => { over = true; await running; };
  return asked;
}
