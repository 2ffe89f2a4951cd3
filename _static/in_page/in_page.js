// Exercises that are tried in the page: quizzes, and the fields for answers, which
// `answers.mjs` brings to life when a reader opens one. What is passed is kept in this browser.
(() => {
  "use strict";
  const PASSED = "in-page-passed";
  const CHECKED = "in-page-checked"; // Python is in the browser's cache then
  const here = document.currentScript.src;
  const IS_FILE = location.protocol === "file:";
  const FROM_FILE =
    "Answers can be checked here once the book comes over http: run “make serve” in the course's folder, and open http://localhost:8000.";
  const FORBIDDEN = "This browser or this host forbids what checks an answer here: try it in the notebook.";
  // The first script of a page says which frameworks it shows, if scripts in a page may run.
  const isForbidden = !("frameworks" in document.documentElement.dataset);
  const WHY_NOT = IS_FILE ? FROM_FILE : isForbidden ? FORBIDDEN : "";
  const NOT_COME = "A part of this page did not come; it comes once the network is back.";

  /** Storage may be blocked: everything works then, and is not remembered. */
  const store = {
    get(key) {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
      } catch {
        // see above
      }
    },
    parsed(key) {
      try {
        return JSON.parse(this.get(key));
      } catch {
        return null;
      }
    },
    passed() {
      const names = this.parsed(PASSED);
      return new Set(Array.isArray(names) ? names : []);
    },
  };

  const showPassed = (widget) => {
    const mark = widget.querySelector(".in-page-mark");
    if (mark) mark.hidden = !store.passed().has(widget.dataset.exercise);
  };

  const pass = (widget) => {
    store.set(PASSED, JSON.stringify([...store.passed().add(widget.dataset.exercise)].sort()));
    showPassed(widget);
  };

  // Quizzes: the choices and a reason for each stand in the page.

  const answersKey = (widget) => `in-page-quiz-${widget.dataset.exercise}`;

  const kept = (widget) => store.parsed(answersKey(widget)) ?? {};

  const judge = (question, input) => {
    const right = "right" in input.dataset;
    const words = question.querySelector(".in-page-reason");
    words.innerHTML = input.closest("label").nextElementSibling.innerHTML; // written when the book was built
    question.dataset.answer = right ? "right" : "wrong";
  };

  window.inPage = { store, judge }; // what practice.js shares

  const startQuiz = (widget) => {
    const questions = [...widget.querySelectorAll("fieldset")];
    const chosen = kept(widget);
    questions.forEach((question, i) => {
      const inputs = [...question.querySelectorAll("input")];
      if (inputs[chosen[i]]) {
        inputs[chosen[i]].checked = true;
        judge(question, inputs[chosen[i]]);
      }
      inputs.forEach((input, choice) => {
        input.addEventListener("change", () => {
          judge(question, input);
          store.set(answersKey(widget), JSON.stringify({ ...kept(widget), [i]: choice }));
          const all = questions.every((one) => one.dataset.answer === "right");
          if (all && "counts" in widget.dataset) pass(widget);
        });
      });
    });
    if (Object.keys(chosen).length) widget.querySelector("details").open = true;
  };

  // Answers in NumPy and PyTorch

  /** Start a field once it is opened, as the address of its exercise does, with the caret in it: until then its script is
   *  not loaded. `data-awake` says that it works. What does not come is asked for again when the network is back. */
  const startAnswer = (widget) => {
    const { exercise } = widget.dataset;
    const [details, status] = ["details", ".in-page-status"].map((part) => widget.querySelector(part));
    const buttons = [...widget.querySelectorAll("button")];
    let [begun, tries, focus] = [false, 0, null];
    const follow = () => {
      if (location.hash !== `#ex-${exercise}`) return;
      details.open = true;
      focus?.();
    };
    const wake = async () => {
      if (!details.open || begun) return;
      begun = true;
      status.textContent = WHY_NOT;
      if (WHY_NOT) return;
      try {
        const { startField } = await import(new URL(`answers.mjs?${tries++}`, here));
        focus = await startField(widget, store, () => store.set(CHECKED, "1"), () => pass(widget));
      } catch {
        status.textContent = NOT_COME;
        begun = false;
        return;
      }
      buttons.forEach((button) => (button.disabled = false));
      widget.dataset.awake = "";
      follow();
    };
    buttons.forEach((button) => (button.disabled = true));
    if (["", "-torch"].some((end) => store.get(`in-page-answer-${exercise}${end}`) !== null)) details.open = true;
    details.addEventListener("toggle", wake);
    addEventListener("online", wake);
    addEventListener("hashchange", follow);
    follow();
    wake();
    if (!WHY_NOT) warmWhenNear(details);
  };

  /** Start Python while a reader writes: where a field is open and seen, or, once something was checked in this
   *  browser, where its exercise is seen. Who only reads loads nothing. */
  const warmWhenNear = (details) => {
    const summary = details.firstElementChild; // a widget in a row of buttons has no box of its own
    const start = () =>
      import(new URL("checker.mjs", here)).then(({ warm }) => warm(), () => addEventListener("online", start, { once: true }));
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      if (!details.open && store.get(CHECKED) === null) return;
      observer.disconnect();
      start();
    });
    observer.observe(summary);
    details.addEventListener("toggle", () => {
      observer.unobserve(summary);
      observer.observe(summary); // tells at once whether it is seen
    });
  };

  // The first page: how many are passed, chapter by chapter.

  const showProgress = (list) => {
    const passed = store.passed();
    let total = 0;
    list.querySelectorAll("li").forEach((line) => {
      const done = line.dataset.exercises.split(" ").filter((name) => passed.has(name)).length;
      line.querySelector(".in-page-count").textContent = done;
      line.querySelector("progress").value = done;
      total += done;
    });
    list.querySelector(".in-page-total").textContent = total;
    list.hidden = total === 0;
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".in-page").forEach((widget) => {
      showPassed(widget);
      if (widget.querySelector("fieldset")) startQuiz(widget);
      if (widget.querySelector(".in-page-answer")) startAnswer(widget);
    });
    document.querySelectorAll(".in-page-progress").forEach(showProgress);
  });
})();
