"""Facts of the chapter on compressed keys and values that no exercise checks."""

import json

import numpy as np
import pytest

from autograder import check
from autograder.frameworks.libraries import torch
from autograder.model.paths import ROOT
from exercises.compressed import CHANGES
from solutions.compressed.in_numpy import (
    absorbed_attention,
    latent_attention,
    quantised_cache,
    still_absorbed,
)
from solutions.positions.in_numpy import rotary
from solutions.sparse.in_numpy import grouped_query
from tests.support import need

NAMES = ("queries", "rotary_queries", "latents", "rotary_keys", "W_k", "W_v")


@pytest.fixture
def inputs():
    """Latent attention of two sequences of six tokens, three heads, with four new tokens."""
    rng = np.random.default_rng(0)
    shapes = ((2, 3, 4, 5), (2, 3, 4, 2), (2, 6, 7), (2, 6, 2), (3, 7, 5), (3, 7, 8))
    return {name: rng.normal(size=shape) for name, shape in zip(NAMES, shapes, strict=True)}


def test_the_absorbed_form_is_the_same_function(inputs):
    assert absorbed_attention(**inputs) == pytest.approx(latent_attention(**inputs))


def test_latents_that_are_the_keys_make_multi_query_attention(inputs):
    n, width = 6, 7
    q = np.random.default_rng(1).normal(size=(2, 3, n, width))
    inputs |= {"queries": q, "rotary_queries": np.zeros((2, 3, n, 2))}
    inputs["W_k"] = inputs["W_v"] = np.broadcast_to(np.eye(width), (3, width, width))
    shared = inputs["latents"][:, None]
    # The two empty numbers count in the scale.
    expected = grouped_query(q * np.sqrt(width / (width + 2)), shared, shared)
    assert latent_attention(**inputs) == pytest.approx(expected)


def test_one_token_after_the_other_gives_what_all_at_once_gives(inputs):
    inputs["latents"], inputs["rotary_keys"] = inputs["latents"][:, :4], inputs["rotary_keys"][:, :4]
    whole = latent_attention(**inputs)
    for t in range(4):
        now = {name: inputs[name][:, :, t : t + 1] for name in ("queries", "rotary_queries")}
        past = {name: inputs[name][:, : t + 1] for name in ("latents", "rotary_keys")}
        assert absorbed_attention(**{**inputs, **now, **past})[:, :, 0] == pytest.approx(whole[:, :, t])


def test_positions_count_by_their_distance_alone(inputs):
    def at(start):
        places = np.tile(np.arange(start, start + 6), (2, 1))
        heads = [rotary(inputs["rotary_queries"][:, h], places[:, 2:]) for h in range(3)]
        moved = {
            "rotary_queries": np.stack(heads, axis=1),
            "rotary_keys": rotary(inputs["rotary_keys"], places),
        }
        return latent_attention(**{**inputs, **moved})

    assert at(0) == pytest.approx(at(50))
    assert at(0) != pytest.approx(latent_attention(**inputs))


def test_whole_numbers_are_within_half_a_scale_and_zeros_stay():
    X = np.random.default_rng(0).normal(size=(3, 20, 9)) * np.logspace(-4, 4, 20)[:, None]
    X[:, 3] = 0
    whole, scale = quantised_cache(X)
    assert whole.dtype == np.int8 and abs(whole.astype(int)).max() == 127
    assert (np.abs(whole * scale - X) <= 0.5 * scale * (1 + 1e-9)).all()
    assert (scale[:, 3] == 1).all() and (whole[:, 3] == 0).all()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("float32", "The type of `whole` is float32; it must be an integer type."),
        ("int32", "must be int8, but it is int32"),
    ],
)
def test_whole_numbers_that_take_more_than_a_byte_are_rejected_by_their_own_type(name, sentence):
    torch = pytest.importorskip("torch")

    def quantised_cache(X):
        largest = X.abs().amax(dim=-1, keepdim=True)
        scale = largest / 127 + (largest == 0)
        return (X / scale).round().to(getattr(torch, name)), scale

    verdict = check(quantised_cache, "torch")
    assert verdict.outcome == "rejected" and sentence in verdict.message, verdict


def test_keys_that_are_made_are_refused_where_the_query_should_absorb_the_matrix():
    torch = pytest.importorskip("torch")
    from solutions.compressed.in_torch import latent_attention as expanded

    def absorbed_attention(queries, rotary_queries, latents, rotary_keys, W_k, W_v):
        return expanded(queries, rotary_queries, latents, rotary_keys, W_k, W_v)

    def head_by_head(queries, rotary_queries, latents, rotary_keys, W_k, W_v):
        heads = range(queries.shape[1])
        one = [slice(h, h + 1) for h in heads]
        parts = [
            expanded(queries[:, h], rotary_queries[:, h], latents, rotary_keys, W_k[h], W_v[h]) for h in one
        ]
        return torch.cat(parts, dim=1)

    head_by_head.__name__ = "absorbed_attention"
    for answer in (absorbed_attention, head_by_head):
        verdict = check(answer, "torch")
        assert verdict.outcome == "rejected" and "Multiply the queries by W_k instead" in str(verdict)


