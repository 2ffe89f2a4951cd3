"""Judges stored answers in this process: `python -m tests.course.page_torch.judged page|torch FILE`.

In the page's PyTorch it is what `import torch` gives, as in the page: it cannot be in a process with the real one.
"""

import json
import sys
from pathlib import Path

from autograder.model.paths import ROOT

DATA = ("wrong_answers", "two_mistakes", "families")


def stored_answers(step=1):
    """Each stored answer in PyTorch, or each so many, and the reference of each exercise, as (exercise, source)."""
    from autograder.model.catalogue import all_exercises

    paths = [ROOT / "benchmarks" / "data" / f"{name}.jsonl" for name in DATA]
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    wrong = [(row["exercise"], row["code"]) for row in rows if row["framework"] == "torch"]
    right = [(one.name, f"from {module_of(one)} import {one.entry}\n") for one in all_exercises().values()]
    return (right + wrong)[::step]


def module_of(exercise):
    """The module of the reference in PyTorch."""
    return f"solutions.{exercise.topic}.in_torch"


def use_the_page():
    """Let PyTorch be the page's, for the judge too."""
    import course.page_torch
    from autograder.frameworks import frameworks
    from course.page_torch.adapter import FRAMEWORK

    course.page_torch.install()
    frameworks()["torch"] = FRAMEWORK


def judged(exercise_name, source):
    """The outcome, the named idea and the words of one answer."""
    from autograder.checking.check import LocalTransport
    from autograder.diagnose.diagnosis import diagnose
    from autograder.model.catalogue import all_exercises

    exercise, space = all_exercises()[exercise_name], {"__name__": "answer"}
    try:
        exec(compile(source, "<answer>", "exec"), space)
        verdict = diagnose(exercise, LocalTransport("torch", space[exercise.entry]), "torch")
    except Exception as error:
        return ["error", "", f"{type(error).__name__}: {error}"]
    return [verdict.outcome, verdict.misconception or "", verdict.message]


def main(which, file, step):
    """Write a line for each answer: what it is judged to be, and what was not known."""
    if which == "page":
        use_the_page()
        from course.page_torch import errors
    with Path(file).open("w", encoding="utf-8") as lines:
        for exercise, source in stored_answers(int(step)):
            if which == "page":
                errors.forget()
            verdict = judged(exercise, source)
            unknown = errors.unknown_names() if which == "page" else ()
            lines.write(json.dumps([exercise, source, verdict, unknown]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
