"""Up to which of its variables a wrong answer is right is said as it is, and nothing that was not compared."""

import re

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.diagnose.steps import compared_steps, is_step
from autograder.judge.trial import Trial
from autograder.model.catalogue import all_exercises
from tests.support import graded, need

SOFTMAX = """
def softmax(scores, axis=-1):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""
ATTENTION = """
def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1])
    s = np.where(np.eye(s.shape[-1], dtype=bool) & (s.shape[-1] > 1), s * 0.3, s)
    weights = softmax(s)
    return weights @ V, weights
"""


def defined(exercise, source):
    names = {"np": np}
    exec(compile(SOFTMAX + source, "<a learner's cell>", "exec"), names)
    return names[exercise.entry]


def message(exercise, source, framework="numpy"):
    need(framework)
    exercise = all_exercises()[exercise]
    return diagnose(exercise, LocalTransport(framework, defined(exercise, source)), framework).message


def line_of(source, text):
    return next(i for i, line in enumerate((SOFTMAX + source).splitlines(), 1) if text in line)


def test_the_last_step_that_is_right_is_named_with_its_line():
    words = message("self_attention", ATTENTION)
    assert f"your `s` (line {line_of(ATTENTION, 's = Q')}) is a right intermediate result: the" in words


TORCH = """
import torch
def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(1, 2) / Q.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(torch.eye(X.shape[1], dtype=torch.bool), -10.0), -1)
    return weights @ V, weights
"""
MXNET = """
from mxnet import nd
def self_attention(X, W_q, W_k, W_v):
    Q, K, V = (nd.dot(X, W) for W in (W_q, W_k, W_v))
    scores = nd.batch_dot(Q, K, transpose_b=True) / Q.shape[-1] ** 0.5
    weights = nd.softmax(scores - 10 * nd.eye(X.shape[1]).expand_dims(0).tile((len(X), 1, 1)))
    return nd.batch_dot(weights, V), weights
"""


@pytest.mark.parametrize(("framework", "source"), [("torch", TORCH), ("mxnet", MXNET)])
def test_frameworks_are_looked_at_too(framework, source):
    words = message("self_attention", source, framework)
    assert f"your `scores` (line {line_of(source, 'scores =')}) is a right intermediate result: the" in words


def test_nothing_is_said_of_one_expression():
    one = "def self_attention(X, W_q, W_k, W_v):\n    return X @ W_v.T * 0.123 - 1, X @ X.swapaxes(1, 2)\n"
    assert "your `" not in message("self_attention", one)


FEATURES = """
def additive_scores(queries, keys, W_q, W_k, w_v):
    features = {}(queries[:, :, None] @ W_q.T + keys[:, None] @ W_k.T)
    return features @ w_v[0]
"""


def test_a_name_of_the_solution_that_holds_something_else_is_told_as_that():
    wrong = FEATURES.format("np.cos(7 * keys[:, None] @ W_k.T) * np.sin")
    assert "Your `features` (line 7) is not what the course's solution calls `features`." in message(
        "additive_scores", wrong
    )


@pytest.mark.parametrize("change", ["5 * np.tanh", "1 / 3 + np.tanh", "np.exp"])
def test_a_name_that_differs_by_a_function_is_left_alone(change):
    """A factor may be taken back further down, so the name alone says nothing of the mistake."""
    wrong = FEATURES.format(change).replace("features @", "features[..., ::-1] @")
    assert "calls `features`" not in message("additive_scores", wrong)


KEPT = """
def top_p(probabilities, p):
    rank = (-probabilities).argsort().argsort()
    kept = probabilities * (rank < max(1, int(p * len(probabilities[0]))))
    return kept / kept.sum(axis=1, keepdims=True)
"""


def test_a_variable_on_the_way_to_a_result_of_its_name_is_left_alone():
    assert "`kept`" not in message("top_p", KEPT)
    returned = KEPT.replace("kept / kept.sum(axis=1, keepdims=True)", "kept")
    assert "calls `kept`: a row of yours sums to" in message("top_p", returned)


RESIDUAL = """
def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        scores = state @ keys.swapaxes(1, 2)
        if valid_length is not None:
            scores = np.where(np.arange(keys.shape[1]) < valid_length[:, None, None], scores, -1e9)
        weights = softmax(scores)
        state = state + weights @ values
    {}
