"""Items in which a fault is found, made from the wrong ideas of an exercise: which line is wrong, which idea it is,
what it gives, and which two lines are wrong.

Reference and wrong version are run for each item, and an item is thrown out that has no answer or two: `made` gives
None then. The same seed gives the same item.
"""

import random
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import ndiff
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np

from autograder.diagnose.search import FAILS
from autograder.diagnose.smallest import Example, smallest, with_digits
from autograder.diagnose.two_ideas import JOINT, TwoIdeas, two_ideas
from autograder.items.question import Choice, Question
from autograder.items.versions import (
    changed_tokens,
    is_odd,
    line_that_differs,
    lines_joined_with,
    lines_of_code,
    right_text,
    text_with_both,
    without_comments,
    wrong_text,
)
from autograder.judge.cases import prepare
from autograder.judge.compare import same
from autograder.judge.protocol import Answer
from autograder.judge.sizes import size
from autograder.judge.words import is_choice
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Case, Exercise, Function
from autograder.model.finding import Finding, Kind
from autograder.model.ideas import NUMPY

Outputs = tuple[Any, ...]
LINE, IDEA, VALUE, TWO = KINDS = ("line", "idea", "value", "two")
# How many answers are offered, and at least; a function of fewer lines shows its fault.
MOST_CHOICES, LEAST_CHOICES = 5, 4
# In what goes into "what does it give": so few numbers are still calculated by hand.
MOST_NUMBERS = 14
# How many numbers of a result are asked for, and how far two answers must be apart.
ASKED, APART = 2, 0.1
# In what is calculated by hand a number has so many digits at most.
DIGITS = 2
# So many digits behind the point are shown, and more are an error of single precision.
SHOWN = 6
NUMBER = re.compile(r"\d[\d.]*(?:e[+-]?\d+)?")
# Two reasons that share so many of their words say the same.
ALIKE = 0.5
# On how many cases a small input is sought, and how many numbers go into each of them at most.
TRIES, LARGEST = 4, 150
OF_THE_RIGHT_CODE = "That is what the right code gives."
OF_ANOTHER_MISTAKE = "That is what another mistake gives:"
# What an idea stops with, or two of them.
STOPS = (*FAILS, StopIteration, RuntimeError)
DOES_NOT_RUN = Finding(Kind.STOPS, "it does not run")


@dataclass(frozen=True)
class Item:
    """A question about a fault in code.

    kind: LINE, IDEA, VALUE or TWO. ideas: the names of the wrong ideas that are in the code.
    """

    exercise: str
    kind: str
    ideas: tuple[str, ...]
    question: Question

    @property
    def key(self) -> str:
        """What names it, for whatever seed and framework."""
        return f"{self.exercise}/{self.kind}/{JOINT.join(self.ideas)}"


def asks_for_code(exercise: Exercise) -> bool:
    """Whether an exercise has items: those that ask for code have hints, and their results are no choices."""
    return bool(exercise.hints) and not any(is_choice(output) for output in exercise.returns)


def keys(exercise: Exercise, kinds: Collection[str] = KINDS) -> list[str]:
    """All that may become an item of an exercise: each kind with each idea, or with each two ideas."""
    ideas = [m.name for m in exercise.misconceptions]
    found = [(kind, name) for name in ideas for kind in (LINE, IDEA, VALUE) if kind in kinds]
    if TWO in kinds:
        found += [(TWO, JOINT.join(ideas[i] for i in (p.first, p.second))) for p in two_ideas(exercise)]
    return [f"{exercise.name}/{kind}/{names}" for kind, names in found]


def made(exercise: Exercise, key: str, framework: str, seed: int) -> Item | None:
    """The item of a key; None where it has no answer, or more than one.

    framework: in which its code is, or in NumPy where the exercise has no solution in it.

    Raises KeyError for an idea that the exercise does not have.
    """
    _, kind, names = key.split("/")
    known = facts(exercise.name)
    ideas = [known.places[name] for name in names.split(JOINT)]
    draw = random.Random(f"{key} {seed}")
    framework = framework if right_text(exercise, framework) else NUMPY
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        question = MAKERS[kind](known, ideas, framework, draw)
    return Item(exercise.name, kind, tuple(names.split(JOINT)), question) if question else None


