// The boxes: instances and groups of them, which of them are open, what is seen, and the links between what is seen.

const MOST_OPEN = 400; // boxes that "open all" shows at once
const LONGEST_BOX = 420;

class Scene {
  constructor(model) {
    const { picture, index } = model;
    const { groups } = picture;
    this.model = model;
    this.instances = model.count;
    this.total = model.count + groups.names.length;
    this.names = index.names.concat(groups.names);
    this.types = index.type.map((type) => index.types[type]).concat(groups.types);
    this.language = index.language.concat(groups.languages);
    this.parents = picture.parents;
    this.parts = Array.from({ length: this.total }, () => []);
    this.order = [];
    this.parents.forEach((parent, box) => (parent < 0 ? this.order : this.parts[parent]).push(box));
    this.roots = [...this.order];
    for (const box of this.order) this.order.push(...this.parts[box]);
    this.inside = new Int32Array(this.total);
    for (let at = this.order.length - 1; at >= 0; at -= 1) {
      const box = this.order[at];
      if (this.parents[box] >= 0) this.inside[this.parents[box]] += this.inside[box] + (box < this.instances ? 1 : 0);
    }
    for (const name of ["X", "Y", "W", "H"]) this[name] = new Float32Array(this.total);
    this.visible = new Uint8Array(this.total);
    this.front = new Int32Array(this.total);
    this.open = new Set(picture.open);
    this.initial = new Set(picture.open);
    this.size = [0, 0];
    this.shape = screenShape();
    this.measure = document.createElement("canvas").getContext("2d");
    this.arrange();
  }

  isGroup(box) { return box >= this.instances; }
  isOpen(box) { return this.open.has(box); }
  hasParts(box) { return this.parts[box].length > 0; }

  kind(box) {
    if (this.isGroup(box) || !this.inside[box]) return this.types[box];
    return this.isOpen(box) ? this.types[box] : `${this.types[box]} · ${this.inside[box].toLocaleString("en")} inside`;
  }

  ownSize(box) {
    const wide = (text, font) => { this.measure.font = font; return this.measure.measureText(text).width; };
    const words = Math.max(wide(this.names[box], `600 12px ${FONT}`), wide(this.kind(box), `10px ${FONT}`), 50);
    return [Math.min(words + 22, LONGEST_BOX) + (this.hasParts(box) ? 26 : 0), 38];
  }

  // Everything anew: what is seen, which links that makes, and where it stands.
  arrange() {
    this.seen = [];
    for (const box of this.order) {
      const parent = this.parents[box];
      const seen = parent < 0 || (this.visible[parent] && this.isOpen(parent));
      this.visible[box] = seen ? 1 : 0;
      this.front[box] = seen ? box : this.front[parent];
      if (seen) this.seen.push(box);
    }
    this.join();
    this.place();
  }

  // What connects the same two boxes is one link, with how many it stands for.
  join() {
    const { links, linkNames } = this.model.picture;
    const joined = new Map();
    for (let at = 0; at < links.length; at += 3) {
      const [source, target] = [this.front[links[at]], this.front[links[at + 1]]];
      if (source === target || this.isWithin(source, target) || this.isWithin(target, source)) continue;
      const key = source * this.total + target;
      let link = joined.get(key);
      if (!link) joined.set(key, (link = { source, target, count: 0, names: new Set() }));
      link.count += 1;
      if (link.names.size < 6) link.names.add(linkNames[links[at + 2]]);
    }
    this.links = [...joined.values()].map((link) => {
      const names = [...link.names].filter(Boolean).join(", ");
      return { ...link, names: null, dashed: !names, name: link.count > 1 ? `${names} ×${link.count.toLocaleString("en")}`.trim() : names };
    });
    this.labels = this.links.length <= 60;
    const flows = new Map();
    const linked = new Set([...joined.keys()]);
    for (const [from, to] of this.model.picture.flows) {
      const [source, reader] = [this.front[from], this.front[to]];
      if (source === reader || this.isWithin(source, reader) || this.isWithin(reader, source)) continue;
      if (linked.has(source * this.total + reader) || linked.has(reader * this.total + source)) continue;
      flows.set(source * this.total + reader, { source, reader });
    }
    this.flows = [...flows.values()];
  }

