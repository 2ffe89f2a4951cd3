"""Judges a submission by which function it computes: the reference, a misconception, or neither.

Trusted, and therefore small: NumPy and the standard library only. What comes back from a
submission is data; nothing of it is imported, unpickled or evaluated here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from .exercise import Case, Exercise, Misconception, Output, Property
from .sandbox.wire import Arrays, Header
from .verdict import Difference, Verdict

RTOL, ATOL = {"float32": 1e-4, "float16": 5e-3}, {"float32": 1e-5, "float16": 2e-3}
ZERO = 1e-9
STEP = 1e-5
# For each output, what its gradient is multiplied by; None where it takes no part.
Cotangents = Sequence[np.ndarray | None] | None
# A misconception that runs into infinities is matched by where they are.
HUGE = 1e30


class Runner(Protocol):
    """Whoever runs the submission: this process, or a worker behind the wire."""

    differentiates: bool

    def exchange(self, header: Header, arrays: Arrays) -> tuple[Header, Arrays]: ...


class Tampering(Exception):
    """The worker answered something that no honest worker answers."""


@dataclass(frozen=True)
class Answer:
    """What one call gave: outputs in order (arrays, plain values or `Foreign`), or a failure."""

    outputs: tuple[Any, ...] = ()
    inputs: dict[str, np.ndarray] | None = None
    gradients: dict[str, np.ndarray | None] | None = None
    broken: str | None = None
    error: Header | None = None


@dataclass(frozen=True)
class Foreign:
    """A result that is neither an array of the framework nor a plain value."""

    kind: str


class _Broken(Exception):
    """A property's call did not give an answer that can be compared."""


class _Unfit(Exception):
    """What was handed in cannot be called as the exercise asks; the message says why."""


def prepare(exercise: Exercise, seed: int) -> list[Case]:
    """The cases of an exercise, rounded to the precision in which they are handed in."""
    return [_rounded(case) for case in exercise.cases(np.random.default_rng(seed))]


