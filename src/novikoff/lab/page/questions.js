// The page's state is its address: what the server is asked, and what it answers. One question is
// open at a time, and the newest wins; whoever is asked twice is asked for the last thing only.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find } = lab;
  const OWN = ["step", "speed", "view", "band", "challenge"]; // keys of the address that are the page's own
  const DROWSY = "The lab's server does not answer. What you see stays; the next change asks again.";

  const BROKEN = "The server's answer did not arrive whole. What you see stays; the next change asks again.";
  const DEFECT = "This page has a defect: it was answered, and could not show the answer. Reload it to go on.";
  const SLOW = 400; // milliseconds after which waiting is shown

  lab.problem = (sentence) => {
    const place = find("problem");
    place.textContent = sentence ?? "";
    place.hidden = !sentence;
  };

  /** Show that something is waited for, if it takes long; one wait may follow upon another. */
  let waits = 0;
  let slow = 0;
  lab.awaited = async (promise) => {
    waits += 1;
    slow = slow || setTimeout(() => busy(true), SLOW);
    try {
      return await promise;
    } finally {
      waits -= 1;
      setTimeout(() => { if (!waits) busy(false); });
    }
  };

  function busy(on) {
    if (!on) clearTimeout(slow);
    if (!on) slow = 0;
    find("busy").hidden = !on;
    find("main").setAttribute("aria-busy", String(on));
  }

  /** JSON from the server. What it refuses is an error with its sentence. */
  lab.post = (path, body, signal) => lab.awaited(post(path, body, signal));
  const post = async (path, body, signal) => {
    let response;
    try {
      const headers = { "Content-Type": "application/json" };
      response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error(DROWSY);
    }
    const answer = await response.json().catch((error) => {
      if (error.name === "AbortError") throw error;
      return null;
    });
    if (response.ok && answer === null) throw new Error(BROKEN);
    if (response.ok) return answer;
    const refusal = new Error(answer?.problem ?? `The server answered ${response.status}.`);
    refusal.refused = response.status < 500;
    throw refusal;
  };

  let open = null; // the question that is being answered
  let next = null; // and the one to ask then

  /** Ask what an address means; `then(scene)` or `failed(sentence, refused)` is called, or neither. */
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
      const answer = await answered(question, controller.signal);
      if (answer && !next?.charts) await answer();
    } catch (error) { // not the server's: nobody but this page can be at fault
      lab.problem(DEFECT);
      reportError(error);
    } finally {
      open = null;
      if (next) send();
    }
  }

  /** What to do with the server's answer, or with its refusal; null if the question was let go. */
  async function answered({ address, charts, then, failed }, signal) {
    try {
      const scene = await lab.post("scene", { address, charts }, signal);
      return () => then(scene);
    } catch (error) {
      return error.name === "AbortError" ? null : () => failed(error.message, error.refused);
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
