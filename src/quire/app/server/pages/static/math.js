// Formulas of answers, set by KaTeX, which is loaded where there is one. What it does not understand stays TeX.

let setter = null;

function loaded() {
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "/static/katex/katex.min.css";
  document.head.append(style);
  return import("/static/katex/katex.min.js").then(() => window.katex);
}

async function set() {
  const found = document.querySelectorAll(".math:not([data-set])");
  if (!found.length) return;
  const katex = await (setter ??= loaded());
  for (const one of found) {
    if (one.dataset.set) continue;
    const tex = one.textContent;
    one.dataset.set = "yes";
    const made = document.createElement("span");
    try {
      katex.render(tex, made, { displayMode: one.classList.contains("shown"), throwOnError: true, trust: false, strict: "ignore", maxSize: 20, maxExpand: 100 });
      one.replaceChildren(made);
    } catch { /* no TeX, or none of KaTeX's */ }
  }
}

new MutationObserver(set).observe(document.getElementById("main"), { childList: true, subtree: true });
set();
