// Puts the pieces together: one selection, shown by picture, panel, outline and address.

class Page {
  constructor(model) {
    this.model = model;
    this.selected = -1;
    const select = (n, options) => this.select(n, options);
    this.picture = new Picture(model, (box, options) => this.choose(box, options), () => this.note());
    this.panel = new Panel(model, this.picture, select);
    this.outline = new Outline(model, select);
    this.search = new Search(model, this.picture, this.outline, select);
    this.legend();
    this.buttons();
    this.theme();
    this.printing();
    this.note();
    addEventListener("popstate", () => this.returned());
    addEventListener("keydown", (event) => this.key(event));
    if (!this.follow()) this.panel.overview();
  }

  choose(box, options = {}) {
    if (box >= 0 && this.picture.scene.isGroup(box)) {
      this.picture.select(box);
      this.panel.group(box);
    } else this.select(box, { ...options, move: Boolean(options.move) });
  }

  // Each selection is a step of the browser's history, so that "back" goes to the instance before.
  select(n, { move = true, history: kept = true } = {}) {
    this.selected = n;
    this.picture.select(n, { move });
    this.outline.reveal(n);
    const hash = n < 0 ? "" : `#${encodeURIComponent(this.model.id(n))}`;
    if (kept && location.hash !== hash) history.pushState(null, "", hash || location.pathname + location.search);
    return n < 0 ? this.panel.overview() : this.panel.instance(n);
  }

  // The instance that the address names.
  follow() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // a stray % in an address typed by hand: take it as it is
    }
    const n = id ? this.model.numbers.get(id) : undefined;
    if (n === undefined) return false;
    if (n !== this.selected) this.select(n, { history: false });
    return true;
  }

  // "Back" and "forward", or an address that was changed by hand.
  returned() {
    if (!this.follow() && this.selected >= 0) this.select(-1, { move: false, history: false });
  }

  legend() {
    const { model, picture } = this;
    const counts = new Array(model.languages.length).fill(0);
    for (const language of model.index.language) counts[language] += 1;
    byId("legend").append(...model.languages.map((language, at) => {
      const button = make("button", { type: "button", "aria-pressed": "true", title: `Hide or show ${language.name}`, onclick: () => {
        const { hidden } = picture.state;
        if (hidden.has(at)) hidden.delete(at);
        else hidden.add(at);
        button.setAttribute("aria-pressed", String(!hidden.has(at)));
        picture.redraw();
      } }, swatch(language), language.name, make("span", { class: "count" }, counts[at].toLocaleString("en")));
      return button;
    }));
  }

  buttons() {
    const { picture } = this;
    byId("zoom-in").addEventListener("click", () => picture.zoom(1.4));
    byId("zoom-out").addEventListener("click", () => picture.zoom(1 / 1.4));
    byId("fit").addEventListener("click", () => picture.fit());
    byId("fold-all").addEventListener("click", () => picture.toggleAll());
    byId("fold-all").hidden = !picture.scene.parts.some((parts) => parts.length);
    byId("flows").addEventListener("click", () => picture.toggleFlows());
    byId("flows").hidden = !picture.scene.flows.length;
    byId("flows").setAttribute("aria-pressed", String(picture.state.flows));
    byId("outline-toggle").addEventListener("click", () => this.showOutline(byId("outline").hidden));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.showOutline(true);
      const first = byId("outline").querySelector("[tabindex='0']");
      if (first) first.focus();
    });
    this.showOutline(innerWidth > 1500);
  }

  showOutline(shown) {
    byId("outline").hidden = !shown;
    byId("outline-toggle").setAttribute("aria-expanded", String(shown));
  }

  theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = (wanted) => {
      document.documentElement.dataset.theme = wanted ? "dark" : "light";
      this.picture.paint(wanted);
    };
    this.applyTheme = apply;
    dark.addEventListener("change", () => apply(dark.matches));
    byId("theme").addEventListener("click", () => apply(document.documentElement.dataset.theme !== "dark"));
    apply(dark.matches);
  }

  // On paper: everything, on white, and the panel below.
  printing() {
    let before = null;
    addEventListener("beforeprint", () => {
      const { x, y, k } = this.picture.camera;
      before = { dark: document.documentElement.dataset.theme === "dark", view: [x, y, k], fitted: this.picture.fitted };
      this.applyTheme(false);
      this.picture.fit(true);
      this.picture.drawNow();
    });
    addEventListener("afterprint", () => {
      if (!before) return;
      this.applyTheme(before.dark);
      if (!before.fitted) {
        this.picture.fitted = false;
        this.picture.camera.go(before.view, true);
      }
      before = null;
    });
  }

  note() {
    const { seen, instances } = this.picture.scene;
    const notes = [];
    if (seen.length < instances) notes.push(`${plural(seen.length, "box").replace("boxs", "boxes")} of ${plural(instances, "instance")}; press a stack to open it`);
    if (this.model.picture.linksLeftOut) notes.push(`${this.model.picture.linksLeftOut.toLocaleString("en")} links are not drawn`);
    if (!this.model.count) notes.push("The graph is empty");
    byId("note").textContent = notes.join("; ");
    byId("note").hidden = !notes.length;
  }

  key(event) {
    const typing = event.target instanceof HTMLInputElement;
    if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
    if (event.key === "/") {
      byId("query").focus();
      byId("query").select();
    } else if (event.key === "v") this.picture.toggleFlows();
    else if (event.key === "o") this.showOutline(byId("outline").hidden);
    else if (event.key === "n" || event.key === "p") this.search.step(event.key === "n" ? 1 : -1);
    else if (event.key === "Escape") this.select(-1, { move: false });
    else return;
    event.preventDefault();
  }
}

function failed(error) {
  byId("panel").replaceChildren(make("h2", null, "The page could not be shown"), make("p", null, String(error)),
    make("p", null, "A browser of 2023 or newer is needed."));
  throw error;
}

// What scripts and tests may ask: where an instance stands on the screen, and how one looks at the picture.
const ready = Model.read().then((model) => {
  const page = new Page(model);
  const { picture } = page;
  return Object.freeze({
    select: (id) => page.select(model.numbers.get(id) ?? -1),
    where: (id) => {
      const box = picture.scene.front[model.numbers.get(id)];
      const [x, y] = picture.camera.toScreen(picture.scene.X[box], picture.scene.Y[box]);
      const { left, top } = picture.canvas.getBoundingClientRect();
      return { x: x + left, y: y + top, width: picture.scene.W[box] * picture.camera.k, height: picture.scene.H[box] * picture.camera.k, drawn: picture.painter.drawn.includes(model.numbers.get(id)) };
    },
    toggle: (id) => picture.toggle(model.numbers.get(id)),
    view: () => ({ x: picture.camera.x, y: picture.camera.y, zoom: picture.camera.k, boxes: picture.painter.drawn.length }),
  });
});
ready.catch(failed);
Object.defineProperty(window, "sabir", { value: ready });