def test_published_code_with_a_norm_on_the_latent_gives_the_same():
    need("torch")
    published = pytest.importorskip("transformers.models.deepseek_v3.modeling_deepseek_v3")
    torch.manual_seed(0)
    sizes = {
        "qk_nope_head_dim": 4,
        "qk_rope_head_dim": 2,
        "v_head_dim": 6,
        "kv_lora_rank": 7,
        "q_lora_rank": 5,
    }
    heads = {"num_attention_heads": 3, "num_key_value_heads": 3}
    config = published.DeepseekV3Config(hidden_size=12, **heads, **sizes, attn_implementation="eager")
    layer, X = published.DeepseekV3Attention(config, 0).double(), torch.randn(2, 5, 12).double()
    torch.nn.init.uniform_(layer.kv_a_layernorm.weight)
    layer.o_proj = torch.nn.Identity()
    cos_sin = published.DeepseekV3RotaryEmbedding(config)(X, torch.arange(5)[None])
    later = torch.full((5, 5), -torch.inf, dtype=X.dtype).triu(1)[None, None]
    with torch.no_grad():
        expected = layer(X, cos_sin, later)[0].reshape(2, 5, 3, 6).transpose(1, 2)
        queries, rotary_queries = np.split(
            _heads(layer.q_b_proj(layer.q_a_layernorm(layer.q_a_proj(X)))), [4], -1
        )
        latents, rotary_keys = layer.kv_a_proj_with_mqa(X).split([7, 2], -1)
        normalised = layer.kv_a_layernorm(latents).numpy()
        W_k, W_v = np.split(layer.kv_b_proj.weight.numpy().T.reshape(7, 3, 10).swapaxes(0, 1), [4], -1)
    places = np.tile(np.arange(5), (2, 1))
    rotary_queries = np.stack([rotary(rotary_queries[:, h], places) for h in range(3)], axis=1)
    rotary_keys = rotary(rotary_keys.numpy(), places)
    arguments = (queries, rotary_queries, normalised, rotary_keys, W_k, W_v)
    assert latent_attention(*arguments) == pytest.approx(expected.numpy(), abs=1e-6)
    without = latent_attention(queries, rotary_queries, latents.numpy(), *arguments[3:])
    assert without != pytest.approx(expected.numpy(), abs=1e-2)


def _heads(X):
    """Return features of three heads with the heads as an axis before the tokens."""
    return X.numpy().reshape(*X.shape[:2], 3, -1).swapaxes(1, 2)


def models():
    """The table of the chapter: for each model its full layers, its windows, their length, and numbers a token."""
    chapter = json.loads((ROOT / "chapters/compressed.ipynb").read_text(encoding="utf-8"))
    cell = next(cell for cell in chapter["cells"] if cell["id"] == "configurations")
    names = {}
    exec("".join(cell["source"]), names)
    return names["MODELS"]


def test_the_table_has_the_numbers_of_the_configurations_that_the_library_knows():
    transformers = pytest.importorskip("transformers")

    def of(kind, num_kinds=None):
        config = transformers.CONFIG_MAPPING[kind]()
        kinds = getattr(config, "layer_types", None) or ["full_attention"] * config.num_hidden_layers
        kinds = kinds[:num_kinds]
        width = config.hidden_size // config.num_attention_heads
        sets = 1 if getattr(config, "multi_query", False) else config.num_key_value_heads
        numbers = 2 * sets * (getattr(config, "head_dim", None) or width)
        if kind == "deepseek_v3":
            numbers = config.kv_lora_rank + config.qk_rope_head_dim
        windows = kinds.count("sliding_attention")
        return kinds.count("full_attention"), windows, config.sliding_window if windows else 0, numbers

    table = models()
    assert of("llama") == table["LLaMA 7B"]
    assert of("falcon") == table["Falcon 7B"]
    assert of("gpt_oss") == table["gpt-oss-120b"]
    assert of("deepseek_v3") == table["DeepSeek-V3"]
    assert of("gemma3n_text", num_kinds=20) == table["Gemma 3n E4B"]


def is_affine(function, width, rng):
    """Whether a function of a latent and its position is one matrix times the latent, and a constant."""
    latents = rng.normal(size=(2, width))
    at_zero = function(0 * latents[0], 0)
    added = function(latents.sum(axis=0), 0) == pytest.approx(sum(function(c, 0) for c in latents) - at_zero)
    return added and function(latents[0], 7) == pytest.approx(function(latents[0], 0))


@pytest.mark.parametrize("change", CHANGES)
def test_what_can_be_absorbed_is_what_one_matrix_makes_of_all_latents(change):
    rng = np.random.default_rng(0)
    W_k, W_v = rng.normal(size=(2, 4, 4))
    bias = 1.0 * ("bias" in change)

    def key(latent, position):
        k = W_k @ latent + bias
        k = np.maximum(k, 0) if "W_K" in change else k
        k = k / np.sqrt((k**2).mean() + 1e-6) if "each key" in change else k
        return rotary(k[None, None], np.array([[position]]))[0, 0] if "rotation" in change else k

    def value(latent, position):
        v = W_v @ latent + bias
        return np.maximum(v, 0) if "ReLU" in change else v

    names = [name for name, made in (("keys", key), ("values", value)) if is_affine(made, 4, rng)]
    assert still_absorbed(change) == {0: "neither", 1: (names or [""])[0], 2: "both"}[len(names)]
