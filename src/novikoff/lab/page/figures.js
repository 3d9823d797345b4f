// Figures: embedded in the colours and at the size that the screen asks for, found again by the
// names of their parts, and taken away. Their JSON has light colours and sizes for a desk.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const root = document.documentElement;
  const dark = lab.data("dark");
  const night = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];

  const large = () => root.dataset.view === "projector";

  function larger(value) {
    if (typeof value === "number") return 1.5 * value;
    if (typeof value === "string" && /^[\d.]+px$/.test(value)) return `${1.5 * parseFloat(value)}px`;
    return value && typeof value === "object" && "value" in value
      ? { ...value, value: larger(value.value) }
      : value;
  }

  function fitting(key, value) {
    if (night.matches && typeof value === "string" && value in dark) return dark[value];
    const sized = key === "size" || key === "line_width" || key.endsWith("font_size");
    return large() && sized ? larger(value) : value;
  }

  /** No part of a figure takes the focus: it is a picture, and what can be done is done by keys. */
  function unfocused(node) {
    for (const each of node.querySelectorAll("*")) {
      if (each.hasAttribute("tabindex")) each.tabIndex = -1;
      if (each.shadowRoot) unfocused(each.shadowRoot);
    }
  }

  /** A queue of its own: works one after the other, whether or not the one before went well. */
  lab.queue = () => {
    let last = Promise.resolve();
    return (work) => {
      const mine = last.then(work);
      last = mine.catch(() => {}); // whoever asked for it sees the error
      return mine;
    };
  };

  /** A figure in an element, in the place of what was there. */
  lab.embed = async (item, element) => {
    const own = JSON.parse(JSON.stringify(item), fitting);
    const room = lab.made("div", { class: "figure" });
    element.replaceChildren(room);
    const views = await Bokeh.embed.embed_item(own, room);
    const view = views.roots[0];
    unfocused(room);
    const doc = view.model.document;
    const models = new Map();
    const model = (name) => {
      if (!models.has(name)) models.set(name, doc.get_model_by_name(name));
      return models.get(name);
    };
    return {
      view,
      model,
      plot: view.model,
      put: (name, data) => { model(name).data = data; },
      remove: () => {
        views.clear();
        doc.clear();
        const at = Bokeh.documents.indexOf(doc);
        if (at >= 0) Bokeh.documents.splice(at, 1);
        room.remove();
      },
    };
  };

  /** Call when colours or sizes of the screen are others: figures must be embedded again. */
  lab.onlook = (listener) => { listeners.push(listener); };
  lab.looked = () => { for (const listener of listeners) listener(); };
  night.addEventListener("change", lab.looked);

  /** The same work, once for each frame of the screen, however often it is asked for. */
  lab.framed = (work) => {
    let waiting = 0;
    return () => {
      if (waiting) return;
      waiting = requestAnimationFrame(() => { waiting = 0; work(); });
    };
  };

  /** The same, but the first time at once: Bokeh waits for a frame of its own after it. */
  lab.prompt = (work) => {
    let busy = false;
    let again = false;
    const done = () => {
      busy = false;
      if (again) start();
    };
    const start = () => {
      [busy, again] = [true, false];
      requestAnimationFrame(done);
      work();
    };
    return () => {
      if (busy) again = true;
      else start();
    };
  };
})();
