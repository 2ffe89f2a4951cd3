// A query dragged among five keys in the plane, and its weights under five scores at once.
import { apart, arrow, box, circle, dot, fixed, line, show, softmax, text } from "./kit.mjs";

export const KEYS = [["east", [1, 0]], ["long", [3, 3]], ["north", [0, 2]], ["west", [-1, 0]], ["zero", [0, 0]]];

const TINY = 1e-12;
const unit = (vector) => {
  const length = Math.sqrt(Math.max(dot(vector, vector), TINY));
  return vector.map((number) => number / length);
};

/** The scores by name, each of a query and a key. The additive one has identity matrices and a v of ones. */
export const SCORES = {
  dot: (q, k) => dot(q, k),
  "scaled dot": (q, k) => dot(q, k) / Math.sqrt(q.length),
  cosine: (q, k) => dot(unit(q), unit(k)),
  additive: (q, k) => q.reduce((total, number, i) => total + Math.tanh(number + k[i]), 0),
  distance: (q, k) => -q.reduce((total, number, i) => total + (number - k[i]) ** 2, 0) / 2,
};

/** The weights of a query over KEYS, by score. */
export function weightsOf(query) {
  const found = {};
  for (const [name, score] of Object.entries(SCORES)) {
    found[name] = softmax(KEYS.map(([, key]) => score(query, key)));
  }
  return found;
}

const [SIZE, UNIT, MOST] = [360, 40, 4];
const place = ([east, north]) => [SIZE / 2 + UNIT * east, SIZE / 2 - UNIT * north];
const NAMES = [[6, 18], [4, -18], [-30, 4], [-8, 20], [-22, -16]];

function plane({ east, north }) {
  const query = place([east, north]);
  const grid = [line([[0, SIZE / 2], [SIZE, SIZE / 2]], "mute faint"), line([[SIZE / 2, 0], [SIZE / 2, SIZE]], "mute faint")];
  const names = [];
  const keys = KEYS.map(([name, key], i) => {
    const [x, y] = place(key);
    names.push([x + NAMES[i][0], y + NAMES[i][1], name, "key"]);
    return arrow(place([0, 0]), [x, y], "key");
  });
  const left = query[0] > SIZE - 60;
  names.push([query[0] + (left ? -16 : 16), query[1] + 20, "query", "query strong", left ? "end" : "start"]);
  const handle = circle(...query, 12, "query shape");
  return { width: SIZE, height: SIZE, svg: [...grid, ...keys, arrow(place([0, 0]), query, "query", 4), handle, apart(names, [8, SIZE - 8])].join("") };
}

function bars({ east, north }) {
  const rows = Object.entries(weightsOf([east, north]));
  const column = (i) => 112 + 54 * i;
  const parts = KEYS.map(([name], i) => text(column(i), 12, name, "key small"));
  rows.forEach(([name, weights], row) => {
    const bottom = 82 + 66 * row;
    parts.push(text(82, bottom - 14, name, "ink", "end"), line([[88, bottom], [SIZE, bottom]], "mute faint"));
    weights.forEach((weight, i) => {
      const height = 34 * weight;
      parts.push(box(column(i) - 13, bottom - height, 26, height, "weight bar"), text(column(i), bottom - height - 10, fixed(weight), "ink small"));
    });
  });
  return { width: SIZE, height: SIZE, svg: parts.join("") };
}

const within = (number) => Math.round(Math.min(Math.max(number, -MOST), MOST) * 10) / 10;

export const figure = {
  title: "A query among five keys in the plane, and the weights that five scores give to the keys",
  start: { east: 2, north: 0 },
  controls: () => [
    { name: "east", label: "query, east", kind: "range", min: -MOST, max: MOST, step: 0.1 },
    { name: "north", label: "query, north", kind: "range", min: -MOST, max: MOST, step: 0.1 },
  ],
  panels: (state) => [plane(state), bars(state)],
  say: ({ east, north }) => {
    const most = Object.entries(weightsOf([east, north])).map(([name, weights]) => {
      const i = weights.indexOf(Math.max(...weights));
      return `${name}, ${KEYS[i][0]} ${fixed(weights[i])}`;
    });
    return `Query (${fixed(east, 1)}, ${fixed(north, 1)}). Largest weights: ${most.join("; ")}.`;
  },
  press: {
    panel: 0,
    near: ({ east, north }, x, y) => Math.hypot(x - place([east, north])[0], y - place([east, north])[1]) < 32,
    to: (_, x, y) => ({ east: within((x - SIZE / 2) / UNIT), north: within((SIZE / 2 - y) / UNIT) }),
  },
};

show("keys", figure);
