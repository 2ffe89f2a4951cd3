// Find the fault: pieces of code with a mistake, five beneath a chapter, and what comes back on the page "Again
// today". When one comes back is computed by FSRS, as `autograder/items/practice.py` has it; what is kept has the
// form of `practice.json` in a learner's folder, and stays in this browser.
(() => {
  "use strict";
  // FSRS 6: its own parameters, a retention of 0.9, no steps within a day. Its ratings are 1 to 4, of which 3 is good.
  const W = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
    0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ];
  const DAY = 24 * 60 * 60 * 1000;
  const AT_ONCE = 5;
  const [SECONDS_A_DAY, SECONDS_AN_ANSWER] = [300, 60];
  const KEPT = "in-page-practice";
  const NOT_COME = "A part of this page did not come: load the page again.";

  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const firstDifficulty = (rating) => W[4] - Math.exp(W[5] * (rating - 1)) + 1;

  const nextStability = ({ stability, difficulty }, right, days) => {
    if (days < 1) {
      const growth = Math.exp(W[17] * ((right ? 0 : -2) + W[18])) * stability ** -W[19];
      return stability * (right ? Math.max(growth, 1) : growth);
    }
    const factor = 0.9 ** (-1 / W[20]) - 1;
    const forgotten = 1 - (1 + (factor * days) / stability) ** -W[20];
    if (right) {
      return stability * (1 + Math.exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (Math.exp(forgotten * W[10]) - 1));
    }
    const long = W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1) * Math.exp(forgotten * W[14]);
    return Math.min(long, stability / Math.exp(W[17] * W[18]));
  };

  /** An item's card after an answer at a moment, in milliseconds; it is new where there was none. */
  const after = (card, right, now) => {
    let [stability, difficulty] = [W[right ? 2 : 0], firstDifficulty(right ? 3 : 1)];
    if (card) {
      const days = Math.max(Math.floor((now - Date.parse(card.last_review)) / DAY), 0);
      const damped = card.difficulty + (right ? 0 : (2 * W[6] * (10 - card.difficulty)) / 9);
      stability = Math.max(nextStability(card, right, days), 0.001);
      difficulty = W[7] * firstDifficulty(4) + (1 - W[7]) * damped;
    }
    return {
      due: new Date(now + within(Math.round(stability), 1, 36500) * DAY).toISOString(),
      last_review: new Date(now).toISOString(),
      stability,
      difficulty: within(difficulty, 1, 10),
    };
  };

  const here = document.currentScript.src;
  const today = () => new Date().toISOString().slice(0, 10);
  const empty = () => ({ seed: Math.floor(Math.random() * 2 ** 31), cards: {}, fell: [], day: "", seconds: 0 });

  /** The ideas of an item, or of "exercise/ideas", each with its exercise. */
  const ideasOf = (key) => {
    const [exercise, ...rest] = key.split("/");
    return rest.at(-1).split("+").map((idea) => `${exercise}/${idea}`);
  };

  /** What was practised, from its text; null where that is no such thing. */
  const parsed = (text) => {
    try {
      const found = { ...empty(), ...JSON.parse(text) };
      Object.keys(found.cards).forEach(ideasOf);
      Object.values(found.cards).forEach((card) => after(card, true, Date.parse(card.due))); // throws on what is no card
      const known = Object.values(found.cards).every(({ difficulty }) => difficulty >= 1);
      return known && Number.isFinite(found.seed) && found.fell.every((name) => typeof name === "string") ? found : null;
    } catch {
      return null;
    }
  };

  const state = () => parsed(inPage.store.get(KEPT)) ?? empty();
  const keep = (found) => inPage.store.set(KEPT, JSON.stringify(found, null, 1));

  /** Keep that a rejected answer had an idea, or two: items on it come first. */
  const fellFor = (exercise, ideas) => {
    const [found, names] = [state(), ideasOf(`${exercise}/${ideas}`)];
    keep({ ...found, fell: [...found.fell.filter((name) => !names.includes(name)), ...names] });
  };

  const answered = (key, right, seconds) => {
    const found = state();
    found.cards[key] = after(found.cards[key], right, Date.now());
    found.fell = found.fell.filter((name) => !right || !ideasOf(key).includes(name));
    found.seconds = (found.day === today() ? found.seconds : 0) + Math.min(seconds, SECONDS_AN_ANSWER);
    keep({ ...found, day: today() });
  };

  // The items of a topic come as a script, which works without a server too.
  const items = {};
  globalThis.practice = { after, fellFor, items: (topic, found) => (items[topic] = found) };

  /** The items of a topic, in the framework that the page shows; in PyTorch where it shows both. */
  const loaded = async (topic) => {
    if (!items[topic]) {
      const script = Object.assign(document.createElement("script"), { src: new URL(`practice/${topic}.js`, here) });
      document.head.append(script);
      await new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
    }
    return items[topic][document.documentElement.dataset.framework] ?? items[topic].torch;
  };

  /** A number for a text and a seed, the same each time: by it items are put into the learner's own order. */
  const drawn = (text, seed) => [...text].reduce((sum, sign) => (Math.imul(sum, 31) + sign.codePointAt(0)) >>> 0, seed);

  const chosen = (found, hard) => {
    const { seed, cards, fell } = state();
    const place = (key) => Math.max(...ideasOf(key).map((name) => fell.indexOf(name)));
    const order = (a, b) => place(b) - place(a) || (a in cards) - (b in cards) || drawn(a, seed) - drawn(b, seed);
    const wanted = found.filter(({ key }) => key.includes("/two/") === hard);
    return wanted.sort((a, b) => order(a.key, b.key)).slice(0, AT_ONCE);
  };

  let begun; // the answer at hand: when the one before was given
  const say = (widget, words) => (widget.querySelector(".in-page-status").textContent = words);
  const show = (widget, shown, words) => {
    const place = widget.querySelector(".practice-items");
    place.innerHTML = shown.map(({ html }) => html).join(""); // written when the book was built
    say(widget, words);
    begun = Date.now();
  };

  const judge = ({ target }) => {
    const question = target.closest("fieldset");
    if (!question) return; // the field for a file
    const first = !("answer" in question.dataset);
    inPage.judge(question, target);
    if (!first) return;
    answered(target.name.replace(/^quiz-\w+-/, ""), "right" in target.dataset, (Date.now() - begun) / 1000);
    begun = Date.now();
  };

  const startChapter = (widget) => {
    const details = widget.querySelector("details");
    const ask = async (hard) => {
      const found = await loaded(widget.dataset.topic).catch(() => null);
      show(widget, found ? chosen(found, hard) : [], found ? "" : NOT_COME);
    };
    details.addEventListener("toggle", () => details.open && !widget.querySelector("fieldset") && ask(false));
    widget.querySelectorAll("button").forEach((button, i) => button.addEventListener("click", () => ask(i > 0)));
  };

  const startToday = (widget) => {
    const topics = JSON.parse(widget.dataset.topics);
    const ask = async () => {
      const { cards, day, seconds } = state();
      const due = Object.keys(cards).filter((key) => cards[key].due.slice(0, 10) <= today());
      due.sort((a, b) => Date.parse(cards[a].due) - Date.parse(cards[b].due));
      if (!due.length) return show(widget, [], "Nothing is due today. Beneath each chapter are faults to be found.");
      if (day === today() && seconds >= SECONDS_A_DAY) return show(widget, [], "That is enough for today: five minutes a day.");
      const needed = [...new Set(due.map((key) => topics[key.split("/")[0]]).filter(Boolean))];
      // A topic that does not come leaves the others.
      const all = (await Promise.all(needed.map((topic) => loaded(topic).catch(() => [])))).flat();
      const shown = due.map((key) => all.find((item) => item.key === key)).filter(Boolean);
      const elsewhere = due.length - shown.length;
      const rest = elsewhere ? ` Of these ${elsewhere} are asked by “attention practise --due” in your folder.` : "";
      show(widget, shown.slice(0, 2 * AT_ONCE), `Due today: ${due.length}.${rest}`);
    };
    widget.querySelector(".practice-export").addEventListener("click", () => {
      const href = URL.createObjectURL(new Blob([JSON.stringify(state(), null, 1)], { type: "application/json" }));
      Object.assign(document.createElement("a"), { href, download: "practice.json" }).click();
      URL.revokeObjectURL(href);
    });
    widget.querySelector(".practice-import").addEventListener("change", async ({ target }) => {
      if (!target.files.length) return;
      const found = parsed(await target.files[0].text());
      target.value = ""; // the same file can be chosen again
      if (!found) return say(widget, "This file is no practice.json: what is kept here stays as it is.");
      keep(found);
      await ask();
    });
    ask();
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".practice").forEach((widget) => {
      widget.addEventListener("change", judge);
      ("topic" in widget.dataset ? startChapter : startToday)(widget);
    });
  });
})();
