// The field for one answer: keeps what is written, has it judged, and shows the verdict.
import { check, isBusy, SECONDS, stop, warm, watch, write } from "./checker.mjs";

const STOPPED = `Stopped: it did not end within ${SECONDS} seconds, or you stopped it. Is there a loop that never ends?`;
const BEGINNING = "The weights"; // as course/gpt/model_of_parts.py has it
const TORCH = /^\s*(?:import|from)\s+torch\b/m;
const UNJUDGED = ["missing", "unknown"];
const root = document.documentElement;
const BUSY = "Another answer is being checked: wait for it, or stop it.";

/** What was printed, as text, below the verdict. */
const printed = (textContent) =>
  Object.assign(document.createElement("pre"), { className: "in-page-printed", textContent });

// Numbers, words and colours: nothing that could name an address.
const STYLE = /^(?:[\w\s.,:;%#-]|rgba?\([\d\s.,]+\))*$/;
const TAGS = /^(DIV|B|CODE|TABLE|CAPTION|TBODY|TR|TD|PRE|DETAILS|SUMMARY|FIGURE|svg|g|rect|text)$/;
const ATTRIBUTES = ["class", "role", "aria-label", "aria-hidden", "viewBox", "width", "height", "x", "y", "opacity"];

/** What a verdict's template writes, made anew: its elements with their classes, sizes and styles, and text. */
const made = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return [node.data];
  const inside = [...node.childNodes].flatMap(made);
  if (!TAGS.test(node.nodeName)) return node.nodeName === "BODY" ? inside : [];
  const element = document.createElementNS(node.namespaceURI, node.localName);
  for (const name of ATTRIBUTES) if (node.hasAttribute(name)) element.setAttribute(name, node.getAttribute(name));
  if (STYLE.test(node.style.cssText)) element.style.cssText = node.style.cssText;
  element.append(...inside);
  return [element];
};

/** A paragraph; where `text` begins with `beginning`, the rest of it is marked. */
const paragraph = (text, beginning = text) => {
  const made = document.createElement("p");
  made.append(beginning);
  if (text === beginning) return made;
  made.className = "in-page-written";
  made.append(Object.assign(document.createElement("mark"), { textContent: text.slice(beginning.length) }));
  return made;
};

/** What the stored model wrote with the answer, and without it where that is another text. */
const texts = ({ told, written, own }) => {
  const box = Object.assign(document.createElement("div"), { className: "in-page-texts" });
  box.append(paragraph(String(told)));
  if (written) box.append(paragraph(String(written), BEGINNING));
  if (own) box.append(paragraph("With the model's own part:"), paragraph(String(own), BEGINNING));
  return box;
};

/** What is shown of a result, as elements. */
const shownOf = ({ verdict, stopped, failure }) => {
  if (!verdict) return [paragraph(stopped ? STOPPED : `The check could not run: ${failure}. Try again.`)];
  // A reader's own code runs beside the judge, and could send anything in its place.
  const nodes = made(new DOMParser().parseFromString(String(verdict.html), "text/html").body);
  return [verdict.told && texts(verdict), ...nodes, verdict.printed && printed(String(verdict.printed))].filter(Boolean);
};

/** A short name of an outcome, for the strip of attempts. */
const nameOf = ({ outcome, idea, message }) => {
  const name = idea || String(message).match(/\w+Error/)?.[0] || { accepted: "✓ passed", rejected: "not yet" }[outcome];
  return String(name || outcome).replace(/^general:/, "").replace(/_/g, " ");
};

/** Without CodeMirror the text area is all there is. */
const plain = (area) => ({
  put: (text) => {
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  },
  mark: () => {},
  focus: () => area.focus(),
});

/** Bring a field to life, and give what puts the caret into it. `store` keeps the answer; `checked` is called when it is
 *  judged, `pass` when it is accepted. */
export const startField = async (widget, store, checked, pass) => {
  const { exercise } = widget.dataset;
  const [key, languageKey] = [`in-page-answer-${exercise}`, `in-page-language-${exercise}`];
  const part = (name) => widget.querySelector(`.in-page-${name}`);
  const [area, button, stopper, again] = ["answer", "check", "stop", "again"].map(part);
  const [status, shown, strip, mark, load] = ["status", "verdict", "attempts", "mark", "load"].map(part);
  const writer = part("write-with");
  const stubs = { numpy: area.defaultValue, torch: area.dataset.torch };
  const keys = { numpy: key, torch: `${key}-torch` }; // an answer in each
  const languages = [...widget.querySelectorAll("[data-language]")];
  const ofPage = () => (root.dataset.framework === "torch" ? "torch" : "numpy");
  let [language, before] = [null, ofPage()];
  const name = (one) => {
    language = one;
    for (const choice of languages) choice.ariaPressed = String(choice.dataset.language === one);
  };
  /** Keep the answer. One in PyTorch that was begun in NumPy's place moves to its own, unless another stands there. */
  const keep = () => {
    if (language === "numpy" && TORCH.test(area.value) && store.get(keys.torch) === null) choose("torch");
    store.set(keys[language], area.value === stubs[language] ? null : area.value);
  };
  const choose = (one) => {
    name(one);
    store.set(languageKey, one);
  };
  name(store.get(languageKey) ?? before);
  // What was typed before the script came stays.
  area.value = store.get(keys[language]) ?? (area.value === stubs.numpy ? stubs[language] : area.value);
  keep();
  area.addEventListener("input", () => (keep(), warm(language)));
  const editor = await import("./editor.mjs").then(({ makeEditor }) => makeEditor(area, () => run()), () => plain(area));

  /** Put elements in the verdict's place, and mark whose they are: those of an answer before, or nobody's. */
  const place = (nodes, chosen) => {
    shown.replaceChildren(...nodes);
    status.textContent = "";
    for (const one of strip.children) one.firstChild.ariaPressed = String(one === chosen);
  };

  /** Show a result with its answer: the newest, or one before. */
  const show = (nodes, verdict, chosen) => {
    place(nodes, chosen);
    shown.ariaBusy = "false";
    shown.parentElement.scrollIntoView({ block: "nearest" });
    mark.hidden = verdict?.outcome !== "accepted";
    const [words, number] = String(verdict?.message).split(/ \(line (\d+)/);
    if (number) editor.mark(Number(number), words.replace("It stops with ", ""));
  };

  let last = null;
  const remember = (text, written, nodes, verdict) => {
    if (text === last) strip.lastChild.remove();
    last = text;
    const one = document.createElement("li");
    const chip = Object.assign(document.createElement("button"), { type: "button", textContent: nameOf(verdict) });
    chip.addEventListener("click", () => {
      choose(written);
      if (area.value !== text) editor.put(text);
      show(nodes, verdict, one);
    });
    one.append(chip);
    strip.append(one);
    return one;
  };

  const run = async (ask = check) => {
    if (isBusy()) return void (status.textContent = BUSY);
    const buttons = [button, writer].filter(Boolean);
    const { activeElement } = document;
    buttons.forEach((one) => (one.disabled = true));
    stopper.hidden = false;
    shown.ariaBusy = "true";
    const [text, written] = [area.value, language];
    const framework = TORCH.test(text) ? "torch" : written;
    const result = await ask(exercise, text, framework, (stage) => (status.textContent = stage));
    const { verdict } = result;
    const nodes = shownOf(result);
    show(nodes, verdict, verdict && !UNJUDGED.includes(verdict.outcome) && remember(text, written, nodes, verdict));
    if (!verdict) status.textContent = "Not checked.";
    buttons.forEach((one) => (one.disabled = false));
    // A button that could not be pressed for a while, or is gone, has lost the focus.
    if ([document.body, stopper].includes(document.activeElement)) activeElement.focus({ preventScroll: true });
    stopper.hidden = true;
    if (verdict) checked();
    if (verdict?.outcome === "accepted") pass();
    if (verdict?.idea) practice.fellFor(exercise, String(verdict.idea));
  };

  const [bar, words] = ["progress", "output"].map((name) => load.querySelector(name));
  watch(({ stage, bytes }) => {
    words.textContent = stage;
    bar.hidden = !stage.endsWith("…");
    if (bytes < bar.max) bar.value = bytes;
    else bar.removeAttribute("value"); // all has come, and starts
  });
  addEventListener("online", () => warm());
  button.addEventListener("click", () => run());
  writer?.addEventListener("click", () => run(write));
  stopper.addEventListener("click", stop);
  const begin = (text) => {
    editor.put(text);
    place([]);
  };
  again.addEventListener("click", () => {
    if (area.value !== stubs[language] && !confirm("Begin again? What you wrote here will be gone.")) return;
    begin(stubs[language]);
    editor.focus();
  });
  const turnTo = (one) => {
    if (one === language) return;
    choose(one);
    warm(one);
    begin(store.get(keys[one]) ?? stubs[one]);
  };
  for (const choice of languages) choice.addEventListener("click", () => turnTo(choice.dataset.language));
  new MutationObserver(() => {
    if (before !== ofPage()) turnTo((before = ofPage())); // the page's own switch
  }).observe(root, { attributeFilter: ["data-framework"] });
  return editor.focus;
};
