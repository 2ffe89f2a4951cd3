"""Hints open one by one, and every exercise that asks for code has three."""

import pytest

from autograder import hint
from autograder.book.edition import text_for
from autograder.checking import progress
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises

QUESTIONS = {
    "after_permuting", "unchanged_weights", "kind_of_attention", "rotary_proof_line", "gumbel_proof_step",
    "what_tiles_change", "bound_proof_step", "value_after_writing", "order_proof_line", "still_absorbed",
    "scores_near_one", "wrong_lines", "claims_that_hold", "logits_that_change",
    "whose_probabilities",
}  # fmt: skip


@pytest.mark.parametrize("exercise", all_exercises().values(), ids=lambda e: e.name)
def test_an_exercise_that_asks_for_code_has_three_hints(exercise):
    assert len(exercise.hints) == (0 if exercise.name in QUESTIONS else 3)
    assert len(set(exercise.hints)) == len(exercise.hints)
    for text in (text_for(h, name) for h in exercise.hints for name in (None, *graded_frameworks())):
        assert text.endswith((".", "?")) and "\n" not in text, text


def test_each_call_gives_the_next_one(tmp_path, monkeypatch):
    progress.create(tmp_path)
    monkeypatch.chdir(tmp_path)
    hints = all_exercises()["cosine_score"].hints
    replies = [hint("cosine_score") for _ in range(5)]
    assert [h.text for h in replies[:3]] == list(hints)
    assert "solution" in replies[3].text and replies[4].text == hints[0]
    assert repr(replies[0]).startswith("Hint 1 of 3: ") and replies[0]._repr_markdown_().startswith(
        "**Hint 1 of 3.**"
    )
    assert progress.read(tmp_path / progress.FILE) == {}, "asking for a hint is not recorded"


def test_a_class_is_found_by_its_name_too():
    assert hint("LuongConcat").text == all_exercises()["luong_concat"].hints[0]


def test_a_question_has_none_and_an_unknown_name_gets_a_sentence():
    assert "question" in hint("unchanged_weights").text
    with pytest.raises(LookupError, match="no exercise 'nonsense'"):
        hint("nonsense")
