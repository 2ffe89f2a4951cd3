"""Items in which a fault is found, made from the wrong ideas of an exercise: which line is wrong, which idea it is,
what it gives, and which two lines are wrong.

Reference and wrong version are run for each item, and an item is thrown out that has no answer or two: `item_of` gives
None then. The same seed gives the same item.
"""

import random
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import combinations

import numpy as np

from autograder.diagnose.counterexample import Example, smallest_example, with_digits
from autograder.diagnose.fingerprint import differ
from autograder.diagnose.misconception_pairs import JOINT, MisconceptionPair, misconception_pairs
from autograder.items.question import Choice, Question
from autograder.items.solution_texts import (
    changed_tokens,
    is_odd,
    lines_of_code,
    places_that_differ,
    text_with,
)
from autograder.judge.axis_lengths import num_entries
from autograder.judge.cases import draw_cases
from autograder.judge.protocol import CallResult
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import IDEA_ERRORS, Case, Exercise, Function, Misconception

LINE, IDEA, VALUE, TWO = "line", "idea", "value", "two"
# How many answers are offered; a function of fewer lines shows its fault. Of two wrong lines each pair of so many.
CHOICES = 4
# What goes into "what does it give" is calculated by hand: so many numbers, each with so many digits.
MOST_NUMBERS, DIGITS = 14, 2
# How many numbers of a result are asked for, and how far two answers must be apart.
ENTRIES, APART = 2, 0.1
# So many digits behind the point are shown, and more are an error of single precision.
DECIMALS = 6
# On how many cases a small input is sought, and how many numbers go into each of them at most.
TRIES, LARGEST = 4, 150
# Two reasons that share so many of their words say the same.
SAME_WORDS = 0.5
NAME, NUMBER = re.compile(r"[A-Za-z_]\w*"), re.compile(r"\d[\d.]*(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Item:
    """A question about a fault in code.

    kind: LINE, IDEA, VALUE or TWO. misconceptions: the names of the misconceptions that are in the code.
    """

    exercise: Exercise
    kind: str
    misconceptions: tuple[str, ...]
    question: Question

    @property
    def key(self) -> str:
        """Return the name of the item, for whatever seed and framework."""
        return f"{self.exercise.name}/{self.kind}/{JOINT.join(self.misconceptions)}"


def keys(exercise: Exercise, hard: bool) -> list[str]:
    """Return all that may become an item of an exercise: each kind with each misconception; if hard, with each two."""
    names = [m.name for m in exercise.misconceptions]
    if hard:
        pairs = (f"{names[p.first]}{JOINT}{names[p.second]}" for p in misconception_pairs(exercise))
        return [f"{exercise.name}/{TWO}/{pair}" for pair in pairs]
    return [f"{exercise.name}/{kind}/{name}" for name in names for kind in (LINE, IDEA, VALUE)]


def item_of(key: str, framework: str, seed: int) -> Item | None:
    """Return the item of a key; None where it has no answer, or more than one.

    framework: in which its code is, or in NumPy where the exercise has no solution in it.

    Raises KeyError for an exercise, a kind or a misconception that is not there.
    """
    name, kind, joint = key.split("/")
    exercise, misconceptions = all_exercises()[name], tuple(joint.split(JOINT))
    maker = _Maker(exercise, framework, f"{key} {seed}")
    makers: dict[str, Callable[..., Question | None]]
    makers = {LINE: maker.lines, TWO: maker.lines, IDEA: maker.misconception, VALUE: maker.value}
    with warnings.catch_warnings(action="ignore"):
        question = makers[kind](*(_misconceptions(name)[m] for m in misconceptions))
    return Item(exercise, kind, misconceptions, question) if question else None


class _Maker:
    """Makes the questions on one exercise. Each gives None where it has no answer, or more than one."""

    def __init__(self, exercise: Exercise, framework: str, seed: str) -> None:
        self.exercise, self.framework, self.seed, self.draw = exercise, framework, seed, random.Random(seed)
        # Of a misconception's name; of none what is right.
        self.wrong = partial(_text, exercise.name, framework)
        self.right = self.wrong()

    def lines(self, *misconceptions: Misconception) -> Question | None:
        """Ask which line is wrong, or which two are."""
        names = [m.name for m in misconceptions]
        places = [places_that_differ(self.right, self.wrong(name)) for name in names]
        positions = [place[0] for place in places if len(place) == 1]
        if len({*positions}) < len(names):
            return None
        wrong = text_with(self.exercise, self.framework, *misconceptions)
        code, right, lines = wrong.splitlines(), self.right.splitlines(), lines_of_code(wrong)
        if len({*positions} & {*lines}) < len(names):
            return None
        # What is left out could stand in any line that has to do with this one.
        changed = zip(positions, map(self.wrong, names), strict=True)
        near = {*NAME.findall(" ".join(code[i] for i, t in changed if not changed_tokens(self.right, t)[1]))}
        distractors = [i for i in lines if i not in positions and near.isdisjoint(NAME.findall(code[i]))]
        if len(distractors) < CHOICES - len(positions):
            return None
        if len(names) > 1 and not _both_show(self.exercise.name, *names):
            return None
        # A change elsewhere that gives what is right as well would make that place wrong too.
        if any(_is_undone(self.exercise.name, name) for name in names):
            return None
        offered = sorted([*positions, *self.draw.sample(distractors, CHOICES - len(positions))])
        subject = "Two lines of this code are" if len(names) > 1 else "One line of this code is"
        choices = _line_choices(misconceptions, positions, offered, code, right)
        return _question(f"{subject} wrong. Which?", choices, wrong)

    def misconception(self, misconception: Misconception) -> Question | None:
        """Ask which misconception it is."""
        wrong, misconceptions = self.wrong(misconception.name), self.exercise.misconceptions
        reason = f"Without the mistake it would {_reads(wrong, self.right)}."
        choices = [Choice(misconception.hint, True, reason)]
        for other in self.draw.sample(misconceptions, len(misconceptions) if wrong else 0):
            is_repeated = any(_say_the_same(other.hint, choice.text) for choice in choices)
            text = "" if is_repeated else self.wrong(other.name)
            if text and _both_show(self.exercise.name, misconception.name, other.name):
                reading = _reads(self.right, text)
                choices.append(Choice(other.hint, False, f"No: the code would {reading}."))
            if len(choices) == CHOICES:
                break
        self.draw.shuffle(choices)
        return _question("What does `check` say of this code?", choices, wrong)

    def value(self, misconception: Misconception) -> Question | None:
        """Ask what the code gives."""
        wrong = self.wrong(misconception.name)
        values = _values(self.exercise.name, misconception.name, self.seed) if wrong else None
        if not values or any(f"{name}(" in wrong for name in values[2].handed_in):
            return None  # a model that is handed in is not shown
        sentence, choices, example = values
        return _question(sentence, choices, wrong, example.argument_lines)


def _line_choices(
    misconceptions: Sequence[Misconception],
    positions: Sequence[int],
    offered: Sequence[int],
    code: Sequence[str],
    right: Sequence[str],
) -> list[Choice]:
    """Return a choice for each line that is offered, or for each two where two are wrong.

    positions: of the wrong lines, one for each misconception. code, right: the lines of the wrong code and of the right.
    """
    mended = [f"Line {i + 1} must read `{right[i].strip()}`." for i in positions]
    hints = " ".join(f"{m.hint} {line}" for m, line in zip(misconceptions, mended, strict=True))
    choices = []
    for combination in combinations(offered, len(positions)):
        numbers = " and ".join(str(i + 1) for i in combination)
        line = f"line {numbers}: `{code[combination[0]].strip()}`"
        text = f"lines {numbers}" if len(positions) > 1 else line
        reason = " ".join(f"Line {i + 1} is {'wrong' if i in positions else 'right'}." for i in combination)
        is_it = {*combination} == {*positions}
        choices.append(Choice(text, is_it, hints if is_it else reason))
    return choices


# What NumPy alone decides, by names, is the same in each framework.
@cache
def _both_show(name: str, one: str, other: str) -> bool:
    """Return whether each of two misconceptions shows in code that has both: none is there already or undoes the other."""
    by_name = _misconceptions(name)
    alone = (all_exercises()[name].reference, by_name[one].function, by_name[other].function)
    return any(differ(name, both, *alone) for both in _together(name, one, other))


@cache
def _is_undone(name: str, misconception: str) -> bool:
    """Return whether another misconception undoes this one, so that together they give what is right."""
    reference = all_exercises()[name].reference
    return not all(differ(name, both, reference) for both in _together(name, misconception))


@lru_cache(maxsize=256)
def _values(name: str, misconception: str, seed: str) -> tuple[str, list[Choice], Example] | None:
    """Return the question on a misconception's numbers, the answers, and the input; None where they are too few."""
    exercise, wrong, draw = all_exercises()[name], _misconceptions(name)[misconception], random.Random(seed)
    count = len(_small_cases(name))
    tries = draw.sample(range(count), min(count, TRIES))
    example = next(filter(None, (_small_example(name, misconception, index) for index in tries)), None)
    if not example:
        return None
    output, got = next(iter(example.got.items()))
    apart = np.abs(got - example.expected[output])
    most = sorted(np.argsort(-apart.ravel(), kind="stable")[:ENTRIES])
    indices = [np.unravel_index(index, apart.shape) for index in most]
    reasons = {wrong.function: wrong.hint, exercise.reference: "That is what the right code gives."}
    for other in draw.sample(exercise.misconceptions, len(exercise.misconceptions)):
        reasons.setdefault(other.function, f"That is what another mistake gives: {other.hint}")
    answers: dict[tuple[float, ...], Choice] = {}
    for function, reason in reasons.items():
        numbers = _numbers(exercise, function, example, output, indices)
        if numbers and not any(np.allclose(numbers, other, APART, APART) for other in answers):
            text = " and ".join(f"{number + 0.0:.3g}" for number in numbers)
            answers[numbers] = Choice(text, function is wrong.function, reason)
        elif len(answers) < 2:
            return None
    choices = [*answers.values()][:CHOICES]
    draw.shuffle(choices)
    entries = " and ".join(f"`{output}[{', '.join(map(str, index))}]`".replace("[]", "") for index in indices)
    return f"This code has a mistake. What does it give for {entries}?", choices, example


def _numbers(
    exercise: Exercise, function: Function, example: Example, name: str, indices: Sequence[tuple[int, ...]]
) -> tuple[float, ...]:
    """Return what a function gives at some places; nothing where it depends on how the inputs are rounded when shown."""
    output = [o.name for o in exercise.returns].index(name)
    with suppress(*IDEA_ERRORS):
        cases = (with_digits(example.case, DECIMALS), example.case)
        one, other = (np.asarray(exercise.compute(function, case)[output]) for case in cases)
        numbers = tuple(float(one[index]) for index in indices)
        if np.isfinite(numbers).all() and np.allclose(numbers, [other[p] for p in indices], 1e-3, 1e-4):
            return numbers
    return ()


@cache
def _small_example(name: str, misconception: str, index: int) -> Example | None:
    """Return the smallest input, made from a small case, on which a misconception is wrong; None if it is none for the hand."""
    exercise, case = all_exercises()[name], _small_cases(name)[index]
    function = _misconceptions(name)[misconception].function
    with suppress(*IDEA_ERRORS):
        example = smallest_example(exercise, case, lambda c: CallResult(exercise.compute(function, c)))
        return example if example and _is_small(example) else None
    return None


@lru_cache(maxsize=1)
def _small_cases(name: str) -> list[Case]:
    return [case for case in draw_cases(all_exercises()[name], 0) if num_entries(case) <= LARGEST]


def _together(name: str, *misconceptions: str) -> Iterator[Function]:
    """Yield what a misconception and any other one compute together, or these two."""
    return (p.function for names, p in _pairs(name) if names.issuperset(misconceptions) and p.function)


@lru_cache(maxsize=1)
def _pairs(name: str) -> list[tuple[set[str], MisconceptionPair]]:
    names, pairs = list(_misconceptions(name)), misconception_pairs(all_exercises()[name])
    return [({names[pair.first], names[pair.second]}, pair) for pair in pairs]


@cache
def _misconceptions(name: str) -> dict[str, Misconception]:
    return {m.name: m for m in all_exercises()[name].misconceptions}


@cache
def _text(name: str, framework: str, misconception: str = "") -> str:
    """Return an exercise's right text, or one with a misconception in it; empty where that is seen as one odd token."""
    misconceptions = [_misconceptions(name)[misconception]] if misconception else []
    text = text_with(all_exercises()[name], framework, *misconceptions)
    return "" if misconception and text and is_odd(_text(name, framework), text, framework) else text


def _question(sentence: str, choices: list[Choice], text: str, inputs: Sequence[str] = ()) -> Question | None:
    question = Question(sentence, tuple(choices), code=tuple(text.splitlines()), inputs=tuple(inputs))
    return question if len(choices) >= CHOICES else None


def _is_small(example: Example) -> bool:
    """Return whether it is calculated by hand: few numbers of few digits, and no whole number points beyond what there is."""
    numbers = map(float, NUMBER.findall(" ".join(example.argument_lines)))
    arrays = [value for value in example.handed_in.values() if isinstance(value, np.ndarray)]
    longest = max((length for array in arrays for length in array.shape), default=0)
    pointers = [a for a in arrays if a.dtype.kind in "iu" and a.size and a.max() > longest]
    result = next(iter(example.got.values()))
    is_array = isinstance(result, np.ndarray) and result.dtype.kind in "fi" and not pointers
    are_few = is_array and num_entries(example.case) <= MOST_NUMBERS and 0 < result.size <= MOST_NUMBERS
    return are_few and all(float(f"{number:.{DIGITS}g}") == number for number in numbers)


def _say_the_same(one: str, other: str) -> bool:
    """Return whether two reasons say the same in other words: one could then be true where the other is."""
    a, b = ({word.strip(".,:;()") for word in text.lower().split()} for text in (one, other))
    return len(a & b) > SAME_WORDS * min(len(a), len(b))


def _reads(one: str, other: str) -> str:
    """Return the first line that stands in the other text and not in the one, or that no longer does."""
    lines, other_lines = one.splitlines(), other.splitlines()
    new, gone = [x for x in other_lines if x not in lines], [x for x in lines if x not in other_lines]
    words = f"{'read' if new else 'have no line'} `{next(iter(new or gone), '').strip()}`"
    return f"{words} and so on" if len(new or gone) > 1 else words
