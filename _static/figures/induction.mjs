// Two heads that find each other in training: the reader guesses the loss, drags through the steps, removes heads.
import { bend, box, circle, fixed, line, show, sum, text } from "./kit.mjs";
import { RUN } from "./induction_run.mjs";

const LAST = RUN.steps.length - 1;
const HEADS = ["layer 1, head 1", "layer 1, head 2", "layer 2, head 1", "layer 2, head 2"];
const at = (i) => 18 + 25 * i;

/** Three guesses of how the loss falls, from that of a guess to nearly 0. */
const SHAPES = [
  (part) => 1 - part,
  (part) => Math.exp(-6 * part),
  (part) => 1 / (1 + Math.exp(24 * (part - 0.35))),
];
const BY_HAND = SHAPES.length;
const curveOf = (shape) => RUN.steps.map((_, i) => RUN.guess * SHAPES[shape](i / LAST));
const guessOf = ({ shape, own }) => (shape === BY_HAND ? own : curveOf(shape));

/** Which heads are kept, as the run names them: "1101" where the third is removed. */
export const keptOf = (state) => HEADS.map((_, head) => (state[`head${head}`] ? "0" : "1")).join("");

/** The places right after an earlier occurrence of the token at t. */
export const findsOf = (t) => RUN.letters.flatMap((letter, j) => (j < t && letter === RUN.letters[t] ? [j + 1] : []));

/** What each layer's head looks for: the token before, and what came after an earlier occurrence. */
const WANTED = [(t) => (t ? [t - 1] : []), findsOf];

/** The weight on what a layer's head looks for, as the mean over the tokens of the sequence that have it. */
export function sharp(step, layer) {
  const asking = RUN.letters.map((_, t) => t).filter((t) => WANTED[layer](t).length);
  const found = asking.map((t) => sum(WANTED[layer](t).map((k) => RUN.maps[step][layer][t][k])) / 100);
  return sum(found) / found.length;
}

/** Whether each token whose next one can be known is followed by the right prediction at this moment. */
export function verdicts(kept, step) {
  return RUN.known.flatMap((known, i) => (known ? [[i + 1, RUN.kept[kept].predicted[step][i] === RUN.letters[i + 1]]] : []));
}

// --- The loss ---

const [LEFT, RIGHT, BOTTOM, HIGH] = [34, 346, 236, 196];
const across = (i) => LEFT + ((RIGHT - LEFT) * i) / LAST;
const up = (loss) => BOTTOM - (HIGH * Math.min(loss, 3.6)) / 3.6;
const curve = (losses) => losses.map((loss, i) => [across(i), up(loss)]);

function losses(state) {
  const [{ shown, step }, guess] = [state, guessOf(state)];
  const ground = [
    line([[LEFT, BOTTOM], [RIGHT, BOTTOM]], "mute"), line([[LEFT, up(3.6)], [LEFT, BOTTOM]], "mute"),
    ...[0, 1, 2, 3].map((loss) => text(LEFT - 8, up(loss), loss, "ink small", "end")),
    ...[0, 100, 200].map((number) => text(across(number / 10), BOTTOM + 16, number, "ink small")),
    line([[LEFT, up(RUN.guess)], [RIGHT, up(RUN.guess)]], "mute dashed"),
    text(RIGHT, up(RUN.guess) - 11, "a guess among 23 tokens", "mute small", "end"),
    text(4, 10, "loss at known places", "ink strong", "start"),
    text(RIGHT, BOTTOM + 34, "steps of training", "ink small", "end"),
  ];
  const own = line(curve(guess), "ink dashed", 2.5) + text(RIGHT, up(guess[14]) - 14, "your guess", "ink", "end");
  if (!shown) return { width: 360, height: 280, svg: [...ground, own].join("") };
  const [x, y] = curve(RUN.losses)[step];
  const parts = [
    line(curve(RUN.single), "mute", 2), text(RIGHT, up(RUN.single[17]) - 14, "one layer", "mute", "end"),
    line(curve(RUN.losses), "ink", 3), text(across(8), up(0.35), "two layers", "ink strong", "start"),
    line([[x, up(3.4)], [x, BOTTOM]], "ink dashed"), circle(x, y, 10, "ink shape"),
  ];
  return { width: 360, height: 280, svg: [...ground, own, ...parts].join("") };
}

// --- The two heads ---

/** The weights of a layer's head: arcs from each token to those that it looks at. */
function arcs(step, layer, base, faint) {
  return RUN.letters.flatMap((_, t) => RUN.maps[step][layer][t].map((weight, k) => {
    if (weight < 4 || k === t) return "";
    const height = Math.min(10 + 5 * (t - k), 52);
    const look = WANTED[layer](t).includes(k) ? "weight" : "mute";
    return bend(["M", at(t), base, "C", at(t), base - height, at(k), base - height, at(k), base],
      `${look}${faint ? " faint" : ""}`, 0.5 + (5 * weight) / 100);
  })).join("");
}

