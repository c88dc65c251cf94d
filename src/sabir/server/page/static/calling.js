// What can be called on what is deployed: each operation with a form of its arguments.
import { get, post } from "./api.js";
import { fill, h } from "./dom.js";
import { refused } from "./deploying.js";
import { form, schemaFields } from "./forms.js";
import { live } from "./live.js";

export async function call(panel, info) {
  let stop = () => undefined;
  const place = h("div");
  try {
    const { operations } = await get(`/environments/${info.id}/operations`);
    if (!operations.length) fill(panel, h("p", { class: "soft" }, "Nothing here can be called. Operations, workflows and public methods of what is deployed stand here."));
    else fill(panel, h("ul", { class: "cards" }, operations.map((operation, number) => card(operation, number, (job) => {
      stop();
      stop = live(place, info, job);
      place.scrollIntoView({ block: "nearest" });
    }, info))), place);
  } catch (error) {
    fill(panel, refused(info, error));
  }
  return () => stop();
}

function card(operation, number, follow, info) {
  const words = operation.instance ? `${operation.instance}.${operation.operation}` : operation.operation;
  // Names of arguments are unique within an operation only.
  const fields = schemaFields(operation.schema).map((field) => ({ ...field, label: field.name }));
  const named = form([{ name: `${number + 1}`, fields }], {
    submit: `Call ${operation.operation}`,
    send: (values) => post(`/environments/${info.id}/jobs`, {
      verb: "call", operation: words,
      arguments: Object.fromEntries(Object.entries(values).map(([key, value]) => [key.slice(key.indexOf(".") + 1), value])),
    }),
    done: follow,
  });
  if (!fields.length) named.querySelector("fieldset")?.remove();
  else fill(named.querySelector("legend"), "Arguments");
  return h("li", { class: "card" }, h("h2", {}, words), operation.about ? h("p", { class: "soft" }, operation.about) : null, named);
}
