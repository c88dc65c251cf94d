// Elements are made here and only here. Whatever comes from the graph becomes text, never markup.

const byId = (id) => document.getElementById(id);

function make(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function swatch(language) {
  const element = make("span", { class: "swatch", "aria-hidden": "true" });
  if (language) {
    element.style.setProperty("--fill", language.fill);
    element.style.setProperty("--line", language.line);
  }
  return element;
}

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

// For people who do not see the picture.
function say(text) {
  byId("said").textContent = text;
}
