// Coming in with a key.

import { call } from "./api.js";
import { failed } from "./live.js";

const form = document.getElementById("enter");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await call("POST", "/session", { key: form.elements.key.value.trim() });
    location.replace(form.dataset.to);
  } catch (error) {
    form.elements.key.select();
    failed(error);
  }
});
