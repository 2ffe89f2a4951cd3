"""Facts of the chapter on positions that no exercise checks."""

import importlib
import inspect
import json

import numpy as np
import pytest

from autograder.frameworks.libraries import torch
from autograder.model.paths import BOOK
from solutions.positions import in_numpy
from solutions.positions.in_numpy import linear_bias, relative_bias, rotary, rotary_proof_line, turn_length
from solutions.self_attention.in_numpy import rotation, softmax
from tests.support import need


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_rotary_multiplies_by_the_rotation_of_the_sines_and_cosines(rng):
    X, positions = rng.normal(size=(2, 3, 6)), np.array([[0, 1, 2], [5, 9, 400]])
    turned = rotary(X, positions)
    for sequence, places, rows in zip(X, positions, turned, strict=True):
        for x, place, one in zip(sequence, places, rows, strict=True):
            # R(offset) takes sin(a), cos(a) forward: on vectors (x, y) that is clockwise.
            assert one == pytest.approx(rotation(-float(place), 6) @ x)


def test_rotary_keeps_lengths_and_makes_products_depend_on_the_distance(rng):
    q, k = rng.normal(size=(2, 1, 1, 8))
    products = {}
    for i, j in ((0, 5), (3, 8), (1000, 1005), (5, 0)):
        turned_q, turned_k = rotary(q, np.array([[i]]))[0, 0], rotary(k, np.array([[j]]))[0, 0]
        assert np.linalg.norm(turned_q) == pytest.approx(np.linalg.norm(q))
        products[i, j] = turned_q @ turned_k
    assert products[0, 5] == pytest.approx(products[3, 8]) == pytest.approx(products[1000, 1005])
    assert products[0, 5] != pytest.approx(products[5, 0])


def test_both_ways_to_pair_features_agree_once_the_features_are_moved(rng):
    X, positions = rng.normal(size=(1, 4, 8)), np.arange(4)[None]
    moved = np.concatenate([X[..., 0::2], X[..., 1::2]], axis=-1)
    first, second = moved[..., :4], moved[..., 4:]
    angles = positions[..., None] / 10000 ** (np.arange(0, 8, 2) / 8)
    halves = np.concatenate(
        [
            first * np.cos(angles) - second * np.sin(angles),
            second * np.cos(angles) + first * np.sin(angles),
        ],
        axis=-1,
    )
    turned = rotary(X, positions)
    assert np.concatenate([turned[..., 0::2], turned[..., 1::2]], axis=-1) == pytest.approx(halves)


def test_the_bias_repeats_along_diagonals_and_ends_with_the_table():
    table = np.array([[0.5, 3.0, 1.0, -1.0, -2.0]])
    bias = relative_bias(np.zeros((1, 1, 6, 6)), table)[0, 0]
    for offset in range(-5, 6):
        assert (np.diagonal(bias, offset) == table[0, 2 + np.clip(offset, -2, 2)]).all()


def slopes(num_heads):
    """What `linear_bias` takes off a score for each token of distance, (num_heads,)."""
    before, diagonal = np.moveaxis(linear_bias(np.zeros((1, num_heads, 2, 2)))[0, :, 1], -1, 0)
    return np.log(diagonal / before)


def test_slopes_are_those_of_the_paper():
    # Press et al. (2022), section 3: for 8 heads 1/2, 1/4, ..., 1/256; for 16 from 1/sqrt(2) on.
    assert slopes(8) == pytest.approx([1 / 2**h for h in range(1, 9)])
    assert slopes(16)[[0, 1, -1]] == pytest.approx([2**-0.5, 1 / 2, 1 / 256])


