"""Facts of the chapter on recurrences that no exercise checks: other forms, other code, the task, and what it cites."""

import importlib
import json
from functools import partial

import numpy as np
import pytest

from autograder import check
from autograder.frameworks.libraries import torch
from autograder.model.paths import ROOT
from benchmarks.recurrence import MODELS, SEEDS, TASKS
from course.data.recall import NAMES, ROOMS, stream
from exercises.recurrence import WRITES
from solutions.recurrence.in_numpy import (
    chunked,
    chunked_delta,
    decayed_attention,
    delta_rule,
    numbers_held,
    value_after_writing,
)
from tests.support import FRAMEWORKS, need
from tests.topics.arrays import differentiated
from tools.figures import stored

TOKENS = 11
SIZES = (1, 3, 4, TOKENS, 2 * TOKENS)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def sample(rng):
    """Queries, keys of length 1, values, rates and decays."""
    q, k = rng.normal(size=(2, 2, TOKENS, 4))
    k /= np.linalg.norm(k, axis=-1, keepdims=True)
    rates, decays = rng.uniform(0.2, 1, size=(2, 2, TOKENS))
    return q, k, rng.normal(size=(2, TOKENS, 3)), rates, decays


def one_text(q, k, v, rates, decays):
    """The gated delta rule as the chapter's equation has it, for a single text."""
    S, contexts = np.zeros((k.shape[1], v.shape[1])), []
    for t in range(len(k)):
        projection = np.eye(len(S)) - rates[t] * np.outer(k[t], k[t])
        S = decays[t] * projection @ S + rates[t] * np.outer(k[t], v[t])
        contexts.append(S.T @ q[t])
    return np.stack(contexts)


def test_the_delta_rule_multiplied_out_is_the_loop(sample):
    for text in range(2):
        expected = one_text(*(array[text] for array in sample))
        assert delta_rule(*sample)[text] == pytest.approx(expected)


def test_a_state_with_decays_is_a_masked_matrix_and_any_chunks(sample):
    q, k, v, _, decays = sample
    S, contexts = np.zeros((2, 4, 3)), []
    for t in range(TOKENS):
        S = decays[:, t, None, None] * S + k[:, t, :, None] * v[:, t, None]
        contexts.append(np.einsum("bk,bkv->bv", q[:, t], S))
    expected = np.stack(contexts, axis=1)
    assert decayed_attention(q, k, v, decays) == pytest.approx(expected)
    for size in SIZES:
        assert chunked(q, k, v, decays, size) == pytest.approx(expected)


def test_the_delta_rule_in_chunks_is_the_loop(sample):
    for size in SIZES:
        assert chunked_delta(*sample, size) == pytest.approx(delta_rule(*sample))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_chunks_have_the_values_and_the_gradients_of_the_loop(framework, sample, rng):
    need(framework)
    module = importlib.import_module(f"solutions.recurrence.in_{framework}")
    towards = rng.normal(size=(2, TOKENS, 3))
    context, gradients = differentiated(framework, module.delta_rule, sample, towards)
    assert context == pytest.approx(delta_rule(*sample), abs=1e-5)
    for size in SIZES:
        chunks = partial(module.chunked_delta, chunk=size)
        result, others = differentiated(framework, chunks, sample, towards)
        for one, other in zip((result, *others), (context, *gradients), strict=True):
            assert one == pytest.approx(other, rel=1e-4, abs=1e-5)


def test_published_code_of_the_gated_delta_rule_gives_the_same(sample):
    need("torch")
    published = pytest.importorskip("transformers.models.qwen3_next.modeling_qwen3_next")
    q, k, v, rates, decays = sample
    # One head behind the tokens; their queries are divided by the root of their width, their decays are logarithms.
    arrays = (q * np.sqrt(q.shape[-1]), k, v, np.log(decays), rates)
    inputs = [torch.tensor(array).float().unsqueeze(2) for array in arrays]
    for function in (published.torch_recurrent_gated_delta_rule, published.torch_chunk_gated_delta_rule):
        output = function(*inputs)[0][:, :, 0].numpy()
        assert output == pytest.approx(delta_rule(*sample), abs=1e-4)