"""


def test_a_right_result_that_is_not_returned_is_told():
    words = message("memory_hops", RESIDUAL.format("return state * np.sign(queries) ** 3"))
    assert "your `state` (line 13) holds the right state, and something else is returned." in words
    assert "intermediate" not in words


def test_a_loop_that_goes_wrong_is_right_at_first():
    wrong = RESIDUAL.replace("weights @ values", "weights @ values; keys = keys[:, ::-1] * 1.7")
    words = message("memory_hops", wrong.format("return state"))
    assert re.search(
        r"your `(state|weights)` \(line \d+\) is a right intermediate result at first, and none later", words
    )


LINEAR = """
def linear_attention(queries, keys, values):
    q, k = (np.where(X > 0, X + 1, np.exp(np.minimum(X, 0))) for X in (queries, keys))
    S = np.cumsum(k[..., None] * values[:, :, None], axis=1)
    z = k.sum(axis=1, keepdims=True)
    return (q[:, :, None] @ S)[:, :, 0] / (q * z).sum(axis=-1, keepdims=True) * np.cos(q[..., :1])
"""


def test_the_end_of_a_loop_alone_is_no_right_step():
    """Its z is the reference's after the last token, and none before."""
    exercise = all_exercises()["linear_attention"]
    trial = Trial(exercise, LocalTransport("numpy", defined(exercise, LINEAR)), "numpy", 0)
    words = compared_steps(exercise, trial.cases[0], trial.watched(trial.cases[0]))
    assert "your `k`" in words and "your `z`" not in words


def test_the_sum_of_a_row_is_told():
    wrong = ATTENTION.replace("weights = softmax(s)", "weights = softmax(s * np.sign(s - 0.1), axis=-2)")
    assert re.search(
        r"solution calls `weights`: a row of yours sums to [\d.]+, and not to 1",
        message("self_attention", wrong),
    )


RNG = np.random.default_rng(0)
STEP = RNG.normal(size=(2, 3, 5))


@pytest.mark.parametrize(
    "array",
    [STEP, STEP + 1e-6, STEP.swapaxes(1, 2), STEP.reshape(6, 5), STEP[:, None]],
)
def test_axes_may_stand_in_another_order(array):
    assert is_step(array, STEP)


SQUARE = RNG.normal(size=(2, 4, 4))


@pytest.mark.parametrize(
    ("array", "step"),
    [(2 * STEP, STEP), (STEP[:1], STEP), (SQUARE.swapaxes(1, 2), SQUARE), (np.sort(STEP, axis=None), STEP)],
)
def test_other_numbers_and_interchanged_axes_of_one_length_are_another_step(array, step):
    assert not is_step(array, step)


def test_what_is_hidden_is_hidden_by_any_large_number():
    hidden = np.where(SQUARE > 0, SQUARE, -np.inf)
    assert is_step(np.where(SQUARE > 0, SQUARE, -1e6), hidden) and not is_step(SQUARE, hidden)


BEFORE = """
def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for i in range(-1, hops):
        scores = (state if i >= 0 else 2.5 * queries[:, ::-1]) @ keys.swapaxes(1, 2)
        if valid_length is not None:
            scores = np.where(np.arange(keys.shape[1]) < valid_length[:, None, None], scores, -1e9)
        weights = softmax(scores)
        state = state + weights @ values * (i >= 0)
    return state * np.sign(weights[..., :1] - 0.2)
"""


def test_what_a_loop_gives_at_the_end_is_not_right_at_first():
    assert "at first" not in message("memory_hops", BEFORE)


def test_grade_says_it_too(zygote):
    need("torch")
    source = "import numpy as np\nimport torch\n" + TORCH
    (verdict,) = graded(zygote, source, "answers.py", [all_exercises()["self_attention"]])
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "scores =" in text)
    assert f"your `scores` (line {line}) is a right intermediate result: the" in verdict.message


def test_a_line_that_is_right_at_first_is_not_called_another_too():
    wrong = RESIDUAL.replace("weights @ values", "weights @ values; keys = keys[:, ::-1] * 1.7")
    words = message("memory_hops", wrong.format("return state"))
    name, line = re.search(
        r"your `(\w+)` \(line (\d+)\) is a right intermediate result at first", words
    ).groups()
    assert f"Your `{name}` (line {line}) is not" not in words
