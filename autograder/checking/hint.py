"""`hint`: the next hint for an exercise. Asking costs nothing, and is not recorded."""

from autograder.book.edition import text_for
from autograder.checking.notebook_folder import exercise_named
from autograder.frameworks import only_installed_framework
from autograder.model.catalogue import topics

_num_hints: dict[str, int] = {}


class Hint:
    """One hint, which shows itself in a notebook and in a terminal."""

    def __init__(self, title: str, text: str) -> None:
        self.title, self.text = title, text

    def __repr__(self) -> str:
        return f"{self.title}: {self.text}"

    def _repr_markdown_(self) -> str:
        return f"**{self.title}.** {self.text}"


def hint(name: str) -> Hint:
    """Return the next hint: the first says what to look at, the second which step, the third almost the line.

    name: the exercise's, or that of its function or class.
    Raises LookupError, with a sentence, for an unknown name.
    """
    exercise = exercise_named(name)
    if not exercise.hints:
        return Hint("No hint", "This exercise is a question: measure, or work it out on paper.")
    number = _num_hints.get(exercise.name, 0)
    if number == len(exercise.hints):
        _num_hints[exercise.name] = 0
        where = "The solution stands in the book. " if exercise.topic in topics() else ""
        return Hint("No more hints", f"{where}Ask once more to begin with the first hint.")
    _num_hints[exercise.name] = number + 1
    return Hint(
        f"Hint {number + 1} of {len(exercise.hints)}",
        text_for(exercise.hints[number], only_installed_framework()),
    )
