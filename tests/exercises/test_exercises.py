"""What holds of every exercise, whatever its topic. A failure says what to change, and where."""

import inspect
import re
import tomllib
from dataclasses import fields
from functools import cache

import numpy as np
import pytest

from autograder import check
from autograder.book.teachers_chapter import box
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.judge import trial
from autograder.judge.cases import draw_cases
from autograder.judge.functions import FunctionTransport
from autograder.model.catalogue import all_exercises, topics
from autograder.model.exercise import Exercise
from autograder.model.misconceptions import edited
from autograder.model.paths import ROOT
from tests.support import FRAMEWORKS, handed_in, need, session, solution
from tools.wrong_versions import define, wrong_source, wrong_versions

EXERCISES = list(all_exercises().values())
NAMES = [e.name for e in EXERCISES]
SEEDS = range(50)
# Each misconception is judged on two of the seeds, the next one on two others; --all-seeds takes all of them. Of 76
# exercises with one case left out, ten seeds noticed 12, and two the same 12.
EVERY = 25
# Under --all-seeds each wrong version in a framework is judged on so many; otherwise on one.
FRAMEWORK_SEEDS = 8
# Of an exercise's text outside its table, and of a rule in it.
MOST_WORDS, MOST_IN_A_ROW = 80, 40
WRONG = wrong_versions()
RESULTS = {}
# Beam search decodes, a step of training ends it, and rounded numbers have no slope: nothing is trained through them.
NOT_TRAINED = {"beam_step", "clip_gradients", "adamw_step", "quantised_cache", "draw_token"}

each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=NAMES)
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


class Remembered(Exercise):
    """An exercise that computes a function on a case once, for all functions that are judged on it."""

    def compute(self, function, case):
        # The case is kept with its result, so that its id names no other.
        stored_case, result = RESULTS.get((function, id(case)), (None, None))
        if stored_case is not case:
            result = super().compute(function, case)
            RESULTS[function, id(case)] = case, result
        return result


@cache
def cases_of_seed(name, seed):
    """The cases of a seed, drawn once."""
    return draw_cases(all_exercises()[name], seed)


@pytest.fixture
def draws_once(monkeypatch):
    monkeypatch.setattr(trial, "draw_cases", lambda exercise, seed: cases_of_seed(exercise.name, seed))
    yield
    RESULTS.clear()
    cases_of_seed.cache_clear()


def judged(exercise, function, seed):
    remembered = Remembered(**{f.name: getattr(exercise, f.name) for f in fields(exercise)})
    return diagnose(remembered, FunctionTransport(exercise, function), "numpy", seed)


@each_exercise
def test_the_reference_is_accepted_whatever_the_seed(exercise, draws_once):
    for seed in SEEDS:
        verdict = judged(exercise, exercise.reference, seed)
        assert verdict.outcome == "accepted", (
            f"With seed {seed} the reference of {exercise.name} does not pass its own exercise. If it took a "
            f"property for broken, mend that in exercises/{exercise.topic}.py.\n{verdict}"
        )


@each_exercise
def test_the_cases_tell_every_misconception_from_all_others_whatever_the_seed(
    exercise, draws_once, pytestconfig
):
    every = 1 if pytestconfig.getoption("--all-seeds") else EVERY
    ideas = [variant for misconception in exercise.misconceptions for variant in misconception.variants]
    for number, misconception in enumerate(ideas):
        for seed in SEEDS[number % every :: every]:
            verdict = judged(exercise, misconception.function, seed)
            taken_for = verdict.misconception or f"another answer ({verdict.outcome})"
            assert verdict.misconception == misconception.name, (
                f"With seed {seed} the cases of {exercise.name} take {misconception.name} for {taken_for}. Add "
                f"a case to exercises/{exercise.topic}.py on which the two give different results.\n{verdict}"
            )


LARGE = re.compile(r"scores? .*(hundreds|thousands|\b\d{3,}\b)")


def largest_score(inputs):
    if "scores" in inputs or "X" in inputs:
        return np.abs(inputs.get("scores", inputs.get("X"))).max()
    queries, keys = inputs["queries"], inputs["keys"]
    return np.abs(queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[2])).max()


@each_exercise
def test_scores_called_large_have_an_infinite_exponential_in_double_precision_too(exercise):
    """The page computes in it; there a score of 500 has an exponential, and a formula that overflows would pass."""
    small = [
        f"{case.note}: {largest_score(case.inputs):.0f}"
        for case in draw_cases(exercise, seed=0)
        if LARGE.search(case.note) and largest_score(case.inputs) <= np.log(np.finfo(float).max)
    ]
    assert not small, (
        f"{exercise.name} in exercises/{exercise.topic}.py must have scores above 709 in {small}."
    )


