// Weights as bars: Winnow's on a scale of powers, where doubling and halving are steps of one
// height; those of other runs from 0.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const NAMED = 24; // weights that are read out
  const LETTER = 7; // pixels of a name's letter
  const LINE = 15; // and of its height, which it takes where it stands upright
  const LONG = 18; // letters of a name beneath a bar
  const AXIS = 48; // pixels beside the bars
  const RIM = 2.5; // pixels around a bar of the row looked at
  const SUMS = 5.5; // bars: of so many, each of the two sums has the room of one
  const state = { figure: null, kind: null, scene: null, film: null, k: 0 };

  const powers = () => state.film.kind === "winnow";

  /** Where the two sums stand, beyond the bars: wide enough for their numbers however many bars there are. */
  function sumPlaces() {
    const count = state.film.names.length;
    const wide = Math.max(1, count / SUMS);
    const start = count + 1 + 0.2 * wide;
    return { wide, start, end: start + 2.5 * wide, middles: [start + 0.65 * wide, start + 1.85 * wide] };
  }

  /** From the least to the greatest weight of the whole film, so that bars do not jump. */
  function heights() {
    const { film, scene } = state;
    const all = [powers() ? (scene.threshold ?? 1) : 0, ...(film.columns.row_sum ?? []), ...(film.columns.row_sum_after ?? [])];
    for (const weights of film.weights) all.push(Math.min(...weights), Math.max(...weights));
    const [low, high] = all.reduce(([a, b], w) => [Math.min(a, w), Math.max(b, w)], [1, powers() ? 1 : 0]);
    if (powers()) return [Math.min(low, 0.5) / 1.6, Math.max(high, 2) * 1.6];
    const [least, room] = [Math.min(low, 0), 0.06 * (high - Math.min(low, 0) || 1)];
    return [least - (least < 0 ? room : 0), high + room];
  }

  function drawTold() {
    const { figure, film, scene } = state;
    const count = film.names.length;
    figure.model("across").setv({ start: 0.3, end: powers() ? sumPlaces().end : count + 0.7 });
    const [start, end] = heights();
    figure.model("upwards").setv({ start, end });
    name([...film.names, ...Array(powers() ? Math.ceil(sumPlaces().end - count) : 0).fill("")]);
    const threshold = powers() ? (scene.threshold ?? null) : null;
    if (powers()) {
      figure.put("threshold", threshold === null ? { x0: [], x1: [], y0: [], y1: [] }
        : { x0: [sumPlaces().start], x1: [sumPlaces().end], y0: [threshold], y1: [threshold] });
    }
    const shown = { relevant: scene.relevant, looked: scene.rows, threshold, sum: powers() };
    for (const item of lab.find("bars-key").children) item.hidden = !shown[item.dataset.if];
    lab.find("threshold-name").textContent = threshold === null ? ""
      : `threshold θ = ${lab.number(threshold)}, for that sum`;
  }

  /** Names beneath the bars: upright where they are too long to lie, and only some where bars are too many. */
  function name(names) {
    const axis = state.figure.plot.below[0];
    const short = names.map((each) => (each.length > LONG ? `${each.slice(0, LONG - 1)}…` : each));
    const wide = LETTER * Math.max(...short.map((each) => each.length));
    const room = lab.find("bars").clientWidth - AXIS;
    const upright = wide > 5 * LETTER && wide * names.length > room;
    const most = Math.floor(room / (upright ? LINE : wide));
    axis.major_label_orientation = upright ? "vertical" : "horizontal";
    axis.ticker.desired_num_ticks = most >= names.length ? names.length : Math.max(2, Math.floor(most / 2));
    axis.major_label_overrides = new Map(short.map((each, i) => [i + 1, each]));
  }

  function drawStep() {
    const { figure, film, scene, k } = state;
    const weights = film.weights[k];
    const row = k > 0 ? scene.rows?.[film.columns.row[k - 1]] : null;
    const relevant = new Set(scene.relevant ?? []);
    const plain = scene.relevant ? "grey" : "blue";
    const base = powers() ? figure.model("upwards").start : 0;
    figure.put("bars", {
      x: weights.map((_, i) => i + 1),
      top: weights.map((w) => Math.max(w, base)),
      bottom: weights.map((w) => Math.min(w, base)),
      colour: weights.map((_, i) => lab.colour(relevant.has(i) ? "green" : plain)),
      edge: weights.map((_, i) => lab.colour(row?.[i] ? "amber" : "paper")),
      rim: weights.map((_, i) => (row?.[i] ? RIM : 0)), // of paper it would eat up thin bars
      hatch: weights.map((_, i) => (relevant.has(i) || !scene.relevant ? "blank" : "right_diagonal_line")),
    });
    if (powers()) drawSums(base);
    const listed = film.names.map((name, i) => `${name} ${lab.number(weights[i])}`).slice(0, NAMED);
    lab.find("bars").setAttribute("aria-label", `The weights at update ${k}: ${listed.join(", ")}.`);
    lab.find("stage-note").hidden = true;
  }

  /** The sum of the weights of the row looked at, which the threshold is for, before and after. */
  function drawSums(base) {
    const { figure, film, k } = state;
    const { wide, middles } = sumPlaces();
    const sums = k ? [film.columns.row_sum[k - 1], film.columns.row_sum_after[k - 1]] : [];
    figure.put("sums", {
      x: sums.map((_, i) => middles[i]),
      wide: sums.map(() => 0.8 * wide),
      top: sums,
      bottom: sums.map(() => base),
      colour: sums.map((_, i) => lab.colour(i ? "amber" : "paper")),
      text: sums.map((sum) => `Σ ${lab.number(sum)}`),
    });
  }

  async function embed() {
    state.figure?.remove();
    state.kind = powers() ? "powers" : "weights";
    state.figure = await lab.embed(lab.data(`${state.kind}-figure`), lab.find("bars"));
    drawTold();
    drawStep();
  }

  window.addEventListener("resize", lab.framed(() => state.figure && drawTold())); // other names fit

  lab.bars = {
    embed,
    async show(scene, film, k) {
      Object.assign(state, { scene, film, k });
      if (!state.figure || state.kind !== (powers() ? "powers" : "weights")) await embed();
      else {
        drawTold();
        drawStep();
      }
    },
    step(k) {
      state.k = k;
      if (state.figure) drawStep();
    },
  };
})();
