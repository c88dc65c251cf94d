// The name of an environment, the leave it has, and its end.
import { get, patch, remove } from "./api.js";
import { failure, fill, h, note } from "./dom.js";

const LEAVE = [
  ["scripts", "run scripts and programs of the description"],
  ["python", "run Python of the description: plug-ins, functions"],
  ["write-files", "let expressions write files below the environment"],
  ["env", "let expressions see all environment variables of the service"],
  ["network", "fetch addresses of the network"],
  ["private-network", "fetch private addresses, too"],
  ["outside", "follow paths that lead out of the environment"],
];

export async function settings(panel, info) {
  const me = await get("/session");
  const outcome = h("div");
  const name = h("input", { id: "new-name", value: info.name, required: true });
  const others = info.trust.filter((word) => !LEAVE.some(([known]) => known === word));
  const boxes = LEAVE.map(([word, about]) => [h("input", { type: "checkbox", id: `leave-${word}`, value: word, checked: info.trust.includes(word), disabled: me.role !== "admin" }), word, about]);
  const save = (work, what) => async (event) => {
    event.preventDefault();
    try {
      await work();
      fill(outcome, note(what, "good"));
    } catch (error) {
      fill(outcome, failure(error));
    }
  };
  const rename = save(async () => {
    await patch(`/environments/${info.id}`, { name: name.value });
    document.querySelector("h1").textContent = name.value;
  }, "It has its new name.");
  const allow = save(() => patch(`/environments/${info.id}`, { trust: [...others, ...boxes.filter(([box]) => box.checked).map(([box]) => box.value)] }), "That is what it may do now.");
  const forget = save(async () => {
    if (!confirm(`Delete the environment ${info.name} with its files?`)) return;
    await remove(`/environments/${info.id}`);
    location.hash = "#/environments";
  }, "");
  fill(panel, outcome,
    h("form", { onsubmit: rename }, h("div", { class: "row" }, h("label", { for: "new-name" }, "Name"), name, h("button", {}, "Rename"))),
    h("form", { onsubmit: allow }, h("fieldset", { class: "card tight" }, h("legend", {}, "Leave: what it may do beyond being read"),
      boxes.map(([box, word, about]) => h("div", { class: "field inline" }, box, h("label", { for: box.id }, word, h("span", { class: "soft" }, ` ${about}`)))),
      others.length ? h("p", { class: "soft" }, `And: ${others.join(", ")}.`) : null,
      me.role === "admin" ? h("button", { class: "main" }, "Give this leave") : h("p", { class: "soft" }, "Only an administrator gives leave."))),
    h("h2", {}, "Delete"), h("p", { class: "soft" }, "What is deployed of it has to be destroyed first."),
    h("form", { onsubmit: forget }, h("button", { class: "danger" }, "Delete the environment")));
}
