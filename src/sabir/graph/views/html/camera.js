// Where one looks: `k` pixels a unit, and the point of the picture that stands in the corner.

class Camera {
  constructor(changed) {
    Object.assign(this, { x: 0, y: 0, k: 1, width: 1, height: 1, changed, going: 0 });
  }

  toScreen(x, y) { return [(x - this.x) * this.k, (y - this.y) * this.k]; }
  toPicture(px, py) { return [px / this.k + this.x, py / this.k + this.y]; }

  set(x, y, k) {
    Object.assign(this, { x, y, k });
    this.changed();
  }

  pan(dx, dy) {
    this.stop();
    this.set(this.x - dx / this.k, this.y - dy / this.k, this.k);
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    this.stop();
    const [x, y] = this.toPicture(px, py);
    const k = Math.min(4, Math.max(this.least || 0.002, this.k * factor));
    this.set(x - px / k, y - py / k, k);
  }

  // The view in which a rectangle is whole, not larger than `most`.
  around([x, y, width, height], margin, most) {
    const k = Math.min(most, (this.width - 2 * margin) / Math.max(width, 1), (this.height - 2 * margin) / Math.max(height, 1));
    const safe = Math.max(k, 0.0005);
    return [x + width / 2 - this.width / 2 / safe, y + height / 2 - this.height / 2 / safe, safe];
  }

  stop() {
    cancelAnimationFrame(this.going);
  }

  go([x, y, k], swift) {
    this.stop();
    if (swift || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.set(x, y, k);
      return;
    }
    const from = { cx: this.x + this.width / 2 / this.k, cy: this.y + this.height / 2 / this.k, k: this.k };
    const to = { cx: x + this.width / 2 / k, cy: y + this.height / 2 / k };
    const start = performance.now();
    const step = (now) => {
      const part = Math.min(1, (now - start) / 260);
      const eased = 1 - (1 - part) ** 3;
      const zoom = from.k * (k / from.k) ** eased;
      const [cx, cy] = [from.cx + (to.cx - from.cx) * eased, from.cy + (to.cy - from.cy) * eased];
      this.set(cx - this.width / 2 / zoom, cy - this.height / 2 / zoom, zoom);
      if (part < 1) this.going = requestAnimationFrame(step);
    };
    this.going = requestAnimationFrame(step);
  }
}