@each_exercise
def test_a_text_is_short_and_its_conditions_stand_in_the_table(exercise):
    """A learner writes from it alone: what and why in some lines, then what must hold of each name."""
    count = len(" ".join([exercise.statement, *exercise.rules]).split())
    long = [name for name, words in exercise.conditions.items() if len(words.split()) > MOST_IN_A_ROW]
    assert count <= MOST_WORDS and not long, (
        f"{exercise.name} in exercises/{exercise.topic}.py must have at most {MOST_WORDS} words in its statement and "
        f"rules, but has {count}, and at most {MOST_IN_A_ROW} in a row of its table, but has more in {long}: what must "
        "hold of an argument, a learned array or a result stands in `conditions`."
    )


def test_a_box_shows_how_what_the_exercise_provides_is_called():
    for exercise in all_exercises().values():
        text = box(exercise)
        assert not [name for name in exercise.helpers if f"`{name}(" not in text], exercise.name
    text = box(all_exercises()["attend_with_cache"])
    assert "**Provided:** `plain_attention(queries, keys, values)` in `solutions.efficient`." in text


@each_exercise
def test_no_word_of_an_exercise_is_broken_at_its_hyphen(exercise):
    """As where a text in several pieces is broken behind "log-" and the space stays."""
    ideas = [*exercise.misconceptions, *exercise.wrong_gradients]
    texts = [exercise.title, exercise.statement, *exercise.rules, *exercise.conditions.values()]
    texts += [*exercise.hints, *(m.hint for m in ideas)]
    for rule in exercise.properties:
        texts += [rule.name, *rule.misconceptions.values()]
    broken = [text for text in texts if re.search(r"[a-z]- [a-z]", text)]
    assert not broken, f"{exercise.name} in exercises/{exercise.topic}.py breaks a word: {broken}"


# What a learner wrote: "You divide by", "your mask". Not what is advised ("before you add") or handed in
# ("the weights that you return", "your context").
CODE_WORDS = re.compile(
    r"(?<!before )(?<!where )(?<!when )(?<!after )(?<!that )\b[Yy]ou \w+"
    r"|\b[Yy]our ((self|cross)-attention|attention|code|epsilon|feed-forward|loop|mask|maximum|mean|norms?|reshape|root"
    r"|running|second|softmax|sum|third|tiles|variance)\b"
)


@each_exercise
def test_a_hint_says_what_comes_out_and_not_what_was_written(exercise):
    """Equal values tell of a wrong idea, and other code has the same values."""
    hints = [m.hint for m in (*exercise.misconceptions, *exercise.wrong_gradients)]
    hints += [hint for rule in exercise.properties for hint in rule.misconceptions.values()]
    claims = [f"{match[0]!r} in {hint!r}" for hint in hints if (match := CODE_WORDS.search(hint))]
    assert not claims, (
        f"The judge has not read the answer. Say what comes out ('The scores come out divided by …', 'These are …') "
        f"in exercises/{exercise.topic}.py: {claims}"
    )


@each_exercise
def test_a_hint_speaks_of_no_framework(exercise):
    """Whoever learns with one framework need not know another."""
    assert not [m.hint for m in exercise.misconceptions if re.search("MXNet|PyTorch|Gluon", m.hint)]


@each_exercise
def test_an_idea_with_another_constant_has_the_same_name(exercise):
    """A report counts names, and a cluster may send none that no misconception has."""
    for misconception in exercise.misconceptions:
        assert {variant.name for variant in misconception.variants} == {misconception.name}


@each_exercise
def test_the_text_says_which_calls_are_refused(exercise):
    text = " ".join([exercise.statement, *exercise.rules])
    sentence = re.search(r"[Tt]he library's own|[Nn]o library function|Do not call", text)
    assert bool(exercise.forbidden) == bool(sentence), (
        f"{exercise.name} in exercises/{exercise.topic}.py must say that the library's own may not be called"
        if exercise.forbidden
        else f"{exercise.name} refuses nothing, but says {sentence}"
    )


