// Find the fault: pieces of code with a mistake, five beneath a chapter, and what comes back on the page "Again
// today". When one comes back is computed by FSRS (`ts-fsrs`), as `autograder/items/repetition.py` has it; what is kept
// has the form of `practice.json` in a learner's folder, and stays in this browser.
(() => {
  "use strict";
  const [AT_ONCE, SECONDS_A_DAY, SECONDS_AN_ANSWER, DAY] = [5, 300, 60, 24 * 60 * 60 * 1000];
  const [KEPT, NOTHING] = ["in-page-practice", '{"cards": {}}'];
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

  const isText = (value) => typeof value === "string";
  const isNumber = (value, least, most) => typeof value === "number" && value >= least && value <= most;
  const isMoment = (text) => isText(text) && /(Z|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isIdea = (value) => isText(value) && value.includes("/");
  const isCard = ([key, card]) =>
    isIdea(key) && isObject(card) && isMoment(card.due) && isMoment(card.last_review) &&
    isNumber(card.stability, 0.001, 1e6) && isNumber(card.difficulty, 1, 10);

  /** What can be read of a practice.json, and how many of its cards cannot; null where it is no such file. */
  const parsed = (text) => {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      return null;
    }
    if (!isObject(found) || !isObject(found.cards)) return null;
    const all = Object.entries(found.cards);
    const cards = Object.fromEntries(all.filter(isCard));
    if (all.length && !all.some(isCard)) return null;
    const seed = isNumber(found.seed, 0, 2 ** 32 - 1) ? Math.floor(found.seed) : Math.floor(Math.random() * 2 ** 31);
    const fell = Array.isArray(found.fell) ? found.fell.filter(isIdea) : [];
    const day = isText(found.day) ? found.day : "";
    const seconds = isNumber(found.seconds, 0, 2 ** 32) ? found.seconds : 0;
    return { practice: { seed, cards, fell, day, seconds }, odd: all.length - Object.keys(cards).length };
  };

  let note = ""; // what is said before the next words
  const keep = (found) => inPage.store.set(KEPT, JSON.stringify(found, null, 1));

  /** What this browser has practised. What cannot be read of it is put aside under another name. */
  const state = () => {
    const text = inPage.store.get(KEPT);
    const found = parsed(text ?? NOTHING) ?? { ...parsed(NOTHING), odd: 1 };
    if (found.odd) {
      inPage.store.set(`${KEPT}.damaged-${Date.now()}`, text);
      keep(found.practice);
      note = "A part of what this browser kept cannot be read: it is put aside, and the rest goes on. ";
    }
    return found.practice;
  };

  /** Two practices as one: each card as it was answered last, and how many are whose. The seed is the file's. */
  const merged = (here, file) => {
    const at = (card) => Date.parse(card.last_review);
    const isHere = ([key]) => Object.hasOwn(here.cards, key);
    const entries = Object.entries(file.cards);
    const added = entries.filter((entry) => !isHere(entry));
    const taken = entries.filter((entry) => isHere(entry) && at(entry[1]) >= at(here.cards[entry[0]]));
    const later = taken.filter(([key, card]) => at(card) > at(here.cards[key]));
    const cards = { ...here.cards, ...Object.fromEntries([...added, ...taken]) };
    const fell = [...new Set([...here.fell, ...file.fell])];
    const last = [here, file].sort((a, b) => (a.day > b.day) - (a.day < b.day) || a.seconds - b.seconds)[1];
    const counts = { added: added.length, later: later.length, kept: Object.keys(here.cards).length - later.length };
    return { practice: { seed: file.seed, cards, fell, day: last.day, seconds: last.seconds }, ...counts };
  };

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
  globalThis.practice = { after, fellFor, parsed, merged, items: (exercise, found) => (items[exercise] = found) };

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
    widget.querySelector(".in-page-status").textContent = note + words;
    note = "";
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

  /** What comes back today. said: a sentence before that. */
  const today = async (widget, said = "") => {
    const tell = (words, shown) => show(widget, said + words, shown);
    const { cards, day, seconds } = state();
    const now = dayOf(Date.now());
    const due = Object.keys(cards).filter((key) => cards[key].due.slice(0, 10) <= now);
    due.sort((a, b) => Date.parse(cards[a].due) - Date.parse(cards[b].due));
    if (!due.length) return tell("Nothing is due today. Beneath each chapter are faults to be found.", []);
    if (day === now && seconds >= SECONDS_A_DAY) return tell("That is enough for today: five minutes a day.", []);
    const all = await loaded(due.map((key) => key.split("/")[0]));
    const shown = due.map((key) => all.find((item) => item.key === key)).filter(Boolean);
    const elsewhere = due.length - shown.length;
    const rest = elsewhere ? ` Of these ${elsewhere} are asked by “practise(due=True)” in your folder.` : "";
    tell(`Due today: ${due.length}.${rest}`, shown.slice(0, 2 * AT_ONCE));
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
      const { practice, added, later, kept } = merged(state(), found.practice);
      keep(practice);
      const odd = found.odd ? ` Left out, since they cannot be read: ${found.odd}.` : "";
      today(widget, `Cards of the file that are new: ${added}, answered later than here: ${later}. Kept as they were: ${kept}.${odd} `);
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
