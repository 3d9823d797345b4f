// Points from a CSV: pasted or from a file, two of its columns and the one with the classes chosen.
(() => {
  "use strict";
  const lab = (window.lab ??= {});
  const { find, made, number } = lab;
  const dialog = find("paste-dialog");
  const CHOSEN = ["x", "y", "target"];
  let found = null;
  let waiting = 0;
  let serial = 0;

  function tell(sentence, wrong = false) {
    find("paste-note").textContent = sentence;
    find("paste-note").classList.toggle("wrong", wrong);
    find("paste-use").disabled = !found;
  }

  /** What was found is of a text, or of columns, that are others now. */
  function forget() {
    clearTimeout(waiting);
    found = null;
    find("paste-use").disabled = true;
    return (serial += 1);
  }

  const question = (text, chosen) => ({
    text, ...Object.fromEntries(CHOSEN.map((id) => [id, chosen ? find(`paste-${id}`).value : null])),
  });

  /** Why a text cannot be sent, or "": it is its size as a question that counts, with its escapes. */
  function tooLarge(asked) {
    const { bytes } = lab.data("choices").limits;
    const size = new TextEncoder().encode(JSON.stringify(asked)).length;
    return size > bytes ? `The text has ${number(size)} bytes as it is sent; ${number(bytes)} are the most.` : "";
  }

  /** Have the text read; with chosen, by the columns that are selected. */
  async function read(chosen) {
    const text = find("paste-text").value;
    const mine = forget();
    if (!text.trim()) return tell("");
    const asked = question(text, chosen);
    if (tooLarge(asked)) return tell(tooLarge(asked), true);
    try {
      const answer = await lab.post("points", asked);
      if (mine !== serial) return;
      for (const id of CHOSEN) {
        find(`paste-${id}`).replaceChildren(...answer.columns.map((name) => made("option", { value: name }, name)));
        find(`paste-${id}`).value = answer[id] ?? "";
      }
      if (answer.problem) return tell(answer.problem, true);
      found = answer;
      const count = (answer.points.match(/[np]/g) ?? []).length;
      const [negative, positive] = answer.labels;
      tell(`${number(count)} points; class −1 is ${negative}, class +1 is ${positive}. ${answer.note ?? ""}`);
    } catch (error) {
      if (mine === serial) tell(error.message, true);
    }
  }

  find("paste").addEventListener("click", () => dialog.showModal());
  find("paste-text").addEventListener("input", () => {
    forget();
    waiting = setTimeout(() => read(false), 250);
  });
  find("paste-file").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    const mine = forget();
    const { bytes } = lab.data("choices").limits;
    if (file.size > bytes) return tell(`The file has ${number(file.size)} bytes; ${number(bytes)} are the most.`, true);
    const text = await textOf(file);
    if (mine !== serial) return;
    target.value = ""; // the same file can be chosen again
    if (text === null) return tell(`${file.name} is not text in UTF-8. Save it in that encoding, and choose it again.`, true);
    const wrong = tooLarge(question(text, false));
    if (wrong) return tell(wrong, true);
    find("paste-text").value = text;
    read(false);
  });

  /** A file's text, or null if it is not UTF-8. */
  async function textOf(file) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      return null;
    }
  }
  for (const id of CHOSEN) find(`paste-${id}`).addEventListener("change", () => read(true));
  find("paste-use").addEventListener("click", () => {
    dialog.close();
    lab.points.remember();
    lab.controls.settle();
    lab.go({ points: found.points, ...found.names, ...lab.controls.settings() }, { push: true, anew: true });
  });
})();
