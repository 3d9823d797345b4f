// The proof's picture at a step: the weights along and across w*, the floor, the disc, and what is
// left between them. Where things are, the film says; here arcs and arrows are drawn through it.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find, formula } = lab;
  const PLACES = 48; // of an arc
  const ROOM = 1.14; // of the disc's radius, up to where the axes go at least
  const BACK = 0.03; // and how far they go beyond 0
  const CLOSE = 1.35; // of the longest vector, when these are looked at closely
  const ARC = 0.4; // of the length of w: where its angle is drawn
  const APART = 0.08; // of the axes: how far off others a name must be
  const CLEAR = 14; // pixels from the line of w* to the middle of a name, at least
  const FEW = 400; // steps of the way that are drawn, the last ones
  const none = { x: [], y: [] };
  const state = { figure: null, film: null, k: 0, close: false };

  const drawable = () => Boolean(state.film?.picture && !state.film.picture.problem);
  const at = (name, k) => (k > 0 ? state.film.columns[name][k - 1] : 0);
  const place = (k) => [at("along", k), at("across", k)];

  function arc(radius, from, to) {
    const angles = Array.from({ length: PLACES }, (_, i) => from + ((to - from) * i) / (PLACES - 1));
    return { x: angles.map((a) => radius * Math.cos(a)), y: angles.map((a) => radius * Math.sin(a)) };
  }

  /** The part of the quarter disc at or beyond the floor; a point where it has closed. */
  function beyond(radius, floor) {
    const { x, y } = arc(radius, 0, Math.acos(Math.min(1, floor / radius)));
    return { x: [Math.min(floor, radius), ...x], y: [0, ...y] };
  }

  const arrow = ([x0, y0], [x1, y1]) => (x0 === x1 && y0 === y1
    ? { x0: [], y0: [], x1: [], y1: [] } : { x0: [x0], y0: [y0], x1: [x1], y1: [y1] });

  /** How far the axes go: to the disc, or to the vectors of this step. */
  function extent() {
    const k = Math.max(1, state.k);
    const longest = Math.max(at("reach", state.k), at("reach", state.k - 1), at("along_floor", k));
    return state.close && longest > 0 ? CLOSE * longest : ROOM * at("disc", k);
  }

  /** Ranges in which one unit is as long on both axes. */
  function fit() {
    const { plot } = state.figure;
    const [wide, high] = [plot.inner_width, plot.inner_height];
    if (!(wide > 0 && high > 0)) return;
    const unit = (extent() * (1 + BACK)) / Math.min(wide, high);
    [["across", wide], ["upwards", high]].forEach(([name, size]) => {
      const range = state.figure.model(name);
      const start = -BACK * extent();
      range.setv({ start, end: start + unit * size });
    });
  }

  function drawStep() {
    const { figure, k } = state;
    const now = Math.max(1, k); // at the start, where the first update can lead
    const [radius, floor] = [at("disc", now), at("along_floor", now)];
    fit();
    figure.put("disc", beyond(radius, 0));
    figure.put("allowed", beyond(radius, floor));
    figure.put("floor", { x: [floor, floor], y: [figure.model("upwards").start, figure.model("upwards").end] });
    const first = Math.max(0, k - FEW);
    const way = Array.from({ length: k - first + 1 }, (_, i) => place(first + i));
    figure.put("way", { x: way.map((p) => p[0]), y: way.map((p) => p[1]) });
    figure.put("target", arrow([0, 0], [0.97 * extent(), 0]));
    figure.put("before", k > 1 ? arrow([0, 0], place(k - 1)) : arrow([0, 0], [0, 0]));
    figure.put("step", k ? arrow(place(k - 1), place(k)) : arrow([0, 0], [0, 0]));
    figure.put("after", arrow([0, 0], place(k)));
    const [x, y] = place(k);
    figure.put("angle", k ? arc(ARC * Math.hypot(x, y), 0, Math.atan2(y, x)) : none);
    drawNames();
  }

  const LOW = "₀₁₂₃₄₅₆₇₈₉";
  const low = (k) => String(k).replace(/\d/g, (digit) => LOW[digit]);
  const short = (template, k) => template.replace("_{k-1}", low(k - 1)).replace("_{k}", low(k)).replace("_0", "₀");

  function drawNames() {
    const { figure, film, k } = state;
    const { names } = film.picture;
    const [[x, y], [px, py]] = [place(k), place(k - 1)];
    const higher = py > y;
    const tip = 0.97 * extent();
    const pixels = figure.plot.inner_height / (figure.model("upwards").end - figure.model("upwards").start);
    const above = (height, rise) => Math.min(rise, height * pixels - CLEAR);
    const crowded = k && (tip - x) * pixels < 5 * CLEAR && y * pixels < 2 * CLEAR;
    const shown = [[tip, 0, "w*", -4, crowded ? -2.4 * CLEAR : -CLEAR - 2, "right"]];
    if (k) shown.push([x, y, short(names.after, k), 10, above(y, higher ? 12 : -12), "left"]);
    const apart = Math.hypot(x - px, y - py) > APART * extent() && py > APART * extent();
    if (k > 1 && apart) shown.push([px, py, short(names.before, k), -6, above(py, higher ? -14 : 16), "right"]);
    figure.put("names", Object.fromEntries(["x", "y", "text", "shift", "rise", "align"]
      .map((name, i) => [name, shown.map((each) => each[i])])));
  }

  /** The key says what is drawn, with its numbers. */
  function tell() {
    const { film, k } = state;
    const { key, bound, problem, caption } = film.picture;
    for (const item of find("picture-key").children) {
      item.hidden = Boolean(problem) || !k || (item.dataset.part === "before" && k < 2);
      if (!item.hidden) item.lastElementChild.replaceChildren(formula(lab.filled(key[item.dataset.part], film, k)));
    }
    find("picture-note").textContent = problem ?? (k ? "" : "The start: the first update leads into the green part.");
    find("picture-bound").replaceChildren(problem ? "" : formula(bound));
    find("picture-caption").textContent = caption ?? "";
    find("proof-plot").setAttribute("aria-label", problem
      ?? `The proof at update ${k}: ${[...find("picture-key").children].filter((each) => !each.hidden).map((each) => each.textContent.trim()).join("; ")}.`);
  }

  async function embed() {
    state.figure?.remove();
    state.figure = null;
    if (!drawable()) return;
    state.figure = await lab.embed(lab.data("proof-figure"), find("proof-plot"));
    const { plot } = state.figure;
    const again = lab.framed(() => { if (state.figure && drawable()) drawStep(); });
    plot.connect(plot.properties.inner_width.change, again);
    plot.connect(plot.properties.inner_height.change, again);
    drawStep();
  }

  find("closer").addEventListener("click", () => {
    state.close = !state.close;
    find("closer").setAttribute("aria-pressed", String(state.close));
    if (state.figure) drawStep();
  });

  lab.proof = {
    embed,
    async show(film, k) {
      Object.assign(state, { film, k });
      find("picture").hidden = !film?.picture;
      if (!film?.picture) return;
      find("proof-plot").hidden = find("closer").hidden = !drawable();
      tell();
      if (drawable() && state.figure) drawStep();
      else await embed();
    },
    step(k) {
      state.k = k;
      if (!state.film?.picture) return;
      tell();
      if (state.figure) drawStep();
    },
  };
})();