@each_exercise
@each_framework
def test_the_solution_is_accepted(exercise, framework, pytestconfig):
    if pytestconfig.getoption("--all-seeds"):
        entry = handed_in(exercise.name, framework)
        for seed in SEEDS:
            verdict = diagnose(exercise, LocalTransport(framework, entry), framework, seed)
            assert verdict.outcome == "accepted", (
                f"With seed {seed} single precision does not suffice for a right answer to {exercise.name}: "
                f"give that case in exercises/{exercise.topic}.py smaller numbers.\n{verdict}"
            )
    verdict = check(handed_in(exercise.name, framework), framework, exercise=exercise.name)
    assert verdict.outcome == "accepted", (
        f"{exercise.entry} in solutions/{exercise.topic}/in_{framework}.py does not compute what the "
        f"reference in in_numpy.py computes. Mend the one that is wrong.\n{verdict}"
    )
    assert verdict.points == exercise.points


@each_exercise
@pytest.mark.parametrize(
    "framework", [f if f == "torch" else pytest.param(f, marks=pytest.mark.ci) for f in FRAMEWORKS]
)
def test_each_misconception_is_rejected_with_its_own_hint(exercise, framework, pytestconfig):
    need(framework)
    seeds = range(FRAMEWORK_SEEDS if pytestconfig.getoption("--all-seeds") else 1)
    faults = [
        fault_of(exercise, misconception, framework, seeds) for misconception in exercise.misconceptions
    ]
    assert not any(faults), "\n\n".join(filter(None, faults))


def fault_of(exercise, misconception, framework, seeds):
    """What is wrong with the wrong version of a misconception, or with the verdicts on it; None if nothing is."""
    key = (exercise.name, misconception.name, framework)
    if key not in WRONG:
        return missing_version(*key)
    try:
        entry = define(exercise, framework, wrong_source(exercise, framework, WRONG[key]))
    except Exception as error:
        return f"{place_of(*key)} cannot be defined: {error!r}. Mend the edit."
    for seed in seeds:
        # `check` takes the seed 0, and looks at more than values.
        verdict = (
            diagnose(exercise, LocalTransport(framework, entry), framework, seed)
            if seed
            else check(entry, framework, exercise=exercise.name)
        )
        if (verdict.outcome, verdict.misconception) != ("rejected", misconception.name):
            return (
                f"With seed {seed}, {place_of(*key)} does not compute what the function {misconception.name} in "
                f"exercises/{exercise.topic}.py computes. Change the one that is not the mistake.\n{verdict}"
            )
        if (verdict.hint, verdict.points) != (misconception.hint, 0):
            return f"{place_of(*key)} must be rejected with the hint of {misconception.name} and get no points.\n{verdict}"
    return None


def place_of(name, misconception, framework):
    return f"{framework} of [{name}.{misconception}] in exercises/{all_exercises()[name].topic}.toml"


def missing_version(name, misconception, framework):
    return f"add {place_of(name, misconception, framework)}: the edit of the solution that makes this mistake"


def test_every_misconception_has_a_wrong_version_in_each_framework():
    triples = [(e.name, m.name, f) for e in EXERCISES for m in e.misconceptions for f in FRAMEWORKS]
    missing = [missing_version(*key) for key in triples if key not in WRONG]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("topic", topics())
def test_a_file_of_ideas_says_nothing_that_is_not_read(topic):
    path = ROOT / "exercises" / f"{topic}.toml"
    tables = {name: table for name, table in tomllib.loads(path.read_text()).items() if name != "imports"}
    assert set(tables) <= {e.name for e in EXERCISES if e.topic == topic}
    keys = {"hint", "also", "every", "twins", "numpy", *FRAMEWORKS}
    unknown = [
        f"{exercise}.{idea}: {key}"
        for exercise, ideas in tables.items()
        for idea, table in ideas.items()
        for key in set(table) - keys
    ]
    assert not unknown


def test_an_edit_that_does_not_find_its_text_says_so():
    with pytest.raises(
        ValueError, match=r"the edit looks for 'keys', which must stand once .* there 2 times"
    ):
        edited("keys @ keys", ("keys", "values"), "scaled_scores.values_for_keys")


@each_exercise
def test_mxnet_and_pytorch_agree_in_values_and_gradients(exercise):
    for case in draw_cases(exercise, seed=7):
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
                numbers = isinstance(a, tuple) and set(map(type, a)) == {float}
                expected = pytest.approx(b, rel=rtol) if numbers else b
                assert a == expected, f"{case.note}: {a} in MXNet, {b} in PyTorch"
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
    from autograder.judge.protocol import call_request, checked_result

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
    request = call_request(exercise, case, False, cotangents, framework)
    ((reply, arrays),) = session(framework, entry).exchange_all([request])
    assert "error" not in reply and "contract_broken" not in reply, reply
    answer = checked_result(reply, arrays, len(exercise.returns))
    return answer.outputs, answer.gradients


