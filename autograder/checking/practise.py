"""`practise`: faults to be found in code, asked in a notebook."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.syntax import Syntax

from autograder.checking import progress
from autograder.checking.notebook_folder import exercise_named, load_exercises_beside
from autograder.frameworks import checkable_frameworks, only_installed_framework
from autograder.items.choose import due_items, new_items
from autograder.items.items import Item
from autograder.items.question import Question
from autograder.items.repetition import SECONDS_A_DAY, Repetition, read, write
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.learner_files import keep_or_explain, take_notes
from autograder.model.text import counted

AT_ONCE = 5
NOTHING_DUE = "Nothing is due today. `practise()` asks for new faults."
ENOUGH = "That is enough for today: five minutes a day."
NOTHING_NEW = "There is nothing new to find here."
NOT_KEPT = " They come back only where progress is kept, in the folder of your copies or beside it."


def practise(
    exercise: str | None = None, framework: str | None = None, hard: bool = False, due: bool = False
) -> None:
    """Ask for the faults in some pieces of code, one after the other; an empty answer ends it.

    Faults by the ideas of rejected answers come first. exercise: its name, or that of its function or class; all
    exercises if not given. framework: in which the code is written, "torch", "mxnet" or "numpy"; the one that is
    installed, or PyTorch, if not given. hard: with two mistakes at once. due: what comes back today instead, of all
    exercises, for five minutes at most. Raises LookupError, with a sentence, for an unknown name.
    """
    load_exercises_beside()
    exercises = [exercise_named(exercise)] if exercise else [*all_exercises().values()]
    if framework is not None and framework not in checkable_frameworks():
        raise LookupError(
            f"There is no framework {framework!r}: use one of {', '.join(checkable_frameworks())}."
        )
    framework = framework or only_installed_framework() or "torch"
    folder = progress.folder_at_hand() or progress.find_beside(Path.cwd())
    try:
        repetition = read(folder)
    except UsageError as error:
        folder, repetition = None, Repetition()
        show(str(error))
    if messages := take_notes():
        show(*messages)
    new = islice(new_items(repetition, exercises, framework, hard), AT_ONCE)
    _ask(due_items(repetition, datetime.now(UTC), framework) if due else new, repetition, folder, due)


def _ask(items: Iterable[Item], repetition: Repetition, folder: Path | None, due: bool) -> None:
    """Ask one item after the other, and say how many faults were found at once."""
    end, answers = NOTHING_DUE if due else NOTHING_NEW, []
    for item in items:
        end = ENOUGH if due and repetition.seconds_on(datetime.now(UTC)) >= SECONDS_A_DAY else ""
        letter = "" if end else _first_answer(item, repetition, folder)
        if not letter:
            break
        answers.append(letter == item.question.right)
    if answers:
        end += (
            f" {sum(answers)} of {counted(len(answers), 'fault')} found at once.{'' if folder else NOT_KEPT}"
        )
    if end:
        show(end.strip())


def _first_answer(item: Item, repetition: Repetition, folder: Path | None) -> str:
    """Ask until it is answered rightly, and keep the first answer; gives its letter, none if nothing is typed."""
    begun, question, first = time.monotonic(), item.question, ""
    call_lines = ["Called with", *question.inputs, ""] if question.inputs else []
    choices = [f"{letter}  {choice.text}" for letter, choice in question.lettered.items()]
    # On its own ground, which light and dark notebooks have alike.
    code = Syntax("\n".join(question.numbered), "python", theme="monokai", word_wrap=True)
    show(f"{item.exercise.title}\n", code, "", *call_lines, f"{question.sentence}\n", *choices)
    while letter := _typed(question):
        if not first:
            first = letter
            repetition.answered(
                item.key, letter == question.right, datetime.now(UTC), time.monotonic() - begun
            )
            if folder and (words := keep_or_explain(write, folder, repetition)):
                show(f"{words}.")
        choice = question.lettered[letter]
        show(f"{'✓ Right.' if choice.right else '✗ Not that.'} {choice.reason}")
        if choice.right:
            break
    return first


def _typed(question: Question) -> str:
    """Return the letter that is typed; none for an empty line, or where nothing can be typed."""
    while True:
        try:
            typed = input(f"Your answer, a to {max(question.lettered)} (nothing ends): ").strip().lower()
        except (EOFError, RuntimeError, NotImplementedError):  # a notebook that runs by itself
            return ""
        if not typed or typed in question.lettered:
            return typed


def show(*parts: str | Syntax) -> None:
    """Show lines in a notebook, or in a terminal, as they are."""
    Console().print(*parts, "", sep="\n", markup=False, highlight=False)
