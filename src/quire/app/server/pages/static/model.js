// Which language model answers: found here, or named; tried with one question.

import { call } from "./api.js";
import { failed, toast } from "./live.js";

const form = document.getElementById("model");
const $ = (id) => document.getElementById(id);

function told(now) {
  $("now").textContent = now.name ? `${now.name} answers.` : "Rules on this machine answer; nothing is sent anywhere.";
  $("key-state").textContent = now.key ? "There is one." : "There is none.";
  $("spent").textContent = `Spent since it was chosen: $${now.spent.toFixed(4)}.`;
}

function offer(one) {
  const line = document.createElement("li");
  line.append(`${one.server} (${one.where}): `, ...one.models.map((name) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: name });
    button.addEventListener("click", () => {
      form.elements.name.value = name;
      if (one.where.startsWith("http")) form.elements.base_url.value = one.where;
      form.elements.name.focus();
    });
    return button;
  }));
  return line;
}

call("GET", "/models").then(told).catch(failed);
call("GET", "/models/found").then(({ found }) => {
  const none = Object.assign(document.createElement("li"), { className: "meta", textContent: "No server was found at the usual ports (Ollama, LM Studio, llama.cpp, vLLM), and no key in the environment." });
  $("offers").replaceChildren(...(found.length ? found.map(offer) : [none]));
}).catch((error) => $("offers").replaceChildren(error.message));

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, base_url, max_cost, key } = form.elements;
  const body = { name: name.value.trim(), base_url: base_url.value.trim(), max_cost: Number(max_cost.value.replace("$", "").replace(",", ".")) };
  if (key.value) body.key = key.value.trim();
  key.value = "";
  try {
    told(await call("PUT", "/models", body));
    toast("Kept", { seconds: 2 });
  } catch (error) { failed(error); }
});

$("try").addEventListener("click", async () => {
  $("tried").textContent = "Asking …";
  try {
    const now = await call("POST", "/models/try", {});
    $("tried").textContent = `It says: “${now.said.slice(0, 500)}” (${now.seconds.toFixed(1)} s)`;
    told(now);
  } catch (error) {
    $("tried").textContent = `${error.message} ${error.hint ?? ""}`;
  }
});
