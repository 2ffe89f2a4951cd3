// Find the fault: pieces of code with a mistake, five beneath a chapter, and what comes back on the page "Again
// today". When one comes back is computed by FSRS (`ts-fsrs`), as `autograder/items/practice.py` has it; what is kept
// has the form of `practice.json` in a learner's folder, and stays in this browser.
(() => {
  "use strict";
  const [AT_ONCE, SECONDS_A_DAY, SECONDS_AN_ANSWER, DAY] = [5, 300, 60, 24 * 60 * 60 * 1000];
  const KEPT = "in-page-practice";
  const NOT_COME = "A part of this page did not come: load the page again.";
  const here = document.currentScript.src;
  const dayOf = (time) => new Date(time).toISOString().slice(0, 10);

  /** An item's card after an answer at a moment, in milliseconds; it is new where there was none. */
  const after = (card, right, now) => {
    const scheduler = FSRS.fsrs({ enable_fuzz: false });
    const days = card ? Math.max(Math.floor((now - Date.parse(card.last_review)) / DAY), 0) : 0;
    const next = scheduler.next_state(card, days, right ? FSRS.Rating.Good : FSRS.Rating.Again);
    const due = new Date(now + scheduler.next_interval(next.stability, days) * DAY);
    return { due: due.toISOString(), last_review: new Date(now).toISOString(), ...next };
  };

  /** The ideas of an item, or of "exercise/ideas", each with its exercise. */
  const ideasOf = (key) => {
    const [exercise, ...rest] = key.split("/");
    return rest.at(-1).split("+").map((idea) => `${exercise}/${idea}`);
  };

  const isCard = ({ due, last_review, stability, difficulty }) =>
    Date.parse(due) && Date.parse(last_review) && stability >= 0.001 && difficulty >= 1;

  /** What was practised, from its text; null where that is no such thing. */
  const parsed = (text) => {
    try {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const found = { seed, cards: {}, fell: [], day: "", seconds: 0, ...JSON.parse(text) };
      const ideas = [...Object.keys(found.cards), ...found.fell].flatMap(ideasOf); // throws on what is no key
      return ideas && Object.values(found.cards).every(isCard) && Number.isFinite(found.seed) ? found : null;
    } catch {
      return null;
    }
  };

  const state = () => parsed(inPage.store.get(KEPT)) ?? parsed("{}");
  const keep = (found) => inPage.store.set(KEPT, JSON.stringify(found, null, 1));

  /** Keep that a rejected answer had an idea, or two: items on it come first. */
  const fellFor = (exercise, ideas) => {
    const [found, names] = [state(), ideasOf(`${exercise}/${ideas}`)];
    keep({ ...found, fell: [...found.fell.filter((name) => !names.includes(name)), ...names] });
  };

  const answered = (key, right, seconds) => {
    const [found, now] = [state(), Date.now()];
    found.cards[key] = after(found.cards[key], right, now);
    found.fell = found.fell.filter((name) => !right || !ideasOf(key).includes(name));
    found.seconds = (found.day === dayOf(now) ? found.seconds : 0) + Math.min(seconds, SECONDS_AN_ANSWER);
    keep({ ...found, day: dayOf(now) });
  };

  // The items of an exercise come as a script, which works without a server too, and so does FSRS.
  const items = {};
  globalThis.practice = { after, fellFor, items: (exercise, found) => (items[exercise] = found) };

  const load = (name) =>
    new Promise((done) => {
      const src = new URL(`practice/${encodeURIComponent(name)}.js`, here);
      document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: done }));
    });

  /** The items of exercises, in the framework that the page shows, or in PyTorch; of those whose script comes. */
  const loaded = async (exercises) => {
    const names = [...new Set(exercises)];
    await Promise.all([...names.filter((name) => !items[name]), ...(globalThis.FSRS ? [] : ["ts-fsrs"])].map(load));
    const { framework } = document.documentElement.dataset;
    return globalThis.FSRS ? names.flatMap((name) => items[name]?.[framework] ?? items[name]?.torch ?? []) : [];
  };

  /** A number for a text and a seed, the same each time: by it items are put into the learner's own order. */
  const drawn = (text, seed) => [...text].reduce((sum, sign) => (Math.imul(sum, 31) + sign.codePointAt(0)) >>> 0, seed);

  const chosen = (found, hard) => {
    const { seed, cards, fell } = state();
    const place = (key) => Math.max(...ideasOf(key).map((name) => fell.indexOf(name)));
    const wanted = found.filter(({ key }) => key.includes("/two/") === hard);
    let before = [];
    // The exercise of the item before, and its kind of question, come last.
    const same = (key) => key.split("/").reduce((sum, part, i) => 2 * sum + (part === before[i]), 0);
    const order = (a, b) =>
      place(b) - place(a) || (a in cards) - (b in cards) || same(a) - same(b) || drawn(a, seed) - drawn(b, seed);
    const taken = (item) => (before = item.key.split("/")) && item;
    const length = Math.min(wanted.length, AT_ONCE);
    return Array.from({ length }, () => taken(wanted.sort((a, b) => order(a.key, b.key)).shift()));
  };

  let begun; // the answer at hand: when the one before was given
  const show = (widget, words, shown) => {
    widget.querySelector(".in-page-status").textContent = words;
    if (!shown) return;
    widget.querySelector(".practice-items").innerHTML = shown.map(({ html }) => html).join(""); // of the book's build
    begun = Date.now();
  };

  const judge = ({ target }) => {
    const question = target.closest("fieldset");
    const first = !("answer" in question.dataset);
    inPage.judge(question, target);
    if (!first) return;
    answered(target.name.replace(/^quiz-\w+-/, ""), "right" in target.dataset, (Date.now() - begun) / 1000);
    begun = Date.now();
  };

  const startChapter = (widget) => {
    const details = widget.querySelector("details");
    const ask = async (hard) => {
      const found = await loaded(widget.dataset.exercises.split(" "));
      show(widget, found.length ? "" : NOT_COME, chosen(found, hard));
    };
    details.addEventListener("toggle", () => details.open && !widget.querySelector("fieldset") && ask(false));
    widget.querySelectorAll("button").forEach((button, i) => button.addEventListener("click", () => ask(i > 0)));
  };

  const today = async (widget) => {
    const { cards, day, seconds } = state();
    const now = dayOf(Date.now());
    const due = Object.keys(cards).filter((key) => cards[key].due.slice(0, 10) <= now);
    due.sort((a, b) => Date.parse(cards[a].due) - Date.parse(cards[b].due));
    if (!due.length) return show(widget, "Nothing is due today. Beneath each chapter are faults to be found.", []);
    if (day === now && seconds >= SECONDS_A_DAY) return show(widget, "That is enough for today: five minutes a day.", []);
    const all = await loaded(due.map((key) => key.split("/")[0]));
    const shown = due.map((key) => all.find((item) => item.key === key)).filter(Boolean);
    const elsewhere = due.length - shown.length;
    const rest = elsewhere ? ` Of these ${elsewhere} are asked by “attention practise --due” in your folder.` : "";
    show(widget, `Due today: ${due.length}.${rest}`, shown.slice(0, 2 * AT_ONCE));
  };

  const startToday = (widget) => {
    widget.querySelector(".practice-export").addEventListener("click", () => {
      const href = URL.createObjectURL(new Blob([JSON.stringify(state(), null, 1)], { type: "application/json" }));
      Object.assign(document.createElement("a"), { href, download: "practice.json" }).click();
      URL.revokeObjectURL(href);
    });
    widget.querySelector(".practice-import").addEventListener("change", async ({ target }) => {
      if (!target.files.length) return;
      const found = parsed(await target.files[0].text());
      target.value = ""; // the same file can be chosen again
      if (!found) return show(widget, "This file is no practice.json: what is kept here stays as it is.");
      keep(found);
      today(widget);
    });
    today(widget);
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".practice").forEach((widget) => {
      widget.querySelector(".practice-items").addEventListener("change", judge);
      ("exercises" in widget.dataset ? startChapter : startToday)(widget);
    });
  });
})();
