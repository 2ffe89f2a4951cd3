"""Which misconception an answer computes."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from autograder.diagnose.general_misconceptions import is_general
from autograder.diagnose.misconception_pairs import JOINT
from autograder.diagnose.search import Search
from autograder.judge.axis_lengths import axis_lengths, num_entries
from autograder.judge.compare import is_array_of_reals, same, same_output
from autograder.judge.protocol import CallResult, Outputs
from autograder.model.exercise import Case, Exercise, Function, Misconception
from autograder.model.finding import Finding, Kind
from autograder.model.text import listed

# Two ideas are named if the answer differs from the reference in two cases, or in one in so many entries.
ENTRIES = 8


def is_known(exercise: Exercise, name: str) -> bool:
    """Return whether a verdict on this exercise may carry a name: of an idea, or of two."""
    if is_general(name):
        return True
    names = {m.name for m in (*exercise.misconceptions, *exercise.wrong_gradients)}
    names |= {idea for p in exercise.properties for idea in p.misconceptions}
    parts = name.split(JOINT)
    return len(parts) <= 2 and set(parts) <= names


def telling_size(exercise: Exercise, case: Case) -> tuple[bool, int]:
    """Return the key by which small cases come first that tell much: an axis of size 1 hides what is done along it."""
    return 1 in axis_lengths(exercise, case).values(), num_entries(case)


class Matcher:
    """The misconceptions of an exercise on the cases of one submission, each computed once."""

    def __init__(self, exercise: Exercise, cases: Sequence[Case], expected: Sequence[Outputs]) -> None:
        self.exercise, self.cases, self.expected = exercise, cases, expected
        self.misconceptions = [variant for m in exercise.misconceptions for variant in m.variants]
        self.computed: dict[tuple[Function, int], Outputs | None] = {}

    def outputs(self, misconception: Misconception, i: int) -> Outputs | None:
        """Return what a misconception gives on a case; None if it does not even run on these shapes."""
        key = (misconception.function, i)
        if key not in self.computed:
            self.computed[key] = self.exercise.compute_or_none(misconception.function, self.cases[i])
        return self.computed[key]

    def misconception_of(self, answers: list[CallResult], wrong: list[int]) -> Misconception | None:
        """Return the misconception that gives every wrong answer; first one that gives the right ones too.

        One that contradicts a right answer is named only where a wrong one shows it by a finite number, since NaN and
        infinity have many causes, and where the wrong ones are a branch of their own, or hold many different
        numbers: in a row of zeros and ones many ideas are the same.
        """
        small_first = sorted(wrong, key=lambda i: num_entries(self.cases[i]))
        matches = [m for m in self.misconceptions if all(self._gives(m, i, answers[i]) for i in small_first)]
        right = [i for i in range(len(self.cases)) if i not in wrong]
        contradicted = [(m, [i for i in right if not self._gives(m, i, answers[i])]) for m in matches]
        if wholly := next((m for m, cases in contradicted if not cases), None):
            return wholly
        if not any(self._finite_and_wrong(i, answers[i].outputs) for i in wrong):
            return None
        many = sum(self._distinct(i, answers[i].outputs) for i in wrong) >= ENTRIES
        return next((m for m, cases in contradicted if many or self._apart(wrong, cases)), None)

    def _apart(self, some: Sequence[int], rest: Sequence[int]) -> bool:
        """Return whether two groups of cases have no form in common, so that an answer may have a branch for each."""
        return {_form(self.cases[i]) for i in some}.isdisjoint(_form(self.cases[i]) for i in rest)

    def _gives(self, misconception: Misconception, i: int, answer: CallResult) -> bool:
        outputs = self.outputs(misconception, i)
        return outputs is not None and not answer.failed and self._same(i, answer.outputs, outputs)

    def misconception_that_stops(self, answers: list[CallResult]) -> tuple[Misconception, int] | None:
        """Return the misconception that stops where the answers stop and gives the others; and a case that shows it."""
        ran = [i for i, answer in enumerate(answers) if answer.error is None]
        for m in self.misconceptions:
            same_stops = all((self.outputs(m, i) is not None) == (i in ran) for i in range(len(answers)))
            if same_stops and all(self._gives(m, i, answers[i]) for i in ran):
                for i in ran:
                    if not self._same(i, self.outputs(m, i) or (), self.expected[i]):
                        return m, i
        return None

    def misconception_of_completed(self, answers: list[CallResult]) -> tuple[Misconception, int] | None:
        """Return the only misconception that gives all answers that did not stop, if enough of them are wrong."""
        ran = [i for i, answer in enumerate(answers) if not answer.failed]
        wrong = {i: self._distinct(i, answers[i].outputs) for i in ran}
        telling = [i for i, entries in wrong.items() if entries]
        if len(telling) < 2 and max(wrong.values(), default=0) < ENTRIES:
            return None
        matches = [m for m in self.misconceptions if all(self._gives(m, i, answers[i]) for i in ran)]
        return (matches[0], telling[0]) if len({m.name for m in matches}) == 1 else None

    def combination(self, answers: list[CallResult], wrong: list[int]) -> Finding | None:
        """Return what gives every answer, the right ones too: two ideas together.

        First a misconception that gives all but what is not finite. An answer that is right wherever it is finite follows no
        pair: many pairs divide 0 by 0 in the same places.
        """
        if not self.exercise.hints:
            return None
        if misconception := self._but_for_nan(answers, wrong):
            return Finding(Kind.IDEA, misconception.hint, name=misconception.name)
        numbers = {i: self._unlike(i, answers[i].outputs) for i in wrong}
        if sum(n > 0 for n in numbers.values()) < 2 or sum(numbers.values()) < ENTRIES:
            return None
        if not any(self._finite_and_wrong(i, answers[i].outputs) for i in wrong):
            return None
        telling = [i for i in wrong if numbers[i] >= min(ENTRIES, max(numbers.values()))]
        smallest = min(telling, key=lambda i: telling_size(self.exercise, self.cases[i]))
        # For an argument that is None an answer may be right in a branch of its own, whatever it is elsewhere.
        is_full = [type(None) not in map(type, case.inputs.values()) for case in self.cases]
        order = sorted((i for i, it in enumerate(is_full) if it or i in wrong), key=lambda i: i != smallest)
        search = Search(
            self.exercise,
            # Of few numbers each is many things: an edit that completes another may give it by chance.
            not self._has_reals,
            [self.cases[i] for i in order],
            lambda i, outputs: self._same(order[i], answers[order[i]].outputs, outputs),
        )
        return search.finding() or self._of_one_result(answers)

    def _of_one_result(self, answers: list[CallResult]) -> Finding | None:
        """Return a misconception that gives one of several results in all cases, and changes the others in another way."""
        got = [answer.outputs for answer in answers]
        for misconception in self.misconceptions if len(self.exercise.returns) > 1 else ():
            computed = [self.outputs(misconception, i) or () for i in range(len(self.cases))]
            if not all(computed):
                continue
            given = [self._are_equal(got, computed, j) for j in range(len(computed[0]))]
            changed = [not self._are_equal(self.expected, computed, j) for j in range(len(given))]
            if all(changed) and any(given):
                names = [r.name for r, gives in zip(self.exercise.returns, given, strict=True) if not gives]
                words = f"{misconception.hint} This alone does not give {listed(names)}."
                return Finding(Kind.IDEA, words, name=misconception.name)
        return None

    def _are_equal(self, one: Sequence[Outputs], other: Sequence[Outputs], j: int) -> bool:
        """Return whether a result is the same in all cases."""
        output = self.exercise.returns[j]
        values = zip(self.cases, one, other, strict=True)
        return all(same_output(output, case, a[j], b[j], by_value=True) for case, a, b in values)

    def _but_for_nan(self, answers: list[CallResult], wrong: list[int]) -> Misconception | None:
        """Return the misconception that gives all finite entries, if they are wrong somewhere."""
        got = [answer.outputs for answer in answers]
        if not any(self._finite_and_wrong(i, got[i]) for i in wrong):
            return None
        for misconception in self.exercise.misconceptions:
            outputs = ((i, self.outputs(misconception, i)) for i in range(len(self.cases)))
            if all(o is not None and self._same(i, _believed(got[i], o), o) for i, o in outputs):
                return misconception
        return None

    def _finite_and_wrong(self, i: int, got: Outputs) -> bool:
        """Return whether an answer is wrong even if each NaN and infinity in it counts as right."""
        expected = self.expected[i]
        return not self._same(i, _believed(got, expected), expected)

    def _distinct(self, i: int, got: Outputs) -> int:
        """Return how many different real numbers of an answer are wrong: few may be equal by chance."""
        count = 0
        for g, w in zip(got, self.expected[i], strict=True):
            if isinstance(g, tuple) and isinstance(w, tuple) and all(type(x) is float for x in g + w):
                g = np.array(g)  # a number for each of several calls
            if not isinstance(g, np.ndarray) or g.dtype.kind != "f":
                continue
            differs = np.isfinite(g)
            if g.shape == np.shape(w):
                differs &= ~np.isclose(g, w, rtol=1e-3, atol=1e-4)
            count += len(np.unique(np.round(g[differs].astype(float), 4)))
        return count

    @cached_property
    def _has_reals(self) -> bool:
        """Return whether a result is an array of several real numbers."""
        return any(is_array_of_reals(v) and v.size > 1 for outputs in self.expected for v in outputs)

    def _unlike(self, i: int, got: Outputs) -> int:
        """Return how many different real numbers of an answer are wrong; of lists, whole numbers and a loss, how many entries."""
        if self._has_reals or self.exercise.has_choices:
            return self._distinct(i, got)
        entries = ((_entries(g), _entries(w)) for g, w in zip(got, self.expected[i], strict=True))
        return sum(len(mine ^ right) for mine, right in entries if mine)

    def _same(self, i: int, got: Outputs, outputs: Outputs) -> bool:
        expected = tuple(_with_axis(g, w) for g, w in zip(got, outputs, strict=True))
        return same(self.exercise, self.cases[i], got, expected, by_value=True)


def _entries(value: Any) -> set[tuple[int, str]]:
    """Return the entries of a result with their places, real numbers with few digits."""
    return {(i, f"{x:.4g}" if isinstance(x, float) else str(x)) for i, x in enumerate(_flat(value))}


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield from value if isinstance(value, str) else [value]


def _form(case: Case) -> tuple[Any, ...]:
    """Return what an `if` may ask of a case: which of its values are None, how many axes arrays have, words and yes or no."""
    values = {**case.inputs, **case.settings}
    axes = {name: value.ndim if isinstance(value, np.ndarray) else 0 for name, value in values.items()}
    return tuple(v if isinstance(v, str | bool) else (type(v), axes[name]) for name, v in values.items())


def _believed(got: Outputs, expected: Outputs) -> Outputs:
    """Return the results, with what is wanted in the place of each NaN and infinity."""
    return tuple(
        np.where(np.isfinite(g), g, w)
        if isinstance(g, np.ndarray) and g.dtype.kind == "f" and g.shape == np.shape(w)
        else g
        for g, w in zip(got, expected, strict=True)
    )


def _with_axis(got: Any, number: Any) -> Any:
    """Return one number of a wrong idea, with an axis if the answer has one: MXNet has no arrays without axes."""
    one = isinstance(number, np.ndarray | np.floating) and np.shape(number) == ()
    return np.reshape(number, (1,)) if one and isinstance(got, np.ndarray) and got.shape == (1,) else number
