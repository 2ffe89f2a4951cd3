// The course's stored language model without Python: its file, its tokens, and its blocks with a cache of keys and
// values. The names and the order of the steps are those of `solutions/language_model/in_numpy.py`.
import { softmax } from "./kit.mjs";

// --- The file: an archive of NumPy's arrays, as it lies in the course ---

const inflated = async (bytes) => {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
};

function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

const READ = {
  "<f2": (view, i) => half(view.getUint16(2 * i, true)),
  "<i2": (view, i) => view.getInt16(2 * i, true),
  "<i8": (view, i) => Number(view.getBigInt64(8 * i, true)),
  "<f8": (view, i) => view.getFloat64(8 * i, true),
};

/** One array in NumPy's own form: its numbers in a row, and its shape. */
function arrayOf(buffer) {
  const length = new DataView(buffer).getUint16(8, true);
  const header = new TextDecoder().decode(new Uint8Array(buffer, 10, length));
  const kind = header.match(/'descr': '([^']+)'/)[1];
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(",").filter((part) => part.trim()).map(Number);
  const view = new DataView(buffer, 10 + length);
  const numbers = new Float64Array(shape.reduce((product, size) => product * size, 1));
  return { shape, numbers: numbers.map((_, i) => READ[kind](view, i)) };
}

/** The arrays of an .npz file, by name. */
export async function arraysOf(buffer) {
  const view = new DataView(buffer);
  let end = buffer.byteLength - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1; // where the archive's list is told
  let entry = view.getUint32(end + 16, true);
  const found = {};
  for (let left = view.getUint16(end + 10, true); left; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((at) => view.getUint16(entry + at, true));
    const local = view.getUint32(entry + 42, true);
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = new Uint8Array(buffer, begin, view.getUint32(entry + 20, true));
    const called = new TextDecoder().decode(new Uint8Array(buffer, entry + 46, name));
    found[called.replace(".npy", "")] = arrayOf(await inflated(packed));
    entry += 46 + name + extra + comment;
  }
  return found;
}

// --- Tokens: pieces of a text, and the merges in them ---

const BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"; // as Python's \s
const WORD = "\\p{L}\\p{N}_";
const PIECE = new RegExp(` ?[${WORD}]+| ?[^${WORD}${BLANK}]+|[${BLANK}]`, "gu");

function mergePair(tokens, [first, second], made) {
  const merged = [];
  for (const token of tokens) {
    if (merged.length && merged.at(-1) === first && token === second) merged[merged.length - 1] = made;
    else merged.push(token);
  }
  return merged;
}

/** Byte pairs: from a text to tokens, and back. merges: the pair i becomes the token 256 + i. */
export class Tokeniser {
  constructor(merges) {
    this.merges = merges;
    this.ranks = new Map(merges.map(([first, second], i) => [first * 65536 + second, i]));
    this.bytes = Array.from({ length: 256 }, (_, byte) => [byte]);
    for (const [first, second] of merges) this.bytes.push([...this.bytes[first], ...this.bytes[second]]);
  }

  encode(text) {
    return (text.match(PIECE) ?? []).flatMap((piece) => this.encodePiece(piece));
  }

  encodePiece(piece) {
    let tokens = [...new TextEncoder().encode(piece)];
    for (;;) {
      const ranks = tokens.slice(1).map((token, i) => this.ranks.get(tokens[i] * 65536 + token) ?? Infinity);
      const first = Math.min(...ranks, Infinity);
      if (first === Infinity) return tokens;
      tokens = mergePair(tokens, this.merges[first], 256 + first);
    }
  }

  decode(tokens) {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(tokens.flatMap((token) => this.bytes[token])));
  }
}

// --- The model ---

/** x (rows) times a matrix (rows, columns). */
function times(x, { numbers, shape: [rows, columns] }) {
  const y = new Float64Array(columns);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0, at = i * columns; j < columns; j += 1) y[j] += x[i] * numbers[at + j];
  }
  return y;
}

function rmsNorm(x, gain) {
  const root = Math.sqrt(x.reduce((total, number) => total + number * number, 0) / x.length + 1e-5);
  return x.map((number, i) => (gain.numbers[i] * number) / root);
}

/** Features 2i and 2i + 1 of each head turned by the position times 10000^(-2i/size). */
function rotated(x, position, size) {
  const y = new Float64Array(x.length);
  for (let i = 0; i < x.length; i += 2) {
    const angle = position * 10000 ** (-(i % size) / size);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    y[i] = x[i] * cos - x[i + 1] * sin;
    y[i + 1] = x[i + 1] * cos + x[i] * sin;
  }
  return y;
}

