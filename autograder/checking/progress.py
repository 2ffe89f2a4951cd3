"""Record what a learner has passed so far, in the learner's own folder.

`start` puts the file there; where there is none (in the book's own chapters, for one)
nothing is kept.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.book.contents import all_chapters, file_of, opening
from autograder.book.ways import ways
from autograder.checking.notebook_folder import kernel_folders, load_exercises_beside
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.learner_files import read_json, take_notes, write_json
from autograder.model.text import clean
from autograder.model.verdict import Verdict

FILE = "progress.json"
# Beside the exercises that are passed: those of the assignment, where the copies are for one.
ASSIGNED = "assignment"


def find(path: Path) -> Path | None:
    """Return the folder of copies that is here or the nearest one above; None if there is none."""
    with suppress(OSError):  # a name that is too long, say
        return next((folder for folder in (path, *path.parents) if (folder / FILE).is_file()), None)
    return None


def find_beside(path: Path) -> Path | None:
    """Return the folder of copies that is here, above, or here under the name that `attention learn` gives it."""
    return find(path) or find(path / "learn")


def folder_at_hand() -> Path | None:
    """Return the folder of the copies that are worked on, in whichever folder the kernel runs; None if there is none."""
    return next(filter(None, map(find, kernel_folders())), None)


def create(folder: Path, assigned: Sequence[str] = ()) -> bool:
    """Write an empty record, unless there is one already; return whether that one is for other exercises.

    assigned: the exercises of the assignment, if it is for one.
    """
    record = {ASSIGNED: list(assigned)} if assigned else {}
    if not (folder / FILE).exists():
        write_json(folder / FILE, record)
    return read(folder / FILE).get(ASSIGNED) != record.get(ASSIGNED)


def keep(verdict: Verdict) -> str | None:
    """Record a passed exercise, or the misconception of a rejected answer for what is practised; return how many are passed of all, where progress is kept."""
    folder = folder_at_hand()
    if folder is None:
        return None
    if verdict.misconception:
        from autograder.items import repetition  # a page has no FSRS, and keeps no file

        stored = repetition.read(folder)
        stored.fell_for(f"{verdict.exercise}/{verdict.misconception}")
        repetition.write(folder, stored)
    passed = read(folder / FILE)
    if verdict.outcome == "accepted":
        frameworks = set(passed.get(verdict.exercise, [])) | {verdict.framework}
        passed[verdict.exercise] = sorted(frameworks)
        write_json(folder / FILE, passed)
    exercises = _counted_exercises(passed)
    count = sum(e.name in passed for e in exercises)
    return f"{count} of {len(exercises) + len(_unknown(passed))} exercises passed"


def _counted_exercises(passed: dict[str, list[str]]) -> list[Exercise]:
    """Return the exercises that are counted: those of the assignment, or all of the course."""
    assigned = passed.get(ASSIGNED, all_exercises())
    return [e for e in all_exercises().values() if e.name in assigned]


def _unknown(passed: dict[str, list[str]]) -> list[str]:
    """Return exercises of the assignment that are not known here: a teacher's own, if their files were not given out."""
    return [clean(name, 60) for name in passed.get(ASSIGNED, ()) if name not in all_exercises()]


def read(path: Path) -> dict[str, list[str]]:
    """Return exercise names and the frameworks they were passed in; what is damaged is put aside."""
    return read_json(path, usable=_names)


def _names(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(name, str) for name in value) else None


@dataclass(frozen=True)
class Overview:
    """Progress as a notebook shows it, and as a terminal prints it: both are the same Markdown."""

    text: str

    def _repr_markdown_(self) -> str:
        return self.text

    __repr__ = _repr_markdown_


def overview(folder: Path | None = None) -> Overview:
    """Return what is passed, chapter by chapter, and the next exercise.

    folder: that of the copies, or one below it; that of the copies at hand if not given.
    """
    load_exercises_beside()
    home = folder_at_hand() if folder is None else find(folder)
    if home is None:
        opened = "open the notebook from the folder that `attention start` has made"
        return Overview(f"No {FILE} is kept here: {opened}.")
    try:
        passed = read(home / FILE)
    except UsageError as error:
        return Overview(str(error))
    damaged = [line for note in take_notes() for line in (note, "")]
    on_ways = [] if ASSIGNED in passed else [*_ways(passed, home), ""]
    return Overview("\n".join([*damaged, _next(passed, home), "", *on_ways, *_table(passed, home)]))


def _next(passed: dict[str, list[str]], folder: Path) -> str:
    """Name, in a sentence, the next exercise of the way that is furthest, or else the first that is not passed."""
    remaining = [e for e in _counted_exercises(passed) if e.name not in passed]
    unknown = _unknown(passed)
    words = f" {', '.join(unknown)} cannot be checked here: the answer is graded when you hand it in."
    if not remaining:
        return words.strip() if unknown else "All exercises are passed."
    following = remaining[0] if ASSIGNED in passed else _on_the_furthest_way(passed) or remaining[0]
    return f"Next: {_link(following, folder)}.{words if unknown else ''}"


def _on_the_furthest_way(passed: dict[str, list[str]]) -> Exercise | None:
    """Return the next exercise of the way of which the largest part is passed; None where none is begun or open."""
    following: dict[float, Exercise] = {}
    for way in ways():
        remaining = [e for e in way.exercises if e.name not in passed]
        if 0 < len(remaining) < len(way.exercises):
            # Of two ways that are equally far the first.
            following.setdefault(len(remaining) / len(way.exercises), remaining[0])
    return following[min(following)] if following else None


def _link(exercise: Exercise, folder: Path) -> str:
    address = f"{file_of(exercise.topic, folder)}#ex-{exercise.name}"
    return f"[{exercise.title}]({address}) in *{opening(exercise.topic)[0]}*"


def _ways(passed: dict[str, list[str]], folder: Path) -> list[str]:
    lines = ["| way | passed | of | next |", "| --- | ---: | ---: | --- |"]
    for way in ways():
        remaining = [e for e in way.exercises if e.name not in passed]
        following = _link(remaining[0], folder) if remaining else "done"
        count = len(way.exercises)
        lines.append(f"| {way.title} | {count - len(remaining)} | {count} | {following} |")
    return lines


def _table(passed: dict[str, list[str]], folder: Path) -> list[str]:
    lines = ["| chapter | passed | of |", "| --- | ---: | ---: |"]
    for chapter in all_chapters():
        names = [e.name for e in _counted_exercises(passed) if e.topic == chapter]
        if ASSIGNED in passed and not names:
            continue
        done = sum(name in passed for name in names)
        lines.append(f"| [{opening(chapter)[0]}]({file_of(chapter, folder)}) | {done} | {len(names)} |")
    return lines
