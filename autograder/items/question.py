"""Questions with choices, of which one is right: those of quizzes, and those in which a fault is found."""

import string
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """An answer that is offered, and why it is right or wrong; both are Markdown of one line."""

    text: str
    right: bool
    reason: str


@dataclass(frozen=True)
class Question:
    """A question with its choices.

    sentence: Markdown of one line. name: of one question of several that the exercise lists in a table.
    table: rows to be shown with it, the first of them its head. code: lines to be shown with it, numbered from 1.
    inputs: lines that say what the code is called with.
    """

    sentence: str
    choices: tuple[Choice, ...]
    name: str | None = None
    table: tuple[tuple[str, ...], ...] = ()
    code: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()

    @property
    def lettered(self) -> dict[str, Choice]:
        """Return the choices by the letters that stand before them."""
        return dict(zip(string.ascii_lowercase, self.choices, strict=False))

    @property
    def numbered(self) -> list[str]:
        """Return the lines of its code, each with its number."""
        width = len(str(len(self.code)))
        return [f"{number:{width}}  {line}".rstrip() for number, line in enumerate(self.code, 1)]

    @property
    def right(self) -> str:
        """Return the letter of the right choice."""
        return next(letter for letter, choice in self.lettered.items() if choice.right)
