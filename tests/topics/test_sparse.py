"""Facts of the chapter on sparse and linear attention that no exercise checks."""

import numpy as np
import pytest

from autograder import check
from exercises.sparse import CHANGES
from solutions.self_attention.in_numpy import softmax
from solutions.sparse.in_numpy import (
    bound_proof_step,
    features,
    grouped_query,
    indexed_weights,
    linear_attention,
    sparse_pattern,
    sparse_weights,
    window_costs,
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_pattern_counts_window_times_tokens_and_what_is_missing_at_the_start():
    for n, window, dilation in ((20, 4, 1), (20, 3, 2), (9, 1, 5)):
        missing = sum(max(0, window - 1 - i // dilation) for i in range(n))
        assert sparse_pattern(n, window, dilation).sum() == n * window - missing


def test_a_window_as_wide_as_the_sequence_is_the_causal_mask():
    assert (sparse_pattern(7, 7) == np.tri(7)).all()
    assert (sparse_pattern(7, 1, num_global=7) == np.tri(7)).all()


def test_layers_reach_over_window_times_layers():
    # Beltagy et al. (2020), section 3.1: l layers with a window of w reach over about l times w tokens.
    for window, depth in ((4, 3), (2, 5), (5, 1)):
        paths = np.linalg.matrix_power(sparse_pattern(40, window).astype(int), depth)
        assert ((paths > 0) == sparse_pattern(40, 1 + depth * (window - 1))).all()


def test_growing_dilations_reach_over_a_power_of_the_window():
    layers = [sparse_pattern(40, 3, dilation).astype(int) for dilation in (1, 3, 9)]
    assert ((np.linalg.multi_dot(layers) > 0) == sparse_pattern(40, 27)).all()


def test_a_global_token_joins_any_two_tokens_in_two_layers():
    paths = np.linalg.matrix_power(sparse_pattern(30, 2, num_global=1).astype(int), 2)
    assert (paths[:, 0] > 0).all()


def test_the_features_are_elu_plus_one_and_smooth_at_zero():
    x = np.array([-30.0, -1.0, 0.0, 2.0])
    assert features(x) == pytest.approx([np.exp(-30), np.exp(-1), 1, 3])
    assert features(np.array([1e-6, -1e-6])) == pytest.approx([1 + 1e-6, 1 - 1e-6])
    assert np.isfinite(features(np.array([1000.0, -1000.0]))).all()


def test_running_sums_give_what_the_matrix_of_products_gives(rng):
    q, k, v = rng.normal(size=(3, 2, 9, 4))
    products = np.tril(features(q) @ np.swapaxes(features(k), 1, 2))
    assert linear_attention(q, k, v) == pytest.approx(products @ v / products.sum(axis=-1, keepdims=True))


def test_the_mean_weight_on_the_own_key_is_at_most_the_width_over_the_number_of_keys(rng):
    for n, d in ((6, 2), (20, 4), (9, 9)):
        for spread in (0.3, 3.0, 30.0):
            products = (
                features(spread * rng.normal(size=(n, d))) @ features(spread * rng.normal(size=(n, d))).T
            )
            weights = products / products.sum(axis=1, keepdims=True)
            assert np.trace(weights) / n <= min(1, d / n) + 1e-9


def test_as_many_features_as_keys_tell_all_keys_apart():
    n = 8
    keys = 20 * np.eye(n) - 10
    products = features(keys) @ features(keys).T
    assert np.diag(products / products.sum(axis=1, keepdims=True)).min() > 0.99


def test_a_group_for_each_head_is_attention_with_many_heads_and_one_group_is_multi_query(rng):
    q = rng.normal(size=(2, 4, 5, 3))
    k, v = rng.normal(size=(2, 2, 4, 5, 3))
    scores = q @ np.swapaxes(k, 2, 3) / np.sqrt(3)
    expected = softmax(np.where(np.tri(5, dtype=bool), scores, -np.inf)) @ v
    assert grouped_query(q, k, v) == pytest.approx(expected)
    shared = grouped_query(q, k[:, :1], v[:, :1])
    assert grouped_query(q, np.repeat(k[:, :1], 4, axis=1), np.repeat(v[:, :1], 4, axis=1)) == pytest.approx(
        shared
    )


def test_a_sparse_pattern_with_all_keys_is_causal_attention(rng):
    scores = rng.normal(size=(2, 6, 6))
    weights = sparse_weights(scores, 6, 1, 0)
    assert weights == pytest.approx(softmax(np.where(np.tri(6, dtype=bool), scores, -np.inf)))


def test_the_librarys_own_groups_of_heads_are_refused():
    torch = pytest.importorskip("torch")

    def grouped_query(queries, keys, values):
        library_attention = torch.nn.functional.scaled_dot_product_attention
        return library_attention(queries, keys, values, is_causal=True, enable_gqa=True)

    verdict = check(grouped_query, "torch")
    assert verdict.outcome == "rejected" and "write yourself" in verdict.message


def test_the_published_indexer_chooses_the_same_keys():
    torch = pytest.importorskip("torch")
    published = pytest.importorskip("transformers.models.deepseek_v32.modeling_deepseek_v32")
    sizes = {"index_n_heads": 4, "index_head_dim": 16, "index_topk": 3, "hidden_size": 24, "q_lora_rank": 12}
    config = published.DeepseekV32Config(qk_rope_head_dim=8, **sizes)
    torch.manual_seed(0)
    layer = published.DeepseekV32Indexer(config, 0)
    X, latents = torch.randn(2, 9, 24), torch.randn(2, 9, 12)
    # Rotated by an angle of 0: every cosine is 1, every sine 0.
    unrotated = torch.ones(2, 9, 8), torch.zeros(2, 9, 8)
    mask = torch.ones(9, 9).tril().bool().expand(2, 9, 9)
    chosen = layer(X, latents, unrotated, mask, torch.arange(9))
    with torch.no_grad():
        queries = layer.wq_b(latents).unflatten(2, (4, 16)).transpose(1, 2).numpy()
        keys, head_weights = layer.k_norm(layer.wk(X)).numpy(), layer.weights_proj(X).numpy()
    _, weights = indexed_weights(np.zeros((2, 9, 9)), queries, keys, head_weights, 3)
    for i in range(2, 9):
        for choice, row in zip(chosen[:, i], weights[:, i], strict=True):
            assert set(choice.tolist()) == set(np.flatnonzero(row))


@pytest.mark.parametrize(("n", "window"), [(6, 2), (16, 4), (17, 4), (12, 5), (5, 9), (2, 2)])
def test_pairs_and_layers_of_a_window_are_those_of_the_pattern(n, window):
    pattern = sparse_pattern(n, window).astype(int)
    reaching = [depth for depth in range(1, n) if np.linalg.matrix_power(pattern, depth)[-1, 0]]
    assert window_costs(n, window) == (pattern.sum(), reaching[0])


def weights_after(change, rng, n=7, d=2):
    """The weights of n guests by d features, with a change in the proof of the bound."""
    queries, keys = rng.uniform(0.1, 1, size=(2, n, d))
    if change == "features of either sign":
        queries, keys = rng.normal(size=(2, n, d))
    if change == "the keys as queries":
        queries = keys
    if change == "every guest asked for twice":
        queries = np.repeat(queries, 2, axis=0)
    products = queries @ keys.T
    if change == "the softmax of the products":
        return softmax(40 * products)
    products = np.tril(products) if change == "a causal mask" else products
    return products if change.startswith("rows not") else products / products.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("change", CHANGES)
def test_the_step_of_the_bound_that_ends_is_that_of_the_numbers(rng, change):
    weights = weights_after(change, rng)
    is_square = weights.shape[0] == weights.shape[1]
    steps = {
        "2": np.linalg.matrix_rank(weights) <= 2,
        "3": is_square,
        "4": is_square and np.abs(np.linalg.eigvals(weights)).max() <= 1 + 1e-9,
    }
    assert bound_proof_step(change) == next((step for step, holds in steps.items() if not holds), "none")


def test_of_keys_with_equal_scores_of_an_indexer_all_are_taken():
    keys = np.array([[[-1.0], [-2.0], [3.0], [-4.0]]])
    index, weights = indexed_weights(np.zeros((1, 4, 4)), np.ones((1, 1, 4, 1)), keys, np.ones((1, 4, 1)), 2)
    assert index[0, 3].tolist() == [0, 0, 3, 0]
    assert weights[0, 3] == pytest.approx(np.full(4, 1 / 4))
