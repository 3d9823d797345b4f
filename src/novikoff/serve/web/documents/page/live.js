// The live page: what the service says of a model, every second, by server-sent events. They are read
// with `fetch`, since an EventSource cannot send an access token.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const chosen = new URLSearchParams(location.search).get("model") ?? "default";
  const whole = (value) => value.toLocaleString("en");
  const short = (value) => value === null ? "unknown" : chart.short(value);
  const rows = (number, word) => `${whole(number)} ${word}${number === 1 ? "" : "s"}`;
  const plain = (label) => typeof label === "number" ? short(label) : String(label);
  const share = (part, all) => all ? `${(100 * part / all).toFixed(1)} %` : "none";
  const ms = (seconds) => seconds === null ? "over 10 s" : `${short(1000 * seconds)} ms`;
  let stream = null; // what ends the one that is read
  let told = null; // the last event

  const cells = (name, texts) => texts.map((text) => {
    const cell = document.createElement(name);
    cell.append(text);
    return cell;
  });

  const row = (...cells) => {
    const made = document.createElement("tr");
    made.append(...cells);
    return made;
  };

  function status(state, words) {
    $("status").dataset.state = state;
    $("status").textContent = words;
  }

  function problem(words) {
    $("problem").hidden = !words;
    $("problem").textContent = words;
  }

  function showCount(state) {
    const { bound } = state;
    $("mistakes").textContent = whole(state.mistakes);
    $("seen").textContent = `in ${rows(state.seen, "served prediction")} (${share(state.mistakes, state.seen)})`;
    $("meter").classList.toggle("unknown", !bound);
    $("meter").firstElementChild.style.width = bound ? `${Math.min(100, 100 * state.mistakes / bound.mistakes)}%` : "0";
    $("meter").setAttribute("aria-label", bound ? `${share(state.mistakes, bound.mistakes)} of the bound` : "no bound is known");
    $("bound").textContent = !bound
      ? "No bound is known yet, or none is proven for this rule."
      : state.bound_assumes === "given"
        ? `With a separator of margin ${short(bound.margin)}, the theorem allows ${whole(Math.floor(bound.mistakes))}.`
        : `If the true margin is the ceiling, ${short(bound.margin)}, the theorem allows ${whole(Math.floor(bound.mistakes))}; a smaller margin allows more.`;
    const facts = {
      "Always the commonest label": whole(state.majority_mistakes),
      "Updates of the weights": whole(state.updates),
      "Waiting for labels": whole(state.pending),
      "Expired without one": whole(state.expired),
      "Late labels": whole(state.delay.late),
      "Half of all requests within": ms(state.latency.half),
      "99 % of them within": ms(state.latency.most),
      "Longest row": short(state.radius),
      ...(state.refused && { "Could not be learned": whole(state.refused) }),
      ...(state.behind && { "Labels behind": whole(state.behind) }),
    };
    $("numbers").replaceChildren(...Object.entries(facts).flatMap((pair) =>
      pair.map((text, k) => Object.assign(document.createElement(k ? "dd" : "dt"), { textContent: text }))));
  }

  function showTotal({ series, bound, seen, mistakes, majority_mistakes: majority }) {
    const of = (k) => [[0, 0], ...series.map((point) => [point[0], point[k]])];
    const most = Math.max(mistakes, majority, 1);
    const limit = bound && bound.mistakes <= 3 * most ? bound.mistakes : null;
    const lines = [
      ["always the commonest label", { points: of(2), colour: "grey", dash: "5 4" }],
      ["served", { points: of(1), colour: "blue" }],
      ...(limit ? [["what the theorem allows with that margin", { points: [[0, limit], [seen, limit]], colour: "red", dash: "2 3" }]] : []),
    ];
    chart.key($("total").querySelector(".key"), lines);
    chart($("total").querySelector(".plot"), {
      lines: lines.map(([, line]) => line),
      x: { low: 0, high: Math.max(seen, 1) },
      y: { low: 0, high: 1.05 * Math.max(most, limit ?? 0) },
      words: `${whole(mistakes)} mistakes in ${whole(seen)} labels; the commonest label alone: ${whole(majority)}`,
    });
  }

  function showHour({ minutes, minute }) {
    const last = minutes.filter(([at]) => at > minute - 60);
    const sum = (k) => last.reduce((total, each) => total + each[k], 0);
    const text = `${rows(sum(1), "label")}, ${share(sum(2), sum(1))} of them mistakes`;
    const of = (k) => last.map((each) => [each[0] - minute, each[k]]);
    const bars = [["labels a minute", { points: of(1), colour: "sky", bar: true }], ["mistakes", { points: of(2), colour: "red", bar: true }]];
    $("hour").textContent = text;
    chart.key($("rate").querySelector(".key"), bars);
    chart($("rate").querySelector(".plot"), {
      bars: bars.map(([, bar]) => bar),
      x: { low: -60, high: 0.5, text: (at) => `${-at}` },
      y: { low: 0, high: 1.05 * Math.max(1, ...last.map((each) => each[1])) },
      words: text,
    });
  }

  function showCeiling({ series, margin_ceiling: now, seen }) {
    const points = series.filter((each) => each[3] > 0).map((each) => [each[0], each[3]]);
    $("ceiling-now").textContent = now === null ? "Known after the first update." : `No separator has a margin above ${short(now)}.`;
    if (!points.length) return $("ceiling").querySelector(".plot").replaceChildren();
    const values = points.map(([, value]) => value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return chart($("ceiling").querySelector(".plot"), {
      lines: [{ points, colour: "green", step: true }],
      x: { low: 0, high: Math.max(seen, 1) },
      y: { low: low / 1.3, high: high * 1.3, log: true },
      words: `The ceiling fell from ${short(high)} to ${short(low)}`,
    });
  }

  function showWeights({ weights }) {
    const most = Math.max(...weights.map(([, weight]) => Math.abs(weight)));
    const made = weights.map(([name, weight]) => {
      const [bar, fill] = [document.createElement("div"), document.createElement("div")];
      bar.className = weight < 0 ? "meter minus" : "meter";
      fill.style.width = `${100 * Math.abs(weight) / most}%`;
      bar.append(fill);
      return row(...cells("th", [name]), ...cells("td", [bar, short(weight)]));
    });
    const none = row(...cells("td", ["Nothing has been learned yet."]));
    $("weights").querySelector("tbody").replaceChildren(...(made.length ? made : [none]));
  }

  function showLast({ last }) {
    const made = last.map((each) => {
      const when = new Date(1000 * each.time).toLocaleTimeString("en-GB");
      const features = each.features.map((one) => Array.isArray(one) ? `${one[0]} ${short(one[1])}` : short(one));
      const code = document.createElement("code");
      code.textContent = each.id;
      return row(...cells("td", [when, plain(each.served), plain(each.label), features.join(", "), code]));
    });
    $("last").querySelector("tbody").replaceChildren(...made);
    $("last").querySelector("thead").hidden = !made.length;
  }

  function show(state) {
    told = state;
    const on = state.learning === "on";
    status(on ? "on" : "off", on ? "predicting and learning" : "predicting, not learning");
    problem(on ? "" : state.learning);
    [$("access").hidden, $("live").hidden] = [true, false];
    const names = state.models.map((name) => new Option(name, name, false, name === chosen));
    if ($("model").length !== names.length) $("model").replaceChildren(...names);
    $("chosen").hidden = names.length < 2;
    for (const part of [showCount, showTotal, showHour, showCeiling, showWeights, showLast]) part(state);
    const kind = `${state.rule}, classes ${state.classes.join(", ")}`;
    $("footer").textContent = `Model ${state.model}: ${kind}. Durability ${state.durability}. All counts are of the journal's labels, in its order.`;
    document.documentElement.dataset.seen = state.seen;
  }

  /** Follow the events until the stream ends. */
  async function follow(signal) {
    const margin = Number($("margin").value) > 0 ? `?margin=${Number($("margin").value)}` : "";
    const token = sessionStorage.getItem("token");
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(`models/${encodeURIComponent(chosen)}/events${margin}`, { headers, signal });
    if (!answer.ok) {
      const why = (await answer.json()).problem;
      problem(answer.status === 401 && !token ? "" : why);
      [$("access").hidden, $("live").hidden] = [![401, 403].includes(answer.status), true];
      return status("off", "not allowed to look");
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      const last = events.filter((each) => each.startsWith("data: ")).pop();
      if (last) show(JSON.parse(last.slice(6)));
    }
  }

  async function live() {
    stream?.abort();
    const mine = stream = new AbortController();
    while (!mine.signal.aborted) {
      try {
        await follow(mine.signal);
      } catch { /* it was ended, or the service was: the status says so */ }
      if (mine.signal.aborted || !$("access").hidden) return;
      status("off", "no connection; trying again");
      await new Promise((done) => { setTimeout(done, 1000); });
    }
  }

  $("access").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", $("token").value.trim());
    live();
  });
  $("margin").addEventListener("change", live);
  $("model").addEventListener("change", () => { location.search = `?model=${encodeURIComponent($("model").value)}`; });
  new ResizeObserver(() => { if (told) show(told); }).observe(document.documentElement);
  live();
})();
