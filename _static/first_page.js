// The sentence on the first page: the word under the pointer, or with the focus, shows its weights.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  for (const figure of document.querySelectorAll(".first-sentence")) {
    const weights = JSON.parse(figure.dataset.weights);
    const asks = [...figure.querySelectorAll("button")];
    const answers = [...figure.querySelectorAll(".answers span")];
    const told = figure.querySelector(".told");
    const word = (answer) => answer.firstChild.textContent.trim();
    const percent = (weight) => `${Math.round(100 * weight)} %`;

    const show = (i) => {
      const row = weights[i];
      const most = row.indexOf(Math.max(...row));
      asks.forEach((ask, k) => ask.setAttribute("aria-pressed", String(k === i)));
      answers.forEach((answer, j) => {
        answer.style.setProperty("--weight", row[j]);
        answer.querySelector("small").textContent = percent(row[j]);
      });
      told.textContent = `“${asks[i].textContent}” takes ${percent(row[most])} from “${word(answers[most])}”.`;
    };

    asks.forEach((ask, i) => {
      for (const event of ["pointerenter", "focus", "click"]) ask.addEventListener(event, () => show(i));
    });
  }
});
