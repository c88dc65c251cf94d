// The panel: everything about one instance, about a group of them, or (with nothing selected) about the whole.

const MOST_LISTED = 100;

function shownValue(model, value, select, most = Infinity) {
  const special = (text) => make("span", { class: "special" }, text);
  if (value === null) return special("null");
  if (typeof value === "string") return make("span", null, value.length > most ? `${value.slice(0, most)}…` : value === "" ? '""' : value);
  if (typeof value !== "object") return make("span", null, String(value));
  if (Array.isArray(value)) {
    if (!value.length) return special("[ ]");
    if (most < Infinity) return special(plural(value.length, "element"));
    return make("ul", null, ...value.map((one) => make("li", null, shownValue(model, one, select))));
  }
  if (value.m) {
    if (!value.m.length) return special("{ }");
    if (most < Infinity) return special(plural(value.m.length, "key"));
    return make("ul", null, ...value.m.map(([key, one]) => make("li", null, make("span", { class: "key" }, `${key}: `), shownValue(model, one, select))));
  }
  if ("r" in value) return instanceLink(model, value.r, select);
  if (value.s) return special("<<REDACTED>> (sensitive)");
  if (value.u) return special("not known yet");
  if (value.c) return special(`… ${value.c} more`);
  return make("span", null, value.n);
}

function instanceLink(model, target, select) {
  if (typeof target !== "number") return make("span", { class: "special" }, `${target} (not in the graph)`);
  return make("button", { type: "button", class: "link", title: model.type(target), onclick: () => select(target) }, model.name(target));
}

// A list that grows when asked to: nobody reads a thousand names.
function longList(items, draw) {
  const list = make("ul", { class: "chips" });
  const add = (from) => {
    list.append(...items.slice(from, from + MOST_LISTED).map((item) => make("li", null, draw(item))));
    const rest = items.length - from - MOST_LISTED;
    if (rest > 0) {
      const button = make("button", { type: "button", class: "more", onclick: () => { button.parentElement.remove(); add(from + MOST_LISTED); } }, `${rest.toLocaleString("en")} more`);
      list.append(make("li", null, button));
    }
  };
  add(0);
  return list;
}

class Panel {
  constructor(model, picture, select) {
    Object.assign(this, { model, picture, select, element: byId("panel"), turn: 0 });
    this.link = (target) => instanceLink(model, target, select);
  }

  show(...children) {
    this.element.replaceChildren(...children.flat().filter(Boolean));
    this.element.scrollTop = 0;
  }

  titled(title, ...children) {
    return [make("h3", null, title), ...children];
  }

