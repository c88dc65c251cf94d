// The files of an environment: look, write, upload, download, remove. Only text is opened in the editor.
import { get, getBytes, mayDeploy, put, putText, remove, url } from "./api.js";
import { failure, fill, findings, h, note, say } from "./dom.js";
import { decode, restore } from "./text.js";

const LARGEST = 1 << 20; // bytes that the editor opens

const encoded = (name) => name.split("/").map(encodeURIComponent).join("/");
const sized = (bytes) => (bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export async function files(panel, info) {
  const base = `/environments/${info.id}/files`;
  const text = h("textarea", { id: "text", rows: 22, spellcheck: "false", "aria-label": "Content of the file" });
  const path = h("input", { id: "path", class: "grow", placeholder: "sabir.yaml" });
  const buttons = h("div", { class: "row", role: "group", "aria-label": "Files" });
  const outcome = h("div");
  const closed = h("div"); // shown in place of the editor
  const download = h("a", { class: "button", hidden: true }, "Download");
  let original = ""; // the text of the open file, byte for byte
  let all = [];
  const isAllowed = await mayDeploy();

  // Show a text in the editor, or say why there is none.
  const show = (content, reason) => {
    original = content;
    text.value = content.replace(/^\ufeff/, "");
    text.hidden = reason !== null;
    save.disabled = reason !== null;
    fill(closed, reason === null ? null : h("div", { class: "note", id: "closed" }, reason));
  };
  const open = async (name) => {
    const file = all.find((each) => each.path === name);
    path.value = name;
    download.hidden = !isAllowed;
    download.href = url(`${base}/${encoded(name)}`);
    download.download = name.split("/").at(-1);
    for (const button of buttons.children) button.setAttribute("aria-pressed", String(button.textContent === name));
    const size = sized(file.size);
    if (!isAllowed) show("", "Only those who may deploy the environment can see the content of its files.");
    else if (!file.text) show("", `${name} is a binary file (${size}). Download it, or upload another file to replace it.`);
    else if (file.size > LARGEST) show("", `${name} is too large for the editor (${size}). Download it, edit it, and upload it again.`);
    else {
      const content = decode(await getBytes(`${base}/${encoded(name)}`));
      show(content ?? "", content === null ? `${name} is a binary file (${size}). Download it, or upload another file to replace it.` : null);
    }
    say(`${name} is open`);
  };
  const close = () => {
    path.value = "";
    download.hidden = true;
    show("", null);
  };
  const list = async () => {
    all = await get(base);
    fill(buttons, all.length ? all.map(({ path: name }) => h("button", { type: "button", "aria-pressed": String(name === path.value), onclick: () => open(name).catch((error) => fill(outcome, failure(error))) }, name))
      : h("span", { class: "soft" }, "No files yet: write a sabir.yaml here, or upload the archive of a package, a model or an environment."));
  };
  const openFirst = async () => {
    if (all.length) await open(all.find(({ path: name }) => name === "sabir.yaml")?.path ?? all[0].path);
  };
  const change = (work) => async () => {
    try {
      const done = await work();
      fill(outcome, note(done, "good"));
      const { findings: after } = await get(`/environments/${info.id}/graph`);
      fill(outcome, note(done, "good"), findings(after));
    } catch (error) {
      fill(outcome, failure(error));
    }
  };
  const save = h("button", { class: "main", type: "button", onclick: change(async () => {
    const name = path.value;
    await putText(`${base}/${encoded(name)}`, restore(original, text.value));
    await list();
    await open(name);
    return `${name} is saved.`;
  }) }, "Save");
  const drop = h("button", { class: "danger", type: "button", onclick: change(async () => {
    const name = path.value;
    await remove(`${base}/${encoded(name)}`);
    close();
    await list();
    return `${name} is removed.`;
  }) }, "Remove");
  const upload = h("input", { type: "file", id: "upload" });
  upload.addEventListener("change", change(async () => {
    const [file] = upload.files;
    const name = path.value || file.name;
    await put(`${base}/${encoded(name)}`, file);
    upload.value = "";
    await list();
    await open(name);
    return `${name} is uploaded.`;
  }));
  const archive = h("input", { type: "file", id: "archive", accept: ".zip,.csar" });
  archive.addEventListener("change", change(async () => {
    const [file] = archive.files;
    await put(base, file);
    archive.value = "";
    close();
    await list();
    await openFirst();
    return `These are the files of ${file.name}.`;
  }));
  fill(panel,
    buttons,
    h("div", { class: "row" }, h("label", { for: "path" }, "File"), path, save, download, drop),
    closed, text, outcome,
    h("div", { class: "row" }, h("label", { for: "upload" }, "Upload a file under this name"), upload),
    h("div", { class: "row" }, h("label", { for: "archive" }, "Replace all files with those of a ZIP archive"), archive));
  show("", null);
  try {
    await list();
    await openFirst();
  } catch (error) {
    fill(outcome, failure(error));
  }
}
