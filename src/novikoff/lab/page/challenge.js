// The challenge: the verdict is hidden, and whoever plays says which point moves the weights next.
// Answers are counted in the address, as right-asked.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find, number } = lab;
  const root = document.documentElement;
  const SCORE = /^(\d{1,4})-(\d{1,4})$/;
  const state = { on: false, right: 0, asked: 0, done: false };
  const film = () => lab.now?.scene.tab === "plane" ? lab.player.film() : null;

  /** Whether the end of the run is still a question. */
  lab.asking = () => state.on && !state.done && lab.now?.scene.tab === "plane";

  const score = () => `${state.right}-${state.asked}`;
  const what = () => (film()?.countdown.noun === "updates" ? "Which point moves the weights next?" : "Which point is the next mistake?");

  /** The question at this step, or that there is none. */
  function ask(answer = "") {
    const place = find("challenge");
    const run = film();
    place.hidden = !state.on || lab.now?.scene.tab !== "plane";
    if (place.hidden) return;
    const asking = Boolean(run) && !state.done && !cut(run);
    const idle = run ? "The run is over, or is shown no further." : "There is no run to ask about.";
    find("challenge-question").textContent = asking ? what() : idle;
    find("challenge-how").textContent = asking
      ? `The rows come ${run.order}. Click the point, or choose it in the list and press Enter.` : "";
    find("challenge-answer").textContent = answer;
    find("challenge-score").textContent = `${number(state.right)} of ${number(state.asked)} right`;
    find("challenge-none").disabled = !asking;
  }

  /** Whether the film ends here, and the run does not. */
  const cut = (run) => lab.player.step() >= lab.player.last() && !run.end.converged;

  /** Whether the run's end was found; until then the step does not say how many there are. */
  function tell(done) {
    state.done = done;
    if (film()) lab.tellStep(film(), lab.player.step());
  }

  function again() {
    if (state.done) tell(false);
    ask();
  }

  /** An answer: a row, or null for "none, it has converged". */
  function answer(row) {
    const run = film();
    if (!run || state.done || cut(run)) return;
    const k = lab.player.step();
    const over = k >= lab.player.last();
    const next = over ? null : run.columns.row[k];
    const right = row === next;
    state.asked += 1;
    state.right += Number(right);
    const truth = next === null ? "no point is: a full epoch passes without a mistake" : `it is row ${number(next)}`;
    const sentence = `${right ? "Right" : "No"}: ${truth}.`;
    if (over) tell(true);
    else lab.player.go(k + 1);
    ask(sentence);
    lab.say(`${sentence} ${find("challenge-score").textContent}.`);
    lab.noted();
  }

  function turn(on, [right, asked] = [0, 0]) {
    Object.assign(state, { on, right, asked });
    if (on) root.dataset.challenge = "on";
    else delete root.dataset.challenge;
    find("challenge-button").setAttribute("aria-pressed", String(on));
    ask();
    tell(false);
    lab.plane.again();
  }

  find("challenge-button").addEventListener("click", () => {
    turn(!state.on);
    lab.player.pause();
    lab.noted();
  });
  find("challenge-none").addEventListener("click", () => answer(null));
  lab.player.onstep(() => again());

  lab.challenge = {
    on: () => state.on && Boolean(film()),
    answer,
    ask: again,
    /** The key of the address, if it is on. */
    key: () => (state.on ? { challenge: score() } : {}),
    /** As the address says; "" if that was understood. */
    begin(text) {
      const found = text === undefined ? null : SCORE.exec(text);
      const numbers = found && [Number(found[1]), Number(found[2])];
      const fair = numbers && numbers[0] <= numbers[1];
      if ((fair ? score() : "") !== (text ?? "") || state.on !== Boolean(fair)) turn(Boolean(fair), fair ? numbers : undefined);
      return text === undefined || fair ? "" : `challenge: found ${text}, expected a score, right-asked, such as 3-5.`;
    },
  };
})();
