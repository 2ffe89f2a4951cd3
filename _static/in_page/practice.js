// Find the fault: pieces of code with a mistake, five beneath a chapter, and what comes back on the page "Again
// today". When one comes back is computed by FSRS, as `autograder/items/schedule.py` computes it; what is kept has
// the form of `practice.json` in a learner's folder, and stays in this browser.
(() => {
  "use strict";
  // FSRS 6: its own parameters, a retention of 0.9, no steps within a day.
  const W = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
    0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ];
  const [AGAIN, GOOD, EASY] = [1, 3, 4];
  const DAY = 24 * 60 * 60 * 1000;
  const [LONGEST, LEAST_STABLE] = [36500, 0.001];
  const AT_ONCE = 5;
  const [SECONDS_A_DAY, SECONDS_AN_ANSWER] = [300, 60];
  const KEPT = "in-page-practice";

  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const firstDifficulty = (rating) => W[4] - Math.exp(W[5] * (rating - 1)) + 1;

  const nextDifficulty = (difficulty, rating) => {
    const damped = (-W[6] * (rating - 3) * (10 - difficulty)) / 9;
    return within(W[7] * firstDifficulty(EASY) + (1 - W[7]) * (difficulty + damped), 1, 10);
  };

  const nextStability = ({ stability, difficulty }, rating, days) => {
    if (days < 1) {
      const growth = Math.exp(W[17] * (rating - 3 + W[18])) * stability ** -W[19];
      return stability * (rating === AGAIN ? growth : Math.max(growth, 1));
    }
    const factor = 0.9 ** (-1 / W[20]) - 1;
    const forgotten = 1 - (1 + (factor * days) / stability) ** -W[20];
    if (rating === AGAIN) {
      const long = W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1) * Math.exp(forgotten * W[14]);
      return Math.min(long, stability / Math.exp(W[17] * W[18]));
    }
    return stability * (1 + Math.exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (Math.exp(forgotten * W[10]) - 1));
  };

  /** An item's card after an answer at a moment, in milliseconds; it is new where there was none. */
  const after = (card, right, now) => {
    const rating = right ? GOOD : AGAIN;
    const days = card ? Math.max(Math.floor((now - Date.parse(card.last_review)) / DAY), 0) : 0;
    const stability = Math.max(card ? nextStability(card, rating, days) : W[rating - 1], LEAST_STABLE);
    const interval = within(Math.round(stability), 1, LONGEST);
    return {
      due: new Date(now + interval * DAY).toISOString(),
      last_review: new Date(now).toISOString(),
      stability,
      difficulty: card ? nextDifficulty(card.difficulty, rating) : within(firstDifficulty(rating), 1, 10),
    };
  };

  globalThis.practice = { after };
  if (typeof document === "undefined") return; // the schedule alone, for who asks for it outside a page

  const here = document.currentScript.src;
  const today = () => new Date().toISOString().slice(0, 10);
  const empty = () => ({ seed: Math.floor(Math.random() * 2 ** 31), cards: {}, fell: [], day: "", seconds: 0 });
  const ideasOf = (key) => {
    const [exercise, , ideas] = key.split("/");
    return ideas.split("+").map((idea) => `${exercise}/${idea}`);
  };

  /** What was practised, from its text; null where that is no such thing. */
  const parsed = (text) => {
    try {
      const found = { ...empty(), ...JSON.parse(text) };
      const cards = Object.entries(found.cards);
      const known = ([key, card]) =>
        key.split("/").length === 3 && card.stability > 0 && card.difficulty >= 1 && Date.parse(card.due) && Date.parse(card.last_review);
      const lists = Array.isArray(found.fell) && found.fell.every((name) => typeof name === "string");
      return cards.every(known) && lists && typeof found.seed === "number" ? found : null;
    } catch {
      return null;
    }
  };

  const state = () => {
    const text = inPage.store.get(KEPT);
    return (text && parsed(text)) || empty();
  };
  const keep = (found) => inPage.store.set(KEPT, JSON.stringify(found, null, 1));

  /** Keep that a rejected answer had an idea, or two: items on it come first. */
  globalThis.practice.fellFor = (exercise, ideas) => {
    const found = state();
    const names = ideas.split("+").map((idea) => `${exercise}/${idea}`);
    keep({ ...found, fell: [...found.fell.filter((name) => !names.includes(name)), ...names] });
  };

  const answered = (key, right, seconds) => {
    const found = state();
    found.cards[key] = after(found.cards[key], right, Date.now());
    if (right) found.fell = found.fell.filter((name) => !ideasOf(key).includes(name));
    found.seconds = (found.day === today() ? found.seconds : 0) + Math.min(seconds, SECONDS_AN_ANSWER);
    found.day = today();
    keep(found);
  };

  // The items of a topic come as a script, which works without a server too.
  const items = {};
  globalThis.practice.items = (topic, found) => (items[topic] = found);
  const loaded = (topic) =>
    new Promise((resolve, reject) => {
      if (items[topic]) return resolve(items[topic]);
      const script = document.createElement("script");
      script.src = new URL(`practice/${topic}.js`, here);
      script.onload = () => resolve(items[topic]);
      script.onerror = reject;
      document.head.append(script);
    });

  /** The items in the framework that the page shows; PyTorch where it shows both. */
  const inFramework = (found) => found[document.documentElement.dataset.framework] ?? found.torch;

  /** A number for a text and a seed, the same each time: by it items are put into the learner's own order. */
  const drawn = (text, seed) => [...text].reduce((sum, sign) => (Math.imul(sum, 31) + sign.codePointAt(0)) >>> 0, seed);

  const chosen = (found, hard) => {
    const { seed, cards, fell } = state();
    const place = (key) => Math.max(...ideasOf(key).map((name) => fell.indexOf(name)));
    const order = (a, b) =>
      place(b.key) - place(a.key) ||
      (a.key in cards) - (b.key in cards) ||
      drawn(a.key, seed) - drawn(b.key, seed);
    return found.filter(({ key }) => key.includes("/two/") === hard).sort(order).slice(0, AT_ONCE);
  };

  const show = (place, shown) => {
    place.innerHTML = shown.map((item) => item.html).join(""); // written when the book was built
    let begun = Date.now(); // of the answer at hand: when the one before was given
    place.querySelectorAll("fieldset").forEach((question, i) => {
      question.querySelectorAll("input").forEach((input) =>
        input.addEventListener("change", () => {
          const first = !("answer" in question.dataset);
          inPage.judge(question, input);
          if (!first) return;
          answered(shown[i].key, "right" in input.dataset, (Date.now() - begun) / 1000);
          begun = Date.now();
        }),
      );
    });
  };

  const say = (widget, words) => (widget.querySelector(".in-page-status").textContent = words);
  const NOT_COME = "A part of this page did not come: load the page again.";

  const startChapter = (widget) => {
    const details = widget.querySelector("details");
    const ask = async (hard) => {
      try {
        show(widget.querySelector(".practice-items"), chosen(inFramework(await loaded(widget.dataset.topic)), hard));
        say(widget, "");
      } catch {
        say(widget, NOT_COME);
      }
    };
    details.addEventListener("toggle", () => details.open && !widget.querySelector("fieldset") && ask(false));
    widget.querySelectorAll("button").forEach((button, i) => button.addEventListener("click", () => ask(i > 0)));
  };

  const startToday = (widget) => {
    const topics = JSON.parse(widget.dataset.topics);
    const place = widget.querySelector(".practice-items");
    const ask = async () => {
      const { cards, day, seconds } = state();
      const due = Object.keys(cards).filter((key) => cards[key].due.slice(0, 10) <= today());
      due.sort((a, b) => Date.parse(cards[a].due) - Date.parse(cards[b].due));
      place.replaceChildren();
      if (!due.length) return say(widget, "Nothing is due today. Beneath each chapter are faults to be found.");
      if (day === today() && seconds >= SECONDS_A_DAY) return say(widget, "That is enough for today: five minutes a day.");
      const needed = [...new Set(due.map((key) => topics[key.split("/")[0]]).filter(Boolean))];
      // A topic that does not come leaves the others.
      const all = (await Promise.all(needed.map((topic) => loaded(topic).then(inFramework, () => [])))).flat();
      const shown = due.map((key) => all.find((item) => item.key === key)).filter(Boolean);
      show(place, shown.slice(0, 2 * AT_ONCE));
      const elsewhere = due.length - shown.length;
      const rest = elsewhere ? ` Of these ${elsewhere} are asked by “attention practise --due” in your folder.` : "";
      say(widget, `Due today: ${due.length}.${rest}`);
    };
    widget.querySelector(".practice-export").addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([JSON.stringify(state(), null, 1)], { type: "application/json" }));
      link.download = "practice.json";
      link.click();
      URL.revokeObjectURL(link.href);
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
    document.querySelectorAll(".practice[data-topic]").forEach(startChapter);
    document.querySelectorAll(".practice[data-topics]").forEach(startToday);
  });
})();
