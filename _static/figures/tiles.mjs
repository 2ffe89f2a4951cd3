// Exact attention in tiles: a small fast memory, a large slow one, and the matrix of scores that is never stored.
import { box, circle, fixed, line, show, sum, text } from "./kit.mjs";

export const SCORES = [2, 1, 4, 3, 0, 3];
export const SIZES = [6, 12, 1024];
export const TILES = { 6: [1, 2, 3], 12: [2, 3, 4], 1024: [64, 128, 256] };
export const WIDTHS = [4, 16, 64];
const BYTES = 4;

/** Row i of the scores: the six of the chapter, begun i places later, over and over. Values are 10, 20, 30, … */
export const scoresOf = (i, n) => Array.from({ length: n }, (_, j) => SCORES[(i + j) % SCORES.length]);
export const valueOf = (j) => 10 * (j + 1);

/** What is carried from tile to tile: the maximum, and two sums of exponentials, the second times the values. */
const EMPTY = { maximum: -Infinity, total: 0, context: 0 };

/** The state after one more tile, with the factor of the old sums; without rescaling the factor is left out. */
export function merged(state, scores, values, rescale = true) {
  const maximum = Math.max(state.maximum, ...scores);
  const factor = rescale ? Math.exp(state.maximum - maximum) : 1;
  const powers = scores.map((score) => Math.exp(score - maximum));
  const added = { total: sum(powers), context: sum(powers.map((power, j) => power * values[j])) };
  return { maximum, factor, added, total: state.total * factor + added.total, context: state.context * factor + added.context };
}

/** The states of one query after each tile of its row. */
export function walk(i, n, tile, rescale = true) {
  const [row, states] = [scoresOf(i, n), []];
  for (let first = 0; first < n; first += tile) {
    const scores = row.slice(first, first + tile);
    states.push(merged(states.at(-1) ?? EMPTY, scores, scores.map((_, j) => valueOf(first + j)), rescale));
  }
  return states;
}

/** The cost of plain attention and of tiles, for one head: numbers in the largest array between, bytes moved between
 *  the memories, multiplications. Plain: scores are written, read, written as weights, and read again. */
export function costs(n, tile, d) {
  const tiles = Math.ceil(n / tile);
  const products = 2 * n * n * d;
  return {
    plain: { largest: n * n, moved: BYTES * (4 * n * d + 4 * n * n), products },
    tiled: { largest: tile * tile, moved: BYTES * (2 * n * d + 2 * n * d * tiles), products: products + n * tiles * (d + 1) },
  };
}

/** Sizes and place of a state: the tile of queries and that of keys that are in the fast memory, or none yet. */
export function placeOf({ size, tile, width, step }) {
  const n = SIZES[size];
  const keys = TILES[n][tile];
  const tiles = Math.ceil(n / keys);
  const now = Math.min(step, tiles * tiles);
  return { n, keys, tiles, now, d: WIDTHS[width], queryTile: Math.floor(Math.max(now - 1, 0) / tiles), keyTile: now ? (now - 1) % tiles : -1 };
}

/** The first step behind the one that is shown in which old sums of a tile's first query are rescaled; none: 0. */
export function nextRescaled(state) {
  const { n, keys, tiles, now } = placeOf(state);
  for (let step = now + 1; step <= tiles * tiles; step += 1) {
    const { queryTile, keyTile } = placeOf({ ...state, step });
    if (keyTile && walk(queryTile * keys, n, keys)[keyTile].factor < 1) return step;
  }
  return 0;
}

// --- The slow memory, with the ghost of the matrix ---

const [WIDE, GHOST] = [360, { x: 104, y: 84, size: 204 }];

function strips({ n, keys, now, queryTile, keyTile, tiles }) {
  const unit = GHOST.size / n;
  const strip = (x, y, across, from, many, look) => (across ? box(x + unit * from, y, unit * many, 20, look) : box(x, y + unit * from, 20, unit * many, look));
  const queries = [queryTile * keys, Math.min(keys, n - queryTile * keys)];
  const seen = now ? [keyTile * keys, Math.min(keys, n - keyTile * keys)] : [0, 0];
  const done = now === tiles * tiles ? n : queryTile * keys;
  return [
    [GHOST.x, GHOST.y - 28, true, "key", seen], [GHOST.x, GHOST.y + GHOST.size + 8, true, "value", seen],
    [GHOST.x - 28, GHOST.y, false, "query", now ? queries : [0, 0]], [GHOST.x + GHOST.size + 8, GHOST.y, false, "context", [0, done]],
  ].map(([x, y, across, role, [from, many]]) => strip(x, y, across, 0, n, `${role} shape`) + strip(x, y, across, from, many, `${role} solid`)).join("");
}

