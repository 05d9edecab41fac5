// Runs before the page is drawn, so that a chosen theme does not flash. What is chosen stays in this browser.
(() => {
  try {
    const chosen = localStorage.getItem("quire-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // a browser that keeps nothing follows the system
  }
})();
