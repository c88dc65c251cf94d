// Elements from names, attributes and children. Texts are texts: nothing that a package says becomes markup.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const fill = (element, ...children) => element.replaceChildren(...children.flat(3).filter(Boolean));

export function say(text) {
  document.getElementById("said").textContent = text;
}

// A message of several lines is an excerpt of a file with a mark below: it keeps its form.
export const note = (text, kind = "error") => h("div", { class: `note ${kind}`, role: kind === "error" ? "alert" : "status" },
  String(text).includes("\n") ? h("pre", { tabindex: "0", "aria-label": "Message" }, text) : text);

// What went wrong, with its findings where there are some: those say more than the message.
export const failure = (error) => [note(error.message), findings(error.findings)];

export function table(label, heads, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))));
}

export const time = (text) => (text ? h("time", { datetime: text }, text.slice(0, 19).replace("T", " ")) : "");

export function findings(list) {
  if (!list?.length) return null;
  return table("Findings", ["Code", "Place", "What is wrong"], list.map((finding) => [
    h("span", { class: `${finding.severity}-text` }, finding.code),
    `${finding.file}${finding.line ? `:${finding.line}` : ""}`,
    [finding.message, finding.hint ? h("div", { class: "soft" }, finding.hint) : null]]));
}
