import { get, post, url } from "./api.js";
import { call } from "./calling.js";
import { deploy, plan } from "./deploying.js";
import { failure, fill, findings, h, note } from "./dom.js";
import { files } from "./files.js";
import { drift, history } from "./past.js";
import { settings } from "./settings.js";

export async function environments(main) {
  const name = h("input", { id: "name", required: true, class: "grow" });
  const outcome = h("div");
  const create = async (event) => {
    event.preventDefault();
    try {
      const made = await post("/environments", { name: name.value });
      location.hash = `#/environments/${made.id}/files`;
    } catch (error) {
      fill(outcome, note(error.message));
    }
  };
  const list = await get("/environments");
  fill(main,
    h("h1", {}, "Environments"),
    h("form", { class: "row", onsubmit: create }, h("label", { for: "name" }, "New environment"), name, h("button", { class: "main" }, "Create")),
    outcome,
    h("ul", { class: "cards" }, list.length
      ? list.map((each) => h("li", { class: "card" }, h("h2", {}, h("a", { href: `#/environments/${each.id}` }, each.name)),
        h("div", { class: "soft" }, `revision ${each.revision}, by ${each.owner}, changed ${each.updated.slice(0, 16).replace("T", " ")}`)))
      : h("li", { class: "soft" }, "None yet. Create one here, or use a package of the catalogue.")));
}

const TABS = [
  ["picture", "Picture", picture], ["files", "Files", files], ["plan", "Plan", plan], ["deploy", "Deploy", deploy], ["call", "Call", call],
  ["history", "History", history], ["drift", "Drift", drift], ["settings", "Settings", settings],
];

export async function environmentPage(main, id, chosen = "picture") {
  const info = await get(`/environments/${id}`);
  const panel = h("div", { role: "tabpanel", id: "panel", "aria-labelledby": `tab-${chosen}` });
  const tabs = h("div", { role: "tablist", "aria-label": "Views of the environment" },
    TABS.map(([key, label]) => h("button", {
      type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "panel", "aria-selected": String(key === chosen), tabindex: key === chosen ? "0" : "-1",
      onclick: () => { location.hash = `#/environments/${id}/${key}`; },
    }, label)));
  tabs.addEventListener("keydown", (event) => {
    const buttons = [...tabs.children];
    const here = buttons.indexOf(document.activeElement);
    const next = { ArrowRight: here + 1, ArrowLeft: here - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    sessionStorage.setItem("sabir-tab", "focus"); // the page is drawn anew; the focus stays on the tab
    buttons[next % buttons.length].click();
  });
  fill(main, h("h1", {}, info.name), tabs, panel);
  if (sessionStorage.getItem("sabir-tab")) document.getElementById(`tab-${chosen}`)?.focus();
  if (chosen === "picture" || chosen === "plan") main.classList.add("wide");
  fill(panel, h("p", { class: "soft", role: "status" }, "Working …"));
  const view = TABS.find(([key]) => key === chosen)?.[2] ?? picture;
  try {
    return await view(panel, info);
  } catch (error) {
    fill(panel, failure(error));
    return undefined;
  }
}

async function picture(panel, info) {
  const { findings: list } = await get(`/environments/${info.id}/graph`);
  fill(panel, findings(list), h("iframe", { src: url(`/environments/${info.id}/graph.html`), title: "The graph of the environment: select an instance to see its values and where they came from" }));
}
