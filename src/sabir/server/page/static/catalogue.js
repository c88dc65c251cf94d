import { get, post, put, remove, upload, url, Refused } from "./api.js";
import { failure, fill, findings, h, note } from "./dom.js";
import { form } from "./forms.js";

export async function catalogue(main) {
  const search = h("input", { type: "search", id: "search", placeholder: "Name, description, tag, author…", class: "grow" });
  const category = h("select", { id: "category" }, h("option", { value: "" }, "All categories"));
  const list = h("ul", { class: "cards" });
  const outcome = h("div");
  for (const each of await get("/categories")) category.append(h("option", { value: each.name }, `${each.name} (${each.packages})`));
  let asked = 0;
  const load = async () => {
    const turn = ++asked;
    const words = new URLSearchParams({ limit: "100" });
    if (search.value) words.set("search", search.value);
    if (category.value) words.set("category", category.value);
    const { packages, next } = await get(`/packages?${words}`);
    if (turn !== asked) return; // somebody typed on: the later answer counts
    fill(list, packages.length ? packages.map(card) : h("li", { class: "soft" }, "Nothing here yet. Upload a package, or search for something else."),
      next ? h("li", { class: "soft" }, "There are more: search for what you mean.") : null);
  };
  const file = h("input", { type: "file", id: "archive", accept: ".zip,.csar" });
  const send = async () => {
    const [archive] = file.files;
    if (!archive) return;
    fill(outcome, note(`Checking ${archive.name} …`, "good"));
    try {
      const stored = await upload("/packages", archive);
      fill(outcome, note(`${stored.name} ${stored.version} is in the catalogue.`, "good"));
      await load();
    } catch (error) {
      fill(outcome, note(`${archive.name} was not stored: ${error.message}.`), findings(error.findings));
      if (!(error instanceof Refused)) throw error;
    }
    file.value = "";
  };
  search.addEventListener("input", load);
  category.addEventListener("change", load);
  file.addEventListener("change", send);
  fill(main,
    h("h1", {}, "Catalogue"),
    h("div", { class: "row" },
      h("label", { for: "search", class: "unseen" }, "Search"), search,
      h("label", { for: "category", class: "unseen" }, "Category"), category,
      h("label", { for: "archive" }, "Upload a package (zip)"), file),
    outcome, list);
  await load();
}

function card(info) {
  const picture = h("img", { src: url(`/packages/${info.id}/icon`), alt: "", width: 40, height: 40 });
  picture.addEventListener("error", () => picture.remove());
  return h("li", { class: "card" },
    picture,
    h("h2", {}, h("a", { href: `#/packages/${info.id}` }, info.name)),
    h("div", { class: "soft" }, `${info.full_name} ${info.version} · ${info.language}`),
    info.description ? h("p", {}, info.description) : null,
    info.tags.length ? h("div", {}, info.tags.map((tag) => h("span", { class: "tag" }, tag))) : null);
}

export async function packagePage(main, id) {
  const info = await get(`/packages/${id}`);
  const inside = h("div");
  const outcome = h("div");
  const forget = async () => {
    if (!confirm(`Take ${info.name} ${info.version} out of the catalogue? Environments that have it keep it.`)) return;
    try {
      await remove(`/packages/${id}`);
      location.hash = "#/catalogue";
    } catch (error) {
      fill(outcome, failure(error));
    }
  };
  fill(main,
    h("h1", {}, info.name),
    info.description ? h("p", {}, info.description) : null,
    h("p", { class: "soft" }, `${info.full_name} ${info.version}, ${info.language}, by ${info.author ?? "nobody who says so"} · `,
      h("a", { href: url(`/packages/${id}/archive`), download: `${info.full_name}.zip` }, "Download")),
    h("div", {}, info.tags.map((tag) => h("span", { class: "tag" }, tag))),
    inside,
    h("h2", {}, "Catalogue"), h("div", { class: "row" }, h("button", { class: "danger", type: "button", onclick: forget }, "Take it out of the catalogue")), outcome);
  if (info.language !== "muranopl") {
    fill(inside, h("h2", {}, "Use it"), creation(info, null));
    return;
  }
  try {
    const { forms } = await get(`/packages/${id}/forms`);
    fill(inside, h("h2", {}, "Use it"), form(forms, {
      submit: "Make the model",
      send: (values) => post(`/packages/${id}/model`, { values }),
      done: ({ model }) => fill(inside, h("h2", {}, "The model"), h("pre", { tabindex: "0", "aria-label": "Object model" }, JSON.stringify(model, null, 2)), creation(info, model)),
    }));
  } catch (error) {
    fill(inside, note(`It has no forms that can be filled in: ${error.message}`), findings(error.findings));
  }
}

// An environment of a package: its files as they are; with a model that its forms made, a sabir.yaml that puts both together.
function creation(info, model) {
  const name = h("input", { id: "environment", value: info.name, required: true });
  const outcome = h("div");
  const make = async (event) => {
    event.preventDefault();
    try {
      const environment = await post("/environments", { name: name.value });
      const files = `/environments/${environment.id}/files`;
      const archive = await (await fetch(url(`/packages/${info.id}/archive`), { credentials: "same-origin" })).arrayBuffer();
      if (model) {
        await put(`${files}/package.zip`, archive);
        await put(`${files}/model.json`, JSON.stringify(model, null, 2));
        await put(`${files}/sabir.yaml`, `sabir: 1\nname: ${JSON.stringify(name.value)}\nparts:\n  app: {path: package.zip, language: muranopl, model: model.json}\n`);
      } else {
        await put(files, archive);
      }
      location.hash = `#/environments/${environment.id}`;
    } catch (error) {
      fill(outcome, failure(error));
    }
  };
  return h("form", { onsubmit: make },
    h("div", { class: "row" }, h("label", { for: "environment" }, "Name of the environment"), name, h("button", { class: "main" }, "Create the environment")), outcome);
}
