// A mask that one paints: which token may see which, what leaks, and how far several layers reach.
import { bend, box, circle, dot, line, show, softmax, sum, text } from "./kit.mjs";

export const WORDS = ["The", "FBI", "is", "chasing", "a", "criminal", "on", "the", "run", "in", "the", "rain"];
const N = WORDS.length;
const LAST = N - 1;
const square = (rule) => WORDS.map((_, i) => WORDS.map((_, j) => Boolean(rule(i, j))));
const windowed = (i, j, window, gap, first) => j <= i && ((i - j < window * gap && (i - j) % gap === 0) || j < first);

/** The patterns to begin with, by name. Three of them are those of the chapter on sparse attention. */
export const PRESETS = {
  "all pairs": square(() => true),
  causal: square((i, j) => j <= i),
  "padding from token 10": square((_, j) => j < 9),
  "window of 4": square((i, j) => windowed(i, j, 4, 1, 0)),
  "3 keys, gaps of 2": square((i, j) => windowed(i, j, 3, 2, 0)),
  "window of 2, first token": square((i, j) => windowed(i, j, 2, 1, 1)),
};
const NAMES = Object.keys(PRESETS);
const preset = (kind) => ({ kind, mask: Object.values(PRESETS)[kind] });

/** A vector of four numbers for each token; the one that is changed is multiplied by -2. */
export function tokens(changed = -1) {
  return WORDS.map((_, i) => [1, 2, 3, 4].map((k) => (i === changed ? -2 : 1) * Math.sin((i + 1) * k)));
}

/** Self-attention, layer upon layer, with tokens as queries, keys and values; late: the mask comes after the softmax. */
export function outputs(X, mask, layers, late) {
  const layer = (rows) => rows.map((query, i) => {
    const scores = rows.map((key) => dot(query, key) / 2);
    const weights = late ? softmax(scores).map((weight, j) => (mask[i][j] ? weight : 0)) : softmax(scores, mask[i]);
    return query.map((_, k) => sum(rows.map((value, j) => weights[j] * value[k])));
  });
  return Array.from({ length: layers }).reduce(layer, X);
}

/** Whether the output of each token moves when one token is changed. */
export function moves({ mask, layers, late }, changed) {
  const [before, after] = [tokens(), tokens(changed)].map((X) => outputs(X, mask, layers, late));
  return before.map((row, i) => row.some((number, k) => Math.abs(number - after[i][k]) > 1e-12));
}

/** Whether any token moves an output before it. */
export const leaks = (state) => WORDS.some((_, changed) => moves(state, changed).slice(0, changed).some(Boolean));

/** The share that each token of the input has in each token after some layers, if all scores were equal. */
export function reach(mask, layers) {
  const step = mask.map((row) => row.map((seen) => (seen ? 1 / row.filter(Boolean).length : 0)));
  const product = (A) => A.map((row) => WORDS.map((_, j) => sum(row.map((share, k) => share * step[k][j]))));
  return Array.from({ length: layers - 1 }).reduce(product, step);
}

export const pairs = (mask) => sum(mask.map((row) => row.filter(Boolean).length));

/** What is to be painted: at most so many pairs in so many layers, without a leak; which pairs must be reached. */
export const TASKS = [
  { name: "none", says: "", most: N * N, layers: 1, reached: () => true },
  {
    name: "30 pairs, two layers", says: "token 12 hears token 1 by way of another", most: 30, layers: 2,
    reached: (share) => share[LAST][0] > 0, forbids: (mask) => mask[LAST][0],
  },
  {
    name: "40 pairs, three layers", says: "every token hears all before it", most: 40, layers: 3,
    reached: (share) => share.every((row, i) => row.slice(0, i + 1).every(Boolean)),
  },
];

/** What is still missing of a task, as sentences; none where it is done. */
export function missing(task, { mask, late }) {
  const { most, layers, reached, forbids } = TASKS[task];
  return [
    pairs(mask) > most && `There are ${pairs(mask)} pairs, at most ${most} are allowed.`,
    !reached(reach(mask, layers)) && `After ${layers} layers not everything that is asked for has arrived.`,
    forbids?.(mask) && "Token 12 may not attend to token 1 itself.",
    leaks({ mask, layers, late }) && "There is a leak.",
  ].filter(Boolean);
}

