// Forms of UI definitions, and of JSON Schemas. The service knows what is right; the browser only helps to get there.
import { fill, h, note } from "./dom.js";

const INPUTS = { password: "password", integer: "number", number: "number", boolean: "checkbox" };

// `groups` are {name, fields}; a field has name, label, type, required, initial, choices, limits and a description.
export function form(groups, { submit, send, done }) {
  const keyed = groups.map((group) => ({ ...group, fields: group.fields.map((field) => ({ ...field, key: group.name ? `${group.name}.${field.name}` : field.name })) }));
  const outcome = h("div");
  const onsubmit = async (event) => {
    event.preventDefault();
    const element = event.target;
    clear(element);
    try {
      const answer = await send(values(element, keyed.flatMap((group) => group.fields)));
      if (answer?.errors?.length) refuse(element, answer.errors, outcome);
      else done(answer);
    } catch (error) {
      fill(outcome, note(error.message));
    }
  };
  const drawnFields = (group) => group.fields.filter((field) => !field.hidden).map(drawn);
  return h("form", { onsubmit, novalidate: true },
    keyed.map((group) => (group.name ? h("fieldset", { class: "card" }, h("legend", {}, group.name), drawnFields(group)) : drawnFields(group))),
    outcome, h("button", { class: "main" }, submit));
}

function values(element, fields) {
  const given = {};
  for (const field of fields) {
    const input = element.elements[field.key];
    if (!input) continue;
    const value = read(field, input);
    if (value !== "" || field.required) given[field.key] = value;
  }
  return given;
}

function read(field, input) {
  if (field.type === "boolean") return input.checked;
  if (input.value === "") return "";
  if (field.type === "integer" || field.type === "number") return Number(input.value);
  if (field.type !== "json") return input.value;
  try {
    return JSON.parse(input.value);
  } catch {
    throw new Error(`${field.label ?? field.name} is no JSON: a list is ["a", "b"], an object {"name": 1}, a text "…"`);
  }
}

// The fields of a JSON Schema of an object; what has no field of its own in a browser is written as JSON.
export function schemaFields(schema) {
  return Object.entries(schema?.properties ?? {}).map(([name, described]) => {
    const plain = [described, ...(described.anyOf ?? [])].map((each) => each.type).find((type) => ["string", "integer", "number", "boolean"].includes(type));
    const isPlain = plain && !(described.anyOf ?? []).some((each) => each.$ref);
    const initial = described.default ?? null;
    return {
      name, type: isPlain ? plain : "json", required: (schema.required ?? []).includes(name), description: described.description ?? (isPlain ? null : "as JSON"),
      initial: initial === null || isPlain ? initial : JSON.stringify(initial),
    };
  });
}

function drawn(field) {
  const described = field.description || field.helpText;
  const about = described ? h("span", { class: "soft", id: `${field.key}-about` }, described) : null;
  const wrong = h("span", { class: "error-text", id: `${field.key}-wrong` });
  const common = { id: field.key, name: field.key, "aria-required": field.required ? "true" : null, "aria-describedby": [about?.id, wrong.id].filter(Boolean).join(" ") };
  const label = h("label", { for: field.key }, field.label ?? field.name, field.required ? h("span", { class: "soft" }, " (needed)") : null);
  if (field.choices) {
    const options = field.choices.map(([value, text]) => h("option", { value, selected: String(value) === String(field.initial) }, text));
    return h("div", { class: "field" }, label, h("select", common, options), about, wrong);
  }
  if (field.type === "boolean") {
    return h("div", { class: "field inline" }, h("input", { ...common, type: "checkbox", checked: ["true", "True", "1"].includes(String(field.initial ?? false)) }), label, about, wrong);
  }
  const limits = { minlength: field.minLength, maxlength: field.maxLength, min: field.minValue, max: field.maxValue, step: field.type === "number" ? "any" : null };
  const isLong = field.type === "text" || field.type === "json";
  return h("div", { class: "field" }, label,
    h(isLong ? "textarea" : "input", { ...common, ...limits, type: isLong ? null : INPUTS[field.type] ?? "text", autocomplete: "off", value: field.initial ?? "" }), about, wrong);
}

function clear(element) {
  for (const wrong of element.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  for (const text of element.querySelectorAll(".field .error-text")) text.textContent = "";
}

// Errors are `form.field: message`: each stands at its field, and the first gets the focus.
function refuse(element, errors, outcome) {
  const left = [];
  let first = null;
  for (const error of errors) {
    const [, key, message] = error.match(/^([^:\s]+): (.*)$/s) ?? [];
    const input = key ? element.elements[key] : null;
    if (!input) { left.push(error); continue; }
    input.setAttribute("aria-invalid", "true");
    document.getElementById(`${key}-wrong`).textContent = message;
    first ??= input;
  }
  fill(outcome, note(`${errors.length === 1 ? "One value is" : `${errors.length} values are`} not right yet. ${left.join(" ")}`));
  first?.focus();
}
