// The list of points, in which they can be chosen, moved, added and deleted without a mouse, and
// what all editing has in common: the points that are wanted, their changes, and how to undo them.
// Points are wanted, and drawn, from the moment they change; the scene with them follows.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find, made, number } = lab;
  const UNDONE = 100; // changes that can be undone
  // undo: the rows before each change; sure: the same, as it was when the server last answered
  const state = { chosen: null, moving: false, held: false, wanted: null, undo: [], sure: [] };
  const list = find("points");

  const shown = () => lab.now?.scene.tab === "plane";
  /** What is wanted, which is what the scene has unless an answer is awaited: points, and the preset. */
  const rows = () => state.wanted ?? { preset: lab.now.scene.state.preset, points: lab.now.scene.points };
  const points = () => rows().points;
  const label = (sign) => (sign > 0 ? "+1" : "−1");
  const width = () => {
    const [[left, right]] = lab.plane.box();
    return right - left;
  };
  /** Points are placed on a grid of powers of 2, with few digits and short fractions in the verdict. */
  const grid = (parts) => 2 ** Math.floor(Math.log2(width() / parts));
  const onGrid = (x, step) => Math.round(x / step) * step;
  /** Quarters, or what a picture far from that size has in their place; freely, much finer. */
  const coarse = () => (width() >= 4 && width() <= 64 ? 0.25 : grid(48));
  const fine = (x, freely = false) => onGrid(x, freely ? grid(200) : coarse());

  /** These rows can be had back; once, however often a drag that began with them asks. */
  function remember(before = rows()) {
    if (state.undo.at(-1)?.points === before.points) return;
    state.undo.push({ preset: before.preset, points: before.points });
    state.undo.splice(0, Math.max(0, state.undo.length - UNDONE));
  }

  /** Points are wanted from now on, and drawn. from: the row each of them has been, if any. */
  function want(next, { preset = "", from = next.map((_, i) => i) } = {}) {
    const everyone = lab.now.scene.points.map((_, i) => i);
    const places = state.wanted?.places ?? everyone;
    state.wanted = { preset, points: next, places: from.map((row) => places[row] ?? null) };
    draw();
  }

  /** Draw what is wanted among those of the scene: rows keep their numbers, a deleted one is nowhere. */
  function draw() {
    const { points: next, places } = state.wanted;
    const drawn = lab.now.scene.points.map(([, , sign]) => [NaN, NaN, sign]);
    const at = next.map((point, i) => {
      const place = places[i] ?? drawn.length;
      for (let k = drawn.length; k < place; k += 1) drawn.push([NaN, NaN, point[2]]);
      drawn[place] = point;
      return place;
    });
    lab.plane.move(drawn);
    lab.plane.choose(at[state.chosen] ?? null);
  }

  /** Ask about other points; those before can be had back. */
  function change(next, { chosen = state.chosen, charts = true, before = rows(), from, preset } = {}) {
    if (before) remember(before);
    state.chosen = chosen !== null && chosen < next.length ? chosen : null;
    want(next, { from, preset });
    lab.controls.settle(); // a preset that is not there yet gives way
    if (charts) fill();
    ask({ charts });
  }

  const ask = (options) => lab.go(lab.controls.withRows(lab.controls.settings()), options);

  /** The points before the last change, with the settings as they are. */
  function undo() {
    const last = state.undo.pop();
    if (last) change(last.points, { before: null, from: last.points.map(() => null), preset: last.preset });
    mark();
  }

  /** The last question is answered, or it was in vain: then it left nothing to undo. */
  function settle(answered) {
    state.wanted = null;
    if (answered) state.sure = [...state.undo];
    else state.undo = [...state.sure];
  }

  function add(x, y, sign) {
    const { points: most } = lab.data("choices").limits;
    if (points().length >= most) return lab.problem(`There can be ${number(most)} points at most.`);
    change([...points(), [fine(x), fine(y), sign]], { chosen: points().length });
  }

  function remove(row) {
    const from = points().map((_, i) => i).filter((i) => i !== row);
    const left = from.map((i) => points()[i]);
    change(left, { from, chosen: left.length ? Math.min(row, left.length - 1) : null });
  }

  function flip(row) {
    const [x, y, sign] = points()[row];
    change(points().with(row, [x, y, -sign]));
  }

  function choose(row) {
    state.chosen = row;
    if (row === null) state.moving = false;
    if (state.wanted) draw();
    else lab.plane.choose(row);
    mark();
  }

  function mark() {
    const { chosen, moving } = state;
    const on = chosen !== null;
    for (const [i, each] of [...list.children].entries()) {
      each.setAttribute("aria-selected", String(i === chosen));
      each.classList.toggle("moving", moving && i === chosen);
    }
    if (on && list.children[chosen]) {
      list.setAttribute("aria-activedescendant", list.children[chosen].id);
      list.children[chosen].scrollIntoView({ block: "nearest" });
    } else list.removeAttribute("aria-activedescendant");
    for (const id of ["flip", "delete"]) find(id).disabled = !on;
    find("undo").disabled = !state.undo.length;
  }

  /** The list of the points that are wanted. */
  function fill() {
    list.replaceChildren(...points().map(([x, y, sign], i) => made("div", {
      role: "option", id: `point-${i}`, "aria-selected": "false", "data-sign": sign,
    }, `${i}: class ${label(sign)} at (${number(x, 6)}, ${number(y, 6)})`)));
    if (state.chosen !== null && state.chosen >= points().length) state.chosen = null;
    if (state.wanted) draw();
    else lab.plane.choose(state.chosen);
    mark();
  }

  const middle = () => lab.plane.box().map(([low, high]) => fine((low + high) / 2));
  const arrows = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

  /** Move the chosen point; while the key is held, its charts wait and it is one change. */
  function nudge([across, up], held) {
    const row = state.chosen;
    const step = Math.max(grid(20), coarse());
    const [x, y, sign] = points()[row];
    const next = points().with(row, [fine(x + across * step), fine(y + up * step), sign]);
    change(next, { charts: !held, ...(held ? { before: null } : {}) });
    state.held = held;
    if (held) fill();
  }

  function release() {
    if (state.held) ask();
    state.held = false;
  }

  /** What a key does in the list; true if it did something. */
  function onKey(key, held) {
    if (!shown() || !lab.plane.box()) return false;
    const { chosen, moving } = state;
    const count = points().length;
    if ((key === "n" || key === "p") && !lab.challenge.on()) {
      add(...middle(), key === "p" ? 1 : -1);
      state.moving = true;
    } else if (moving && key in arrows) nudge(arrows[key], held);
    else if (key === "ArrowDown") choose(chosen === null ? 0 : Math.min(chosen + 1, count - 1));
    else if (key === "ArrowUp") choose(chosen === null ? count - 1 : Math.max(chosen - 1, 0));
    else if (key === "Home" || key === "End") choose(key === "Home" ? 0 : count - 1);
    else if (chosen === null) return false;
    else if (lab.challenge.on()) {
      if (key === "Enter" || key === " ") lab.challenge.answer(chosen);
      return true;
    } else if (key === "Enter" || key === " ") state.moving = !moving;
    else if (key === "Escape") state.moving = false;
    else if (key === "Delete" || key === "Backspace") remove(chosen);
    else if (key === "c") flip(chosen);
    else return false;
    mark();
    lab.say(moving !== state.moving ? (state.moving ? "Arrows move the point." : "Arrows choose a point.")
      : place());
    return true;
  }

  list.addEventListener("keydown", (event) => {
    if (lab.modified(event)) return;
    if (onKey(event.key, event.repeat)) event.preventDefault();
  });
  list.addEventListener("keyup", release);
  list.addEventListener("click", ({ target }) => {
    const row = [...list.children].indexOf(target.closest("[role=option]"));
    if (row >= 0) choose(row);
  });
  list.addEventListener("blur", () => {
    release();
    state.moving = false;
    mark();
  });
  find("flip").addEventListener("click", () => flip(state.chosen));
  find("delete").addEventListener("click", () => remove(state.chosen));
  find("undo").addEventListener("click", undo);
  find("clear").addEventListener("click", () => { if (shown()) change([], { chosen: null, from: [] }); });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), textarea, select, dialog");
    const pressed = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!pressed || event.key !== "z" || typing || !shown()) return;
    event.preventDefault();
    undo();
  });

  /** Where the chosen point is, for those who are in the list; "" for others. */
  const place = () => (document.activeElement === list && list.children[state.chosen]?.textContent) || "";

  lab.points = { fill, choose, change, want, add, remove, remember, settle, fine, rows, place, all: points };
})();