class Facts:
    """What the reference of an exercise and its ideas compute on its cases; each is run once."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise, self.ideas = exercise, tuple(exercise.misconceptions)
        self.places = {idea.name: i for i, idea in enumerate(self.ideas)}
        self.texts = cache(self._texts)
        self.outputs = cache(lambda function, i: ran(exercise, function, self.cases[i]))

    @cached_property
    def cases(self) -> list[Case]:
        """The exercise's cases, small ones first."""
        return sorted(prepare(self.exercise, 0), key=size)

    @cached_property
    def pairs(self) -> Mapping[frozenset[int], TwoIdeas]:
        """The pairs of ideas that change different places."""
        return {frozenset((pair.first, pair.second)): pair for pair in two_ideas(self.exercise)}

    def _texts(self, idea: int, framework: str) -> tuple[str, str] | None:
        """The right text and the wrong one; None where the idea is no edit, or is seen as one odd token."""
        right = right_text(self.exercise, framework)
        wrong = wrong_text(self.exercise, framework, self.ideas[idea])
        if not right or not wrong or is_odd(right, wrong, framework):
            return None
        return without_comments(right), without_comments(wrong)

    def differ(self, *functions: Function) -> bool:
        """Whether each two of these functions differ on a case on which both run."""
        return all(
            any(self._differ(one, other, i) for i in range(len(self.cases)))
            for one, other in combinations(functions, 2)
        )

    def _differ(self, one: Function, other: Function, i: int) -> bool:
        got, wanted = self.outputs(one, i), self.outputs(other, i)
        if got is None or wanted is None:
            return False
        return not same(self.exercise, self.cases[i], got, wanted, by_value=True)

    def function_of_both(self, one: int, other: int) -> Function | None:
        """Two ideas together, if each of them shows: none is there already, and none undoes the other."""
        pair = self.pairs.get(frozenset((one, other)))
        if pair is None or pair.function is None:
            return None
        alone = [self.ideas[i].function for i in (one, other)]
        return pair.function if self.differ(pair.function, self.exercise.reference, *alone) else None


@cache
def facts(name: str) -> Facts:
    """The facts of an exercise, kept for all its items."""
    return Facts(all_exercises()[name])


def ran(exercise: Exercise, function: Function, case: Case) -> Outputs | None:
    """What a function gives on a case; None if it does not run."""
    try:
        outputs = exercise.compute(function, case)
    except STOPS:
        return None
    return outputs if len(outputs) == len(exercise.returns) else None


# Which line is wrong?


def _line(known: Facts, ideas: Sequence[int], framework: str, draw: random.Random) -> Question | None:
    (idea,) = ideas
    if (texts := known.texts(idea, framework)) is None:
        return None
    right, wrong = (text.splitlines() for text in texts)
    place, lines = line_that_differs(*texts), lines_of_code(texts[1])
    if place not in lines or _is_undone_elsewhere(known, idea):
        return None
    # What is left out could be put into a line that gives this one a value, or takes its value, as well.
    beside = set() if changed_tokens(*texts)[1] else lines_joined_with(wrong, place)
    others = [i for i in lines if i != place and i not in beside]
    if len(others) + 1 < LEAST_CHOICES:
        return None
    others = draw.sample(others, min(len(others), MOST_CHOICES - 1))
    mended = f"{known.ideas[idea].hint} It must read `{right[place].strip()}`."
    choices = [
        Choice(
            f"line {i + 1}: `{wrong[i].strip()}`",
            i == place,
            mended if i == place else f"Line {i + 1} is right.",
        )
        for i in sorted([*others, place])
    ]
    return Question("One line of this code is wrong. Which?", tuple(choices), code=tuple(wrong))


def _is_undone_elsewhere(known: Facts, idea: int) -> bool:
    """Whether a change of another place gives what is right, so that this place could be called wrong as well."""
    reference = known.exercise.reference
    functions = [pair.function for both, pair in known.pairs.items() if idea in both]
    return any(f is not None and not known.differ(f, reference) for f in functions)


# Which idea is it?


