import { get, post, put, url } from "./api.js";
import { fill, findings, h, note, say } from "./dom.js";
import { live } from "./live.js";

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
      : h("li", { class: "soft" }, "None yet. Create one here, or fill in the forms of a package of the catalogue.")));
}

const TABS = [["picture", "Picture", picture], ["files", "Files", files], ["plan", "Plan", plan], ["deploy", "Deploy", deploy], ["history", "History", history], ["drift", "Drift", drift]];

export async function environmentPage(main, id, chosen = "picture") {
  const info = await get(`/environments/${id}`);
  const panel = h("div", { role: "tabpanel", id: "panel", "aria-labelledby": `tab-${chosen}` });
  const tabs = h("div", { role: "tablist", "aria-label": "Views of the environment" },
    TABS.map(([key, label]) => h("button", {
      type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "panel", "aria-selected": String(key === chosen), tabindex: key === chosen ? "0" : "-1",
      onclick: () => { location.hash = `#/environments/${id}/${key}`; },
    }, label)));
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const buttons = [...tabs.children];
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
  fill(main, h("h1", {}, info.name), tabs, panel);
  if (chosen === "picture" || chosen === "plan") main.classList.add("wide");
  fill(panel, h("p", { class: "soft" }, "…"));
  const view = TABS.find(([key]) => key === chosen)?.[2] ?? picture;
  try {
    return await view(panel, info);
  } catch (error) {
    fill(panel, note(error.message), findings(error.findings));
    return undefined;
  }
}

async function picture(panel, info) {
  const { findings: list } = await get(`/environments/${info.id}/graph`);
  fill(panel, findings(list), h("iframe", { src: url(`/environments/${info.id}/graph.html`), title: "The graph of the environment: select an instance to see its values and where they came from" }));
}

async function files(panel, info) {
  const list = await get(`/environments/${info.id}/files`);
  const text = h("textarea", { id: "text", rows: 22, spellcheck: "false" });
  const path = h("input", { id: "path", class: "grow", placeholder: "sabir.yaml" });
  const outcome = h("div");
  const open = async (name) => {
    path.value = name;
    text.value = await (await fetch(url(`/environments/${info.id}/files/${name}`), { credentials: "same-origin" })).text();
    say(`${name} is open`);
  };
  const save = async () => {
    try {
      await put(`/environments/${info.id}/files/${path.value}`, text.value);
      const { findings: after } = await get(`/environments/${info.id}/graph`);
      fill(outcome, note(`${path.value} is saved.`, "good"), findings(after));
    } catch (error) {
      fill(outcome, note(error.message), findings(error.findings));
    }
  };
  fill(panel,
    h("div", { class: "row" }, list.map((file) => h("button", { type: "button", onclick: () => open(file.path ?? file.name) }, file.path ?? file.name))),
    h("div", { class: "row" }, h("label", { for: "path" }, "File"), path, h("button", { class: "main", type: "button", onclick: save }, "Save")),
    h("label", { for: "text", class: "unseen" }, "Content of the file"), text, outcome);
  if (list.length) await open((list.find((file) => (file.path ?? file.name) === "sabir.yaml") ?? list[0]).path ?? list[0].name);
}

const SIGNS = { create: "+", update: "~", replace: "-/+", delete: "-", run: ">", check: "?" };
export const stepRow = (step) => h("li", { "data-key": step.key ?? step.address, "data-state": step.state ?? "waiting" },
  h("span", { "aria-hidden": "true" }, SIGNS[step.action] ?? "·"),
  h("span", {}, h("strong", {}, step.address), h("span", { class: "soft" }, ` ${step.action} ${step.kind ?? ""}`), step.reason ? h("div", { class: "soft" }, step.reason) : null),
  h("span", { class: "state soft" }, step.state ?? ""));

async function plan(panel, info) {
  const { steps = [] } = await get(`/environments/${info.id}/plan`);
  fill(panel,
    h("h2", {}, steps.length ? `${steps.length} ${steps.length === 1 ? "step" : "steps"}` : "Nothing to do: the world is as described"),
    steps.length ? h("ul", { class: "steps" }, steps.map(stepRow)) : null,
    steps.length ? h("div", { class: "row" }, h("a", { class: "button", href: `#/environments/${info.id}/deploy` }, "Deploy …")) : null,
    steps.length ? h("iframe", { src: url(`/environments/${info.id}/plan.html`), title: "The plan as a picture: select a step to see what it changes" }) : null);
}

async function deploy(panel, info) {
  const deletions = h("input", { id: "deletions", type: "number", min: "0", value: "0" });
  const place = h("div");
  let stop = () => undefined;
  const act = (verb) => async () => {
    if (verb === "destroy" && !confirm(`Take away everything that was deployed of ${info.name}?`)) return;
    try {
      const job = await post(`/environments/${info.id}/jobs`, { verb, allow_delete: verb === "destroy" ? "all" : Number(deletions.value) });
      stop = live(place, info, job);
    } catch (error) {
      fill(place, note(error.message), findings(error.findings));
    }
  };
  fill(panel,
    h("div", { class: "row" },
      h("button", { class: "main", type: "button", onclick: act("deploy") }, "Deploy"),
      h("label", { for: "deletions" }, "Deletions that are fine"), deletions,
      h("button", { class: "danger", type: "button", onclick: act("destroy") }, "Destroy everything")),
    place);
  const jobs = await get(`/environments/${info.id}/jobs`);
  const running = jobs.find((job) => ["waiting", "running"].includes(job.state));
  if (running) stop = live(place, info, running);
  return () => stop();
}

async function history(panel, info) {
  const list = await get(`/environments/${info.id}/history`);
  const rows = list.map((each) => h("tr", {},
    h("td", {}, String(each.number)), h("td", {}, each.verb), h("td", {}, each.state), h("td", {}, (each.started ?? "").slice(0, 19).replace("T", " ")), h("td", {}, each.audit?.who ?? "")));
  fill(panel, rows.length
    ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Deployments" }, h("table", {}, h("thead", {}, h("tr", {}, ["Number", "What", "Outcome", "Begun", "By"].map((text) => h("th", {}, text)))), h("tbody", {}, rows)))
    : h("p", { class: "soft" }, "Nothing was deployed yet."));
}

async function drift(panel, info) {
  const { resources } = await get(`/environments/${info.id}/drift`);
  const rows = resources.map((each) => h("tr", {},
    h("td", {}, each.address), h("td", { class: each.drift?.length ? "warning-text" : "" }, each.state),
    h("td", {}, each.message ?? "", (each.drift ?? []).map((change) => h("div", {}, `${change.field ?? change.name}: ${JSON.stringify(change.before ?? change.seen)} there, ${JSON.stringify(change.after ?? change.wanted)} written`)))));
  fill(panel, rows.length
    ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Resources" }, h("table", {}, h("thead", {}, h("tr", {}, ["Resource", "State", "Difference"].map((text) => h("th", {}, text)))), h("tbody", {}, rows)))
    : h("p", { class: "soft" }, "Nothing is recorded: there is nothing that could drift."));
}