def test_a_linear_bias_is_the_papers_up_to_a_constant_for_each_row(rng):
    scores = rng.normal(size=(2, 4, 5, 5))
    # The paper adds slope times (-(i - 1), ..., -1, 0) to the first i scores of row i.
    weights = linear_bias(scores)
    for i in range(1, 6):
        row = scores[:, :, i - 1, :i] + slopes(4)[:, None] * np.arange(1 - i, 1)
        assert weights[:, :, i - 1, :i] == pytest.approx(softmax(row))
        assert (weights[:, :, i - 1, i:] == 0).all()


def test_the_slopes_of_published_code_are_those_of_the_paper_for_powers_of_two_only():
    need("torch")
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    for num_heads, same in ((4, True), (8, True), (6, False), (12, False)):
        published = bloom.build_alibi_tensor(torch.ones(1, 2), num_heads, torch.float32)[:, 0, 1].numpy()
        assert np.allclose(published, slopes(num_heads)) == same


def test_published_code_turns_a_part_of_the_features_as_rotary_turns_all_of_them(rng):
    need("torch")
    module = pytest.importorskip("transformers.models.qwen3_next.modeling_qwen3_next")
    config, places = module.Qwen3NextConfig(), np.arange(5)
    rates, _ = module.Qwen3NextRotaryEmbedding.compute_default_rope_parameters(config)
    angles = torch.tensor(places)[None, :, None] * torch.cat((rates, rates))
    X = rng.normal(size=(1, 1, 5, config.head_dim))
    published = module.apply_rotary_pos_emb(*(torch.tensor(X),) * 2, angles.cos(), angles.sin())[0].numpy()
    part = config.head_dim // 4
    # Its pairs are halves.
    order = np.arange(part).reshape(2, -1).T.ravel()
    turned = rotary(X[0][..., order], places[None])
    assert turned == pytest.approx(published[0][..., order], abs=1e-5)
    assert (published[..., part:] == X[..., part:]).all()


def test_published_code_of_yarn_mixes_by_the_index_of_the_pair():
    need("torch")
    library = pytest.importorskip("transformers")
    settings = {"rope_type": "yarn", "factor": 8.0, "beta_fast": 2, "beta_slow": 0.5, "rope_theta": 10_000.0}
    settings |= {"truncate": False, "original_max_position_embeddings": 16}
    config = library.LlamaConfig(head_dim=16, max_position_embeddings=128, rope_parameters=settings)
    published = importlib.import_module("transformers.modeling_rope_utils")
    frequencies, factor = published.ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")
    rates = 10_000.0 ** (-np.arange(0, 16, 2) / 16)
    by_index = np.clip(np.log(16 * rates / (2 * np.pi) / 0.5) / np.log(2 / 0.5), 0, 1)
    assert frequencies.numpy() == pytest.approx(by_index * rates + (1 - by_index) * rates / 8, rel=1e-5)
    assert factor == pytest.approx(0.1 * np.log(8) + 1) and by_index[1].round(2) == 0.34
    config = library.GptOssConfig()
    frequencies, _ = published.ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")
    rates = config.rope_parameters["rope_theta"] ** (-np.arange(0, 64, 2) / 64)
    by_turns = np.clip((4096 * rates / (2 * np.pi) - 1) / (32 - 1), 0, 1)
    ratios = frequencies.numpy() / (by_turns * rates + (1 - by_turns) * rates / 32)
    assert ratios.max() == pytest.approx(3.68, abs=0.01) and len(ratios) == 32


@pytest.mark.parametrize("longest", [40, 8192])
def test_frequencies_are_slowed_as_in_the_library_and_the_chapter_shows_the_function_that_runs(longest):
    library = pytest.importorskip("transformers")
    numbers = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    rope = {
        "rope_type": "llama3",
        "rope_theta": 500.0,
        "original_max_position_embeddings": longest,
        **numbers,
    }
    config = library.LlamaConfig(hidden_size=64, num_attention_heads=2, rope_parameters=rope)
    expected = library.modeling_rope_utils.ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")[0].numpy()
    rates = 500.0 ** (-np.arange(0, 32, 2) / 32)
    rates = in_numpy.slowed(rates, 8, longest, 1, 4)
    assert rates == pytest.approx(expected, rel=1e-5)
    bases = in_numpy.bases_of(rates)
    assert bases ** (-np.arange(0, 32, 2) / 32) == pytest.approx(rates)
    cells = json.loads((BOOK / "chapters" / "positions.ipynb").read_text(encoding="utf-8"))["cells"]
    body = inspect.getsource(in_numpy.slowed).partition("\n")[2]  # the cell has no types
    assert any(f"def slowed(rates, s, longest, low, high):\n{body}" in "".join(c["source"]) for c in cells)


