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
  let later = 0; // the question that waits for its pause

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

  const editable = () => lab.now?.scene.tab === "plane" && lab.plane.box();

  function begin(event) {
    if (event.button !== 0 || held?.at || !editable()) return;
    const row = under(event);
    if (lab.challenge.on()) {
      if (row !== null) lab.challenge.answer(row);
      return;
    }
    held = { id: event.pointerId, row, x: event.clientX, y: event.clientY, moved: false, before: lab.points.rows() };
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
    held.at = place.map((x) => lab.points.fine(x, event.altKey));
    follow();
  }

  /** The point goes with the pointer at once; the verdict follows as fast as the server answers. */
  const follow = lab.framed(() => {
    if (!held?.at) return;
    held.next = moved(held);
    lab.points.want(held.next);
    later = later || setTimeout(inquire, Math.max(0, asked + PAUSE - performance.now()));
  });

  /** The points with the one that is held where the pointer is. */
  const moved = ({ before: { points }, row, at }) => points.with(row, [...at, points[row][2]]);

  function inquire({ charts = false } = {}) {
    clearTimeout(later);
    later = 0;
    asked = performance.now();
    lab.points.change(held.next, { charts, before: held.before });
  }

  /** The pointer is up, or taken away: a point stays where it is; only a click adds one. */
  function end(event) {
    if (!held || held.id !== event.pointerId) return;
    const { row, at } = held;
    if (row !== null && at) {
      held.next = moved(held);
      inquire({ charts: true });
    }
    const clicked = row === null && !held.moved && event.type === "pointerup";
    held = null;
    if (clicked) {
      const place = lab.plane.at(event.clientX, event.clientY);
      if (place) lab.points.add(...place, Number(document.querySelector("input[name=class]:checked").value));
    }
  }

  plane.addEventListener("pointerdown", begin);
  plane.addEventListener("pointermove", move);
  plane.addEventListener("pointerup", end);
  plane.addEventListener("pointercancel", end);
  plane.addEventListener("contextmenu", (event) => {
    const row = editable() ? under(event) : null;
    if (row === null || lab.challenge.on()) return;
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
  find("fit").addEventListener("click", () => lab.plane.zoom(lab.now.scene.frame));

  lab.pointer = { dragging: () => Boolean(held?.next), points: () => held?.next };
})();
