// A position as the hands of eight clocks, one for each pair of columns of the positional encoding.
import { arrow, box, circle, fixed, line, show, sum, text } from "./kit.mjs";

export const WIDTH_OF_ENCODING = 16;

/** The angle of each pair at a position: position / 10000^(2i/d). */
export function anglesOf(position, d = WIDTH_OF_ENCODING) {
  return Array.from({ length: d / 2 }, (_, i) => position / 10000 ** ((2 * i) / d));
}

/** The encoding of a position: the sine and the cosine of each pair's angle. */
export function encodingOf(position, d = WIDTH_OF_ENCODING) {
  return anglesOf(position, d).flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
}

/** What each pair adds to the dot product of two positions. */
export function productsOf(one, other, d = WIDTH_OF_ENCODING) {
  const [a, b] = [encodingOf(one, d), encodingOf(other, d)];
  return Array.from({ length: d / 2 }, (_, i) => a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
}

const [SIZE, HEIGHT, RADIUS, SHORT] = [360, 290, 34, 24];

function clocks({ position, offset }) {
  const [one, other] = [anglesOf(position), anglesOf(position + offset)];
  const parts = one.map((angle, i) => {
    const [x, y] = middleOf(i);
    const hand = (turn, length) => [x + length * Math.sin(turn), y - length * Math.cos(turn)];
    return circle(x, y, RADIUS, "mute empty") + arrow([x, y], hand(other[i], RADIUS), "key", 3)
      + arrow([x, y], hand(angle, SHORT), "query", 3) + text(x, y + RADIUS + 18, `pair ${i}`, "ink small");
  });
  const names = [
    text(4, 8, `position ${position} (short hand)`, "query strong", "start"),
    text(4, 26, `position ${position + offset} (long hand)`, "key strong", "start"),
  ];
  return { width: SIZE, height: HEIGHT, svg: [...names, ...parts].join("") };
}

function products({ position, offset }) {
  const found = productsOf(position, position + offset);
  const [middle, unit] = [190, 96];
  const parts = [text(4, 8, `dot product ${fixed(sum(found))}, by pairs`, "ink strong", "start"), line([[middle, 26], [middle, 274]], "mute")];
  found.forEach((product, i) => {
    const y = 42 + 31 * i;
    parts.push(text(64, y, `pair ${i}`, "ink small", "end"), box(Math.min(middle, middle + unit * product), y - 9, unit * Math.abs(product), 18, "context bar"));
    parts.push(text(SIZE - 8, y, fixed(product), "ink small", "end"));
  });
  return { width: SIZE, height: HEIGHT, svg: parts.join("") };
}

// --- A hand is dragged by its tip; the figure then shows the position whose hand is nearest to the pointer. ---

const POSITIONS = 100;
const OFFSETS = 24;
const REACH = 22;

const middleOf = (pair) => [46 + 89 * (pair % 4), 76 + 122 * Math.floor(pair / 4)];
const within = (number, most) => Math.min(Math.max(Math.round(number), 0), most);

/** The hand whose tip is nearest to a point, as { pair, moves }, if one is near; it moves position or offset. */
export function handAt({ position, offset }, x, y) {
  const tips = anglesOf(position).flatMap((angle, pair) => [
    { pair, moves: "position", angle, length: SHORT },
    { pair, moves: "offset", angle: anglesOf(position + offset)[pair], length: RADIUS },
  ]);
  const far = ({ pair, angle, length }) => {
    const [cx, cy] = middleOf(pair);
    return Math.hypot(x - cx - length * Math.sin(angle), y - cy + length * Math.cos(angle));
  };
  const nearest = tips.reduce((best, tip) => (far(tip) < far(best) ? tip : best));
  return far(nearest) < REACH ? nearest : null;
}

/** What a hand that is turned towards a point changes: the shorter way round, to a whole position. */
export function turned({ position, offset }, x, y, hand) {
  if (!hand) return {};
  const [cx, cy] = middleOf(hand.pair);
  if (Math.hypot(x - cx, y - cy) < 6) return {};
  const step = anglesOf(1)[hand.pair];
  const shown = step * (hand.moves === "position" ? position : position + offset);
  const full = 2 * Math.PI;
  const gap = (Math.atan2(x - cx, cy - y) - shown) % full;
  const turn = gap - full * Math.round(gap / full);
  return hand.moves === "position"
    ? { position: within(position + turn / step, POSITIONS) }
    : { offset: within(offset + turn / step, OFFSETS) };
}

export const figure = {
  title: "Two positions as hands on eight clocks, and the dot product of their encodings, pair by pair",
  start: { position: 2, offset: 3 },
  controls: () => [
    { name: "position", label: "position", kind: "range", min: 0, max: POSITIONS, step: 1, digits: 0, play: true },
    { name: "offset", label: "offset", kind: "range", min: 0, max: OFFSETS, step: 1, digits: 0 },
  ],
  panels: (state) => [clocks(state), products(state)],
  say: ({ position, offset }) =>
    `Positions ${position} and ${position + offset}: their encodings have the dot product ${fixed(sum(productsOf(position, position + offset)))}, whatever the position.`,
  press: { panel: 0, near: handAt, to: turned },
};

show("clocks", figure);