// --- The grid ---

const [WIDTH, HIGH, LEFT, TOP, CELL] = [360, 336, 84, 44, 22.5];
const at = (index, first) => first + CELL * index;

function cell(state, share, i, j) {
  const [x, y] = [at(j, LEFT), at(i, TOP)];
  const look = j > i ? "ink bar" : "key bar";
  const inside = state.mask[i][j] ? box(x + 1, y + 1, CELL - 2, CELL - 2, look) : "";
  return inside + (share[i][j] && state.layers > 1 ? circle(x + CELL / 2, y + CELL / 2, 2 + 6 * Math.sqrt(share[i][j]), "weight solid") : "");
}

function grid(state) {
  const share = reach(state.mask, state.layers);
  const [row, column] = state.cursor;
  const rules = Array.from({ length: N + 1 }, (_, i) => line([[LEFT, at(i, TOP)], [at(N, LEFT), at(i, TOP)]], "mute faint")
    + line([[at(i, LEFT), TOP], [at(i, LEFT), at(N, TOP)]], "mute faint"));
  const names = WORDS.map((word, i) => text(LEFT - 6, at(i + 0.5, TOP), `${word} ${i + 1}`, i === row ? "query strong small" : "query small", "end")
    + text(at(i + 0.5, LEFT), TOP - 10, i + 1, i === column ? "key strong small" : "key small"));
  const cells = WORDS.flatMap((_, i) => WORDS.map((_, j) => cell(state, share, i, j)));
  const drawn = [
    text(LEFT + CELL * N / 2, 10, "keys: what is seen", "key small"), text(2, TOP - 10, "queries", "query small", "start"),
    box(at(state.changed, LEFT), TOP, CELL, CELL * N, "ink faint shade"), rules, cells,
    box(at(column, LEFT), at(row, TOP), CELL, CELL, "query empty"),
  ];
  return { width: WIDTH, height: HIGH, svg: [...drawn.flat(), ...names].join("") };
}

// --- The sentence with its arcs ---

const BASE = 176;
const place = (i) => 22 + 28.6 * i;

function arc(state, i, j) {
  const [a, b] = [place(i), place(j)];
  const strong = i === state.cursor[0];
  const high = BASE - Math.min(14 + 12 * Math.abs(i - j), 150);
  const path = i === j ? ["M", a - 4, BASE, "C", a - 12, BASE - 22, a + 12, BASE - 22, a + 4, BASE]
    : ["M", a, BASE, "C", a, high, b, high, b, BASE];
  const look = j > i ? "ink dashed" : "key";
  return bend(path, strong ? look : `${look} faint`, strong ? 3 : 1);
}

function sentence(state) {
  const moved = moves(state, state.changed);
  const arcs = state.mask.flatMap((row, i) => row.flatMap((seen, j) => (seen ? [arc(state, i, j)] : [])));
  const words = WORDS.map((word, i) => {
    const look = i === state.changed ? "ink strong" : i === state.cursor[0] ? "query strong" : "key";
    const leak = moved[i] && i < state.changed;
    return text(place(i) + 6, BASE + 14, word, look, "end", -50)
      + circle(place(i), 278, 9, moved[i] ? "context solid" : "mute empty") + (leak ? circle(place(i), 278, 12, "ink empty") : "");
  });
  const lamp = leaks(state);
  const done = missing(state.task, state).length ? "not yet done" : "done";
  const drawn = [
    text(4, 12, `${pairs(state.mask)} of ${N * N} pairs${state.task ? `; the task is ${done}` : ""}`, "ink strong", "start"),
    ...arcs, ...words,
    text(4, 254, `“${WORDS[state.changed]}” (${state.changed + 1}) is changed: outputs that move`, "context small", "start"),
    circle(16, 314, 11, lamp ? "ink solid" : "mute empty"),
    text(34, 314, lamp ? "leak: a later token moves an earlier output" : "no leak", lamp ? "ink small" : "ink small", "start"),
  ];
  return { width: WIDTH, height: HIGH, svg: drawn.join("") };
}

// --- Painting ---

const inside = (index) => index >= 0 && index < N;
const cellAt = (x, y) => [Math.floor((y - TOP) / CELL), Math.floor((x - LEFT) / CELL)];

