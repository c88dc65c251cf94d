// Where a value came from: steps with place, manner and line of source, and below each what it rests on.

const MOST_STEPS = 80;

function place(block, origin) {
  const [file, line, column, how, note] = block.origins[origin];
  const at = line ? `${block.files[file]}:${line}:${column}` : block.files[file];
  return make("span", { class: "at" }, make("b", null, block.hows[how]), note ? ` (${note})` : "", ` ${at}`);
}

function sourceLine(number, text) {
  return make("code", { class: "line" }, make("i", null, String(number)), text.trim());
}

class Why {
  constructor(model, select) {
    Object.assign(this, { model, select, seen: new Set(), steps: 0 });
  }

  // What is below the place of an origin. What is met again is not explained again, so circles end.
  async chain(block, origin) {
    const box = make("div");
    await this.below(box, block, origin);
    return box;
  }

  async step(block, origin, above) {
    const item = make("li", null, place(block, origin));
    await this.below(item, block, origin, above);
    return item;
  }

  // `above` is the line that was just shown for the step above; it is not shown again.
  async below(item, block, origin, above) {
    const [file, line, , , , text, sources] = block.origins[origin];
    const here = `${block.files[file]}:${line}`;
    if (text && here !== above) item.append(sourceLine(line, text));
    const key = `${block.number}/${origin}`;
    if (this.seen.has(key)) {
      if (sources.length) item.append(make("span", { class: "at" }, "explained above"));
      return;
    }
    this.seen.add(key);
    if (!sources.length) return;
    const list = make("ol", { class: "why" });
    item.append(list);
    for (const [at, source] of sources.entries()) {
      if (this.steps >= MOST_STEPS) {
        this.moreButton(list, block, sources.slice(at), here);
        return;
      }
      list.append(await this.source(block, source, here));
    }
  }

  moreButton(list, block, rest, here) {
    const button = make("button", { type: "button", class: "more", onclick: async () => {
      this.steps = 0;
      button.parentElement.remove();
      for (const source of rest) list.append(await this.source(block, source, here));
    } }, `${plural(rest.length, "more step")} here`);
    list.append(make("li", null, button));
  }

  async source(block, source, above) {
    this.steps += 1;
    if (source === null) return make("li", { class: "at" }, "… and more than this page keeps; `sabir why` follows all of it");
    return Array.isArray(source) ? this.read(...source, above) : this.step(block, source, above);
  }

  // An attribute or relation of an instance that was read, or (null) the instance itself.
  async read(n, attribute, above) {
    const { block, origin, attributes, relations } = await this.model.details(n);
    const own = [...attributes, ...relations].find(([name]) => name === attribute);
    const item = make("li", null, make("button", { type: "button", class: "link", onclick: () => this.select(n) }, attribute === null ? this.model.name(n) : `${this.model.name(n)}.${attribute}`));
    if (own && attributes.includes(own)) item.append(" = ", shownValue(this.model, own[1], this.select, 120));
    const from = own && own[2] >= 0 ? own[2] : origin;
    if (from < 0) {
      item.append(make("div", { class: "at" }, "where it came from is not known"));
      return item;
    }
    const key = `of ${n}.${attribute}`;
    if (this.seen.has(key)) {
      item.append(make("div", { class: "at" }, "explained above"));
      return item;
    }
    this.seen.add(key);
    item.append(make("div", null, place(block, from)));
    await this.below(item, block, from, above);
    return item;
  }
}