def arrays_of(layer):
    """The arrays of a published layer with two heads, d_k = 4 and d_v = 6, by the names that the chapter gives them."""
    state = {name: array.numpy().astype(np.float64) for name, array in layer.state_dict().items()}
    parts = np.split(state["in_proj_qkvz.weight"].reshape(2, 20, -1), [4, 8, 14], axis=1)
    arrays = {f"W_{part}": W.reshape(-1, W.shape[-1]).T for part, W in zip("qkvz", parts, strict=True)}
    taps = np.split(state["conv1d.weight"][:, 0], [8, 16])
    arrays |= {f"taps_{part}": rows for part, rows in zip("qkv", taps, strict=True)}
    W_b, W_a = state["in_proj_ba.weight"].reshape(2, 2, -1).swapaxes(0, 1)
    arrays |= {"W_b": W_b.T, "W_a": W_a.T, "A": np.exp(state["A_log"]), "c": state["dt_bias"]}
    return arrays | {"gain": state["norm.weight"], "W_o": state["out_proj.weight"].T}


def test_the_whole_layer_of_the_chapter_is_that_of_qwen3_next(rng):
    need("torch")
    published = pytest.importorskip("transformers.models.qwen3_next.modeling_qwen3_next")
    heads = {"linear_num_value_heads": 2, "linear_num_key_heads": 2}
    sizes = {"linear_key_head_dim": 4, "linear_value_head_dim": 6, "hidden_size": 10}
    torch.manual_seed(0)
    layer = published.Qwen3NextGatedDeltaNet(published.Qwen3NextConfig(**heads, **sizes), 0).eval()
    with torch.no_grad():
        layer.norm.weight.uniform_(0.5, 1.5)
        layer.dt_bias.normal_()
        X = torch.tensor(rng.normal(size=(2, TOKENS, 10))).float()
        output = layer(X).numpy()
    chapter = json.loads((ROOT / "chapters" / "recurrence.ipynb").read_text(encoding="utf-8"))
    ids = ("layer-code-parts", "layer-code")
    code = "\n".join("".join(cell["source"]) for cell in chapter["cells"] if cell["id"] in ids)
    names = {"np": np}
    exec(code, names)
    assert names["whole_layer"](X.numpy(), arrays_of(layer), 2) == pytest.approx(output, abs=1e-5)
    assert np.abs(output).max() > 0.1


def test_a_rate_of_one_replaces_the_value_of_a_key_and_leaves_orthogonal_ones():
    keys = np.eye(3)[None, [0, 1, 2, 0]]
    values = np.array([[[12.0], [7.0], [3.0], [5.0]]])
    one = np.ones((1, 4))
    for key, room in enumerate((5.0, 7.0, 3.0)):
        queries = np.broadcast_to(np.eye(3)[key], (1, 4, 3))
        assert delta_rule(queries, keys, values, one, one)[0, -1, 0] == pytest.approx(room)


def test_sums_and_the_delta_rule_agree_as_long_as_orthogonal_keys_come_once(rng):
    keys, one = np.linalg.qr(rng.normal(size=(2, 5, 5)))[0], np.ones((2, 5))
    queries, values = rng.normal(size=(2, 2, 5, 5))
    sums = decayed_attention(queries, keys, values, one)
    assert delta_rule(queries, keys, values, one, one) == pytest.approx(sums)