def test_in_mxnet_where_refuses_a_mask_of_another_shape_and_an_ellipsis_selects_features(rng):
    need("mxnet")
    import mxnet as mx
    from mxnet import nd

    scores = rng.normal(size=(1, 2, 3, 4))
    X = nd.array(scores)
    for shape in ((1, 1, 3, 4), (3, 4)):
        with pytest.raises(mx.base.MXNetError):
            nd.where(nd.ones(shape), X, X).wait_to_read()
    assert X[..., 0::2].asnumpy() == pytest.approx(scores[..., 0::2])
    # Missing axes are added in front, as in PyTorch.
    assert (X + X[0, 0]).asnumpy() == pytest.approx(scores + scores[0, 0])


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def turn_pairs(angle):
    return np.block([[turn(angle), np.zeros((2, 2))], [np.zeros((2, 2)), turn(angle / 100)]])


def shear(angle):
    return np.array([[1, angle], [0, 1]])


# For each change: the matrix of an angle, the angles of query and key by their positions, and what is added.
PROOFS = {
    "positions that begin at 1000": (turn, lambda i: 1000 + i, lambda j: 1000 + j, 0),
    "a vector added after the rotation": (turn, lambda i: i, lambda j: j, 1),
    "the angle i² θ at position i": (turn, lambda i: i**2, lambda j: j**2, 0),
    "an angle of its own for each pair": (turn_pairs, lambda i: i, lambda j: j, 0),
    "a shear [[1, a], [0, 1]] by the angle a": (shear, lambda i: i, lambda j: j, 0),
    "keys that are not rotated": (turn, lambda i: i, lambda j: 0, 0),
}


@pytest.mark.parametrize(("change", "proof"), PROOFS.items(), ids=PROOFS)
def test_the_line_of_the_proof_that_does_not_hold_is_that_of_the_numbers(rng, change, proof):
    matrix, of_query, of_key, added = proof
    i, j, wide = 2, 5, len(matrix(0.0))
    query, key = rng.normal(size=(2, wide))
    A, B = matrix(0.3 * of_query(i)), matrix(0.3 * of_key(j))
    lines = {
        "1": ((A @ query + added) @ (B @ key + added), query @ A.T @ B @ key),
        "2": (A.T, matrix(-0.3 * of_query(i))),
        "3": (matrix(-0.3 * of_query(i)) @ B, matrix(0.3 * (j - i))),
    }
    failing = [line for line, (left, right) in lines.items() if left != pytest.approx(right, abs=1e-9)]
    assert rotary_proof_line(change) == (failing or ["none"])[0]


@pytest.mark.parametrize(("pair", "d", "base"), [(0, 8, 50), (3, 8, 50), (31, 64, 10_000)])
def test_after_a_full_turn_a_pair_is_where_it_was(rng, pair, d, base):
    X, tokens = rng.normal(size=(1, 2, d)), turn_length(pair, d, base)
    places = slice(2 * pair, 2 * pair + 2)
    whole, half = (rotary(X, np.full((1, 2), part * tokens), base)[..., places] for part in (1, 0.5))
    assert whole == pytest.approx(X[..., places]) and half == pytest.approx(-X[..., places])
    assert round(turn_length(31, 64, 10_000)) == 47_117