def _idea(known: Facts, ideas: Sequence[int], framework: str, draw: random.Random) -> Question | None:
    (idea,) = ideas
    if (texts := known.texts(idea, framework)) is None:
        return None
    right, wrong = texts
    choices = [Choice(known.ideas[idea].hint, True, f"Without the mistake it would {_reads(wrong, right)}.")]
    for other in draw.sample(range(len(known.ideas)), len(known.ideas)):
        hint, more = known.ideas[other].hint, known.texts(other, framework)
        if other == idea or more is None or any(_alike(hint, choice.text) for choice in choices):
            continue
        if len(choices) < LEAST_CHOICES and _is_not_in(known, other, idea, framework):
            choices.append(Choice(hint, False, f"No: the code would {_reads(*more)}."))
    if len(choices) < LEAST_CHOICES:
        return None
    draw.shuffle(choices)
    return Question(
        "Which of these does `check` say of this code?", tuple(choices), code=tuple(wrong.splitlines())
    )


def _is_not_in(known: Facts, other: int, idea: int, framework: str) -> bool:
    """Whether code with one idea has not the other as well: made in it, the other changes what is computed.

    Two that change one place cannot both be made: there each must change tokens that the other does not.
    """
    if frozenset((idea, other)) in known.pairs:
        return known.function_of_both(idea, other) is not None
    (gone, new), (others_gone, others_new) = (
        changed_tokens(*(known.texts(i, framework) or ("", ""))) for i in (idea, other)
    )
    if (others_gone <= gone and others_new <= new) or (gone <= others_gone and new <= others_new):
        return False
    return known.differ(*(known.ideas[i].function for i in (idea, other)))


def _alike(one: str, other: str) -> bool:
    """Whether two reasons say the same in other words: one could then be true where the other is."""
    a, b = ({word.strip(".,:;()") for word in text.lower().split()} for text in (one, other))
    return len(a & b) > ALIKE * min(len(a), len(b))


def _reads(one: str, other: str) -> str:
    """What stands in the other text and not in the one, or no longer does."""
    found = list(ndiff(one.splitlines(), other.splitlines()))
    gone, new = ([line[2:].strip() for line in found if line.startswith(sign)] for sign in "-+")
    shown = " and ".join(f"`{line}`" for line in (new or gone)[:2])
    return f"{'read' if new else 'have no line'} {shown}{' and so on' if len(new or gone) > 2 else ''}"


# What does it give?


def _value(known: Facts, ideas: Sequence[int], framework: str, draw: random.Random) -> Question | None:
    (idea,) = ideas
    texts = known.texts(idea, framework)
    example = _example(known, known.ideas[idea].function, draw) if texts else None
    if texts is None or example is None:
        return None
    if any(re.search(rf"\b{name}\(", texts[1]) for name in example.handed_in):
        return None  # a model, which is not shown
    name, got = next(iter(example.got.items()))
    apart = np.abs(np.asarray(got, dtype=float) - example.expected[name]).ravel()
    farthest = sorted(np.argsort(-apart, kind="stable")[:ASKED])
    places = [tuple(map(int, np.unravel_index(place, got.shape))) for place in farthest]
    answers = _answers(known, idea, example.case, name, places)
    if len(answers) < LEAST_CHOICES or [reason for _, reason in answers[:2]] != [
        known.ideas[idea].hint,
        OF_THE_RIGHT_CODE,
    ]:
        return None
    offered = [*answers[:2], *draw.sample(answers[2:], LEAST_CHOICES - 2)]
    choices = [
        Choice(" and ".join(f"{number + 0.0:.3g}" for number in numbers), place == 0, reason)
        for place, (numbers, reason) in enumerate(offered)
    ]
    draw.shuffle(choices)
    asked = " and ".join(
        f"`{name}[{', '.join(map(str, place))}]`" if place else f"`{name}`" for place in places
    )
    return Question(
        f"This code has a mistake. What does it give for {asked}?",
        tuple(choices),
        code=tuple(texts[1].splitlines()),
        given=tuple(example.given),
    )


def _example(known: Facts, function: Function, draw: random.Random) -> Example | None:
    """A small input on which the function is wrong, of numbers that can be calculated with."""

    def ask(case: Case) -> Answer:
        outputs = ran(known.exercise, function, case)
        return Answer(contract_broken=DOES_NOT_RUN) if outputs is None else Answer(outputs)

    small = [case for case in known.cases if size(case) <= LARGEST]
    for case in draw.sample(small, min(len(small), TRIES)):
        example = smallest(known.exercise, case, ask)
        if example and _is_small(example):
            return example
    return None