function slow(state) {
  const where = placeOf(state);
  const { n, keys, now, tiles, queryTile, keyTile } = where;
  const unit = GHOST.size / n;
  const at = (tile) => unit * keys * tile;
  const side = (tile) => Math.min(unit * keys, GHOST.size - at(tile));
  const rules = Array.from({ length: tiles + 1 }, (_, i) => Math.min(at(i), GHOST.size)).map((far) =>
    line([[GHOST.x, GHOST.y + far], [GHOST.x + GHOST.size, GHOST.y + far]], "mute dashed faint") + line([[GHOST.x + far, GHOST.y], [GHOST.x + far, GHOST.y + GHOST.size]], "mute dashed faint"));
  const current = now ? box(GHOST.x + at(keyTile), GHOST.y + at(queryTile), side(keyTile), side(queryTile), "key solid") : "";
  const drawn = [
    text(4, 10, "large, slow memory", "ink strong", "start"),
    text(GHOST.x + GHOST.size / 2, GHOST.y - 42, `K: ${n} × ${where.d}`, "key small"), text(GHOST.x + GHOST.size / 2, GHOST.y + GHOST.size + 42, `V: ${n} × ${where.d}`, "value small"),
    text(GHOST.x - 34, GHOST.y + GHOST.size / 2, "Q", "query strong", "end"), text(GHOST.x + GHOST.size + 36, GHOST.y + GHOST.size / 2, "C", "context strong", "start"),
    ...rules, current, strips(where),
    text(WIDE / 2, 352, `the ${n} × ${n} scores: never stored`, "mute small"),
  ];
  return { width: WIDE, height: 366, svg: drawn.join("") };
}

// --- The fast memory: one tile, and the sums of its first query ---

const number = (value) => fixed(value, Math.abs(value) >= 1000 ? 0 : 3);
const score = (value) => (Number.isFinite(value) ? fixed(value, 0) : "−∞");

/** An old sum, what its factor leaves of it, and what the tile adds. */
function growing(y, name, before, state, look) {
  const [kept, added] = [before[name] * state.factor, state.added[name]];
  const unit = 176 / Math.max(before[name], kept + added, 1e-9);
  const x = 40;
  return [
    text(12, y + 18, name === "total" ? "ℓ" : "c", `${look} strong`, "start"),
    box(x, y, unit * before[name], 11, "mute empty"), box(x, y + 15, unit * kept, 16, `${look} solid`), box(x + unit * kept, y + 15, unit * added, 16, `${look} shape`),
    text(WIDE - 12, y + 5, `was ${number(before[name])}`, "mute small", "end"), text(WIDE - 12, y + 24, number(kept + added), "ink small strong", "end"),
  ].join("");
}

/** The numbers of a tile's first row, or how large the tile is where they have no room. */
function firstRow(where, row) {
  const from = where.keyTile * where.keys;
  const scores = row.slice(from, from + where.keys);
  if (where.keys > 4) return text(12, 82, `${where.keys} × ${where.keys} scores at once`, "key", "start");
  return scores.map((value, j) => box(12 + 46 * j, 68, 42, 28, "key shape") + text(33 + 46 * j, 82, value, "ink")).join("");
}

function fast(state) {
  const where = placeOf(state);
  const i = where.queryTile * where.keys;
  const head = [text(4, 10, "small, fast memory", "ink strong", "start"), box(0.5, 26, WIDE - 1, 326, "mute empty")];
  if (!where.now) {
    const words = ["Empty. A tile of Q comes in; then tiles of K and V,", "one after the other. Press Play, or move the step."];
    if (state.forget) words.push("There are no sums yet that could be rescaled.");
    return { width: WIDE, height: 366, svg: [...head, ...words.map((said, k) => text(12, 60 + 24 * k, said, "mute small", "start"))].join("") };
  }
  const states = walk(i, where.n, where.keys, !state.forget);
  const [now, before] = [states[where.keyTile], states[where.keyTile - 1] ?? EMPTY];
  const forgotten = !where.keyTile ? "the first tile: there are no old sums to rescale"
    : now.maximum > before.maximum ? "no rescaling: the factor is left out" : "the maximum stays: nothing to rescale";
  const factor = state.forget ? forgotten : `old sums × exp(${score(before.maximum)} − ${score(now.maximum)}) = ${fixed(now.factor, 3)}`;
  const drawn = [
    text(12, 46, `query ${i + 1}, keys ${where.keyTile * where.keys + 1} to ${Math.min((where.keyTile + 1) * where.keys, where.n)}`, "query", "start"),
    firstRow(where, scoresOf(i, where.n)), text(12, 118, `m: maximum ${score(before.maximum)} → ${score(now.maximum)}`, "ink", "start"),
    text(12, 142, factor, state.forget ? "ink strong small" : "weight strong small", "start"),
    growing(164, "total", before, now, "weight"), growing(214, "context", before, now, "context"),
  ];
  return { width: WIDE, height: 366, svg: [...head, ...drawn, course(state, where, i)].join("") };
}

