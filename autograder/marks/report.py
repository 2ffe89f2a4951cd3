"""`report`: pages for a teacher and for each learner, made from a gradebook."""

import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from autograder.learner.pages import templates, verdict_html
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import PRACTICE, Learner, standing, told
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.verdict import OUTCOMES


@dataclass(frozen=True)
class Summary:
    """One exercise over the whole class."""

    exercise: Exercise
    outcomes: Counter[str]
    ideas: list[tuple[str, str, int]]  # misconception, its hint, how many learners
    layers: list[tuple[str, int]]

    @property
    def attempted(self) -> int:
        """How many learners wrote an answer."""
        return sum(self.outcomes.values()) - self.outcomes["missing"]


def summaries(everyone: list[Learner]) -> list[Summary]:
    """For each exercise of the assignment: outcomes, and who has which wrong idea."""
    found = []
    for exercise in all_exercises().values():
        verdicts = [v for who in everyone for v in who.marks if v.exercise == exercise.name]
        if not verdicts:
            continue
        hints = {v.misconception: v.hint or "" for v in verdicts if v.misconception}
        hints |= {m.name: m.hint for m in exercise.misconceptions}
        ideas = Counter(v.misconception for v in verdicts if v.misconception)
        layers = Counter(v.layer for v in verdicts if v.layer and not v.misconception)
        named = [(name, hints.get(name, ""), count) for name, count in ideas.most_common()]
        found.append(Summary(exercise, Counter(v.outcome for v in verdicts), named, layers.most_common()))
    return found


def write(book: Gradebook, folder: Path) -> Path:
    """Write all pages; gives the class's page."""
    folder.mkdir(parents=True, exist_ok=True)
    stands = standing(book)
    everyone = stands.learners
    practice = PRACTICE if stands.practice else ""
    for who in everyone:
        _render(folder / who.page, "learner.html", who=who, sections=_sections(who), practice=practice)
    marks = [who.points for who in everyone]
    numbers = {
        "learners": len(everyone),
        "median": statistics.median(marks) if marks else 0,
        "possible": stands.possible,
        "seconds": sum(who.seconds for who in everyone),
    }
    page = folder / "index.html"
    _render(
        page,
        "class.html",
        everyone=everyone,
        summaries=summaries(everyone),
        practice=practice,
        set_aside=stands.set_aside,
        numbers=numbers,
        outcomes=OUTCOMES,
        flags=[(who, r.verdict) for who in everyone for r in who.results if r.verdict.flag],
    )
    return page


def _sections(who: Learner) -> list[tuple[Exercise, list[tuple[str, str]]]]:
    """For each exercise of the assignment, the file and the verdict as HTML; none for what is not handed in."""
    shown = {id(verdict) for verdict in told(r.verdict for r in who.results)}
    grouped: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for result in who.results:
        if id(result.verdict) in shown:
            grouped[result.verdict.exercise].append((result.submission, verdict_html(result.verdict)))
    return [(all_exercises()[name], grouped[name]) for name in who.exercises]


def _render(path: Path, template: str, **values: object) -> None:
    text = templates().get_template(template).render(**values)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