  async overview() {
    const turn = (this.turn += 1);
    const { model } = this;
    const block = await model.block(0);
    if (turn !== this.turn) return;
    const counts = new Map();
    for (const type of model.index.type) counts.set(type, (counts.get(type) || 0) + 1);
    const types = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12);
    this.show(
      make("h2", null, plural(model.count, "instance")),
      make("p", { class: "kind" }, "Select an instance to see its attributes, where they came from, and what it is related to."),
      this.findings(model.findings.shown, model.findings.count),
      block.outputs.length ? this.titled("Outputs", make("dl", { class: "facts" }, ...block.outputs.map((one) => this.fact(block, one)))) : [],
      types.length ? this.titled("Types", make("table", null, ...types.map(([type, count]) => make("tr", null, make("td", null, model.index.types[type]), make("td", null, count.toLocaleString("en")))))) : [],
      matchMedia("(pointer: coarse), (max-width: 900px)").matches ? [] : this.titled("Keys", make("table", null, ...[
        [["/"], "search"], [["Enter"], "next match"], [["+", "−", "0"], "zoom, fit"], [["←", "↑", "→", "↓"], "move the picture"], [["Shift", "→"], "go to the instance beside"], [["v"], "flow of values"], [["o"], "outline"], [["Esc"], "let go"],
      ].map(([keys, what]) => make("tr", null, make("td", null, ...keys.flatMap((key) => [make("kbd", null, key), " "])), make("td", null, what))))),
    );
  }

  findings(findings, count) {
    if (!count) return [];
    const shown = findings.slice(0, 50).map((finding) => make("div", { class: `finding ${finding.severity}` },
      make("span", { class: "code" }, finding.code), " ", finding.message,
      make("div", { class: "at" }, finding.at),
      finding.source ? sourceLine(finding.line, finding.source) : null,
      finding.hint ? make("div", null, finding.hint) : null,
      ...finding.related.map(([at, message]) => make("div", { class: "at" }, `${at}: ${message}`)),
      finding.instances.length ? make("div", { class: "at" }, "about ", ...finding.instances.flatMap((n, at) => (at ? [", ", this.link(n)] : [this.link(n)]))) : null,
    ));
    if (count > shown.length) shown.push(make("p", { class: "kind" }, `… and ${count - shown.length} more`));
    return this.titled(plural(count, "finding"), ...shown);
  }

  group(box) {
    this.turn += 1;
    const { scene } = this.picture;
    const inside = scene.parts[box];
    this.show(
      make("h2", null, scene.names[box]),
      make("p", { class: "kind" }, scene.types[box]),
      make("p", null, "A group of instances that lie side by side, so that the picture can be taken in. Pressing it opens it."),
      make("div", { class: "actions" },
        make("button", { type: "button", onclick: () => this.picture.toggle(box) }, "Fold or open"),
        make("button", { type: "button", onclick: () => this.select(-1) }, "Close")),
      this.titled("In it", longList(inside, (part) => (scene.isGroup(part)
        ? make("button", { type: "button", class: "link", onclick: () => { this.picture.select(part, { move: true }); this.group(part); } }, `${scene.names[part]} (${scene.types[part]})`)
        : this.link(part)))),
    );
  }

  async instance(n) {
    const turn = (this.turn += 1);
    const { model } = this;
    const details = await model.details(n);
    if (turn !== this.turn) return; // something else was selected meanwhile
    const { block, attributes, relations, requires, incoming, pointedAt, reads, readBy, readers } = details;
    const parts = model.owned(n);
    const own = model.findingsOf.get(n) || [];
    this.show(
      this.crumbs(n),
      make("h2", null, model.name(n)),
      make("div", { class: "kind" }, model.type(n)),
      make("div", { class: "tags" },
        make("span", { class: "tag" }, swatch(model.language(n)), model.language(n).name),
        model.id(n) === model.name(n) ? null : make("span", { class: "tag", title: "id" }, model.id(n)),
        ...(model.aliases.get(n) || []).map((name) => make("span", { class: "tag", title: "also called" }, name)),
        details.status ? make("span", { class: "tag" }, `status: ${details.status}`) : null),
      this.actions(n),
      this.findings(own, own.length),
      details.origin >= 0 ? this.titled("Made by", this.origin(block, details.origin)) : [],
      attributes.length ? this.titled("Attributes", make("dl", { class: "facts" }, ...attributes.map((one) => this.fact(block, one)))) : [],
      relations.length || requires.length ? this.titled("Relations", make("dl", { class: "facts" },
        ...relations.map(([name, targets, origin]) => this.relation(block, name, targets, origin)),
        requires.length ? this.relation(block, "requires", requires, -1) : null)) : [],
      pointedAt ? this.titled(`Pointed at by ${pointedAt.toLocaleString("en")}`, this.incoming(incoming, pointedAt)) : [],
      reads.length ? this.titled("Values come from", longList(reads, this.link)) : [],
      readers ? this.titled(`Values go to ${readers.toLocaleString("en")}`, this.readers(readBy, readers)) : [],
      parts.length ? this.titled(plural(parts.length, "part"), longList(parts, this.link)) : [],
    );
    say(`${model.name(n)}, ${model.type(n)}, ${plural(attributes.length, "attribute")}`);
  }

  crumbs(n) {
    const above = [];
    for (let owner = this.model.owner(n); owner >= 0; owner = this.model.owner(owner)) above.unshift(owner);
    if (!above.length) return null;
    return make("nav", { class: "crumbs", "aria-label": "Owners" }, ...above.flatMap((owner) => [this.link(owner), " › "]));
  }

  actions(n) {
    const owner = this.picture.scene.hasParts(n);
    return make("div", { class: "actions" },
      make("button", { type: "button", onclick: () => this.picture.select(n, { move: true, near: true }) }, "Zoom to it"),
      owner ? make("button", { type: "button", onclick: () => this.picture.toggle(n) }, "Fold or open") : null,
      make("button", { type: "button", onclick: () => this.select(-1) }, "Close"));
  }

  // The place and the manner; the line and what it rests on when asked for.
  origin(block, origin) {
    const box = make("div", null, place(block, origin));
    const button = this.whyButton(block, origin, box);
    if (button) box.append(" ", button);
    return box;
  }

  whyButton(block, origin, under) {
    const [, , , , , text, sources] = block.origins[origin];
    if (!text && !sources.length) return null;
    let chain = null;
    const button = make("button", { type: "button", class: "link why-button", "aria-expanded": "false", onclick: async () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (!chain) {
        chain = await new Why(this.model, this.select).chain(block, origin);
        under.append(chain);
      }
      chain.hidden = open;
    } }, sources.length ? "why?" : "line");
    return button;
  }

  fact(block, [name, value, origin]) {
    return this.entry(block, name, make("div", { class: "value" }, shownValue(this.model, value, this.select)), origin);
  }

  relation(block, name, targets, origin) {
    return this.entry(block, name, longList(targets, this.link), origin);
  }

  entry(block, name, shown, origin) {
    const body = make("dd", null, shown);
    const button = origin >= 0 ? this.whyButton(block, origin, body) : null;
    if (origin >= 0) body.append(place(block, origin));
    return make("div", { class: "fact" }, make("dt", null, name, button), body);
  }

  readers(shown, count) {
    return this.rest(longList(shown, this.link), count - shown.length);
  }

  incoming(shown, count) {
    const list = longList(shown, ([name, source]) => make("span", null, this.link(source), make("span", { class: "kind" }, ` ${name}`)));
    return this.rest(list, count - shown.length);
  }

  rest(list, count) {
    if (count > 0) list.append(make("li", { class: "kind" }, `… and ${count.toLocaleString("en")} more`));
    return list;
  }
}
