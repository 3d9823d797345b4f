// What a step says in words: the row looked at, the weights before and after, the lines of the
// proof with their numbers, the countdown, the verdict, the table of margins.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { made, formula, number } = lab;
  const LISTED = 6; // weights that have a table
  const MANY = 64; // changes that are written out, where there are more weights than that
  const SHORT = 4; // letters of a name that stands above a number
  const SHARE = 0.999; // of the meter: full only when nothing is left

  const vector = (weights) => {
    const shown = weights.slice(0, LISTED).map((w) => number(w)).join(", ");
    return `(${shown}${weights.length > LISTED ? ", …" : ""})`;
  };
  const signed = (label) => (label > 0 ? "+1" : label < 0 ? "−1" : number(label));

  /** Which row, and whether it was a mistake. */
  function happened(film, k) {
    const at = (name) => film.columns[name]?.[k - 1];
    const passed = at("passed") ?? 0;
    return {
      wrong: Boolean(at("mistake")),
      head: lab.asking?.() ? `Update ${number(k)}` : `Update ${number(k)} of ${number(film.steps)}`,
      place: `epoch ${number(at("epoch"))}, ${lab.place(film, at("row"))}, class ${signed(at("label"))}`,
      score: film.kind === "winnow" ? sumOf(at("row_sum"), at("label") * at("score")) : `y·w_${k - 1}·x̂ = ${number(at("score"))}`,
      since: `${passed ? number(passed) : "No"} ${passed === 1 ? "row" : "rows"} classified correctly since the ${k > 1 ? "last update" : "start"}.`,
    };
  }

  /** Winnow compares the sum of the row's weights with θ; beyond: what is above θ. */
  const sumOf = (sum, beyond) => `the row's weights sum to ${number(sum)} ${beyond >= 0 ? "≥" : "<"} θ = ${number(sum - beyond)}`;

  function ended(film) {
    const { end } = film;
    const box = made("div", { class: end.converged ? "ended good" : "ended" });
    box.append(made("p", { class: "sentence" }, end.sentence));
    if (end.because) box.append(made("p", { class: "soft" }, end.because));
    return box;
  }

  function start(film) {
    const begin = [made("p", { class: "head" }, "The start"), made("p", { class: "formula" })];
    begin[1].append(formula(`w_0 = ${vector(film.weights[0])}`));
    begin.push(made("p", { class: "soft" }, film.about));
    return begin;
  }

  /** Of many weights, those that moved: from what to what. */
  function changes(film, k) {
    const [before, after] = [film.weights[k - 1], film.weights[k]];
    const moved = after.map((_, i) => i).filter((i) => before[i] !== after[i]);
    const list = moved.slice(0, MANY).map((i) => made("li", {}, made("span", { class: "soft" }, film.names[i]),
      ` ${number(before[i])} → `, made("b", {}, number(after[i]))));
    if (moved.length > MANY) list.push(made("li", {}, `and ${number(moved.length - MANY)} more`));
    return made("div", {}, made("p", { class: "soft small" },
      `${number(moved.length)} of these ${number(after.length)} weights change:`),
    made("ul", { class: "changes", tabindex: "0", "aria-label": "Weights that change" }, ...list));
  }

  /** Weights before and after, side by side; one below the other where names are long. */
  function weights(film, k) {
    const [before, after] = [film.weights[k - 1], film.weights[k]];
    if (after.length > LISTED) return changes(film, k);
    const shown = after.map((_, i) => i);
    const heads = [["before ", k - 1], ["after ", k]].map(([word, index]) => [word, formula(`w_${index}`)]);
    const cell = (value) => made("td", {}, number(value));
    const upright = shown.some((i) => film.names[i].length > SHORT);
    const lines = upright
      ? shown.map((i) => [made("th", { scope: "row" }, film.names[i]), cell(before[i]), cell(after[i])])
      : [before, after].map((values, j) => [made("th", { scope: "row" }, ...heads[j]), ...shown.map((i) => cell(values[i]))]);
    const names = upright ? heads : shown.map((i) => [film.names[i]]);
    const head = [made("td"), ...names.map((name) => made("th", { scope: "col" }, ...name))];
    return made("table", { class: upright ? "weights upright" : "weights" },
      ...[head, ...lines].map((cells) => made("tr", {}, ...cells)));
  }

  function update(film, k) {
    const moment = happened(film, k);
    const [kind, what] = moment.wrong ? ["mistake", "mistake"] : ["update", "not a mistake, still an update"];
    const head = made("p", { class: "head" }, moment.head, " ", made("span", { class: `badge ${kind}` }, what));
    const where = made("p", {}, `${moment.place}: `, made("span", { class: "formula" }, formula(moment.score)), ". ",
      made("span", { class: "soft small since" }, moment.since));
    const moved = made("p", { class: "formula" }, formula(lab.filled(film.moved, film, k)));
    return [head, where, moved, weights(film, k)];
  }

  lab.tellStep = (film, k) => {
    const place = lab.find("step");
    place.replaceChildren(...(k ? update(film, k) : start(film)));
    if (k === film.steps && !lab.asking?.()) place.append(ended(film));
  };

  /** What the letters mean, as a list. */
  lab.tellSymbols = (symbols = {}) => {
    const place = lab.find("symbols");
    lab.setSymbols(symbols);
    place.hidden = !Object.keys(symbols).length;
    place.querySelector("dl").replaceChildren(...Object.entries(symbols).flatMap(([name, meaning]) => {
      const text = made("dd");
      text.append(formula(meaning, { prose: true }));
      return [made("dt", {}, name), text];
    }));
  };

  /** The lines of the proof; their statements stay, their numbers change. */
  lab.tellLines = (film) => {
    const list = lab.find("proof").querySelector("ol");
    list.replaceChildren(...film.lines.map((line) => {
      const filled = made("p", { class: "formula filled" });
      const statement = made("span", { class: "formula soft" });
      statement.append(formula(line.statement));
      const why = made("p", { class: "why soft" });
      why.append(formula(line.why, { prose: true }));
      return made("li", {}, made("p", { class: "says" }, made("span", { class: "name" }, line.name), " ", statement), filled, why);
    }));
    lab.find("proof").hidden = !film.lines.length;
  };

  lab.tellProof = (film, k) => {
    const places = lab.find("proof").querySelectorAll(".filled");
    film.lines.forEach((line, i) => {
      places[i].replaceChildren(k ? formula(lab.filled(line.filled, film, k)) : "");
      places[i].hidden = !k;
    });
  };

  lab.tellCountdown = (film, k) => {
    const place = lab.find("countdown");
    const { noun, column, bound, why } = film.countdown;
    const used = k ? film.columns[column][k - 1] : 0;
    const one = (count) => (count === 1 ? noun.replace(/s$/, "") : noun);
    place.querySelector(".big").textContent = number(used);
    place.querySelector(".rest").textContent = bound === null
      ? `${one(used)}; there is no bound`
      : `of at most ${number(bound)} ${one(bound)}; ${number(bound - used)} left`;
    const meter = place.querySelector(".meter");
    meter.hidden = bound === null;
    if (bound !== null) {
      meter.setAttribute("aria-valuenow", used);
      meter.setAttribute("aria-valuemax", bound);
      const share = bound === used ? 1 : Math.min(used / bound, SHARE);
      meter.firstElementChild.style.width = `${100 * share}%`;
    }
    place.querySelector(".why").replaceChildren(formula(why));
    const round = roundAt(film, k);
    place.querySelector(".cycle").textContent = round;
    place.querySelector(".cycle").hidden = !round;
  };

  /** Where in a cycle a step is. */
  function roundAt(film, k) {
    const { cycle } = film.end;
    if (!cycle) return "";
    const length = cycle.length === 1 ? "1 update" : `${number(cycle.length)} updates`;
    if (k <= cycle.first) return `From update ${number(cycle.first + 1)} on, a cycle of ${length} repeats for ever.`;
    const done = k - cycle.first;
    const round = Math.ceil(done / cycle.length);
    return `Round ${number(round)} of a cycle of ${length}: update ${number(done - (round - 1) * cycle.length)} of ${number(cycle.length)}.`;
  }

  lab.tellVerdict = (verdict) => {
    const place = lab.find("verdict");
    place.hidden = !verdict;
    if (!verdict) return;
    place.dataset.outcome = verdict.outcome;
    place.querySelector(".sentence").textContent = verdict.sentence;
    place.querySelector(".brief").textContent = verdict.brief ?? verdict.sentence;
    const cut = (verdict.conflict ?? []).some(({ multiplier, short }) => short !== multiplier);
    const listed = (verdict.conflict ?? []).map(({ row, multiplier }) => `row ${number(row)} ${multiplier}`);
    place.querySelector(".multipliers").textContent = cut ? `Multipliers: ${listed.join("; ")}.` : "";
    place.querySelector(".multipliers").hidden = !cut;
  };

  lab.tellFigures = (figures) => {
    const place = lab.find("figures");
    place.hidden = !figures?.length;
    if (place.hidden) return;
    const cell = (text) => made("td", {}, text ?? "");
    const head = ["", "lifted: (x, 1)", "unlifted: x"].map((text) => made("th", { scope: "col" }, text));
    const rows = figures.map((each) => made("tr", {}, made("th", { scope: "row" }, each.name),
      cell(each.lifted), cell(each.unlifted)));
    place.querySelector("table").replaceChildren(made("tr", {}, ...head), ...rows);
    const exact = figures.map((each) => each.exact).filter(Boolean).join("; ");
    place.querySelector(".exact").textContent = exact ? `exactly ${exact}` : "";
  };

  /** One line for those who listen. */
  lab.sayStep = (film, k) => {
    const { noun, column, bound } = film.countdown;
    if (!k) return lab.say(lab.asking?.() ? "The start." : `The start, of ${number(film.steps)} updates.`);
    const moment = happened(film, k);
    const used = film.columns[column][k - 1];
    const left = bound === null ? "" : `; ${used} of at most ${bound} ${noun}`;
    const over = k === film.steps && !lab.asking?.() ? ` ${film.end.sentence}` : "";
    lab.say(`${moment.head}, ${moment.place}, ${moment.wrong ? "a mistake" : "not a mistake"}${left}.${over}`);
  };
})();
