// What a deployment would do, and doing it.
import { get, mayDeploy, post, url } from "./api.js";
import { failure, fill, h } from "./dom.js";
import { live } from "./live.js";

const SIGNS = { create: "+", update: "~", replace: "-/+", delete: "-", run: ">", check: "?" };
const stepRow = (step) => h("li", { "data-action": step.action },
  h("span", { "aria-hidden": "true" }, SIGNS[step.action] ?? "·"),
  h("span", {}, h("strong", {}, step.address), h("span", { class: "soft" }, ` ${step.action} ${step.kind ?? ""}`), step.reason ? h("div", { class: "soft" }, step.reason) : null),
  h("span", { class: "soft" }, step.target ? `on ${step.target}` : ""));

// Leave is the usual thing that is missing; the page says where it is given.
export const refused = (info, error) => [failure(error),
  /--trust/.test(error.message) ? h("p", {}, "Leave is given by an administrator, under ", h("a", { href: `#/environments/${info.id}/settings` }, "Settings"), ".") : null];

export async function plan(panel, info) {
  try {
    const { steps = [] } = await get(`/environments/${info.id}/plan`);
    if (!steps.length) return fill(panel, h("h2", {}, "Nothing to do: the world is as described"));
    fill(panel,
      h("h2", {}, `${steps.length} ${steps.length === 1 ? "step" : "steps"}`),
      h("div", { class: "row" }, h("a", { class: "button", href: `#/environments/${info.id}/deploy` }, "Deploy …")),
      h("ul", { class: "steps long", tabindex: "0", "aria-label": "Steps of the plan" }, steps.map(stepRow)),
      (await mayDeploy()) && h("iframe", { src: url(`/environments/${info.id}/plan.html`), title: "The plan as a picture: select a step to see what it changes" }));
  } catch (error) {
    fill(panel, refused(info, error));
  }
  return undefined;
}

export async function deploy(panel, info) {
  const deletions = h("input", { id: "deletions", type: "number", min: "0", value: "0", class: "short" });
  const targets = h("fieldset", { class: "row plain", hidden: true }, h("legend", {}, "Targets"));
  const summary = h("p", { class: "soft", role: "status" }, "Looking what there is to do …");
  const place = h("div");
  let stop = () => undefined;
  const chosen = () => {
    const boxes = [...targets.querySelectorAll("input")];
    const checked = boxes.filter((box) => box.checked);
    return checked.length === boxes.length ? [] : checked.map((box) => box.value);
  };
  const act = (verb) => async () => {
    if (verb === "destroy" && !confirm(`Take away everything that was deployed of ${info.name}?`)) return;
    try {
      const job = await post(`/environments/${info.id}/jobs`, { verb, targets: chosen(), allow_delete: verb === "destroy" ? "all" : Number(deletions.value) });
      stop();
      stop = live(place, info, job);
    } catch (error) {
      fill(place, refused(info, error));
    }
  };
  fill(panel,
    summary, targets,
    h("div", { class: "row" },
      h("button", { class: "main", type: "button", onclick: act("deploy") }, "Deploy"),
      h("label", { for: "deletions" }, "Deletions that are fine"), deletions,
      h("button", { class: "danger", type: "button", onclick: act("destroy") }, "Destroy everything")),
    place);
  const jobs = await get(`/environments/${info.id}/jobs`);
  const running = jobs.find((job) => ["waiting", "running"].includes(job.state));
  if (running) {
    summary.remove();
    stop = live(place, info, running);
  } else {
    await foresee(summary, targets, info).catch((error) => { summary.remove(); fill(place, refused(info, error)); });
  }
  return () => stop();
}

// Where steps go to different targets, one may choose among them: not every machine or cluster is in reach.
async function foresee(summary, fieldset, info) {
  const { steps = [] } = await get(`/environments/${info.id}/plan`);
  fill(summary, steps.length ? [`${steps.length} ${steps.length === 1 ? "step" : "steps"} to do: `, h("a", { href: `#/environments/${info.id}/plan` }, "the plan")] : "Nothing to do: the world is as described.");
  const names = [...new Set(steps.map((step) => step.target).filter(Boolean))];
  if (names.length < 2) return;
  fieldset.append(...names.map((name, number) => {
    const count = steps.filter((step) => step.target === name).length;
    return h("span", {}, h("input", { type: "checkbox", id: `target-${number}`, value: name, checked: true }), " ", h("label", { for: `target-${number}` }, `${name} (${count} ${count === 1 ? "step" : "steps"})`));
  }));
  fieldset.hidden = false;
}
