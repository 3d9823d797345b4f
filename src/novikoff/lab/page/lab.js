// Holds the page together: its address, its tabs, what is shown of the scene that the server sends, and the
// buttons of its head.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find } = lab;
  const root = document.documentElement;
  const TABS = ["plane", "capacity", "winnow"];
  const SPEED = "2";
  const HOW = "A click adds a point, a drag moves one (to quarters; freely with Alt), a right click deletes one. The verdict and the run follow.";
  const narrow = matchMedia("(max-width: 60rem)");
  let serial = 0;
  let noting = 0;

  lab.now = null; // what is shown
  let wanted = null; // what was asked for last, until it is answered: its address and tab

  // the address

  const own = () => {
    const keys = {};
    if (lab.player.step()) keys.step = lab.player.step();
    if (find("speed").value !== SPEED) keys.speed = find("speed").value;
    if (root.dataset.view) keys.view = root.dataset.view;
    if (root.dataset.band) keys.band = root.dataset.band;
    Object.assign(keys, lab.challenge.key());
    return keys;
  };
  const joined = (address, keys) => [address, lab.written(keys)].filter(Boolean).join("&");
  const link = () => `?${joined(lab.now.scene.address, lab.now.scene.tab === "capacity" ? {} : own())}`;

  function note({ push = false } = {}) {
    clearTimeout(noting);
    noting = 0;
    if (!lab.now) return;
    const to = link();
    if (push) history.pushState(null, "", to);
    else if (to !== location.search) history.replaceState(null, "", to);
    links();
  }
  /** Browsers allow so many changes of an address a minute and no more. */
  const noteSoon = () => { noting = noting || setTimeout(note, 300); };

  function links() {
    const { address, tab } = lab.now.scene;
    const step = lab.player.step();
    for (const [id, path] of [["svg", "plane.svg"], ["png", "plane.png"]]) {
      find(id).href = `${path}?${joined(address, { step, ...(root.dataset.band ? { band: "plane" } : {}) })}`;
      find(id).hidden = tab !== "plane";
    }
    for (const [id, path] of [["csv", "run.csv"], ["html", "run.html"]]) find(id).href = `${path}?${address}`;
    menu.hidden = tab === "capacity" || !lab.now.scene.film;
  }

  // the scene

  /** The frame that was there, if all points are in it or one is being moved, or the one of the scene. */
  function frameFor(scene, anew) {
    const box = lab.plane.box();
    if (anew || !box) return scene.frame;
    if (lab.pointer.dragging()) return lab.plane.frame();
    const inside = scene.points.every((p) => box.every(([low, high], i) => p[i] > low && p[i] < high));
    return inside ? lab.plane.frame() : scene.frame;
  }

  /** What to look at, as a preset says it; or what can be done, or how the rule is set. */
  function aboutFor({ tab, about, state, film }) {
    if (about || tab !== "plane") return about ?? "";
    return state.preset ? (film?.about ?? "") : HOW;
  }

  /** The step to show: an end stays an end. */
  function stepFor(scene, { k, anew }) {
    if (k !== undefined) return k;
    const at = lab.player.step();
    if (anew || !at) return 0;
    return at === lab.player.last() ? Infinity : at;
  }

  async function show(scene, options) {
    const { charts = true, anew = false, keep = false } = options;
    const dragging = lab.pointer.dragging();
    const k = stepFor(scene, { k: options.k, anew });
    const before = lab.now?.scene;
    const shown = { ...scene, about: aboutFor(scene) };
    if (dragging) shown.points = lab.pointer.points();
    lab.now = { scene };
    if (options.latest) lab.points.settle(true);
    if (!keep) lab.problem(scene.problem);
    tabs(scene.tab);
    if (scene.tab === "capacity") {
      serial += 1;
      lab.player.pause();
      await lab.capacity.show(scene);
      root.dataset.ready = serial;
    } else {
      if (before?.tab === "capacity") lab.capacity.hide();
      if (scene.tab === "plane") lab.controls.fill(scene.state);
      else lab.controls.fillWinnow(scene.state);
      serial += 1;
      const frame = scene.tab === "plane" ? frameFor(scene, anew || before?.tab !== "plane") : undefined;
      await lab.player.show(shown, { k, frame, serial, charts });
      if (scene.tab === "plane") lab.points.fill();
      if (charts) lab.say([lab.points.place(), lab.challenge.on() ? "" : scene.verdict?.sentence].filter(Boolean).join(". "));
    }
    lab.challenge.ask();
    document.title = `${scene.title ?? "The lab"}: novikoff`;
    if (charts) note(options);
    else noteSoon();
  }

  /** Ask for an address, and show it; or what else to do with the answer, or the refusal. */
  function open(address, options = {}, { then = show, failed = lab.problem } = {}) {
    const mine = { address, tab: new URLSearchParams(address).get("tab") ?? "plane" };
    const latest = () => wanted === mine;
    wanted = mine;
    lab.ask({
      address,
      charts: options.charts ?? true,
      then: (scene) => {
        const asked = { ...options, latest: latest() };
        if (latest()) wanted = null;
        return then(scene, asked);
      },
      failed: (sentence, refused) => {
        if (!latest()) return;
        wanted = null;
        stay();
        failed(sentence, refused);
      },
    });
  }

  /** Ask for a state, as keys of an address, and show it. */
  lab.go = (keys, options) => open(lab.written(keys), options);

  /** What was asked for is not there: what is shown stays. */
  function stay() {
    lab.points.settle(false);
    lab.controls.settle();
    if (lab.now?.scene.tab !== "plane") return;
    lab.plane.move(lab.now.scene.points);
    lab.points.fill();
  }

  /** Note a state in the address bar without asking. */
  lab.note = (keys, options = {}) => {
    lab.now = { ...lab.now, scene: { ...lab.now.scene, address: lab.written(keys) } };
    note(options);
  };

  // tabs

  function tabs(chosen) {
    for (const tab of TABS) {
      const button = find(`tab-${tab}`);
      button.setAttribute("aria-selected", String(tab === chosen));
      button.tabIndex = tab === chosen ? 0 : -1;
    }
    find("player").setAttribute("aria-labelledby", `tab-${chosen}`);
    root.dataset.tab = chosen;
    find("capacity").hidden = chosen !== "capacity";
    find("player").hidden = chosen === "capacity";
    for (const id of ["plane-controls", "tools", "zoom"]) find(id).hidden = chosen !== "plane";
    find("winnow-controls").hidden = chosen !== "winnow";
    find("fold").hidden = chosen === "capacity";
    find("challenge-button").hidden = chosen !== "plane";
    fold();
  }

  let folded = narrow.matches;
  function fold(to = folded) {
    folded = to;
    find("panel").hidden = folded || root.dataset.tab === "capacity";
    find("fold").setAttribute("aria-expanded", String(!folded));
  }
  find("fold").addEventListener("click", () => fold(!folded));
  narrow.addEventListener("change", () => fold(narrow.matches || Boolean(root.dataset.view)));

  const left = {}; // where each tab was left
  function turn(tab) {
    if (!lab.now || (wanted ?? lab.now.scene).tab === tab) return;
    const { tab: from, address: here } = wanted ?? lab.now.scene;
    if (from === lab.now.scene.tab) left[from] = { address: here, k: lab.player.step() };
    const { address, k } = left[tab] ?? { address: `tab=${tab}`, k: 0 };
    open(address, { k, push: true, anew: true });
  }
  for (const [i, tab] of TABS.entries()) {
    const button = find(`tab-${tab}`);
    button.addEventListener("click", () => turn(tab));
    button.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by || lab.modified(event)) return;
      const to = TABS.at((i + by) % TABS.length);
      find(`tab-${to}`).focus();
      turn(to);
    });
  }

  // the head of the page

  function project(on) {
    if (Boolean(root.dataset.view) === on) return;
    if (on) root.dataset.view = "projector";
    else delete root.dataset.view;
    find("projector").setAttribute("aria-pressed", String(on));
    fold(on || narrow.matches);
    lab.looked();
  }
  find("projector").addEventListener("click", () => {
    project(!root.dataset.view);
    note();
  });
  find("share").addEventListener("click", async () => {
    note();
    const button = find("share");
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Link copied";
    } catch {
      button.textContent = "Copy it from the address bar";
    }
    lab.say(button.textContent);
    setTimeout(() => { button.textContent = "Share"; }, 2000);
  });
  const menu = find("export");
  for (const id of ["svg", "png", "csv", "html"]) {
    find(id).addEventListener("click", () => { menu.open = false; });
  }
  document.addEventListener("pointerdown", ({ target }) => {
    for (const each of document.querySelectorAll(".menu")) if (!each.contains(target)) each.open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    for (const each of key === "Escape" ? document.querySelectorAll(".menu[open]") : []) {
      if (each.contains(document.activeElement)) each.querySelector("summary").focus();
      each.open = false;
    }
  });

  lab.player.onstep(noteSoon);
  lab.onband = () => note();
  lab.noted = () => note();
  find("speed").addEventListener("change", noteSoon);
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (lab.modified(event) || target.closest?.("input:not([type=radio]), textarea, select, dialog, [role=listbox]")) return;
    if (key === "n") find("class-negative").checked = true;
    if (key === "p") find("class-positive").checked = true;
  });

  // the beginning

  /** What the address bar says. A malformed address is named, and the default shown. */
  function begin() {
    const { address, own: mine } = lab.read();
    const speeds = [...find("speed").options].map((each) => each.value);
    const wrong = [
      /^\d{1,6}$/.test(mine.step ?? "0") ? "" : `step: found ${mine.step}, expected a whole number.`,
      speeds.includes(mine.speed ?? SPEED) ? "" : `speed: found ${mine.speed}, expected one of ${speeds.join(", ")}.`,
      lab.challenge.begin(mine.challenge),
      ["plane", undefined].includes(mine.band) ? "" : `band: found ${mine.band}, expected plane.`,
      ["projector", undefined].includes(mine.view) ? "" : `view: found ${mine.view}, expected projector.`,
    ].filter(Boolean).join(" ");
    if (speeds.includes(mine.speed)) find("speed").value = mine.speed;
    if (mine.band === "plane") root.dataset.band = "plane";
    else delete root.dataset.band;
    project(mine.view === "projector");
    const k = /^\d{1,6}$/.test(mine.step ?? "") ? Number(mine.step) : 0;
    const opened = (answer, options) => {
      lab.problem(wrong);
      return show(answer, { ...options, k, anew: true, keep: Boolean(wrong) });
    };
    const unread = (sentence, refused) => {
      lab.problem(sentence);
      if (!address || !refused) return;
      const again = `The address was not understood: ${sentence.replace(/\.?$/, ".")} The lab opens as it does without one.`;
      const instead = (answer, options) => {
        lab.problem(again);
        return show(answer, options);
      };
      open("", { k: 0, anew: true, keep: true }, { then: instead });
    };
    open(address, {}, { then: opened, failed: unread });
  }

  find("player").setAttribute("role", "tabpanel");
  fold();
  window.addEventListener("popstate", begin);
  begin();
})();
