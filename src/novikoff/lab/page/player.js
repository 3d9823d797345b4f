// Plays a film: which step is shown, and the buttons and keys that change it. It never asks anyone
// anything: a film has all that is needed.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const root = document.documentElement;
  const { find, made, number } = lab;
  const state = { scene: null, film: null, k: 0, playing: false, charts: [] };
  const listeners = [];

  const staging = lab.queue();
  const charting = lab.queue();
  const looks = { latest: 0, of: new Map() }; // how often the screen changed its look, and when a stage was drawn

  const last = () => state.film?.steps ?? 0;
  const stage = () => (state.scene.tab === "plane" ? lab.plane : lab.bars);

  /** Everything that a step changes, once for each frame. */
  function draw() {
    const { film, k } = state;
    if (!film) return;
    stage().step(k);
    lab.proof.step(k);
    lab.tellStep(film, k);
    lab.tellProof(film, k);
    lab.tellCountdown(film, k);
    for (const chart of state.charts) moveCursor(chart);
    find("scrub").value = k;
    find("scrub").setAttribute("aria-valuetext", `update ${k} of ${last()}`);
    find("where").textContent = `${number(k)} / ${number(last())}`;
    for (const id of ["home", "back"]) find(id).disabled = k === 0;
    for (const id of ["forward", "end"]) find(id).disabled = k === last();
    root.dataset.step = k;
  }
  const redraw = lab.prompt(draw);

  function moveCursor({ figure, chart }) {
    const { film, k } = state;
    const shown = chart.cursor
      .map(([column, colour]) => [k ? film.columns[column]?.[k - 1] : null, lab.colour(colour)])
      .filter(([y]) => y !== null && y !== undefined);
    figure.put("cursor", { x: shown.map(() => k), y: shown.map(([y]) => y), colour: shown.map(([, c]) => c) });
    figure.model("now").location = k || null;
  }

  /** Go to a step; what is out of the film is its nearest end. */
  function go(k, { quietly = false } = {}) {
    const to = Math.max(0, Math.min(last(), k));
    if (to === state.k && Number(root.dataset.step) === to) return;
    state.k = to;
    redraw();
    for (const listener of listeners) listener(to);
    if (!quietly && state.film) lab.sayStep(state.film, to);
  }

  // playing

  let due = 0;
  function tick(now) {
    if (!state.playing) return;
    const gap = 1000 / Number(find("speed").value);
    due = due || now + gap;
    if (now >= due) {
      const steps = 1 + Math.floor((now - due) / gap);
      due += steps * gap;
      go(onwards(state.k + steps), { quietly: gap < 1000 });
    }
    if (state.k >= last() && !state.film.end.cycle) pause();
    else requestAnimationFrame(tick);
  }

  /** A run that goes round for ever does so: its last weights are those of a round before. */
  function onwards(k) {
    const { cycle } = state.film.end;
    if (!cycle || k <= last()) return k;
    return last() - cycle.length + 1 + ((k - last() - 1) % cycle.length);
  }

  function play() {
    if (!last()) return;
    if (state.k >= last()) go(0, { quietly: true });
    state.playing = true;
    due = 0;
    named();
    requestAnimationFrame(tick);
  }

  function pause() {
    if (!state.playing) return;
    state.playing = false;
    named();
    lab.sayStep(state.film, state.k);
    for (const listener of listeners) listener(state.k);
  }

  function named() {
    const button = find("play");
    button.querySelector("span").textContent = state.playing ? "Pause" : "Play";
    button.setAttribute("aria-label", state.playing ? "Pause" : "Play");
    root.dataset.playing = state.playing ? "yes" : "no";
  }

  const moves = {
    home: () => go(0),
    back: () => go(state.k - 1),
    play: () => (state.playing ? pause() : play()),
    forward: () => go(state.k + 1),
    end: () => go(last()),
  };
  const keys = { Home: "home", ArrowLeft: "back", " ": "play", ArrowRight: "forward", End: "end" };
  const TYPING = "input, select, textarea, dialog, [role=tab], [role=listbox], [contenteditable]";
  const PRESSED = "button, summary, a";

  function onKey(event) {
    const { target, key } = event;
    if (lab.modified(event) || !(key in keys) || !state.film || (root.dataset.challenge && state.scene.tab === "plane")) return;
    const inside = (which) => target instanceof Element && target.closest(which);
    const typing = inside(TYPING) && !(key === " " && target.id === "scrub");
    if (find("player").hidden || typing || (key === " " && inside(PRESSED))) return;
    event.preventDefault();
    if (key !== " ") pause();
    moves[keys[key]]();
  }

  // charts

  async function drawCharts() {
    const { film } = state;
    const place = find("charts");
    for (const { figure } of state.charts.splice(0)) figure.remove();
    const charts = film?.charts ?? [];
    place.hidden = !charts.length;
    const rooms = charts.map((chart) => {
      const room = made("div", { class: "plot", role: "img", "aria-label": `${chart.title}. ${chart.alt}` });
      const key = made("div");
      key.innerHTML = chart.key; // a list that the library wrote, its texts escaped
      place.append(lab.setFormulas(made("figure", { class: "card chart", id: `chart-${chart.id}` },
        made("h3", {}, chart.title), key, made("p", { class: "axis" }, `↑ ${chart.y}`), room,
        made("p", { class: "axis x" }, `${chart.x} →`), made("figcaption", {}, chart.caption))));
      return room;
    });
    while (place.children.length > charts.length) place.firstElementChild.remove();
    for (const [i, chart] of charts.entries()) {
      const figure = await lab.embed(chart.figure, rooms[i]);
      if (film !== state.film) return figure.remove();
      state.charts.push({ figure, chart });
      moveCursor(state.charts.at(-1));
    }
  }

  /** One drawing of charts at a time, or they would be there twice. */
  const chartsAgain = (serial) => charting(async () => {
    await drawCharts();
    root.dataset.charts = serial;
  });

  /** The stage in the look that the screen has; one drawing at a time. */
  const drawStage = (show) => staging(async () => {
    const [now, { latest, of }] = [stage(), looks];
    await show?.();
    if (of.has(now) && of.get(now) !== latest) await now.embed();
    of.set(now, latest);
  });

  /** Show the scene, from step k on. charts: false leaves those of before, while points move. */
  async function show(scene, { k = 0, frame = scene.frame, serial = 0, charts = true } = {}) {
    if (charts) pause();
    state.scene = scene;
    state.film = scene.film && lab.unpacked(scene.film);
    state.k = Math.max(0, Math.min(last(), k));
    const { film } = state;
    find("plane").hidden = find("plane-key").hidden = scene.tab !== "plane";
    find("bars").hidden = find("bars-key").hidden = scene.tab === "plane" || !film;
    if (charts) { // while a point is moved the plane must stay where it is
      find("title").textContent = scene.title ?? film?.title ?? "";
      find("about").textContent = scene.about ?? "";
    }
    lab.tellVerdict(scene.verdict);
    lab.tellFigures(scene.figures);
    for (const id of ["countdown", "step", "proof"]) find(id).hidden = !film;
    find("scrub").max = last();
    for (const id of ["scrub", "play", "home", "back", "forward", "end"]) find(id).disabled = !last();
    lab.tellSymbols(film?.symbols);
    if (film) lab.tellLines(film);
    if (scene.tab === "plane") await drawStage(() => lab.plane.show(scene, film, state.k, frame));
    else if (film) await drawStage(() => lab.bars.show(scene, film, state.k));
    await staging(() => lab.proof.show(film, state.k));
    draw();
    root.dataset.step = state.k;
    root.dataset.ready = serial;
    if (charts) chartsAgain(serial);
  }

  for (const [id, move] of Object.entries(moves)) {
    find(id).addEventListener("click", () => {
      if (id !== "play") pause();
      move();
    });
  }
  find("scrub").addEventListener("input", (event) => {
    pause();
    go(Number(event.target.value));
  });
  find("speed").value = "2";
  find("explain").addEventListener("click", () => {
    const on = root.classList.toggle("explained");
    find("explain").setAttribute("aria-pressed", String(on));
  });
  document.addEventListener("keydown", onKey);
  lab.onlook(async () => {
    const mine = (looks.latest += 1);
    if (!state.scene) return;
    if (state.scene.tab === "plane" || state.film) await drawStage();
    await staging(() => lab.proof.embed());
    if (mine !== looks.latest) return; // a newer look is on its way
    draw();
    chartsAgain(root.dataset.ready);
  });

  lab.player = {
    show, pause, go,
    film: () => state.film,
    step: () => state.k,
    last,
    onstep: (listener) => { listeners.push(listener); },
  };

  const offline = lab.data("scene");
  if (offline) show(offline, { serial: 1 });
})();
