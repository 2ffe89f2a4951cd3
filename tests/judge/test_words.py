"""A name keeps its small letter where a message begins with it; what is not finite is told with what gives it."""

import numpy as np
import pytest

from autograder.judge.words import not_finite, sentence
from tests.diagnose.test_misconception_pairs import verdict_on

NAN, INF = float("nan"), float("inf")


def test_a_message_that_begins_with_a_result_keeps_its_name():
    verdict = verdict_on("scaled_scores", lambda queries, keys: queries @ keys.swapaxes(1, 2)[:, :, :1])
    assert verdict.message.startswith("scores has shape "), verdict


def test_another_word_gets_a_capital():
    assert sentence("it stops", {"scores"}) == "It stops."
    assert sentence("a token is lost") == "A token is lost."


def test_a_letter_of_a_formula_gets_none():
    assert sentence("m is not corrected") == "m is not corrected."


@pytest.mark.parametrize(
    ("entries", "sentence", "cause"),
    [
        ([[1, 2], [NAN, NAN]], "X[1, 0] is nan; every entry must be finite.", "All of its row is nan, as"),
        ([[1, NAN], [1, NAN]], "X[0, 1] is nan; every entry must be finite.", "0 / 0 gives nan"),
        ([[NAN, NAN], [NAN, NAN]], "X[0, 0] is nan; every entry must be finite.", "0 / 0 gives nan"),
        ([[1], [NAN]], "X[1, 0] is nan; every entry must be finite.", "0 / 0 gives nan"),
        ([1, -INF], "X[1] is -inf; every entry must be finite.", "The maximum of masked entries alone"),
        ([1, INF], "X[1] is inf; every entry must be finite.", "A division by 0 gives inf"),
        (NAN, "X is nan; every entry must be finite.", "0 / 0 gives nan"),
    ],
)  # fmt: skip
def test_what_gives_an_entry_that_is_not_finite_is_said(entries, sentence, cause):
    finding = not_finite("X", np.array(entries))
    assert finding.words == sentence and cause in finding.guess
    causes = ("All of its row", "0 / 0 gives nan", "gives inf", "is -inf, and")
    assert sum(other in finding.guess for other in causes) == 1


def test_a_row_divided_by_a_sum_of_zero_is_told_so():
    def nearly_sure_ones(probabilities, p):
        inside = probabilities * (probabilities > 0.9)
        return inside / inside.sum(axis=-1, keepdims=True)

    verdict = verdict_on("top_p", nearly_sure_ones)
    assert "is nan; every entry must be finite." in verdict.message, verdict
    assert "as where a row is divided by a sum of 0" in verdict.message
