"""Multi-head attention: the frameworks' own layers, counted parameters, and what people get wrong."""

import inspect
import json

import numpy as np
import pytest

from autograder.frameworks.libraries import torch
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from solutions.multi_head import in_numpy
from tests.support import FRAMEWORKS, graded, solution
from tests.topics.arrays import array, close, numbers, with_learned

NUM_HIDDENS, NUM_HEADS = 12, 3
CHAPTER = ROOT / "chapters" / "multi_head.ipynb"


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def weights(rng):
    shape = (NUM_HIDDENS, NUM_HIDDENS)
    return {n: (rng.normal(size=shape) / 3).astype(np.float32) for n in ("W_q", "W_k", "W_v", "W_o")}


@pytest.fixture
def inputs(rng):
    queries = rng.normal(size=(2, 4, NUM_HIDDENS)).astype(np.float32)
    keys, values = rng.normal(size=(2, 2, 5, NUM_HIDDENS)).astype(np.float32)
    return queries, keys, values


def _torch_layer(weights, num_heads=NUM_HEADS):
    layer = solution("multi_head", "torch").MultiHeadAttention(NUM_HIDDENS, num_heads)
    return with_learned("torch", layer, {f"{name}.weight": value for name, value in weights.items()})


def _own_layer_of_torch(weights):
    """PyTorch keeps the three projections of the inputs in one matrix, one above the other."""
    layer = torch.nn.MultiheadAttention(NUM_HIDDENS, NUM_HEADS, bias=False, batch_first=True)
    layer.in_proj_weight.data = torch.tensor(np.concatenate([weights[n] for n in ("W_q", "W_k", "W_v")]))
    layer.out_proj.weight.data = torch.tensor(weights["W_o"])
    return layer


@torch.no_grad()
def test_torchs_own_layer_gives_the_same_without_a_mask(weights, inputs):
    inputs = tuple(map(torch.tensor, inputs))
    expected, expected_weights = _own_layer_of_torch(weights)(*inputs, average_attn_weights=False)
    layer = _torch_layer(weights)
    close(layer(*inputs, None), expected)
    close(layer.attention_weights, expected_weights.flatten(0, 1))


@torch.no_grad()
def test_torchs_own_layer_gives_the_same_with_padding_where_its_mask_is_true_for_padding(weights, inputs):
    inputs, lengths = tuple(map(torch.tensor, inputs)), torch.tensor([2, 5])
    padding = torch.arange(5) >= lengths[:, None]
    expected, _ = _own_layer_of_torch(weights)(*inputs, key_padding_mask=padding)
    close(_torch_layer(weights)(*inputs, lengths), expected)


@torch.no_grad()
def test_torchs_own_layer_gives_the_same_with_a_length_for_each_query(weights, inputs):
    inputs, lengths = tuple(map(torch.tensor, inputs)), torch.tensor([[1, 2, 3, 4], [5, 1, 4, 2]])
    # One mask for each head, in the same order as our batch of heads.
    hidden = (torch.arange(5) >= lengths[..., None]).repeat_interleave(NUM_HEADS, dim=0)
    expected, _ = _own_layer_of_torch(weights)(*inputs, attn_mask=hidden)
    close(_torch_layer(weights)(*inputs, lengths), expected)


@torch.no_grad()
def test_the_weights_of_a_new_torch_layer_can_be_taken_over(inputs):
    torch.manual_seed(1)
    library_layer = torch.nn.MultiheadAttention(NUM_HIDDENS, NUM_HEADS, batch_first=True)
    assert not library_layer.in_proj_bias.any() and not library_layer.out_proj.bias.any()
    W_q, W_k, W_v = library_layer.in_proj_weight.numpy().reshape(3, NUM_HIDDENS, NUM_HIDDENS)
    layer = _torch_layer({"W_q": W_q, "W_k": W_k, "W_v": W_v, "W_o": library_layer.out_proj.weight.numpy()})
    inputs = tuple(map(torch.tensor, inputs))
    close(layer(*inputs, None), library_layer(*inputs)[0])


