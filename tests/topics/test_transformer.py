"""The transformer: the frameworks' own layers, what decoding may not know, and what people get wrong."""

import numpy as np
import pytest

from autograder import check
from autograder.frameworks.libraries import torch
from autograder.model.catalogue import all_exercises
from solutions.transformer import in_numpy
from tests.support import FRAMEWORKS, need, solution
from tests.topics.arrays import array, close, numbers
from tools.wrong_versions import define

D, HEADS, FFN, VOCABULARY, LAYERS, START = 8, 2, 12, 10, 2, 1
SIZES = (VOCABULARY, D, HEADS, FFN, LAYERS)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture
def weights(rng):
    """Of a whole model; biases and gains too are random, so that none can hide."""
    start = in_numpy.initial_weights(VOCABULARY, D, FFN, LAYERS, seed=4)
    return {
        name: (w + 0.3 * rng.normal(size=w.shape) * (w.ndim == 1)).astype(np.float32)
        for name, w in start.items()
    }


@pytest.fixture
def tokens(rng):
    source, target = rng.integers(2, VOCABULARY, (3, 5)), rng.integers(2, VOCABULARY, (3, 4))
    return source, in_numpy.shift_right(target, START), np.array([5, 2, 4])


def _of(weights, prefix):
    """The weights of one part of the model."""
    return {n.removeprefix(prefix + "."): w for n, w in weights.items() if n.startswith(prefix + ".")}


def _underscored(weights):
    return {n.replace(".", "_"): w.astype(np.float64) for n, w in weights.items()}


