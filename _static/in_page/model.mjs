// The stored language model and a reader's own text: asks the worker, and shows what it answers.
import { ask, isBusy } from "./checker.mjs";

const BUSY = "The page is computing something else: wait for it, and ask again.";
const EMPTY = "The text is empty: type a word, and ask again.";
const MOST_WRITTEN = 32; // as course/model_in_page.py has it

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const shown = (token) => token.replaceAll(" ", "␣").replaceAll("\n", "↵");
const header = (words, scope) => element("th", { textContent: words, scope });
const nameOf = ([block, head]) => `block ${block + 1}, head ${head + 1}`;

/** A probability as a bar and a number. */
const bar = (probability) => {
  const drawn = element("span", { className: "in-page-bar" });
  drawn.style.width = `${6 * probability}rem`;
  return element("td", {}, element("span", { textContent: probability.toFixed(4) }), drawn);
};

const showNext = (place, rows, off) => {
  const names = ["Token", "Probability", ...(off ? [`Without ${nameOf(off)}`] : [])];
  const lines = rows.map(([token, before, after]) =>
    element("tr", {}, header(shown(token), "row"), bar(before), ...(off ? [bar(after)] : [])));
  const head = element("tr", {}, ...names.map((name) => header(name, "col")));
  place.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines)));
};

/** A head's weights as a small picture: a pixel for each pair of tokens. */
const paint = (canvas, weights) => {
  canvas.width = canvas.height = weights.length;
  const context = canvas.getContext("2d");
  weights.forEach((row, y) => row.forEach((weight, x) => {
    context.fillStyle = `rgb(138 79 208 / ${weight})`;
    context.fillRect(x, y, 1, 1);
  }));
};

const showMap = (place, tokens, weights, head) => {
  const caption = `Weights of ${nameOf(head)}: rows look at columns`;
  const cells = (row) => row.map((weight, j) => {
    const cell = element("td", { textContent: weight ? weight.toFixed(2) : "" });
    cell.style.setProperty("--weight", weight);
    cell.title = `${shown(tokens[j])}: ${weight}`;
    return cell;
  });
  const lines = weights.map((row, i) => element("tr", {}, header(shown(tokens[i]), "row"), ...cells(row)));
  const top = element("tr", {}, element("td"), ...tokens.map((token) => header(shown(token), "col")));
  place.replaceChildren(element("table", {}, element("caption", { textContent: caption }),
    element("thead", {}, top), element("tbody", {}, ...lines)));
};

/** The most probable token, in a sentence that is read out. */
const sentence = ({ cut, next }, off) => {
  const most = (place) => next.reduce((best, row) => (row[place] > best[place] ? row : best));
  const told = (place) => `“${shown(most(place)[0])}” with ${most(place)[place].toFixed(2)}`;
  const words = [cut, `Most probable next token: ${told(1)}.`, off ? `Without ${nameOf(off)}: ${told(2)}.` : ""];
  return words.filter(Boolean).join(" ");
};

/** Bring the model's place in a page to life. */
export const startModel = (widget) => {
  const part = (name) => widget.querySelector(`.in-page-${name}`);
  const [area, slider] = ["textarea", "input"].map((tag) => widget.querySelector(tag));
  const heads = [...widget.querySelectorAll(".in-page-head")];
  const headOf = ({ dataset }) => [Number(dataset.block), Number(dataset.head)];
  let off = null;
  let seen = [0, 0];

  const show = (found) => {
    part("answers").hidden = false;
    showNext(part("next"), found.next, off);
    heads.forEach((button) => {
      const [block, head] = headOf(button);
      button.setAttribute("aria-pressed", String(off !== null && String(off) === String([block, head])));
      paint(button.querySelector("canvas"), found.maps[block][head]);
    });
    showMap(part("map"), found.tokens, found.maps[seen[0]][seen[1]], seen);
    part("written").hidden = !found.written;
    part("written").replaceChildren(found.read, element("mark", { textContent: found.written }));
  };

  /** Ask with these changes; they stay where the model answers. */
  const run = async ({ steps = 0, head = off } = {}) => {
    const say = (words) => (part("status").textContent = words);
    if (!area.value.trim()) return say(EMPTY);
    if (isBusy()) return say(BUSY);
    const seed = Math.floor(Math.random() * 2 ** 31);
    const question = { text: area.value, off: head, steps, temperature: Number(slider.value), seed };
    const { answer, stopped, failure } = await ask({ question }, say);
    if (!answer) return say(stopped ? "It took too long, and was stopped." : `The model could not run: ${failure}. Try again.`);
    off = head;
    show(answer);
    return say(sentence(answer, off));
  };

  part("ask").addEventListener("click", () => run());
  part("write").addEventListener("click", () => run({ steps: MOST_WRITTEN }));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  });
  slider.addEventListener("input", () => (slider.nextElementSibling.textContent = Number(slider.value).toFixed(1)));
  heads.forEach((button) => button.addEventListener("click", () => {
    seen = headOf(button);
    run({ head: button.getAttribute("aria-pressed") === "true" ? null : seen });
  }));
};
