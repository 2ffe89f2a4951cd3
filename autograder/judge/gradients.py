"""Gradients: those of the submission against slopes of the reference along random directions."""

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.compare import is_real
from autograder.judge.protocol import Answer
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind

Gradients = dict[str, np.ndarray | None]
# Small, so that hardly a ReLU turns its corner on the way; a loss of 100 is exact to 1e-14, its slope to 1e-7.
STEP = 1e-7
DIRECTIONS = 2
# How far a gradient along a direction may be from the slope; ROUNDING times the size of what was summed.
ATOL, RTOL, ROUNDING = 1e-4, 1e-3, 1e-4


def draw_cotangents(
    exercise: Exercise, expected: tuple[Any, ...], random: np.random.Generator
) -> list[np.ndarray | None]:
    """For each output what its gradient is multiplied by; None where it takes no part."""
    return [
        None
        if output.attribute or output.plain or not is_real(value)
        else random.normal(size=np.shape(value)).astype(np.float32)
        for output, value in zip(exercise.returns, expected, strict=True)
    ]


def wrong_gradient(
    exercise: Exercise,
    case: Case,
    cotangents: list[np.ndarray | None],
    found: Gradients,
    random: np.random.Generator,
) -> Finding | None:
    """The first gradient of a case that is not right. found: the gradients for these cotangents, by `by_name`."""
    if right_together(exercise, case, cotangents, found, random):
        return None
    compared = (_compare(exercise, case, name, cotangents, got, random) for name, got in found.items())
    return next(filter(None, compared), None)


def by_name(exercise: Exercise, case: Case, answer: Answer) -> Gradients:
    """The gradients that came back, by the names of inputs and parameters: None where none did."""
    paths = {n: n for n, v in case.inputs.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"}
    paths |= {name: exercise.parameters[name].path for name in case.parameters}
    return {name: (answer.gradients or {}).get(path) for name, path in paths.items()}


def right_together(
    exercise: Exercise, case: Case, cotangents: list[np.ndarray | None], found: Gradients,
    random: np.random.Generator,
) -> bool:  # fmt: skip
    """Whether all gradients agree along directions in all arrays at once, within the least of their tolerances.

    Directions are independent, so errors of several arrays add up and hardly ever cancel. An answer that
    fails here is compared array by array.
    """
    for name, got in found.items():
        if got is not None and (got.shape != _base(case, name).shape or not np.isfinite(got).all()):
            return False
    for _ in range(DIRECTIONS):
        directions = {name: random.normal(size=_base(case, name).shape) for name in found}
        along = {name: _along(got, directions[name]) for name, got in found.items()}
        if not all(np.isfinite(size) for _, size in along.values()):
            return False
        slope = _slope(exercise, case, directions, cotangents)
        least = min((_tolerance(size, total) for total, size in along.values()), default=ATOL)
        if not abs(sum(total for total, _ in along.values()) - slope) <= least:
            return False
    return True


def _along(got: np.ndarray | None, direction: np.ndarray) -> tuple[float, float]:
    """A gradient along a direction, and the size of what was summed; both zero where none arrived."""
    if got is None:
        return 0.0, 0.0
    with np.errstate(all="ignore"):
        product = got.astype(np.float64) * direction
        return float(product.sum()), float(np.abs(product).sum())


def _tolerance(size: float, slope: float) -> float:
    return ATOL + RTOL * abs(slope) + ROUNDING * size


def _compare(
    exercise: Exercise, case: Case, name: str, cotangents: list[np.ndarray | None], got: np.ndarray | None,
    random: np.random.Generator,
) -> Finding | None:  # fmt: skip
    """Compare along random directions: a wrong gradient differs along almost every one."""
    base = _base(case, name)
    if got is not None and got.shape != base.shape:
        return Finding(
            Kind.GRADIENT, f"The gradient of {name} has shape {got.shape}; it must have {base.shape}."
        )
    if got is not None and not np.isfinite(got).all():
        return Finding(Kind.GRADIENT, f"Its values are right, but the gradient of {name} is not finite.")
    for _ in range(DIRECTIONS):
        direction = random.normal(size=base.shape)
        slope = _slope(exercise, case, {name: direction}, cotangents)
        found, size = _along(got, direction)
        # Finite entries may overflow here, and with them the tolerance.
        if np.isfinite(size) and not abs(found - slope) > _tolerance(size, slope):
            continue
        if got is None or not got.any():
            return Finding(
                Kind.GRADIENT_CUT,
                f"Its values are right, but no gradient reaches {name}: something cuts it off, such as detach(), "
                "no_grad(), asnumpy() or a new array that is made of old numbers.",
            )
        return Finding(
            Kind.GRADIENT,
            f"Its values are right, but the gradient of {name} is not: "
            f"along a random direction it is {found:.5g} and must be {slope:.5g}.",
        )
    return None


def _slope(
    exercise: Exercise, case: Case, directions: dict[str, np.ndarray], cotangents: list[np.ndarray | None]
) -> float:
    """The derivative of the expected loss along directions in some arrays, by central differences."""
    function = exercise.slopes or exercise.reference

    def loss(step: float) -> float:
        moved = {name: _base(case, name) + step * direction for name, direction in directions.items()}
        inputs = {name: moved.get(name, value) for name, value in case.inputs.items()}
        parameters = {name: moved.get(name, value) for name, value in case.parameters.items()}
        outputs = exercise.compute(function, replace(case, inputs=inputs, parameters=parameters))
        return float(sum((c * v).sum() for c, v in zip(cotangents, outputs, strict=True) if c is not None))

    return (loss(STEP) - loss(-STEP)) / (2 * STEP)


def _base(case: Case, name: str) -> np.ndarray:
    array: np.ndarray = case.inputs[name] if name in case.inputs else case.parameters[name]
    return array
