// The picture: its boxes and links, what is folded in it, and what pointer, wheel, fingers and keys do.

class Picture {
  // `chosen(box)` is called when a box, or (-1) nothing, is pressed; `changed()` when boxes were opened or folded.
  constructor(model, chosen, changed) {
    Object.assign(this, { model, chosen, changed });
    this.canvas = byId("canvas");
    this.scene = new Scene(model);
    this.camera = new Camera(() => this.redraw());
    this.state = { selected: -1, hovered: -1, matches: null, hidden: new Set(), flows: this.scene.flows.length <= 120, findings: this.worstFindings(), palette: null };
    this.painter = new Painter(this.scene, this.camera, this.state);
    this.canvas.setAttribute("aria-label", `Picture of ${plural(model.count, "instance")}`);
    this.pointers = new Map();
    this.wanted = 0;
    this.listen();
    new ResizeObserver(() => this.resized()).observe(byId("stage"));
    this.resized();
    this.fit(true);
  }

  // By box the worst finding of what it stands for.
  worstFindings() {
    const worst = new Map();
    for (const [n, findings] of this.model.findingsOf) {
      const box = this.scene.front[n];
      const severity = findings.some((one) => one.severity === "error") ? "error" : "warning";
      if (worst.get(box) !== "error") worst.set(box, severity);
    }
    return worst;
  }

  // The boxes in which matches of a search are; null: there is no search.
  mark(matches) {
    this.matches = matches;
    this.state.matches = matches && new Set(matches.map((n) => this.scene.front[n]));
  }

  // After boxes were opened or folded: the box that was pressed stays where it is.
  rearranged(held, before) {
    this.state.findings = this.worstFindings();
    this.mark(this.matches || null);
    const { camera, scene } = this;
    camera.least = Math.min(this.whole()[2] * 0.5, 0.2);
    if (held >= 0 && before) camera.set(camera.x + scene.X[held] - before[0], camera.y + scene.Y[held] - before[1], camera.k);
    this.changed();
    this.redraw();
  }

  paint(dark) {
    this.state.palette = palette(this.model.languages, dark);
    this.redraw();
  }

  resized() {
    const { clientWidth, clientHeight } = byId("stage");
    const { camera } = this;
    const [cx, cy] = camera.toPicture(camera.width / 2, camera.height / 2);
    Object.assign(camera, { width: Math.max(clientWidth, 1), height: Math.max(clientHeight, 1) });
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.canvas.width = Math.round(camera.width * this.ratio);
    this.canvas.height = Math.round(camera.height * this.ratio);
    camera.least = Math.min(this.whole()[2] * 0.5, 0.2);
    if (this.fitted) this.fit(true);
    else camera.set(cx - camera.width / 2 / camera.k, cy - camera.height / 2 / camera.k, camera.k);
    this.drawNow(); // a canvas is empty when it got another size
  }

