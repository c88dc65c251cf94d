// Draws the picture: only what is in view, and only as much of it as can be told apart at this size.

const FONT = '"Segoe UI", system-ui, -apple-system, Helvetica, Arial, "DejaVu Sans", sans-serif';
const READABLE = 5.6; // pixels of a letter's height

function mixed(one, other, part) {
  const channel = (colour, at) => parseInt(colour.slice(at, at + 2), 16);
  const blend = (at) => Math.round(channel(one, at) * part + channel(other, at) * (1 - part));
  return `#${[1, 3, 5].map((at) => blend(at).toString(16).padStart(2, "0")).join("")}`;
}

// Colours of the languages and of everything else, for one theme.
function palette(languages, dark) {
  const ground = dark ? "#0e1420" : "#f8fafc";
  const nobody = { fill: "#e7e5e4", line: "#57534e" };
  return {
    ground,
    text: dark ? "#e5ebf4" : "#1e293b",
    soft: dark ? "#a9b8cc" : "#475569",
    link: dark ? "#7688a3" : "#7b8aa0",
    accent: dark ? "#7cb0ff" : "#2563eb",
    flow: dark ? "#5eead4" : "#0d9488",
    match: dark ? "#fbbf24" : "#d97706",
    error: dark ? "#f87171" : "#dc2626",
    warning: dark ? "#fbbf24" : "#d97706",
    boxes: [...languages, nobody].map(({ fill, line }) => ({
      fill: dark ? mixed(line, "#172033", 0.34) : fill,
      line: dark ? mixed(line, "#ffffff", 0.62) : line,
      owner: dark ? mixed(line, ground, 0.13) : mixed(fill, "#ffffff", 0.36),
    })),
  };
}

class Painter {
  constructor(scene, camera, state) {
    Object.assign(this, { scene, camera, state, drawn: [], labels: [] });
  }

