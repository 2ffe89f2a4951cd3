"""In which cases an answer is right, which of its results are, and how wrong plain numbers relate to right ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.diagnose.phrases import ORDINALS, agreeing
from autograder.judge.compare import same_output
from autograder.judge.words import joined
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind

Array = np.ndarray
Outputs = tuple[Any, ...]
# How exactly a relation must hold.
RTOL, ATOL = 2e-3, 2e-4
# Of how many wrong cases, and of how many right ones, something must hold.
FEWEST_CASES = 2


@dataclass(frozen=True)
class Compared:
    """All cases of an answer. wrong: which differ."""

    exercise: Exercise
    cases: Sequence[Case]
    answers: Sequence[Outputs]
    expected: Sequence[Outputs]
    wrong: Sequence[int]


def close(a: Array, b: Array) -> bool:
    """Whether two arrays are equal, up to what a framework rounds."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=RTOL, atol=ATOL))


def relation_of_cases(compared: Compared) -> Finding | None:
    """What plain numbers, the wrong cases or the wrong results have in common; None if nothing."""
    words = plain_numbers(compared) or which_cases(compared) or which_outputs(compared)
    return Finding(Kind.RELATED, words) if words else None


# Plain numbers


def plain_numbers(compared: Compared) -> str | None:
    """Which of some plain numbers are wrong, and a factor or a difference that is the same in all cases."""
    mine, right = (_table(compared, results) for results in (compared.answers, compared.expected))
    if mine is None or right is None or mine.shape != right.shape or not np.isfinite(mine).all():
        return None
    differs = ~np.isclose(mine, right, rtol=0 if _are_ints(compared.expected) else 1e-4)
    wrong = differs.any(axis=0)
    place, count = int(wrong.argmax()), int((~wrong).sum())
    if not wrong.any() or place >= len(ORDINALS):
        return None
    which = "number" if len(wrong) == 1 else f"{ORDINALS[place]} number"
    relation = _numbers_related(mine[:, place], right[:, place], differs[:, place])
    others = f" {count} of the {len(wrong)} numbers {'is' if count == 1 else 'are'} right in all cases."
    if relation is None and not count:
        return None
    return f"Your {which} is {relation or 'wrong'}.{others if count else ''}"


def _table(compared: Compared, results: Sequence[Outputs]) -> Array | None:
    """The plain numbers of a single result, (cases, numbers); None if there is anything else, or not as many in each."""
    if len(compared.exercise.returns) > 1 or not compared.exercise.returns[0].plain:
        return None
    rows = [_flat(outputs[0]) for outputs in results]
    whole = [row for row in rows if row is not None]
    if len(whole) < len(rows) or len({len(row) for row in whole}) > 1:
        return None
    return np.array(whole, dtype=float)


def _are_ints(results: Sequence[Outputs]) -> bool:
    """Whether all plain numbers are ints, of which one is right exactly, or not at all."""
    return all(isinstance(number, int) for outputs in results for number in _flat(outputs[0]) or ())


def _numbers_related(a: Array, b: Array, differs: Array) -> str | None:
    """How one number of an answer, a, is related to the right one, b; differs: in which cases it is wrong."""
    with np.errstate(all="ignore"):
        factors, gaps = a / b, a - b
        one_factor = np.isfinite(factors).all() and np.allclose(factors, factors[0], rtol=1e-4)
        if one_factor and not np.isclose(factors[0], 1, rtol=1e-3):
            return f"the right one times {factors[0]:.4g}, in every case"
        if np.allclose(gaps, gaps[0]):
            return f"{'above' if gaps[0] > 0 else 'below'} the right one by {abs(gaps[0]):.4g}, in every case"
        if np.allclose(a, np.sqrt(b)):
            return "the square root of the right one, in every case"
        if np.allclose(a, b**2):
            return "the square of the right one, in every case"
    if (gaps[differs] > 0).all():
        return f"too large in {int(differs.sum())} of {len(a)} cases"
    if (gaps[differs] < 0).all():
        return f"too small in {int(differs.sum())} of {len(a)} cases"
    return None


def _flat(value: Any) -> list[float] | None:
    """The numbers of a plain result, through nested tuples; None if there is anything else."""
    if isinstance(value, list | tuple):
        parts = [_flat(part) for part in value]
        return None if any(part is None for part in parts) else [n for part in parts for n in part or ()]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    return None


# Cases and results


def which_cases(compared: Compared) -> str | None:
    """What all wrong cases have and no right one; of a single wrong or right case much holds by chance."""
    right = [i for i in range(len(compared.cases)) if i not in compared.wrong]
    if min(len(right), len(compared.wrong)) < FEWEST_CASES:
        return None
    traits = [dict(_traits(compared.exercise, case)) for case in compared.cases]
    for trait in dict.fromkeys(name for known in traits for name in known):
        if all(traits[i].get(trait) for i in compared.wrong) and not any(traits[i].get(trait) for i in right):
            return (
                f"Every case that is wrong has {trait}; the others ({len(right)} of {len(traits)}) are right."
            )
        if not any(traits[i].get(trait) for i in compared.wrong) and all(traits[i].get(trait) for i in right):
            return f"It is right in every case with {trait} ({len(right)} of {len(traits)}), and in no other."
    return None


def _traits(exercise: Exercise, case: Case) -> Iterator[tuple[str, bool]]:
    """What may set a case apart. Not what any of some cases has by chance, such as an odd size, and not what makes
    nearly any answer right, such as a single key or scores far apart.
    """
    for argument in exercise.arguments:
        value = case.inputs.get(argument.name)
        yield f"{argument.name} None", value is None
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and "length" in argument.name:
            yield f"a {argument.name} for each query", value.ndim > 1
            yield f"a {argument.name} of 0", bool((value == 0).any())
        elif isinstance(value, int) and not isinstance(value, bool):
            yield f"{argument.name} 1", value == 1
    yield "half precision", case.dtype == "float16"
    for name, value in case.settings.items():
        if isinstance(value, int):
            yield f"{name} 1", value == 1


def which_outputs(compared: Compared) -> str | None:
    """Which results are right in all cases, where others are not."""
    right: list[str] = []
    wrong: list[str] = []
    for index, output in enumerate(compared.exercise.returns):
        same = all(
            same_output(output, compared.cases[i], compared.answers[i][index], compared.expected[i][index])
            for i in compared.wrong
        )
        (right if same else wrong).append(output.name)
    if not right or not wrong:
        return None
    are, other = ("are" if len(names) > 1 else agreeing(names[0], "is", "are") for names in (right, wrong))
    return f"{joined(right)} {are} right in all cases, and {joined(wrong)} {other} not."
