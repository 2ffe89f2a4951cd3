"""A class of small submissions, and what its gradebook holds."""

from autograder.grade.run import GradeOptions, run_all
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment, TimeLimits
from tests.support import LATE, RIGHT

KINDS = {
    "right": RIGHT,
    "late": LATE,
    "leaves": "import os, torch\ndef masked_softmax(X, valid_length):\n    torch; os._exit(0)\n",
    "crashes": "import torch\ndef masked_softmax(X, valid_length):\n    return torch.nothing\n",
    "empty": "",
}
RUN = GradeOptions(
    Assignment.of(("masked_softmax", "masked_softmax_or_zero")),
    None,
    TimeLimits(source_seconds=20, call_seconds=10, seconds=60),
    processes=1,
)


def make_class(folder, count=12):
    """Submissions of every kind, no two with the same bytes."""
    folder.mkdir()
    for i in range(count):
        kind = list(KINDS)[i % len(KINDS)]
        (folder / f"{kind}_{i:03d}.py").write_text(f"{KINDS[kind]}\n# {i}\n")
    return sorted(folder.iterdir())


def grade(path, book, run=RUN):
    return run_all(path, book, run, lambda done, total: None)


def rows(book):
    """Everything a mark consists of, row by row."""
    opened = Gradebook(book)
    result = [
        (r.submission, r.digest, r.verdict.exercise, r.verdict.framework, r.verdict.outcome,
         r.verdict.points, r.verdict.misconception)
        for r in opened.results()
    ]  # fmt: skip
    opened.close()
    return result
