// What all figures that compute in the page share: softmax, parts of a drawing as SVG text, and the element
// with its controls. A figure is an object:
//   title     what it shows, in a sentence
//   start     the values of its controls at first
//   frame     those of its still picture, where that is another one
//   controls  (state) => [{ name, label, kind: "range" | "choice" | "text", … }]; value, set and words where a control
//             shows something else than state[name]: its value, what a new value changes, and how it is spoken
//   panels    (state) => [{ width, height, svg }]; pure, so that a still picture can be made of it
//   say       (state) => a sentence with the values, which is also announced
//   press     { panel, near, to }, or a list of them: what a pointer in a panel holds, if it can drag there, and what
//             that changes; with label and key(state, key), what a key changes, the panel has the keyboard's focus too
//   keys      how it is used by keyboard, in a short line that is shown
//   follow    (state, place): what else of the page follows the figure
//   asks      [{ question, answers, right, shows, because }]: the reader answers, then the figure does by what it shows
// A part of a drawing that lights up when it is pointed at is made by part(); the state's `lit` is its number.
// `_ext/figures.py` writes a page's figure and this file into the page as one script.

/** Softmax of numbers; those whose place in `mask` is false get 0, and all do where nothing is left. */
export function softmax(scores, mask = scores.map(() => true)) {
  const highest = Math.max(...scores.filter((_, i) => mask[i]));
  const powers = scores.map((score, i) => (mask[i] ? Math.exp(score - highest) : 0));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => (total ? power / total : 0));
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
export const dot = (a, b) => sum(a.map((number, i) => number * b[i]));

/** A number with a real minus sign, and without a negative zero. */
export function fixed(number, digits = 2) {
  const text = number.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

// --- Parts of a drawing, as text. A role is a colour and a word: query, key, value, weight, context, ink, mute. ---

const n = (number) => String(Number(number.toFixed(1)));
export const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (sign) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[sign]};`);

export function text(x, y, words, look = "ink", anchor = "middle", turn = 0) {
  const turned = turn ? ` transform="rotate(${turn} ${n(x)} ${n(y)})"` : "";
  return `<text x="${n(x)}" y="${n(y)}" dy=".35em" class="${look}" text-anchor="${anchor}"${turned}>${escaped(words)}</text>`;
}

export function box(x, y, width, height, look = "ink bar") {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(width, 0))}" height="${n(Math.max(height, 0))}" class="${look}"/>`;
}

export function line(points, look = "mute", width = 1) {
  const path = points.map(([x, y], i) => `${i ? "L" : "M"}${n(x)} ${n(y)}`).join(" ");
  return `<path d="${path}" class="${look} line" stroke-width="${n(width)}"/>`;
}

export function bend(path, look, width) {
  return `<path d="${path.map((part) => (typeof part === "number" ? n(part) : part)).join(" ")}" class="${look} line" stroke-width="${n(width)}"/>`;
}

export function circle(x, y, radius, look = "ink solid") {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" class="${look}"/>`;
}

/** A straight line whose head ends at its second point. */
export function arrow([x0, y0], [x1, y1], look, width = 3) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 12) return circle(x1, y1, 4, `${look} solid`);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const [bx, by] = [x1 - 11 * dx, y1 - 11 * dy];
  const head = [[x1, y1], [bx - 5.5 * dy, by + 5.5 * dx], [bx + 5.5 * dy, by - 5.5 * dx]];
  const points = head.map((point) => point.map(n).join(",")).join(" ");
  return `${line([[x0, y0], [bx, by]], look, width)}<polygon points="${points}" class="${look} solid"/>`;
}

/** A part of a drawing with the number `own`; it is dim while another one is lit. */
export function part(own, lit, ...drawn) {
  return `<g data-part="${own}"${lit && lit !== own ? ' class="dim"' : ""}>${drawn.flat().join("")}</g>`;
}

