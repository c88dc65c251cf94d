// The search: names, types, ids and attribute values; Enter goes from match to match.

const WAIT = 90; // milliseconds after the last key

class Search {
  constructor(model, picture, outline, select) {
    Object.assign(this, { model, picture, outline, select, matches: [], at: -1, turn: 0, timer: 0 });
    this.field = byId("query");
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.run(), WAIT);
    });
    byId("search").addEventListener("submit", (event) => event.preventDefault());
    this.field.addEventListener("keydown", async (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        if (this.wanted() !== this.shown) await this.run();
        this.step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        event.stopPropagation();
        this.clear();
      }
    });
    byId("next").addEventListener("click", () => this.step(1));
    byId("previous").addEventListener("click", () => this.step(-1));
  }

  wanted() { return this.field.value.trim().toLowerCase(); }

  clear() {
    this.field.value = "";
    this.run();
    byId("canvas").focus();
  }

  async run() {
    clearTimeout(this.timer);
    const words = this.wanted();
    const turn = (this.turn += 1);
    this.shown = words;
    this.at = -1;
    if (!words) {
      this.matches = [];
      this.picture.mark(null);
      this.outline.tree();
      this.report();
      this.picture.redraw();
      return;
    }
    const found = [];
    for (let number = 0; number < this.model.blockCount(); number += 1) {
      const texts = await this.model.searchWords(number);
      if (turn !== this.turn) return; // another search began meanwhile
      const first = number * this.model.index.block;
      texts.forEach((text, place) => { if (text.includes(words)) found.push(first + place); });
    }
    // Names before values: whoever types a name means the thing.
    const inName = (n) => (this.model.name(n).toLowerCase().includes(words) ? 0 : 1);
    this.matches = found.map((n) => [inName(n), n]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, n]) => n);
    this.picture.mark(this.matches);
    this.outline.list(this.matches);
    this.report();
    this.picture.redraw();
  }

  report() {
    const { matches, at, shown } = this;
    const found = byId("found");
    found.classList.toggle("none", Boolean(shown) && !matches.length);
    if (!shown) found.textContent = "";
    else if (!matches.length) found.textContent = "no match";
    else found.textContent = at < 0 ? `${matches.length.toLocaleString("en")} found` : `${(at + 1).toLocaleString("en")} of ${matches.length.toLocaleString("en")}`;
    for (const id of ["next", "previous"]) byId(id).disabled = !matches.length;
  }

  step(by) {
    if (!this.matches.length) return;
    const count = this.matches.length;
    this.at = this.at < 0 ? (by > 0 ? 0 : count - 1) : (this.at + by + count) % count;
    this.report();
    this.select(this.matches[this.at], { keepFocus: true });
  }
}
