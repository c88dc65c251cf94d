// The outline: the same instances as a tree for keyboards and screen readers, or the matches of a search as a list.

const MOST_ROWS = 300;

class Outline {
  constructor(model, select) {
    Object.assign(this, { model, select, element: byId("outline"), selected: -1, matches: null });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.tree();
  }

  tree() {
    this.matches = null;
    const list = make("ul", { role: "tree", "aria-label": "Instances, parts below their owners" });
    this.rows(list, this.model.roots(), 0);
    this.element.replaceChildren(make("h2", null, "Outline"), list);
    this.reveal(this.selected);
  }

  list(matches) {
    this.matches = matches;
    const list = make("ul", { role: "tree", "aria-label": "Matches" });
    this.rows(list, matches, 0, true);
    this.element.replaceChildren(make("h2", null, plural(matches.length, "match").replace("matchs", "matches")), list);
    this.mark();
  }

  rows(list, numbers, from, flat = false) {
    list.append(...numbers.slice(from, from + MOST_ROWS).map((n) => this.row(n, flat)));
    const rest = numbers.length - from - MOST_ROWS;
    if (rest > 0) {
      const button = make("button", { type: "button", class: "more", onclick: () => { button.parentElement.remove(); this.rows(list, numbers, from + MOST_ROWS, flat); } }, `${rest.toLocaleString("en")} more`);
      list.append(make("li", { role: "none" }, button));
    }
    const first = this.element.querySelector("[tabindex='0']") || list.querySelector("[role=treeitem]");
    if (first) first.tabIndex = 0;
  }

  row(n, flat) {
    const { model } = this;
    const parts = flat ? [] : model.owned(n);
    const twist = make("span", { class: "twist", "aria-hidden": "true" }, parts.length ? "▸" : "");
    const item = make("li", { role: "treeitem", tabindex: "-1", "data-number": String(n), "aria-selected": "false", "aria-expanded": parts.length ? "false" : null, "aria-label": `${model.name(n)}, ${model.type(n)}` },
      make("div", { class: "leafage", title: model.type(n), onclick: (event) => {
        this.focus(item);
        if (event.target === twist && parts.length) this.open(item, item.getAttribute("aria-expanded") !== "true");
        else this.select(n);
      } }, twist, swatch(model.language(n)), make("span", { class: "label" }, model.name(n)), flat ? make("span", { class: "kind" }, model.type(n)) : null));
    return item;
  }

  open(item, open) {
    if (!item.hasAttribute("aria-expanded")) return;
    item.setAttribute("aria-expanded", String(open));
    item.querySelector(".twist").textContent = open ? "▾" : "▸";
    let group = item.querySelector(":scope > ul");
    if (!group && open) {
      group = make("ul", { role: "group" });
      item.append(group);
      this.rows(group, this.model.owned(Number(item.dataset.number)), 0);
    }
    if (group) group.hidden = !open;
  }

  item(n) { return this.element.querySelector(`[data-number="${n}"]`); }

  // Opens the way to an instance and marks it.
  reveal(n) {
    this.selected = n;
    if (n >= 0 && !this.matches) {
      const above = [];
      for (let owner = this.model.owner(n); owner >= 0; owner = this.model.owner(owner)) above.unshift(owner);
      for (const owner of above) {
        const item = this.item(owner);
        if (item) this.open(item, true);
      }
    }
    this.mark();
  }

  mark() {
    for (const item of this.element.querySelectorAll("[aria-selected='true']")) item.setAttribute("aria-selected", "false");
    const item = this.selected >= 0 ? this.item(this.selected) : null;
    if (!item) return;
    item.setAttribute("aria-selected", "true");
    item.firstElementChild.scrollIntoView({ block: "nearest" });
  }

  focus(item) {
    for (const one of this.element.querySelectorAll("[tabindex='0']")) one.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  key(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.target !== item || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...this.element.querySelectorAll("[role=treeitem]")].filter((one) => !one.closest("ul[hidden]"));
    const at = all.indexOf(item);
    const open = item.getAttribute("aria-expanded");
    const go = { ArrowDown: all[at + 1], ArrowUp: all[at - 1], Home: all[0], End: all.at(-1) }[event.key];
    if (go) this.focus(go);
    else if (event.key === "ArrowRight" && open === "false") this.open(item, true);
    else if (event.key === "ArrowRight" && open === "true" && all[at + 1]) this.focus(all[at + 1]);
    else if (event.key === "ArrowLeft" && open === "true") this.open(item, false);
    else if (event.key === "ArrowLeft") {
      const above = item.parentElement.closest("[role=treeitem]");
      if (above) this.focus(above);
    } else if (event.key === "Enter" || event.key === " ") this.select(Number(item.dataset.number));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