/** Words with their places, [x, y, words, look, anchor], moved up or down until none lies on another. */
export function apart(words, [top, bottom]) {
  const across = ([x, , said, , anchor = "middle"]) => {
    const width = 8.5 * said.length;
    const left = x - { start: 0, middle: width / 2, end: width }[anchor];
    return [left, left + width];
  };
  const placed = [];
  for (const word of words) {
    const [left, right] = across(word);
    const near = placed.filter((other) => left < across(other)[1] + 4 && across(other)[0] < right + 4);
    const free = (y) => y >= top && y <= bottom && near.every((other) => Math.abs(other[1] - y) >= 17);
    const steps = Array.from({ length: 40 }, (_, i) => word[1] + (i % 2 ? 1 : -1) * 4 * Math.ceil(i / 2));
    placed.push([word[0], steps.find(free) ?? word[1], ...word.slice(2)]);
  }
  return placed.map((word) => text(...word)).join("");
}

const LIGHT = "--query:#7a3db8;--key:#00707a;--value:#8a5a00;--context:#b0246f;--weight:#1a6200;--ink:#1c2430;--mute:#5b6470;--paper:#fff";
const DARK = "--query:#c9a2f2;--key:#5cd0cc;--value:#f0bd5a;--context:#ff8fc2;--weight:#8bd47b;--ink:#e8edf2;--mute:#a9b3bf;--paper:#14181e";
const FORCED = ["query", "key", "value", "context", "ink", "mute"].map((role) => `--${role}:CanvasText`).join(";");

/** The styles of a drawing, for the element with this id alone: in a page they follow its theme. */
export function styles(id) {
  const roles = ["query", "key", "value", "weight", "context", "ink", "mute"];
  const parts = {
    text: "font:15px system-ui,sans-serif;fill:var(--c)",
    ".small": "font-size:14px",
    ".strong": "font-weight:600",
    ".solid": "fill:var(--c)",
    ".bar": "fill:var(--c);fill-opacity:.45",
    ".shape": "fill:var(--c);fill-opacity:.12;stroke:var(--c);stroke-width:2",
    ".empty": "fill:none;stroke:var(--c);stroke-width:1.5",
    ".line": "fill:none;stroke:var(--c)",
    ".dashed": "stroke-dasharray:5 4",
    ".faint": "opacity:.45",
    ".paper": "fill:var(--paper)",
    ".code": "font-family:ui-monospace,monospace;font-size:14px",
    ".dim": "opacity:.22",
    ".shade": "fill:var(--c);fill-opacity:.2",
  };
  return [
    `#${id}{${LIGHT}}`,
    `@media(prefers-color-scheme:dark){#${id}{${DARK}}}`,
    `html[data-theme=light] #${id}{${LIGHT}}`,
    `html[data-theme=dark] #${id}{${DARK}}`,
    `@media print{#${id},html[data-theme] #${id}{${LIGHT}}}`,
    `@media(forced-colors:active){#${id},html[data-theme] #${id}{${FORCED};--weight:Highlight;--paper:Canvas}}`,
    ...roles.map((role) => `#${id} .${role}{--c:var(--${role})}`),
    ...Object.entries(parts).map(([part, rules]) => `#${id} ${part}{${rules}}`),
  ].join("\n");
}

/** Panels side by side, two in a row. */
const inRows = (panels) => panels.flatMap((_, i) => (i % 2 ? [] : [panels.slice(i, i + 2)]));

/** How wide and how high panels in rows are. */
function size(panels) {
  const rows = inRows(panels);
  return { wide: sum(rows[0].map(({ width }) => width)), high: sum(rows.map((row) => Math.max(...row.map(({ height }) => height)))) };
}

