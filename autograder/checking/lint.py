"""Check what must hold of an exercise, whoever wrote it: each problem is a sentence that says what to change."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from autograder.book.answer_stub import answer_stub
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks import adapter_of, graded_frameworks, title_of
from autograder.judge.cases import draw_cases, other_inputs
from autograder.judge.functions import FunctionTransport
from autograder.model.exercise import Case, Exercise, Function
from autograder.model.misconceptions import NUMPY, edited
from autograder.model.verdict import Verdict, unjudged
from autograder.sandbox.worker import run_cells

# Cases of an exercise, and inputs that are drawn anew.
MIN_CASES = 3

# The families of mistakes, and words by which the name or the hint of an idea of the family is known.
FAMILIES = {
    "axis": r"axis|runs? over|over the|for each",
    "mask": r"mask|hid|padding|see|neighbour",
    "order": r"before|behind|after|in front|backwards|order",
    "pairing": r"exchanged|interchanged|changed places|in turn|pair|of the first|shared?",
    "sign": r"sign|subtract|negative|opposite|wrong way|uphill|clockwise",
    "scale": r"divi|multipl|scale|root|factor|halved",
    "boundary": r"one too|one more|by 1|epsilon|clip|last but one|from 0|from 1|at least",
    "state between calls": r"call|cache|kept|state",
    "initial value": r"beg[iu]n|start|initial|default",
    "reduction": r"mean|\bsum|average|add(s|ed) up",
    "tying": r"tied|serve|of its own|have one|has one",
    "dtype": r"precision|whole number|overflow|round|type|bytes",
    "a step left out": r"missing|left out|no effect|without|forgotten|alone",
    "a step twice": r"twice|again|once more|already|too often",
    "a neighbouring formula": r"as in|that is|this is|these are|instead|in the place",
}


def advice(exercise: Exercise) -> str:
    """Return which families of mistakes no idea of an exercise seems to belong to, for a person to think about; "" if none."""
    words = " ".join(f"{m.name.replace('_', ' ')} {m.hint}" for m in exercise.misconceptions)
    without = [family for family, known_by in FAMILIES.items() if not re.search(known_by, words)]
    return f"No hint seems to speak of {', '.join(without)}: are there such mistakes?" if without else ""


def problems(exercise: Exercise, module: ModuleType, seeds: int) -> Iterator[str]:
    """Yield what is wrong with an exercise; nothing if it can be used.

    module: where it is from. Beside EXERCISES it may hold RIGHT[exercise][framework], right answers as sources, which
    the edits of misconceptions are made in. seeds: how many sets of inputs are drawn.
    """
    try:
        if not isinstance(cases := exercise.cases(np.random.default_rng(0)), Sequence):
            yield f"its cases must give a list of cases, but give a {type(cases).__name__}"
            return
        yield from _of_the_data(exercise)
        yield from _of_the_cases(exercise)
        yield from _of_the_reference(exercise, seeds)
        yield from _of_misconceptions(exercise, seeds)
        yield from _of_empty_answers(exercise)
    except Exception as error:  # the teacher's own functions may raise whatever they like
        yield f"it stops with {type(error).__name__}: {error}"
        return
    right = getattr(module, "RIGHT", {}).get(exercise.name, {})
    yield from _of_right_answers(exercise, right)
    yield from _of_wrong_versions(exercise, right)


def _of_the_data(exercise: Exercise) -> Iterator[str]:
    texts = (exercise.title, exercise.statement, *(m.hint for m in exercise.misconceptions))
    if not all(text.strip() for text in texts):
        yield "its title, its statement and each hint must have words, but one has none"
    if min(exercise.points, exercise.minutes) <= 0:
        yield "its points and minutes must be above 0"
    times = Counter(m.name for m in exercise.misconceptions)
    yield from (f"it lists the wrong idea {name} twice" for name, n in sorted(times.items()) if n > 1)
    if not times:
        yield "it must know at least one wrong idea, but has no misconceptions"


def _of_the_cases(exercise: Exercise) -> Iterator[str]:
    cases = draw_cases(exercise, 0)
    if len(cases) < MIN_CASES:
        yield f"it must have at least {MIN_CASES} cases, but has {len(cases)}"
    if len({case.note for case in cases}) < len(cases):
        yield "each of its cases must have a note of its own, but two have the same"
    parameters = {argument.name for argument in (*exercise.arguments, *exercise.settings)}
    for case in cases:
        if {*case.inputs, *case.settings} != parameters:
            yield f"the case {case.note!r} must have a value for each argument and setting, and for nothing else"
    if _input_values(draw_cases(exercise, 1)) == _input_values(draw_cases(exercise, 2)):
        yield "its inputs must be drawn anew from the generator, but two seeds give the same"
    yield from same_in_all_calls(exercise)
    has_arrays = any(is_array(value) for case in cases for value in case.inputs.values())
    if not is_called_again(exercise) and has_arrays:
        yield (
            "an answer that remembers its first result for each size must be rejected, but in all its cases the same numbers "
            "in another order give the same result: add one where they do not"
        )


def is_called_again(exercise: Exercise) -> bool:
    """Return whether a case has other inputs of its sizes, on which an answer that remembers something is wrong."""
    cases = draw_cases(exercise, 0)
    right = [exercise.compute(exercise.reference, case) for case in cases]
    return any(other_inputs(exercise, case, cases, it) for case, it in zip(cases, right, strict=True))


def same_in_all_calls(exercise: Exercise) -> Iterator[str]:
    """Yield what an answer may take for a constant: an argument with one value in all cases, or in all calls of each."""
    cases = [case for seed in (1, 2) for case in draw_cases(exercise, seed)]
    for argument in (*exercise.arguments, *exercise.settings):
        values = [{**case.inputs, **case.settings}.get(argument.name) for case in cases]
        if len({np.asarray(value).tobytes() if is_array(value) else repr(value) for value in values}) < 2:
            yield f"its argument {argument.name} must have several values in its cases, but it has one in all of them"
        may_be_shared = argument.caches is not None or argument.stands_in or any(map(is_array, values))
        is_fixed = argument in exercise.arguments and not (may_be_shared or argument.per_call)
        if is_fixed and any(map(exercise.cached, cases)):
            yield (
                f"its argument {argument.name} must have a value for each of the calls that share a cache (per_call), but it "
                "is the same in all calls of a case"
            )


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _input_values(cases: Sequence[Case]) -> set[bytes]:
    return {np.asarray(value).tobytes() for case in cases for value in case.inputs.values()}


def _of_the_reference(exercise: Exercise, seeds: int) -> Iterator[str]:
    for seed in range(seeds):
        verdict = _judged(exercise, exercise.reference, seed)
        if verdict.outcome != "accepted":
            yield f"with seed {seed} its own reference is {verdict.outcome}: {verdict.message}"
            return


def _of_misconceptions(exercise: Exercise, seeds: int) -> Iterator[str]:
    for misconception in exercise.misconceptions:
        for seed in range(seeds):
            verdict = _judged(exercise, misconception.function, seed)
            if verdict.misconception != misconception.name:
                taken_for = verdict.misconception or f"another answer ({verdict.outcome})"
                yield (
                    f"with seed {seed} its cases take the wrong idea {misconception.name} for {taken_for}: add a case on "
                    "which the two give different results"
                )
                break


def _of_empty_answers(exercise: Exercise) -> Iterator[str]:
    """Yield a problem where an answer that computes nothing gets points: the stub, zeros, an argument as it is."""
    verdict = _judged_source(exercise, NUMPY, answer_stub(exercise))
    if (verdict.outcome, verdict.points) != ("missing", 0):
        yield f"an answer that is not written must be missing, but is {verdict.outcome}"
    for words, function in _trivial(exercise):
        if _judged(exercise, function, 0).outcome == "accepted":
            yield f"an answer that gives back {words} must be rejected, but is accepted: add a case that shows it"


def _trivial(exercise: Exercise) -> Iterator[tuple[str, Function]]:
    def zeros(**inputs: Any) -> Any:
        result = exercise.reference(**inputs)
        many = isinstance(result, tuple) and len(exercise.returns) > 1
        return tuple(map(np.zeros_like, result)) if many else np.zeros_like(result)

    if any(output.plain for output in exercise.returns):
        return
    yield "zeros", zeros
    if len(exercise.returns) == 1:
        for argument in exercise.arguments:
            yield f"its argument {argument.name}", lambda name=argument.name, **inputs: inputs[name]


def _of_right_answers(exercise: Exercise, right: Mapping[str, str]) -> Iterator[str]:
    for framework, source in right.items():
        verdict = _judged_source(exercise, framework, source)
        if verdict.outcome != "accepted":
            result = f"it is {verdict.outcome}: {verdict.message}"
            yield f"RIGHT in {title_of(framework)} must be accepted, but {result}"


def _of_wrong_versions(exercise: Exercise, right: Mapping[str, str]) -> Iterator[str]:
    """Judge each whole source as it is, and each edit in the right answer of its framework."""
    for misconception in exercise.misconceptions:
        for framework, version in misconception.edits.items():
            if framework == NUMPY or (framework in graded_frameworks() and framework not in right):
                continue
            label = f"{misconception.name} in {title_of(framework)}"
            try:
                source = edited(right.get(framework, ""), version, label)
            except ValueError as error:
                yield f"{error} The solution is RIGHT[{exercise.name!r}][{framework!r}]."
                continue
            verdict = _judged_source(exercise, framework, source)
            if verdict.misconception != misconception.name:
                result = f"it is {verdict.outcome}: {verdict.message}"
                yield f"{label} must be rejected with its hint, but {result}"


def _judged_source(exercise: Exercise, framework: str, source: str) -> Verdict:
    try:
        adapter_of(framework)
    except (ImportError, KeyError):
        return unjudged(exercise, framework, "error", f"{framework} is not installed here, or no framework")
    namespace, errors = run_cells({f"<{exercise.name}, {framework}>": source})
    if exercise.entry not in namespace:
        why = f": {errors[0]['type']} {errors[0].get('message', '')}" if errors else ""
        return unjudged(exercise, framework, "missing", f"it does not define {exercise.entry}{why}")
    return diagnose(exercise, LocalTransport(framework, namespace[exercise.entry]), framework)


def _judged(exercise: Exercise, function: Function, seed: int) -> Verdict:
    return diagnose(exercise, FunctionTransport(exercise, function), NUMPY, seed)
