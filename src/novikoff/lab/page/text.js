// Numbers and formulas as people read them, and what a film says at a step. Nothing is computed
// here that is claimed: entries of the film are picked and written out.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const root = document.documentElement;

  lab.find = (id) => document.getElementById(id);

  /** The JSON of an element of the page, or null if there is no such element. */
  lab.data = (id) => {
    const element = lab.find(id);
    return element && JSON.parse(element.textContent);
  };

  /** A number of four digits, or all those before its point, thousands apart: never so rounded
   * that the larger of two seems the smaller. What is not finite is a dash. */
  lab.number = (value, digits = 4) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size < 1e15 && (size >= 1e-4 || value === 0)) {
      const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
      const most = Number.isInteger(value) ? 16 : Math.max(digits, whole);
      return minus(value.toLocaleString("en-GB", { maximumSignificantDigits: most }));
    }
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return minus(`${parseFloat(mantissa)}·10^${parseInt(power, 10)}`);
  };
  const minus = (text) => text.replaceAll("-", "−");

  /** An element with attributes and children; texts are texts. */
  lab.made = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  /** What the letters of the film mean; whoever points at one reads it. */
  let symbols = {};
  let letters = null;
  lab.setSymbols = (found = {}) => {
    const names = Object.keys(found).filter((name) => !/^[a-z]{3,}$/.test(name)).sort((a, b) => b.length - a.length)
      .map((name) => name.replace("*", "\\*"));
    symbols = found;
    letters = names.length ? new RegExp(`(?<![A-Za-z])(?:${names.join("|")})(?![A-Za-z\u0302*])`, "gu") : null;
  };

  /** A text, its letters with what they mean. */
  function explained(text) {
    const out = [];
    let from = 0;
    for (const found of letters ? text.matchAll(letters) : []) {
      out.push(text.slice(from, found.index), lab.made("abbr", { title: symbols[found[0]] }, found[0]));
      from = found.index + found[0].length;
    }
    return [...out, text.slice(from)];
  }

  /** A formula with its indices set low and its powers high: w_3, 10^-5. prose: letters are words. */
  lab.formula = (text, { prose = false } = {}) => {
    const say = prose ? (part) => [part] : explained;
    const out = document.createDocumentFragment();
    let from = 0;
    for (const found of text.matchAll(/_(\d+|[a-zα-ω](?![a-z])|\{[^}]*\})|\^(−?\d+)/gu)) {
      out.append(...say(text.slice(from, found.index)));
      const low = found[1] !== undefined;
      const inner = low ? found[1].replace(/^\{|\}$/g, "") : found[2];
      out.append(lab.made(low ? "sub" : "sup", {}, ...say(inner)));
      from = found.index + found[0].length;
    }
    out.append(...say(text.slice(from)));
    return out;
  };

  /** The same for all texts within an element. */
  lab.setFormulas = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) text.replaceWith(lab.made("span", {}, lab.formula(text.data, { prose: true })));
    return element;
  };

  /** A template of the film at step k: {k}, {k-1}, and {NAME} for an entry of a column. */
  lab.filled = (template, film, k) =>
    template.replace(/\{([A-Za-z_0-9]+|k-1)\}/g, (whole, name, at) => {
      const index = { k, "k-1": k - 1 }[name];
      if (index !== undefined) return template[at - 1] === "_" ? String(index) : lab.number(index);
      const column = film.columns[name];
      const sign = name === "label" && column?.[k - 1] > 0 ? "+" : "";
      return column ? `${sign}${lab.number(column[k - 1])}` : whole;
    });

  /** The film with its bits unpacked: wrong(k) lists the rows that weights[k] would get wrong. */
  lab.unpacked = (film) => {
    const wide = Math.ceil(film.rows / 8);
    const text = film.wrong ? atob(film.wrong) : "";
    const wrong = (k) => {
      const rows = [];
      for (let byte = 0; byte < wide && text; byte += 1) {
        const bits = text.charCodeAt(k * wide + byte);
        for (let bit = 0; bits >> bit; bit += 1) {
          if ((bits >> bit) & 1) rows.push(8 * byte + bit);
        }
      }
      return rows;
    };
    return { ...film, wrongAt: wrong };
  };

  lab.place = (film, row) => film.places?.[row] ?? `row ${lab.number(row)}`;

  /** Whether a key is one of a browser's or a system's own combinations. */
  lab.modified = ({ ctrlKey, altKey, metaKey }) => ctrlKey || altKey || metaKey;

  /** A sentence for those who listen; many in quick succession become the last one. */
  let pending = 0;
  lab.say = (sentence) => {
    clearTimeout(pending);
    pending = setTimeout(() => { lab.find("said").textContent = sentence; }, 350);
  };

  /** A colour by its name, as the screen now has it. */
  lab.colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
})();
