// The service's API. A cookie carries the token; the header beside it is what no foreign page can send.
const API = "/api/1";

export class Refused extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? body?.message ?? `the service answered ${status}`);
    this.status = status;
    this.findings = body?.findings ?? body?.error?.findings ?? [];
  }
}

function send(method, path, body, type) {
  const headers = { "X-Sabir-Page": "1", Accept: "application/json" };
  if (type) headers["Content-Type"] = type;
  return fetch(API + path, { method, headers, body, credentials: "same-origin" });
}

async function read(answer) {
  const text = await answer.text();
  const isJson = (answer.headers.get("content-type") ?? "").includes("json");
  const data = isJson && text ? JSON.parse(text) : text;
  if (!answer.ok) throw new Refused(answer.status, data);
  return data;
}

const ask = async (method, path, body, type) => read(await send(method, path, body, type));

// The bytes of a file, exactly.
export async function getBytes(path) {
  const answer = await send("GET", path);
  if (!answer.ok) await read(answer);
  return answer.arrayBuffer();
}


export const get = (path) => ask("GET", path);
export const remove = (path) => ask("DELETE", path);
export const post = (path, data) => ask("POST", path, JSON.stringify(data ?? {}), "application/json");
export const patch = (path, data) => ask("PATCH", path, JSON.stringify(data), "application/json");
export const put = (path, content) => ask("PUT", path, content, "application/octet-stream");
// The service refuses to put text in place of a binary file.
export const putText = (path, text) => ask("PUT", path, text, "text/plain; charset=utf-8");
export const upload = (path, file) => ask("POST", path, file, "application/zip");
// File contents and plans as pages are for those who may deploy.
export async function mayDeploy() {
  const me = await get("/session");
  return me.role !== "reader" && (me.verbs.length === 0 || me.verbs.includes("deploy"));
}
export const url = (path) => API + path;

// Events of a job, each once and in order; the browser asks again from the last one when the line breaks.
export function events(path, onEvent, onEnd) {
  const source = new EventSource(API + path, { withCredentials: true });
  source.onmessage = (message) => onEvent(JSON.parse(message.data));
  source.addEventListener("job", (message) => {
    source.close();
    onEnd(JSON.parse(message.data));
  });
  return source;
}
