// The sentence on the first page: the word under the pointer, or with the focus, shows its weights, as marks
// behind the words and as lines to them.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  for (const figure of document.querySelectorAll(".first-sentence")) {
    const weights = JSON.parse(figure.dataset.weights);
    const asks = [...figure.querySelectorAll("button")];
    const answers = [...figure.querySelectorAll(".answers span")];
    const told = figure.querySelector(".told");
    const word = (answer) => answer.firstChild.textContent.trim();
    const percent = (weight) => `${Math.round(100 * weight)} %`;
    const lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    lines.setAttribute("aria-hidden", "true");
    figure.append(lines);

    const draw = () => {
      const here = figure.getBoundingClientRect();
      const i = asks.findIndex((ask) => ask.getAttribute("aria-pressed") === "true");
      const from = asks[i].getBoundingClientRect();
      const middle = (box) => box.left + box.width / 2 - here.left;
      lines.replaceChildren(
        ...answers.map((answer, j) => {
          const to = answer.getBoundingClientRect();
          const [y1, y2] = [from.bottom - here.top, to.top - here.top];
          const line = document.createElementNS(lines.namespaceURI, "path");
          const [a, b] = [middle(from), middle(to)];
          line.setAttribute("d", `M${a} ${y1} C${a} ${(y1 + y2) / 2} ${b} ${(y1 + y2) / 2} ${b} ${y2}`);
          line.style.strokeWidth = `${weights[i][j] < 0.02 ? 0 : 1 + 11 * weights[i][j]}px`;
          return line;
        }),
      );
    };

    const show = (i) => {
      const row = weights[i];
      const most = row.indexOf(Math.max(...row));
      asks.forEach((ask, k) => ask.setAttribute("aria-pressed", String(k === i)));
      answers.forEach((answer, j) => {
        answer.style.setProperty("--weight", row[j]);
        answer.querySelector("small").textContent = percent(row[j]);
      });
      told.textContent = `“${asks[i].textContent}” takes ${percent(row[most])} from “${word(answers[most])}”.`;
      draw();
    };

    asks.forEach((ask, i) => {
      for (const event of ["pointerenter", "focus", "click"]) ask.addEventListener(event, () => show(i));
    });
    new ResizeObserver(draw).observe(figure);
  }
});
