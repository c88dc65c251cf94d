// A job while it runs: steps light up as they begin, end or fail.
import { events, post } from "./api.js";
import { fill, h, note, say, table } from "./dom.js";

function words(event) {
  if (event.message) return event.message;
  if (event.event === "plan") return `${event.steps} ${event.steps === 1 ? "step" : "steps"} planned${event.later ? `, ${event.later} to be foreseen later` : ""}`;
  const counts = Object.entries(event.counts ?? {}).map(([state, count]) => `${count} ${state}`).join(", ");
  return event.event === "end" ? `deployment ${event.deployment ?? ""} ${event.state}${counts ? `: ${counts}` : ""}` : event.event;
}

// What a call gave back, by the resource that ran.
function results(result) {
  const rows = Object.entries(result?.results ?? {}).flatMap(([address, values]) => Object.entries("result" in values ? { result: values.result } : values).map(([name, value]) => [address, name, h("code", {}, typeof value === "string" ? value : JSON.stringify(value))]));
  return rows.length ? table("Results", ["Of", "Name", "Value"], rows) : null;
}

export function live(place, info, job, ended = () => undefined) {
  const steps = h("ul", { class: "steps", "aria-label": "Steps" });
  const log = h("pre", { tabindex: "0", "aria-label": "What the job says" });
  const head = h("p", { class: "soft" }, `${job.verb} is ${job.state}`);
  const stop = h("button", { type: "button", onclick: () => post(`/environments/${info.id}/jobs/${job.id}/stop`) }, "Stop");
  const rows = new Map();
  fill(place, h("div", { class: "row" }, head, stop), steps, log);
  const row = (event) => {
    const key = event.step;
    if (!rows.has(key)) {
      const state = h("span", { class: "soft" });
      const element = h("li", {}, h("span", { "aria-hidden": "true" }, "·"), h("span", {}, h("strong", {}, event.address), h("span", { class: "soft" }, ` ${event.action ?? ""}`)), state);
      rows.set(key, { element, state });
      steps.append(element);
    }
    return rows.get(key);
  };
  const onEvent = (event) => {
    if (event.step) {
      const { element, state } = row(event);
      element.dataset.state = event.event;
      state.textContent = event.event + (event.message ? `: ${event.message}` : "");
      if (["failed", "unknown"].includes(event.event)) say(`${event.address} ${event.event}`);
    } else {
      log.append(`${words(event)}\n`);
    }
  };
  const onEnd = (end) => {
    stop.remove();
    const fine = end.state === "done";
    head.replaceWith(note(fine ? `${job.verb}: done.` : `${job.verb} ${end.state}${end.message ? `: ${end.message}` : ""}`, fine ? "good" : "error"));
    const given = results(end.result);
    if (given) log.before(given);
    say(fine ? "done" : "failed");
    ended(end);
  };
  const source = events(`/environments/${info.id}/jobs/${job.id}/events`, onEvent, onEnd);
  return () => source.close();
}