@torch.no_grad()
def test_torchs_scaled_dot_product_attention_gives_the_same_heads(weights, inputs):
    attend = torch.nn.functional.scaled_dot_product_attention
    split, join = (getattr(solution("multi_head", "torch"), f"{n}_heads") for n in ("split", "join"))
    W_q, W_k, W_v, W_o = (torch.tensor(weights[n]) for n in ("W_q", "W_k", "W_v", "W_o"))
    queries, keys, values = map(torch.tensor, inputs)
    heads = [split(X @ W.T, NUM_HEADS) for X, W in ((queries, W_q), (keys, W_k), (values, W_v))]
    expected = join(attend(*heads), NUM_HEADS) @ W_o.T
    close(_torch_layer(weights)(queries, keys, values, None), expected)


def test_mxnets_own_kernels_give_the_same(weights, inputs):
    """They want steps first, and the rows of the three projections interleaved head by head."""
    layer = solution("multi_head", "mxnet").MultiHeadAttention(NUM_HIDDENS, NUM_HEADS)
    from mxnet import nd

    with_learned("mxnet", layer, {f"{name}.weight": value for name, value in weights.items()})
    X = inputs[1]
    result = layer(*[nd.array(X)] * 3, None)

    rows = [weights[n].reshape(NUM_HEADS, -1, NUM_HIDDENS) for n in ("W_q", "W_k", "W_v")]
    interleaved = np.concatenate(rows, axis=1).reshape(-1, NUM_HIDDENS)
    projected = nd.array(X.transpose(1, 0, 2) @ interleaved.T)
    scores = nd.contrib.interleaved_matmul_selfatt_qk(projected, heads=NUM_HEADS)
    attention = scores.softmax(axis=-1)
    context = nd.contrib.interleaved_matmul_selfatt_valatt(projected, attention, heads=NUM_HEADS)
    close(layer.attention_weights.asnumpy(), attention.asnumpy())
    close(result.asnumpy(), context.asnumpy().transpose(1, 0, 2) @ weights["W_o"].T)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_joining_undoes_splitting(framework, rng):
    module = solution("multi_head", framework)
    X = rng.normal(size=(2, 5, 12)).astype(np.float32)
    for num_heads in (1, 2, 3, 12):
        split = module.split_heads(array(framework, X), num_heads)
        assert tuple(split.shape) == (2 * num_heads, 5, 12 // num_heads)
        np.testing.assert_array_equal(numbers(module.join_heads(split, num_heads)), X)
        np.testing.assert_array_equal(numbers(split), in_numpy.split_heads(X, num_heads))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_chapter_shows_join_heads_as_it_is(framework):
    definitions = [
        "".join(cell["source"])
        for cell in json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
        if f"framework-{framework}" in cell["metadata"].get("tags", [])
    ]
    assert inspect.getsource(solution("multi_head", framework).join_heads).strip() in definitions


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_number_of_parameters_does_not_depend_on_the_number_of_heads(framework, inputs):
    module = solution("multi_head", framework)
    for num_heads in (1, 2, 3, 4, 6, 12):
        layer = module.MultiHeadAttention(NUM_HIDDENS, num_heads)
        if framework == "mxnet":
            layer.initialize()
            layer(*(array(framework, X) for X in inputs), None)
            counted = sum(p.data().size for p in layer.collect_params().values())
        else:
            counted = sum(p.numel() for p in layer.parameters())
        assert (NUM_HIDDENS // num_heads, counted, num_heads * 49) == module.head_sizes(
            7, NUM_HIDDENS, num_heads
        )


def test_each_head_owns_a_block_of_rows_of_the_projections(weights, inputs):
    """The formula of the paper: Concat(head_1, …, head_h) W_o, one head after the other."""
    queries, keys, values = (X.astype(np.float64) for X in inputs)
    size = NUM_HIDDENS // NUM_HEADS
    heads = []
    for i in range(NUM_HEADS):
        Q, K, V = (
            X @ weights[name][i * size : (i + 1) * size].T
            for X, name in ((queries, "W_q"), (keys, "W_k"), (values, "W_v"))
        )
        scores = Q @ K.transpose(0, 2, 1) / np.sqrt(size)
        heads.append(in_numpy.masked_softmax(scores, np.array([2, 5])) @ V)
    expected = np.concatenate(heads, axis=-1) @ weights["W_o"].T
    result, _ = in_numpy.multi_head_attention(
        queries, keys, values, np.array([2, 5]), NUM_HIDDENS, NUM_HEADS, **weights
    )
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_exchanging_two_heads_with_their_columns_of_W_o_changes_nothing(weights, inputs):
    order = np.arange(NUM_HIDDENS).reshape(NUM_HEADS, -1)[[2, 0, 1]].ravel()
    exchanged = {name: W[:, order] if name == "W_o" else W[order] for name, W in weights.items()}
    result, _ = in_numpy.multi_head_attention(*inputs, None, NUM_HIDDENS, NUM_HEADS, **weights)
    again, _ = in_numpy.multi_head_attention(*inputs, None, NUM_HIDDENS, NUM_HEADS, **exchanged)
    close(result, again)


def test_with_the_width_of_the_layer_as_scale_the_weights_come_closer_to_uniform(weights, inputs):
    """A famous video lecture scales by the embedding width; the scores are then too small by √num_heads."""
    ideas = {idea.name: idea for idea in all_exercises()["multi_head_attention"].misconceptions}
    scaled_by_all_features = ideas["scaled_by_all_features"].function
    arguments = dict(zip(("queries", "keys", "values"), inputs, strict=True), valid_length=None, **weights)
    _, right = in_numpy.multi_head_attention(num_hiddens=NUM_HIDDENS, num_heads=NUM_HEADS, **arguments)
    _, flat = scaled_by_all_features(num_hiddens=NUM_HIDDENS, num_heads=NUM_HEADS, **arguments)

    def entropy(p):
        return -(p * np.log(p)).sum(-1)

    assert (entropy(flat) > entropy(right)).all()
    ratio = np.log(right[..., 0] / right[..., 1]) / np.log(flat[..., 0] / flat[..., 1])
    np.testing.assert_allclose(ratio, np.sqrt(NUM_HEADS), rtol=1e-4)


@pytest.fixture
def hand_in(zygote):
    """Grade a source for MultiHeadAttention in PyTorch."""
    exercise = all_exercises()["multi_head_attention"]
    return lambda source: graded(zygote, source, "mine.py", [exercise], "torch")[0]


IMPORTS = "import math\nimport torch\nfrom solutions.masked_softmax.in_torch import masked_softmax\n"


def test_a_wrong_split_is_not_charged_twice(hand_in):
    module = solution("multi_head", "torch")
    wrong = "def split_heads(X, num_heads):\n    return X.reshape((len(X) * num_heads, X.shape[1], -1))\n"
    parts = [inspect.getsource(part) for part in (module.join_heads, module.MultiHeadAttention)]
    assert hand_in("\n\n".join([IMPORTS, wrong, *parts])).outcome == "accepted"


def test_the_answer_itself_cannot_be_imported(hand_in):
    source = f"{IMPORTS}from solutions.multi_head.in_torch import split_heads, MultiHeadAttention\n"
    assert hand_in(source).outcome in ("missing", "error")
    layer = inspect.getsource(solution("multi_head", "torch").MultiHeadAttention)
    helped = f"{IMPORTS}from solutions.multi_head.in_torch import join_heads, split_heads\n\n\n{layer}"
    assert hand_in(helped).outcome == "accepted"
    assert hand_in(helped.replace("self.W_o(join_heads(", "(join_heads(")).outcome == "rejected"


def test_helpers_that_need_no_framework_can_be_imported_from_where_they_are_defined(hand_in):
    layer = inspect.getsource(solution("multi_head", "torch").MultiHeadAttention)
    helped = f"{IMPORTS}from solutions.multi_head.common import join_heads, split_heads\n\n\n{layer}"
    assert hand_in(helped).outcome == "accepted"
