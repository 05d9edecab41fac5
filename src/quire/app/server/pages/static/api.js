// The server's REST interface (/api/v1), which anybody else may use as well.

const BASE = "/api/v1";

/** An error as quire tells it: message, what to do next, and its type. */
export class ApiError extends Error {
  constructor({ type = "Error", message = "The server did not answer.", hint = "" }, status = 0) {
    super(message);
    Object.assign(this, { type, hint, status });
  }
}

async function refusal(response) {
  const told = await response.json().catch(() => ({}));
  return new ApiError(told.error ?? { message: `The server answered ${response.status}.` }, response.status);
}

/** Fetch an address of this server. */
export async function reach(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ message: "The server cannot be reached.", hint: "Is `quire serve` still running?" });
  }
}

function request(method, body, headers = {}) {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return { method, ...json, headers: { ...json.headers, ...headers } };
}

/** Call the interface; gives its JSON (null where it has nothing to say). */
export async function call(method, path, body) {
  const response = await reach(BASE + path, request(method, body));
  if (!response.ok) throw await refusal(response);
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/** Send a question or the like and receive server-sent events: `on(kind, data)` for each. */
export async function stream(path, body, on, signal) {
  const response = await reach(BASE + path, { ...request("POST", body, { Accept: "text/event-stream" }), signal });
  if (!response.ok) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const lines = part.split("\n");
      const kind = lines.find((line) => line.startsWith("event: "))?.slice(7) ?? "message";
      const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("\n");
      if (data) on(kind, JSON.parse(data));
    }
  }
}

/** Upload files; `progress(share)` is called from 0 to 1. Fetch cannot tell how far an upload is. */
export function upload(path, files, progress) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    for (const file of files) form.append("files", file, file.name);
    const sending = new XMLHttpRequest();
    sending.open("POST", BASE + path);
    sending.responseType = "json";
    sending.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
    sending.addEventListener("load", () => {
      if (sending.status < 300) resolve(sending.response);
      else reject(new ApiError(sending.response?.error ?? { message: `The server answered ${sending.status}.` }, sending.status));
    });
    sending.addEventListener("error", () => reject(new ApiError({ message: "The upload was cut off." })));
    sending.send(form);
  });
}

const waiting = [];
let following = false;

function next() {
  if (following || !waiting.length) return;
  following = true;
  const [job, on] = waiting.shift();
  const source = new EventSource(`${BASE}/jobs/${job}/events`);
  const told = (event) => {
    const now = JSON.parse(event.data);
    if (["done", "failed", "cancelled"].includes(now.state)) {
      source.close();
      following = false;
      next();
    }
    on(now);
  };
  for (const kind of ["progress", "done"]) source.addEventListener(kind, told);
}

/**
 * Events of a job until it has ended: `on(job)` for each; comes back by itself after a lost connection. One job
 * at a time, as the server works: a browser has few connections to one server, and the page needs some itself.
 */
export function follow(job, on) {
  waiting.push([job, on]);
  next();
}
