// Small charts in SVG, which need nothing from anywhere: lines, steps and bars between two axes.
(() => {
  "use strict";
  const NAMES = "http://www.w3.org/2000/svg";
  const LEFT = 46, RIGHT = 12, TOP = 8, BOTTOM = 20;

  const made = (name, attributes, text) => {
    const node = document.createElementNS(NAMES, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  /** About so many round numbers between two. */
  function ticks(low, high, count) {
    const rough = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= rough);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9) || 0; k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return found;
  }

  /** Numbers such as 1, 2, 5, 10 between two, a few of them; round ones if they are close. */
  function logTicks(low, high) {
    const found = [];
    for (let k = Math.floor(Math.log10(low)); 10 ** k <= high; k++) {
      found.push(...[1, 2, 5].map((each) => each * 10 ** k).filter((each) => low <= each && each <= high));
    }
    const every = Math.ceil(found.length / 6);
    return found.length > 2 ? found.filter((_, k) => k % every === 0) : ticks(low, high, 3);
  }

  const short = (value) => {
    const size = Math.abs(value);
    if (size && size < 0.001) return value.toExponential(1);
    const notation = size >= 10000 ? "compact" : "standard";
    return value.toLocaleString("en", { notation, maximumSignificantDigits: 3 }).replace("-", "−");
  };

  /**
   * Draw into an element: lines are {points: [[x, y], ...], colour, dash, step}, bars the same with
   * points [x, y] of width one that stand upon each other. x and y: {low, high, log, text}.
   */
  window.chart = (element, { lines = [], bars = [], x, y, words }) => {
    const [width, height] = [element.clientWidth, element.clientHeight];
    if (!width || !height) return;
    const scale = ({ low, high, log }, from, to) => {
      const [a, b] = log ? [Math.log(low), Math.log(high)] : [low, high];
      return (value) => from + ((log ? Math.log(value) : value) - a) / (b - a || 1) * (to - from);
    };
    const across = scale(x, LEFT, width - RIGHT);
    const upwards = scale(y, height - BOTTOM, TOP);
    const svg = made("svg", { role: "img", "aria-label": words, viewBox: `0 0 ${width} ${height}` });
    for (const at of y.log ? logTicks(y.low, y.high) : ticks(y.low, y.high, height / 45)) {
      const place = upwards(at);
      svg.append(made("line", { class: "mesh", x1: LEFT, x2: width - RIGHT, y1: place, y2: place }));
      svg.append(made("text", { x: LEFT - 6, y: place + 4, "text-anchor": "end" }, short(at)));
    }
    for (const at of ticks(x.low, x.high, width / 110)) {
      const text = x.text ? x.text(at) : short(at);
      const right = Math.min(across(at), width - 4 * text.length);  // the last one is to be seen whole
      svg.append(made("text", { x: right, y: height - 4, "text-anchor": "middle" }, text));
    }
    for (const { points, colour } of bars) {
      const wide = Math.max(1, across(1) - across(0) - 1);
      for (const [at, value] of points.filter(([, each]) => each > 0)) {
        const high = upwards(0) - upwards(value);
        svg.append(made("rect", { x: across(at) - wide / 2, y: upwards(value), width: wide, height: high, fill: `var(--${colour})` }));
      }
    }
    for (const { points, colour, dash, step } of lines) {
      const path = points.map(([at, value], k) => {
        const [right, up] = [across(at).toFixed(1), upwards(value).toFixed(1)];
        return k === 0 ? `M${right} ${up}` : step ? `H${right}V${up}` : `L${right} ${up}`;
      });
      svg.append(made("path", { d: path.join(""), fill: "none", stroke: `var(--${colour})`, "stroke-width": 2, "stroke-dasharray": dash ?? "none" }));
    }
    element.replaceChildren(svg);
  };

  /** The list of what is drawn how. */
  chart.key = (element, items) => {
    element.replaceChildren(...items.map(([text, { colour, dash, bar }]) => {
      const item = document.createElement("li");
      const svg = made("svg", { viewBox: "0 0 30 16", "aria-hidden": "true" });
      const stroke = { stroke: `var(--${colour})`, "stroke-width": bar ? 12 : 2.5, "stroke-dasharray": dash ?? "none" };
      svg.append(made("line", { x1: bar ? 9 : 1, x2: bar ? 21 : 29, y1: 8, y2: 8, ...stroke }));
      item.append(svg, text);
      return item;
    }));
  };
  chart.short = short;
})();
