"""What holds of every exercise, whatever its topic."""

import inspect

import numpy as np
import pytest

from autograder import check
from autograder.judge.cases import prepare
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises, topics
from tests.support import FRAMEWORKS, FunctionTransport, session, solution
from tools.wrong_versions import define, wrong_source, wrong_versions

EXERCISES = list(all_exercises().values())
NAMES = [e.name for e in EXERCISES]
SEEDS = range(12)
WRONG = wrong_versions()

each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=NAMES)
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


@each_exercise
def test_the_reference_is_accepted_whatever_the_seed(exercise):
    for seed in SEEDS:
        verdict = judge(exercise, FunctionTransport(exercise, exercise.reference), "numpy", seed)
        assert verdict.outcome == "accepted", verdict


@each_exercise
def test_the_cases_tell_every_misconception_from_all_others_whatever_the_seed(exercise):
    for misconception in exercise.misconceptions:
        for seed in SEEDS:
            verdict = judge(exercise, FunctionTransport(exercise, misconception.function), "numpy", seed)
            assert verdict.misconception == misconception.name, f"seed {seed}: {verdict}"


@each_exercise
@each_framework
def test_the_solution_is_accepted(exercise, framework):
    entry = getattr(solution(exercise.topic, framework), exercise.entry)
    verdict = check(entry, framework, exercise=exercise.name)
    assert verdict.outcome == "accepted", verdict
    assert verdict.points == exercise.points


@pytest.mark.parametrize(
    ("name", "misconception", "framework"),
    [(e.name, m.name, f) for e in EXERCISES for m in e.misconceptions for f in FRAMEWORKS],
)
def test_a_misconception_is_rejected_with_its_own_hint(name, misconception, framework):
    exercise = all_exercises()[name]
    source = wrong_source(exercise, framework, WRONG[name, misconception, framework])
    verdict = check(define(exercise, framework, source), framework, exercise=name)
    assert (verdict.outcome, verdict.misconception) == ("rejected", misconception), verdict
    assert verdict.hint == next(m.hint for m in exercise.misconceptions if m.name == misconception)
    assert verdict.points == 0


def test_every_wrong_version_belongs_to_a_misconception():
    known = {(e.name, m.name, f) for e in EXERCISES for m in e.misconceptions for f in FRAMEWORKS}
    assert set(WRONG) == known


@each_exercise
def test_mxnet_and_pytorch_agree_in_values_and_gradients(exercise):
    for case in prepare(exercise, seed=7):
        answers = {}
        for framework in FRAMEWORKS:
            entry = getattr(solution(exercise.topic, framework), exercise.entry)
            answers[framework] = _ask(exercise, framework, entry, case)
        (values, gradients), (other_values, other_gradients) = answers.values()
        rtol, atol = (5e-3, 2e-3) if case.dtype == "float16" else (1e-4, 1e-5)
        for a, b in zip(values, other_values, strict=True):
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=case.note)
            else:
                assert a == b
        assert gradients.keys() == other_gradients.keys()
        for name, gradient in gradients.items():
            if gradient is None or other_gradients[name] is None:
                # One framework leaves out what the other fills with zeros.
                present = other_gradients[name] if gradient is None else gradient
                assert present is None or not present.any()
                continue
            size = max(1.0, float(np.abs(gradient).max()))
            np.testing.assert_allclose(
                gradient, other_gradients[name], rtol=rtol, atol=atol * size, err_msg=f"{case.note}: {name}"
            )


def _ask(exercise, framework, entry, case):
    from autograder.judge.protocol import call_request, checked_answer

    expected = exercise.compute(exercise.reference, case)
    random = np.random.default_rng(3)
    cotangents = None
    if case.gradient:
        cotangents = [
            random.normal(size=np.shape(v)).astype(np.float32)
            if not (o.attribute or o.plain) and np.asarray(v).dtype.kind == "f"
            else None
            for o, v in zip(exercise.returns, expected, strict=True)
        ]
    reply, arrays = session(framework, entry).exchange(
        *call_request(exercise, case, False, cotangents, framework)
    )
    assert "error" not in reply and "contract_broken" not in reply, reply
    answer = checked_answer(reply, arrays, len(exercise.returns))
    return answer.outputs, answer.gradients


@each_exercise
def test_an_exercise_states_what_a_learner_and_a_teacher_need(exercise):
    name, known = exercise.name, exercise.misconceptions
    assert len({m.name for m in known}) == len(known)
    assert 1 <= exercise.difficulty <= 5 and exercise.minutes > 0 and exercise.points > 0
    texts = {"title": exercise.title, "statement": exercise.statement}
    texts |= {f"rule {place}": rule for place, rule in enumerate(exercise.rules, start=1)}
    texts |= {f"hint on {m.name}": m.hint for m in known}
    for what, text in texts.items():
        assert text.strip() == text and text, f"{name}: its {what} must be a text without blanks around it"
    names = [a.name for a in exercise.arguments]
    for framework in FRAMEWORKS:
        entry = getattr(solution(exercise.topic, framework), exercise.entry)
        called = (getattr(entry, "forward", None) or entry.__call__) if exercise.is_class else entry
        found = [n for n in inspect.signature(called).parameters if n != "self"]
        assert found == names


@each_exercise
def test_an_exercise_knows_four_wrong_ideas(exercise):
    count = len(exercise.misconceptions)
    assert count >= 4, f"{exercise.name} has {count} misconceptions, but must have at least 4"


def test_exercises_come_in_the_order_of_the_chapters_and_build_on_earlier_ones():
    order = topics()
    assert tuple(dict.fromkeys(e.topic for e in all_exercises().values())) == order
    assert order[:2] == ("attention", "masked_softmax")
    for exercise in all_exercises().values():
        later = order[order.index(exercise.topic) + 1 :]
        assert not set(exercise.builds_on) & set(later), exercise.name


@each_exercise
def test_the_cases_are_designed(exercise):
    cases = prepare(exercise, seed=0)
    assert cases, f"{exercise.name} has no case: its cases must be designed"
    assert len(cases) >= 3
    assert len({c.note for c in cases}) == len(cases)
    # A plain number, such as a width, is a size of its own.
    shapes = {tuple(v if isinstance(v, int) else np.shape(v) for v in c.inputs.values()) for c in cases}
    plain = all(o.plain for o in exercise.returns)
    assert plain or len(shapes) >= 3
    assert (
        plain
        or any(c.gradient for c in cases)
        or not any(
            isinstance(v, np.ndarray) and v.dtype.kind == "f" for c in cases for v in c.inputs.values()
        )
    )
