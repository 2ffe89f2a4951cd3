// The reader's own sentence: the word that asks is joined to every word by an arc as wide as its weight.
import { bend, box, circle, dot, fixed, show, softmax, sum, text } from "./kit.mjs";

/** What the word that asks may look at. */
export const MASKS = ["all words", "itself and words before", "all words but itself"];
const MOST_WORDS = 12;

/** The words of a sentence, at most twelve; a point where it has none. */
export function wordsOf(sentence) {
  const words = sentence.trim().split(/\s+/u).filter(Boolean).slice(0, MOST_WORDS);
  return words.length ? words : ["…"];
}

/** How often each pair of neighbouring letters stands in a word, with a mark at its beginning and its end. */
export function pairsOf(word) {
  const letters = [..."^", ...word.toLowerCase(), ..."$"];
  const counts = new Map();
  letters.slice(1).forEach((letter, i) => {
    const pair = letters[i] + letter;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  });
  return counts;
}

/** The cosine of two words' counts. */
export function likeness(one, other) {
  const [a, b] = [pairsOf(one), pairsOf(other)];
  const common = sum([...a].map(([pair, count]) => count * (b.get(pair) ?? 0)));
  const length = (counts) => Math.sqrt(dot([...counts.values()], [...counts.values()]));
  return common / (length(a) * length(b));
}

/** The weights of the word `asking` over all words. mask: an index of MASKS. */
export function weightsOf(words, asking, temperature, mask) {
  const scores = words.map((word) => likeness(words[asking], word) / temperature);
  const open = words.map((_, i) => (mask === 1 ? i <= asking : mask === 2 ? i !== asking : true));
  return softmax(scores, open);
}

const [WIDTH, ROW, TOP] = [360, 30, 30];
const askingIn = (state) => Math.min(state.word, wordsOf(state.sentence).length - 1);
const weightsIn = (state) => weightsOf(wordsOf(state.sentence), askingIn(state), state.temperature, state.mask);
const shortened = (word) => ([...word].length > 11 ? `${[...word].slice(0, 10).join("")}…` : word);

function arcs(state) {
  const words = wordsOf(state.sentence);
  const [asking, weights] = [askingIn(state), weightsIn(state)];
  const y = (i) => TOP + ROW * (i + 0.5);
  const parts = [text(152, 12, "words", "mute small", "start"), text(252, 12, "weights", "weight small", "start")];
  words.forEach((word, i) => {
    const look = i === asking ? "query strong" : "key";
    const reach = 132 - Math.min(128, 14 * Math.abs(i - asking) + 16);
    if (weights[i] > 0) {
      const arc = i === asking ? ["M", 144, y(i), "C", 96, y(i) - 26, 96, y(i) + 26, 144, y(i)]
        : ["M", 144, y(asking), "C", reach, y(asking), reach, y(i), 144, y(i)];
      parts.push(bend(arc, "weight", 10 * weights[i]));
    }
    parts.push(circle(146, y(i), 3, `${i === asking ? "query" : "key"} solid`), text(152, y(i), shortened(word), look, "start"));
    parts.push(box(252, y(i) - 8, 62 * weights[i], 16, "weight bar"), text(WIDTH, y(i), fixed(weights[i]), "ink small", "end"));
  });
  return { width: WIDTH, height: TOP + ROW * Math.max(words.length, 6), svg: parts.join("") };
}

export const figure = {
  title: "The words of a sentence, and arcs from one of them to all, as wide as its weights",
  start: { sentence: "the cat sat on the mat because the cats ate", word: 1, temperature: 0.2, mask: 0 },
  controls: (state) => [
    { name: "sentence", label: "your sentence, at most 12 words", kind: "text", longest: 90 },
    { name: "word", label: "the word that asks", kind: "choice", options: wordsOf(state.sentence).map((word, i) => `${i + 1} ${shortened(word)}`) },
    { name: "mask", label: "may look at", kind: "choice", options: MASKS },
    { name: "temperature", label: "temperature", kind: "range", min: 0.05, max: 2, step: 0.05, digits: 2 },
  ],
  panels: (state) => [arcs(state)],
  say: (state) => {
    const words = wordsOf(state.sentence);
    const order = weightsIn(state).map((weight, i) => [weight, i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const first = order.slice(0, 3).filter(([weight]) => weight > 0).map(([weight, i]) => `‘${words[i]}’ ${fixed(weight)}`);
    const asker = `‘${words[askingIn(state)]}’, word ${askingIn(state) + 1},`;
    return first.length ? `${asker} gives most to ${first.join(", ")}.` : `${asker} may look at no word: all its weights are 0.`;
  },
  press: {
    panel: 0,
    near: () => false,
    to: (state, _, y) => ({ word: Math.min(Math.max(Math.floor((y - TOP) / ROW), 0), wordsOf(state.sentence).length - 1) }),
  },
};

show("sentence", figure);