def _random(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def _layer_of_torch(kind, weights, **options):
    """PyTorch's own layer, with our weights under its names; its attention has biases, which stay zero."""
    layer = kind(D, HEADS, FFN, dropout=0.0, batch_first=True, **options).eval()
    names = {"attention": "self_attn", "self_attention": "self_attn", "cross_attention": "multihead_attn"}
    names |= {"ffn1": "linear1", "ffn2": "linear2", "norm1": "norm1", "norm2": "norm2", "norm3": "norm3"}
    state = {n: torch.zeros_like(p) for n, p in layer.state_dict().items()}
    for name, value in weights.items():
        part, rest = name.split(".", 1)
        if not part.endswith("attention"):
            state[f"{names[part]}.{rest}"] = torch.tensor(value)
        elif rest == "W_o.weight":
            state[f"{names[part]}.out_proj.weight"] = torch.tensor(value)
        elif rest == "W_q.weight":
            stacked = np.concatenate([weights[f"{part}.W_{x}.weight"] for x in "qkv"])
            state[f"{names[part]}.in_proj_weight"] = torch.tensor(stacked)
    layer.load_state_dict(state)
    return layer


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_layer_norm_is_the_frameworks_own(framework, rng):
    layer_norm = solution("transformer", framework).layer_norm
    X, gain, bias = (array(framework, _random(rng, *s)) for s in ((2, 3, 7), (7,), (7,)))
    if framework == "torch":
        expected = torch.nn.functional.layer_norm(X, (7,), gain, bias)
    else:
        from mxnet import nd

        expected = nd.LayerNorm(X, gain, bias, eps=1e-5)
    close(numbers(layer_norm(X, gain, bias)), numbers(expected))


@torch.no_grad()
@pytest.mark.parametrize("norm_first", [False, True])
def test_the_encoder_blocks_are_torchs_own(norm_first, weights, rng):
    module = solution("transformer", "torch")
    ours = (module.PreNormBlock if norm_first else module.EncoderBlock)(D, HEADS, FFN)
    module.set_weights(ours, _of(weights, "encoder.0"))
    library_block = _layer_of_torch(
        torch.nn.TransformerEncoderLayer, _of(weights, "encoder.0"), norm_first=norm_first
    )
    X, lengths = torch.tensor(_random(rng, 3, 5, D)), torch.tensor([5, 2, 4])
    real = torch.arange(5) < lengths[:, None]
    close(ours(X, None), library_block(X))
    close(ours(X, lengths)[real], library_block(X, src_key_padding_mask=~real)[real])


@torch.no_grad()
def test_the_decoder_block_is_torchs_own(weights, rng):
    module = solution("transformer", "torch")
    ours = module.set_weights(module.DecoderBlock(D, HEADS, FFN), _of(weights, "decoder.0"))
    library_block = _layer_of_torch(torch.nn.TransformerDecoderLayer, _of(weights, "decoder.0"))
    X, memory = torch.tensor(_random(rng, 3, 4, D)), torch.tensor(_random(rng, 3, 5, D))
    lengths = torch.tensor([5, 2, 4])
    padding = torch.arange(5) >= lengths[:, None]
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    expected = library_block(X, memory, tgt_mask=future, memory_key_padding_mask=padding)
    close(ours(X, memory, lengths), expected)


@torch.no_grad()
def test_the_weights_of_a_new_torch_layer_can_be_taken_over(rng):
    torch.manual_seed(2)
    library_block = torch.nn.TransformerEncoderLayer(D, HEADS, FFN, dropout=0.0, batch_first=True).eval()
    state = library_block.state_dict()
    assert not state["self_attn.in_proj_bias"].any() and not state["self_attn.out_proj.bias"].any()
    weights = {
        n.replace("linear", "ffn"): w.numpy() for n, w in state.items() if not n.startswith("self_attn")
    }
    weights["attention.W_o.weight"] = state["self_attn.out_proj.weight"].numpy()
    stacked = state["self_attn.in_proj_weight"].numpy().reshape(3, D, D)
    weights |= {f"attention.W_{x}.weight": w for x, w in zip("qkv", stacked, strict=True)}
    module = solution("transformer", "torch")
    ours = module.set_weights(module.EncoderBlock(D, HEADS, FFN), weights)
    X = torch.tensor(_random(rng, 2, 3, D))
    close(ours(X, None), library_block(X))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_pre_norm_block_agrees_with_the_reference(framework, weights, rng):
    module, block_weights = solution("transformer", framework), _of(weights, "encoder.1")
    block = module.set_weights(module.PreNormBlock(D, HEADS, FFN), block_weights)
    X, lengths = _random(rng, 2, 4, D), np.array([3, 4])
    expected = in_numpy.pre_norm_block(X, lengths, D, HEADS, FFN, **_underscored(block_weights))
    close(numbers(block(array(framework, X), array(framework, lengths))), expected)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_whole_transformer_agrees_with_the_reference(framework, weights, tokens):
    module, (source, target, lengths) = solution("transformer", framework), tokens
    model = module.set_weights(module.Transformer(*SIZES), weights)
    scores = model(*(array(framework, X) for X in (source, target, lengths)))
    close(
        numbers(scores), in_numpy.transformer(source, target, lengths, HEADS, weights), rtol=1e-3, atol=1e-4
    )


def _loss_and_gradients(framework, weights, tokens):
    module, (source, target, lengths) = solution("transformer", framework), tokens
    model = module.set_weights(module.Transformer(*SIZES), weights)
    labels = np.roll(target, -1, axis=1)
    arrays = [array(framework, X) for X in (source, target, lengths, labels, lengths.clip(max=4))]
    if framework == "torch":
        loss = module.sequence_loss(model(*arrays[:3]), *arrays[3:])
        loss.backward()
        return loss.item(), {n: p.grad.numpy() for n, p in model.named_parameters()}
    from mxnet import autograd

    with autograd.record():
        loss = module.sequence_loss(model(*arrays[:3]), *arrays[3:])
    loss.backward()
    gradients = {n: p.grad().asnumpy() for n, p in model._collect_params_with_prefix().items()}
    renamed = {n.replace(".gamma", ".weight").replace(".beta", ".bias"): g for n, g in gradients.items()}
    return loss.asscalar(), renamed


def test_loss_and_gradients_of_a_whole_transformer_are_the_same_in_both_frameworks(weights, tokens):
    loss, gradients = _loss_and_gradients("torch", weights, tokens)
    other_loss, other_gradients = _loss_and_gradients("mxnet", weights, tokens)
    close(loss, other_loss)
    assert gradients.keys() == other_gradients.keys() == weights.keys()
    for name, gradient in gradients.items():
        assert gradient.any(), f"no gradient reaches {name}"
        close(gradient, other_gradients[name], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_loss_leaves_out_padding(framework, rng):
    sequence_loss = solution("transformer", framework).sequence_loss
    scores, labels = _random(rng, 2, 3, 5), rng.integers(0, 5, (2, 3))
    exps = np.exp(scores)
    probabilities = np.take_along_axis(exps / exps.sum(-1, keepdims=True), labels[..., None], -1)[..., 0]
    expected = -np.log(np.array([*probabilities[0, :1], *probabilities[1]])).mean()
    loss = sequence_loss(*(array(framework, X) for X in (scores, labels, np.array([1, 3]))))
    close(numbers(loss), expected)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_decoding_step_by_step_finds_what_the_whole_sentence_at_once_would_score(framework, weights, tokens):
    """Since no step knows the future, its scores do not change when later tokens arrive."""
    module, (source, _, lengths) = solution("transformer", framework), tokens
    model = module.set_weights(module.Transformer(*SIZES), weights)
    source, lengths = array(framework, source), array(framework, lengths)
    decoded = module.greedy_decode(model, source, lengths, START)
    assert tuple(decoded.shape) == tuple(source.shape)
    scores = numbers(model(source, module.shift_right(decoded, START), lengths))
    np.testing.assert_array_equal(scores.argmax(-1), numbers(decoded))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_padding_of_the_source_changes_no_score(framework, weights, tokens):
    module, (source, target, lengths) = solution("transformer", framework), tokens
    model = module.set_weights(module.Transformer(*SIZES), weights)
    other = np.where(np.arange(5) < lengths[:, None], source, 0)
    assert (other != source).any()
    first, second = (
        numbers(model(*(array(framework, X) for X in (s, target, lengths)))) for s in (source, other)
    )
    close(first, second)


def test_swapping_the_two_sides_of_cross_attention_fails_unless_they_are_equally_long(weights, rng):
    module = solution("transformer", "torch")
    block = module.set_weights(module.DecoderBlock(D, HEADS, FFN), _of(weights, "decoder.0"))
    X, longer, equal = (torch.tensor(_random(rng, 2, n, D)) for n in (4, 5, 4))
    output = block.cross_attention(equal, X, X, None)
    assert output.shape == X.shape
    assert not torch.allclose(output, block.cross_attention(X, equal, equal, None), atol=1e-2)
    with pytest.raises(RuntimeError):
        X + block.cross_attention(longer, X, X, None)


def test_the_librarys_own_layer_norm_is_refused():
    from autograder.model.catalogue import all_exercises

    exercise = all_exercises()["layer_norm"]
    source = "def layer_norm(X, gain, bias):\n    return torch.nn.functional.layer_norm(X, gain.shape, gain, bias)\n"
    verdict = check(define(exercise, "torch", source), "torch", exercise="layer_norm")
    assert verdict.outcome == "rejected" and "layer_norm" in verdict.message


FLOATS = {
    "torch": "torch.cat([torch.full((len(tokens), 1), float(start)), tokens[:, :-1]], dim=1)",
    "mxnet": "nd.concat(nd.full((len(tokens), 1), start), tokens[:, :-1].astype('float32'), dim=1)",
}
WRITTEN_INTO_A_COPY = """
def shift_right(tokens, start):
    shifted = tokens.copy() if hasattr(tokens, "copy") else tokens.clone()
    shifted[:, 1:] = tokens[:, :-1]
    shifted[:, 0] = start
    return shifted
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_shifted_tokens_are_integers(framework):
    need(framework)
    exercise = all_exercises()["shift_right"]
    floats = f"def shift_right(tokens, start):\n    return {FLOATS[framework]}"
    verdict = check(define(exercise, framework, floats), framework)
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    assert "integer type" in verdict.message
    right = check(define(exercise, framework, WRITTEN_INTO_A_COPY), framework)
    assert right.outcome == "accepted", right


def test_a_type_that_does_not_fit_in_mxnet_is_explained():
    need("mxnet")
    source = "def shift_right(tokens, start):\n    return nd.concat(nd.full((len(tokens), 1), start), tokens[:, 1:])"
    verdict = check(define(all_exercises()["shift_right"], "mxnet", source), "mxnet")
    assert verdict.message.startswith("Arrays of two types meet, float32 and int32"), verdict