  place() {
    const sizes = new Map();
    const size = (box) => sizes.get(box);
    const edgesIn = this.lifted();
    const drawings = new Map();
    const holders = [...this.seen.filter((box) => this.hasParts(box) && this.isOpen(box)).reverse(), -1];
    for (const box of this.seen) sizes.set(box, this.ownSize(box));
    for (const holder of holders) {
      const parts = holder < 0 ? this.roots : this.parts[holder];
      const at = new Map(parts.map((box, place) => [box, place]));
      const edges = (edgesIn.get(holder) || []).map(([from, to, label]) => ({ from: at.get(from), to: at.get(to), label }));
      const drawing = parts.length ? arranged(parts.length, (place) => size(parts[place]), edges, holder < 0 ? this.shape : 1.6) : { places: new Map(), routes: new Map(), width: 0, height: 0 };
      drawings.set(holder, drawing);
      if (holder >= 0) sizes.set(holder, [Math.max(size(holder)[0], drawing.width + 2 * GAP.padding), drawing.height + GAP.head + GAP.padding]);
      else this.size = [drawing.width, drawing.height];
    }
    for (const box of this.seen) [this.W[box], this.H[box]] = size(box);
    for (const holder of holders.reverse()) {
      const parts = holder < 0 ? this.roots : this.parts[holder];
      const [left, top] = holder < 0 ? [0, 0] : [this.X[holder] + GAP.padding, this.Y[holder] + GAP.head];
      for (const [place, [x, y]] of drawings.get(holder).places) {
        this.X[parts[place]] = left + x;
        this.Y[parts[place]] = top + y;
      }
    }
    for (const link of this.links) {
      const holder = this.parents[link.source];
      const parts = holder < 0 ? this.roots : this.parts[holder];
      const route = this.parents[link.target] === holder
        ? drawings.get(holder).routes.get(`${parts.indexOf(link.source)} ${parts.indexOf(link.target)}`) : null;
      const [left, top] = holder < 0 ? [0, 0] : [this.X[holder] + GAP.padding, this.Y[holder] + GAP.head];
      link.points = route ? route.map((at, place) => at + (place % 2 ? top : left)) : this.straightWay(link.source, link.target);
      link.bounds = bounds(link.points);
    }
  }

  // Every link and flow at the two boxes that lie in one: there it has a say in the drawing.
  lifted() {
    const depth = new Map();
    for (const box of this.seen) depth.set(box, this.parents[box] < 0 ? 0 : depth.get(this.parents[box]) + 1);
    const edges = new Map();
    const known = new Set();
    const lift = (from, to, text) => {
      let [a, b] = [from, to];
      while (depth.get(a) > depth.get(b)) a = this.parents[a];
      while (depth.get(b) > depth.get(a)) b = this.parents[b];
      while (this.parents[a] !== this.parents[b]) [a, b] = [this.parents[a], this.parents[b]];
      if (a === b || known.has(a * this.total + b)) return;
      known.add(a * this.total + b);
      const holder = this.parents[a];
      if (!edges.has(holder)) edges.set(holder, []);
      edges.get(holder).push([a, b, a === from && b === to && this.labels ? Math.min(text.length, 40) * 5.4 : 0]);
    };
    for (const link of this.links) lift(link.source, link.target, link.name);
    if (this.flows.length <= 120) for (const flow of this.flows) lift(flow.reader, flow.source, "");
    return edges;
  }

  // From side to side; level at both ends.
  straightWay(source, target) {
    const [x, y, width, height] = this.rectangle(source);
    const [toX, toY, toWidth, toHeight] = this.rectangle(target);
    const [fromY, endY] = [y + Math.min(height / 2, 19), toY + Math.min(toHeight / 2, 19)];
    if (toX >= x + width) return [x + width, fromY, toX, endY];
    if (toX + toWidth <= x) return [x, fromY, toX + toWidth, endY];
    const aside = Math.max(x + width, toX + toWidth) + 26; // one above the other: round the right side
    return Object.assign([x + width, fromY, aside, (fromY + endY) / 2, toX + toWidth, endY], { loop: true });
  }

  isWithin(inner, outer) {
    for (let box = inner; box >= 0; box = this.parents[box]) if (box === outer) return true;
    return false;
  }

  // Opens all that a box lies in.
  reveal(box) {
    let changed = false;
    for (let above = this.parents[box]; above >= 0; above = this.parents[above]) {
      changed = changed || !this.isOpen(above);
      this.open.add(above);
    }
    if (changed) this.arrange();
    return changed;
  }

  toggle(box) {
    if (this.isOpen(box)) this.open.delete(box);
    else this.open.add(box);
    this.arrange();
  }

  // From the top, as long as there is room.
  openAll() {
    let seen = this.roots.length;
    this.open = new Set();
    for (const box of this.order) {
      const parent = this.parents[box];
      if (!this.hasParts(box) || (parent >= 0 && !this.isOpen(parent)) || seen + this.parts[box].length > MOST_OPEN) continue;
      this.open.add(box);
      seen += this.parts[box].length;
    }
    this.arrange();
  }

  closeAll() {
    this.open = new Set();
    this.arrange();
  }

  rectangle(box) { return [this.X[box], this.Y[box], this.W[box], this.H[box]]; }

  button(box) { return [this.X[box] + this.W[box] - 25, this.Y[box] + 8, 17]; }
}

// Width against height of the room for the picture.
function screenShape() {
  const { clientWidth, clientHeight } = byId("stage");
  return Math.min(2, Math.max(0.6, clientWidth / Math.max(clientHeight, 1)));
}

function bounds(points) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 2) {
    box[0] = Math.min(box[0], points[at]);
    box[1] = Math.min(box[1], points[at + 1]);
    box[2] = Math.max(box[2], points[at]);
    box[3] = Math.max(box[3], points[at + 1]);
  }
  return box;
}