  draw(ctx, ratio) {
    const { camera, scene } = this;
    const { k } = camera;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, camera.width, camera.height);
    ctx.setTransform(ratio * k, 0, 0, ratio * k, -camera.x * k * ratio, -camera.y * k * ratio);
    this.drawn = [];
    this.labels = [];
    this.heads = [];
    const inFront = [];
    const [left, top] = [camera.x, camera.y];
    const [right, bottom] = camera.toPicture(camera.width, camera.height);
    for (const box of scene.seen) {
      if (this.isHidden(box)) continue;
      if (scene.X[box] > right || scene.Y[box] > bottom || scene.X[box] + scene.W[box] < left || scene.Y[box] + scene.H[box] < top) continue;
      if (scene.hasParts(box) && scene.isOpen(box)) this.owner(ctx, box);
      else inFront.push(box);
    }
    this.links(ctx, [left, top, right, bottom]);
    this.emphasis(ctx);
    for (const box of this.heads) this.head(ctx, box);
    this.flows(ctx);
    for (const box of inFront) this.leaf(ctx, box);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.smallLabels(ctx);
    ctx.globalAlpha = 1;
  }

  isGone(box) {
    return this.state.hidden.has(this.scene.language[box]);
  }

  isHidden(box) {
    return this.isGone(box) && !this.scene.hasParts(box);
  }

  colours(box) {
    const { boxes } = this.state.palette;
    return boxes[this.scene.language[box]] || boxes.at(-1);
  }

  alpha(box) {
    return this.state.matches && !this.state.matches.has(box) && box !== this.state.selected ? 0.3 : 1;
  }

  outline(ctx, box) {
    const { scene } = this;
    ctx.beginPath();
    // Round corners of a few pixels are not seen, and cost as much as all the rest of a box.
    if (this.camera.k < 0.15) ctx.rect(...scene.rectangle(box));
    else ctx.roundRect(...scene.rectangle(box), 6);
  }

  // An owner of a hidden language: only where it was, for its parts may be of another.
  ghost(ctx, box) {
    this.drawn.push(box);
    ctx.globalAlpha = 0.6;
    this.outline(ctx, box);
    ctx.setLineDash([3 / this.camera.k, 4 / this.camera.k]);
    ctx.lineWidth = 1 / this.camera.k;
    ctx.strokeStyle = this.state.palette.link;
    ctx.stroke();
    ctx.setLineDash([]);
  }

  owner(ctx, box) {
    const { scene, state, camera } = this;
    if (this.isGone(box)) {
      this.ghost(ctx, box);
      return;
    }
    const colours = this.colours(box);
    this.drawn.push(box);
    ctx.globalAlpha = this.alpha(box);
    this.outline(ctx, box);
    ctx.fillStyle = colours.owner;
    ctx.fill();
    ctx.lineWidth = Math.max(1.2, 0.7 / camera.k);
    ctx.strokeStyle = colours.line;
    ctx.stroke();
    this.rings(ctx, box);
    if (camera.k * 12 >= READABLE) this.heads.push(box);
    else this.labels.push(box);
  }

  // The words of an open box stand above the links that go into it.
  head(ctx, box) {
    const [x, y] = this.scene.rectangle(box);
    ctx.font = `600 12px ${FONT}`;
    const width = Math.min(ctx.measureText(this.scene.names[box]).width + 14, this.scene.W[box] - 30);
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = this.colours(box).owner;
    ctx.fillRect(x + 4, y + 3, width, 31);
    ctx.globalAlpha = this.alpha(box);
    this.words(ctx, box);
    this.button(ctx, box, "−");
  }

  leaf(ctx, box) {
    const { scene, camera, state } = this;
    if (this.isGone(box)) {
      this.ghost(ctx, box);
      return;
    }
    const colours = this.colours(box);
    this.drawn.push(box);
    ctx.globalAlpha = 1;
    if (scene.hasParts(box)) this.sheets(ctx, box, colours);
    this.outline(ctx, box);
    ctx.fillStyle = state.palette.ground; // links end at the border of a folded owner, not within it
    ctx.fill();
    ctx.globalAlpha = this.alpha(box);
    ctx.fillStyle = colours.fill;
    ctx.fill();
    ctx.lineWidth = Math.max(1.2, 0.5 / camera.k);
    ctx.strokeStyle = colours.line;
    ctx.stroke();
    this.rings(ctx, box);
    if (camera.k * 12 < READABLE) this.labels.push(box);
    else {
      this.words(ctx, box);
      if (scene.hasParts(box)) this.button(ctx, box, "+");
    }
  }

  // A folded box looks like a stack of sheets: there is more below.
  sheets(ctx, box, colours) {
    const [x, y, width, height] = this.scene.rectangle(box);
    ctx.fillStyle = this.state.palette.ground;
    ctx.strokeStyle = colours.line;
    ctx.lineWidth = 1;
    for (const step of [6, 3]) {
      ctx.beginPath();
      ctx.roundRect(x + step, y + step, width, height, 6);
      ctx.fill();
      ctx.stroke();
    }
  }

  rings(ctx, box) {
    const { state, camera, scene } = this;
    const ring = (colour, width) => {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width / Math.min(camera.k, 1);
      ctx.stroke();
    };
    if (state.matches && state.matches.has(box)) ring(state.palette.match, 2.4);
    if (box === state.hovered) ring(this.colours(box).line, 2.2);
    if (box === state.selected) ring(state.palette.accent, 3);
    const worst = state.findings.get(box);
    if (worst) {
      const radius = 5 / Math.min(camera.k, 1);
      ctx.beginPath();
      ctx.arc(scene.X[box] + scene.W[box], scene.Y[box], Math.min(radius, scene.H[box] / 2), 0, 7);
      ctx.fillStyle = state.palette[worst];
      ctx.fill();
    }
  }

  words(ctx, box) {
    const { scene, state, camera } = this;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.fillStyle = state.palette.text;
    ctx.font = `600 12px ${FONT}`;
    const room = scene.W[box] - 18 - (scene.hasParts(box) ? 24 : 0);
    ctx.fillText(fitted(ctx, scene.names[box], room), scene.X[box] + 10, scene.Y[box] + 16);
    if (camera.k * 10 < READABLE) return;
    ctx.fillStyle = state.palette.soft;
    ctx.font = `10px ${FONT}`;
    ctx.fillText(fitted(ctx, scene.kind(box), room), scene.X[box] + 10, scene.Y[box] + 30);
  }

  button(ctx, box, sign) {
    const [x, y, side] = this.scene.button(box);
    ctx.beginPath();
    ctx.roundRect(x, y, side, side, 4);
    ctx.fillStyle = this.state.palette.ground;
    ctx.fill();
    ctx.lineWidth = 1;
    ctx.strokeStyle = this.colours(box).line;
    ctx.stroke();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = this.state.palette.text;
    ctx.font = `600 13px ${FONT}`;
    ctx.fillText(sign, x + side / 2, y + side / 2 + 0.5);
  }

  links(ctx, [left, top, right, bottom]) {
    const { scene, state, camera } = this;
    const found = [];
    for (const link of scene.links) {
      const [x0, y0, x1, y1] = link.bounds;
      if (x0 > right || y0 > bottom || x1 < left || y1 < top) continue;
      if (this.isGone(link.source) || this.isGone(link.target)) continue;
      found.push(link);
    }
    const crowd = found.length > 80;
    ctx.strokeStyle = state.palette.link;
    ctx.fillStyle = state.palette.link;
    ctx.globalAlpha = (crowd ? 0.4 : 0.75) * (state.matches || state.selected >= 0 ? 0.45 : 1);
    for (const dashed of [false, true]) {
      ctx.beginPath();
      for (const link of found) if (link.dashed === dashed && link.count === 1) trace(ctx, link.points);
      ctx.lineWidth = Math.max(1.1, 0.6 / camera.k);
      ctx.setLineDash(dashed ? [4, 3] : []);
      ctx.stroke();
    }
    ctx.setLineDash([]);
    for (const link of found) {
      if (link.count === 1) continue;
      ctx.beginPath();
      trace(ctx, link.points);
      ctx.lineWidth = 1 + Math.log2(link.count) * 0.4;
      ctx.stroke();
    }
    if (camera.k > 0.3) for (const link of found) tip(ctx, link.points, 1);
    if (scene.labels && camera.k * 9.5 >= READABLE) this.linkLabels(ctx, found, state.palette.soft);
  }

  linkLabels(ctx, links, colour) {
    const written = new Map();
    ctx.font = `9.5px ${FONT}`;
    ctx.textBaseline = "alphabetic";
    ctx.fillStyle = colour;
    for (const { points, name } of links) {
      if (!name) continue;
      const [x, y, before] = [points.at(-2), points.at(-1), points.at(-4)];
      const key = `${x} ${y}`;
      const there = written.get(key) || [];
      if (there.includes(name)) continue; // links of one name into one box share theirs
      written.set(key, [...there, name]);
      ctx.textAlign = before > x ? "left" : "right";
      ctx.fillText(name, x + (before > x ? 10 : -10), y - 4 - 11 * there.length);
    }
  }

  // The links of the selected instance, or of the one under the pointer, above all others.
  emphasis(ctx) {
    const { scene, state, camera } = this;
    const chosen = state.selected >= 0 ? state.selected : state.hovered;
    if (chosen < 0) return;
    const own = scene.links.filter((link) => !this.isGone(link.source) && !this.isGone(link.target) && (scene.isWithin(link.source, chosen) || scene.isWithin(link.target, chosen)));
    if (!own.length || own.length > 3000) return;
    ctx.globalAlpha = own.length > 60 ? 0.45 : 0.95;
    ctx.strokeStyle = state.palette.accent;
    ctx.fillStyle = state.palette.accent;
    for (const link of own) {
      ctx.beginPath();
      trace(ctx, link.points);
      ctx.setLineDash(link.dashed ? [4, 3] : []);
      ctx.lineWidth = Math.max(1.9, 1.3 / camera.k);
      ctx.stroke();
      ctx.setLineDash([]);
      if (camera.k > 0.15) tip(ctx, link.points, Math.max(1.2, 0.6 / camera.k));
    }
    if (own.length <= 60 && camera.k * 9.5 >= READABLE) this.linkLabels(ctx, own, state.palette.accent);
  }

  // The way that values go: all of them when they are few or asked for, else those of the selected.
  flows(ctx) {
    const { scene, state, camera } = this;
    const { selected } = state;
    if (!state.flows && selected < 0) return;
    const size = 1 / Math.min(camera.k, 1);
    ctx.strokeStyle = state.palette.flow;
    ctx.fillStyle = state.palette.flow;
    ctx.lineCap = "round";
    for (const { source, reader } of scene.flows) {
      const own = selected >= 0 && (scene.isWithin(source, selected) || scene.isWithin(reader, selected));
      if (!(own || state.flows) || this.isGone(source) || this.isGone(reader)) continue;
      ctx.globalAlpha = own ? 1 : selected >= 0 || state.matches ? 0.22 : 0.7;
      ctx.lineWidth = (own ? 2.2 : 1.5) * size;
      ctx.setLineDash([1.5 * size, 4 * size]);
      ctx.beginPath();
      const points = flowPoints(scene.rectangle(source), scene.rectangle(reader));
      ctx.moveTo(points[0], points[1]);
      ctx.bezierCurveTo(...points.slice(2));
      ctx.stroke();
      ctx.setLineDash([]);
      if (camera.k > 0.15) arrow(ctx, points, size);
    }
    ctx.lineCap = "butt";
  }

  // Names of what is too small for words of its own, the larger first, none over another.
  smallLabels(ctx) {
    const { scene, camera } = this;
    const area = (box) => scene.W[box] * scene.H[box];
    const taken = [];
    ctx.textBaseline = "middle";
    for (const box of this.labels.sort((a, b) => area(b) - area(a)).slice(0, 400)) {
      const [x, y] = camera.toScreen(scene.X[box], scene.Y[box]);
      const [width, height] = [scene.W[box] * camera.k, scene.H[box] * camera.k];
      if (width < 24 || height < 11) continue;
      const spot = scene.hasParts(box) && scene.isOpen(box)
        ? this.headLabel(ctx, box, [x, y, width])
        : this.middleLabel(ctx, box, [x, y, width, height], taken);
      if (spot) taken.push(spot);
    }
  }

  headLabel(ctx, box, [x, y, width]) {
    ctx.font = `600 11px ${FONT}`;
    const text = fitted(ctx, this.scene.names[box], width - 10);
    if (!text) return null;
    const spot = [x + 2, y + 2, ctx.measureText(text).width + 8, 15];
    ctx.globalAlpha = 0.9 * this.alpha(box);
    ctx.fillStyle = this.state.palette.ground;
    ctx.beginPath();
    ctx.roundRect(...spot, 4);
    ctx.fill();
    ctx.globalAlpha = this.alpha(box);
    ctx.textAlign = "left";
    ctx.fillStyle = this.state.palette.text;
    ctx.fillText(text, spot[0] + 4, spot[1] + 8);
    return spot;
  }

  middleLabel(ctx, box, [x, y, width, height], taken) {
    const { scene, state } = this;
    ctx.font = `600 10px ${FONT}`;
    const size = Math.max(8, Math.min(22, height * 0.3, (10 * (width - 6)) / ctx.measureText(scene.names[box]).width));
    if (taken.some(([tx, ty, tw, th]) => x + width / 2 < tx + tw && x + width / 2 > tx && y + height / 2 < ty + th && y + height / 2 > ty)) return null;
    ctx.globalAlpha = this.alpha(box);
    ctx.textAlign = "center";
    ctx.font = `600 ${size}px ${FONT}`;
    const text = fitted(ctx, scene.names[box], width - 5);
    if (!text) return null;
    const count = scene.inside[box];
    const second = count && height > size * 2.8 && width > 60 ? `${count.toLocaleString("en")} inside` : "";
    const middle = y + height / 2 - (second ? size * 0.55 : 0);
    ctx.fillStyle = state.palette.text;
    ctx.fillText(text, x + width / 2, middle);
    if (second) {
      ctx.font = `${Math.max(9, size * 0.72)}px ${FONT}`;
      ctx.fillStyle = state.palette.soft;
      ctx.fillText(second, x + width / 2, middle + size * 1.15);
    }
    return null;
  }
}
