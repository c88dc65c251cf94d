// What was deployed, and what differs from it by now.
import { get, post } from "./api.js";
import { failure, fill, h, table, time } from "./dom.js";
import { live } from "./live.js";

export async function history(panel, info) {
  const list = (await get(`/environments/${info.id}/history`)).reverse();
  if (!list.length) return fill(panel, h("p", { class: "soft" }, "Nothing was deployed yet."));
  const detail = h("div");
  const show = async (number) => {
    try {
      const { deployment, steps, events } = await get(`/environments/${info.id}/history/${number}`);
      fill(detail,
        h("h2", {}, `Deployment ${number}: ${deployment.verb} ${deployment.state}`),
        table("Steps", ["Step", "What", "Outcome", "Message"], steps.map((step) => [step.address, `${step.action} ${step.kind}`, step.state, step.message ?? ""])),
        h("h2", {}, "Events"),
        table("Events", ["When", "Step", "State"], events.map((event) => [time(event.at), event.key ?? "", event.state])));
      detail.querySelector("h2").scrollIntoView({ block: "nearest" });
    } catch (error) {
      fill(detail, failure(error));
    }
  };
  fill(panel, table("Deployments", ["Number", "What", "Outcome", "Begun", "Ended", "By"], list.map((each) => [
    h("button", { type: "button", onclick: () => show(each.number) }, `${each.number}`, h("span", { class: "unseen" }, ": show its steps")),
    each.verb, each.state, time(each.started), time(each.ended), each.audit?.who ?? ""])), detail);
  return undefined;
}

const shown = (value) => (value === undefined ? "nothing" : JSON.stringify(value));

export async function drift(panel, info) {
  const { resources } = await get(`/environments/${info.id}/drift`);
  if (!resources.length) return fill(panel, h("p", { class: "soft" }, "Nothing is described or recorded: there is nothing that could drift."));
  const place = h("div");
  let stop = () => undefined;
  const drifted = resources.filter((each) => each.drift?.length || ["drifted", "gone", "missing"].includes(each.state));
  const repair = async () => {
    try {
      const targets = [...new Set(drifted.map((each) => each.address))];
      const job = await post(`/environments/${info.id}/jobs`, { verb: "deploy", repair: true, targets });
      stop = live(place, info, job, (end) => { if (end.state === "done") drift(panel, info); });
    } catch (error) {
      fill(place, failure(error));
    }
  };
  const summary = drifted.length
    ? `${drifted.length} of ${resources.length} ${resources.length === 1 ? "resource" : "resources"} differ from what was deployed.`
    : `None of ${resources.length} ${resources.length === 1 ? "resource" : "resources"} differs from what was deployed.`;
  fill(panel,
    h("div", { class: "row" }, h("p", {}, summary), drifted.length ? h("button", { class: "main", type: "button", onclick: repair }, "Put them right") : null),
    place,
    table("Resources", ["Resource", "State", "Difference"], [...drifted, ...resources.filter((each) => !drifted.includes(each))].map((each) => [
      each.address, h("span", { class: drifted.includes(each) ? "warning-text" : "" }, each.state),
      [each.message ?? "", ...(each.drift ?? []).map((change) => h("div", {}, h("strong", {}, change.field), h("div", {}, "there: ", h("code", {}, shown(change.seen))), h("div", {}, "deployed: ", h("code", {}, shown(change.written)))))],
    ])));
  return () => stop();
}