def _is_small(example: Example) -> bool:
    """Whether it is calculated by hand: few numbers of few digits, and no whole number points beyond what there is."""
    if any(float(f"{float(n):.{DIGITS}g}") != float(n) for n in NUMBER.findall(" ".join(example.given))):
        return False
    result = next(iter(example.got.values()))
    arrays = [value for value in example.handed_in.values() if isinstance(value, np.ndarray)]
    longest = max((length for array in arrays for length in array.shape), default=0)
    if any(array.dtype.kind in "iu" and array.size and array.max() > longest for array in arrays):
        return False
    is_array = isinstance(result, np.ndarray) and result.dtype.kind in "fi"
    return is_array and size(example.case) <= MOST_NUMBERS and result.size <= MOST_NUMBERS


def _answers(
    known: Facts, idea: int, case: Case, name: str, places: Sequence[tuple[int, ...]]
) -> list[tuple[list[float], str]]:
    """The numbers to be offered, each with what is said of them: of the code shown, of the right one, of other ideas.

    What would be taken for an earlier one when it is rounded is left out.
    """
    output = [o.name for o in known.exercise.returns].index(name)
    functions = [(known.ideas[idea].function, known.ideas[idea].hint)]
    functions.append((known.exercise.reference, OF_THE_RIGHT_CODE))
    functions += [
        (m.function, f"{OF_ANOTHER_MISTAKE} {m.hint}") for m in known.ideas if m.hint != functions[0][1]
    ]
    kept: list[tuple[list[float], str]] = []
    for function, reason in functions:
        numbers = _numbers(known.exercise, function, case, output, places)
        if numbers and all(
            np.abs(np.subtract(numbers, other)).max() > APART * (1 + np.abs(other).max()) for other, _ in kept
        ):
            kept.append((numbers, reason))
    return kept


def _numbers(
    exercise: Exercise, function: Function, case: Case, output: int, places: Sequence[tuple[int, ...]]
) -> list[float]:
    """What a function gives at some places, for the inputs as they are shown.

    None at all where they are not finite, or where it depends on how an input is rounded to single precision.
    """
    found = []
    for handed_in in (with_digits(case, SHOWN), case):
        outputs = ran(exercise, function, handed_in)
        try:
            found.append([float(np.asarray(outputs[output])[place]) for place in places] if outputs else [])
        except (IndexError, TypeError, ValueError):
            return []
    one, other = found
    known = len(one) == len(other) and np.isfinite(one).all()
    return one if known and np.allclose(one, other, rtol=1e-3, atol=1e-4) else []


# Which two lines are wrong?


def _two(known: Facts, ideas: Sequence[int], framework: str, draw: random.Random) -> Question | None:
    texts = [known.texts(idea, framework) for idea in ideas]
    both = text_with_both(known.exercise, framework, *(known.ideas[idea] for idea in ideas))
    if None in texts or not both or known.function_of_both(*ideas) is None:
        return None
    both = without_comments(both)
    places = [p for pair in texts if pair and (p := line_that_differs(*pair)) is not None]
    lines = lines_of_code(both)
    if len(lines) < LEAST_CHOICES or not {*places} <= {*lines} or len({*places}) < 2:
        return None
    if any(_is_undone_elsewhere(known, idea) for idea in ideas):
        return None
    right = tuple(sorted(places))
    others = draw.sample([i for i in lines if i not in right], 2)
    # Each of four lines stands in three of the pairs, so that who has found one fault must still find the other.
    offered = combinations(sorted([*right, *others]), 2)
    hints = " ".join(
        f"Line {place + 1}: {known.ideas[idea].hint}" for place, idea in zip(places, ideas, strict=True)
    )
    choices = [
        Choice(
            f"lines {a + 1} and {b + 1}", (a, b) == right, hints if (a, b) == right else _found({a, b}, right)
        )
        for a, b in offered
    ]
    return Question("Two lines of this code are wrong. Which?", tuple(choices), code=tuple(both.splitlines()))


def _found(chosen: set[int], right: Sequence[int]) -> str:
    """What is said of two lines that are not both wrong."""
    half = chosen.intersection(right)
    if half:
        return f"Line {half.pop() + 1} is wrong, and line {chosen.difference(right).pop() + 1} is right."
    return "Both lines are right."


MAKERS: dict[str, Callable[[Facts, Sequence[int], str, random.Random], Question | None]] = {
    LINE: _line,
    IDEA: _idea,
    VALUE: _value,
    TWO: _two,
}
