// Exercises that are tried in the page: quizzes, and the fields for answers in NumPy, which
// `answers.mjs` brings to life when a reader opens one. What is passed is kept in this browser.
(() => {
  "use strict";
  const PASSED = "in-page-passed";
  const here = document.currentScript.src;
  const FROM_FILE =
    " once the book comes over http: run “make serve” in the course's folder, and open http://localhost:8000.";

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

  // Answers in NumPy

  const startAnswer = (widget) => {
    const details = widget.querySelector("details");
    const note = widget.querySelector(".in-page-status");
    const wake = async () => {
      if (!details.open || "awake" in widget.dataset) return;
      widget.dataset.awake = "";
      if (location.protocol === "file:") {
        note.textContent = `Answers can be checked here${FROM_FILE}`;
        widget.querySelector(".in-page-check").disabled = true;
        return;
      }
      const { startField } = await import(new URL("answers.mjs", here));
      startField(widget, store, () => pass(widget));
    };
    details.addEventListener("toggle", wake);
    if (store.get(`in-page-answer-${widget.dataset.exercise}`) !== null) details.open = true;
    wake();
  };

  // The stored language model

  const startModel = (widget) => {
    const details = widget.querySelector("details");
    const wake = async () => {
      if (!details.open || "awake" in widget.dataset) return;
      widget.dataset.awake = "";
      if (location.protocol === "file:") {
        widget.querySelector(".in-page-status").textContent = `The model can be asked here${FROM_FILE}`;
        widget.querySelectorAll("button").forEach((button) => (button.disabled = true));
        return;
      }
      const module = await import(new URL("model.mjs", here));
      module.startModel(widget);
    };
    details.addEventListener("toggle", wake);
    wake();
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
      if (widget.querySelector(".in-page-ask")) startModel(widget);
    });
    document.querySelectorAll(".in-page-progress").forEach(showProgress);
  });
})();
