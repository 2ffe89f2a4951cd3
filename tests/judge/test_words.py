"""A name keeps its small letter where a message begins with it; no warning of NumPy comes beside a verdict."""

import numpy as np
import pytest

from autograder.judge.cases import prepare
from autograder.judge.edit_data import changes_of_inputs, changes_of_outputs
from autograder.judge.words import not_finite, sentence
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Case
from tests.judge.test_pairs import verdict_on

NAN, INF = float("nan"), float("inf")


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


@pytest.mark.parametrize(
    ("entries", "said", "cause"),
    [
        ([[1, 2], [NAN, NAN]], "X[1, 0] is nan; every entry must be finite.", "All of its row is nan, as"),
        ([[1, NAN], [1, NAN]], "X[0, 1] is nan; every entry must be finite.", "0 / 0 gives nan"),
        ([[NAN, NAN], [NAN, NAN]], "X[0, 0] is nan; every entry must be finite.", "0 / 0 gives nan"),
        ([[1], [NAN]], "X[1, 0] is nan; every entry must be finite.", "0 / 0 gives nan"),
        ([1, -INF], "X[1] is -inf; every entry must be finite.", "A maximum over nothing but masked entries"),
        ([1, INF], "X[1] is inf; every entry must be finite.", "A division by 0 gives inf"),
        (NAN, "X is nan; every entry must be finite.", "0 / 0 gives nan"),
    ],
)  # fmt: skip
def test_what_gives_an_entry_that_is_not_finite_is_said(entries, said, cause):
    words = not_finite("X", np.array(entries))
    assert words.startswith(said) and cause in words
    assert (
        sum(other in words for other in ("All of its row", "0 / 0 gives nan", "gives inf", "is -inf, and"))
        == 1
    )


def test_a_row_divided_by_a_sum_of_zero_is_told_so():
    def nearly_sure_ones(probabilities, p):
        inside = probabilities * (probabilities > 0.9)
        return inside / inside.sum(axis=-1, keepdims=True)

    verdict = verdict_on("top_p", nearly_sure_ones)
    assert "is nan; every entry must be finite." in verdict.message, verdict
    assert "as where a row is divided by a sum of 0" in verdict.message