def _rounded(case: Case) -> Case:
    def rounded(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return value.astype(case.dtype).astype(np.float64)
        return value

    inputs = {name: rounded(value) for name, value in case.inputs.items()}
    return replace(case, inputs=inputs, parameters={k: rounded(v) for k, v in case.parameters.items()})


def wrong_outputs(exercise: Exercise, misconception: Misconception, case: Case) -> tuple[Any, ...] | None:
    """What a misconception gives on a case; None if it does not even run on these shapes."""
    try:
        return exercise.compute(misconception.function, case)
    except (ValueError, IndexError):
        return None


def same(exercise: Exercise, case: Case, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Whether two results are equal within the tolerance of the case's precision."""
    return all(_same(o, case, g, w) for o, g, w in zip(exercise.returns, got, wanted, strict=True))


def judge(exercise: Exercise, runner: Runner, framework: str, seed: int = 0) -> Verdict:
    """The verdict on one submission: see DESIGN of the exercises in CONTRIBUTING.md."""
    return _Trial(exercise, runner, framework, seed).verdict()


class _Trial:
    """One exercise, one submission."""

    def __init__(self, exercise: Exercise, runner: Runner, framework: str, seed: int) -> None:
        self.exercise, self.runner, self.framework = exercise, runner, framework
        self.cases = prepare(exercise, seed)
        self.random = np.random.default_rng(seed + 1)
        self.wrong: dict[tuple[str, int], tuple[Any, ...] | None] = {}

    def verdict(self) -> Verdict:
        try:
            return self._verdict_on(self._answers())
        except _Unfit as unfit:
            return self._rejected("contract", str(unfit))

    def _answers(self) -> list[Answer]:
        """One for each case, up to the first that fails."""
        answers: list[Answer] = []
        for case in self.cases:
            answers.append(self.ask(case))
            if answers[-1].error is not None or answers[-1].broken is not None:
                break
        return answers

    def _verdict_on(self, answers: list[Answer]) -> Verdict:
        return (
            self._changed_inputs(answers)
            or self._failed(answers)
            or self._judge_values(answers)
            or self._judge_gradients()
            or self._judge_required()
            or self._accepted()
        )

    # Calls

    def ask(self, case: Case, train: bool = False, cotangents: Cotangents = None) -> Answer:
        """Call the submission on one case."""
        header, arrays = _request(self.exercise, case, train, cotangents, self.framework)
        reply, received = self.runner.exchange(header, arrays)
        if "unfit" in reply:
            raise _Unfit(_text(reply["unfit"]))
        if "error" in reply:
            return Answer(error=_error(reply["error"]))
        if "broken" in reply:
            return Answer(broken=_text(reply["broken"]))
        return _answer(reply, received, len(self.exercise.returns))

    def run(self, case: Case, train: bool = False) -> tuple[Any, ...]:
        """The same for properties: only the outputs, and only if they can be looked at."""
        case = _rounded(case)
        answer = self.ask(case, train)
        if answer.error or answer.broken or self._contract(case, answer.outputs):
            raise _Broken
        return answer.outputs

    # Layers, in order; each gives a verdict or None

    def _changed_inputs(self, answers: list[Answer]) -> Verdict | None:
        for case, answer in zip(self.cases, answers, strict=False):
            for name, after in (answer.inputs or {}).items():
                before = self._handed_in(case, name)
                if after.shape != before.shape or after.tobytes() != before.astype(after.dtype).tobytes():
                    message = f"It changes its argument {name} in place: work on a copy."
                    return self._rejected("contract", message, case)
        return None

    def _handed_in(self, case: Case, name: str) -> np.ndarray:
        if not isinstance(value := case.inputs.get(name), np.ndarray):
            raise Tampering(f"no array named {name} was handed in")
        return _as_sent(value, case, self.framework)

    def _failed(self, answers: list[Answer]) -> Verdict | None:
        case, answer = self.cases[len(answers) - 1], answers[-1]
        if answer.broken is not None:
            return self._rejected("contract", _sentence(answer.broken), case)
        if answer.error is None:
            return None
        error = answer.error
        # Raised by the learner's stub, or by the framework since the class has no forward yet.
        own, words = error["source"], error["message"]
        stub = "NotImplementedError" in own or (not own and (not words or 'required "forward"' in words))
        if error["type"] == "NotImplementedError" and stub:
            return self._verdict("missing", "Not written yet: it still raises NotImplementedError.")
        if known := self._stops_like_a_misconception(answers):
            return known
        place = f" (line {error['line']}: {error['source']})" if error["line"] else ""
        message = f"It stops with {error['type']}: {error['message']}{place}"
        return self._verdict("error", message, case=case.note)

    def _stops_like_a_misconception(self, answers: list[Answer]) -> Verdict | None:
        """A wrong idea that does not run on some shapes stops there, and shows itself on the others."""
        candidates = [
            m for m in self.exercise.misconceptions if self._wrong_outputs(m, len(answers) - 1) is None
        ]
        if not candidates:
            return None
        answers = answers + [self.ask(case) for case in self.cases[len(answers) :]]
        expected = [self.exercise.compute(self.exercise.reference, case) for case in self.cases]

        def computes(misconception: Misconception, i: int) -> bool:
            outputs = self._wrong_outputs(misconception, i)
            if answers[i].error is not None or outputs is None:
                return answers[i].error is not None and outputs is None
            return answers[i].broken is None and self._same(i, answers[i].outputs, outputs)

        everywhere = range(len(self.cases))
        for misconception in candidates:
            ran = [i for i in everywhere if self._wrong_outputs(misconception, i) is not None]
            shown = [
                i for i in ran if not self._same(i, self._wrong_outputs(misconception, i) or (), expected[i])
            ]
            if shown and all(computes(misconception, i) for i in everywhere):
                return self._values_verdict(shown[0], answers, expected, misconception)
        return None

    def _judge_values(self, answers: list[Answer]) -> Verdict | None:
        e = self.exercise
        expected = [e.compute(e.reference, case) for case in self.cases]
        wrong = [i for i in range(len(self.cases)) if not self._same(i, answers[i].outputs, expected[i])]
        if not wrong:
            return None
        if matched := self._match(answers, expected, wrong):
            return self._values_verdict(wrong[0], answers, expected, matched)
        for i in wrong:
            if problem := self._contract(self.cases[i], answers[i].outputs, expected[i]):
                return self._rejected("contract", problem, self.cases[i])
        for known in e.properties:
            if found := self._violated(known):
                i, verdict = found
                return self._with_difference(verdict, i, answers, expected)
        return self._values_verdict(wrong[0], answers, expected, None)

    def _match(
        self, answers: list[Answer], expected: list[tuple[Any, ...]], wrong: list[int]
    ) -> Misconception | None:
        """The misconception that explains every wrong case; first one that explains the right ones too."""

        def computes(misconception: Misconception, i: int) -> bool:
            outputs = self._wrong_outputs(misconception, i)
            return outputs is not None and self._same(i, answers[i].outputs, outputs)

        explains = [m for m in self.exercise.misconceptions if all(computes(m, i) for i in wrong)]
        right = [i for i in range(len(self.cases)) if i not in wrong]
        wholly = (m for m in explains if all(computes(m, i) for i in right))
        return next(wholly, explains[0] if explains else None)

    def _wrong_outputs(self, misconception: Misconception, i: int) -> tuple[Any, ...] | None:
        key = (misconception.name, i)
        if key not in self.wrong:
            self.wrong[key] = wrong_outputs(self.exercise, misconception, self.cases[i])
        return self.wrong[key]

    def _violated(self, known: Property) -> tuple[int, Verdict] | None:
        """The first case on which a property does not hold."""
        if known.in_training and not self.runner.differentiates:
            return None
        for i, case in enumerate(self.cases):
            try:
                where = known.holds(self.run, case)
            except _Broken:
                continue
            if where is not None:
                return i, self._rejected("properties", f"{_sentence(known.name)} {_sentence(where)}", case)
        return None

    def _judge_gradients(self) -> Verdict | None:
        if not self.runner.differentiates:
            return None
        for case in self.cases:
            if case.gradient and (found := self._judge_gradient(case)):
                return found
        return None

    def _judge_gradient(self, case: Case) -> Verdict | None:
        expected = self.exercise.compute(self.exercise.reference, case)
        cotangents = [
            self.random.normal(size=np.shape(value)).astype(np.float32)
            if self._counts(output, value)
            else None
            for output, value in zip(self.exercise.returns, expected, strict=True)
        ]
        answer = self.ask(case, cotangents=cotangents)
        if answer.error is not None:
            message = f"Its values are right, but differentiating stops with {answer.error['message']}"
            return self._rejected("gradients", message, case)
        if answer.broken is not None:
            return self._rejected("gradients", _sentence(answer.broken), case)
        for name, path in self._differentiable(case):
            if problem := self._compare_gradient(case, name, cotangents, (answer.gradients or {}).get(path)):
                return self._rejected("gradients", problem, case)
        return None

    def _counts(self, output: Output, value: Any) -> bool:
        """Whether an output takes part in the loss whose gradients are judged."""
        return not output.attribute and not output.plain and _is_real(value)

    def _differentiable(self, case: Case) -> list[tuple[str, str]]:
        """Float inputs and parameters: their names here and in the submission's reply."""
        floats = [n for n, v in case.inputs.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        return [(n, n) for n in floats] + [(n, self.exercise.parameters[n].path) for n in case.parameters]

    def _compare_gradient(
        self, case: Case, name: str, cotangents: list[np.ndarray | None], got: np.ndarray | None
    ) -> str | None:
        """Compare along random directions: a wrong gradient differs along almost every one."""
        base = case.inputs[name] if name in case.inputs else case.parameters[name]
        if got is not None and got.shape != base.shape:
            return f"The gradient of {name} has shape {got.shape}; it must have {base.shape}."
        if got is not None and not np.isfinite(got).all():
            return f"Its values are right, but the gradient of {name} is not finite."
        for _ in range(2):
            direction = self.random.normal(size=base.shape)
            slope = self._slope(case, name, base, direction, cotangents)
            found = 0.0 if got is None else float((got.astype(np.float64) * direction).sum())
            size = 1.0 if got is None else float(np.abs(got.astype(np.float64) * direction).sum())
            if abs(found - slope) > 1e-4 + 1e-3 * abs(slope) + 1e-4 * size * (got is not None):
                if got is None or not got.any():
                    return f"Its values are right, but no gradient reaches {name}."
                return (
                    f"Its values are right, but the gradient of {name} is not: "
                    f"along a random direction it is {found:.5g} and must be {slope:.5g}."
                )
        return None

    def _slope(
        self,
        case: Case,
        name: str,
        base: np.ndarray,
        direction: np.ndarray,
        cotangents: list[np.ndarray | None],
    ) -> float:
        def loss(value: np.ndarray) -> float:
            moved = (
                replace(case, inputs={**case.inputs, name: value})
                if name in case.inputs
                else replace(case, parameters={**case.parameters, name: value})
            )
            outputs = self.exercise.compute(self.exercise.reference, moved)
            return float(
                sum((c * v).sum() for c, v in zip(cotangents, outputs, strict=True) if c is not None)
            )

        return (loss(base + STEP * direction) - loss(base - STEP * direction)) / (2 * STEP)

    def _judge_required(self) -> Verdict | None:
        for known in self.exercise.properties:
            if known.required and (found := self._violated(known)):
                return found[1]
        return None

    # Comparisons

    def _contract(
        self, case: Case, outputs: tuple[Any, ...], expected: tuple[Any, ...] | None = None
    ) -> str | None:
        """The first way in which results are not what was asked for, whatever their values."""
        expected = expected or self.exercise.compute(self.exercise.reference, case)
        for output, got, wanted in zip(self.exercise.returns, outputs, expected, strict=True):
            if isinstance(got, Foreign):
                return f"{output.name} is {got.kind}; it must be {output.shape}."
            if output.plain:
                if isinstance(got, np.ndarray):
                    return f"{output.name} is an array; it must be {output.shape}."
                continue
            if not isinstance(got, np.ndarray):
                return f"{output.name} is {_plain_words(got)}; it must be an array {output.shape}."
            if got.shape != np.shape(wanted):
                return (
                    f"{output.name} has shape {got.shape}; it must have {np.shape(wanted)}, {output.shape}."
                )
            if got.dtype.kind != "f" and _is_real(wanted):
                return f"{output.name} has type {got.dtype}; it must be {case.dtype}."
            if not np.isfinite(got).all() and np.isfinite(wanted).all():
                place = tuple(map(int, np.argwhere(~np.isfinite(got))[0]))
                return f"{output.name}[{', '.join(map(str, place))}] is {got[place]}; every entry must be finite."
        return None

    def _same(self, i: int, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
        return same(self.exercise, self.cases[i], got, wanted)

    # Verdicts

    def _accepted(self) -> Verdict:
        also = (
            "values and gradients"
            if self.runner.differentiates and any(c.gradient for c in self.cases)
            else "values"
        )
        message = f"It computes the reference on all {len(self.cases)} cases, {also}."
        return replace(self._verdict("accepted", message), points=self.exercise.points)

    def _values_verdict(
        self, i: int, answers: list[Answer], expected: list[tuple[Any, ...]], matched: Misconception | None
    ) -> Verdict:
        if matched is None:
            names = ", ".join(
                o.name
                for o, g, w in zip(self.exercise.returns, answers[i].outputs, expected[i], strict=True)
                if not _same(o, self.cases[i], g, w)
            )
            verdict = self._rejected("values", f"The values of {names} are not right.", self.cases[i])
        else:
            verdict = self._rejected("misconception", matched.hint, self.cases[i])
            verdict = replace(verdict, misconception=matched.name, hint=matched.hint)
        return self._with_difference(verdict, i, answers, expected)

    def _with_difference(
        self, verdict: Verdict, i: int, answers: list[Answer], expected: list[tuple[Any, ...]]
    ) -> Verdict:
        for output, got, wanted in zip(self.exercise.returns, answers[i].outputs, expected[i], strict=True):
            if output.plain or _same(output, self.cases[i], got, wanted):
                continue
            if isinstance(got, np.ndarray) and got.shape == np.shape(wanted):
                return replace(verdict, difference=_difference(output, got, wanted))
        return verdict

    def _rejected(self, layer: str, message: str, case: Case | None = None) -> Verdict:
        verdict = self._verdict("rejected", _sentence(message), case=case.note if case else None)
        return replace(verdict, layer=layer)

    def _verdict(self, outcome: str, message: str, case: str | None = None) -> Verdict:
        e = self.exercise
        return Verdict(e.name, self.framework, outcome, message, max_points=e.points, case=case)


def _request(
    exercise: Exercise, case: Case, train: bool, cotangents: Cotangents, framework: str
) -> tuple[Header, Arrays]:
    arrays: Arrays = []

    def place(value: np.ndarray) -> int:
        arrays.append(value)
        return len(arrays) - 1

    arguments: list[Header] = []
    for argument in exercise.arguments:
        value = case.inputs[argument.name]
        if isinstance(value, np.ndarray):
            arguments.append({"name": argument.name, "array": place(_as_sent(value, case, framework))})
        else:
            arguments.append({"name": argument.name, "plain": value})
    parameters = [
        {"path": exercise.parameters[name].path, "array": place(_as_sent(value, case, framework))}
        for name, value in case.parameters.items()
    ]
    weights = None
    if cotangents is not None:
        weights = [None if c is None else place(c) for c in cotangents]
    header = {
        "do": "call",
        "is_class": exercise.is_class,
        "settings": dict(case.settings),
        "arguments": arguments,
        "parameters": parameters,
        "outputs": [{"name": o.name, "attribute": o.attribute} for o in exercise.returns],
        "cotangents": weights,
        "train": train,
        "forbidden": list(exercise.forbidden),
    }
    return header, arrays


def _as_sent(value: np.ndarray, case: Case, framework: str) -> np.ndarray:
    if value.dtype.kind == "f":
        return value if framework == "numpy" else value.astype(case.dtype)
    return value.astype(bool) if value.dtype.kind == "b" else value.astype(np.int64)


def _answer(reply: Header, arrays: Arrays, count: int) -> Answer:
    """Check a reply from the other side before believing its form."""
    try:
        outputs = tuple(_output(described, arrays) for described in reply["outputs"])
        inputs = {str(i["name"]): _nth(arrays, i["array"]) for i in reply["inputs"]}
        gradients = {
            str(g["name"]): None if g["array"] is None else _nth(arrays, g["array"])
            for g in reply.get("gradients") or []
        }
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Tampering("the worker's reply has the wrong form") from error
    if len(outputs) != count:
        raise Tampering(f"the worker's reply holds {len(outputs)} results in place of {count}")
    return Answer(outputs, inputs, gradients)


def _nth(arrays: Arrays, place: Any) -> np.ndarray:
    if type(place) is not int or place < 0:
        raise Tampering("the worker's reply names an array that is not there")
    return arrays[place]


def _output(described: Header, arrays: Arrays) -> Any:
    if "array" in described:
        return _nth(arrays, described["array"])
    return described["plain"] if "plain" in described else Foreign(_text(described["foreign"]))


def _error(described: Any) -> Header:
    if not isinstance(described, dict):
        raise Tampering("the worker's reply has the wrong form")
    line = described.get("line")
    return {
        "type": _text(described.get("type")),
        "message": _text(described.get("message")),
        "line": line if type(line) is int else None,
        "source": _text(described.get("source")),
    }


def _same(output: Output, case: Case, got: Any, wanted: Any) -> bool:
    if output.plain:
        return _same_plain(got, wanted)
    if not isinstance(got, (np.ndarray, np.generic, float)) or np.shape(got) != np.shape(wanted):
        return False
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.dtype.kind != "f" and _is_real(wanted):
        return False
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        size = np.abs(b)
        close = (np.abs(a - b) <= ATOL[case.dtype] + RTOL[case.dtype] * size) & (size <= HUGE)
        close |= (size > HUGE) & (np.abs(a) > HUGE) & (a * b > 0)
        close |= np.isnan(a) & np.isnan(b)
        if output.exact_zeros:
            close &= (b != 0) | (np.abs(a) <= ZERO)
    return bool(close.all())


def _is_real(wanted: Any) -> bool:
    """Whether real numbers are asked for; masks and indices may come in any numeric type."""
    return np.asarray(wanted).dtype.kind == "f"


def _same_plain(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, (tuple, list)):
        return (
            isinstance(got, (tuple, list)) and len(got) == len(wanted) and all(map(_same_plain, got, wanted))
        )
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        number = isinstance(got, (int, float)) and not isinstance(got, bool)
        return number and abs(got - wanted) <= 1e-6 + 1e-4 * abs(wanted)
    return type(got) is type(wanted) and bool(got == wanted)


def _difference(output: Output, got: np.ndarray, wanted: Any) -> Difference:
    a, b = got.astype(np.float64), np.asarray(wanted, dtype=np.float64)
    with np.errstate(all="ignore"):
        gap = np.nan_to_num(np.abs(a - b), nan=np.inf)
        gap[np.isnan(a) & np.isnan(b)] = 0
    place = tuple(map(int, np.unravel_index(int(gap.argmax()), gap.shape)))
    maps = (a[place[:-2]], b[place[:-2]]) if output.map and a.ndim >= 2 else (None, None)
    return Difference(output.name, place, float(a[place]), float(b[place]), *maps)


def _text(value: Any) -> str:
    return value[:2000] if isinstance(value, str) else ""


def _sentence(text: str) -> str:
    text = text.strip()
    if text.split(" ")[0].isalpha():
        # Not a name such as valid_length.
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")")) else text + "."


def _plain_words(value: Any) -> str:
    return "None" if value is None else f"the plain value {str(value)[:60]}"
