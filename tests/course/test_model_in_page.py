"""What the stored language model answers to a reader's text."""

import numpy as np
import pytest

from autograder.book.markdown import Links, labels_of, plain
from course.data.prose import stored_model
from course.model_in_page import MOST_READ, MOST_WRITTEN, SHOWN, answer
from solutions.language_model.common import encode
from solutions.language_model.in_numpy import language_model

TEXT = "The weights of each row sum to"


def test_it_gives_the_most_probable_tokens_of_the_reference():
    model = stored_model()
    tokens = np.array([encode(TEXT, model.merges)])
    logits, weights = language_model(tokens, model.weights, model.num_heads)
    likely = np.exp(logits[0, -1]) / np.exp(logits[0, -1]).sum()
    found = answer(TEXT)
    np.testing.assert_allclose(
        [row[1] for row in found["next"]], np.sort(likely)[: -SHOWN - 1 : -1], rtol=1e-5
    )
    np.testing.assert_allclose(found["maps"], weights[:, 0], atol=6e-4)
    assert found["read"] == "".join(found["tokens"]) == TEXT
    assert (found["cut"], found["written"]) == ("", "")


def test_a_token_that_gains_without_a_head_is_among_those_shown():
    model = stored_model()
    tokens = np.array([encode(TEXT, model.merges)])
    for off in np.ndindex(3, model.num_heads):
        logits, _ = language_model(tokens, model.weights, model.num_heads, (off,))
        best = np.exp(logits[0, -1]).max() / np.exp(logits[0, -1]).sum()
        assert max(row[2] for row in answer(TEXT, off)["next"]) == pytest.approx(best, rel=1e-5)


def test_it_writes_the_same_for_the_same_seed_and_another_text_for_another():
    one, again, other = (answer(TEXT, None, MOST_WRITTEN, 0.7, seed)["written"] for seed in (1, 1, 2))
    assert one == again != other
    cold = {answer(TEXT, None, 1, 0.01, seed)["written"] for seed in range(5)}
    assert cold == {answer(TEXT)["next"][0][0]}


def test_a_long_text_is_cut_and_an_empty_one_refused():
    found = answer("attention " * 100_000)
    assert len(found["tokens"]) == MOST_READ and str(MOST_READ) in found["cut"]
    for wrong in ({"text": ""}, {"text": "a", "temperature": 0}, {"text": "a", "steps": MOST_WRITTEN + 1}):
        with pytest.raises(ValueError, match=r"\.$"):
            answer(**wrong)


def test_a_learners_copy_says_how_the_model_answers_there():
    text = plain(f"Before.\n\n```{{model-in-page}} {TEXT}\n```\n\nBehind.", Links())
    assert "change the text in the cell above" in text and "{" not in text and "`" not in text


def test_a_directive_that_holds_nothing_has_no_labels():
    assert labels_of(f"```{{model-in-page}} {TEXT}\n```", "language_model.ipynb") == {}
