// The capacity tab: asks the server for draws, shows what it answers, and remembers which P were
// visited. Shares and intervals are the server's.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const MANY = 100;
  const PACE = 10; // labellings of each beat of play
  const BEAT = 150; // milliseconds
  const SOON = 500; // browsers allow so many changes of an address a minute and no more
  const STEP = 0.25; // of P / N, from one stop of a sweep to the next
  const FARTHEST = 4;
  const CELL = 9; // pixels of a draw in the strip, if there is room

  const at = (name) => lab.find(`capacity-${name}`);
  const visited = new Map(); // by N and seed: by P, the last answer
  let limits = null;
  let now = null; // the last answer
  let figure = null;
  let embedded = ""; // which chart
  let chart = null;
  let running = ""; // "play", "sweep" or ""
  let serial = 0; // of what is asked; older answers are let go
  let noting = 0;

  const embedding = lab.queue();
  let looks = 0;

  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const here = () => {
    const name = `${now.N} ${now.seed}`;
    if (!visited.has(name)) visited.set(name, new Map());
    return visited.get(name);
  };
  function complain(sentence) {
    at("problem").hidden = !sentence;
    at("problem").textContent = sentence;
  }

  /** Ask for so many labellings; true if they came and are what is still wanted. */
  async function ask(wanted) {
    const mine = ++serial;
    try {
      const response = await lab.awaited(fetch("capacity", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(wanted),
      }));
      const answer = await response.json();
      if (mine !== serial) return false;
      complain(response.ok ? "" : answer.problem);
      if (response.ok) take(answer);
      return response.ok;
    } catch {
      if (mine === serial) complain("The server does not answer; is it still running?");
      return false;
    }
  }

  /** An answer becomes what is shown, and the address says so. */
  function take(answer) {
    now = answer;
    if (now.trials) here().set(now.P, now);
    noting = noting || setTimeout(note, SOON);
    tell();
    plot();
  }

  function note() {
    noting = 0;
    lab.note(Object.fromEntries(new URLSearchParams(now.address)));
  }

  const draw = (more, P = now.P, known = now.trials) => {
    const trials = Math.min(known + more, limits.trials[1]);
    return ask({ N: now.N, P, trials, seed: now.seed });
  };

  function tell() {
    for (const name of ["N", "P"]) {
      at(name).value = now[name];
      at(`${name}-range`).value = now[name];
    }
    at("seed").value = now.seed;
    const full = now.trials >= limits.trials[1];
    for (const name of ["one", "many", "play"]) at(name).disabled = full && running !== name;
    at("share").textContent = now.trials
      ? `${lab.number(now.separable)} of ${lab.number(now.trials)}`
      : "–";
    const last = full ? " These are as many as can be drawn here." : "";
    const first = now.trials ? "" : " Draw to try this P.";
    at("words").textContent = now.sentence + first + last;
    at("count").replaceChildren(lab.formula(now.count, { prose: true }));
    at("meaning").textContent = now.meaning;
    lab.say(at("words").textContent);
    strip();
    Object.assign(lab.find("capacity").dataset, { trials: now.trials, points: now.P });
  }

  /** What was drawn, on the chart: the present P, and those before. */
  function plot() {
    if (!figure) return;
    const before = [...here().values()].filter((each) => each.P !== now.P);
    figure.put("visited", columns(before));
    figure.put("now", columns(now.trials ? [now] : []));
    at("plot").setAttribute("aria-label", `${chart.title}. ${chart.alt} ${now.sentence}`);
  }

  const columns = (answers) => ({
    x: answers.map((each) => each.ratio),
    y: answers.map((each) => each.fraction),
    lower: answers.map((each) => each.lower),
    upper: answers.map((each) => each.upper),
    label: answers.map((each) => `P = ${each.P}: ${each.separable} of ${each.trials}`),
  });

  /** A square for each draw: full where it is separable, crossed where not. */
  function strip() {
    const canvas = at("strip");
    const width = canvas.parentElement.clientWidth;
    if (!width) return;
    const most = Math.max(10, Math.min(100, 10 * Math.floor(width / (10 * CELL))));
    const size = Math.min(2 * CELL, Math.floor(width / most));
    const height = Math.ceil(now.trials / most) * size;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(most * size * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${most * size}px`;
    canvas.style.height = `${height}px`;
    const paint = canvas.getContext("2d");
    paint.scale(scale, scale);
    paint.fillStyle = lab.colour("blue");
    paint.strokeStyle = lab.colour("red");
    paint.lineWidth = Math.max(1, size / 7);
    const inner = size - 2;
    for (let k = 0; k < now.trials; k += 1) {
      const x = (k % most) * size + 1;
      const y = Math.floor(k / most) * size + 1;
      if (now.results[k] === "1") {
        paint.fillRect(x, y, inner, inner);
      } else {
        paint.beginPath();
        paint.moveTo(x + 1, y + 1);
        paint.lineTo(x + inner - 1, y + inner - 1);
        paint.moveTo(x + inner - 1, y + 1);
        paint.lineTo(x + 1, y + inner - 1);
        paint.stroke();
      }
    }
    const counts = `${now.separable} of ${now.trials} draws are separable`;
    canvas.setAttribute("aria-label", now.trials ? counts : "no draws yet");
  }

  /** The chart, embedded anew only if it is another one, or the screen has other colours. */
  const embed = (again) => embedding(async () => {
    if (!again && embedded === chart.id) return;
    embedded = "";
    figure?.remove();
    figure = null;
    at("title").textContent = chart.title;
    at("key").innerHTML = chart.key; // made by the server, of its own words
    at("x").textContent = chart.x;
    at("y").textContent = chart.y;
    at("caption").textContent = chart.caption;
    const mine = chart.id;
    figure = await lab.embed(chart.figure, at("plot"));
    embedded = mine;
  });

  function stop() {
    running = "";
    for (const name of ["play", "sweep"]) at(name).setAttribute("aria-pressed", "false");
    at("play").textContent = "Play";
    at("sweep").textContent = "Sweep P";
  }

  async function run(what, beat) {
    const again = running === what;
    stop();
    if (again) return;
    running = what;
    at(what).setAttribute("aria-pressed", "true");
    at(what).textContent = "Pause";
    while (running === what && (await beat())) await wait(BEAT);
    if (running === what) stop();
    tell();
  }

  const play = () =>
    run("play", async () => now.trials < limits.trials[1] && (await draw(PACE)));

  function sweep() {
    const stops = [];
    for (let ratio = 2 * STEP; ratio <= FARTHEST; ratio += STEP) {
      const P = Math.max(1, Math.round(ratio * now.N));
      if (P <= limits.P[1] && !stops.includes(P)) stops.push(P);
    }
    run("sweep", async () => {
      const P = stops.shift();
      const known = here().get(P)?.trials ?? 0;
      return P !== undefined && draw(Math.max(0, MANY - known), P, known);
    });
  }

  /** Other points, dimensions or seed: what was drawn there before is there again. */
  function go(changes) {
    lab.capacity.hide(); // what is under way is about something else
    const next = { N: now.N, P: now.P, seed: now.seed, ...changes };
    const known = visited.get(`${next.N} ${next.seed}`)?.get(next.P);
    const trials = known?.trials ?? limits.trials[0];
    lab.go({ tab: "capacity", N: next.N, P: next.P, trials, seed: next.seed });
  }

  function reset() {
    stop();
    here().clear();
    ask({ N: now.N, P: now.P, trials: limits.trials[0], seed: now.seed });
  }

  /** The labellings of four points, each a picture that opens in the plane. */
  function drawSquare(labellings) {
    const mark = ([x, y, sign]) => {
      const [cx, cy] = [10 + 40 * x, 50 - 40 * y];
      return sign > 0 ? `<path d="M${cx} ${cy - 7}l7 12h-14z" fill="var(--red)"/>`
        : `<circle cx="${cx}" cy="${cy}" r="6" fill="var(--blue)"/>`;
    };
    at("square").replaceChildren(...labellings.map(({ points, corners, realised }) => {
      const signs = corners.map(([, , sign]) => (sign > 0 ? "+" : "−")).join("");
      const button = lab.made("button", {
        type: "button", class: realised ? "some" : "none",
        "aria-label": `Labelling ${signs}: ${realised ? "realised" : "not realised"}. Open it in the plane`,
      });
      button.innerHTML = `<svg viewBox="0 0 60 60" aria-hidden="true">${corners.map(mark).join("")}</svg>`; // numbers only
      button.addEventListener("click", () => lab.go({ points }, { push: true, anew: true, k: 0 }));
      return lab.made("li", {}, button);
    }));
  }

  function listen() {
    let later = 0;
    for (const name of ["N", "P", "seed"]) {
      at(name).addEventListener("change", () => {
        if (at(name).reportValidity()) go({ [name]: at(name).valueAsNumber });
      });
      at(`${name}-range`)?.addEventListener("input", (event) => {
        const value = event.target.valueAsNumber;
        at(name).value = value;
        clearTimeout(later);
        later = setTimeout(() => go({ [name]: value }), 120); // a hand on a slider does not stop
      });
    }
    at("half").addEventListener("click", () => go({ P: Math.min(2 * now.N, limits.P[1]) }));
    at("one").addEventListener("click", () => { stop(); draw(1); });
    at("many").addEventListener("click", () => { stop(); draw(MANY); });
    at("play").addEventListener("click", play);
    at("sweep").addEventListener("click", sweep);
    at("reset").addEventListener("click", reset);
    window.addEventListener("resize", lab.framed(() => now && strip()));
    lab.onlook(async () => {
      const mine = (looks += 1);
      if (!now) return;
      await embedding(() => {}); // of several looks in a row, the last
      if (mine !== looks) return;
      await embed(true);
      plot();
      strip();
    });
  }

  lab.capacity = {
    /** Show the scene of a state. */
    async show(scene) {
      if (!limits) {
        listen();
        drawSquare(scene.square);
      }
      limits = scene.limits;
      now = scene.now;
      chart = scene.chart;
      for (const name of ["N", "P", "seed"]) {
        [at(name).min, at(name).max] = limits[name];
      }
      [at("N-range").min, at("N-range").max] = limits.N;
      at("P-range").min = limits.P[0];
      at("P-range").max = Math.max(now.P, Math.min(limits.P[1], FARTHEST * now.N));
      if (now.trials) here().set(now.P, now);
      complain("");
      tell();
      await embed(false);
      plot();
    },
    hide() {
      stop();
      clearTimeout(noting);
      noting = 0;
      serial += 1;
    },
  };
})();
