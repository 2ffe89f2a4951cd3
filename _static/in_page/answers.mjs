// The field for one answer: keeps what is written, has it judged, and shows the verdict.
import { check, isBusy, SECONDS, stop, write } from "./checker.mjs";
import { makeEditor } from "./editor.mjs";

const STOPPED = `Stopped: it did not end within ${SECONDS} seconds, or you stopped it. Is there a loop that never ends?`;
const BEGINNING = "The weights"; // as course/gpt/model_of_parts.py has it
const BUSY = "Another answer is being checked: wait for it, or stop it.";

/** What was printed, as text, below the verdict. */
const printed = (text) => {
  const part = document.createElement("pre");
  part.className = "in-page-printed";
  part.textContent = text;
  return part;
};

// Numbers, words and colours: nothing that could name an address.
const STYLE = /^(?:[\w\s.,:;%#-]|rgba?\([\d\s.,]+\))*$/;
const TAGS = ["DIV", "B", "CODE", "TABLE", "CAPTION", "TBODY", "TR", "TD", "PRE"];

/** What a verdict's template writes, made anew: its elements with their classes and styles, and text. */
const made = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return [node.data];
  const inside = [...node.childNodes].flatMap(made);
  if (!TAGS.includes(node.nodeName)) return node.nodeName === "BODY" ? inside : [];
  const element = document.createElement(node.nodeName);
  element.className = node.className;
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
  const box = document.createElement("div");
  box.className = "in-page-texts";
  box.append(paragraph(String(told)));
  if (written) box.append(paragraph(String(written), BEGINNING));
  if (own) box.append(paragraph("With the model's own part:"), paragraph(String(own), BEGINNING));
  return box;
};

const show = (shown, { verdict, stopped, failure }) => {
  if (verdict) {
    // A reader's own code runs beside the judge, and could send anything in its place.
    shown.replaceChildren(...made(new DOMParser().parseFromString(String(verdict.html), "text/html").body));
    if (verdict.printed) shown.append(printed(String(verdict.printed)));
    if (verdict.told) shown.prepend(texts(verdict));
  } else {
    shown.replaceChildren(paragraph(stopped ? STOPPED : `The check could not run: ${failure}. Try again.`));
  }
};

/** Bring a field to life. `store` keeps the answer; `checked` is called when it is judged, `pass` when it is accepted. */
export const startField = (widget, store, checked, pass) => {
  const { exercise } = widget.dataset;
  const key = `in-page-answer-${exercise}`;
  const part = (name) => widget.querySelector(`.in-page-${name}`);
  const [area, button, stopper, again] = ["answer", "check", "stop", "again"].map(part);
  const [status, shown] = ["status", "verdict"].map(part);
  const writer = part("write-with");
  const stub = area.defaultValue;

  const run = async (ask = check) => {
    if (isBusy()) {
      status.textContent = BUSY;
      return;
    }
    const buttons = [button, writer].filter(Boolean);
    buttons.forEach((one) => (one.disabled = true));
    stopper.hidden = false;
    shown.replaceChildren();
    const result = await ask(exercise, area.value, (stage) => (status.textContent = stage));
    show(shown, result);
    status.textContent = result.verdict ? "" : "Not checked.";
    buttons.forEach((one) => (one.disabled = false));
    stopper.hidden = true;
    if (result.verdict) checked();
    if (result.verdict?.outcome === "accepted") pass();
    if (result.verdict?.idea) practice.fellFor(exercise, String(result.verdict.idea));
  };

  area.value = store.get(key) ?? area.value; // what was typed before the script came stays
  makeEditor(area, () => run());
  area.addEventListener("input", () => store.set(key, area.value === stub ? null : area.value));
  button.addEventListener("click", () => run());
  writer?.addEventListener("click", () => run(write));
  stopper.addEventListener("click", stop);
  again.addEventListener("click", () => {
    if (area.value !== stub && !confirm("Begin again? What you wrote here will be gone.")) return;
    area.value = stub;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    shown.replaceChildren();
    area.focus();
  });
};
