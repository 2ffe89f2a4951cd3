"""An argument that may be a list or a tuple comes as both, and a list that is asked for must be one."""

import pytest

from autograder.checking.check import LocalTransport, check
from autograder.diagnose.diagnosis import diagnose
from autograder.model.catalogue import all_exercises
from solutions.language_model.in_numpy import merge_pair as right
from tests.support import graded
from tools.wrong_versions import wrong_source, wrong_versions

pytest.importorskip("torch", reason="PyTorch is not installed.")
TASK = all_exercises()["merge_pair"]
SLICE = wrong_versions()["merge_pair", "slice_never_equals_a_tuple", "torch"]


def walked(equal):
    """merge_pair, where `found(tokens, i, pair)` says whether the pair begins at i."""

    def merge_pair(tokens, pair, new):
        merged, i = [], 0
        while i < len(tokens):
            if equal(tokens, i, pair):
                merged.append(new)
                i += 2
            else:
                merged.append(tokens[i])
                i += 1
        return merged

    return merge_pair


def verdict_on(answer, seed=0):
    return diagnose(TASK, LocalTransport("torch", answer), "torch", seed)


@pytest.mark.parametrize(
    ("equal", "idea"),
    [
        (lambda tokens, i, pair: tokens[i : i + 2] == pair, "slice_never_equals_a_tuple"),
        (lambda tokens, i, pair: tokens[i : i + 2] == list(pair), "slice_never_equals_a_list"),
    ],
)
def test_a_comparison_that_holds_for_one_of_the_two_only_is_named(equal, idea):
    for seed in range(5):
        assert verdict_on(walked(equal), seed).misconception == idea


def test_a_list_is_a_list_in_the_process_of_a_submission_too(zygote):
    source = "import torch\n" + wrong_source(TASK, "torch", SLICE)
    verdicts = graded(zygote, source, "a.py", [TASK])
    assert [v.misconception for v in verdicts] == ["slice_never_equals_a_tuple"]


def test_a_tuple_is_no_list():
    verdict = verdict_on(lambda *arguments: tuple(right(*arguments)))
    assert verdict.message == "merged is a tuple; it must be a list of whole numbers."


def test_a_wrong_idea_is_named_in_a_tuple_too():
    verdict = verdict_on(lambda tokens, pair, new: tuple(new if t in pair else t for t in tokens))
    assert verdict.misconception == "each_token_replaced"


def test_a_list_that_is_changed_is_told_so():
    def merge_pair(tokens, pair, new):
        merged = right(tokens, pair, new)
        if isinstance(tokens, list):
            tokens[:] = merged
        return merged

    verdict = verdict_on(merge_pair)
    assert verdict.message == "It changes its argument tokens in place: work on a copy."


def changed(tokens, pair, new):
    tokens[0] = new
    return tokens


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (changed, "tokens is a tuple, which cannot be changed"),
        (
            lambda tokens, pair, new: tokens[:1] + pair,
            "tokens is a list, and + joins a list with a list only",
        ),
    ],
    ids=["changed", "joined"],
)
def test_what_only_one_of_the_two_can_do_is_explained(answer, sentence):
    verdict = verdict_on(answer)
    assert verdict.outcome == "error" and verdict.message.startswith(sentence), verdict


def test_a_list_of_another_length_is_shown_beside_the_right_one():
    def merge_pair(tokens, pair, new):
        return [new, new]

    verdict = check(merge_pair, "torch")
    text = str(verdict)
    assert " entries; " in text and " are right." in text and "must hold" not in text
    assert "yours: merged = [" in text and "right: merged = [" in text, text