  redraw() {
    if (!this.wanted) this.wanted = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.wanted);
    this.wanted = 0;
    if (this.state.palette) this.painter.draw(this.canvas.getContext("2d"), this.ratio);
  }

  whole() { return this.camera.around([0, 0, ...this.scene.size], 28, 1.25); }

  fit(swift) {
    this.camera.go(this.whole(), swift);
    this.fitted = true;
  }

  zoom(factor, px, py) {
    this.fitted = false;
    this.camera.zoom(factor, px, py);
  }

  pan(dx, dy) {
    this.fitted = false;
    this.camera.pan(dx, dy);
  }

  // Shows a box: opens what it lies in, and moves there when it is not well in view.
  select(box, { move = false, near = false } = {}) {
    if (box >= 0 && move) {
      if (this.scene.reveal(box)) this.rearranged(-1);
      this.moveTo(box, near);
    }
    this.state.selected = box;
    this.redraw();
  }

  moveTo(box, near) {
    const { camera, scene } = this;
    const [x, y] = camera.toScreen(scene.X[box], scene.Y[box]);
    const [width, height] = [scene.W[box] * camera.k, scene.H[box] * camera.k];
    const whole = x > 10 && y > 10 && x + width < camera.width - 10 && y + height < camera.height - 10;
    if (!near && whole && camera.k >= 0.6) return;
    this.fitted = false;
    const target = camera.around(scene.rectangle(box), 60, near ? 1.4 : Math.max(0.9, Math.min(camera.k, 1.4)));
    camera.go(target);
  }

  toggle(box) {
    const { scene } = this;
    if (!scene.hasParts(box)) return;
    const before = [scene.X[box], scene.Y[box]];
    this.fitted = false;
    scene.toggle(box);
    this.rearranged(box, before);
    say(`${scene.names[box]} ${scene.isOpen(box) ? "opened" : "folded"}`);
    if (scene.isOpen(box)) this.show(box);
  }

  // Moves just so far that an opened box is seen, as far as it fits.
  show(box) {
    const { camera, scene } = this;
    const [x, y] = camera.toScreen(scene.X[box], scene.Y[box]);
    const [width, height] = [scene.W[box] * camera.k, scene.H[box] * camera.k];
    if (x >= 0 && y >= 0 && x + width <= camera.width && y + height <= camera.height) return;
    camera.go(camera.around(scene.rectangle(box), 24, camera.k));
  }

  toggleFlows() {
    this.state.flows = !this.state.flows;
    byId("flows").setAttribute("aria-pressed", String(this.state.flows));
    this.redraw();
  }

  toggleAll() {
    const { scene } = this;
    const opening = !scene.seen.some((box) => scene.isOpen(box));
    if (opening) scene.openAll();
    else scene.closeAll();
    this.rearranged(-1);
    this.fit(true);
    say(opening ? "Opened" : "All folded");
  }

  at(px, py) {
    const [x, y] = this.camera.toPicture(px, py);
    const { scene, painter } = this;
    for (let at = painter.drawn.length - 1; at >= 0; at -= 1) {
      const box = painter.drawn[at];
      if (x >= scene.X[box] && y >= scene.Y[box] && x <= scene.X[box] + scene.W[box] && y <= scene.Y[box] + scene.H[box]) return box;
    }
    return -1;
  }

  onButton(box, px, py) {
    if (box < 0 || !this.scene.hasParts(box) || this.camera.k * 12 < READABLE) return false;
    const [x, y] = this.camera.toPicture(px, py);
    const [left, top, side] = this.scene.button(box);
    return x >= left - 3 && y >= top - 3 && x <= left + side + 3 && y <= top + side + 3;
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.released(event));
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("dblclick", (event) => {
      const box = this.at(event.offsetX, event.offsetY);
      if (box >= 0) this.moveTo(box, true);
      else this.zoom(1.8, event.offsetX, event.offsetY);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  pressed(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.travelled = this.pointers.size > 1 ? 99 : 0;
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId);
    const now = [event.offsetX, event.offsetY];
    if (!before) {
      this.hover(this.at(...now), now);
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId);
    this.pointers.set(event.pointerId, now);
    this.travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (this.travelled < 4) return;
    this.canvas.classList.add("dragging");
    this.hover(-1);
    if (other) {
      const [ox, oy] = other[1];
      const stretch = Math.hypot(now[0] - ox, now[1] - oy) / Math.max(Math.hypot(before[0] - ox, before[1] - oy), 1);
      this.zoom(stretch, (now[0] + ox) / 2, (now[1] + oy) / 2);
      this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    } else this.pan(now[0] - before[0], now[1] - before[1]);
  }

  released(event) {
    if (!this.pointers.delete(event.pointerId) || this.pointers.size) return;
    this.canvas.classList.remove("dragging");
    if (this.travelled >= 4 || event.type === "pointercancel") return;
    const box = this.at(event.offsetX, event.offsetY);
    // A group is nothing but what is in it: pressing it anywhere opens it.
    if (this.onButton(box, event.offsetX, event.offsetY) || (box >= 0 && this.scene.isGroup(box) && !this.scene.isOpen(box))) this.toggle(box);
    else this.chosen(box);
  }

  hover(box, [px, py] = [0, 0]) {
    const tip = byId("tip");
    this.canvas.classList.toggle("over", box >= 0);
    if (box >= 0) {
      tip.replaceChildren(make("b", null, this.scene.names[box]), make("span", null, this.scene.kind(box)));
      tip.hidden = false;
      tip.style.left = `${Math.max(4, Math.min(px + 14, this.camera.width - tip.offsetWidth - 6))}px`;
      tip.style.top = `${Math.max(4, Math.min(py + 18, this.camera.height - tip.offsetHeight - 6))}px`;
    } else tip.hidden = true;
    if (box !== this.state.hovered) {
      this.state.hovered = box;
      this.redraw();
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step && event.shiftKey) this.neighbour(-step[0], -step[1]);
    else if (step) this.pan(70 * step[0], 70 * step[1]);
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if ((event.key === "Enter" || event.key === " ") && this.state.selected >= 0) this.toggle(this.state.selected);
    else return;
    event.preventDefault();
  }

  // The nearest box in a direction, of those one sees.
  neighbour(dx, dy) {
    const { scene, state } = this;
    const middle = (box) => [scene.X[box] + scene.W[box] / 2, scene.Y[box] + Math.min(scene.H[box] / 2, 19)];
    const from = state.selected >= 0 ? middle(state.selected) : this.camera.toPicture(0, 0);
    let [best, least] = [-1, Infinity];
    for (const box of this.painter.drawn) {
      const [x, y] = middle(box);
      const along = (x - from[0]) * dx + (y - from[1]) * dy;
      const aside = Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx);
      if (box !== state.selected && along > 1 && along + 2.5 * aside < least) [best, least] = [box, along + 2.5 * aside];
    }
    if (best >= 0) this.chosen(best, { move: true });
  }
}
