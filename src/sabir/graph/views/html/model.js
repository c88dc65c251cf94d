// The data of the page. What is large is packed and is read when it is wanted.

async function section(id) {
  const element = byId(id);
  const text = element.type === "application/gzip" ? await unpacked(element.textContent) : element.textContent;
  element.remove(); // what is read once need not be kept twice
  return JSON.parse(text);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

class Model {
  constructor(index, picture, findings) {
    Object.assign(this, { index, picture, findings });
    this.count = index.names.length;
    this.languages = index.languages;
    this.numbers = new Map();
    for (let n = 0; n < this.count; n += 1) this.numbers.set(this.id(n), n);
    this.aliases = new Map(index.also.map(([n, ...names]) => [n, names]));
    this.blocks = new Map();
    this.words = [];
    this.parts = null;
    this.findingsOf = new Map();
    for (const finding of findings.shown) {
      for (const n of finding.instances) {
        if (!this.findingsOf.has(n)) this.findingsOf.set(n, []);
        this.findingsOf.get(n).push(finding);
      }
    }
  }

  static async read() {
    return new Model(await section("index"), await section("picture"), await section("findings"));
  }

  name(n) { return this.index.names[n]; }
  id(n) { return this.index.ids[n] === 0 ? this.index.names[n] : this.index.ids[n]; }
  type(n) { return this.index.types[this.index.type[n]]; }
  language(n) { return this.languages[this.index.language[n]]; }
  owner(n) { return this.index.owner[n]; }

  owned(n) {
    if (!this.parts) {
      this.parts = new Map();
      this.index.owner.forEach((owner, part) => {
        if (!this.parts.has(owner)) this.parts.set(owner, []);
        this.parts.get(owner).push(part);
      });
    }
    return this.parts.get(n) || [];
  }

  roots() { return this.owned(-1); }

  blockCount() { return Math.max(1, Math.ceil(this.count / this.index.block)); }

  block(number) {
    if (!this.blocks.has(number)) {
      this.blocks.set(number, section(`block-${number}`).then((block) => Object.assign(block, { number })));
    }
    return this.blocks.get(number);
  }

  async details(n) {
    const block = await this.block(Math.floor(n / this.index.block));
    const [status, origin, attributes, relations, requires, incoming, pointedAt, reads, readBy, readers] = block.rows[n % this.index.block];
    return { block, status, origin, attributes, relations, requires, incoming, pointedAt, reads, readBy, readers };
  }

  // What a search looks at: name, type, id, and every attribute as name=value.
  async searchWords(number) {
    if (!this.words[number]) {
      const block = await this.block(number);
      const first = number * this.index.block;
      this.words[number] = block.rows.map((row, place) => {
        const n = first + place;
        const values = row[2].map(([name, value]) => `${name}=${this.plain(value)}`);
        return [this.name(n), this.type(n), this.id(n), ...(this.aliases.get(n) || []), ...values].join("\n").toLowerCase();
      });
    }
    return this.words[number];
  }

  plain(value) {
    if (value === null || typeof value !== "object") return String(value);
    if (Array.isArray(value)) return value.map((one) => this.plain(one)).join(" ");
    if (value.m) return value.m.map(([key, one]) => `${key}=${this.plain(one)}`).join(" ");
    if ("r" in value) return typeof value.r === "number" ? this.name(value.r) : value.r;
    return value.n || "";
  }
}
