"""How long a chapter takes: to read, and to solve. Counted from the chapter and its exercises, in minutes."""

from autograder.book.contents import EXERCISE, Cell, Notebook, framework_of, source, tags
from autograder.model.catalogue import all_exercises

WORDS_PER_MINUTE = 200
LINES_PER_MINUTE = 20  # of code
STEP = 5  # minutes; a count of words says no more than that
# The frames around a chapter; the one before it says what is counted here.
BEFORE, AFTER = "before", "after"
# Whoever reads one framework has read the other; PyTorch's code stands for both.
READ = (None, "torch")
FOLDED = ("hide-input", "hide-cell", "remove-input", "remove-cell")


def reading(notebook: Notebook) -> int:
    """Return the minutes that a chapter's prose and code take to read, rounded to STEP; at least STEP."""
    cells = notebook["cells"]
    words = sum(len(source(c).split()) for c in cells if c["cell_type"] == "markdown" and c["id"] != BEFORE)
    lines = sum(len(source(c).splitlines()) for c in cells if c["cell_type"] == "code" and _is_read(c))
    return max(STEP, STEP * round((words / WORDS_PER_MINUTE + lines / LINES_PER_MINUTE) / STEP))


def _is_read(cell: Cell) -> bool:
    """Return whether code is read with the text: not what is folded, and not what an exercise asks for."""
    unread = any(tag in FOLDED or tag.startswith(EXERCISE) for tag in tags(cell))
    return framework_of(cell) in READ and not unread


def exercises(chapter: str) -> tuple[int, int]:
    """Return how many exercises a chapter has, and the minutes that they state, together."""
    minutes = [e.minutes for e in all_exercises().values() if e.topic == chapter]
    return len(minutes), sum(minutes)


def duration_text(minutes: int) -> str:
    """Return a time in words: `55 minutes`, `1 hour`, `2½ hours`; from one hour on to the nearest half."""
    if minutes < 60:
        return f"{minutes} minutes"
    halves = round(minutes / 30)
    number = f"{halves // 2}{'½' if halves % 2 else ''}"
    return f"{number} hour{'' if number == '1' else 's'}"
