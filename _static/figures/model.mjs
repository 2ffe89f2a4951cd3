// The stored language model under glass: every number between a text and its next token, computed at each key.
import { box, element, escaped, fixed, hold, leadTo, line, softmax, styles, text } from "./kit.mjs";
import { arraysOf, drawn, Model, topP } from "./gpt.mjs";

const FILE = "_static/figures/prose_model.npz";
const MOST = 32; // tokens; a longer text is read from its end
const SHOWN = 8;
let ROW = 20; // of a token; larger where there is room
const TOP = 42;
const BLOCKS = [0, 1, 2];
const HEADS = [0, 1, 2, 3, 4, 5];

let model = null;

/** Load the model from a server's answer. */
export async function load(answer) {
  if (!answer.ok) throw new Error(String(answer.status));
  model = new Model(await arraysOf(await answer.arrayBuffer()));
}

// --- What is computed ---

/** A reader with all heads and one without those that are off; each keeps its cache from key to key. */
export function readers() {
  return { whole: model.reader(), changed: null, off: "" };
}

const likely = (logits, { temperature, p }) => topP(softmax(logits.map((logit) => logit / temperature)), p);

/** What the model makes of a text: its last MOST tokens are read. */
export function answer(state, kept) {
  const every = model.tokeniser.encode(state.text);
  const tokens = every.slice(-MOST);
  const key = [...state.off].sort().join(" ");
  if (key !== kept.off || !kept.changed) Object.assign(kept, { off: key, changed: key ? model.reader(state.off) : kept.whole });
  const all = model.read(kept.whole, tokens);
  const computed = key ? model.read(kept.changed, tokens) : all;
  const [before, after] = [kept.whole, kept.changed].map((reader) => likely(model.logits(reader), state));
  const best = before.map((_, i) => i).sort((a, b) => Math.max(before[b], after[b]) - Math.max(before[a], after[a]));
  return {
    tokens, computed, before, after, cut: every.length > MOST, best: best.slice(0, SHOWN),
    columns: kept.changed.columns, words: tokens.map((token) => shown(model.tokeniser.decode([token]))),
  };
}

const shown = (token) => token.replaceAll(" ", "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥");
const word = (token) => `“${shown(model.tokeniser.decode([token]))}”`;
const nameOf = (key) => `block ${Number(key[0]) + 1}, head ${Number(key[2]) + 1}`;
const short = (said, most) => (said.length > most ? `${said.slice(0, most - 1)}…` : said);

// --- What is drawn ---

/** Where the tokens, the blocks and the heads stand in a drawing of this width. */
const places = (width) => {
  const left = width < 420 ? 66 : 92;
  const step = (width - left - 22) / (BLOCKS.length * HEADS.length);
  return { left, step, at: (b, h) => left + 6 + b * 6 * step + 6 * b + h * step };
};

/** The path of what a head brings from one token's row to another's. */
const flow = (x, step, from, to) => {
  const [start, end] = [x + 1, x + step - 1];
  return `M${start} ${from}C${end} ${from} ${start} ${to} ${end} ${to}`;
};

const rowOf = (token) => TOP + ROW * (token + 0.5);

/** A token's vector on its way through the blocks, as thick as it is long: the residual path. */
function ribbon(column, token, width, longest) {
  const { left, step, at } = places(width);
  const xs = [left, ...BLOCKS.map((b) => at(b, 5) + step + 2)];
  const thick = column.sizes.map((size) => 1 + (4 * size) / longest);
  const edge = (sign) => xs.map((x, i) => `${x.toFixed(1)} ${(rowOf(token) + sign * thick[i]).toFixed(1)}`);
  return `<polygon points="${[...edge(-1), ...edge(1).reverse()].join(" ")}" class="mute solid ribbon"/>`;
}

function arcsOf(seen, state, width, asks) {
  const { step, at } = places(width);
  const look = asks === state.asking ? "weight line" : "weight line behind";
  return BLOCKS.flatMap((b) => HEADS.flatMap((h) => {
    const off = state.off.has(`${b},${h}`) ? " dashed mute" : "";
    return seen.columns[asks].blocks[b].heads[h].weights.map((weight, k) => (weight < 0.04 ? "" :
      `<path d="${flow(at(b, h), step, rowOf(k), rowOf(asks))}" class="${look}${off}" stroke-width="${((0.5 + 4.5 * weight) * ROW / 20).toFixed(1)}"/>`));
  })).join("");
}

