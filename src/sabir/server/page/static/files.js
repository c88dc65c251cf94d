// The files of an environment: look, write, upload, remove.
import { get, put, remove, url } from "./api.js";
import { failure, fill, findings, h, note, say } from "./dom.js";

const encoded = (name) => name.split("/").map(encodeURIComponent).join("/");

export async function files(panel, info) {
  const base = `/environments/${info.id}/files`;
  const text = h("textarea", { id: "text", rows: 22, spellcheck: "false" });
  const path = h("input", { id: "path", class: "grow", placeholder: "sabir.yaml" });
  const buttons = h("div", { class: "row", role: "group", "aria-label": "Files" });
  const outcome = h("div");
  const open = async (name) => {
    path.value = name;
    text.value = await (await fetch(url(`${base}/${encoded(name)}`), { credentials: "same-origin" })).text();
    for (const button of buttons.children) button.setAttribute("aria-pressed", String(button.textContent === name));
    say(`${name} is open`);
  };
  const list = async () => {
    const names = (await get(base)).map((file) => file.path);
    fill(buttons, names.length ? names.map((name) => h("button", { type: "button", "aria-pressed": "false", onclick: () => open(name) }, name))
      : h("span", { class: "soft" }, "No files yet: write a sabir.yaml here, or upload the archive of a package, a model or an environment."));
    return names;
  };
  const change = (what, work) => async () => {
    try {
      await work();
      await list();
      fill(outcome, note(what(), "good"));
      const { findings: after } = await get(`/environments/${info.id}/graph`);
      fill(outcome, note(what(), "good"), findings(after));
    } catch (error) {
      fill(outcome, failure(error));
    }
  };
  const archive = h("input", { type: "file", id: "archive", accept: ".zip,.csar" });
  archive.addEventListener("change", change(() => `These are the files of ${archive.files[0].name}.`, async () => {
    await put(base, archive.files[0]);
    const names = await list();
    if (names.length) await open(names.find((name) => name === "sabir.yaml") ?? names[0]);
  }));
  fill(panel,
    buttons,
    h("div", { class: "row" }, h("label", { for: "path" }, "File"), path,
      h("button", { class: "main", type: "button", onclick: change(() => `${path.value} is saved.`, () => put(`${base}/${encoded(path.value)}`, text.value)) }, "Save"),
      h("button", { class: "danger", type: "button", onclick: change(() => `${path.value} is removed.`, () => remove(`${base}/${encoded(path.value)}`)) }, "Remove")),
    h("label", { for: "text", class: "unseen" }, "Content of the file"), text, outcome,
    h("div", { class: "row" }, h("label", { for: "archive" }, "All files anew, from an archive (zip)"), archive));
  const names = await list();
  if (names.length) await open(names.find((name) => name === "sabir.yaml") ?? names[0]);
}