/** c / ℓ after each tile so far: the right one, and the one of sums that were not rescaled. */
function course(state, { n, keys, tiles, keyTile }, i) {
  const quotients = (rescale) => walk(i, n, keys, rescale).map(({ context, total }) => context / total);
  const [right, wrong] = [quotients(true), quotients(false)];
  const most = Math.max(...right, ...wrong);
  const at = (values) => values.slice(0, keyTile + 1).map((value, t) => [24 + (180 * t) / Math.max(tiles - 1, 1), 340 - 58 * value / most]);
  const last = (points, look) => circle(...points.at(-1), 5, `${look} solid`);
  const [a, b] = [at(right), at(wrong)];
  const drawn = [line(a, "context", 3), last(a, "context"), text(WIDE - 12, 296, `c / ℓ = ${number(right[keyTile])}`, "context strong", "end")];
  const same = Math.abs(wrong[keyTile] - right[keyTile]) < 1e-9;
  const forgetting = same ? "forgetting: the same so far" : `forgetting ${number(wrong[keyTile])}`;
  if (state.forget) drawn.push(line(b, "ink dashed", 2), last(b, "ink"), text(WIDE - 12, 322, forgetting, "ink strong small", "end"));
  return drawn.join("");
}

// --- What it costs ---

const amount = (value) => (value >= 1e6 ? `${fixed(value / 1e6, 1)} M` : value >= 1e4 ? `${fixed(value / 1e3, 0)} k` : String(value));

function counters(state) {
  const { n, keys, d } = placeOf(state);
  const { plain, tiled } = costs(n, keys, d);
  const rows = [["largest", "largest array between, in numbers"], ["moved", "bytes moved between the memories"], ["products", "multiplications"]];
  const drawn = rows.flatMap(([name, words], i) => {
    const [y, most] = [6 + 76 * i, Math.max(plain[name], tiled[name])];
    const bar = (at, label, value, look) => text(4, at + 9, label, "ink small", "start") + box(52, at, 230 * value / most, 18, look) + text(WIDE - 4, at + 9, amount(value), "ink small strong", "end");
    return [text(4, y + 6, words, "ink strong small", "start"), bar(y + 20, "plain", plain[name], "mute bar"), bar(y + 42, "tiles", tiled[name], "key bar")];
  });
  return { width: WIDE, height: 236, svg: drawn.join("") };
}

const start = { size: 0, tile: 1, width: 0, step: 0, forget: 0 };

export const figure = {
  title: "Tiles of keys and values move from a large slow memory into a small fast one, where three running numbers make the context; the matrix of scores is never stored",
  start,
  frame: { ...start, step: 2 },
  asks: [
    {
      question: "Tile 1 of query 1 has the largest score 2, tile 2 has a 4. What happens to the sums of tile 1?",
      answers: ["They stay as they are", "They are multiplied by exp(2 − 4)", "They are divided by 2"],
      right: 1,
      shows: () => ({ ...start, step: 2 }),
      because: () => "They were sums of exp(s − 2) and become sums of exp(s − 4), so that the new ones may be added. The frame is the old sum, the full bar what is left of it.",
    },
    {
      question: "1,024 keys with d = 64: are more bytes moved with small tiles or with large ones?",
      answers: ["Small ones", "Large ones", "It makes no difference"],
      right: 0,
      shows: () => ({ ...start, size: 2, tile: 0, width: 2, step: 3 }),
      because: () => "All keys and values are read once for each tile of queries: the more tiles, the more often. So a tile is made as large as the fast memory allows.",
    },
  ],
  controls: (state) => {
    const { n, tiles } = placeOf(state);
    return [
      { name: "step", label: "step", kind: "range", min: 0, max: tiles * tiles, step: 1, digits: 0, play: true, wait: 900, value: placeOf(state).now },
      { name: "forget", label: "when the maximum moves", kind: "choice", options: ["rescale", "forget to rescale"] },
      { name: "size", label: "n, queries and keys", kind: "choice", options: SIZES.map((size) => size.toLocaleString("en")) },
      { name: "tile", label: "keys in a tile", kind: "choice", options: TILES[n].map(String) },
      { name: "width", label: "d", kind: "choice", options: WIDTHS.map(String) },
    ];
  },
  panels: (state) => [slow(state), fast(state), counters(state)],
  say: (state) => {
    const { n, keys, d, now, queryTile, keyTile } = placeOf(state);
    const { plain, tiled } = costs(n, keys, d);
    const cost = `Bytes moved: ${amount(plain.moved)} plain, ${amount(tiled.moved)} in tiles.`;
    const next = nextRescaled(state);
    const waits = state.forget ? `Nothing is forgotten ${next ? `yet: the next sums to rescale come at step ${next}` : "here: from this step on no maximum moves; choose smaller tiles"}. ` : "";
    if (!now) return `Nothing is in the fast memory yet. ${waits}${cost}`;
    const i = queryTile * keys;
    const { maximum, total, context } = walk(i, n, keys, !state.forget)[keyTile];
    const done = keyTile === Math.ceil(n / keys) - 1;
    const right = walk(i, n, keys)[keyTile];
    const wrong = state.forget && Math.abs(context / total - right.context / right.total) > 1e-9;
    const verdict = wrong ? ` and should be ${number(right.context / right.total)}` : done ? ", the exact context" : "";
    return `Query ${i + 1} after tile ${keyTile + 1}: maximum ${score(maximum)}, sum ${number(total)}, quotient ${number(context / total)}${verdict}. ${wrong ? "" : waits}${cost}`;
  },
};

show("tiles", figure);
