"""What is wrong with an answer that the judge rejects: a wrong idea, a cause, or how it differs from what is right.

Nothing here decides what is right: an answer that is accepted never comes here, and no other becomes accepted. Only
where an assignment gives partial credit for a wrong idea do points follow from the name.
"""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from autograder.diagnose.argument_use import argument_use, mixed_batch
from autograder.diagnose.exceptions import explain, on_warnings
from autograder.diagnose.general_misconceptions import with_general_misconception
from autograder.diagnose.matcher import Matcher, telling_size
from autograder.diagnose.relations import Compared, relation, relation_of_cases
from autograder.diagnose.steps import compared_steps
from autograder.judge.cases import rounded
from autograder.judge.compare import same
from autograder.judge.protocol import CallResult, Transport
from autograder.judge.trial import NoAnswer, Outputs, Rejection, Trial
from autograder.judge.words import exception_text, stop_finding
from autograder.model.exercise import Case, Exercise, Misconception
from autograder.model.finding import Finding, Kind
from autograder.model.verdict import Verdict

WRONG = ("rejected", "error")
# On so many of the cases that an answer has wrong it is looked whether a property holds.
TRIED = 2
RANDOM = Finding(
    Kind.RANDOM,
    "Called twice with the same arguments, it gives two results: something is drawn at random at each call.",
)

# What is said of values that are right in double precision alone.
IN_DOUBLE = "In double precision all its values are right: the formula is right, but"
LOST = (
    "rounding makes them wrong. Digits are lost where two numbers that are nearly equal are subtracted, and where "
    "numbers are far larger than what comes out."
)
NO_ROOM = (
    "a number on the way is too large for {}, as exp({}) is, or so small that it becomes 0, as exp(−{}) does."
)
# From where on the exponential is too large for a type; of which negative number it is 0.
LIMITS = {"float16": ("half precision", 12, 18), "float32": ("single precision", 89, 104)}


def diagnose(exercise: Exercise, transport: Transport, framework: str, seed: int = 0) -> Verdict:
    """Return what the judge decides, and of an answer that it rejects what is wrong."""
    trial = Trial(exercise, transport, framework, seed)
    return explained(trial, trial.verdict())


def explained(trial: Trial, verdict: Verdict) -> Verdict:
    """Return the verdict of a trial; if it rejects the answer, with what is wrong in the place of the judge's plain words."""
    if verdict.outcome not in WRONG:
        return verdict
    with np.errstate(all="ignore"):
        return with_general_misconception(Diagnosis(trial, verdict).verdict())


