import { get, post, put, upload, url, Refused } from "./api.js";
import { fill, findings, h, note } from "./dom.js";
import { form } from "./forms.js";

export async function catalogue(main) {
  const search = h("input", { type: "search", id: "search", placeholder: "Name, description, tag, author…", class: "grow" });
  const category = h("select", { id: "category" }, h("option", { value: "" }, "All categories"));
  const list = h("ul", { class: "cards" });
  const outcome = h("div");
  for (const each of await get("/categories")) category.append(h("option", { value: each.name }, `${each.name} (${each.packages})`));
  const load = async () => {
    const words = new URLSearchParams({ limit: "100" });
    if (search.value) words.set("search", search.value);
    if (category.value) words.set("category", category.value);
    const { packages } = await get(`/packages?${words}`);
    fill(list, packages.length ? packages.map(card) : h("li", { class: "soft" }, "Nothing here yet. Upload a package, or search for something else."));
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
    h("p", {}, info.description ?? ""),
    h("div", {}, info.tags.map((tag) => h("span", { class: "tag" }, tag))));
}

export async function packagePage(main, id) {
  const info = await get(`/packages/${id}`);
  const inside = h("div");
  fill(main,
    h("h1", {}, info.name),
    h("p", {}, info.description ?? ""),
    h("p", { class: "soft" }, `${info.full_name} ${info.version}, ${info.language}, by ${info.author ?? "nobody who says so"} · `,
      h("a", { href: url(`/packages/${id}/archive`) }, "Download")),
    h("div", {}, info.tags.map((tag) => h("span", { class: "tag" }, tag))),
    inside);
  if (info.language !== "muranopl") return;
  try {
    const { forms } = await get(`/packages/${id}/forms`);
    fill(inside, h("h2", {}, "Deploy it"), form(forms, (values) => post(`/packages/${id}/model`, { values }), (model) => created(inside, info, model)));
  } catch (error) {
    fill(inside, note(`It has no forms that can be filled in: ${error.message}`), findings(error.findings));
  }
}

// The model that the forms make, and an environment of it: the package and the model, as sabir.yaml puts them together.
function created(place, info, model) {
  const name = h("input", { id: "environment", value: info.name });
  const outcome = h("div");
  const make = async () => {
    try {
      const environment = await post("/environments", { name: name.value });
      const archive = await fetch(url(`/packages/${info.id}/archive`), { credentials: "same-origin" });
      await put(`/environments/${environment.id}/files/package.zip`, await archive.arrayBuffer());
      await put(`/environments/${environment.id}/files/model.json`, JSON.stringify(model, null, 2));
      await put(`/environments/${environment.id}/files/sabir.yaml`,
        `sabir: 1\nname: ${JSON.stringify(name.value)}\nparts:\n  app: {path: package.zip, language: muranopl, model: model.json}\n`);
      location.hash = `#/environments/${environment.id}`;
    } catch (error) {
      fill(outcome, note(error.message), findings(error.findings));
    }
  };
  fill(place,
    h("h2", {}, "The model"),
    h("pre", { tabindex: "0", "aria-label": "Object model" }, JSON.stringify(model, null, 2)),
    h("div", { class: "row" }, h("label", { for: "environment" }, "Name of the environment"), name, h("button", { class: "main", type: "button", onclick: make }, "Create the environment")),
    outcome);
}
