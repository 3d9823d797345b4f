// The list of points, in which they can be chosen, moved, added and deleted without a mouse, and
// what all editing has in common: the points now, their changes, and how to undo them.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find, made, number } = lab;
  const UNDONE = 100; // changes that can be undone
  const state = { chosen: null, moving: false, undo: [] };
  const list = find("points");

  const points = () => lab.now.told.points;
  const label = (sign) => (sign > 0 ? "+1" : "−1");
  const width = () => {
    const [[left, right]] = lab.plane.box();
    return right - left;
  };
  /** Points are placed on a grid of powers of 2: few digits, and short fractions in the verdict. */
  const grid = (parts) => 2 ** Math.floor(Math.log2(width() / parts));
  const onGrid = (x, step) => Math.round(x / step) * step;
  const fine = (x) => onGrid(x, grid(200));

  /** Ask about other points; earlier ones can be had back. */
  function change(next, { chosen = state.chosen, charts = true, remember = true } = {}) {
    if (remember) {
      state.undo.push(lab.controls.withRows(lab.controls.settings()));
      state.undo.splice(0, state.undo.length - UNDONE);
    }
    state.chosen = chosen !== null && chosen < next.length ? chosen : null;
    lab.go({ points: lab.pointsText(next), ...lab.controls.settings() }, { charts });
  }

  function undo() {
    const before = state.undo.pop();
    if (before) lab.go(before);
    find("undo").disabled = !state.undo.length;
  }

  function add(x, y, sign) {
    const { points: most } = lab.data("choices").limits;
    if (points().length >= most) return lab.problem(`There can be ${number(most)} points at most.`);
    change([...points(), [fine(x), fine(y), sign]], { chosen: points().length });
  }

  function remove(row) {
    const left = points().filter((_, i) => i !== row);
    change(left, { chosen: left.length ? Math.min(row, left.length - 1) : null });
  }

  function flip(row) {
    const [x, y, sign] = points()[row];
    change(points().with(row, [x, y, -sign]));
  }

  function choose(row) {
    state.chosen = row;
    if (row === null) state.moving = false;
    lab.plane.choose(row);
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

  /** The list, from what is told. */
  function fill() {
    list.replaceChildren(...points().map(([x, y, sign], i) => made("div", {
      role: "option", id: `point-${i}`, "aria-selected": "false", "data-sign": sign,
    }, `${i}: class ${label(sign)} at (${number(x, 6)}, ${number(y, 6)})`)));
    if (state.chosen !== null && state.chosen >= points().length) state.chosen = null;
    lab.plane.choose(state.chosen);
    mark();
  }

  const middle = () => lab.plane.box().map(([low, high]) => fine((low + high) / 2));
  const arrows = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

  function nudge([across, up]) {
    const row = state.chosen;
    const step = grid(20);
    const [x, y, sign] = points()[row];
    change(points().with(row, [fine(x + across * step), fine(y + up * step), sign]));
  }

  /** What a key does in the list; true if it did something. */
  function onKey(key) {
    const { chosen, moving } = state;
    const count = points().length;
    if (key === "n" || key === "p") {
      add(...middle(), key === "p" ? 1 : -1);
      state.moving = true;
    } else if (moving && key in arrows) nudge(arrows[key]);
    else if (key === "ArrowDown") choose(chosen === null ? 0 : Math.min(chosen + 1, count - 1));
    else if (key === "ArrowUp") choose(chosen === null ? count - 1 : Math.max(chosen - 1, 0));
    else if (key === "Home" || key === "End") choose(key === "Home" ? 0 : count - 1);
    else if (chosen === null) return false;
    else if (key === "Enter" || key === " ") state.moving = !moving;
    else if (key === "Escape") state.moving = false;
    else if (key === "Delete" || key === "Backspace") remove(chosen);
    else if (key === "c") flip(chosen);
    else return false;
    mark();
    lab.say(moving !== state.moving ? (state.moving ? "Arrows move the point." : "Arrows choose a point.")
      : list.children[state.chosen]?.textContent ?? "");
    return true;
  }

  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (onKey(event.key)) event.preventDefault();
  });
  list.addEventListener("click", ({ target }) => {
    const row = [...list.children].indexOf(target.closest("[role=option]"));
    if (row >= 0) choose(row);
  });
  list.addEventListener("blur", () => {
    state.moving = false;
    mark();
  });
  find("flip").addEventListener("click", () => flip(state.chosen));
  find("delete").addEventListener("click", () => remove(state.chosen));
  find("undo").addEventListener("click", undo);
  find("clear").addEventListener("click", () => change([], { chosen: null }));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, dialog");
    if (!event.ctrlKey || event.key !== "z" || typing) return;
    event.preventDefault();
    undo();
  });

  lab.points = { fill, choose, change, add, remove, fine, all: points, chosen: () => state.chosen };
})();
