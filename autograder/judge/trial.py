"""Judges a submission: it is accepted if it computes the reference, and rejected otherwise, in plain words.

Trusted, and therefore small: NumPy and the standard library only. What comes back from a
submission is data; nothing of it is imported, unpickled or evaluated here. What more can be said of an
answer that is rejected, `autograder/diagnose` says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from autograder.judge import axis_lengths
from autograder.judge.cases import (
    draw_cases,
    extremes,
    interleaved_by_form,
    other_inputs,
    rounded,
    shorter_inputs,
)
from autograder.judge.compare import difference, same, same_output
from autograder.judge.contract import broken_contract, is_index
from autograder.judge.gradients import Differentiation
from autograder.judge.protocol import (
    CallResult,
    Cotangents,
    Outputs,
    Tampering,
    Transport,
    call_request,
    checked_result,
)
from autograder.judge.words import (
    exception_text,
    must_but,
    quoted_line,
    sentence,
    stop_finding,
    unwritten_helper,
    wrong_values,
)
from autograder.model.exercise import Case, Exercise, Property
from autograder.model.finding import Finding, Kind
from autograder.model.text import listed
from autograder.model.verdict import NOT_WRITTEN, Verdict

NO_FORWARD = "Not written yet: its class has no method forward."

# What is said where something of a call lies where it must not.
CALLED_AGAIN = (
    "It is right when it is called once, but not when it is called again on other inputs of the same sizes: something of "
    "the earlier call is kept, such as on self, in a global name or in a default argument, and used again."
)
CALLED_ON_SHORTER = (
    "It is right when it is called once, but not after a call on shorter inputs: something of the earlier call is kept, "
    "such as a mask, and used again."
)
TWO_TEXTS = (
    "It is right for one text, but not for two in turn, each of which has its own {0}: something of the other text is "
    "kept outside {0}, such as on self. What a later call needs must lie in the {0} that is handed in."
)
CACHE_EMPTY = (
    "Its results are right, but nothing lies in {0} after the calls: what a later call needs is kept elsewhere, such as on "
    "self. It must lie in the {0} that is handed in, which may be copied, and of which each text has its own."
)
CACHE_TOO_LARGE = (
    "Its results are right, but {1} numbers lie in {0} after the calls, where {2} are enough: keep what is new to each token "
    "once, such as keys and values before heads share them."
)
IN_TRAINING = (
    "Its results are right in evaluation mode, and not in training mode. Nothing that the exercise asks for depends on "
    "the mode: look for a dropout, or for a branch on the mode."
)
OTHER_INPUTS = "In other calls it is right, but on the inputs of this case in another order"
# So many times what is enough is too much; a further array of the size of one of two may be of use.
MUCH = 1.5
# In so many cases an answer is called again, on other inputs of the same sizes.
CALLED_TWICE = 3


def judge(exercise: Exercise, transport: Transport, framework: str, seed: int = 0) -> Verdict:
    """Judge a submission: accepted, or the first stage that fails (the contract, values, gradients, what must always hold)."""
    return Trial(exercise, transport, framework, seed).verdict()


class NoAnswer(Exception):
    """A call gave nothing that can be compared."""


@dataclass(frozen=True)
class Rejection:
    """What is wrong, and in which case: its index, and the case as it is shown."""

    stage: str
    finding: Finding
    index: int
    case: Case


class Trial:
    """One exercise, one submission.

    results: of the calls on the cases, up to one that failed. wrong: the cases in which values are wrong.
    differentiated: the last whose gradients were looked at.
    """

    def __init__(self, exercise: Exercise, transport: Transport, framework: str, seed: int) -> None:
        self.exercise, self.transport, self.framework = exercise, transport, framework
        self.cases = draw_cases(exercise, seed)
        self.random = np.random.default_rng(seed + 1)
        self.warned: set[str] = set()
        self.results: list[CallResult] = []
        self.wrong: list[int] = []
        self.differentiated: Differentiation | None = None
        # A case where what it gives is wrong while its memory is measured.
        self.wrong_while_measured: Case | None = None

    def verdict(self) -> Verdict:
        """Judge the submission, stage by stage; the first that fails makes the verdict."""
        with np.errstate(all="ignore"):  # what is wrong with numbers of a stranger's, the verdict says
            self.results = self.ask_all([(case, False, None) for case in self.cases])
            return (
                self._changed_inputs()
                or self._failed()
                or self._wrong_values()
                or self._kept_state()
                or self._wrong_gradients()
                or self._violated_property()
                or self._accepted()
            )

    # Calls

    def ask(self, case: Case, train: bool = False) -> CallResult:
        """Call the submission on one case."""
        return self.ask_all([(case, train, None)])[0]

    def ask_all(
        self,
        calls: list[tuple[Case, bool, Cotangents]],
        measure: bool = False,
        earlier: Sequence[Case | None] | None = None,
    ) -> list[CallResult]:
        """Call the submission on one case after another, up to the first call that fails.

        measure: what it holds. earlier: for each case one on which the same object is called before.
        """
        before = earlier or [None] * len(calls)
        requests = [
            call_request(self.exercise, *call, self.framework, measure, first)
            for call, first in zip(calls, before, strict=True)
        ]
        answers: list[CallResult] = []
        for reply, received in self.transport.exchange_all(requests) if requests else ():
            answers.append(self._with_numbers(checked_result(reply, received, len(self.exercise.returns))))
            self.warned.update(answers[-1].warned)
            if answers[-1].failed:
                break
        return answers

    def watched(self, case: Case) -> CallResult:
        """Call the submission on one case, and look at what its variables hold meanwhile."""
        request, arrays = call_request(self.exercise, case, False, None, self.framework)
        request["watch"] = True
        ((reply, received),) = self.transport.exchange_all([(request, arrays)])
        return checked_result(reply, received, len(self.exercise.returns))

    def _with_numbers(self, answer: CallResult) -> CallResult:
        """Return the answer, with plain results that NumPy computes as its own numbers, which come as arrays without axes."""
        if self.framework != "numpy" or answer.failed:
            return answer
        outputs = tuple(
            got[()] if output.plain and isinstance(got, np.ndarray) and not got.ndim else got
            for output, got in zip(self.exercise.returns, answer.outputs, strict=True)
        )
        return replace(answer, outputs=outputs)

    def run(self, case: Case, train: bool = False) -> Outputs:
        """Return the outputs alone, as properties need them. Raises NoAnswer if they cannot be looked at."""
        case = rounded(case)
        answer = self.ask(case, train)
        if answer.failed or self._contract(case, answer.outputs):
            raise NoAnswer
        return answer.outputs

    def memory_use(self, case: Case, train: bool = False) -> tuple[int, int]:
        """Return, for properties of memory, how many numbers the largest array has that a call makes, and all at once."""
        case = rounded(case)
        (answer,) = self.ask_all([(case, train, None)], measure=True)
        expected = self.exercise.compute(self.exercise.reference, case)
        if answer.failed or not same(self.exercise, case, answer.outputs, expected):
            self.wrong_while_measured = case
        if answer.memory is None:
            raise NoAnswer
        return answer.memory

    # Stages, in order; each gives a verdict or None

    def _changed_inputs(self) -> Verdict | None:
        for case, answer in zip(self.cases, self.results, strict=False):
            for name in answer.changed:
                if not isinstance(case.inputs.get(name), np.ndarray | list):
                    raise Tampering(f"no array or list named {name} was handed in")
                words = f"It changes its argument {name} in place: work on a copy."
                return self.rejected("contract", Finding(Kind.ARGUMENT_CHANGED, words), case)
        return None

    def _failed(self) -> Verdict | None:
        case, answer = self.cases[len(self.results) - 1], self.results[-1]
        if (broken := answer.contract_broken) is not None:
            return self.rejected("contract", broken, None if broken.kind == Kind.NOT_CALLABLE else case)
        if answer.error is None:
            return None
        error = answer.error
        line = error["source"] or ""
        # Raised by the learner's stub, or by the framework since the class has no forward yet.
        if error["type"] == "NotImplementedError" and (
            "NotImplementedError" in line or not (line or (error["message"] and not self.exercise.is_class))
        ):
            if words := unwritten_helper(error["function"], self.exercise.entry):
                finding = Finding(Kind.HELPER_NOT_WRITTEN, f"{words}{quoted_line(error)}")
                return self._verdict("error", finding, case)
            words = NO_FORWARD if self.exercise.is_class and not line else NOT_WRITTEN
            return self._verdict("missing", Finding(Kind.NOT_WRITTEN, words))
        finding = Finding(Kind.STOPS, f"It stops with {exception_text(error)}")
        return self._verdict("error", stop_finding(finding, error), case)

    def _wrong_values(self) -> Verdict | None:
        same_in = [self.same(i, answer.outputs) for i, answer in enumerate(self.results)]
        self.wrong = [i for i, is_same in enumerate(same_in) if not is_same]
        return self.verdict_on(self.unequal(self.results, self.wrong), self.results) if self.wrong else None

    def _kept_state(self) -> Verdict | None:
        """Call some cases again, once all values are right: no call may use what an earlier one has kept."""
        candidates = (
            (i, other_inputs(self.exercise, self.cases[i], self.cases, self.expected[i]))
            for i in interleaved_by_form(self.cases)
        )
        pairs = list(islice(((i, *other) for i, other in candidates if other is not None), CALLED_TWICE))
        # A function has been called on each case already, and on none of them in turn with another.
        earlier = [self.cases[i] if self._has_own_state(other) else None for i, other, _ in pairs]
        shorter = self._shorter([other for _, other, _ in pairs])
        # The last of them in training mode, which changes nothing where nothing is dropped.
        modes = [self._has_one_mode() and pair is pairs[-1] for pair in pairs]
        calls: list[tuple[Case, bool, Cotangents]] = [
            (other, train, None) for (_, other, _), train in zip(pairs, modes, strict=True)
        ]
        answers = self.ask_all(calls, earlier=[a or b for a, b in zip(shorter, earlier, strict=True)])
        for pair, train, first, answer in zip(pairs, modes, shorter, answers, strict=False):
            i, other, _ = pair
            finding = self._of_another_call(*pair, answer, train, first) or self._of_a_cache(other, answer)
            if finding:
                return self.rejected("properties", finding, self.cases[i])
        return None

    def _shorter(self, cases: Sequence[Case]) -> list[Case | None]:
        """Return for one of the cases, but the first, what a layer is called on before: shorter inputs, and None for the rest.

        A mask that it keeps may serve all inputs of the same sizes.
        """
        e = self.exercise
        tried = [
            shorter_inputs(e, case) if i and e.is_class and not e.cached(case) else None
            for i, case in enumerate(cases)
        ]
        best = max(tried, key=lambda one: one[0] if one else 0, default=None)
        return [one[1] if one and one is best else None for one in tried]

    def _has_one_mode(self) -> bool:
        """Return whether a layer must give in training mode what it gives in evaluation mode."""
        drops = any(rule.in_training for rule in self.exercise.properties)
        return self.exercise.is_class and self.transport.differentiates and not drops

    def _has_own_state(self, case: Case) -> bool:
        """Return whether calls have an object, or a cache, that no other case has."""
        return self.exercise.is_class or self.exercise.cached(case) is not None

    def _of_another_call(
        self, i: int, other: Case, expected: Outputs, answer: CallResult, train: bool, shorter: Case | None
    ) -> Finding | None:
        """Return what is wrong with the answer to other inputs, which came after an earlier call; None if nothing is.

        shorter: what the earlier call was on, if that was not the case of this index.
        """
        if self._gives(other, answer, expected):
            return None
        if shorter is not None and self.ask(shorter).failed:  # it may be what the exercise rules out
            (answer,) = self.ask_all([(other, train, None)], earlier=[self.cases[i]])
            return self._of_another_call(i, other, expected, answer, train, None)
        alone = self.ask(other)
        if (
            train
            and self._gives(other, alone, expected)
            and not self._gives(other, self.ask(other, train), expected)
        ):
            return Finding(Kind.VALUES, IN_TRAINING)
        is_of_the_earlier = self._gives(other, answer, self.expected[i])
        differs = not answer.failed and not self._gives(other, alone, answer.outputs)
        if self._gives(other, alone, expected) or is_of_the_earlier or differs:
            cache = self.exercise.cached(other)
            words = CALLED_ON_SHORTER if shorter else CALLED_AGAIN
            return Finding(Kind.STATE_KEPT, TWO_TEXTS.format(cache.name) if cache else words)
        if answer.failed:
            words = f"{OTHER_INPUTS} it stops with {exception_text(answer.error)}" if answer.error else ""
            return answer.contract_broken or Finding(Kind.STOPS, words)
        words = f"{OTHER_INPUTS} its results are not right."
        return Finding(Kind.VALUES, words)

    def _gives(self, case: Case, answer: CallResult, expected: Outputs) -> bool:
        return not answer.failed and same(self.exercise, case, answer.outputs, expected)

    def _of_a_cache(self, case: Case, answer: CallResult) -> Finding | None:
        """Return what is wrong with how much lies in a cache afterwards; None if nothing is, or if there is no cache."""
        cache, enough = self.exercise.cached(case), self.exercise.numbers_cached(case)
        if answer.cached is None or cache is None:
            return None
        if not answer.cached:
            return Finding(Kind.CACHE_EMPTY, CACHE_EMPTY.format(cache.name))
        if answer.cached > MUCH * enough:
            return Finding(Kind.CACHE_TOO_LARGE, CACHE_TOO_LARGE.format(cache.name, answer.cached, enough))
        return None

    def _wrong_gradients(self) -> Verdict | None:
        """Judge gradients once all values are right: MXNet may end the process over the gradients of wrong ones."""
        if not self.transport.differentiates:
            return None
        far = extremes(self.cases)
        differentiations = [
            Differentiation(self.exercise, case, expected, self.random)
            for case, expected in zip(self.cases, self.expected, strict=True)
            if case.gradient or any(case is other for other in far)
        ]
        answers = self.ask_all([(one.case, False, one.cotangents) for one in differentiations])
        for one, answer in zip(differentiations, answers, strict=False):
            self.differentiated, case, one.answer = one, one.case, answer
            if answer.contract_broken is not None:
                return self.rejected("gradients", answer.contract_broken, case)
            if answer.error is not None:
                words = f"Its values are right, but differentiating stops with {exception_text(answer.error)}"
                return self.rejected(
                    "gradients", stop_finding(Finding(Kind.STOPS, words), answer.error), case
                )
            if problem := one.wrong():
                return self.rejected("gradients", problem, case)
        return None

    def _violated_property(self) -> Verdict | None:
        for rule in self.exercise.properties:
            if rule.required and (rejection := self.violated(rule, self.run)):
                return self.rejected("properties", rejection.finding, rejection.case)
        words = "Called again while its memory is measured, it does not give the right result."
        finding = Finding(Kind.UNLIKE_WHEN_MEASURED, words)
        return (
            self.rejected("values", finding, self.wrong_while_measured) if self.wrong_while_measured else None
        )

    def violated(
        self, rule: Property, run: Callable[..., Outputs], among: Sequence[int] | None = None
    ) -> "Rejection | None":
        """Return where a property does not hold, on the first case on which it does not.

        run: calls the answer on a case. among: the cases that are tried; all, if nothing is said.
        """
        if rule.in_training and not self.transport.differentiates:
            return None
        for i in range(len(self.cases)) if among is None else among:
            case = self.cases[i]
            try:
                where = rule.violation(self.memory_use if rule.of_memory else run, case)
            except NoAnswer:
                continue
            if where is None:
                continue
            if rule.in_training:
                case = replace(case, note=case.note.replace("in evaluation mode", "in training mode"))
            if hint := rule.misconceptions.get(where):
                return Rejection("properties", Finding(Kind.IDEA, hint, name=where), i, case)
            return Rejection("properties", Finding(Kind.PROPERTY, must_but(rule.name, where)), i, case)
        return None

    # Comparisons

    @cached_property
    def expected(self) -> list[Outputs]:
        """Return what the reference gives on each case."""
        return [self.exercise.compute(self.exercise.reference, case) for case in self.cases]

    def same(self, i: int, got: Outputs) -> bool:
        """Return whether the results of a case are those of the reference."""
        indices = [g for o, g in zip(self.exercise.returns, got, strict=True) if is_index(o, self.framework)]
        return same(self.exercise, self.cases[i], got, self.expected[i]) and all(
            g.dtype.kind in "iu" for g in indices
        )

    def _contract(self, case: Case, outputs: Outputs, expected: Outputs | None = None) -> Finding | None:
        """Return the first way in which results are not what was asked for, whatever their values."""
        expected = expected or self.exercise.compute(self.exercise.reference, case)
        return broken_contract(self.exercise, self.framework, case, outputs, expected)

    def unequal(self, answers: list[CallResult], wrong: list[int]) -> Rejection:
        """Return what is wrong with answers that are not the reference's in these cases: their form, or else their values."""
        for i in wrong:
            if problem := self._contract(self.cases[i], answers[i].outputs, self.expected[i]):
                return Rejection("contract", problem, i, self.cases[i])
        i, case = wrong[0], self.cases[wrong[0]]
        got, expected = answers[i].outputs, self.expected[i]
        outputs = zip(self.exercise.returns, got, expected, strict=True)
        names = [o.name for o, g, e in outputs if not same_output(o, case, g, e)]
        return Rejection("values", wrong_values(listed(names), got, expected), i, case)

    # Verdicts

    def _accepted(self) -> Verdict:
        differentiated = self.transport.differentiates and any(c.gradient for c in self.cases)
        also = "values and gradients" if differentiated else "values"
        words = f"It computes the reference on all {len(self.cases)} cases, {also}."
        e = self.exercise
        return Verdict(e.name, self.framework, "accepted", words, e.points, e.points)

    def verdict_on(self, rejection: Rejection, answers: list[CallResult]) -> Verdict:
        """Return the verdict on wrong values, with the place where they differ most."""
        verdict = self.rejected(rejection.stage, rejection.finding, rejection.case)
        i = rejection.index
        outputs = zip(self.exercise.returns, answers[i].outputs, self.expected[i], strict=True)
        for output, got, expected in outputs if rejection.stage != "contract" else ():
            if output.plain or same_output(output, self.cases[i], got, expected):
                continue
            if isinstance(got, np.ndarray) and got.shape == np.shape(expected):
                return replace(verdict, difference=difference(output, self.cases[i], got, expected))
        return verdict

    def rejected(self, stage: str, finding: Finding, case: Case | None = None) -> Verdict:
        """Return the verdict on what is found at a stage."""
        return self._verdict("rejected", finding, case, stage)

    def _verdict(
        self, outcome: str, finding: Finding, case: Case | None = None, stage: str | None = None
    ) -> Verdict:
        e = self.exercise
        words = sentence(finding.words, {output.name for output in e.returns})
        message = f"{words} {finding.guess}".rstrip()
        verdict = Verdict(e.name, self.framework, outcome, message, max_points=e.points, failed_stage=stage)
        verdict = replace(verdict, kind=finding.kind, cause=finding.cause, misconception=finding.name)
        if finding.name:
            verdict = replace(verdict, hint=finding.words)
        if case is None:
            return verdict
        lengths = None if stage == "misconception" else axis_lengths.lengths_text(e, case) or None
        return replace(verdict, case=case.note, axis_lengths=lengths)