function headsOf(seen, state, width) {
  const { step, at } = places(width);
  const bottom = TOP + ROW * seen.tokens.length;
  return BLOCKS.flatMap((b) => [
    text(at(b, 0) + 3 * step, 9, `block ${b + 1}`, "ink strong"),
    ...HEADS.map((h) => {
      const [x, off] = [at(b, h) + step / 2, state.off.has(`${b},${h}`)];
      const looked = state.look === `${b},${h}`;
      return (looked ? box(x - step / 2, 20, step, bottom - 18, "ink empty") : "")
        + text(x, 31, h + 1, `${off ? "mute" : "ink"} small${looked ? " strong" : ""}`)
        + (off ? line([[x - 6, 37], [x + 6, 25]], "ink", 2) : "");
    }),
  ]).join("");
}

/** Tokens at the left, three blocks of six heads on the residual path. */
function glass(seen, state, width) {
  const { left } = places(width);
  const longest = Math.max(...seen.columns.flatMap(({ sizes }) => sizes));
  const last = state.drawn ? seen.tokens.length - 1 : -1;
  const rows = seen.words.map((said, i) => (i === last ? box(0, rowOf(i) - 9, left - 2, 18, "context empty") : "")
    + text(left - 6, rowOf(i), short(said, width < 420 ? 7 : 10), i === state.asking ? "query strong" : "ink", "end"));
  const ribbons = seen.columns.map((column, i) => ribbon(column, i, width, longest));
  const order = [...seen.tokens.keys()].filter((i) => i !== state.asking);
  const arcs = [...(state.alone ? [] : order), state.asking].map((asks) => arcsOf(seen, state, width, asks));
  const svg = [...ribbons, ...arcs, headsOf(seen, state, width), ...rows].join("");
  return { width, height: TOP + Math.max(ROW * seen.tokens.length, 160) + 6, svg };
}

/** The next tokens with their probabilities, the most probable framed; a hollow bar is what all heads together would
 *  give. What was drawn last stands above them. */
function next(seen, state, width) {
  const [start, end] = [84, width - (state.off.size ? 96 : 48)];
  const longest = Math.max(...seen.best.map((token) => Math.max(seen.before[token], seen.after[token])));
  const first = most(seen.after, seen.best);
  const parts = seen.best.map((token, i) => {
    const y = TOP + 22 * i + 4;
    const [before, after] = [seen.before[token], seen.after[token]];
    const long = (probability) => ((end - start) * probability) / longest;
    const numbers = state.off.size ? `${fixed(before)} → ${fixed(after)}` : fixed(after);
    return (token === first ? box(1, y - 10.5, width - 2, 21, "context empty") : "")
      + text(start - 6, y, short(shown(model.tokeniser.decode([token])), 9), token === first ? "ink strong" : "ink", "end")
      + box(start, y - 8, long(after), 16, "weight solid")
      + (state.off.size ? box(start, y - 8, long(before), 16, "ink empty") : "")
      + text(width - 5, y, numbers, "ink small", "end");
  });
  const title = text(0, 9, "the next token", "ink strong", "start");
  const drawn = state.drawn ? text(0, 27, `drawn last: ${short(word(state.drawn.token), 12)} with ${fixed(state.drawn.had)}`, "context small", "start") : "";
  return { width, height: TOP + 22 * SHOWN, svg: [title, drawn, ...parts].join("") };
}

/** The cache: a column for each token, with keys and values of three blocks; framed is what was computed last. */
function cache(seen, width) {
  const step = Math.min((width - 96) / MOST, 20);
  const cells = seen.tokens.flatMap((_, i) => BLOCKS.flatMap((b) => ["key", "value"].map((role, r) =>
    box(96 + step * i, 24 + 16 * b + 7 * r, step - 1.5, 6, `${role} solid`))));
  const isNew = (i) => i >= seen.tokens.length - seen.computed;
  const frames = seen.tokens.map((_, i) => (isNew(i) ? box(95 + step * i, 21, step, 50, "ink empty") : ""));
  const words = [text(0, 9, "the cache: keys and values", "ink strong", "start"),
    ...BLOCKS.map((b) => text(90, 31 + 16 * b, `block ${b + 1}`, "ink small", "end"))];
  return { width, height: 76, svg: [...words, ...cells, ...frames].join("") };
}

