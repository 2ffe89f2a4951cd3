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

const [SIZE, HEIGHT, RADIUS] = [360, 290, 34];

function clocks({ position, offset }) {
  const [one, other] = [anglesOf(position), anglesOf(position + offset)];
  const parts = one.map((angle, i) => {
    const [x, y] = [46 + 89 * (i % 4), 76 + 122 * Math.floor(i / 4)];
    const hand = (turn, length) => [x + length * Math.sin(turn), y - length * Math.cos(turn)];
    return circle(x, y, RADIUS, "mute empty") + arrow([x, y], hand(other[i], RADIUS), "key", 3)
      + arrow([x, y], hand(angle, RADIUS - 4), "query", 3) + text(x, y + RADIUS + 18, `pair ${i}`, "ink small");
  });
  const names = [text(4, 14, `position ${position}`, "query strong", "start"), text(SIZE - 4, 14, `position ${position + offset}`, "key strong", "end")];
  return { width: SIZE, height: HEIGHT, svg: [...names, ...parts].join("") };
}

function products({ position, offset }) {
  const found = productsOf(position, position + offset);
  const [middle, unit] = [190, 96];
  const parts = [text(4, 14, `dot product ${fixed(sum(found))}: the sum of`, "ink strong", "start"), line([[middle, 26], [middle, 274]], "mute")];
  found.forEach((product, i) => {
    const y = 42 + 31 * i;
    parts.push(text(64, y, `pair ${i}`, "ink small", "end"), box(Math.min(middle, middle + unit * product), y - 9, unit * Math.abs(product), 18, "context bar"));
    parts.push(text(SIZE - 8, y, fixed(product), "ink small", "end"));
  });
  return { width: SIZE, height: HEIGHT, svg: parts.join("") };
}

export const figure = {
  title: "Two positions as hands on eight clocks, and the dot product of their encodings, pair by pair",
  start: { position: 2, offset: 3 },
  controls: () => [
    { name: "position", label: "position", kind: "range", min: 0, max: 100, step: 1, digits: 0, play: true },
    { name: "offset", label: "offset", kind: "range", min: 0, max: 24, step: 1, digits: 0 },
  ],
  panels: (state) => [clocks(state), products(state)],
  say: ({ position, offset }) =>
    `Positions ${position} and ${position + offset}: their encodings have the dot product ${fixed(sum(productsOf(position, position + offset)))}, whatever the position.`,
};

show("clocks", figure);