const letters = (y) => RUN.letters.map((letter, i) => text(at(i), y, letter, "ink")).join("");

function heads(state) {
  const { step, shown } = state;
  const when = shown ? step : 0;
  const kept = keptOf(state);
  const [one, two] = RUN.best.map((head, layer) => kept[2 * layer + head] === "0");
  const parts = [
    text(4, 10, "layer 2: what came after it before?", "ink strong", "start"), score(when, 1, 10),
    arcs(when, 1, 76, two), letters(88),
    text(4, 114, "layer 1: which token stands before?", "ink strong", "start"), score(when, 0, 114),
    arcs(when, 0, 168, one), letters(180),
    ...predictions(kept, when, shown),
  ];
  return { width: 360, height: 280, svg: parts.join("") };
}

/** How much of its weight a layer's head gives to what it looks for. */
const score = (step, layer, y) => text(356, y, `weight ${fixed(sharp(step, layer))}`, "weight small", "end");

/** The tokens predicted at this moment, right or wrong, where the next token can be known. */
function predictions(kept, step, shown) {
  if (!shown) return [text(4, 220, "step 0, before any training", "mute", "start")];
  const { loss, predicted } = RUN.kept[kept];
  const left = [...kept].filter((one) => one === "1").length;
  return [
    text(4, 212, `after step ${RUN.steps[step]}, ${left} of 4 heads: loss ${fixed(loss[step])}`, "ink strong", "start"),
    ...verdicts(kept, step).flatMap(([i, right]) => [
      box(at(i) - 11, 226, 22, 40, right ? "ink empty" : "mute bar"),
      text(at(i), 238, predicted[step][i - 1], right ? "ink strong" : "ink"), text(at(i), 256, right ? "✓" : "✗", "ink"),
    ]),
    text(4, 246, "predicted", "ink small", "start"),
  ];
}

function say(state) {
  if (!state.shown) return "Before training the model does no better than a guess. Draw how it will fall in 200 steps, or choose a curve; then look at what happened.";
  const { step } = state;
  const kept = keptOf(state);
  const right = verdicts(kept, step);
  const off = HEADS.filter((_, head) => kept[head] === "0");
  return `Step ${RUN.steps[step]}: loss ${fixed(RUN.losses[step])}; on this sequence layer 1 gives ${fixed(sharp(step, 0))} to the token before, layer 2 ${fixed(sharp(step, 1))} to what came after. ${off.length ? `Without ${off.join("; ")}` : "With all heads"}: loss ${fixed(RUN.kept[kept].loss[step])}, ${right.filter((one) => one[1]).length} of ${right.length} predictions right.`;
}

/** The curve with a new loss at place i, and a straight line to it from where the pointer was before. */
function drawnTo(curve, held, i, loss) {
  const [from, before] = held?.at ?? [i, loss];
  if (held) held.at = [i, loss];
  const part = (j) => (i === from ? 1 : (j - from) / (i - from));
  const between = (j) => j >= Math.min(from, i) && j <= Math.max(from, i);
  return curve.map((old, j) => (between(j) ? before + part(j) * (loss - before) : old));
}

const START = { shown: 0, shape: 0, own: curveOf(0), step: 0, head0: 0, head1: 0, head2: 0, head3: 0 };

export const figure = {
  title: "The loss of a model in training, and what one head in each of its two layers looks at meanwhile",
  start: START,
  frame: { ...START, shown: 1, step: LAST },
  controls: ({ shown, step }) => [
    { name: "shape", label: "your guess: draw it, or choose", kind: "choice", options: ["evenly", "at once", "slowly, then in a few steps", "as drawn"] },
    { name: "shown", label: "then look", kind: "choice", options: ["my guess alone", "what happened"] },
    ...(shown ? [
      { name: "step", label: "step of training", kind: "range", min: 0, max: LAST, step: 1, words: String(RUN.steps[step]), play: true },
      ...HEADS.map((head, i) => ({ name: `head${i}`, label: head, kind: "choice", options: ["kept", "removed"] })),
    ] : []),
  ],
  panels: (state) => [losses(state), heads(state)],
  say,
  press: {
    panel: 0,
    near: ({ shown, step }, x) => (!shown || Math.abs(x - across(step)) < 26 ? {} : null),
    to: (state, x, y, held) => {
      const i = Math.round(Math.min(Math.max(((x - LEFT) / (RIGHT - LEFT)) * LAST, 0), LAST));
      if (state.shown) return { step: i };
      return { shape: BY_HAND, own: drawnTo(guessOf(state), held, i, Math.min(Math.max((3.6 * (BOTTOM - y)) / HIGH, 0), 3.6)) };
    },
  },
};

show("induction", figure);
