"""Gradients: those of the submission against slopes of the reference along random directions."""

from collections.abc import Mapping

import numpy as np

from autograder.judge.compare import is_real
from autograder.judge.protocol import CallResult, Outputs
from autograder.model.exercise import Case, Exercise, Function
from autograder.model.finding import Finding, Kind

# Small, so that hardly a ReLU turns its corner on the way; a loss of 100 is exact to 1e-14, its slope to 1e-7.
STEP = 1e-7
DIRECTIONS = 2
# How far a gradient along a direction may be from the slope; ROUNDING times the size of what was summed.
ATOL, RTOL, ROUNDING = 1e-4, 1e-3, 1e-4

# Why a right value has a gradient that is no number.
ON_THE_WAY = (
    "Something on the way is infinite or 0, and hidden afterwards: 0 times infinity is no number. Hide it before it is "
    "computed: mask in front of an exponential, a root, a logarithm or a division, and not after it."
)


class Differentiation:
    """A case whose gradients are judged, and the answer to it.

    cotangents: for each output what its gradient is multiplied by; None where it takes no part.
    """

    def __init__(
        self, exercise: Exercise, case: Case, expected: Outputs, random: np.random.Generator
    ) -> None:
        """expected: what the reference gives on the case."""
        self.exercise, self.case, self.random = exercise, case, random
        self.function = exercise.gradient_reference or exercise.reference
        self.cotangents = [
            None
            if output.attribute or output.plain or not is_real(value)
            else random.normal(size=np.shape(value)).astype(np.float32)
            for output, value in zip(exercise.returns, expected, strict=True)
        ]
        self.answer = CallResult()

    @property
    def gradients(self) -> dict[str, np.ndarray | None]:
        """Return the gradients that came back, by the names of inputs and parameters: None where none did."""
        inputs = self.case.inputs.items()
        paths = {n: n for n, v in inputs if isinstance(v, np.ndarray) and v.dtype.kind == "f"}
        paths |= {name: self.exercise.parameters[name].path for name in self.case.parameters}
        return {name: (self.answer.gradients or {}).get(path) for name, path in paths.items()}

    def wrong(self) -> Finding | None:
        """Return the first gradient that is not right; None if all are. Of some cases it is only asked that they are finite."""
        if not self.case.gradient:
            return next(filter(None, (_not_finite(name, got) for name, got in self.gradients.items())), None)
        if self.matches_slopes_of(self.function):
            return None
        return next(filter(None, (self._compared(name, got) for name, got in self.gradients.items())), None)

    def matches_slopes_of(self, function: Function) -> bool:
        """Return whether all gradients agree along directions in all arrays at once, within the least of their tolerances.

        Directions are independent, so errors of several arrays add up and hardly ever cancel. An answer that
        fails here is compared array by array.
        """
        gradients = self.gradients
        for name, got in gradients.items():
            if got is not None and (got.shape != self.case.values[name].shape or not np.isfinite(got).all()):
                return False
        for _ in range(DIRECTIONS):
            directions = {name: self.random.normal(size=self.case.values[name].shape) for name in gradients}
            along = [_along(got, directions[name]) for name, got in gradients.items()]
            if not all(np.isfinite(size) for _, size in along):
                return False
            slope = self._slope(directions, function)
            least = min((_tolerance(size, total) for total, size in along), default=ATOL)
            if not abs(sum(total for total, _ in along) - slope) <= least:
                return False
        return True

    def _compared(self, name: str, got: np.ndarray | None) -> Finding | None:
        """Compare along random directions: a wrong gradient differs along almost every one."""
        shape, right = self.case.values[name].shape, "Its values are right, but"
        if got is not None and got.shape != shape:
            words = f"The gradient of {name} has shape {got.shape}; it must have {shape}."
            return Finding(Kind.GRADIENT, words)
        if endless := _not_finite(name, got):
            return endless
        for _ in range(DIRECTIONS):
            direction = self.random.normal(size=shape)
            slope = self._slope({name: direction}, self.function)
            along, size = _along(got, direction)
            # Finite entries may overflow here, and with them the tolerance.
            if np.isfinite(size) and not abs(along - slope) > _tolerance(size, slope):
                continue
            if got is None or not got.any():
                return Finding(
                    Kind.GRADIENT_CUT,
                    f"{right} no gradient reaches {name}: something cuts it off, such as detach(), "
                    "no_grad(), asnumpy() or a new array that is made of old numbers.",
                )
            return Finding(
                Kind.GRADIENT,
                f"{right} the gradient of {name} is not: "
                f"along a random direction it is {along:.5g} and must be {slope:.5g}.",
            )
        return None

    def _slope(self, directions: Mapping[str, np.ndarray], function: Function) -> float:
        """Return the derivative of a function's loss along directions in some arrays, by central differences."""

        def loss(step: float) -> float:
            moved = {name: self.case.values[name] + step * along for name, along in directions.items()}
            case = self.case.changed(lambda name, value: moved.get(name, value))
            pairs = zip(self.cotangents, self.exercise.compute(function, case), strict=True)
            return float(sum((c * v).sum() for c, v in pairs if c is not None))

        return (loss(STEP) - loss(-STEP)) / (2 * STEP)


def _not_finite(name: str, got: np.ndarray | None) -> Finding | None:
    """Say that a gradient is infinite or no number at all; None if it is neither."""
    if got is None or np.isfinite(got).all():
        return None
    what = "no number (NaN)" if np.isnan(got).any() else "infinite"
    words = f"Its values are right, but the gradient of {name} is {what}. {ON_THE_WAY}"
    return Finding(Kind.GRADIENT_NOT_FINITE, words)


def _along(got: np.ndarray | None, direction: np.ndarray) -> tuple[float, float]:
    """Return a gradient along a direction, and the size of what was summed; both zero where none arrived."""
    if got is None:
        return 0.0, 0.0
    with np.errstate(all="ignore"):
        product = got.astype(np.float64) * direction
        return float(product.sum()), float(np.abs(product).sum())


def _tolerance(size: float, slope: float) -> float:
    return ATOL + RTOL * abs(slope) + ROUNDING * size