/** The state with a cell painted or cleared. */
export function painted(state, [i, j], value) {
  if (!inside(i) || !inside(j)) return {};
  return { cursor: [i, j], kind: NAMES.length, mask: state.mask.map((row, r) => (r === i ? row.map((old, c) => (c === j ? value : old)) : row)) };
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function key(state, pressed) {
  const [i, j] = state.cursor;
  if (pressed === " ") return painted(state, [i, j], !state.mask[i][j]);
  if (!ARROWS[pressed]) return null;
  const to = [i + ARROWS[pressed][0], j + ARROWS[pressed][1]];
  return to.every(inside) ? { cursor: to } : {};
}

const near = (state, x, y) => {
  const [i, j] = cellAt(x, y);
  return inside(i) && inside(j) ? { value: !state.mask[i][j] } : null;
};

const BY_KEYS = "in the grid the arrow keys move from pair to pair, the space bar paints or clears.";
const start = { ...preset(1), cursor: [LAST, 0], layers: 1, late: 0, changed: LAST, task: 0 };

export const figure = {
  title: "A square of twelve queries and twelve keys in which the mask is painted, and the sentence with an arc for each pair",
  start,
  frame: { ...start, ...preset(3), layers: 3 },
  asks: [
    {
      question: "The causal mask is applied to the weights, after the softmax. The last word is changed. Does the output of the first word move?",
      answers: ["No: its weight for the last word is 0", "Yes"],
      right: 1,
      shows: () => ({ ...start, late: 1 }),
      because: () => "The weight is 0, but the softmax has divided by a sum that holds the last word's score. All outputs move.",
    },
    {
      question: "Each token sees itself and the three before it. After how many layers does token 12 hear token 1?",
      answers: ["3", "4", "11", "Never"],
      right: 1,
      shows: () => ({ ...start, ...preset(3), layers: 4, changed: 0 }),
      because: () => "Each layer reaches three tokens further: 1 + 3 · 4 = 13. The dots in the last row show what arrives; go back to three layers, and the one in column 1 is gone.",
    },
    {
      question: "Only the diagonal is cleared in the causal mask. Which token is in trouble?",
      answers: ["The first", "The last", "None"],
      right: 0,
      shows: () => ({ ...start, kind: NAMES.length, mask: square((i, j) => j < i), cursor: [0, 0], changed: 0 }),
      because: () => "Its row is empty: it can see nothing, and a softmax over nothing has no weights. (Here its output is then 0.)",
    },
  ],
  controls: (state) => [
    { name: "kind", label: "begin with", kind: "choice", options: [...NAMES, "your own"], set: (kind) => (kind < NAMES.length ? preset(kind) : { kind }) },
    { name: "layers", label: "layers", kind: "range", min: 1, max: 5, step: 1, digits: 0 },
    { name: "changed", label: "token that is changed", kind: "range", min: 1, max: N, step: 1, digits: 0, value: state.changed + 1, set: (number) => ({ changed: number - 1 }) },
    { name: "late", label: "the mask is applied", kind: "choice", options: ["before the softmax", "after it"] },
    { name: "task", label: "task", kind: "choice", options: TASKS.map(({ name }) => name) },
  ],
  panels: (state) => [grid(state), sentence(state)],
  say: (state) => {
    const heard = reach(state.mask, state.layers)[state.cursor[0]].filter(Boolean).length;
    const [i, j] = state.cursor;
    const now = `Query ${i + 1}, key ${j + 1}: ${state.mask[i][j] ? "seen" : "hidden"}. ${pairs(state.mask)} of ${N * N} pairs. After ${state.layers} ${state.layers > 1 ? "layers" : "layer"} token ${i + 1} hears ${heard} tokens. ${leaks(state) ? "A leak." : "No leak."}`;
    if (!state.task) return now;
    const left = missing(state.task, state);
    return `${now} Paint a mask so that ${TASKS[state.task].says}, without a leak: ${left.length ? left.join(" ") : "done."}`;
  },
  press: {
    panel: 0,
    label: `The mask: ${BY_KEYS}`,
    key,
    near,
    to: (state, x, y, held) => (held ? painted(state, cellAt(x, y), held.value) : {}),
  },
  keys: BY_KEYS,
};

show("mask", figure);