/** What one head makes of a query and the keys and values so far. */
function attend(query, keys, values, begin, size) {
  const part = (x) => x.subarray(begin, begin + size);
  const asked = part(query);
  const scores = keys.map((key) => part(key).reduce((total, number, i) => total + number * asked[i], 0) / Math.sqrt(size));
  const weights = softmax(scores);
  const context = new Float64Array(size);
  weights.forEach((weight, k) => part(values[k]).forEach((number, i) => { context[i] += weight * number; }));
  return { query: asked, scores, weights, context };
}

const length = (x) => Math.hypot(...x);

/** A model of arrays as `arraysOf` gives them. */
export class Model {
  constructor(arrays) {
    this.heads = arrays.num_heads.numbers[0];
    const { numbers } = arrays.merges;
    this.tokeniser = new Tokeniser(Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]));
    Object.assign(this, { embedding: arrays.embedding, norm: arrays.norm, blocks: [] });
    [this.vocabulary, this.d] = arrays.embedding.shape;
    this.size = this.d / this.heads;
    while (`block${this.blocks.length}_W_q` in arrays) {
      const start = `block${this.blocks.length}_`;
      const own = Object.keys(arrays).filter((name) => name.startsWith(start));
      this.blocks.push(Object.fromEntries(own.map((name) => [name.slice(start.length), arrays[name]])));
    }
  }

  /** A reader of texts with an empty cache. off: heads that add nothing, as "block,head", both from 0. */
  reader(off = new Set()) {
    return { off, tokens: [], columns: [] };
  }

  /** Read tokens. What the cache holds of their beginning stays; each other token adds a column. Gives how many. */
  read(reader, tokens) {
    let kept = 0;
    while (kept < reader.tokens.length && kept < tokens.length && reader.tokens[kept] === tokens[kept]) kept += 1;
    reader.tokens.length = reader.columns.length = kept;
    for (const token of tokens.slice(kept)) {
      reader.columns.push(this.column(reader, token));
      reader.tokens.push(token);
    }
    return tokens.length - kept;
  }

  column({ off, columns }, token) {
    let X = this.embedding.numbers.slice(token * this.d, (token + 1) * this.d);
    const column = { blocks: [], sizes: [length(X)] };
    this.blocks.forEach((block, b) => {
      const { added, ...kept } = this.attention(rmsNorm(X, block.norm1), block, columns.map((one) => one.blocks[b]),
        (head) => off.has(`${b},${head}`));
      X = X.map((number, i) => number + added[i]);
      const N = rmsNorm(X, block.norm2);
      const [gate, up] = [times(N, block.W_gate), times(N, block.W_up)];
      const fed = times(gate.map((number, i) => (number / (1 + Math.exp(-number))) * up[i]), block.W_down);
      X = X.map((number, i) => number + fed[i]);
      column.blocks.push(kept);
      column.sizes.push(length(X));
    });
    return { ...column, X };
  }

  attention(N, block, before, isOff) {
    const position = before.length;
    const [query, key] = [block.W_q, block.W_k].map((matrix) => rotated(times(N, matrix), position, this.size));
    const value = times(N, block.W_v);
    const keys = [...before.map((one) => one.key), key];
    const values = [...before.map((one) => one.value), value];
    const context = new Float64Array(this.d);
    const heads = Array.from({ length: this.heads }, (_, h) => {
      const head = attend(query, keys, values, h * this.size, this.size);
      if (!isOff(h)) context.set(head.context, h * this.size);
      return head;
    });
    return { key, value, heads, added: times(context, block.W_o) };
  }

  /** The logits of the token behind the last one that was read: the embedding once more. */
  logits({ columns }) {
    const N = rmsNorm(columns.at(-1).X, this.norm);
    const { numbers } = this.embedding;
    return Array.from({ length: this.vocabulary }, (_, token) => {
      let total = 0;
      for (let i = 0, at = token * this.d; i < this.d; i += 1) total += N[i] * numbers[at + i];
      return total;
    });
  }
}

/** The most probable tokens, as many as needed to reach p in sum, renormalised; all others get 0. */
export function topP(probabilities, p) {
  let [before, least] = [0, 0];
  for (const probability of [...probabilities].sort((a, b) => b - a)) {
    if (before >= p) break;
    [before, least] = [before + probability, probability];
  }
  const kept = probabilities.map((probability) => (probability >= least ? probability : 0));
  const total = kept.reduce((sum, probability) => sum + probability, 0);
  return kept.map((probability) => probability / total);
}

/** The token at which the running sum passes a number from 0 to below 1. */
export function drawn(probabilities, number) {
  let up = 0;
  const found = probabilities.findIndex((probability) => { up += probability; return up > number; });
  return found < 0 ? probabilities.findLastIndex((probability) => probability > 0) : found;
}
