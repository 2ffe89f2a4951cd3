"""`report`: pages for a teacher and for each learner, made from a gradebook."""

import hashlib
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .exercise import Exercise
from .exercises import all_exercises
from .gradebook import Gradebook, Result
from .pages import templates, verdict_html
from .runs import Row
from .verdict import OUTCOMES, Verdict


@dataclass(frozen=True)
class Learner:
    """One learner's results and the marks that follow from them."""

    name: str
    page: str
    results: list[Result]
    problems: list[str]

    @property
    def best(self) -> dict[str, Result]:
        """For each exercise the better result, since each counts once; what is not written yet comes last."""
        found: dict[str, Result] = {}
        for result in self.results:
            name = result.verdict["exercise"]
            if name not in found or _worth(result) > _worth(found[name]):
                found[name] = result
        return found

    @property
    def files(self) -> set[str]:
        """The submissions that the results come from."""
        return {result.name for result in self.results}

    @property
    def points(self) -> float:
        return float(sum(r.verdict["points"] for r in self.best.values()))

    @property
    def possible(self) -> float:
        """What the exercises that were handed in are worth."""
        return float(sum(r.verdict["max_points"] for r in self.best.values()))

    @property
    def passed(self) -> int:
        return sum(r.verdict["outcome"] == "accepted" for r in self.best.values())

    @property
    def seconds(self) -> float:
        return sum({r.digest: r.seconds for r in self.results}.values())

    @property
    def practice(self) -> bool:
        return any(r.practice for r in self.results)


@dataclass(frozen=True)
class Summary:
    """One exercise over the whole class."""

    exercise: Exercise
    outcomes: Counter[str]
    ideas: list[tuple[str, str, int]]  # misconception, its hint, how many learners
    layers: list[tuple[str, int]]

    @property
    def attempted(self) -> int:
        return sum(self.outcomes.values())


def _worth(result: Result) -> tuple[float, bool]:
    return result.verdict["points"], result.verdict["outcome"] != "missing"


def learners(book: Gradebook) -> list[Learner]:
    """Everyone who handed something in, in alphabetical order."""
    from .gradebook import learner

    files = book.files()
    arrived = {learner(name) for name in files if not name.endswith("/")}
    results: dict[str, list[Result]] = defaultdict(list)
    for result in book.results():
        results[result.learner].append(result)
    problems: dict[str, list[str]] = defaultdict(list)
    for name, problem in book.problems().items():
        # An empty folder is forgotten when something is in it.
        if not name.endswith("/") or learner(name) not in arrived:
            problems[learner(name)].append(problem)
    everyone = sorted({learner(name) for name in files}, key=lambda name: (name.casefold(), name))
    return [Learner(name, _page(name), results[name], problems[name]) for name in everyone]


def counted(book: Gradebook, everyone: Sequence[Learner]) -> list[str]:
    """The exercises of the assignment, or all that anybody attempted, in the order of the course."""
    attempted = {name for who in everyone for name in who.best}
    return [name for name in all_exercises() if name in (book.only or attempted)]


def possible(names: Sequence[str]) -> float:
    """The points that these exercises are worth together."""
    return float(sum(all_exercises()[name].points for name in names))


def one_learner(rows: Sequence[Row]) -> Learner:
    """All rows of a run as the results of one learner, whatever the files are called."""
    results = [Result(r.name, "", v, r.seconds, r.practice) for r in rows for v in r.verdicts]
    return Learner("learner", "", results, [r.problem for r in rows if r.problem])


def summaries(everyone: list[Learner]) -> list[Summary]:
    """For each exercise that somebody attempted: outcomes, and who has which wrong idea."""
    found = []
    for exercise in all_exercises().values():
        verdicts = [who.best[exercise.name].verdict for who in everyone if exercise.name in who.best]
        if not verdicts:
            continue
        hints = {m.name: m.hint for m in exercise.misconceptions}
        ideas = Counter(v["misconception"] for v in verdicts if v["misconception"])
        layers = Counter(v["layer"] for v in verdicts if v["layer"] not in (None, "misconception"))
        counted = [(name, hints.get(name, ""), count) for name, count in ideas.most_common()]
        found.append(
            Summary(exercise, Counter(v["outcome"] for v in verdicts), counted, layers.most_common())
        )
    return found


def write(book: Gradebook, folder: Path) -> Path:
    """Write all pages; gives the class's page."""
    folder.mkdir(parents=True, exist_ok=True)
    everyone = learners(book)
    for who in everyone:
        _render(folder / who.page, "learner.html", who=who, sections=_sections(who))
    marks = [who.points for who in everyone]
    numbers = {
        "learners": len(everyone),
        "median": statistics.median(marks) if marks else 0,
        "possible": possible(counted(book, everyone)),
        "seconds": sum(who.seconds for who in everyone),
    }
    page = folder / "index.html"
    _render(
        page,
        "class.html",
        everyone=everyone,
        summaries=summaries(everyone),
        numbers=numbers,
        outcomes=OUTCOMES,
        flags=[(who, r.verdict) for who in everyone for r in who.results if r.verdict.get("flag")],
    )
    return page


def _sections(who: Learner) -> list[tuple[Exercise | None, list[tuple[str, str]]]]:
    """For each exercise, the file and the verdict as HTML; an untouched stub counts only where all are."""
    known = all_exercises()
    grouped: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for result in who.results:
        verdict = Verdict.from_dict(result.verdict)
        if verdict.outcome != "missing" or who.best[verdict.exercise].verdict["outcome"] == "missing":
            grouped[verdict.exercise].append((result.name, verdict_html(verdict)))
    return [(known.get(name), pages) for name, pages in grouped.items()]


def _page(name: str) -> str:
    """A file name for a learner's page: readable, and different for different learners."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "learner"
    return f"{readable}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}.html"


def _render(path: Path, template: str, **values: object) -> None:
    text = templates().get_template(template).render(**values)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
