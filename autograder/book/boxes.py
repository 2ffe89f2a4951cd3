"""The box that announces an exercise, as MyST Markdown: in its chapter, and in a notebook of a class's own."""

import numpy as np

from autograder.model.exercise import Exercise
from autograder.model.text import counted

HINT = ":::{{dropdown}} Hint {number}\n{text}\n:::"
GRADIENTS = "Gradients are compared too."


def box(exercise: Exercise) -> str:
    """The `exercise` directive that announces an exercise, and its hints, folded."""
    facts = (
        f"**Difficulty {exercise.difficulty} of 5 · {exercise.minutes} minutes · "
        f"{counted(exercise.points, 'point')}.**"
    )
    also = (GRADIENTS,) if any(case.gradient for case in exercise.cases(np.random.default_rng(0))) else ()
    rules = " ".join((*exercise.rules, *also))
    paragraphs = [f"{facts} {exercise.statement}", f"`{exercise.signature}`", rules]
    text = "\n\n".join(filter(None, paragraphs))
    task = f"```{{exercise}} {exercise.title}\n:label: ex-{exercise.name}\n{text}\n```"
    hints = [HINT.format(number=i, text=hint) for i, hint in enumerate(exercise.hints, 1)]
    return "\n\n".join([task, *hints])