@each_exercise
def test_an_exercise_states_what_a_learner_and_a_teacher_need(exercise):
    label = f"{exercise.name} in exercises/{exercise.topic}.py"
    names = [m.name for m in exercise.misconceptions]
    twice = sorted({name for name in names if names.count(name) > 1})
    assert not twice, f"{label} must list each misconception once, but lists {twice} more often."
    assert 1 <= exercise.difficulty <= 5, f"{label} must have a difficulty from 1 to 5."
    assert exercise.minutes > 0 and exercise.points > 0, f"{label} must have minutes and points above 0."
    for text in (
        exercise.title,
        exercise.statement,
        *(m.hint for m in exercise.misconceptions),
        *exercise.rules,
        *exercise.conditions.values(),
    ):
        assert text.strip() == text and text, f"{label}: {text!r} must have words, and no space around them."
    names = [a.name for a in exercise.arguments]
    for framework in FRAMEWORKS:
        entry = getattr(solution(exercise.topic, framework), exercise.entry)
        function = (getattr(entry, "forward", None) or entry.__call__) if exercise.is_class else entry
        parameters = [n for n in inspect.signature(function).parameters if n != "self"]
        assert parameters == names, (
            f"{exercise.entry} in solutions/{exercise.topic}/in_{framework}.py takes {parameters}, but the "
            f"arguments of {label} are {names}: give them the same names in the same order."
        )


@each_exercise
@each_framework
def test_a_solution_fits_the_column_of_a_page(exercise, framework):
    entry = getattr(solution(exercise.topic, framework), exercise.entry)
    lines, first = inspect.getsourcelines(entry)
    label = f"solutions/{exercise.topic}/in_{framework}.py"
    long = [
        f"{label}:{i}: {len(line.rstrip())}" for i, line in enumerate(lines, first) if len(line.rstrip()) > 60
    ]
    assert not long, "\n".join(
        ["A line of a solution must have at most 60 characters: two stand side by side on a page.", *long]
    )


@each_exercise
def test_an_exercise_knows_four_wrong_ideas(exercise):
    count = len(exercise.misconceptions)
    assert count >= 4, f"{exercise.name} has {count} misconceptions, but must have at least 4"


def test_exercises_come_in_the_order_of_the_chapters_and_build_on_earlier_ones():
    order = topics()
    assert tuple(dict.fromkeys(e.topic for e in all_exercises().values())) == order
    assert order[:2] == ("attention", "masked_softmax")
    for exercise in all_exercises().values():
        later = sorted(set(exercise.builds_on) & set(order[order.index(exercise.topic) + 1 :]))
        assert not later, (
            f"{exercise.name} builds on {later}, which _toc.yml lists after {exercise.topic}: let it build on "
            "earlier topics only, or move the chapter."
        )


@each_exercise
def test_the_cases_are_designed(exercise):
    cases = draw_cases(exercise, seed=0)
    label = f"{exercise.name} in exercises/{exercise.topic}.py"
    assert len(cases) >= 3, f"{label} must have at least 3 cases, but has {len(cases)}."
    assert len({c.note for c in cases}) == len(cases), f"{label} must give each case a note of its own."
    if all(output.plain for output in exercise.returns):
        return
    # A plain number, such as a width, is a size of its own.
    shapes = {tuple(v if isinstance(v, int) else np.shape(v) for v in c.inputs.values()) for c in cases}
    assert len(shapes) >= 3, f"{label} must have inputs of at least 3 shapes, but has {len(shapes)}."
    differentiable = any(
        isinstance(v, np.ndarray) and v.dtype.kind == "f" for c in cases for v in c.inputs.values()
    )
    assert any(c.gradient for c in cases) or not differentiable or exercise.name in NOT_TRAINED, (
        f"{label} takes float arrays, so at least one of its cases must have gradient=True."
    )


@pytest.mark.parametrize("topic", topics())
def test_exercises_come_in_the_order_of_their_chapter(topic):
    boxes = re.findall(
        r":label: ex-(\w+)", (ROOT / "chapters" / f"{topic}.ipynb").read_text().replace("\\n", "\n")
    )
    assert [e.name for e in EXERCISES if e.topic == topic] == boxes
