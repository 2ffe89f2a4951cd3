"""In which cases an answer is right, which of its results are, and how wrong plain numbers relate to right ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.judge.compare import same_output
from autograder.judge.edit_rules import ORDINALS
from autograder.judge.words import agreeing
from autograder.model.exercise import Case, Exercise

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


def relation_of_cases(compared: Compared) -> str | None:
    """What plain numbers, the wrong cases or the wrong results have in common, as a sentence; None if nothing."""
    return plain_numbers(compared) or which_cases(compared) or which_outputs(compared)


# Plain numbers


def plain_numbers(compared: Compared) -> str | None:
    """Which of some plain numbers are wrong, and a factor or a difference that is the same in all cases."""
    if len(compared.exercise.returns) > 1 or not compared.exercise.returns[0].plain:
        return None
    mine = [_flat(outputs[0]) for outputs in compared.answers]
    right = [_flat(outputs[0]) for outputs in compared.expected]
    if any(m is None or r is None or len(m) != len(r) for m, r in zip(mine, right, strict=True)):
        return None
    if len({len(r or ()) for r in right}) > 1:
        return None
    a, b = np.array(mine, dtype=float), np.array(right, dtype=float)
    # An int is right exactly, or not at all.
    rtol = 0 if all(isinstance(number, int) for row in right for number in row or ()) else 1e-4
    differs = ~np.isclose(a, b, rtol=rtol)
    wrong = differs.any(axis=0)
    place = int(wrong.argmax())
    which = "number" if a.shape[1] == 1 else f"{ORDINALS[place]} number" if place < len(ORDINALS) else None
    if which is None or not wrong.any() or not np.isfinite(a).all():
        return None
    relation = _numbers_related(a[:, place], b[:, place], differs[:, place])
    others = (
        f" {int((~wrong).sum())} of the {a.shape[1]} numbers {'is' if (~wrong).sum() == 1 else 'are'} right in all cases."
        if (~wrong).any()
        else ""
    )
    if relation is None and not others:
        return None
    return f"Your {which} is {relation or 'wrong'}.{others}"


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


def joined(names: list[str]) -> str:
    """Names in one line: "context, keys and values"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
