// Elements from names, attributes and children. Texts are texts: nothing that a package says becomes markup.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const fill = (element, ...children) => element.replaceChildren(...children.flat().filter(Boolean));

export function say(text) {
  document.getElementById("said").textContent = text;
}

export const note = (text, kind = "error") => h("div", { class: `note ${kind}`, role: kind === "error" ? "alert" : "status" }, text);

export function findings(list) {
  if (!list?.length) return null;
  const rows = list.map((finding) =>
    h("tr", {},
      h("td", { class: `${finding.severity}-text` }, finding.code),
      h("td", {}, `${finding.file}${finding.line ? `:${finding.line}` : ""}`),
      h("td", {}, finding.message, finding.hint ? h("div", { class: "soft" }, finding.hint) : null)));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Findings" },
    h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Code"), h("th", {}, "Place"), h("th", {}, "What is wrong"))), h("tbody", {}, rows)));
}
