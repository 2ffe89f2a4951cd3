"""Judges a submission by which function it computes: the reference, a misconception, or neither.

Trusted, and therefore small: NumPy and the standard library only. What comes back from a
submission is data; nothing of it is imported, unpickled or evaluated here.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from autograder.judge import sizes
from autograder.judge.cases import prepare, rounded
from autograder.judge.compare import difference, same, same_output
from autograder.judge.contract import broken_contract, is_index
from autograder.judge.dependence import NoAnswer, dependence, mixed_batch
from autograder.judge.explain import explain, place, raised
from autograder.judge.general_ideas import with_general_idea
from autograder.judge.gradients import draw_cotangents, gradient_problem
from autograder.judge.matching import Matcher, Outputs, telling_size
from autograder.judge.protocol import (
    Answer,
    Cotangents,
    Tampering,
    Transport,
    WrongEntry,
    call_request,
    checked_answer,
)
from autograder.judge.relations import Compared, relation
from autograder.judge.relations_of_cases import joined, relation_of_cases
from autograder.judge.rounding import double, in_double, rounded_away
from autograder.judge.words import (
    is_choice,
    must_but,
    note_on_warnings,
    sentence,
    unwritten_helper,
    without_guess,
    wrong_values,
)
from autograder.model.exercise import Case, Exercise, Misconception, Output, Property
from autograder.model.verdict import NOT_WRITTEN, Verdict

DRAWN_ANEW = (
    "Called twice with the same arguments, it gives two results: something is drawn at random at each call."
)
UNLIKE_WHEN_MEASURED = "Called again while its memory is measured, it does not give the right result."
NO_FORWARD = "Not written yet: its class has no method forward."


def judge(exercise: Exercise, transport: Transport, framework: str, seed: int = 0) -> Verdict:
    """The first layer that fails (contract, misconceptions, properties, values, gradients), or accepted."""
    with np.errstate(all="ignore"):  # what is wrong with numbers of a stranger's, the verdict says
        return Trial(exercise, transport, framework, seed).verdict()


class Trial:
    """One exercise, one submission."""

    def __init__(self, exercise: Exercise, transport: Transport, framework: str, seed: int) -> None:
        self.exercise, self.transport, self.framework = exercise, transport, framework
        self.cases = prepare(exercise, seed)
        self.random = np.random.default_rng(seed + 1)
        self.matcher = Matcher(exercise, self.cases)
        self.warned: set[str] = set()
        self.unlike: Case | None = None  # a case where what it gives is wrong while its memory is measured
        self.exact = False  # whether it is called in double precision, since rounding hides what it computes

    def verdict(self) -> Verdict:
        try:
            return with_general_idea(self._verdict_on(self._answers()))
        except WrongEntry as wrong:
            return self._rejected("contract", str(wrong))

    def _answers(self) -> list[Answer]:
        """One for each case, up to the first that fails."""
        return self._ask_all([(case, False, None) for case in self.cases])

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

    def ask(self, case: Case, train: bool = False) -> Answer:
        """Call the submission on one case."""
        return self._ask_all([(case, train, None)])[0]

    def _ask_all(self, calls: list[tuple[Case, bool, Cotangents]]) -> list[Answer]:
        """Call the submission on one case after another, up to the first call that fails."""
        if not calls:
            return []
        replies = self.transport.exchange_all(
            [call_request(self.exercise, *call, self.framework) for call in calls]
        )
        answers: list[Answer] = []
        for reply, received in replies:
            answers.append(self._with_numbers(checked_answer(reply, received, len(self.exercise.returns))))
            self.warned.update(answers[-1].warned)
            if answers[-1].failed:
                break
        return answers

    def _with_numbers(self, answer: Answer) -> Answer:
        """The answer, with plain results that NumPy computes as its own numbers, which come as arrays without axes."""
        if self.framework != "numpy" or answer.failed:
            return answer
        outputs = zip(self.exercise.returns, answer.outputs, strict=True)
        return replace(answer, outputs=tuple(got[()] if _is_number(o, got) else got for o, got in outputs))

    def run(self, case: Case, train: bool = False) -> Outputs:
        """The same for properties: only the outputs, and only if they can be looked at."""
        case = double(rounded(case)) if self.exact else rounded(case)
        answer = self.ask(case, train)
        if answer.error or answer.contract_broken or self._contract(case, answer.outputs):
            raise NoAnswer
        return answer.outputs

    @cached_property
    def _expected(self) -> list[Outputs]:
        """What the reference gives on each case."""
        return [self.exercise.compute(self.exercise.reference, case) for case in self.cases]

    def held(self, case: Case, train: bool = False) -> tuple[int, int]:
        """For properties of memory: how many numbers the largest array has that a call makes, and all at once."""
        case = rounded(case)
        request = call_request(self.exercise, case, train, None, self.framework, measure=True)
        ((reply, received),) = self.transport.exchange_all([request])
        answer = checked_answer(reply, received, len(self.exercise.returns))
        wanted = self.exercise.compute(self.exercise.reference, case)
        if answer.failed or not same(self.exercise, case, answer.outputs, wanted):
            self.unlike = case
        if answer.held is None:
            raise NoAnswer
        return answer.held

    # Layers, in order; each gives a verdict or None

    def _changed_inputs(self, answers: list[Answer]) -> Verdict | None:
        for case, answer in zip(self.cases, answers, strict=False):
            for name in answer.changed:
                if not isinstance(case.inputs.get(name), np.ndarray | list):
                    raise Tampering(f"no array or list named {name} was handed in")
                message = f"It changes its argument {name} in place: work on a copy."
                return self._rejected("contract", message, case)
        return None

    def _failed(self, answers: list[Answer]) -> Verdict | None:
        case, answer = self.cases[len(answers) - 1], answers[-1]
        if answer.contract_broken is not None:
            return self._rejected("contract", sentence(answer.contract_broken), case)
        if answer.error is None:
            return None
        error = answer.error
        # Raised by the learner's stub, or by the framework since the class has no forward yet.
        own, words = error["source"], error["message"]
        stub = "NotImplementedError" in (own or "") or (
            not own and (not words or 'required "forward"' in words)
        )
        if error["type"] == "NotImplementedError" and stub:
            if words := unwritten_helper(error["function"], self.exercise.entry):
                return self._verdict("error", f"{words}{place(error)}", case)
            return self._verdict("missing", NO_FORWARD if self.exercise.is_class and not own else NOT_WRITTEN)
        why = explain(self.exercise, case, error, self.framework)
        message = f"{why or f'It stops with {raised(error)}'}{place(error)}"
        message = message if message.endswith(")") else f"{message}."
        if known := self._stops_like_a_misconception(answers, case, message):
            return known
        return replace(self._verdict("error", message, case), raised=raised(error) if why else None)

    def _stops_like_a_misconception(self, answers: list[Answer], case: Case, said: str) -> Verdict | None:
        """A wrong idea that does not run on some shapes stops there, and shows itself on the others.

        case, said: where the answer stopped first, and what an error would say.
        """
        candidates = self.matcher.that_stop(len(answers) - 1)
        answers = answers + [self.ask(case) for case in self.cases[len(answers) :]]
        expected = self._expected
        if found := self.matcher.stops_alike(candidates, answers, expected):
            misconception, i = found
            return self._values_verdict(i, answers, expected, misconception)
        if found := self.matcher.where_it_runs(answers, expected):
            misconception, i = found
            verdict = self._values_verdict(i, answers, expected, misconception)
            return replace(
                verdict, message=f"{verdict.message} It stops too, in the case {case.note!r}. {said}"
            )
        return None

    def _judge_values(self, answers: list[Answer]) -> Verdict | None:
        expected = self._expected
        wrong = [i for i in range(len(self.cases)) if not self._same(i, answers[i].outputs, expected[i])]
        if not wrong:
            return None
        if all(same(self.exercise, self.cases[i], answers[i].outputs, expected[i], True) for i in wrong):
            return self._unnamed(answers, wrong, expected)  # ints are asked for, and these are floats
        if matched := self.matcher.explains(answers, wrong, expected):
            return self._values_verdict(wrong[0], answers, expected, matched)
        if exact := self._in_double(answers):
            return self._judge_exact(answers, wrong, exact)
        return self._judge_nameless(answers, wrong)

    def _in_double(self, answers: list[Answer]) -> list[Answer] | None:
        """What it gives in double precision, if that is another thing."""
        if self.framework == "numpy":
            return None
        calls: list[tuple[Case, bool, Cotangents]] = [(double(case), False, None) for case in self.cases]
        return in_double(self.exercise, self.cases, answers, lambda: self._ask_all(calls))

    def _judge_exact(self, answers: list[Answer], wrong: list[int], exact: list[Answer]) -> Verdict:
        """What is said of wrong values that are others in double precision."""
        expected = self._expected
        still = [i for i in wrong if not self._same(i, exact[i].outputs, expected[i])]
        if not still:
            i = wrong[0]
            verdict = self._values_verdict(i, answers, expected, None)
            problem = self._contract(self.cases[i], answers[i].outputs, expected[i])
            message = rounded_away(problem or verdict.message, problem is None, self.cases[i].dtype)
            return replace(verdict, message=message, layer="contract" if problem else "values")
        if matched := self.matcher.explains(exact, still, expected):
            return self._values_verdict(still[0], exact, expected, matched)
        self.exact = True
        return self._judge_nameless(exact, still)

    def _judge_nameless(self, answers: list[Answer], wrong: list[int]) -> Verdict:
        """What is said of wrong values that are no misconception."""
        expected = self._expected
        verdict = self._unnamed(answers, wrong, expected)
        if (
            verdict.layer != "contract"
            and not verdict.misconception
            and self._is_random(wrong[0], answers[wrong[0]].outputs)
        ):
            return replace(verdict, layer="values", message=DRAWN_ANEW)
        if idea := self.matcher.idea(answers, wrong, expected):
            message = f"{without_guess(verdict.message)} {idea.hint}"
            return replace(verdict, message=message, misconception=idea.name, hint=idea.hint)
        if verdict.layer == "values" and (said := self._related(answers, wrong, expected)):
            return replace(verdict, message=f"{verdict.message} {said}")
        return verdict

    def _is_random(self, i: int, outputs: Outputs) -> bool:
        """Whether a second call on a case gives another result, as layers do that are made in the call."""
        try:
            return not self._same(i, self.run(self.cases[i]), outputs)
        except NoAnswer:
            return False

    def _related(self, answers: list[Answer], wrong: list[int], expected: list[Outputs]) -> str | None:
        """What can be computed of wrong values that have no name; of choices how many are right, and not which."""
        if any(is_choice(output) for output in self.exercise.returns):
            right, count = len(self.cases) - len(wrong), len(self.cases)
            is_one = isinstance(expected[0][0], str)  # of several, a case says itself how many are right
            return (
                f"Of all cases, {right} of {count} {'is' if right == 1 else 'are'} right." if is_one else None
            )
        compared = Compared(self.exercise, self.cases, [a.outputs for a in answers], expected, wrong)
        smallest = min((self.cases[i] for i in wrong), key=lambda case: telling_size(self.exercise, case))
        return (
            relation(compared)
            # Where batch elements meet, every case with a single one is right: this says why.
            or mixed_batch(self.exercise, smallest, self.run)
            or relation_of_cases(compared)
            or dependence(self.exercise, smallest, self.run)
        )

    def _unnamed(self, answers: list[Answer], wrong: list[int], expected: list[Outputs]) -> Verdict:
        """What is said of wrong values that no misconception explains."""
        for i in wrong:
            if problem := self._contract(self.cases[i], answers[i].outputs, expected[i]):
                return self._rejected("contract", problem, self.cases[i])
        for known in self.exercise.properties:
            if found := self._violated(known):
                i, verdict = found
                return self._with_difference(verdict, i, answers, expected)
        return self._values_verdict(wrong[0], answers, expected, None)

    def _violated(self, known: Property) -> tuple[int, Verdict] | None:
        """The first case on which a property does not hold."""
        if known.in_training and not self.transport.differentiates:
            return None
        for i, case in enumerate(self.cases):
            try:
                where = known.holds(self.held if known.of_memory else self.run, case)
            except NoAnswer:
                continue
            if where is not None:
                if known.in_training:
                    case = replace(case, note=case.note.replace("in evaluation mode", "in training mode"))
                if where in known.ideas:
                    hint = known.ideas[where]
                    named = self._rejected("properties", hint, case)
                    return i, replace(named, misconception=where, hint=hint)
                return i, self._rejected("properties", must_but(known.name, where), case)
        return None

    def _judge_gradients(self) -> Verdict | None:
        """Asked for once all values are right: MXNet may end the process over the gradients of wrong ones."""
        if not self.transport.differentiates:
            return None
        asked = [
            (case, draw_cotangents(self.exercise, expected, self.random))
            for case, expected in zip(self.cases, self._expected, strict=True)
            if case.gradient
        ]
        answers = self._ask_all([(case, False, cotangents) for case, cotangents in asked])
        for (case, cotangents), answer in zip(asked, answers, strict=False):
            if problem := gradient_problem(
                self.exercise, case, cotangents, answer, self.random, self.framework
            ):
                if not isinstance(problem, Misconception):
                    return self._rejected("gradients", problem, case)
                named = self._rejected("gradients", problem.hint, case)
                return replace(named, misconception=problem.name, hint=problem.hint)
        return None

    def _judge_required(self) -> Verdict | None:
        for known in self.exercise.properties:
            if known.required and (found := self._violated(known)):
                return found[1]
        return self._rejected("values", UNLIKE_WHEN_MEASURED, self.unlike) if self.unlike else None

    # Comparisons

    def _contract(self, case: Case, outputs: Outputs, expected: Outputs | None = None) -> str | None:
        """The first way in which results are not what was asked for, whatever their values."""
        expected = expected or self.exercise.compute(self.exercise.reference, case)
        return broken_contract(self.exercise, self.framework, case, outputs, expected)

    def _same(self, i: int, got: Outputs, wanted: Outputs) -> bool:
        indices = [g for o, g in zip(self.exercise.returns, got, strict=True) if is_index(o, self.framework)]
        return same(self.exercise, self.cases[i], got, wanted) and all(g.dtype.kind in "iu" for g in indices)

    # Verdicts

    def _accepted(self) -> Verdict:
        differentiated = self.transport.differentiates and any(c.gradient for c in self.cases)
        also = "values and gradients" if differentiated else "values"
        message = f"It computes the reference on all {len(self.cases)} cases, {also}."
        return replace(self._verdict("accepted", message), points=self.exercise.points)

    def _values_verdict(
        self, i: int, answers: list[Answer], expected: list[Outputs], matched: Misconception | None
    ) -> Verdict:
        if matched is None:
            outputs = zip(self.exercise.returns, answers[i].outputs, expected[i], strict=True)
            wrong = [o.name for o, g, w in outputs if not same_output(o, self.cases[i], g, w)]
            verdict = self._rejected(
                "values", wrong_values(joined(wrong), answers[i].outputs, expected[i]), self.cases[i]
            )
        else:
            verdict = self._rejected("misconception", matched.hint, self.cases[i])
            verdict = replace(verdict, misconception=matched.name, hint=matched.hint)
        return self._with_difference(verdict, i, answers, expected)

    def _with_difference(
        self, verdict: Verdict, i: int, answers: list[Answer], expected: list[Outputs]
    ) -> Verdict:
        for output, got, wanted in zip(self.exercise.returns, answers[i].outputs, expected[i], strict=True):
            if output.plain or same_output(output, self.cases[i], got, wanted):
                continue
            if isinstance(got, np.ndarray) and got.shape == np.shape(wanted):
                return replace(verdict, difference=difference(output, self.cases[i], got, wanted))
        return verdict

    def _rejected(self, layer: str, message: str, case: Case | None = None) -> Verdict:
        message = sentence(message, {output.name for output in self.exercise.returns}) + (
            note_on_warnings(self.warned) if layer != "misconception" else ""
        )
        verdict = replace(self._verdict("rejected", message, case), layer=layer)
        return replace(verdict, sizes=None) if layer == "misconception" else verdict

    def _verdict(self, outcome: str, message: str, case: Case | None = None) -> Verdict:
        e = self.exercise
        verdict = Verdict(e.name, self.framework, outcome, message, max_points=e.points)
        if case is None:
            return verdict
        return replace(verdict, case=case.note, sizes=sizes.in_words(e, case) or None)


def _is_number(output: Output, got: Any) -> bool:
    """Whether a plain result came as an array without axes."""
    return output.plain and isinstance(got, np.ndarray) and got.ndim == 0
