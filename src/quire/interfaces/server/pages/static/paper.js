// A paper's own page.

import { bind } from "./keys.js";

bind({
  b: () => { const button = document.querySelector("[data-copy-from]"); button?.click(); return Boolean(button); },
  i: () => { document.querySelector(".study-head .primary").click(); },
});
