// One query among four keys and four values in the plane: shadows, bars, weights that fill one bar, and the context
// inside the convex hull of the values. The numbers are those of "chasing" in the chapter on self-attention.
import { apart, arrow, box, circle, dot, fixed, line, part, show, softmax, sum, text } from "./kit.mjs";

export const WORDS = ["The", "FBI", "is", "chasing"];
export const QUERY = [1, 2, 1, 0];
export const KEYS = [[1, 0, 1, 1], [1, 2, 1, 0], [0, 1, 2, -1], [1, -1, -1, 2]];
export const VALUES = [[0, 1], [4, 0], [0, 2], [0, -1]];
// The query that the figure begins with: QUERY lies on the key of "FBI", and neither could be seen. In the same plane.
export const BEGIN = [1.3, 1.7, 0.7, 0.6];
const ROOT = Math.sqrt(QUERY.length);

const length = (vector) => Math.sqrt(dot(vector, vector));
const times = (number, vector) => vector.map((entry) => number * entry);
const plus = (a, b) => a.map((entry, i) => entry + b[i]);

/** Vectors of four entries in the plane of the query and what the last key has beside it: each dot product with the
 *  query stays what it is, since the plane holds the query. */
export function flattened(vectors) {
  const along = times(1 / length(QUERY), QUERY);
  const rest = plus(KEYS[3], times(-dot(KEYS[3], along), along));
  const across = times(-1 / length(rest), rest);
  const turn = Math.PI / 6;
  return vectors.map((vector) => {
    const [x, y] = [dot(vector, along), dot(vector, across)];
    return [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)];
  });
}

/** Everything between a query and its context, for vectors in the plane. */
export function attend({ query, keys, values, octave }) {
  const products = keys.map((key) => dot(query, key));
  const scores = products.map((product) => product / ROOT / 2 ** octave);
  const weights = softmax(scores);
  return { products, scores, weights, context: values.map((value, i) => times(weights[i], value)).reduce(plus) };
}