// --- What is said ---

const most = (probabilities, best) => best.reduce((one, other) => (probabilities[other] > probabilities[one] ? other : one));

function changed(seen, state) {
  if (!state.off.size) return "";
  const moved = seen.before.reduce((total, probability, i) => total + Math.abs(seen.after[i] - probability), 0) / 2;
  const best = most(seen.after, seen.best);
  return `Without ${[...state.off].sort().map(nameOf).join("; ")}: ${word(best)} has ${fixed(seen.after[best])}, before ${fixed(seen.before[best])}; ${fixed(moved)} of the probability is on other tokens than before.`;
}

function say(seen, state) {
  const best = most(seen.before, seen.best);
  const taken = state.drawn ? `${word(state.drawn.token)} was drawn; it had ${fixed(state.drawn.had)}. ` : "";
  const told = state.open ? `${taken}Most probable next token: ${word(best)} with ${fixed(seen.before[best])}.` : "";
  const n = seen.tokens.length;
  const work = seen.computed === 0 ? "" : seen.computed === n ? `All ${n} columns of the cache were computed.` :
    `Of ${n} columns of the cache ${seen.computed} ${seen.computed === 1 ? "was" : "were"} computed, ${n - seen.computed} kept.`;
  return [seen.cut ? `The last ${MOST} tokens are read.` : "", told, state.open ? changed(seen, state) : "", work].filter(Boolean).join(" ");
}

/** One head for one token, number by number: rows of cells. */
function unfolded(seen, state) {
  const [b, h] = state.look.split(",").map(Number);
  const head = seen.columns[state.asking].blocks[b].heads[h];
  const first = (numbers) => [...numbers.slice(0, 3)].map((number) => fixed(number));
  const rows = seen.words.map((said, k) => {
    const value = first(seen.columns[k].blocks[b].value.subarray(h * model.size, (h + 1) * model.size));
    const later = k > state.asking;
    return [said, later ? "" : fixed(head.scores[k]), later ? "−∞" : "0", later ? 0 : head.weights[k], value.join(" ")];
  });
  return { query: first(head.query).join(" "), rows, context: first(head.context).join(" ") };
}

const START = { text: "The context is a weighted", look: "1,3", off: new Set(), temperature: 1, p: 1, asking: 5, alone: false, open: false, drawn: null };

export const figure = {
  title: "A language model at work: the tokens of a text, three blocks of six heads, and the most probable next tokens",
  start: START,
  ready: () => fetch(`/${FILE}`).then(load),
  panels: (state) => {
    const seen = answer(state, readers());
    return [glass(seen, state, 470), next(seen, state, 250)];
  },
  say: (state) => say(answer({ ...state, open: true }, readers()), { ...state, open: true }),
};

// --- The element in a page ---

