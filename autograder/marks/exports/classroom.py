"""What a job of GitHub Actions says: the table on its page, and notices, which GitHub Classroom reads."""

import re

from autograder.marks.standing import PRACTICE, Learner
from autograder.model.catalogue import all_exercises
from autograder.model.text import clean

# What Markdown, and HTML in it, would take for more than text.
MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")
# Workflow commands give these their own meaning (`@actions/core`, `toCommandValue` and `toCommandProperties`).
IN_VALUES = {"%": "%25", "\r": "%0D", "\n": "%0A"}


def command(kind: str, title: str, words: str) -> str:
    """Return a workflow command: an annotation of this kind, `notice` or `error`, with a title."""
    escaped = "".join(IN_VALUES.get(character, character) for character in words)
    return f"::{kind} title={title}::{escaped}"


def summary(who: Learner, problem: str = "") -> str:
    """Return the marks of one learner as a table in Markdown. problem: what is said besides, as a sentence."""
    problems = [*([problem] if problem else []), *who.problems]
    practice = [PRACTICE] if any(result.practice for result in who.results) else []
    lines = [
        f"## {who.points:g} of {who.possible:g} points",
        *(f"\n{_escaped(words)}" for words in [*practice, *problems]),
        "\n| exercise | outcome | points | |\n| --- | --- | ---: | --- |",
    ]
    for verdict in who.marks:
        title = all_exercises()[verdict.exercise].title
        points = f"{verdict.points:g} of {who.exercises[verdict.exercise]:g}"
        words = " ".join([verdict.message, *verdict.details])
        lines.append(f"| {_escaped(title)} | {verdict.outcome} | {points} | {_escaped(words)} |")
    return "\n".join(lines) + "\n"


def _escaped(words: str) -> str:
    """Return one line that Markdown shows as it stands."""
    return MARKS.sub(r"\\\1", clean(words))