/** The figure as it begins, as the text of an SVG file. */
export function still(name, { title, start, frame = start, panels, say }) {
  const id = `still-${name}`;
  const rows = inRows(panels(frame));
  let [x, height] = [0, 0];
  const parts = rows.flatMap((row) => {
    let left = 0;
    const placed = row.map((panel) => {
      left += panel.width;
      return `<svg x="${left - panel.width}" y="${height}" width="${panel.width}" height="${panel.height}">${panel.svg}</svg>`;
    });
    height += Math.max(...row.map((panel) => panel.height));
    x = Math.max(x, left);
    return placed;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" id="${id}" width="${x}" height="${height}" viewBox="0 0 ${x} ${height}" role="img" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${escaped(title)}</title>
<desc id="${id}-description">${escaped(say(frame))}</desc>
<style>
${styles(id)}
html[data-theme] #${id} .ground{fill:none}
</style>
<rect width="${x}" height="${height}" class="paper ground"/>
${parts.join("\n")}
</svg>
`;
}

// --- The element in a page ---

export const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

/** Buttons of which one is a stop for Tab; arrow keys lead to the others. */
function rove(bar, buttons) {
  const stop = (one) => buttons.forEach((button) => { button.tabIndex = button === one ? 0 : -1; });
  stop(buttons[0]);
  bar.addEventListener("focusin", ({ target }) => stop(target));
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length].focus();
  });
}

/** Beside the page's link to its text, one to what can be moved in its first figure: dozens of stops for Tab lie between. */
export function leadTo(place) {
  const skip = document.querySelector("#pst-skip-link");
  if (!skip || skip.querySelector(".to-figure")) return;
  const link = element("a", { className: "to-figure", href: `#${place.id}`, textContent: "Skip to the figure" });
  link.addEventListener("click", (event) => {
    event.preventDefault();
    place.scrollIntoView();
    (place.querySelector(".panel[tabindex], textarea") ?? place.querySelector("button, input")).focus({ preventScroll: true });
  });
  skip.append(link);
}

/** On a phone one control stays in view: this one at first, then the one that was used last. */
export function hold(settings, first) {
  const stay = (used) => { for (const one of settings.children) one.classList.toggle("at-hand", one.contains(used)); };
  for (const use of ["focusin", "input"]) settings.addEventListener(use, ({ target }) => stay(target));
  stay(first);
}

class Live {
  constructor(place, name, figure) {
    Object.assign(this, { place, name, figure, state: { ...figure.start }, shown: "" });
    place.id = `live-${name}`;
    const presses = [figure.press ?? []].flat();
    const role = presses.some(({ key }) => key) ? "group" : "img";
    const stage = element("div", { className: "stage", role, ariaLabel: figure.title });
    this.panels = figure.panels(this.state).map(() => stage.appendChild(element("div", { className: "panel" })));
    this.settings = element("div", { className: "settings" });
    this.words = element("p", { className: "values", ariaLive: "polite" });
    const keys = figure.keys ? [element("p", { className: "by-keys", textContent: `By keyboard: ${figure.keys}` })] : [];
    const works = element("div", { className: "works" }, ...this.asking(), stage, this.settings, ...keys, this.words);
    place.querySelector(".still").replaceWith(element("style", { textContent: styles(place.id) }), works);
    presses.forEach((press) => this.listen(this.panels[press.panel], press));
    if ("lit" in this.state) this.light(stage);
    if (figure.frame) this.print();
    this.draw();
    hold(this.settings, this.settings.querySelector(".range") ?? this.settings.firstElementChild);
    this.words.textContent = figure.say(this.state);
    leadTo(place);
  }

  /** The questions, one at a time: an answer makes the figure show what is right. */
  asking() {
    const { asks = [] } = this.figure;
    if (!asks.length) return [];
    const whole = element("div", { className: "asking" });
    const pose = (i) => {
      const told = element("p", { className: "told", ariaLive: "polite" });
      const { question, answers, right, shows, because } = asks[i];
      const buttons = answers.map((answer) => element("button", { type: "button", textContent: answer }));
      const next = element("button", { type: "button", textContent: "Next question" });
      next.addEventListener("click", () => { pose((i + 1) % asks.length); whole.querySelector("button").focus(); });
      buttons.forEach((button, chosen) => button.addEventListener("click", () => {
        buttons.forEach((other) => { other.ariaPressed = String(other === button); });
        this.set(shows(this.state));
        told.textContent = `${chosen === right ? "Yes." : `Not so: “${answers[right]}” is right.`} ${because(this.state)} `;
        if (asks.length > 1) told.append(next);
      }));
      const answering = element("div", { className: "answers", role: "toolbar", ariaLabel: "Your guess" }, ...buttons);
      rove(answering, buttons);
      whole.replaceChildren(
        element("p", {}, element("strong", { textContent: "Guess first. " }), question), answering, told);
    };
    pose(0);
    return [whole];
  }

  /** The part that is pointed at lights up, wherever it is drawn. */
  light(stage) {
    const lit = (number) => { if (this.state.lit !== number) this.set({ lit: number }); };
    stage.addEventListener("pointerover", ({ target, pointerType, buttons }) => {
      if (pointerType !== "mouse" || buttons) return;
      // Where something can be dragged, nothing grows dim under the pointer.
      const pointed = target.closest(".panel:not(.pressed) [data-part]");
      if (pointed) lit(Number(pointed.dataset.part));
      else if (target.closest(".pressed")) lit(0);
    });
    stage.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse") lit(0); });
  }

  /** On paper a figure that nobody has touched is shown as its still is. */
  print() {
    const begun = this.state;
    let printed = null;
    addEventListener("beforeprint", () => {
      if (this.state !== begun) return;
      this.set(this.figure.frame);
      printed = this.state;
    });
    addEventListener("afterprint", () => {
      if (!printed || this.state !== printed) return;
      this.state = begun;
      this.draw();
      this.words.textContent = this.figure.say(begun);
    });
  }

  set(changes) {
    this.state = { ...this.state, ...changes };
    this.draw();
    // A screen reader should hear where a movement ends, not each step of it.
    clearTimeout(this.later);
    this.later = setTimeout(() => { this.words.textContent = this.figure.say(this.state); }, 200);
  }

  draw() {
    this.figure.follow?.(this.state, this.place);
    const panels = this.figure.panels(this.state);
    for (const [name, pixels] of Object.entries(size(panels))) this.place.style.setProperty(`--${name}`, pixels);
    this.place.classList.toggle("tall", panels.length > 2);
    panels.forEach(({ width, height, svg }, i) => {
      this.panels[i].style.maxWidth = `${width}px`;
      this.panels[i].innerHTML =
        `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">${svg}</svg>`;
    });
    const controls = this.figure.controls(this.state);
    // Controls are made anew only where their choices changed: a control that is used keeps its focus.
    const shown = JSON.stringify(controls.map(({ name, options }) => [name, options]));
    if (shown !== this.shown) this.make(controls);
    this.shown = shown;
    controls.forEach((control) => this.show(control));
  }

  make(controls) {
    this.parts ??= new Map();
    controls.forEach((control) => {
      const old = this.parts.get(control.name);
      if (old && old.options === JSON.stringify(control.options)) return;
      const part = { options: JSON.stringify(control.options), ...this[control.kind](control) };
      if (old) old.whole.replaceWith(part.whole);
      else this.settings.append(part.whole);
      this.parts.set(control.name, part);
    });
  }

  control(name) {
    return this.figure.controls(this.state).find((control) => control.name === name);
  }

  /** A control has a new value. */
  change(name, value) {
    this.set(this.control(name).set?.(value) ?? { [name]: value });
  }

  range({ name, label, min, max, step, play }) {
    const input = element("input", { type: "range", min, max, step });
    const output = element("output");
    input.addEventListener("input", () => this.change(name, Number(input.value)));
    const whole = element("div", { className: "range" }, element("label", {}, element("span", { textContent: label }), input), output);
    if (play) whole.append(this.player(name, Number(step), Number(min)));
    return { whole, input, output };
  }

  player(name, step, min) {
    const button = element("button", { type: "button", textContent: "▶ Play" });
    let timer = null;
    const stop = () => {
      clearInterval(timer);
      timer = null;
      button.textContent = "▶ Play";
    };
    button.addEventListener("click", () => {
      if (timer) return stop();
      button.textContent = "❚❚ Stop";
      const [most, wait] = [() => this.control(name).max, this.control(name).wait ?? 250];
      if (this.state[name] >= most()) this.set({ [name]: min });
      timer = setInterval(() => {
        this.set({ [name]: Math.min(this.state[name] + step, most()) });
        if (this.state[name] >= most()) stop();
      }, wait);
    });
    return button;
  }

  choice({ name, label, options }) {
    const group = `${this.place.id}-${name}`;
    const inputs = options.map((_, i) => element("input", { type: "radio", name: group, value: i }));
    inputs.forEach((input, i) => input.addEventListener("change", () => this.change(name, i)));
    const labels = options.map((option, i) => element("label", {}, inputs[i], element("span", { textContent: option })));
    const whole = element("fieldset", {}, element("legend", { textContent: label }), ...labels);
    return { whole, inputs };
  }

  text({ name, label, longest }) {
    const input = element("input", { type: "text", maxLength: longest, autocomplete: "off", spellcheck: false });
    input.addEventListener("input", () => this.set({ [name]: input.value }));
    return { whole: element("div", { className: "written" }, element("label", {}, element("span", { textContent: label }), input)), input };
  }

  show({ name, label, kind, max, digits = 1, unit = "", value = this.state[name], words }) {
    const { whole, input, inputs, output } = this.parts.get(name);
    whole.querySelector("legend, label > span").textContent = label;
    if (kind === "choice") inputs.forEach((radio, i) => { radio.checked = i === value; });
    if (kind === "range") input.max = max;
    if (input && input.value !== String(value)) input.value = value;
    if (kind !== "range") return;
    output.textContent = words ?? fixed(value, digits) + unit;
    input.ariaValueText = output.textContent;
  }

  /** A panel with the keyboard's focus, in which keys do what the figure says. */
  type(panel, { label, key }) {
    Object.assign(panel, { tabIndex: 0, role: "application", ariaLabel: label });
    panel.addEventListener("keydown", (event) => {
      const changes = event.ctrlKey || event.metaKey || event.altKey ? null : key(this.state, event.key);
      if (!changes) return;
      event.preventDefault();
      this.set(changes);
    });
  }

  /** A pointer sets the values where it presses, and drags what it holds from there. A finger that holds nothing
   *  scrolls the page. */
  listen(panel, press) {
    const { near, to } = press;
    let [pointer, held, pressed] = [null, null, false];
    const at = ({ clientX, clientY }) => {
      const svg = panel.firstElementChild;
      const [place, view] = [svg.getBoundingClientRect(), svg.viewBox.baseVal];
      return [(clientX - place.left) * view.width / place.width, (clientY - place.top) * view.height / place.height];
    };
    panel.classList.add("pressed");
    if (press.key) this.type(panel, press);
    panel.addEventListener("touchstart", (event) => {
      if (near(this.state, ...at(event.touches[0]))) event.preventDefault();
    }, { passive: false });
    panel.addEventListener("pointerdown", (event) => {
      held = near(this.state, ...at(event));
      pressed = event.pointerType === "mouse" || Boolean(held);
      if (!pressed) return;
      pointer = event.pointerId;
      panel.setPointerCapture(pointer);
      this.set(to(this.state, ...at(event), held));
    });
    panel.addEventListener("pointermove", (event) => {
      if (event.pointerId === pointer) this.set(to(this.state, ...at(event), held));
    });
    for (const end of ["pointerup", "pointercancel"]) panel.addEventListener(end, () => { pointer = null; });
    // A finger's tap beside what can be held. Where a drag ends is told by whole pixels here, and known already.
    panel.addEventListener("click", (event) => { if (!pressed) this.set(to(this.state, ...at(event), held)); });
  }
}

/** Bring the figures of this name in the page to life. */
export function show(name, figure) {
  if (typeof document === "undefined") return;
  for (const place of document.querySelectorAll(`figure.live[data-name="${name}"]`)) new Live(place, name, figure);
}