class Diagnosis:
    """One answer that is rejected. judged: the judge's verdict on it."""

    def __init__(self, trial: Trial, judged: Verdict) -> None:
        self.trial, self.judged = trial, judged
        self.exercise, self.cases = trial.exercise, trial.cases
        self.matcher = Matcher(trial.exercise, trial.cases, trial.expected)
        self.exact = False  # whether it is called in double precision, since rounding hides what it computes

    def verdict(self) -> Verdict:
        """Return the verdict with what is found."""
        if self.judged.outcome == "error":
            return self._of_a_stop() if self.judged.kind == Kind.STOPS else self.judged
        if self.trial.wrong:
            return self._of_values(self.trial.results, self.trial.wrong)
        if self.judged.failed_stage == "gradients":
            return self._of_gradients()
        return self._noted(self.judged)

    # Answers that stop

    def _of_a_stop(self) -> Verdict:
        error = self.trial.results[-1].error
        case, verdict = self.cases[len(self.trial.results) - 1], self.judged
        if error and (why := explain(self.exercise, case, error, self.trial.framework)):
            why = stop_finding(why, error)
            verdict = replace(
                verdict, message=why.words, kind=why.kind, cause=why.cause, raised=exception_text(error)
            )
        return self._stops_like_a_misconception(case, verdict.message) or verdict

    def _stops_like_a_misconception(self, case: Case, sentence: str) -> Verdict | None:
        """Return the verdict of a misconception that stops on the same shapes, and shows itself on the others.

        case, sentence: where the answer stopped first, and what an error would say.
        """
        begun = self.trial.results
        answers = begun + [self.trial.ask(case) for case in self.cases[len(begun) :]]
        if match := self.matcher.misconception_that_stops(answers):
            return self._idea(*match, answers)
        if match := self.matcher.misconception_of_completed(answers):
            verdict = self._idea(*match, answers)
            words = f"{verdict.message} It stops too, in the case {case.note!r}. {sentence}"
            return replace(verdict, message=words)
        return None

    # Answers whose values are wrong

    def _of_values(self, answers: list[CallResult], wrong: list[int]) -> Verdict:
        expected = self.trial.expected
        if all(same(self.exercise, self.cases[i], answers[i].outputs, expected[i], True) for i in wrong):
            return self._noted(self.judged)  # ints are asked for, and these are floats
        if matched := self.matcher.misconception_of(answers, wrong):
            return self._idea(matched, wrong[0], answers)
        if exact := self._in_double(answers):
            return self._of_exact(answers, wrong, exact)
        return self._of_nameless(answers, wrong)

    def _idea(self, idea: Misconception, i: int, answers: list[CallResult]) -> Verdict:
        """Return the verdict on answers that are a misconception's. i: a case that shows it."""
        finding = Finding(Kind.IDEA, idea.hint, name=idea.name)
        return self.trial.verdict_on(Rejection("misconception", finding, i, self.cases[i]), answers)

    def _in_double(self, answers: list[CallResult]) -> list[CallResult] | None:
        """Return what it gives in double precision; None if that is the same, or if it does not run so."""
        if self.trial.framework == "numpy":
            return None
        doubles = [replace(case, dtype="float64") for case in self.cases]
        exact = self.trial.ask_all([(case, False, None) for case in doubles])
        if len(exact) < len(answers) or exact[-1].failed:
            return None
        both = zip(self.cases, answers, exact, strict=True)
        is_same = all(same(self.exercise, case, mine.outputs, other.outputs) for case, mine, other in both)
        return None if is_same else exact

    def _of_exact(self, answers: list[CallResult], wrong: list[int], exact: list[CallResult]) -> Verdict:
        """Return the verdict on wrong values that are others in double precision."""
        still = [i for i in wrong if not self.trial.same(i, exact[i].outputs)]
        if not still:
            rejection = self.trial.unequal(answers, wrong[:1])
            finite = rejection.finding.kind != Kind.NOT_FINITE
            why = LOST if finite else NO_ROOM.format(*LIMITS[rejection.case.dtype])
            finding = Finding(Kind.ROUNDING, f"{rejection.finding.words} {IN_DOUBLE} {why}")
            verdict = self.trial.verdict_on(replace(rejection, stage="values", finding=finding), answers)
            return replace(verdict, failed_stage=rejection.stage)
        if matched := self.matcher.misconception_of(exact, still):
            return self._idea(matched, still[0], exact)
        self.exact = True
        return self._of_nameless(exact, still)

    def _of_nameless(self, answers: list[CallResult], wrong: list[int]) -> Verdict:
        rejection = self.trial.unequal(answers, wrong)
        if rejection.stage != "contract":
            rules = (self.trial.violated(p, self._run, wrong[:TRIED]) for p in self.exercise.properties)
            rejection = next(filter(None, rules), rejection)
        if interchanged := self._interchanged(answers):
            return self.trial.rejected("contract", interchanged, rejection.case)
        is_open = rejection.stage != "contract" and not rejection.finding.name
        if is_open and self._is_random(wrong[0], answers):
            return self.trial.verdict_on(replace(rejection, stage="values", finding=RANDOM), answers)
        if idea := self.matcher.combination(answers, wrong):
            sure = replace(rejection, finding=replace(rejection.finding, guess=""))
            verdict = self._noted(self.trial.verdict_on(sure, answers))
            message = f"{verdict.message} {idea.words}"
            return replace(verdict, message=message, kind=idea.kind, misconception=idea.name, hint=idea.words)
        verdict = self._noted(self.trial.verdict_on(rejection, answers))
        if rejection.stage == "values" and (related := self._related(answers, wrong, rejection.index)):
            return replace(verdict, message=f"{verdict.message} {related.words}", kind=related.kind)
        steps = self._steps(rejection.case) if is_open else ""
        return replace(verdict, message=f"{verdict.message} {steps}".rstrip())

    def _run(self, case: Case, train: bool = False) -> Outputs:
        """Return the answer's results on a case. Raises NoAnswer if they cannot be looked at."""
        return self.trial.run(self._in_its_precision(case), train)

    def _in_its_precision(self, case: Case) -> Case:
        return replace(rounded(case), dtype="float64") if self.exact else case

    def _steps(self, case: Case) -> str:
        """Return which of its variables hold steps of the reference."""
        case = self._in_its_precision(case)
        return compared_steps(self.exercise, case, self.trial.watched(case))

    def _interchanged(self, answers: list[CallResult]) -> Finding | None:
        """Return a finding if two results are right but stand in each other's place."""
        returned = [i for i, output in enumerate(self.exercise.returns) if not output.attribute]
        for a, b in combinations(returned, 2):
            order = list(range(len(self.exercise.returns)))
            order[a], order[b] = b, a
            turned = [tuple(answer.outputs[position] for position in order) for answer in answers]
            if all(self.trial.same(i, outputs) for i, outputs in enumerate(turned)):
                first, second = (self.exercise.returns[i].name for i in (a, b))
                words = f"{first} and {second} are right, but each is returned in the place of the other."
                return Finding(Kind.RESULTS_INTERCHANGED, words)
        return None

    def _is_random(self, i: int, answers: list[CallResult]) -> bool:
        """Return whether a second call on a case gives another result, as layers do that are made in the call."""
        try:
            again = self._run(self.cases[i])
        except NoAnswer:
            return False
        return not same(self.exercise, self.cases[i], again, answers[i].outputs)

    def _related(self, answers: list[CallResult], wrong: list[int], index: int) -> Finding | None:
        """Return what can be computed of wrong values that have no name; of choices how many are right, and not which.

        index: of the case that is shown. What is said of another names it; that nothing has an effect is said of the
        shown one alone.
        """
        expected, count = self.trial.expected, len(self.cases)
        if self.exercise.has_choices:
            right = count - len(wrong)
            how_many = f"Of all cases, {right} of {count} {'is' if right == 1 else 'are'} right."
            # Of several, a case says itself how many are right.
            return Finding(Kind.CHOICES, how_many) if isinstance(expected[0][0], str) else None
        compared = Compared(self.exercise, self.cases, [a.outputs for a in answers], expected, wrong)
        small = min((self.cases[i] for i in wrong), key=partial(telling_size, self.exercise))
        shown_case, small_case = rounded(self.cases[index]), rounded(small)
        right_cases = [case for i, case in enumerate(self.cases) if i not in wrong]
        looks = (
            lambda: relation(compared),
            lambda: mixed_batch(self.exercise, small_case, self._run),
            lambda: relation_of_cases(compared),
            lambda: argument_use(self.exercise, shown_case, self._run, right_cases),
            lambda: _in_the_case(small_case, argument_use(self.exercise, small_case, self._run, right_cases)),
        )
        for look in looks:
            with suppress(NoAnswer):
                if finding := look():
                    return finding
        return None

    # Answers whose values are right

    def _of_gradients(self) -> Verdict:
        trial, one = self.trial, self.trial.differentiated
        assert one is not None
        finding, error = None, one.answer.error
        if error is None:
            ideas = self.exercise.wrong_gradients if not one.answer.failed else ()
            if idea := next((idea for idea in ideas if one.matches_slopes_of(idea.function)), None):
                finding = Finding(Kind.IDEA, idea.hint, name=idea.name)
        elif why := explain(self.exercise, one.case, error, trial.framework):
            words = f"Its values are right, but with gradients it stops. {why.words}"
            finding = stop_finding(replace(why, words=words), error)
        return self._noted(trial.rejected("gradients", finding, one.case) if finding else self.judged)

    def _noted(self, verdict: Verdict) -> Verdict:
        """Return the verdict with what warnings of the library mean, if it is known."""
        notes = on_warnings(self.trial.warned)
        if not notes:
            return verdict
        kind = Kind.WARNED if verdict.kind == Kind.VALUES else verdict.kind
        return replace(verdict, message=f"{verdict.message}{notes}", kind=kind)


def _in_the_case(case: Case, finding: Finding | None) -> Finding | None:
    """Return what is found on a case that is not shown, with its name; not that nothing has an effect, which may hold by chance."""
    if finding is None or finding.kind == Kind.ARGUMENT_NOT_USED:
        return None
    words = f"In the case {case.note!r}, {finding.words[:1].lower()}{finding.words[1:]}"
    return replace(finding, words=words)
