// Exercises that are tried in the page: quizzes, and the fields for answers in NumPy, which
// `answers.mjs` brings to life when a reader opens one. What is passed is kept in this browser.
(() => {
  "use strict";
  const PASSED = "in-page-passed";
  const CHECKED = "in-page-checked"; // Python is in the browser's cache then
  const here = document.currentScript.src;
  const FROM_FILE =
    "Answers can be checked here once the book comes over http: run “make serve” in the course's folder, and open http://localhost:8000.";

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
    passed() {
      try {
        const found = JSON.parse(this.get(PASSED));
        return new Set(Array.isArray(found) ? found : []);
      } catch {
        return new Set();
      }
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

  const kept = (widget) => {
    try {
      return JSON.parse(store.get(answersKey(widget))) ?? {};
    } catch {
      return {};
    }
  };

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

  /** Start a widget once it is opened: until then its script is not loaded. `data-awake` says that it works. */
  const whenOpened = (widget, start) => {
    const details = widget.querySelector("details");
    const buttons = [...widget.querySelectorAll("button")];
    let begun = false;
    const wake = async () => {
      if (!details.open || begun) return;
      begun = true;
      if (location.protocol === "file:") {
        widget.querySelector(".in-page-status").textContent = FROM_FILE;
        return;
      }
      try {
        await start();
      } catch {
        widget.querySelector(".in-page-status").textContent = "A part of this page did not come: load the page again.";
        return;
      }
      buttons.forEach((button) => (button.disabled = false));
      widget.dataset.awake = "";
    };
    buttons.forEach((button) => (button.disabled = true));
    details.addEventListener("toggle", wake);
    wake();
  };

  // Answers in NumPy

  const startAnswer = (widget) => {
    if (store.get(`in-page-answer-${widget.dataset.exercise}`) !== null) widget.querySelector("details").open = true;
    whenOpened(widget, async () => {
      const { startField } = await import(new URL("answers.mjs", here));
      startField(widget, store, () => store.set(CHECKED, "1"), () => pass(widget));
    });
    whenNear(widget, async () => {
      const { warm } = await import(new URL("checker.mjs", here));
      warm();
    });
  };

  /** Start Python while a reader writes: where a field is open and seen, or, once something was checked in this
   *  browser, where its exercise is seen. Who only reads loads nothing. */
  const whenNear = (widget, start) => {
    if (location.protocol === "file:") return;
    const details = widget.querySelector("details");
    // Its summary, since a widget in a row of buttons has no box of its own.
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      if (!details.open && store.get(CHECKED) === null) return;
      observer.disconnect();
      start().catch(() => {}); // told when it is checked
    });
    observer.observe(details.firstElementChild);
    details.addEventListener("toggle", () => {
      observer.unobserve(details.firstElementChild);
      observer.observe(details.firstElementChild); // tells at once whether it is seen
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
