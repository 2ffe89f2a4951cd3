"""How fast a class is graded that hands in notebooks: `python -m benchmarks.notebooks [LEARNERS]`, 40 by default.

Each learner hands in five chapters as `start` makes them: one class finished, with the reference solutions
filled in, and one untouched. Graded as `grade FOLDER` does, with all exercises, both frameworks, the full
lock and a gradebook. The rate counts from the first results on: the processes start once.
"""

import copy
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from autograder.book.contents import EXERCISE, tags
from autograder.copies.start import learners_copy
from autograder.grade.pool import processes_here
from autograder.grade.processes import Deadlines
from autograder.grade.run import GradeOptions, run_all
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises, topics
from course.paths import ROOT
from tools.figures import parser, report

LEARNERS, NOTEBOOKS = 40, 5
Notebook = dict[str, Any]


def chapters() -> dict[str, Notebook]:
    """The first chapters with exercises, by their names."""
    read = {
        name: (ROOT / "chapters" / f"{name}.ipynb").read_text(encoding="utf-8")
        for name in topics()[:NOTEBOOKS]
    }
    return {name: json.loads(text) for name, text in read.items()}


def finished(chapter: Notebook) -> Notebook:
    """A learner's copy with the solutions of the chapter filled in."""
    copied = learners_copy(chapter)
    for mine, solved in zip(copied["cells"], chapter["cells"], strict=True):
        if tags(mine, EXERCISE):
            mine["source"] = solved["source"]
    return copied


def hand_in(notebook: Notebook, learner: int, path: Path) -> None:
    """Write a notebook with a cell of the learner's own, since the same bytes are graded once."""
    own = copy.deepcopy(notebook)
    own["cells"].append(
        {"cell_type": "markdown", "id": "own", "metadata": {}, "source": f"Learner {learner}"}
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(own, indent=1, ensure_ascii=False), encoding="utf-8")


def grade(notebooks: dict[str, Notebook], learners: int) -> tuple[float, list[str]]:
    """Notebooks a second for a class in which everybody hands in these, and all outcomes."""
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder, "class")
        submissions.mkdir()
        for learner in range(learners):
            for name, notebook in notebooks.items():
                hand_in(notebook, learner, submissions / f"{learner:03d}" / f"{name}.ipynb")
        run = GradeOptions(Assignment.of(all_exercises()), None, Deadlines())
        kept = Path(folder, "gradebook.sqlite")
        rows = run_all(submissions, kept, run, lambda done, total: times.append(time.perf_counter()))
    warm = len(times) // 5
    rate = (len(times) - warm) / (times[-1] - times[warm - 1])
    return rate, [v.outcome for row in rows for v in row.verdicts]


def main() -> None:
    arguments = parser("notebooks", __doc__)
    arguments.add_argument("learners", type=int, nargs="?", default=LEARNERS)
    given = arguments.parse_args()
    solved = chapters()
    classes = {
        "finished": {name: finished(chapter) for name, chapter in solved.items()},
        "untouched": {name: learners_copy(chapter) for name, chapter in solved.items()},
    }
    measured = {}
    for kind, notebooks in classes.items():
        rate, outcomes = grade(notebooks, given.learners)
        if outcomes.count("accepted") != (len(outcomes) if kind == "finished" else 0):
            raise SystemExit(f"not every {kind} notebook got the marks that it deserves")
        measured[kind] = {"rate": rate, "answers": len(outcomes)}
    figures = {
        "processors": processes_here(),
        "learners": given.learners,
        "notebooks": NOTEBOOKS,
        "classes": measured,
    }
    report("notebooks", figures, given.store)


if __name__ == "__main__":
    main()
