"""`practise`: faults to be found in code, asked in a notebook and in a terminal alike."""

import re
import string
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from autograder.checking import progress
from autograder.checking.nearby import shell, take_in
from autograder.frameworks import graded, the_only_one, with_adapter
from autograder.items.choose import due_items, new_items
from autograder.items.graded import drawn
from autograder.items.items import Item
from autograder.items.practice import SECONDS_A_DAY, Practice, read, write
from autograder.items.question import Choice, Question
from autograder.items.schedule import after
from autograder.model.catalogue import all_exercises, by_entry
from autograder.model.exercise import FAULTS, Exercise
from autograder.model.text import counted

AT_ONCE = 5
CODE = re.compile(r"(`[^`]*`)")
# What Markdown would read as a mark.
MARK = re.compile(r"([\\*_\[\]<>#|$~])")
NOTHING_DUE = "Nothing is due today. `attention practise` asks for new faults."
ENOUGH = "That is enough for today: five minutes a day."
NOTHING_NEW = "There is nothing new to find here."

# What shows Markdown, and what asks for a line.
Show = Callable[[str], None]


def practise(
    exercise: str | None = None, framework: str | None = None, hard: bool = False, graded: int = 0
) -> None:
    """Ask for the faults in some pieces of code, one after the other; an empty answer ends it.

    exercise: its name, or that of its function or class; all exercises if not given. framework: in which the code
    is written, "torch", "mxnet" or "numpy". hard: with two mistakes at once. graded: how many faults of the exercise
    an assignment asks for; it ends with the line that answers it, and the same folder gets the same ones again.
    Raises LookupError, with a sentence, for an unknown name.
    """
    take_in()
    asked = [_exercise(exercise)] if exercise else list(all_exercises().values())
    if graded:
        return ask_graded(asked[0], in_framework(framework), graded, _show_here)
    ask_new(asked, in_framework(framework), hard, _show_here)


def in_framework(name: str | None) -> str:
    """The framework whose code is shown: the one that is named, the only one that is installed, or PyTorch.

    Raises LookupError, with a sentence, for an unknown name.
    """
    if name is not None and name not in with_adapter():
        raise LookupError(f"There is no framework {name!r}: use one of {', '.join(with_adapter())}.")
    return name or the_only_one() or graded()[-1]


def ask_new(
    exercises: Sequence[Exercise], framework: str, hard: bool, show: Show, count: int = AT_ONCE
) -> None:
    """Ask what was not asked yet, first on the ideas of rejected answers."""
    folder = progress.folder_at_hand()
    practice = read(folder)
    items = islice(new_items(practice, exercises, framework, hard), count)
    if not _ask(items, practice, folder, show):
        show(NOTHING_NEW)


def ask_graded(exercise: Exercise, framework: str, count: int, show: Show) -> None:
    """Ask what an assignment asks for, and say the line that answers it."""
    folder = progress.folder_at_hand()
    practice = read(folder)
    if folder:
        write(folder, practice)  # the seed stays
    letters: list[str] = []
    _ask(iter(drawn([exercise], count, framework, practice.seed)), practice, folder, show, letters)
    answer = f"{exercise.name}{FAULTS}"[:-1] + f' = "{framework} {practice.seed} {"".join(letters)}"'
    show(f"Your answer to the assignment, for its cell:\n\n```python\n{answer}\n```")


def ask_due(framework: str, show: Show) -> None:
    """Ask what is due today, for five minutes a day at most."""
    folder = progress.folder_at_hand()
    practice = read(folder)
    due = practice.due(datetime.now(UTC))

    def in_time() -> Iterator[Item]:
        for item in due_items(practice, due, framework):
            if practice.seconds_on(datetime.now(UTC)) >= SECONDS_A_DAY:
                return show(ENOUGH)
            yield item

    if not due:
        show(NOTHING_DUE)
    _ask(in_time(), practice, folder, show)


def as_markdown(question: Question) -> str:
    """A question as a notebook and a terminal show it."""
    width = len(str(len(question.code)))
    code = [f"{number:{width}}  {line}".rstrip() for number, line in enumerate(question.code, 1)]
    called = ["", "Called with", "", "```", *question.given, "```"] if question.given else []
    letters = zip(string.ascii_lowercase, question.choices, strict=False)
    choices = [f"- **{letter}** {_escaped(choice.text)}" for letter, choice in letters]
    return "\n".join(
        ["```python", *code, "```", *called, "", f"**{_escaped(question.asked)}**", "", *choices]
    )


def _exercise(name: str) -> Exercise:
    found = [all_exercises()[name]] if name in all_exercises() else by_entry(name)
    if len(found) != 1:
        raise LookupError(f"There is no exercise {name!r}. `attention exercises` lists them.")
    return found[0]


def _ask(
    items: Iterator[Item],
    practice: Practice,
    folder: Path | None,
    show: Show,
    letters: list[str] | None = None,
) -> int:
    """Ask one after the other, and keep each first answer, in letters too if they are given; gives how many were shown."""
    right = answered = shown = 0
    for item in items:
        shown += 1
        begun = time.monotonic()
        show(f"**{_escaped(all_exercises()[item.exercise].title)}**\n\n{as_markdown(item.question)}")
        choice = _chosen(item.question)
        if choice is None:
            break
        answered, right = answered + 1, right + choice.right
        if letters is not None:
            letters.append(string.ascii_lowercase[item.question.choices.index(choice)])
        _keep(practice, folder, item, choice.right, time.monotonic() - begun)
        while choice is not None:
            show(f"{'✓ Right.' if choice.right else '✗ Not that.'} {_escaped(choice.reason)}")
            choice = None if choice.right else _chosen(item.question)
    if answered:
        kept = (
            ""
            if folder
            else " They come back only where progress is kept, in the folder that `attention start` has made."
        )
        show(f"{right} of {counted(answered, 'fault')} found at once.{kept}")
    return shown


def _keep(practice: Practice, folder: Path | None, item: Item, right: bool, seconds: float) -> None:
    now = datetime.now(UTC)
    practice.cards[item.key] = after(practice.cards.get(item.key), right, now)
    practice.spent(now, seconds)
    if right:
        practice.understood(item.exercise, "+".join(item.ideas))
    if folder:
        write(folder, practice)


def _chosen(question: Question) -> Choice | None:
    """The choice of the letter that is typed; None for an empty line, or where nothing can be typed."""
    letters = string.ascii_lowercase[: len(question.choices)]
    while True:
        try:
            typed = input(f"Your answer, a to {letters[-1]} (nothing ends): ").strip().lower()
        except (EOFError, RuntimeError, NotImplementedError):  # a notebook that runs by itself
            return None
        if not typed:
            return None
        if len(typed) == 1 and typed in letters:
            return question.choices[letters.index(typed)]


def _show_here(text: str) -> None:
    """Show Markdown in a notebook, or print it."""
    if shell() is None:
        sys.stdout.write(f"{text}\n\n")
        return
    from IPython.display import Markdown, display

    display(Markdown(text))


def _escaped(text: str) -> str:
    """A sentence in which nothing but the code between backticks is Markdown."""
    return "".join(part if part.startswith("`") else MARK.sub(r"\\\1", part) for part in CODE.split(text))
