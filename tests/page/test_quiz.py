"""Plain answers as questions with choices: one is right, and each wrong one has its reason."""

import pytest

from autograder.judge.cases import draw_cases
from autograder.model.catalogue import all_exercises
from autograder.page.quiz import is_chosen, questions

QUIZZES = [e for e in all_exercises().values() if e.is_plain]
# Those that offer their answers themselves: a quiz is all of them.
WITH_CHOICES = {
    "after_permuting",
    "weights_after",
    "unchanged_weights",
    "kind_of_attention",
    "which_leaks",
    "wrong_lines",
    "claims_that_hold",
    "rotary_proof_line",
    "gumbel_proof_step",
    "bound_proof_step",
    "order_proof_line",
    "scores_near_one",
    "still_absorbed",
    "value_after_writing",
    "what_tiles_change",
    "logits_that_change",
    "whose_probabilities",
}


def test_quizzes_are_the_exercises_whose_results_are_plain_values():
    assert {e.name for e in QUIZZES if is_chosen(e)} == WITH_CHOICES
    assert len(QUIZZES) > len(WITH_CHOICES)
    with pytest.raises(ValueError, match="masked_softmax returns arrays"):
        questions(all_exercises()["masked_softmax"])


@pytest.mark.parametrize("exercise", QUIZZES, ids=lambda e: e.name)
def test_each_question_has_one_right_choice_and_a_reason_for_each_wrong_one(exercise):
    quiz = questions(exercise)
    assert len(quiz) >= 2
    for question in quiz:
        texts = [choice.text for choice in question.choices]
        assert len(set(texts)) == len(texts) >= 2
        assert [choice.right for choice in question.choices].count(True) == 1
        hints = " ".join(misconception.hint for misconception in exercise.misconceptions)
        for choice in question.choices:
            assert choice.reason in ("That is right." if choice.right else hints), choice
            assert not choice.reason.startswith("Every answer is")


def right(question):
    return next(choice.text for choice in question.choices if choice.right)


def test_the_right_choices_are_those_of_the_references():
    changes = all_exercises()["unchanged_weights"]
    cases = draw_cases(changes, 0)
    expected = [changes.compute(changes.reference, case)[0] for case in cases]
    assert [right(question) for question in questions(changes)] == expected
    claims = {q.name: right(q) for q in questions(all_exercises()["claims_that_hold"])}
    assert (claims["concat"], claims["window"]) == ("True", "False")
    sizes = questions(all_exercises()["predict_shapes"])[0]
    assert sizes.sentence.startswith(
        "`batch` = 7, `num_queries` = 9, `num_keys` = 17, `d_k` = 14, `d_v` = 24"
    )
    assert right(sizes) == "((7, 9, 17), (7, 9, 24), 17)"


def test_a_reason_is_that_of_the_idea_which_is_wrong_the_least_often():
    """Neither score for a query twice as long: two ideas lead there, and one of them is about the query alone."""
    question = next(q for q in questions(all_exercises()["unchanged_weights"]) if "query twice" in q.sentence)
    reason = next(choice.reason for choice in question.choices if choice.text == "neither")
    assert reason.startswith("The cosine divides by the length of the query too")


def test_a_reason_does_not_say_how_many_others_are_right():
    for name in ("wrong_lines", "claims_that_hold"):
        for question in questions(all_exercises()[name]):
            assert not any("are right" in choice.reason for choice in question.choices)


def test_the_leak_shows_in_the_table_of_its_question():
    for question in questions(all_exercises()["which_leaks"]):
        position = int(question.sentence.rpartition(" ")[2])
        leaking = {row[0] for row in question.table[1:] if any(cell != "0" for cell in row[1 : position + 1])}
        assert leaking == {right(question)}


def test_questions_stay_the_same():
    exercise = all_exercises()["head_sizes"]
    assert questions(exercise) == questions(exercise)
