"""`check`: what a learner sees, in a notebook and in a terminal."""

import functools
import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from IPython.core.formatters import DisplayFormatter

from autograder import check
from autograder.checking import progress
from autograder.checking.shown_verdict import ShownVerdict
from autograder.frameworks.libraries import mx
from autograder.html.render import with_code
from autograder.model.catalogue import all_exercises
from autograder.model.verdict import Verdict
from tests.support import handed_in, need


def masked_softmax(X, valid_length):
    return torch.softmax(X, dim=-1)


def scaled_scores(queries, keys):
    return queries @ keys.transpose(1, 2)


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        self.attention_weights = masked_softmax(scaled_scores(queries, keys), valid_length)
        return self.dropout(self.attention_weights) @ values


def test_a_wrong_answer_names_the_wrong_answers_that_it_uses(monkeypatch):
    """As they are now, and as the last check has found them."""
    sentence = " It uses {}, which {} not accepted either."
    for answer in (masked_softmax, scaled_scores):
        assert "either" not in check(answer).message
    both = sentence.format("masked_softmax and scaled_scores", "are")
    assert check(DotProductAttention).message.endswith(both)
    monkeypatch.setitem(globals(), "scaled_scores", handed_in("scaled_scores", "torch"))
    assert check(DotProductAttention).message.endswith(sentence.format("masked_softmax", "is"))
    monkeypatch.setitem(globals(), "masked_softmax", handed_in("masked_softmax", "torch"))
    assert check(masked_softmax).outcome == check(DotProductAttention).outcome == "accepted"


def test_a_wrong_helper_is_named_though_its_twin_in_another_framework_is_right():
    need("mxnet")
    assert check(masked_softmax).outcome == "rejected"
    assert check(handed_in("masked_softmax", "mxnet")).outcome == "accepted"
    assert "It uses masked_softmax" in check(DotProductAttention).message


@pytest.mark.parametrize(
    "expression, method",
    [("X.sofmax(-1)", "softmax"), ("torch.arrange(3)", "arange"), ("X.expand_dims(0)", "")],
)
def test_a_misspelt_method_is_told_with_the_one_that_was_meant(expression, method):
    """Of a name of the other framework none is: it is no misspelt expand_as."""
    wrong = eval(f"lambda X, valid_length: {expression}", {"torch": torch})
    text = str(check(wrong, "torch", "masked_softmax"))
    assert (f"Did you mean {method}?" in text) if method else "Did you mean" not in text


def test_the_framework_is_told_from_the_code():
    assert check(masked_softmax).framework == "torch"
    assert check(functools.partial(masked_softmax)).framework == "torch"
    need("mxnet")

    def in_mxnet(X, valid_length):
        return mx.nd.softmax(X)

    in_mxnet.__name__ = "masked_softmax"
    assert check(in_mxnet).framework == "mxnet"


def test_code_that_names_no_framework_is_tried_in_each():
    def head_sizes(num_hiddens, num_heads):
        return [num_hiddens // num_heads] * num_heads

    def wrong(X, valid_length):
        return X.softmax(-1)

    right = check(handed_in("head_sizes", "torch"), exercise="head_sizes")
    assert right.outcome == "accepted", right
    verdict = check(wrong, exercise="masked_softmax")
    assert (verdict.outcome, verdict.misconception) == ("rejected", "mask_ignored"), verdict
    assert check(head_sizes).framework in ("mxnet", "torch")


def test_numpy_is_judged_by_values():
    verdict = check(handed_in("masked_softmax", "numpy"), "numpy")
    assert verdict.outcome == "accepted" and "gradients" not in verdict.message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"framework": "jax"}, "no framework 'jax'"),
        ({"exercise": "nonsense", "framework": "torch"}, "no exercise 'nonsense'"),
    ],
)
def test_a_wrong_argument_gets_a_sentence(arguments, words):
    with pytest.raises(LookupError, match=words):
        check(masked_softmax, **arguments)


def test_a_function_that_no_exercise_asks_for_gets_a_sentence():
    with pytest.raises(LookupError, match="No exercise asks for 'sorted'"):
        check(sorted, "torch")


def test_a_verdict_shows_got_beside_expected():
    verdict = check(masked_softmax, "torch")
    text, page = str(verdict), verdict._repr_html_()
    assert "got" in text and "expected" in text
    element = ", ".join(map(str, verdict.difference.where[:-2]))  # which batch element the tables show
    assert element and f"[{element}], yours" in page and f"[{element}], expected" in page
    got, expected = verdict.difference.got_map, verdict.difference.expected_map
    assert got.shape == expected.shape
    np.testing.assert_allclose(expected.sum(axis=-1), 1, atol=1e-6)
    assert f"{got[0, 0]:.3f}" in page and f"{expected[0, 0]:.3f}" in page


def test_words_of_a_learner_are_escaped():
    def hostile(X, valid_length):
        raise ValueError("<script>alert(1)</script>")

    verdict = check(hostile, "torch", exercise="masked_softmax")
    assert verdict.outcome == "error"
    assert "<script>" not in verdict._repr_html_()
    assert "&lt;script&gt;" in verdict._repr_html_()


def test_what_stands_in_backticks_is_code_on_a_page():
    assert with_code("call `roll(1, dims=1)` <b>") == "call <code>roll(1, dims=1)</code> &lt;b&gt;"
    assert with_code("`<i>` and ` alone") == "<code>&lt;i&gt;</code> and ` alone"
    verdict = ShownVerdict.of(Verdict("masked_softmax", "torch", "rejected", "use `dim=-1`"))
    assert "<code>dim=-1</code>" in verdict._repr_html_() and "`dim=-1`" in str(verdict)


