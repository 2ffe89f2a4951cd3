// Local attention with a predicted place: the window, its Gaussian, and the weights that come out.
import { box, fixed, line, show, softmax, sum, text } from "./kit.mjs";

export const WORDS = ["heute", "sehen", "wir", "einen", "kleinen", "Hund", "im", "Garten"];
export const SCORES = [0, 1, 0, 1, 3, 1, 0, 0];

/** The softmax over the window of D words on each side of a place, the Gaussian, and their product. */
export function localWeights(scores, centre, D) {
  const softened = softmax(scores, scores.map((_, word) => Math.abs(word - centre) <= D));
  const sigma = D / 2;
  const gaussian = scores.map((_, word) => Math.exp(-((word - centre) ** 2) / (2 * sigma ** 2)));
  return { softened, gaussian, product: softened.map((weight, word) => weight * gaussian[word]) };
}

const [WIDTH, HEIGHT, LEFT, STEP, BASE, HIGH] = [360, 300, 30, 43, 232, 150];
const at = (word) => LEFT + STEP * word;

function ground() {
  const words = WORDS.map((word, i) => text(at(i) + 6, BASE + 14, word, "key", "end", -50));
  return [line([[8, BASE], [WIDTH, BASE]], "mute"), ...words];
}

/** Bars with their numbers: over each bar, or all at one height, where no line crosses them. */
function bars(weights, numbers = null) {
  return weights.map((weight, i) => {
    const height = HIGH * weight;
    const number = weight > 0 ? text(at(i), numbers ?? BASE - height - 10, fixed(weight), "ink small") : "";
    return box(at(i) - 14, BASE - height, 28, height, "weight bar") + number;
  }).join("");
}

function inWindow({ centre, D }) {
  const { softened } = localWeights(SCORES, centre, D);
  const [first, last] = [Math.max(at(centre - D), 2), Math.min(at(centre + D), WIDTH - 2)];
  const places = Array.from({ length: 106 }, (_, i) => i / 14 - 0.5).filter((word) => at(word) < WIDTH);
  const curve = places.map((word) => [at(word), BASE - HIGH * Math.exp(-((word - centre) ** 2) / (2 * (D / 2) ** 2))]);
  const parts = [
    box(first, BASE - HIGH - 12, last - first, HIGH + 12, "query shape"),
    ...ground(), bars(softened, BASE - HIGH - 25),
    line(curve, "context", 2.5), line([[at(centre), BASE - HIGH], [at(centre), BASE]], "query dashed", 2),
    text(4, 14, "softmax in the window", "weight", "start"), text(WIDTH - 60, 14, "Gaussian", "context", "end"),
    text(4, 34, "window around the place", "query", "start"),
  ];
  return { width: WIDTH, height: HEIGHT, svg: parts.join("") };
}

function weighted({ centre, D }) {
  const { product } = localWeights(SCORES, centre, D);
  const parts = [...ground(), bars(product), text(4, 14, `their product, sum ${fixed(sum(product))}`, "ink strong", "start")];
  return { width: WIDTH, height: HEIGHT, svg: parts.join("") };
}

export const figure = {
  title: "A window over the words of a sentence with its Gaussian, and the weights that they give",
  start: { centre: 3.6, D: 2 },
  controls: () => [
    { name: "centre", label: "place of the window", kind: "range", min: 0, max: 8, step: 0.1 },
    { name: "D", label: "half width D", kind: "range", min: 1, max: 4, step: 1, digits: 0 },
  ],
  panels: (state) => [inWindow(state), weighted(state)],
  say: ({ centre, D }) => {
    const { product } = localWeights(SCORES, centre, D);
    const seen = WORDS.filter((_, word) => Math.abs(word - centre) <= D);
    const most = product.indexOf(Math.max(...product));
    return `Place ${fixed(centre, 1)}, D ${D}: the window holds ${seen.join(", ")}. The product is largest for ${WORDS[most]}, ${fixed(product[most])}; all products sum to ${fixed(sum(product))}.`;
  },
  press: {
    panel: 0,
    near: ({ centre }, x, y) => Math.abs(x - at(centre)) < 28 && y < BASE,
    to: (_, x) => ({ centre: Math.round(Math.min(Math.max((x - LEFT) / STEP, 0), 8) * 10) / 10 }),
  },
};

show("window", figure);
