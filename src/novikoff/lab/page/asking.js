// The page's state is its address: what the server is told, and what it answers. One question is
// open at a time, and the newest wins; whoever is asked twice is asked for the last thing only.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find } = lab;
  const OWN = ["step", "speed", "view"]; // keys of the address that are the page's own
  const DROWSY = "The lab's server does not answer. What you see stays; the next change asks again.";

  lab.problem = (sentence) => {
    const place = find("problem");
    place.textContent = sentence ?? "";
    place.hidden = !sentence;
  };

  /** JSON from the server. What it refuses is an error with its sentence. */
  lab.post = async (path, body, signal) => {
    let response;
    try {
      const headers = { "Content-Type": "application/json" };
      response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error(DROWSY);
    }
    const answer = await response.json().catch(() => null);
    if (response.ok) return answer;
    const refusal = new Error(answer?.problem ?? `The server answered ${response.status}.`);
    refusal.refused = response.status < 500;
    throw refusal;
  };

  let open = null; // the question that is being answered
  let next = null; // and the one to ask then

  /** Ask what an address means; `then(told)` or `failed(sentence, refused)` is called, or neither. */
  lab.ask = (question) => {
    next = question;
    if (!open) send();
    else if (question.charts) open.controller.abort();
  };

  async function send() {
    const question = next;
    const controller = new AbortController();
    next = null;
    open = { controller };
    try {
      const { address, charts } = question;
      const told = await lab.post("told", { address, charts }, controller.signal);
      if (!next?.charts) await question.then(told);
    } catch (error) {
      if (error.name !== "AbortError") question.failed(error.message, error.refused);
    } finally {
      open = null;
      if (next) send();
    }
  }

  /** The address in the browser's bar: the server's keys as they are, and the page's own. */
  lab.read = () => {
    const parts = location.search.replace(/^\?/, "").split("&").filter(Boolean);
    const mine = (part) => OWN.includes(part.split("=")[0]);
    const own = Object.fromEntries(parts.filter(mine).map((part) => {
      const [key, ...value] = part.split("=");
      return [key, value.join("=")];
    }));
    return { address: parts.filter((part) => !mine(part)).join("&"), own };
  };

  lab.written = (keys) => Object.entries(keys)
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&");

  /** Points as an address has them. */
  lab.pointsText = (points) => points
    .map(([x, y, label]) => `${label > 0 ? "p" : "n"}${x},${y}`).join("");
})();
