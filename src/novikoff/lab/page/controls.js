// The controls of the plane and of Winnow: filled in from the scene, and read when they change.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find, made } = lab;
  const choices = lab.data("choices");
  const TEXTS = ["eta", "margin", "C", "variant", "seed", "tie", "order"];
  const CHECKS = ["bias", "unit"];
  const KEPT = ["eta", "order", "seed"]; // what no dialect says: it stays as it is chosen
  const ANEW = { push: true, anew: true };
  const WINNOW = ["n", "relevant", "rows", "seed", "order"];

  const option = ({ name, title }) => made("option", { value: name }, title);
  find("preset").append(made("option", { value: "", hidden: "" }, "Points of your own"), ...choices.presets.map(option));
  find("dialect").append(made("option", { value: "", hidden: "" }, "Settings of your own"), ...choices.dialects.map(option));
  find("rule").append(...choices.rules.map(option));

  let asked = null; // a preset whose settings are not known yet, and what else is asked of it

  const named = (list, name) => choices[list].find((each) => each.name === name);
  const about = (list, name) => named(list, name)?.about ?? "";

  /** The settings as the controls have them now. */
  function settings() {
    const start = find("start").value;
    const found = { rule: find("rule").value, start: start === "own" ? own() : start };
    for (const id of TEXTS) found[id] = find(id).value.trim();
    for (const id of CHECKS) found[id] = find(id).checked ? "yes" : "no";
    return found;
  }
  const own = () => find("start-own").value.replaceAll(" ", "") || (find("bias").checked ? "1,0,0" : "1,0");

  function enable({ rule }) {
    const uses = named("rules", rule)?.uses ?? [];
    const start = find("start").value;
    const chance = start === "random" || find("order").value === "shuffle";
    const used = (id) => {
      if (id === "start-own") return uses.includes("start") && start === "own";
      if (id === "seed") return uses.includes("seed") && chance;
      if (id === "C") return uses.includes("C") && find("variant").value !== "PA";
      return uses.includes(id);
    };
    for (const id of [...TEXTS, ...CHECKS, "start", "start-own"]) {
      const control = find(id);
      control.disabled = !used(id);
      const label = document.querySelector(`label[for="${id}"]`);
      const rare = ["margin", "C", "variant", "start-own", "seed"].includes(id);
      control.hidden = rare && control.disabled;
      if (label) label.hidden = control.hidden;
    }
  }

  /** A dialect's settings, with those that it leaves open as they are now. */
  function spoken(dialect) {
    const { uses } = named("rules", dialect.settings.rule);
    const now = settings();
    const kept = KEPT.filter((id) => uses.includes(id) && !find(id).disabled);
    return { ...dialect.settings, ...Object.fromEntries(kept.map((id) => [id, now[id]])) };
  }

  function fill(state) {
    asked = null;
    for (const id of ["preset", "rule", ...TEXTS]) find(id).value = state[id];
    for (const id of CHECKS) find(id).checked = state[id] === "yes";
    const known = ["zeros", "random"].includes(state.start);
    find("start").value = known ? state.start : "own";
    if (!known) find("start-own").value = state.start;
    const alike = ({ settings: pinned }) => Object.entries(pinned)
      .every(([key, value]) => KEPT.includes(key) || state[key] === value);
    const dialect = choices.dialects.find(alike)?.name ?? "";
    find("dialect").value = dialect;
    find("dialect-about").textContent = about("dialects", dialect);
    find("rule-about").textContent = dialect ? "" : about("rules", state.rule);
    enable(state);
  }

  const fillWinnow = (state) => { for (const id of WINNOW) find(`winnow-${id}`).value = state[id]; };
  const winnow = () => Object.fromEntries(WINNOW.map((id) => [id, find(`winnow-${id}`).value]));

  /** Points or preset, whichever is wanted, with these settings. */
  const withRows = (given) => {
    const { preset, points } = lab.points.rows();
    const names = Object.fromEntries(Object.entries(lab.now?.scene.names ?? {}).filter(([, name]) => name));
    return preset ? { preset, ...given } : { points: lab.pointsText(points), ...names, ...given };
  };

  /** Other settings: they are in the controls at once, and all that is asked after takes them along. */
  function set(given) {
    const { preset } = lab.points.rows();
    if (asked) Object.assign(asked, given);
    else fill({ preset, ...settings(), ...given });
    if (asked) lab.go(asked, ANEW);
    else lab.go(withRows(settings()));
  }

  function choosePreset(preset) {
    if (lab.now) lab.points.remember();
    asked = { preset };
    lab.go(asked, ANEW);
  }

  find("plane-controls").addEventListener("submit", (event) => event.preventDefault());
  find("winnow-controls").addEventListener("submit", (event) => event.preventDefault());
  find("plane-controls").addEventListener("change", ({ target }) => {
    const start = target.id === "start" || target.id === "start-own";
    if (target.id === "preset") choosePreset(target.value);
    else if (target.id === "dialect") set(spoken(named("dialects", target.value)));
    else set(start ? { start: settings().start } : { [target.id]: settings()[target.id] });
  });
  find("winnow-controls").addEventListener("change", () => {
    lab.go({ tab: "winnow", ...winnow() }, { anew: true });
  });

  /** No preset is awaited any more: the one that is named is the one that is there. */
  function settle() {
    asked = null;
    if (lab.now?.scene.tab === "plane") find("preset").value = lab.points.rows().preset;
  }

  lab.controls = { fill, fillWinnow, settings, withRows, settle };
})();