class Glass {
  constructor(place) {
    Object.assign(this, { place, state: { ...START, off: new Set() }, kept: readers(), shows: [] });
    place.id = "live-model";
    this.panels = Object.fromEntries(["glass", "next", "cache"].map((name) => [name, element("div", { className: `panel of-${name}` })]));
    this.question = element("fieldset", { className: "panel of-next" });
    this.stage = element("div", { className: "stage" }, ...Object.values(this.panels).slice(0, 2), this.question, this.panels.cache);
    this.words = element("p", { className: "values", ariaLive: "polite" });
    this.head = element("div", { className: "unfolded", role: "region", tabIndex: 0, ariaLabel: "One head, number by number" });
    place.querySelector(".still").replaceWith(element("style", { textContent: styles(place.id) }),
      element("div", { className: "works" }, this.written(), this.stage, this.words, this.settings(), this.head));
    this.ask();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.stage);
    this.compute({});
    leadTo(place);
  }

  written() {
    this.area = element("textarea", { rows: 2, value: START.text, maxLength: 2000, spellcheck: false });
    this.area.addEventListener("input", () => this.compute({ text: this.area.value, last: true, open: true, drawn: null }));
    return element("label", { className: "asked" }, element("span", { textContent: "Your text" }), this.area);
  }

  /** A question before the answer: the four tokens that are most probable, in the order of their numbers. */
  ask() {
    const { best, before } = answer({ ...this.state, text: START.text }, readers());
    const choices = best.slice(0, 4).sort((a, b) => a - b).map((token) => this.button(word(token), () =>
      this.reveal(`You guessed ${word(token)}: the model gives it ${fixed(before[token])}.`)));
    this.question.append(element("legend", { textContent: "Which token comes next? Guess first." }), ...choices,
      this.button("Show it", () => this.reveal("")));
  }

  reveal(guess) {
    this.compute({ open: true }, guess);
    this.take.focus();
  }

  button(words, press) {
    const one = element("button", { type: "button", textContent: words });
    one.addEventListener("click", press);
    return one;
  }

  range(name, label, min, max, step, digits) {
    const [input, output] = [element("input", { type: "range", min, max, step, value: this.state[name] }), element("output")];
    input.addEventListener("input", () => this.compute({ [name]: Number(input.value) - (name === "asking" ? 1 : 0) }));
    this.shows.push(() => {
      const value = this.state[name] + (name === "asking" ? 1 : 0);
      if (name === "asking") input.max = this.seen.tokens.length;
      input.value = value;
      output.textContent = name === "asking" ? this.seen.words[value - 1] : fixed(value, digits);
      input.ariaValueText = output.textContent;
    });
    return element("div", { className: "range" }, element("label", {}, element("span", { textContent: label }), input), output);
  }

  settings() {
    this.take = this.button("Draw the next token", () => this.step());
    this.switch = this.button("", () => this.turn(this.state.look));
    this.every = this.button("All heads on", () => this.compute({ off: new Set() }));
    const asking = this.range("asking", "token that looks", 1, 1, 1, 0);
    const settings = element("div", { className: "settings" },
      element("div", { className: "presses" }, this.take, this.switch, this.every),
      this.range("temperature", "temperature", 0.1, 2, 0.1, 1), this.range("p", "top-p", 0.05, 1, 0.05, 2),
      asking, element("div", { className: "looks", role: "radiogroup", ariaLabel: "Look at a head" },
        element("span", { textContent: "look at head" }), ...BLOCKS.map((b) => this.looks(b))));
    hold(settings, settings.firstElementChild);
    return settings;
  }

  looks(b) {
    const labels = HEADS.map((h) => {
      const input = element("input", { type: "radio", name: "live-model-look", value: `${b},${h}`, ariaLabel: nameOf(`${b},${h}`) });
      input.addEventListener("change", () => this.compute({ look: input.value }));
      const shows = element("span", { textContent: h + 1 });
      this.shows.push(() => {
        input.checked = this.state.look === input.value;
        shows.classList.toggle("off", this.state.off.has(input.value));
      });
      return element("label", {}, input, shows);
    });
    return element("div", {}, element("span", { textContent: `block ${b + 1}` }), ...labels);
  }

  turn(head) {
    const off = new Set(this.state.off);
    if (!off.delete(head)) off.add(head);
    this.compute({ off });
  }

  /** Draw the next token from the probabilities that are shown, and read it: one column more. */
  step() {
    const token = drawn(this.seen.after, Math.random());
    this.area.value = this.state.text + model.tokeniser.decode([token]);
    this.compute({ text: this.area.value, last: true, open: true, drawn: { token, had: this.seen.after[token] } });
  }

  /** Compute with these changes. last: the last token looks. guess: what to say first. */
  compute({ last, ...changes }, guess = "") {
    this.state = { ...this.state, ...changes };
    if (this.state.text === "") return this.tell("The text is empty: type a word.");
    this.seen = answer(this.state, this.kept);
    const end = this.seen.tokens.length - 1;
    this.state.asking = last ? end : Math.min(this.state.asking, end);
    this.draw();
    this.tell([guess, say(this.seen, this.state)].filter(Boolean).join(" "));
  }

  /** A screen reader should hear where a movement ends, not each step of it. */
  tell(words) {
    clearTimeout(this.later);
    this.later = setTimeout(() => { this.words.textContent = words; }, 250);
  }

  draw(hovered = null) {
    if (!this.seen || !this.stage.clientWidth) return;
    const state = hovered === null ? this.state : { ...this.state, asking: hovered, alone: true };
    const all = this.stage.clientWidth;
    const [narrow, beside] = [all < 600, all < 900 ? 234 : 280];
    ROW = all < 900 ? 20 : Math.max(16, Math.min(40, 250 / this.seen.tokens.length));
    for (const one of [this.panels.next, this.question]) one.style.flexBasis = narrow ? "100%" : `${beside}px`;
    this.panels.glass.style.flexBasis = narrow ? "100%" : `${all - beside - 16}px`;
    this.show("glass", glass(this.seen, state, narrow ? all : all - beside - 16));
    this.show("next", next(this.seen, state, narrow ? all : beside));
    this.show("cache", cache(this.seen, all < 900 ? all : beside));
    this.panels.next.hidden = !this.state.open;
    this.question.hidden = this.state.open;
    if (hovered !== null) return;
    this.shows.forEach((one) => one());
    const off = this.state.off.has(this.state.look);
    this.switch.textContent = `Switch ${off ? "on" : "off"} ${nameOf(this.state.look)}`;
    this.every.hidden = this.state.off.size === 0;
    this.head.replaceChildren(this.table());
  }

  show(name, { width, height, svg }) {
    const words = { glass: figure.title, next: "The next token", cache: "The cache" }[name];
    this.panels[name].innerHTML = `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(words)}">${svg}</svg>`;
  }

  table() {
    const { query, rows, context } = unfolded(this.seen, this.state);
    const asks = this.seen.words[this.state.asking];
    const cell = (tag, words, properties = {}) => element(tag, { textContent: words, ...properties });
    const head = element("tr", {}, ...["key of", "q·k / √12", "mask", "softmax", "value, first 3 of 12"].map((name) => cell("th", name, { scope: "col" })));
    const lines = rows.map(([said, score, mask, weight, value]) => {
      const bar = element("span", { className: "bar" });
      bar.style.width = `${5 * weight}rem`;
      return element("tr", {}, cell("th", said, { scope: "row" }), cell("td", score), cell("td", mask),
        element("td", {}, `${fixed(weight)} `, bar), cell("td", value, { className: "value" }));
    });
    const sum = element("tr", {}, cell("th", "sum", { scope: "row" }), cell("td", ""), cell("td", ""), cell("td", "1.00"), cell("td", context, { className: "context" }));
    const caption = `${nameOf(this.state.look)}, for “${asks}”, whose query begins ${query}: weights times values give the context`;
    return element("table", {}, cell("caption", caption), element("thead", {}, head), element("tbody", {}, ...lines, sum));
  }

  listen() {
    const panel = this.panels.glass;
    const at = (event) => {
      const place = panel.firstElementChild.getBoundingClientRect();
      const [x, y] = [event.clientX - place.left, event.clientY - place.top];
      const { left, step, at: start } = places(place.width);
      const heads = BLOCKS.flatMap((b) => HEADS.map((h) => `${b},${h}`));
      const look = x < left ? undefined : heads.find((key) => { const begin = start(key[0], Number(key[2])); return x >= begin && x < begin + step; });
      const row = Math.floor((y - TOP) / ROW);
      return { look, row: row >= 0 && row < this.seen.tokens.length ? row : null };
    };
    panel.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") this.draw(at(event).row); });
    panel.addEventListener("pointerleave", () => this.draw());
    panel.addEventListener("click", (event) => {
      const { look, row } = at(event);
      this.compute({ ...(look ? { look } : {}), ...(row === null ? {} : { asking: row }) });
    });
  }
}

const OVER_HTTP = "Over http this figure computes: run “make serve” in the course's folder, and open http://localhost:8000.";

/** Bring the figure to life once it is near: until then nothing is loaded. */
function wait(place) {
  const told = (words) => place.querySelector(".still").after(element("p", { className: "values", textContent: words }));
  if (location.protocol === "file:") return told(OVER_HTTP);
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    try {
      await load(await fetch(`${document.documentElement.dataset.content_root ?? ""}${FILE}`));
      new Glass(place);
    } catch {
      told("The model did not come: load the page again.");
    }
  }, { rootMargin: "400px" });
  observer.observe(place);
}

if (typeof document !== "undefined") document.querySelectorAll('figure.live[data-name="model"]').forEach(wait);
