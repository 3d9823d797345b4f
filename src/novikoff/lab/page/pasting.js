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

  /** Have the text read; with chosen, by the columns that are selected. */
  async function read(chosen) {
    const text = find("paste-text").value;
    const mine = (serial += 1);
    found = null;
    if (!text.trim()) return tell("");
    const columns = Object.fromEntries(CHOSEN.map((id) => [id, chosen ? find(`paste-${id}`).value : null]));
    try {
      const answer = await lab.post("points", { text, ...columns });
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
    clearTimeout(waiting);
    waiting = setTimeout(() => read(false), 250);
  });
  find("paste-file").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    const { bytes } = lab.data("choices").limits;
    if (file.size > bytes) return tell(`The file has ${number(file.size)} bytes; ${number(bytes)} are the most.`, true);
    find("paste-text").value = await file.text();
    read(false);
  });
  for (const id of CHOSEN) find(`paste-${id}`).addEventListener("change", () => read(true));
  find("paste-use").addEventListener("click", () => {
    dialog.close();
    lab.go({ points: found.points, ...lab.controls.settings() }, { push: true, anew: true });
  });
})();
