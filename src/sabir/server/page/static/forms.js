// Forms of a UI definition. The service knows what is right; the browser only helps to get there.
import { fill, h, note } from "./dom.js";

const INPUTS = { password: "password", integer: "number", boolean: "checkbox" };

export function form(forms, send, done) {
  const fields = forms.flatMap((each) => each.fields.map((field) => ({ ...field, key: `${each.name}.${field.name}` })));
  const shown = forms.map((each) => h("fieldset", { class: "card" }, h("legend", {}, each.name),
    each.fields.filter((field) => !field.hidden).map((field) => drawn({ ...field, key: `${each.name}.${field.name}` }))));
  const outcome = h("div");
  const submit = async (event) => {
    event.preventDefault();
    const values = {};
    for (const field of fields) {
      const input = event.target.elements[field.key];
      if (!input) continue;
      const value = field.type === "boolean" ? input.checked : field.type === "integer" && input.value !== "" ? Number(input.value) : input.value;
      if (value !== "" || field.required) values[field.key] = value;
    }
    clear(event.target);
    try {
      const answer = await send(values);
      if (answer.errors?.length) refuse(event.target, answer.errors, outcome);
      else done(answer.model);
    } catch (error) {
      fill(outcome, note(error.message));
    }
  };
  return h("form", { onsubmit: submit, novalidate: true }, shown, outcome, h("button", { class: "main" }, "Make the model"));
}

function drawn(field) {
  const described = field.description || field.helpText;
  const common = { id: field.key, name: field.key, "aria-required": field.required ? "true" : null, "aria-describedby": described ? `${field.key}-about` : null };
  const label = h("label", { for: field.key }, field.label ?? field.name, field.required ? h("span", { class: "soft" }, " (needed)") : null);
  const about = described ? h("span", { class: "soft", id: `${field.key}-about` }, described) : null;
  if (field.choices) {
    const options = field.choices.map(([value, text]) => h("option", { value, selected: String(value) === String(field.initial) }, text));
    return h("div", { class: "field" }, label, h("select", common, options), about);
  }
  if (field.type === "boolean") {
    return h("div", { class: "field inline" }, h("input", { ...common, type: "checkbox", checked: ["true", "True", "1"].includes(String(field.initial ?? false)) }), label, about);
  }
  const limits = { minlength: field.minLength, maxlength: field.maxLength, min: field.minValue, max: field.maxValue };
  return h("div", { class: "field" }, label,
    h(field.type === "text" ? "textarea" : "input", { ...common, ...limits, type: field.type === "text" ? null : INPUTS[field.type] ?? "text", autocomplete: "off", value: field.initial ?? "" }), about);
}

function clear(element) {
  for (const wrong of element.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  for (const text of element.querySelectorAll(".field .error-text")) text.remove();
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
    input.closest(".field").append(h("span", { class: "error-text" }, message));
    first ??= input;
  }
  fill(outcome, note(`${errors.length === 1 ? "One value is" : `${errors.length} values are`} not right yet. ${left.join(" ")}`));
  first?.focus();
}