/** The corners of the convex hull of points, in their order round it. */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const left = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  const half = (ordered) => {
    const kept = [];
    for (const point of ordered) {
      while (kept.length > 1 && left(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// --- The two planes ---

const [SCORES, SCALED, WEIGHTS, CONTEXT] = [1, 2, 3, 4];
const [WIDE, HIGH] = [360, 320];
const KEYS_AT = { middle: [124, 172], unit: 46 };
const VALUES_AT = { middle: [86, 200], unit: 54 };
const on = ({ middle: [x, y], unit }) => ([east, north]) => [x + unit * east, y - unit * north];
const back = ({ middle: [x, y], unit }, [px, py]) => [(px - x) / unit, (y - py) / unit];

/** A name at a point, on the side that lies away from another point. */
function beyond([x, y], [x0, y0], words, look, gap = 16) {
  const far = Math.hypot(x - x0, y - y0) || 1;
  const [east, south] = [(x - x0) / far, (y - y0) / far];
  const anchor = east > 0.4 ? "start" : east < -0.4 ? "end" : "middle";
  const [before, behind] = { start: [0, 1], middle: [0.5, 0.5], end: [1, 0] }[anchor].map((share) => 8.5 * share * words.length);
  return [Math.min(Math.max(x + gap * east, before + 4), WIDE - behind - 2), y + (gap + 2) * south, words, look, anchor];
}

const footOf = (query, key) => times(dot(query, key) / Math.max(dot(query, query), 1e-9), query);

/** A point on the other side of the query's line, from which a key's name is to lie away. */
function behind({ query }, key) {
  const foot = footOf(query, key);
  const [x, y] = times(0.5 / (length(query) || 1), query);
  const side = dot(plus(key, times(-1, foot)), [-y, x]) > 1e-9 ? -1 : 1;
  return plus(foot, times(side, [-y, x]));
}

function shadow(state, i, place) {
  const foot = place(footOf(state.query, state.keys[i]));
  const strong = i === state.word;
  return (strong ? line([place([0, 0]), foot], "key faint", 16) : "") + line([place(state.keys[i]), foot], "key dashed", 1.5)
    + circle(...foot, strong ? 6 : 4, "key solid");
}

/** A ring around what the sliders move. */
const ring = (state, kinds, place) =>
  (kinds.includes(held(state).kind) ? circle(...place(where(state, held(state))), 16, "ink empty") : "");

function keysPlane(state) {
  const place = on(KEYS_AT);
  const [middle, tip] = [place([0, 0]), place(state.query)];
  const far = times(6 / (length(state.query) || 1), state.query);
  const [east, south] = [far[0], -far[1]];
  const aside = [0.5 * east - 0.87 * south, 0.87 * east + 0.5 * south];  // 60 degrees off the query's line
  const names = state.keys.map((key, i) => beyond(place(key), place(behind(state, key)), WORDS[i], i === state.word ? "key strong" : "key"));
  const drawn = [
    line([place(times(-1, far)), place(far)], "query faint", 1.5),
    part(SCORES, state.lit, state.keys.map((_, i) => shadow(state, i, place))),
    arrow(middle, tip, "query", 7), circle(...tip, 12, "query shape"),
    state.keys.map((key) => arrow(middle, place(key), "key", 3)), ring(state, ["query", "key"], place),
    apart([...names, beyond(tip, plus(tip, times(-1, aside)), "query", "query strong", 24)], [38, HIGH - 12]),
  ];
  return headed("keys, and a query", drawn);
}

/** A plane below its heading, which no line may cross. */
const headed = (words, drawn) => ({
  width: WIDE, height: HIGH,
  svg: `${text(4, 12, words, "ink strong", "start")}<svg y="26" width="${WIDE}" height="${HIGH - 26}" viewBox="0 26 ${WIDE} ${HIGH - 26}">${drawn.flat().join("")}</svg>`,
});

function valuesPlane(state) {
  const place = on(VALUES_AT);
  const { weights, context } = attend(state);
  const shape = hull(state.values).map(place).map((point) => point.map((number) => number.toFixed(1)).join(","));
  const [zero, end] = [place([0, 0]), place(context)];
  let at = [0, 0];
  const chain = state.values.map((value, i) => {
    const from = at;
    at = plus(at, times(weights[i], value));
    return Math.hypot(...times(weights[i], value)) * VALUES_AT.unit < 3 ? "" : arrow(place(from), place(at), "value", i === state.word ? 6 : 3);
  });
  const middle = place(times(1 / WORDS.length, state.values.reduce(plus)));
  const names = state.values.map((value, i) => beyond(place(value), middle, WORDS[i], i === state.word ? "value strong" : "value"));
  const drawn = [
    `<polygon points="${shape.join(" ")}" class="value shape"/>`,
    state.values.map((value) => line([zero, place(value)], "value faint") + circle(...place(value), 7, "value solid")),
    circle(...zero, 3, "mute solid"), part(CONTEXT, state.lit, chain, circle(...end, 9, "context solid")), ring(state, ["value"], place),
    apart([beyond(end, plus(end, [-14, 14]), "context", "context strong"), ...names], [38, HIGH - 12]),
  ];
  return headed("values, and the context", drawn);
}

// --- From shadows to one bar of length 1 ---

const [FULL, BAR] = [296, { top: 250, high: 26 }];
const column = (i) => 104 + 68 * i;
const shortly = (number) => (number >= 1000 ? number.toExponential(0).replace("e+", "e") : fixed(number));

function signed(numbers, y, unit, state, roles) {
  const scale = Math.min(unit, 24 / Math.max(...numbers.map(Math.abs)));
  return line([[76, y], [WIDE, y]], "mute faint") + numbers.map((number, i) => {
    const high = Math.abs(number) * scale;
    const above = number >= 0;
    return box(column(i) - 16, above ? y - high : y, 32, high, roles) + text(column(i), above ? y + 11 : y - 10, fixed(number), i === state.word ? "ink small strong" : "ink small");
  }).join("");
}

/** Each exponential flows into its share of the bar. */
function poured(weights, bottom) {
  let x = (WIDE - FULL) / 2;
  return weights.map((weight, i) => {
    const [x0, x1] = [x, x + FULL * weight];
    x = x1;
    const corners = [[column(i) - 16, bottom], [column(i) + 16, bottom], [x1, BAR.top], [x0, BAR.top]];
    const words = [`${WORDS[i]} ${fixed(weight)}`, WORDS[i]].find((said) => 8.5 * said.length + 8 < x1 - x0);
    return `<polygon points="${corners.map((corner) => corner.map((number) => number.toFixed(1)).join(",")).join(" ")}" class="weight shade"/>`
      + box(x0, BAR.top, x1 - x0, BAR.high, "weight shape") + (words ? text((x0 + x1) / 2, BAR.top + 14, words, "ink small") : "");
  }).join("");
}

function bars(state) {
  const { products, scores, weights } = attend(state);
  const powers = scores.map(Math.exp);
  const most = Math.max(...powers);
  const names = WORDS.map((word, i) => text(column(i), 12, word, i === state.word ? "key strong" : "key"));
  const raised = powers.map((power, i) => box(column(i) - 16, 186 - 40 * power / most, 32, 40 * power / most, "weight bar")
    + text(column(i), 196, shortly(power), "ink small"));
  const drawn = [
    ...names,
    part(SCORES, state.lit, text(4, 50, "shadow ×", "ink small", "start"), text(4, 66, "query", "query small", "start"), signed(products, 58, 4, state, "key bar")),
    part(SCALED, state.lit, text(4, 114, "÷ √4 ÷ T", "ink small", "start"), signed(scores, 114, 6, state, "key bar")),
    part(WEIGHTS, state.lit, text(4, 178, "exp", "ink small", "start"), raised, poured(weights, 206), text(4, BAR.top + 42, "one bar of length 1", "weight small", "start")),
  ];
  return { width: WIDE, height: 300, svg: drawn.join("") };
}

// --- The same as formulas and as code ---

const pair = (vector) => `(${vector.map((number) => fixed(number)).join(", ")})`;

function lines(state) {
  const { products, scores, weights, context } = attend(state);
  const i = state.word;
  const powers = scores.map(Math.exp);
  const row = (own, y, title, formula, code) => part(own, state.lit,
    box(0.5, y, WIDE - 1, 66, "mute empty"), text(10, y + 14, title, "ink strong small", "start"),
    text(WIDE - 10, y + 14, formula, "ink small", "end"), text(10, y + 46, code, "ink code", "start"));
  const drawn = [
    row(SCORES, 4, "compare", `q · k of “${WORDS[i]}” = ${fixed(products[i])}`, "scores = K @ q"),
    row(SCALED, 78, "divide", `${fixed(products[i])} / (2 · ${fixed(2 ** state.octave)}) = ${fixed(scores[i])}`, "scores /= math.sqrt(4) * T"),
    row(WEIGHTS, 152, "softmax", `${shortly(powers[i])} / ${shortly(sum(powers))} = ${fixed(weights[i])}`, "w = exp(scores) / exp(scores).sum()"),
    row(CONTEXT, 226, "add up", `Σ weight · value = ${pair(context)}`, "context = w @ V"),
  ];
  return { width: WIDE, height: 300, svg: drawn.join("") };
}

// --- What can be moved ---

const ARROW = [[-2.3, 4.6], [-2.8, 2.8]];
const MOST = { query: ARROW, key: ARROW, value: [[-0.8, 4.6], [-1.6, 2.8]] };
const KINDS = ["query", "key", "value"];
const tenth = (number, [least, most]) => Math.round(Math.min(Math.max(number, least), most) * 10) / 10;
const WHOLE = flattened([BEGIN, QUERY, ...KEYS]);

/** A place in tenths, or the one among those of the chapter that it is when rounded. */
function placed(kind, place) {
  const rounded = (point) => point.map((number, axis) => tenth(number, MOST[kind][axis]));
  const to = rounded(place);
  return (kind !== "value" && WHOLE.find((point) => String(rounded(point)) === String(to))) || to;
}

const held = (state) => ({ kind: KINDS[state.moves], i: state.word });
const where = (state, { kind, i }) => (kind === "query" ? state.query : state[`${kind}s`][i]);

/** What is held when a thing, { kind, i }, is taken. */
const chosen = ({ kind, i }) => ({ moves: KINDS.indexOf(kind), ...(kind === "query" ? {} : { word: i }) });

/** The state in which a thing, { kind, i }, is somewhere else. */
export function moved(state, thing, place) {
  if (!thing) return {};
  const to = placed(thing.kind, place);
  if (thing.kind === "query") return { ...chosen(thing), query: to };
  const name = `${thing.kind}s`;
  return { ...chosen(thing), [name]: state[name].map((old, i) => (i === thing.i ? to : old)) };
}

const thingsOf = (kinds) => kinds.flatMap((kind) => (kind === "query" ? [{ kind }] : WORDS.map((_, i) => ({ kind, i }))));

function nearest(state, kinds, frame, x, y) {
  const things = thingsOf(kinds);
  const far = (thing) => Math.hypot(...plus(on(frame)(where(state, thing)), [-x, -y]));
  const first = things.reduce((best, thing) => (far(thing) < far(best) - 2 ? thing : best));
  return far(first) < 26 ? first : null;
}

const STEPS = { ArrowRight: [0.1, 0], ArrowLeft: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };

/** Arrow keys move what is held, the space bar takes the next thing of the plane. */
function typed(state, kinds, key) {
  const things = thingsOf(kinds);
  const now = held(state);
  const at = things.findIndex(({ kind, i = now.i }) => kind === now.kind && i === now.i);
  // Of the other plane: here what belongs to the same word.
  const thing = things[at] ?? things.find(({ i }) => i === now.i);
  if (key === " ") return chosen(at < 0 ? thing : things[(at + 1) % things.length]);
  if (!STEPS[key]) return null;
  return moved(state, thing, plus(where(state, thing), STEPS[key]));
}

const press = (panel, kinds, frame, label) => ({
  panel,
  label: `${label} ${BY_KEYS}`,
  key: (state, key) => typed(state, kinds, key),
  near: (state, x, y) => nearest(state, kinds, frame, x, y),
  to: (state, x, y, thing) => moved(state, thing, back(frame, [x, y])),
});

const nameOf = ({ moves, word }) => KINDS[moves] + (moves ? ` of ${WORDS[word]}` : "");

const slider = (state, axis, label) => {
  const thing = held(state);
  const place = where(state, thing);
  const [min, max] = MOST[thing.kind][axis];
  return {
    name: label, label: `${label} (${nameOf(state)})`, kind: "range", min: -3, max: 5, step: 0.1, value: place[axis],
    set: (number) => moved(state, thing, place.map((old, i) => (i === axis ? tenth(number, [min, max]) : old))),
  };
};

const percent = (weight) => `${Math.round(100 * weight)}\u00a0%`;
const BY_KEYS = "in a plane the arrow keys move what has a ring, the space bar takes the next.";

/** The weights that stand elsewhere in the page: their numbers, and the words that these belong to. */
function follow(state, place) {
  attend(state).weights.forEach((weight, i) => {
    for (const shown of place.closest(".first-figure")?.querySelectorAll(`.share.word-${i}`) ?? []) {
      shown.textContent = percent(weight);
      shown.parentElement.style.setProperty("--share", weight.toFixed(3));
    }
  });
}

const start = { query: flattened([BEGIN])[0], keys: flattened(KEYS), values: VALUES, octave: 0, word: 1, moves: 0, lit: 0 };

export const figure = {
  title: "The keys of four words and one query as arrows; their scores, the weights, and the context inside the hull of the values",
  start,
  asks: [
    {
      question: "The query keeps its direction and becomes 1.5 times as long. What happens to the weights?",
      answers: ["Nothing: only the direction counts", "They become more equal", "The largest becomes larger"],
      right: 2,
      shows: () => ({ ...start, query: times(1.5, start.query) }),
      because: (state) => `All scores grow by the same factor, and the softmax takes their exponentials: “FBI” goes from ${percent(attend(start).weights[1])} to ${percent(attend(state).weights[1])}.`,
    },
    {
      question: "Is there a query for which the context leaves the shaded region?",
      answers: ["Yes, a long one", "Yes, one that points away from all keys", "No"],
      right: 2,
      shows: () => ({ ...start, query: [-1.6, -1.6] }),
      because: () => "The weights are positive and sum to 1, so the context is a mean of the values: it never leaves their convex hull. Drag the query, and try.",
    },
    {
      question: "At a very high temperature, where does the context lie?",
      answers: ["At the value of the largest weight", "At the plain mean of the four values", "At zero"],
      right: 1,
      shows: () => ({ ...start, octave: 5 }),
      because: () => "All scores are divided until they hardly differ, so all weights are near 1/4. At a low temperature the context goes to one corner.",
    },
  ],
  controls: (state) => [
    { name: "word", label: "the word that is followed", kind: "choice", options: WORDS },
    { name: "moves", label: "what the sliders move", kind: "choice", options: ["the query", "the word’s key", "its value"] },
    slider(state, 0, "right"),
    slider(state, 1, "up"),
    { name: "octave", label: "temperature T", kind: "range", min: -4, max: 5, step: 0.25, words: fixed(2 ** state.octave) },
    { name: "lit", label: "light up", kind: "choice", options: ["everything", "scores", "division", "weights", "context"] },
  ],
  panels: (state) => [keysPlane(state), valuesPlane(state), bars(state), lines(state)],
  say: (state) => {
    const { products, weights, context } = attend(state);
    const parts = WORDS.map((word, i) => `${word}: score ${fixed(products[i])}, weight ${fixed(weights[i])}`);
    return `${parts.join("; ")}. The context is ${pair(context)}, inside the hull of the values. The ${nameOf(state)} is at ${pair(where(state, held(state)))}.`;
  },
  press: [press(0, ["query", "key"], KEYS_AT, "Keys and the query:"), press(1, ["value"], VALUES_AT, "Values:")],
  keys: BY_KEYS,
  follow,
};

show("geometry", figure);