def test_products_of_small_decays_do_not_vanish(sample):
    need("torch")
    module = importlib.import_module("solutions.recurrence.in_torch")
    q, k, v, _, _ = sample
    decays = np.full((2, TOKENS), 1e-6)
    output = module.decayed_attention(*(torch.tensor(a).float() for a in (q, k, v, decays)))
    assert output.numpy() == pytest.approx(decayed_attention(q, k, v, decays), abs=1e-5)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_chunks_that_make_the_matrix_of_all_tokens_are_rejected(framework):
    need(framework)
    module = importlib.import_module(f"solutions.recurrence.in_{framework}")

    def chunked(queries, keys, values, decays, chunk):
        return module.decayed_attention(queries, keys, values, decays)

    verdict = check(chunked, framework)
    assert verdict.outcome == "rejected" and "as many as pairs of tokens" in verdict.message


# --- The task --------------------------------------------------------------------------------------


@pytest.mark.parametrize("moves", [False, True])
def test_the_answer_is_the_latest_room_of_who_is_asked_for(rng, moves):
    names, rooms, questions, answers = stream(rng, 4, 30, moves)
    assert rooms.min() == 0 and rooms.max() == ROOMS - 1
    for row in range(4):
        latest = {}
        for step in range(30):
            latest[names[row, step]] = rooms[row, step]
            assert latest[questions[row, step]] == answers[row, step]
        assert (len(latest) < 30) == moves and max(latest) < (NAMES // 2 if moves else NAMES)


def test_every_model_was_measured_on_both_tasks():
    rows = stored("recurrence")["rows"]
    measured = {(row["task"], row["model"], row["seed"]) for row in rows}
    assert measured == {(task, model, seed) for task in TASKS for model in MODELS for seed in range(SEEDS)}


# --- What is said of published models --------------------------------------------------------------


def test_configurations_have_the_layers_that_the_chapter_names():
    library = pytest.importorskip("transformers")
    shares = {
        "JambaConfig": (28, 32),
        "Qwen3NextConfig": (36, 48),
        "OlmoHybridConfig": (24, 32),
        "Qwen3_5MoeTextConfig": (30, 40),
    }
    for name, (states, layers) in shares.items():
        kinds = list(getattr(library, name)().layer_types)
        assert (kinds.count("linear_attention"), len(kinds)) == (states, layers)


def test_the_caches_and_states_of_qwen3_next():
    library = pytest.importorskip("transformers")
    config = library.Qwen3NextConfig()
    caches, _ = numbers_held(48, 4, 32, config.num_key_value_heads, config.head_dim, 1)
    assert caches == 12 * 2 * 2 * 256
    _, states = numbers_held(48, 4, config.linear_num_value_heads, 2, config.linear_key_head_dim, 1)
    assert states == 36 * 32 * 128 * 128 and config.linear_value_head_dim == 128


def test_the_rates_of_olmo_hybrid_are_doubled():
    library = pytest.importorskip("transformers")
    assert library.OlmoHybridConfig().linear_allow_neg_eigval
    key, value = np.eye(3)[None, [0, 0]], np.array([[[8.0], [0.0]]])
    rates, decays = np.array([[1.0, 2.0]]), np.ones((1, 2))
    assert delta_rule(key, key, value, rates, decays)[0, :, 0].tolist() == [8, -8]


@pytest.mark.parametrize("written", WRITES)
def test_where_a_value_lies_after_writing_is_that_of_the_rule(written):
    rate = {"rate 1/2": 0.5, "rate 1/4": 0.25, "rate 2": 2.0}.get(written.split(",")[0], 1.0)
    key = np.array([2.0 if written.endswith("length 2") else 1.0, 0])
    other = key[::-1] if "orthogonal" in written else key
    # The first token writes 10 for the key, whatever its length; the second one 20; the third only reads.
    keys = np.stack([key, other, key])[None]
    rates = np.array([[1 / (key @ key), rate, 0.0]])
    contexts = delta_rule(keys[:, [0, 0, 0]], keys, np.array([[[10.0], [20], [0]]]), rates, np.ones((1, 3)))
    value = contexts[0, 2, 0]
    place = "between" if 10 < value < 20 else {10: "old", 20: "new"}.get(round(value, 9), "beyond")
    assert value_after_writing(written) == place and value >= 10
