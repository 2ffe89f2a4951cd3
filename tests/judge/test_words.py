"""A name keeps its small letter where a message begins with it; no warning of NumPy comes beside a verdict."""

from autograder.judge.cases import prepare
from autograder.judge.edit_data import changes_of_inputs, changes_of_outputs
from autograder.judge.words import sentence
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Case
from tests.judge.test_pairs import verdict_on


def test_a_message_that_begins_with_a_result_keeps_its_name():
    verdict = verdict_on("scaled_scores", lambda queries, keys: queries @ keys.swapaxes(1, 2)[:, :, :1])
    assert verdict.message.startswith("scores has shape "), verdict


def test_another_word_gets_a_capital():
    assert sentence("it stops", {"scores"}) == "It stops."


def test_nothing_is_averaged_over_an_empty_cache(recwarn):
    exercise = all_exercises()["attend_with_cache"]
    full = next(case for case in prepare(exercise, 0) if case.inputs["cached_keys"] is not None)
    empty = {
        name: value[:, :0] if name.startswith("cached") else value for name, value in full.inputs.items()
    }
    for change in changes_of_inputs(exercise, [full]):
        try:
            change.case(Case("no cache", empty))
        except (ValueError, IndexError):
            continue
    for change in changes_of_outputs(exercise):
        outputs = [full.inputs["query"][:, :0]] * 3
        assert change.outputs(tuple(outputs)) is None
    assert [str(warning.message) for warning in recwarn] == []
