// Draws the figures, in the colours and at the size that the screen asks for, and again when it
// asks for others. Their JSON has light colours, and sizes for a desk.
(() => {
  "use strict";
  const root = document.documentElement;
  const dark = JSON.parse(document.getElementById("dark").textContent);
  const figures = document.querySelectorAll("script[data-figure]");
  const night = matchMedia("(prefers-color-scheme: dark)");
  const hall = matchMedia("screen and (min-width: 100rem)");
  const wanted = () => (night.matches ? "dark" : "light") + (hall.matches ? " large" : "");

  function larger(value) {
    if (typeof value === "number") return 1.5 * value;
    if (typeof value === "string") return `${1.5 * parseFloat(value)}px`;
    return value && "value" in value ? { ...value, value: larger(value.value) } : value;
  }

  function fitting(key, value) {
    if (night.matches && typeof value === "string" && value in dark) return dark[value];
    const sized = key === "size" || key === "line_width" || key.endsWith("font_size");
    return hall.matches && sized ? larger(value) : value;
  }

  async function draw() {
    const now = wanted();
    if (root.dataset.drawn === now) return;
    for (const old of Bokeh.documents.splice(0)) old.clear();
    for (const figure of figures) {
      const place = document.getElementById(figure.dataset.figure);
      place.replaceChildren();
      await Bokeh.embed.embed_item(JSON.parse(figure.textContent, fitting), place.id);
    }
    root.dataset.drawn = now;
  }

  let turn = Promise.resolve(); // one drawing at a time, or figures would be there twice
  const redraw = () => { turn = turn.then(draw); };
  for (const query of [night, hall]) {
    query.addEventListener("change", () => setTimeout(redraw, 200)); // windows change in small steps
  }
  root.classList.add("live");
  redraw();
})();
