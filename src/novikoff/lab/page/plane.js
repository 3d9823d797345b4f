// The plane: points, the line of the weights at a step and its normal, the line of the widest
// margin with its band, or the conflict with its hulls. Where lines leave the picture is found
// here, by clipping; which lines, bands and hulls there are says the scene.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const none = { x: [], y: [] };
  const SHORT = 0.13; // of the picture: how long the normal is drawn
  const LETTER = 9.5; // pixels that a letter of a label is wide
  /** Where a label may stand beside its point, the first by choice: how it is set, and how far off. */
  const SPOTS = [
    ["left", 16, -16], ["right", -16, -16], ["left", 16, 16], ["right", -16, 16],
    ["left", 20, 0], ["right", -20, 0], ["center", 0, -31], ["center", 0, 31],
  ];
  const NUMBERED = 60; // points that have their numbers beside them
  const UNLIKE = 12; // times as long: coordinates of different units
  const state = { figure: null, scene: null, film: null, k: 0, frame: null, box: null, chosen: null };

  const look = (label) => (label > 0 ? ["triangle", "red"] : ["circle", "blue"]);
  const sizeFor = (count) => (count <= 60 ? 13 : count <= 200 ? 10 : 8);

  /** The part of a polygon where a·x + b·y + c >= 0; where its edge is cut goes into cuts. */
  function clipped(corners, [a, b, c], cuts = []) {
    const out = [];
    corners.forEach((to, i) => {
      const from = corners.at(i - 1);
      const [before, after] = [from, to].map(([x, y]) => a * x + b * y + c);
      if (before < 0 !== after < 0) {
        const part = before / (before - after);
        cuts.push([from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]);
        out.push(cuts.at(-1));
      }
      if (after >= 0) out.push(to);
    });
    return out;
  }

  /** A line of length 1: its weights over their length, or null if they are 0. */
  function unit([a, b, c]) {
    const size = Math.hypot(a, b);
    return size > 0 ? [a / size, b / size, c / size] : null;
  }

  const corners = () => {
    const [[x0, x1], [y0, y1]] = state.box;
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
  };
  const columns = (points) => ({ x: points.map((p) => p[0]), y: points.map((p) => p[1]) });

  /** Where a line crosses the picture: two ends, or none. */
  function crossing(line) {
    if (!line) return none;
    const cuts = [];
    clipped(corners(), line, cuts);
    return cuts.length === 2 ? columns(cuts) : none;
  }

  function arrow(line) {
    const empty = { x0: [], y0: [], x1: [], y1: [] };
    if (!line || !crossing(line).x.length) return empty;
    const { x, y } = crossing(line);
    const [[x0, x1], [y0, y1]] = state.box;
    const length = SHORT * Math.min(x1 - x0, y1 - y0);
    const from = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    return {
      x0: [from[0]], y0: [from[1]],
      x1: [from[0] + length * line[0]], y1: [from[1] + length * line[1]],
    };
  }

  const lineOf = (weights) => (weights ? unit([weights[0], weights[1], weights[2] ?? 0]) : null);

  /** What does not change from step to step. */
  function drawTold() {
    const { figure, scene } = state;
    const { verdict } = scene;
    drawKey();
    drawPoints();
    const playing = Boolean(document.documentElement.dataset.challenge);
    const { line, reach } = playing ? {} : ofBand(verdict);
    const best = line ? lineOf(line) : null;
    figure.put("best", crossing(best));
    let band = [];
    if (best && reach) {
      const [a, b, c] = best;
      band = clipped(clipped(corners(), [a, b, c + reach]), [-a, -b, reach - c]);
    }
    figure.put("band", columns(band));
    const colours = verdict.mirrored ? ["purple"] : ["blue", "red"];
    const hulls = (playing ? [] : verdict.hulls ?? []).map((hull, i) => [hull, lab.colour(colours[i])]);
    const many = hulls.filter(([hull]) => hull.length > 1);
    figure.put("hulls", {
      xs: many.map(([hull]) => hull.map((p) => p[0])),
      ys: many.map(([hull]) => hull.map((p) => p[1])),
      colour: many.map(([, colour]) => colour),
    });
    const meet = verdict.meet && !playing ? [verdict.meet] : [];
    figure.put("meet", columns(meet));
    drawConflict(playing ? [] : verdict.conflict);
    drawNumbers(playing && scene.points.length <= NUMBERED);
    lab.find("best-name").textContent = bandName(verdict);
    lab.find("band").hidden = !verdict.unlifted;
    lab.find("band").setAttribute("aria-pressed", String(ofBand(verdict) === verdict.unlifted));
    lab.find("meet-name").textContent = verdict.mirrored
      ? "the origin, within the hull of the signed points" : "where the hulls meet";
  }

  /** The line and the band that are drawn: the verdict's, or the widest of the plane itself. */
  const ofBand = (verdict) => (document.documentElement.dataset.band && verdict.unlifted) || verdict;

  /** What the band is a margin of, with its numbers: γ and what is drawn differ where rows are lifted. */
  function bandName(verdict) {
    if (verdict.gamma === null || verdict.gamma === undefined) return "line of the verdict";
    if (ofBand(verdict) !== verdict) return `widest margin in the plane: ${verdict.unlifted.text} to either side`;
    if (!verdict.reach) return `largest margin of the rows at length 1: γ = ${verdict.gamma}`;
    if (!verdict.lifted) return `largest margin: γ = ${verdict.gamma}`;
    return `γ = ${verdict.gamma}, the largest margin of the lifted rows (x, 1): here ${lab.number(verdict.reach)} to either side`;
  }

  lab.find("band").addEventListener("click", () => {
    const root = document.documentElement;
    if (root.dataset.band) delete root.dataset.band;
    else root.dataset.band = "plane";
    drawTold();
    drawStep();
    lab.onband?.();
  });

  function drawPoints() {
    const { figure, scene } = state;
    const size = sizeFor(scene.points.length) * (document.documentElement.dataset.view ? 1.5 : 1);
    figure.put("points", {
      ...columns(scene.points),
      marker: scene.points.map((p) => look(p[2])[0]),
      colour: scene.points.map((p) => lab.colour(look(p[2])[1])),
      size: scene.points.map((p) => (p[2] > 0 ? 1.2 : 1) * size),
    });
  }

  /** The numbers of all rows, for who is asked which of them is next. */
  function drawNumbers(on) {
    const points = on ? state.scene.points : [];
    const texts = points.map((_, row) => String(row));
    state.figure.put("numbers", { ...columns(points), text: texts, ...placed(texts, points) });
  }

  function drawRows(name, rows, more = {}) {
    const points = rows.map((row) => state.scene.points[row]).filter(Boolean);
    state.figure.put(name, { ...columns(points), ...more });
  }

  /** The rows of a conflict with their multipliers, each where it is least in the way. */
  function drawConflict(conflict) {
    const texts = conflict.map(({ multiplier, short }) => short ?? multiplier);
    drawRows("conflict", conflict.map(({ row }) => row), {
      text: texts,
      ...placed(texts, conflict.map(({ row }) => state.scene.points[row])),
    });
  }

  /** For each text a place beside its point: within the picture, off points and other texts. */
  function placed(texts, points) {
    const scale = document.documentElement.dataset.view ? 1.5 : 1;
    const [across, up] = [state.figure.plot.inner_width, state.figure.plot.inner_height];
    const pixel = ([x, y]) => [[x, across, 0], [y, up, 1]].map(([at, size, axis]) => {
      const [low, high] = state.box[axis];
      const part = (at - low) / (high - low);
      return size * (axis ? 1 - part : part);
    });
    const taken = state.scene.points.map(pixel).map(([x, y]) => around(x, y, 9 * scale, 9 * scale));
    if (state.scene.verdict.meet) taken.push(around(...pixel(state.scene.verdict.meet), 12 * scale, 12 * scale));
    const out = { shift: [], rise: [], align: [] };
    texts.forEach((text, i) => {
      const [x, y] = pixel(points[i]);
      const [wide, high] = [LETTER * text.length * scale / 2, 10 * scale];
      const costs = SPOTS.map(([align, shift, rise]) => {
        const side = { left: 1, right: -1, center: 0 }[align];
        const room = around(x + scale * shift + side * wide, y + scale * rise, wide, high);
        const beyond = Math.max(0, -room[0]) + Math.max(0, room[1] - across)
          + Math.max(0, -room[2]) + Math.max(0, room[3] - up);
        return { room, cost: 100 * beyond * high + taken.reduce((sum, other) => sum + shared(room, other), 0) };
      });
      const best = costs.reduce((least, each, j) => (each.cost < costs[least].cost ? j : least), 0);
      taken.push(costs[best].room);
      const [align, shift, rise] = SPOTS[best];
      out.align.push(align);
      out.shift.push(scale * shift);
      out.rise.push(scale * rise);
    });
    return out;
  }

  const around = (x, y, wide, high) => [x - wide, x + wide, y - high, y + high];
  const shared = (a, b) => Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0]))
    * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[2], b[2]));

  /** What changes from step to step. */
  function drawStep() {
    const { figure, film, k } = state;
    const now = film ? lineOf(film.weights[k]) : null;
    const before = film && k > 0 ? lineOf(film.weights[k - 1]) : null;
    figure.put("line", crossing(now));
    figure.put("before", crossing(before));
    figure.put("mean", crossing(film?.averages ? lineOf(film.averages[k]) : null));
    figure.put("normal", arrow(now));
    figure.put("side", columns(now ? clipped(corners(), now) : []));
    const wrong = film && !document.documentElement.dataset.challenge ? film.wrongAt(k) : [];
    drawRows("wrong", wrong);
    drawRows("looked", film && k > 0 ? [film.columns.row[k - 1]] : []);
    drawRows("chosen", state.chosen === null ? [] : [state.chosen]);
    describe(now, wrong);
  }

  /** The key has what the film can show at any step: it must not jump from one to the next. */
  function drawKey() {
    const { figure, film, scene } = state;
    const { verdict, names = {} } = scene;
    for (const [axis, name] of [["below", names.x], ["left", names.y]]) figure.plot[axis][0].axis_label = name || null;
    lab.find("minus-name").textContent = names.minus ? `${names.minus} (−1)` : "class −1";
    lab.find("plus-name").textContent = names.plus ? `${names.plus} (+1)` : "class +1";
    const shown = {
      line: film, before: film, looked: film, wrong: film, mean: film?.averages,
      best: verdict.line, conflict: verdict.conflict.length, meet: verdict.meet,
    };
    if (document.documentElement.dataset.challenge) Object.assign(shown, { best: 0, conflict: 0, meet: 0, wrong: 0 });
    for (const item of lab.find("plane-key").children) {
      if (item.dataset.if) item.hidden = !shown[item.dataset.if];
    }
  }

  function describe(now, wrong) {
    const { film, scene, k } = state;
    const note = lab.find("stage-note");
    note.textContent = film ? noteOn(film.weights[k], now) : "";
    note.hidden = !note.textContent;
    const count = (label) => scene.points.filter((p) => p[2] === label).length;
    lab.find("plane").setAttribute("aria-label",
      `The plane: ${count(-1)} points of class −1, ${count(1)} of class +1. `
      + (film ? `At update ${k}, ${wrong.length} would be mistakes.` : ""));
  }

  function noteOn(weights, line) {
    if (weights.every((w) => w === 0)) return "w = 0: there is no line, every score is 0";
    if (!line) return "w₁ = w₂ = 0: no line, one score for all points";
    return crossing(line).x.length ? "" : "the line of w is out of this picture";
  }

  /** Ranges around the frame such that one unit is as long on both axes, if they are alike. */
  function fit() {
    const { figure, frame } = state;
    const { inner_width: wide, inner_height: high } = figure.plot;
    if (!frame || !(wide > 0 && high > 0)) return;
    const spans = frame.map(([low, top]) => top - low);
    const alike = Math.max(...spans) < UNLIKE * Math.min(...spans);
    const longest = Math.max(spans[0] / wide, spans[1] / high);
    state.box = frame.map(([low, top], i) => {
      const middle = (low + top) / 2;
      const half = (alike ? longest * [wide, high][i] : spans[i]) / 2;
      return [middle - half, middle + half];
    });
    ["across", "upwards"].forEach((name, i) => {
      figure.model(name).setv({ start: state.box[i][0], end: state.box[i][1] });
    });
    if (state.scene) {
      drawTold();
      drawStep();
    }
  }

  async function embed() {
    state.figure?.remove();
    state.figure = await lab.embed(lab.data("plane-figure"), lab.find("plane"));
    const { plot } = state.figure;
    const again = lab.framed(fit);
    plot.connect(plot.properties.inner_width.change, again);
    plot.connect(plot.properties.inner_height.change, again);
    fit();
  }

  lab.plane = {
    embed,
    /** Show a scene; frame: what to show of the plane. */
    async show(scene, film, k, frame) {
      Object.assign(state, { scene, film, k, frame });
      if (state.figure) fit();
      else await embed();
    },
    step(k) {
      state.k = k;
      if (state.figure && state.box) drawStep();
    },
    /** Points that are being moved, ahead of the scene. */
    move(points) {
      state.scene = { ...state.scene, points };
      drawTold();
      drawStep();
    },
    /** Draw all anew, where what is shown of it is another. */
    again() {
      if (!state.figure || !state.box || !state.scene) return;
      drawTold();
      drawStep();
    },
    choose(row) {
      state.chosen = row;
      if (state.figure && state.box) drawRows("chosen", row === null ? [] : [row]);
    },
    frame: () => state.frame,
    box: () => state.box,
    zoom(frame) {
      state.frame = frame;
      fit();
    },
    /** From the screen to the plane and back; null outside of it. */
    at(clientX, clientY) {
      const { frame, el } = state.figure.view;
      const room = el.getBoundingClientRect();
      const [sx, sy] = [clientX - room.x, clientY - room.y];
      if (!frame.bbox.contains(sx, sy)) return null;
      return [frame.x_scale.invert(sx), frame.y_scale.invert(sy)];
    },
    onScreen([x, y]) {
      const { frame, el } = state.figure.view;
      const room = el.getBoundingClientRect();
      return [room.x + frame.x_scale.compute(x), room.y + frame.y_scale.compute(y)];
    },
  };
})();
