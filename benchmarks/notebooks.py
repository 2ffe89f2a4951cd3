"""How fast a class is graded that hands in notebooks: `python -m benchmarks.notebooks [LEARNERS]`, 40 by default.

Each learner hands in five chapters as `start` makes them: one class finished, with the reference solutions
filled in, one untouched, and one like the first, in which every tenth learner has put something hostile into one
answer. Graded as `grade FOLDER` does, with all exercises, both frameworks, the full lock and a gradebook. The rate
counts from the first results on: the processes start once.
"""

import ast
import copy
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.book.contents import EXERCISE, tags
from autograder.copies.start import learners_copy
from autograder.grade.pool import processes_here
from autograder.grade.run import GradeOptions, run_all
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises, topics
from autograder.model.paths import ROOT
from tools.figures import parser, report

LEARNERS, NOTEBOOKS = 40, 5
Notebook = dict[str, Any]


def chapters() -> dict[str, Notebook]:
    """Return the first chapters with exercises, by their names."""
    read = {
        name: (ROOT / "chapters" / f"{name}.ipynb").read_text(encoding="utf-8")
        for name in topics()[:NOTEBOOKS]
    }
    return {name: json.loads(text) for name, text in read.items()}


def finished(chapter: Notebook) -> Notebook:
    """Return a learner's copy with the solutions of the chapter filled in."""
    copied = learners_copy(chapter)
    solved = {_which(c): c["source"] for c in chapter["cells"]}
    for mine in (c for c in copied["cells"] if tags(c, EXERCISE)):
        mine["source"] = solved[_which(mine)]
    return copied


def _which(cell: dict[str, Any]) -> frozenset[str]:
    """Return the exercise and the framework of a cell."""
    return frozenset(tags(cell, EXERCISE) + tags(cell, "framework-"))


def hand_in(notebook: Notebook, learner: int, path: Path) -> None:
    """Write a notebook with a cell of the learner's own, since the same bytes are graded once."""
    copied = copy.deepcopy(notebook)
    copied["cells"].append(
        {"cell_type": "markdown", "id": "own", "metadata": {}, "source": f"Learner {learner}"}
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(copied, indent=1, ensure_ascii=False), encoding="utf-8")


# What a hostile learner puts before the lines of an answer, or of a cell.
HOSTILE = {
    "an endless call": "while True: pass",
    "a call that hogs memory": "kept = []\nwhile True:\n    try: kept.append(bytearray(1 << 24))\n    except MemoryError: pass",
    "a call that forks": "import os, threading\nwhile True:\n    try: os.fork()\n    except Exception: pass",
    "a call that sleeps": "import time\nwhile True:\n    try: time.sleep(1)\n    except BaseException: pass",
    "an endless cell": "",
}


def made_hostile(notebooks: dict[str, Notebook], kind: str) -> dict[str, Notebook]:
    """Return the same, but the second of the chapters has something hostile in the first of its answers."""
    changed = copy.deepcopy(notebooks)
    cell = next(c for c in list(changed.values())[1]["cells"] if tags(c, EXERCISE))
    tree = ast.parse("".join(cell["source"]))
    if HOSTILE[kind]:
        answer = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
        answer.body[:0] = ast.parse(HOSTILE[kind]).body
    else:
        tree.body[:0] = ast.parse(HOSTILE["an endless call"]).body
    cell["source"] = ast.unparse(tree)
    return changed


def grade(hand_ins: Sequence[dict[str, Notebook]]) -> tuple[float, float, list[str]]:
    """Grade a class in which each learner hands in such notebooks.

    Return the seconds that pass, those of answers and judge when nothing else is at work, and all outcomes.
    """
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder, "class")
        submissions.mkdir()
        for learner, notebooks in enumerate(hand_ins):
            for name, notebook in notebooks.items():
                hand_in(notebook, learner, submissions / f"{learner:03d}" / f"{name}.ipynb")
        run = GradeOptions(Assignment.of(all_exercises()), None, TimeLimits())
        path = Path(folder, "gradebook.sqlite")
        rows = run_all(submissions, path, run, lambda done, total: times.append(time.perf_counter()))
    # The first results are those in which the processes start.
    warm = len(times) // 5
    seconds = (times[-1] - times[warm - 1]) * len(times) / (len(times) - warm)
    return seconds, sum(row.seconds for row in rows), [v.outcome for row in rows for v in row.verdicts]


def main() -> None:
    arguments = parser("notebooks", __doc__)
    arguments.add_argument("learners", type=int, nargs="?", default=LEARNERS)
    options = arguments.parse_args()
    solved = chapters()
    ready = {name: finished(chapter) for name, chapter in solved.items()}
    honest = [ready] * options.learners
    hostile = [made_hostile(ready, kind) for kind in HOSTILE]
    classes = {
        "finished": honest,
        "untouched": [{name: learners_copy(chapter) for name, chapter in solved.items()}] * options.learners,
        "a tenth hostile": [
            hostile[i // 10 % len(hostile)] if i % 10 == 4 else h for i, h in enumerate(honest)
        ],
    }
    measured = {}
    for kind, hand_ins in classes.items():
        seconds, of_answers, outcomes = grade(hand_ins)
        accepted = outcomes.count("accepted")
        if accepted != {"finished": len(outcomes), "untouched": 0}.get(kind, accepted):
            raise SystemExit(f"not every {kind} notebook got the marks that it deserves")
        rate = options.learners * NOTEBOOKS / seconds
        measured[kind] = {"rate": rate, "taken": of_answers, "answers": len(outcomes), "accepted": accepted}
        sys.stdout.write(
            f"{kind}: {seconds:.1f} s, of which {of_answers:.1f} s for answers, {dict(Counter(outcomes))}\n"
        )
    figures = {
        "processors": processes_here(),
        "learners": options.learners,
        "notebooks": NOTEBOOKS,
        "classes": measured,
    }
    report("notebooks", figures, options.store)


if __name__ == "__main__":
    main()