def test_an_error_names_the_learners_own_line():
    def broken(X, valid_length):
        valid = X.shape
        return torch.softmax(valid, dim=-1)

    verdict = check(broken, "torch", exercise="masked_softmax")
    assert "torch.softmax(valid, dim=-1)" in verdict.message


def test_a_mark_is_a_number_for_nbgrader_and_the_verdict_for_the_learner():
    for answer, points in (
        (handed_in("masked_softmax", "torch"), all_exercises()["masked_softmax"].points),
        (masked_softmax, 0),
    ):
        verdict = check(answer, "torch")
        data, _ = DisplayFormatter().format(verdict.mark())
        # nbgrader makes a number of the plain text of a cell's result.
        assert float(data["text/plain"]) == points
        assert data["text/html"] == verdict._repr_html_()


def test_progress_is_kept_in_the_learners_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solved = handed_in("masked_softmax", "torch")
    assert check(solved, "torch").progress is None
    progress.create(tmp_path)
    total = len(all_exercises())
    assert check(masked_softmax, "torch").progress == f"0 of {total} exercises passed"
    assert check(solved, "torch").progress == f"1 of {total} exercises passed"
    assert check(masked_softmax, "torch").progress == f"1 of {total} exercises passed"
    assert json.loads((tmp_path / progress.FILE).read_text()) == {"masked_softmax": ["torch"]}


def test_a_damaged_progress_file_loses_nothing_but_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solved = handed_in("masked_softmax", "torch")
    for text in ("{not json", "[]", '{"masked_softmax": 1}', '{"masked_softmax": [1, null]}', "\xff"):
        (tmp_path / progress.FILE).write_text(text, encoding="latin-1")
        verdict = check(solved, "torch")
        assert verdict.outcome == "accepted" and verdict.progress.startswith("1 of"), text
        assert json.loads((tmp_path / progress.FILE).read_text()) == {"masked_softmax": ["torch"]}, text


@pytest.mark.parametrize("kind", ["full disk", "link", "deep"])
def test_what_cannot_be_kept_does_not_replace_the_verdict(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    progress.create(tmp_path)
    if kind == "link":
        (tmp_path / progress.FILE).rename(tmp_path / "elsewhere.json")
        (tmp_path / progress.FILE).symlink_to(tmp_path / "elsewhere.json")
        sentence = f"This is not kept: {tmp_path / progress.FILE} is a link, and is not followed"
        assert sentence[len("This is not kept: ") :] in str(progress.overview())
    elif kind == "deep":
        (tmp_path / progress.FILE).write_text("[" * 100_000)
        sentence = "It is kept as progress.json.damaged, and what can be read goes on"
    else:
        sentence = f"This is not kept: {tmp_path / progress.FILE} cannot be written: No space left on device"

        def full(path, to):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(type(tmp_path), "replace", full)
    verdict = check(handed_in("masked_softmax", "torch"), "torch")
    assert verdict.outcome == "accepted" and sentence in verdict.progress


def test_the_same_answer_always_gets_the_same_verdict():
    assert str(check(masked_softmax, "torch")) == str(check(masked_softmax, "torch"))


def test_a_forbidden_call_is_refused_by_whatever_name():
    shortcut = torch.nn.functional.scaled_dot_product_attention

    class DotProductAttention(torch.nn.Module):
        def __init__(self, dropout=0.0):
            super().__init__()

        def forward(self, queries, keys, values, valid_length=None):
            self.attention_weights = torch.softmax(queries @ keys.transpose(1, 2), -1)
            return shortcut(queries, keys, values)

    verdict = check(DotProductAttention, "torch")
    assert verdict.failed_stage == "contract" and "scaled_dot_product_attention" in verdict.message


def test_progress_is_found_from_the_notebook_where_the_kernel_runs_elsewhere(tmp_path, monkeypatch):
    copies, elsewhere = tmp_path / "learn", tmp_path / "elsewhere"
    copies.mkdir()
    elsewhere.mkdir()
    progress.create(copies)
    monkeypatch.chdir(elsewhere)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    assert progress.folder_at_hand() is None
    monkeypatch.setenv("JPY_SESSION_NAME", str(copies / "02_masked_softmax.ipynb"))
    assert check(handed_in("masked_softmax", "numpy"), "numpy").progress.startswith("1 of")
    assert json.loads((copies / progress.FILE).read_text()) == {"masked_softmax": ["numpy"]}
    assert "Next: " in str(progress.overview())


def test_progress_is_found_from_the_notebook_in_vs_code(tmp_path, monkeypatch):
    (tmp_path / "learn").mkdir()
    progress.create(tmp_path / "learn")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": str(tmp_path / "learn" / "01_attention.ipynb")})
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    assert progress.folder_at_hand() == tmp_path / "learn"


@pytest.mark.parametrize("result", [torch.zeros(2), None, [1, 2]])
def test_a_result_in_the_place_of_the_function_is_a_sentence(result):
    verdict = check(result)
    assert verdict.outcome == "missing" and "hand over the function itself, not its result" in verdict.message
    assert verdict.mark() == 0 and "not its result" in verdict._repr_html_()


def test_a_lambda_is_asked_for_its_exercise_and_judged_with_it():
    answer = lambda X, valid_length: torch.softmax(X, -1)  # noqa: E731
    assert "exercise='masked_softmax'" in check(answer).message
    assert check(answer, exercise="masked_softmax").outcome == "rejected"


def test_a_scripted_function_has_its_own_name():
    def attention_pooling(weights, values):
        return torch.bmm(weights, values)

    assert check(torch.jit.script(attention_pooling), "torch").outcome == "accepted"


def test_an_array_in_the_place_of_a_plain_value_is_named():
    def score_spread(*arguments):
        return torch.ones(3)

    verdict = check(score_spread, "torch")
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    assert "is an array; it must be" in verdict.message
