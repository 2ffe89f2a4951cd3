"""Score functions: each against its published formula, its cost, and the claims made about it."""

import itertools
import math

import numpy as np
import pytest
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from autograder.frameworks.libraries import mx, seed, torch
from exercises import score_functions
from solutions.attention.in_numpy import softmax
from solutions.errata.in_numpy import claims_that_hold
from solutions.score_functions import in_numpy
from solutions.score_functions.in_numpy import SCORES, cost, parameter_shapes
from tests.support import FRAMEWORKS, solution
from tests.topics.arrays import (
    arrays,
    close,
    computed,
    differentiated,
    gradient,
    learned,
    numbers,
    with_learned,
)

SIZES = {"d": 6, "units": 4, "longest": 9}
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)
each_score = pytest.mark.parametrize("name", SCORES)


def _example(seed: int = 0, num_queries: int = 3, num_keys: int = 5, d: int = 6, batch: int = 2):
    rng = np.random.default_rng(seed)
    shapes = (batch, num_queries, d), (batch, num_keys, d), (batch, num_keys, 7)
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def _parameters(name: str, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = parameter_shapes(name, **SIZES)
    return {key: (rng.normal(size=shape) / 2).astype(np.float32) for key, shape in shapes.items()}


def _score(framework: str, name: str, parameters: dict[str, np.ndarray]):
    """A score of a framework with these learned arrays."""
    score = solution("score_functions", framework).make_score(name, **SIZES)
    paths = {path.removesuffix(".weight"): path for path in learned(score)}
    assert paths.keys() == parameters.keys()
    return with_learned(framework, score, {paths[key]: value for key, value in parameters.items()})


def _run(framework: str, name: str, parameters, queries, keys):
    return computed(framework, _score(framework, name, parameters), (queries, keys))


def _published(name: str, q, k, i: int, p) -> float:
    """The formula of the paper for one query and one key, at position i."""
    return {
        "content-based": lambda: p["beta"].item() * q @ k / (np.linalg.norm(q) * np.linalg.norm(k)),
        "additive": lambda: (p["v"] @ np.tanh(p["W_q"] @ q + p["W_k"] @ k)).item(),
        "location-based": lambda: (p["W"] @ q)[i],
        "general": lambda: q @ p["W"] @ k,
        "dot": lambda: q @ k,
        "scaled dot": lambda: q @ k / math.sqrt(len(q)),
        "low-rank": lambda: q @ p["U"].T @ p["V"] @ k,
        "symmetric": lambda: q @ p["W"].T @ np.diag(p["D"]) @ p["W"] @ k,
        "ReLU": lambda: np.maximum(q @ p["W"].T, 0) @ np.diag(p["D"]) @ np.maximum(p["W"] @ k, 0),
    }[name]()


@each_score
@each_framework
def test_each_score_is_its_published_formula_for_every_pair(framework, name):
    queries, keys, _ = _example()
    parameters = _parameters(name)
    scores = _run(framework, name, parameters, queries, keys)
    assert scores.shape == (2, 3, 5)
    for b, i, j in itertools.product(range(2), range(3), range(5)):
        one = _published(name, queries[b, i].astype(float), keys[b, j].astype(float), j, parameters)
        assert scores[b, i, j] == pytest.approx(one, rel=1e-4, abs=1e-5)


@each_score
@each_framework
def test_each_score_agrees_with_the_reference_in_values_and_gradients(framework, name):
    queries, keys, _ = _example(2)
    inputs = {"queries": queries, "keys": keys, **_parameters(name)}
    expected = SCORES[name](**{k: v.astype(float) for k, v in inputs.items()})
    cotangent = np.random.default_rng(3).normal(size=expected.shape).astype(np.float32)
    score = _score(framework, name, {key: inputs[key] for key in inputs if key not in ("queries", "keys")})
    values, of_inputs = differentiated(framework, score, (queries, keys), cotangent)
    gradients = dict(zip(("queries", "keys"), of_inputs, strict=True))
    gradients |= {path.removesuffix(".weight"): gradient(p) for path, p in learned(score).items()}
    close(values, expected)
    for key, slopes in gradients.items():
        direction = np.random.default_rng(4).normal(size=slopes.shape)
        ends = [
            (SCORES[name](**{**inputs, key: inputs[key] + sign * 1e-6 * direction}) * cotangent).sum()
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / 2e-6
        assert (slopes * direction).sum() == pytest.approx(slope, rel=2e-3, abs=1e-3), key


@each_framework
def test_the_registries_hold_the_same_names(framework):
    assert list(solution("score_functions", framework).SCORES) == list(SCORES)


@each_score
def test_parameters_are_as_many_as_the_formula_says(name):
    for framework in FRAMEWORKS:
        arrays_of_score = learned(_score(framework, name, _parameters(name))).values()
        counted = sum(math.prod(p.shape) for p in arrays_of_score)
        assert counted == cost(name, 3, 5, **SIZES).parameters


@each_score
def test_multiply_adds_are_as_many_as_the_formula_says(name):
    score = _score("torch", name, _parameters(name))
    queries, keys, _ = map(torch.tensor, _example(num_queries=8, num_keys=9, batch=1))
    with FlopCounterMode(display=False) as counter:
        score(queries, keys)
    assert counter.get_total_flops() == 2 * cost(name, 8, 9, **SIZES).multiply_adds


class _Largest(TorchDispatchMode):
    """Notes the size of the largest array that an operation makes."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        addresses = [a.untyped_storage().data_ptr() for a in args if isinstance(a, torch.Tensor)]
        if result.untyped_storage().data_ptr() not in addresses:  # otherwise a view, which costs nothing
            self.numbers = max(self.numbers, result.numel())
        return result


@each_score
def test_the_largest_array_is_as_large_as_the_formula_says(name):
    score = _score("torch", name, _parameters(name))
    for m, n in ((20, 9), (3, 9), (9, 9)):
        queries, keys, _ = map(torch.tensor, _example(num_queries=m, num_keys=n, batch=1))
        with torch.no_grad(), _Largest() as noted:
            score(queries, keys)
        assert noted.numbers == cost(name, m, n, **SIZES).largest


# One interface


@each_score
@each_framework
def test_any_score_serves_in_the_same_attention(framework, name):
    queries, keys, values = _example()
    parameters = _parameters(name)
    attention = solution("score_functions", framework).Attention(_score(framework, name, parameters))
    lengths = np.array([2, 4])
    context = computed(framework, attention, (queries, keys, values, lengths))
    weights = numbers(attention.weights)
    scores = SCORES[name](queries, keys, **parameters)
    for b, length in enumerate(lengths):
        np.testing.assert_allclose(
            weights[b, :, :length], softmax(scores[b, :, :length]), rtol=1e-3, atol=1e-5
        )
        assert not weights[b, :, length:].any()
    np.testing.assert_allclose(context, weights @ values, rtol=1e-4, atol=1e-5)


# The libraries' own


def test_the_cosine_is_pytorchs_own():
    queries, keys, _ = _example()
    pairs = torch.tensor(queries).unsqueeze(2), torch.tensor(keys).unsqueeze(1)
    expected = torch.nn.functional.cosine_similarity(*pairs, dim=-1)
    scores = _run("torch", "content-based", {"beta": np.ones(1, np.float32)}, queries, keys)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-6)


@each_framework
def test_the_content_based_score_begins_with_a_key_strength_that_is_learned(framework):
    """Graves et al. 2014, eq. 5: a bare cosine can not single out one key of many."""
    module = solution("score_functions", framework)
    seed(0)
    score, other = module.make_score("content-based"), module.make_score("content-based")
    if framework == "mxnet":
        score.initialize(mx.init.Xavier())
        other.initialize(mx.init.Xavier())
    module.train(score, *arrays(framework, *_matching(0)))
    begin, learned = (
        s.beta.item() if framework == "torch" else s.beta.data().asscalar() for s in (other, score)
    )
    assert begin == 10
    assert abs(learned - begin) > 0.5
    assert module.accuracy(score, *arrays(framework, *_matching(1))) > 0.95


def test_the_general_score_is_pytorchs_bilinear_layer():
    queries, keys, _ = _example()
    W = _parameters("general")["W"]
    layer = torch.nn.Bilinear(6, 6, 1, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(W)[None])
        pairs = layer(
            torch.tensor(queries).unsqueeze(2).expand(-1, -1, 5, -1).contiguous(),
            torch.tensor(keys).unsqueeze(1).expand(-1, 3, -1, -1).contiguous(),
        )
    np.testing.assert_allclose(
        _run("torch", "general", {"W": W}, queries, keys), pairs[..., 0], rtol=1e-4, atol=1e-5
    )


def test_attention_with_the_scaled_dot_score_is_pytorchs_own():
    module = solution("score_functions", "torch")
    queries, keys, values = map(torch.tensor, _example())
    expected = torch.nn.functional.scaled_dot_product_attention(queries, keys, values)
    ours = module.Attention(module.make_score("scaled dot"))(queries, keys, values, None)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


# How the forms hang together


def test_fusionnets_first_three_forms_are_one_matrix_each():
    queries, keys, _ = _example()
    p, q = _parameters("symmetric"), _parameters("low-rank")
    symmetric = in_numpy.general_score(queries, keys, p["W"].T @ np.diag(p["D"]) @ p["W"])
    low_rank = in_numpy.general_score(queries, keys, q["U"].T @ q["V"])
    np.testing.assert_allclose(in_numpy.symmetric_score(queries, keys, **p), symmetric, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(in_numpy.low_rank_score(queries, keys, **q), low_rank, rtol=1e-4, atol=1e-5)
    assert np.linalg.matrix_rank(q["U"].T @ q["V"]) == SIZES["units"]


@pytest.mark.parametrize(("name", "symmetric"), [("symmetric", True), ("ReLU", True), ("low-rank", False)])
def test_symmetric_scores_are_symmetric_but_their_weights_are_not(name, symmetric):
    words = _example(num_queries=5)[0]
    scores = SCORES[name](words, words, **_parameters(name))
    transposed = scores.swapaxes(1, 2)
    assert np.allclose(scores, transposed, atol=1e-5) == symmetric
    weights = softmax(scores)
    assert np.abs(weights - weights.swapaxes(1, 2)).max() > 0.05
    assert claims_that_hold(("symmetric",)) == (False,)


def test_a_cosine_without_strength_can_not_favour_a_key_by_more_than_e_squared():
    d, n = 8, 100
    query = np.ones((1, 1, d))
    keys = np.concatenate([np.ones((1, 1, d)), -np.ones((1, n - 1, d))], axis=1)
    weights = softmax(in_numpy.cosine_score(query, keys))[0, 0]
    assert weights[0] / weights[1] == pytest.approx(math.e**2)
    assert weights[0] == pytest.approx(0.0695, abs=5e-4)
    assert softmax(10 * in_numpy.cosine_score(query, keys))[0, 0, 0] > 0.999


def _turn(vectors):
    """All vectors turned by the same orthogonal matrix."""
    matrix = np.linalg.qr(np.random.default_rng(6).normal(size=(6, 6)))[0]
    return vectors @ matrix


CHANGES = {
    "query twice as long": lambda q, k, c: (2 * q, k),
    "all keys twice as long": lambda q, k, c: (q, 2 * k),
    "one vector added to all keys": lambda q, k, c: (q, k + c),
    "one vector added to the query": lambda q, k, c: (q + c, k),
    "query and keys turned alike": lambda q, k, c: (_turn(q), _turn(k)),
    "all signs changed": lambda q, k, c: (-q, -k),
}


@pytest.mark.parametrize("change", CHANGES)
def test_weights_stay_under_the_scores_that_the_exercise_says(change):
    assert set(CHANGES) == set(score_functions.CHANGES)
    queries, keys, _ = (x.astype(float) for x in _example(num_queries=1))
    changed = CHANGES[change](queries, keys, np.random.default_rng(5).normal(size=6))
    scores = {"dot": in_numpy.dot_score, "cosine": in_numpy.cosine_score}
    shifts = [
        name for name, s in scores.items() if np.allclose(softmax(s(queries, keys)), softmax(s(*changed)))
    ]
    assert (
        in_numpy.unchanged_weights(change)
        == {0: "neither", 1: shifts[0] if shifts else "", 2: "both"}[len(shifts)]
    )


# A bias that formulas leave out


def test_an_additive_score_without_a_bias_is_odd_and_a_match_is_even():
    queries, keys, _ = _example()
    p = _parameters("additive")
    scores, mirrored = (in_numpy.additive_score(sign * queries, sign * keys, **p) for sign in (1, -1))
    np.testing.assert_allclose(mirrored, -scores, rtol=1e-5)
    np.testing.assert_allclose(in_numpy.dot_score(-queries, -keys), in_numpy.dot_score(queries, keys))


def _matching(seed: int):
    """Queries that are noisy copies of one of six keys."""
    rng = np.random.default_rng(seed)
    keys = rng.normal(size=(512, 6, 8)).astype(np.float32)
    target = rng.integers(0, 6, size=512)
    queries = keys[np.arange(512), target] + 0.1 * rng.normal(size=(512, 8))
    return queries[:, None].astype(np.float32), keys, target


@each_framework
@pytest.mark.parametrize(("bias", "least", "most"), [(False, 0, 0.3), (True, 0.95, 1)])
def test_matching_is_learned_by_the_additive_score_only_with_a_bias(framework, bias, least, most):
    module = solution("score_functions", framework)
    seed(0)
    score = module.AdditiveScore(8, 16, bias=bias)
    if framework == "mxnet":
        score.initialize(mx.init.Xavier())
    module.train(score, *arrays(framework, *_matching(0)))
    assert least <= module.accuracy(score, *arrays(framework, *_matching(1))) <= most


def test_no_odd_score_can_do_better_than_guessing_on_average_over_mirrored_examples():
    rng = np.random.default_rng(0)
    for n in (2, 6, 50):
        scores = 3 * rng.normal(size=(1000, n))
        both = [-np.log(softmax(sign * scores)[:, 0]) for sign in (1, -1)]
        assert (np.mean(both, axis=0) >= np.log(n) - 1e-9).all()


@each_framework
def test_the_location_score_has_no_scores_beyond_its_longest(framework):
    queries, keys, _ = _example(num_keys=11)
    parameters = _parameters("location-based")
    assert _run(framework, "location-based", parameters, queries, keys).shape == (2, 3, 9)
    other = _run(framework, "location-based", parameters, queries, keys[:, ::-1].copy() + 1)
    np.testing.assert_array_equal(_run(framework, "location-based", parameters, queries, keys), other)
