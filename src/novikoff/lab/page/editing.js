// Points by mouse or finger: a click adds one, a drag moves one, a right click deletes one. Bokeh's
// own tool for it deletes at a Backspace that is typed elsewhere, and keeps a finger from scrolling.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find } = lab;
  const NEAR = { mouse: 14, touch: 26, pen: 18 }; // pixels from a point's middle
  const STILL = 6; // pixels by which a click may move
  const PAUSE = 80; // milliseconds between two questions while a point moves
  const plane = find("plane");
  let held = null; // what the pointer began: a point, or a click on nothing
  let asked = 0;

  /** The point under the pointer, or null. */
  function under({ clientX, clientY, pointerType }) {
    if (!lab.plane.box()) return null;
    let found = null;
    let least = NEAR[pointerType] ?? NEAR.mouse;
    lab.points.all().forEach((point, row) => {
      const [x, y] = lab.plane.onScreen(point);
      const far = Math.hypot(x - clientX, y - clientY);
      if (far <= least) [found, least] = [row, far];
    });
    return found;
  }

  const editable = () => lab.now?.told.tab === "plane" && lab.plane.box();

  function begin(event) {
    if (event.button !== 0 || !editable()) return;
    const row = under(event);
    held = { id: event.pointerId, row, x: event.clientX, y: event.clientY, moved: false, points: lab.points.all() };
    if (row === null) return;
    plane.setPointerCapture(event.pointerId);
    lab.player.pause();
    lab.points.choose(row);
  }

  function move(event) {
    if (!held || held.id !== event.pointerId) {
      if (editable()) plane.style.cursor = under(event) === null ? "crosshair" : "grab";
      return;
    }
    if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > STILL) held.moved = true;
    if (held.row === null || !held.moved) return;
    const place = lab.plane.at(event.clientX, event.clientY);
    if (!place) return;
    held.at = place.map(lab.points.fine);
    follow();
  }

  /** The point goes with the pointer at once; the verdict follows as fast as it is told. */
  const follow = lab.framed(() => {
    if (!held?.at) return;
    held.next = held.points.with(held.row, [...held.at, held.points[held.row][2]]);
    lab.plane.move(held.next);
    if (performance.now() - asked < PAUSE) return;
    asked = performance.now();
    lab.points.change(held.next, { charts: false, remember: !held.remembered });
    held.remembered = true;
  });

  function end(event) {
    if (!held || held.id !== event.pointerId) return;
    const { row, moved, next, remembered } = held;
    held = null;
    if (row !== null && next) lab.points.change(next, { remember: !remembered });
    else if (row === null && !moved) {
      const place = lab.plane.at(event.clientX, event.clientY);
      if (place) lab.points.add(...place, Number(document.querySelector("input[name=class]:checked").value));
    }
  }

  plane.addEventListener("pointerdown", begin);
  plane.addEventListener("pointermove", move);
  plane.addEventListener("pointerup", end);
  plane.addEventListener("pointercancel", () => { held = null; });
  plane.addEventListener("contextmenu", (event) => {
    const row = editable() ? under(event) : null;
    if (row === null) return;
    event.preventDefault();
    lab.points.remove(row);
  });
  plane.addEventListener("touchstart", (event) => { // a finger on a point drags it; elsewhere it scrolls
    const [touch] = event.touches;
    const { clientX, clientY } = touch;
    if (editable() && under({ clientX, clientY, pointerType: "touch" }) !== null) event.preventDefault();
  }, { passive: false });

  function zoom(by) {
    lab.plane.zoom(lab.plane.frame().map(([low, high]) => {
      const [middle, half] = [(low + high) / 2, (by * (high - low)) / 2];
      return [middle - half, middle + half];
    }));
  }
  find("wider").addEventListener("click", () => zoom(1.5));
  find("nearer").addEventListener("click", () => zoom(1 / 1.5));
  find("fit").addEventListener("click", () => lab.plane.zoom(lab.now.told.frame));

  lab.editing = { dragging: () => Boolean(held?.next), points: () => held?.next };
})();
