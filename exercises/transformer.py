"""Exercises on the transformer: layer norm, the two blocks, and what the decoder is given."""

from collections.abc import Callable, Mapping
from functools import wraps
from math import erf
from typing import Any

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Function,
    Misconception,
    Output,
    Parameter,
    Property,
)
from exercises.shared import ALL, Array, draw_lengths, draw_sizes
from solutions.transformer.in_numpy import (
    EPSILON,
    attend,
    causal_lengths,
    decoder_block,
    encoder_block,
    feed_forward,
    layer_norm,
    norm,
    pre_norm_block,
    shift_right,
)

Weights = dict[str, np.ndarray]


def _normalised(X: np.ndarray, gain: np.ndarray, bias: np.ndarray, axes: int | tuple[int, ...]) -> np.ndarray:
    """Normalised over other axes than the features."""
    mean, variance = X.mean(axis=axes, keepdims=True), X.var(axis=axes, keepdims=True)
    return gain * (X - mean) / np.sqrt(variance + EPSILON) + bias


def over_the_batch(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return _normalised(X, gain, bias, 0)


def over_batch_and_steps(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return _normalised(X, gain, bias, (0, 1))


def over_the_steps(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return _normalised(X, gain, bias, 1)


def over_steps_and_features(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return _normalised(X, gain, bias, (1, 2))


def _rescaled(
    X: Array,
    gain: Array,
    bias: Array,
    divide: Callable[[Array], Array],
    centred: bool = True,
) -> Array:
    """Features divided by what `divide` makes of them, all of a position together."""
    differences = X - X.mean(axis=-1, keepdims=True) if centred else X
    return np.asarray(gain * differences / divide(X) + bias)


def _variance(X: Array, less: int = 0) -> Array:
    return np.asarray(X.var(axis=-1, ddof=less, keepdims=True))


def unbiased_variance(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X, 1) + EPSILON))


def epsilon_outside_the_root(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X)) + EPSILON)


def unbiased_std_plus_epsilon(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X, 1)) + EPSILON)


def no_epsilon(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X)))


def unbiased_without_epsilon(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X, 1)))


def smaller_epsilon(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X) + 1e-6))


def larger_epsilon(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X) + 1e-3))


def mean_not_subtracted(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(_variance(X) + EPSILON), centred=False)


def divided_by_the_variance(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: _variance(X) + EPSILON)


def _mean_square(X: Array) -> Array:
    return np.sqrt(np.square(X).mean(axis=-1, keepdims=True) + EPSILON)


def rms_norm(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, _mean_square, centred=False)


def square_before_centring(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, _mean_square)


def squares_summed(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.sqrt(X.shape[-1] * _variance(X) + EPSILON))


def mean_distance(X: Array, gain: Array, bias: Array) -> Array:
    def distance(X: Array) -> Array:
        return np.asarray(np.abs(X - X.mean(axis=-1, keepdims=True)).mean(axis=-1, keepdims=True) + EPSILON)

    return _rescaled(X, gain, bias, distance)


def only_centred(X: Array, gain: Array, bias: Array) -> Array:
    return _rescaled(X, gain, bias, lambda X: np.ones(()))


def over_everything(X: Array, gain: Array, bias: Array) -> Array:
    return _normalised(X, gain, bias, (0, 1, 2))


def gain_left_out(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(X, np.ones_like(gain), bias)


def bias_left_out(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(X, gain, np.zeros_like(bias))


def bias_multiplied(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(X, gain, gain * bias)


def gain_and_bias_swapped(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(X, bias, gain)


def bias_subtracted(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(X, gain, -bias)


def one_plus_the_gain(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(X, 1 + gain, bias)


def rescaled_first(X: Array, gain: Array, bias: Array) -> Array:
    return layer_norm(gain * X + bias, np.ones_like(gain), np.zeros_like(bias))


def not_rescaled(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return layer_norm(X, np.ones_like(gain), np.zeros_like(bias))


def _cases_to_normalise(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, typical: tuple[int, int, int], size: float, offset: float, gradient: bool = False
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        inputs = {
            "X": offset + size * rng.normal(size=shape),
            "gain": rng.uniform(0.5, 2.0, size=shape[-1]),
            "bias": rng.normal(size=shape[-1]),
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("all sizes different", (2, 3, 5), 1.0, 0.5, gradient=True),
        case("mean far from zero", (3, 2, 4), 2.0, -8.0, gradient=True),
        case("features so close that epsilon counts", (2, 4, 6), 0.004, 0.01),
        case("large numbers", (2, 3, 7), 100.0, 30.0),
        case("one batch element", (1, 4, 5), 1.0, 1.0),
        case("a single step", (3, 1, 6), 1.0, -1.0),
    ]


def _unlike_others(run: Call, case: Case) -> str | None:
    """A position's result depends on its own features only."""
    X = case.inputs["X"].copy()
    X[-1, -1] += 1.0 + np.arange(X.shape[-1])
    before, after = run(case)[0], run(Case(case.note, {**case.inputs, "X": X}))[0]
    same = np.asarray(np.isclose(before, after, atol=1e-4).all(axis=-1))
    same[-1, -1] = True
    if same.all():
        return None
    place = tuple(map(int, np.argwhere(~same)[0]))
    return f"Changing the features at {(X.shape[0] - 1, X.shape[1] - 1)} changes the result at {place}."


class _Block:
    """The parts of a block, by the names that its modules have."""

    def __init__(
        self,
        X: Array,
        num_heads: int,
        memory: Array | None = None,
        valid_length: Array | None = None,
        source_length: Array | None = None,
        **P: Any,
    ) -> None:
        self.X, self.heads, self.P = X, num_heads, P
        self.memory = X if memory is None else memory
        self.length = valid_length if memory is None else source_length
        self.seen = causal_lengths(*X.shape[:2])

    def norm(self, number: int, X: Array) -> Array:
        return norm(X, f"norm{number}", self.P)

    def attention(self, queries: Array, memory: Array) -> Array:
        """The encoder's."""
        return attend(queries, memory, self.length, self.heads, "attention", self.P)

    def past(self, seen: Array | None, X: Array | None = None) -> Array:
        """The decoder's attention to what was said before."""
        X = self.X if X is None else X
        return attend(X, X, seen, self.heads, "self_attention", self.P)

    def alone(self) -> Array:
        """The decoder's first attention where each step sees itself alone."""
        values = self.X @ self.P["self_attention_W_v_weight"].T
        return np.asarray(values @ self.P["self_attention_W_o_weight"].T)

    def source(self, Y: Array, memory: Array | None = None) -> Array:
        """The decoder's attention to the source, or to another memory without padding."""
        if memory is not None:
            return attend(Y, memory, None, self.heads, "cross_attention", self.P)
        return attend(Y, self.memory, self.length, self.heads, "cross_attention", self.P)

    def ffn(self, X: Array, between: Callable[[Array], Array] | None = None) -> Array:
        if between is None:
            return feed_forward(X, self.P)
        hidden = between(X @ self.P["ffn1_weight"].T + self.P["ffn1_bias"])
        return np.asarray(hidden @ self.P["ffn2_weight"].T + self.P["ffn2_bias"])

    def attended(self) -> Array:
        """An encoder block's first half, as it must be."""
        return self.norm(1, self.X + self.attention(self.X, self.X))

    def decoded(self) -> Array:
        """A decoder block's first two thirds, as they must be."""
        Y = self.self_attended()
        return self.norm(2, Y + self.source(Y))

    def self_attended(self) -> Array:
        """A decoder block's first third, as it must be."""
        return self.norm(1, self.X + self.past(self.seen))


def _of_block(computed: Callable[[_Block], Array]) -> Function:
    """A misconception written as a function of a block's parts; keeps its name."""

    @wraps(computed)
    def function(**given: Any) -> Array:
        return computed(_Block(**given))

    return function


def _unchanged(X: Array) -> Array:
    return X


def _gelu(X: Array) -> Array:
    return X * (1 + np.vectorize(erf)(X / np.sqrt(2))) / 2


@_of_block
def no_residuals(block: _Block) -> Array:
    Y = block.norm(1, block.attention(block.X, block.X))
    return block.norm(2, block.ffn(Y))


@_of_block
def no_residual_around_the_attention(block: _Block) -> Array:
    Y = block.norm(1, block.attention(block.X, block.X))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def no_residual_around_the_feed_forward(block: _Block) -> Array:
    return block.norm(2, block.ffn(block.attended()))


@_of_block
def norm_before_adding(block: _Block) -> Array:
    Y = block.X + block.norm(1, block.attention(block.X, block.X))
    return Y + block.norm(2, block.ffn(Y))


@_of_block
def second_residual_from_the_input(block: _Block) -> Array:
    return block.norm(2, block.X + block.ffn(block.attended()))


@_of_block
def feed_forward_reads_the_input(block: _Block) -> Array:
    return block.norm(2, block.attended() + block.ffn(block.X))


@_of_block
def one_norm_for_both(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(1, Y + block.ffn(Y))


@_of_block
def second_norm_for_both(block: _Block) -> Array:
    Y = block.norm(2, block.X + block.attention(block.X, block.X))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def norms_exchanged(block: _Block) -> Array:
    Y = block.norm(2, block.X + block.attention(block.X, block.X))
    return block.norm(1, Y + block.ffn(Y))


@_of_block
def no_norms(block: _Block) -> Array:
    Y = block.X + block.attention(block.X, block.X)
    return Y + block.ffn(Y)


@_of_block
def first_norm_missing(block: _Block) -> Array:
    Y = block.X + block.attention(block.X, block.X)
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def last_norm_missing(block: _Block) -> Array:
    Y = block.attended()
    return Y + block.ffn(Y)


@_of_block
def attention_still_pre_norm(block: _Block) -> Array:
    N = block.norm(1, block.X)
    Y = block.X + block.attention(N, N)
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def feed_forward_still_pre_norm(block: _Block) -> Array:
    Y = block.attended()
    return Y + block.ffn(block.norm(2, Y))


@_of_block
def normalised_before_and_after(block: _Block) -> Array:
    N = block.norm(1, block.X)
    Y = block.norm(1, block.X + block.attention(N, N))
    return block.norm(2, Y + block.ffn(block.norm(2, Y)))


@_of_block
def residual_from_the_normalised(block: _Block) -> Array:
    N = block.norm(1, block.X)
    M = block.norm(2, N + block.attention(N, N))
    return M + block.ffn(M)


@_of_block
def no_relu(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + block.ffn(Y, _unchanged))


@_of_block
def gelu_for_relu(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + block.ffn(Y, _gelu))


@_of_block
def tanh_for_relu(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + block.ffn(Y, np.tanh))


@_of_block
def relu_at_the_end(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + np.maximum(block.ffn(Y, _unchanged), 0))


@_of_block
def relu_twice(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + np.maximum(block.ffn(Y), 0))


@_of_block
def feed_forward_comes_first(block: _Block) -> Array:
    Y = block.norm(2, block.X + block.ffn(block.X))
    return block.norm(1, Y + block.attention(Y, Y))


@_of_block
def both_parts_read_the_input(block: _Block) -> Array:
    return block.norm(2, block.X + block.attention(block.X, block.X) + block.ffn(block.X))


@_of_block
def input_added_twice(block: _Block) -> Array:
    Y = block.norm(1, 2 * block.X + block.attention(block.X, block.X))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def input_added_again(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, block.X + Y + block.ffn(Y))


@_of_block
def queries_normalised(block: _Block) -> Array:
    Y = block.norm(1, block.X + block.attention(block.norm(1, block.X), block.X))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def first_half_normalised_twice(block: _Block) -> Array:
    N = block.norm(1, block.X)
    Y = block.norm(1, block.X + block.attention(N, N))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def second_half_normalised_twice(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + block.ffn(block.norm(2, Y)))


@_of_block
def sigmoid_for_relu(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + block.ffn(Y, lambda X: np.asarray(1 / (1 + np.exp(-X)))))


@_of_block
def attention_left_out(block: _Block) -> Array:
    Y = block.norm(1, block.X)
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def feed_forward_left_out(block: _Block) -> Array:
    return block.norm(2, block.attended())


@_of_block
def norm_at_the_end_of_pre_norm(block: _Block) -> Array:
    N = block.norm(1, block.X)
    Y = block.X + block.attention(N, N)
    return block.norm(2, Y + block.ffn(block.norm(2, Y)))


@_of_block
def first_norm_moved_away(block: _Block) -> Array:
    Y = block.X + block.attention(block.X, block.X)
    return Y + block.ffn(block.norm(2, Y))


@_of_block
def second_residual_from_the_sum(block: _Block) -> Array:
    total = block.X + block.attention(block.X, block.X)
    return block.norm(2, total + block.ffn(block.norm(1, total)))


@_of_block
def feed_forward_reads_the_sum(block: _Block) -> Array:
    total = block.X + block.attention(block.X, block.X)
    return block.norm(2, block.norm(1, total) + block.ffn(total))


@_of_block
def input_normalised_alone(block: _Block) -> Array:
    Y = block.norm(1, block.X) + block.attention(block.X, block.X)
    return block.norm(2, Y) + block.ffn(Y)


@_of_block
def first_half_normalised_throughout(block: _Block) -> Array:
    N = block.norm(1, block.X)
    Y = block.norm(1, N + block.attention(N, N))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def second_half_normalised_throughout(block: _Block) -> Array:
    M = block.norm(2, block.attended())
    return block.norm(2, M + block.ffn(M))


@_of_block
def keys_and_values_normalised(block: _Block) -> Array:
    Y = block.norm(1, block.X + block.attention(block.X, block.norm(1, block.X)))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def relu_first(block: _Block) -> Array:
    Y = block.attended()
    return block.norm(2, Y + block.ffn(np.maximum(Y, 0), _unchanged))


@_of_block
def first_half_normalises_the_part(block: _Block) -> Array:
    Y = block.X + block.norm(1, block.attention(block.X, block.X))
    return block.norm(2, Y + block.ffn(Y))


@_of_block
def second_half_normalises_the_part(block: _Block) -> Array:
    Y = block.attended()
    return Y + block.norm(2, block.ffn(Y))


def padding_ignored(valid_length: Array | None, **given: Any) -> Array:
    return encoder_block(valid_length=None, **given)


def _attention_parameters(name: str) -> dict[str, Parameter]:
    shape = "(num_hiddens, num_hiddens)"
    return {f"{name}_W_{x}_weight": Parameter(f"{name}.W_{x}.weight", shape) for x in "qkvo"}


def _other_parameters(norms: int) -> dict[str, Parameter]:
    found = {
        "ffn1_weight": Parameter("ffn1.weight", "(ffn_hiddens, num_hiddens)"),
        "ffn1_bias": Parameter("ffn1.bias", "(ffn_hiddens,)"),
        "ffn2_weight": Parameter("ffn2.weight", "(num_hiddens, ffn_hiddens)"),
        "ffn2_bias": Parameter("ffn2.bias", "(num_hiddens,)"),
    }
    for i in range(1, norms + 1):
        for part in ("weight", "bias"):
            found[f"norm{i}_{part}"] = Parameter(f"norm{i}.{part}", "(num_hiddens,)")
    return found


ENCODER = _attention_parameters("attention") | _other_parameters(2)
DECODER = (
    _attention_parameters("self_attention") | _attention_parameters("cross_attention") | _other_parameters(3)
)


def _random_weights(
    rng: np.random.Generator, parameters: dict[str, Parameter], num_hiddens: int, ffn_hiddens: int
) -> Weights:
    """Matrices that keep the size of their input, biases and gains that are easy to tell apart."""
    sizes = {"num_hiddens": num_hiddens, "ffn_hiddens": ffn_hiddens}
    weights = {}
    for name, parameter in parameters.items():
        shape = tuple(sizes[word] for word in parameter.shape.strip("(,)").split(", "))
        if len(shape) == 2:
            weights[name] = rng.normal(size=shape) / np.sqrt(shape[1])
        elif name.endswith("bias"):
            weights[name] = 0.5 * rng.normal(size=shape)
        else:
            weights[name] = rng.uniform(0.5, 1.5, size=shape)
    return weights


def _block_case(
    rng: np.random.Generator,
    note: str,
    parameters: dict[str, Parameter],
    inputs: Mapping[str, tuple[int, ...]],
    settings: tuple[int, int, int],
    lengths: tuple[str, Array | None],
    gradient: bool,
) -> Case:
    """Random inputs (batch, steps), given by their shapes, and random weights.

    settings: heads, numbers in a head, and units of the hidden layer. lengths: their name, and themselves.
    """
    num_heads, width, ffn_hiddens = settings
    num_hiddens = num_heads * width
    given: dict[str, Any] = {n: rng.normal(size=(*shape, num_hiddens)) for n, shape in inputs.items()}
    given[lengths[0]] = lengths[1]
    named = {"num_hiddens": num_hiddens, "num_heads": num_heads, "ffn_hiddens": ffn_hiddens}
    weights = _random_weights(rng, parameters, num_hiddens, ffn_hiddens)
    return Case(note, given, named, weights, gradient=gradient)


def _cases_to_encode(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, ...],
        padded: bool = True,
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        """typical: batch, steps, heads, numbers in a head, units of the hidden layer."""
        batch, steps, *settings = draw_sizes(rng, *typical)
        lengths = draw_lengths(rng, steps, batch, among=among) if padded else None
        return _block_case(
            rng, note, ENCODER, {"X": (batch, steps)}, (settings[0], settings[1], settings[2]),
            ("valid_length", lengths), gradient,
        )  # fmt: skip

    return [
        case("no padding", (2, 3, 2, 2, 6), padded=False, gradient=True),
        case("padding", (2, 5, 2, 3, 9), gradient=True),
        case("three or more heads, the extremes of length", (3, 4, 3, 2, 5), among=(1, ALL)),
        case("one head", (2, 3, 1, 5, 7)),
        case("one sentence", (1, 6, 4, 2, 3)),
    ]


def not_shifted(tokens: np.ndarray, start: int) -> np.ndarray:
    return tokens


def shifted_left(tokens: np.ndarray, start: int) -> np.ndarray:
    return np.concatenate([tokens[:, 1:], np.full((len(tokens), 1), start)], axis=1)


def last_token_comes_first(tokens: np.ndarray, start: int) -> np.ndarray:
    return np.roll(tokens, 1, axis=1)


def first_token_overwritten(tokens: np.ndarray, start: int) -> np.ndarray:
    return np.concatenate([np.full((len(tokens), 1), start), tokens[:, 1:]], axis=1)


def last_token_kept(tokens: np.ndarray, start: int) -> np.ndarray:
    return np.concatenate([np.full((len(tokens), 1), start), tokens], axis=1)


def last_token_overwritten(tokens: Array, start: int) -> Array:
    return np.concatenate([tokens[:, :-1], np.full((len(tokens), 1), start)], axis=1)


def turned_left_and_overwritten(tokens: Array, start: int) -> Array:
    return np.concatenate([np.full((len(tokens), 1), start), np.roll(tokens, -1, axis=1)[:, 1:]], axis=1)


def start_is_always_zero(tokens: Array, start: int) -> Array:
    return shift_right(tokens, 0)


def start_is_always_one(tokens: Array, start: int) -> Array:
    return shift_right(tokens, 1)


def start_everywhere(tokens: Array, start: int) -> Array:
    return np.full_like(tokens, start)


def shifted_along_the_batch(tokens: Array, start: int) -> Array:
    return np.concatenate([np.full_like(tokens[:1], start), tokens[:-1]])


def shifted_through_the_batch(tokens: Array, start: int) -> Array:
    return np.concatenate([[start], tokens.reshape(-1)[:-1]]).reshape(tokens.shape)


def start_for_the_first_sentence_only(tokens: Array, start: int) -> Array:
    shifted = np.roll(tokens, 1, axis=1)
    shifted[0, 0] = start
    return shifted


def shifted_twice(tokens: Array, start: int) -> Array:
    return shift_right(shift_right(tokens, start), start)


def start_left_out(tokens: Array, start: int) -> Array:
    return tokens[:, :-1]


def tokens_reversed(tokens: Array, start: int) -> Array:
    return np.concatenate([np.full_like(tokens[:, :1], start), tokens[:, :0:-1]], axis=1)


def start_as_a_sentence(tokens: Array, start: int) -> Array:
    return np.concatenate([np.full_like(tokens[:1], start), tokens])


def first_token_repeated(tokens: Array, start: int) -> Array:
    return np.concatenate([tokens[:, :1], tokens[:, :-1]], axis=1)


def start_behind_the_first_token(tokens: Array, start: int) -> Array:
    first = np.full_like(tokens[:, :1], start)
    return np.concatenate([tokens[:, :1], first, tokens[:, 1:-1]], axis=1)


def start_at_both_ends(tokens: Array, start: int) -> Array:
    first = np.full_like(tokens[:, :1], start)
    return np.concatenate([first, tokens[:, 1:-1], first], axis=1)


def last_token_kept_twice(tokens: Array, start: int) -> Array:
    return np.concatenate([tokens[:, 1:], tokens[:, -1:]], axis=1)


def _cases_to_shift(rng: np.random.Generator) -> list[Case]:
    def case(note: str, batch: int, steps: int, start: int) -> Case:
        batch, steps = draw_sizes(rng, batch, steps)
        tokens = rng.permutation(80)[: batch * steps].reshape(batch, steps) + 2
        return Case(note, {"tokens": tokens, "start": start})

    return [
        case("more tokens than sentences", 2, 4, 1),
        case("one sentence", 1, 7, 1),
        case("another start token", 5, 3, 0),
        case("few tokens", 3, 2, 1),
    ]


def _decoder(
    X: np.ndarray,
    memory: np.ndarray,
    source_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    *,
    seen: np.ndarray | None = None,
    look_ahead: bool = False,
    ask: str = "Y",
    answer: str = "memory",
    cross_lengths: np.ndarray | None = None,
    cross_residual: bool = True,
    **P: np.ndarray,
) -> np.ndarray:
    """A decoder block with one of its parts replaced."""
    if seen is None and not look_ahead:
        seen = causal_lengths(*X.shape[:2])
    lengths = source_length if cross_lengths is None else cross_lengths
    Y = norm(X + attend(X, X, seen, num_heads, "self_attention", P), "norm1", P)
    named = {"X": X, "Y": Y, "memory": memory}
    if answer == "Y":
        lengths = None
    context = attend(named[ask], named[answer], lengths, num_heads, "cross_attention", P)
    Z = norm(context + Y if cross_residual else context, "norm2", P)
    return norm(Z + feed_forward(Z, P), "norm3", P)


def future_seen(**given: Any) -> np.ndarray:
    return _decoder(**given, look_ahead=True)


def next_step_seen(X: np.ndarray, **given: Any) -> np.ndarray:
    return _decoder(X, **given, seen=causal_lengths(*X.shape[:2]) + 1)


def encoder_not_read(**given: Any) -> np.ndarray:
    return _decoder(**given, answer="Y")


def input_asks_the_source(**given: Any) -> np.ndarray:
    return _decoder(**given, ask="X")


def source_padding_ignored(source_length: np.ndarray | None, **given: Any) -> np.ndarray:
    return _decoder(source_length=None, **given)


def source_hidden_like_the_future(X: np.ndarray, **given: Any) -> np.ndarray:
    return _decoder(X, **given, cross_lengths=causal_lengths(*X.shape[:2]))


def no_residual_around_the_source(**given: Any) -> np.ndarray:
    return _decoder(**given, cross_residual=False)


@_of_block
def norms_come_first(block: _Block) -> Array:
    Y = block.X + block.past(block.seen, block.norm(1, block.X))
    Z = Y + block.source(block.norm(2, Y))
    return Z + block.ffn(block.norm(3, Z))


@_of_block
def norm_of_each_part(block: _Block) -> Array:
    Y = block.X + block.norm(1, block.past(block.seen))
    Z = Y + block.norm(2, block.source(Y))
    return Z + block.norm(3, block.ffn(Z))


def _from_self_attended(block: _Block, Y: Array) -> Array:
    """What follows from a first third Y."""
    Z = block.norm(2, Y + block.source(Y))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def own_step_hidden(block: _Block) -> Array:
    context = block.past(np.maximum(block.seen - 1, 1))
    # The softmax of a row that is hidden as a whole gives all steps the same weight.
    values = block.X.mean(axis=1) @ block.P["self_attention_W_v_weight"].T
    context[:, 0] = values @ block.P["self_attention_W_o_weight"].T
    return _from_self_attended(block, block.norm(1, block.X + context))


@_of_block
def lengths_run_backwards(block: _Block) -> Array:
    return _from_self_attended(block, block.norm(1, block.X + block.past(block.seen[:, ::-1])))


@_of_block
def one_length_for_each_sentence(block: _Block) -> Array:
    batch, steps = block.seen.shape
    if batch != steps:
        raise ValueError("as many lengths as steps, for another number of sentences")
    return _from_self_attended(block, block.norm(1, block.X + block.past(np.arange(1, steps + 1))))


@_of_block
def memory_attended_twice(block: _Block) -> Array:
    first = attend(block.X, block.memory, block.length, block.heads, "self_attention", block.P)
    return _from_self_attended(block, block.norm(1, block.X + first))


@_of_block
def no_residual_around_the_past(block: _Block) -> Array:
    return _from_self_attended(block, block.norm(1, block.past(block.seen)))


@_of_block
def norm_after_the_past_missing(block: _Block) -> Array:
    return _from_self_attended(block, block.X + block.past(block.seen))


@_of_block
def norm_after_the_source_missing(block: _Block) -> Array:
    Y = block.self_attended()
    Z = Y + block.source(Y)
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def norm_at_the_end_missing(block: _Block) -> Array:
    Z = block.decoded()
    return Z + block.ffn(Z)


@_of_block
def source_left_out(block: _Block) -> Array:
    Z = block.norm(2, block.self_attended())
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def source_and_its_norm_left_out(block: _Block) -> Array:
    Y = block.self_attended()
    return block.norm(3, Y + block.ffn(Y))


@_of_block
def source_comes_first(block: _Block) -> Array:
    Y = block.norm(2, block.X + block.source(block.X))
    Z = block.norm(1, Y + block.past(block.seen, Y))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def source_added_to_the_input(block: _Block) -> Array:
    Z = block.norm(2, block.X + block.source(block.self_attended()))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def last_residual_skips_the_source(block: _Block) -> Array:
    return block.norm(3, block.self_attended() + block.ffn(block.decoded()))


@_of_block
def last_residual_from_the_input(block: _Block) -> Array:
    return block.norm(3, block.X + block.ffn(block.decoded()))


@_of_block
def no_residual_at_the_end(block: _Block) -> Array:
    return block.norm(3, block.ffn(block.decoded()))


@_of_block
def no_residual_anywhere(block: _Block) -> Array:
    Z = block.norm(2, block.source(block.norm(1, block.past(block.seen))))
    return block.norm(3, block.ffn(Z))


@_of_block
def decoder_without_relu(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, Z + block.ffn(Z, _unchanged))


@_of_block
def decoder_with_gelu(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, Z + block.ffn(Z, _gelu))


@_of_block
def first_norm_at_the_source(block: _Block) -> Array:
    Y = block.self_attended()
    Z = block.norm(1, Y + block.source(Y))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def second_norm_at_the_end(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(2, Z + block.ffn(Z))


@_of_block
def first_norm_everywhere(block: _Block) -> Array:
    Y = block.self_attended()
    Z = block.norm(1, Y + block.source(Y))
    return block.norm(1, Z + block.ffn(Z))


@_of_block
def decoder_with_tanh(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, Z + block.ffn(Z, np.tanh))


@_of_block
def decoder_with_sigmoid(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, Z + block.ffn(Z, lambda X: np.asarray(1 / (1 + np.exp(-X)))))


@_of_block
def decoder_relu_at_the_end(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, Z + np.maximum(block.ffn(Z, _unchanged), 0))


@_of_block
def decoder_relu_twice(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, Z + np.maximum(block.ffn(Z), 0))


@_of_block
def feed_forward_skips_the_source(block: _Block) -> Array:
    return block.norm(3, block.decoded() + block.ffn(block.self_attended()))


@_of_block
def feed_forward_of_the_input(block: _Block) -> Array:
    return block.norm(3, block.decoded() + block.ffn(block.X))


@_of_block
def feed_forward_missing(block: _Block) -> Array:
    return block.norm(3, block.decoded())


@_of_block
def no_norm_anywhere(block: _Block) -> Array:
    Y = block.X + block.past(block.seen)
    Z = Y + block.source(Y)
    return Z + block.ffn(Z)


@_of_block
def first_two_norms_exchanged(block: _Block) -> Array:
    Y = block.norm(2, block.X + block.past(block.seen))
    Z = block.norm(1, Y + block.source(Y))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def last_two_norms_exchanged(block: _Block) -> Array:
    Y = block.self_attended()
    Z = block.norm(3, Y + block.source(Y))
    return block.norm(2, Z + block.ffn(Z))


@_of_block
def second_norm_at_the_past(block: _Block) -> Array:
    return _from_self_attended(block, block.norm(2, block.X + block.past(block.seen)))


@_of_block
def one_attention_for_both(block: _Block) -> Array:
    Y = block.self_attended()
    context = attend(Y, block.memory, block.length, block.heads, "self_attention", block.P)
    Z = block.norm(2, Y + context)
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def attentions_exchanged(block: _Block) -> Array:
    first = attend(block.X, block.X, block.seen, block.heads, "cross_attention", block.P)
    Y = block.norm(1, block.X + first)
    second = attend(Y, block.memory, block.length, block.heads, "self_attention", block.P)
    Z = block.norm(2, Y + second)
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def past_hidden_by_the_source_length(block: _Block) -> Array:
    return _from_self_attended(block, block.norm(1, block.X + block.past(block.length)))


@_of_block
def lengths_exchanged(block: _Block) -> Array:
    Y = block.norm(1, block.X + block.past(block.length))
    context = attend(Y, block.memory, block.seen, block.heads, "cross_attention", block.P)
    Z = block.norm(2, Y + context)
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def attentions_side_by_side(block: _Block) -> Array:
    Z = block.norm(2, block.X + block.past(block.seen) + block.source(block.X))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def bare_context_asks_the_source(block: _Block) -> Array:
    Z = block.norm(2, block.self_attended() + block.source(block.past(block.seen)))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def input_added_to_the_second_sum(block: _Block) -> Array:
    Y = block.self_attended()
    Z = block.norm(2, block.X + Y + block.source(Y))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def second_result_added_to_the_third_sum(block: _Block) -> Array:
    Z = block.decoded()
    return block.norm(3, block.self_attended() + Z + block.ffn(Z))


@_of_block
def past_still_pre_norm(block: _Block) -> Array:
    return _from_self_attended(block, block.X + block.past(block.seen, block.norm(1, block.X)))


@_of_block
def source_first_with_its_norms_in_order(block: _Block) -> Array:
    Y = block.norm(1, block.X + block.source(block.X))
    Z = block.norm(2, Y + block.past(block.seen, Y))
    return block.norm(3, Z + block.ffn(Z))


@_of_block
def only_the_own_step_seen(block: _Block) -> Array:
    return _from_self_attended(block, block.norm(1, block.X + block.alone()))


@_of_block
def only_the_first_step_seen(block: _Block) -> Array:
    return _from_self_attended(block, block.norm(1, block.X + block.past(np.ones_like(block.seen))))


def _cases_to_decode(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, ...],
        padded: bool = True,
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        """typical: batch, steps, source tokens, heads, numbers in a head, units of the hidden layer."""
        batch, num_steps, num_source, *settings = draw_sizes(rng, *typical)
        lengths = draw_lengths(rng, num_source, batch, among=among) if padded else None
        inputs = {"X": (batch, num_steps), "memory": (batch, num_source)}
        return _block_case(
            rng, note, DECODER, inputs, (settings[0], settings[1], settings[2]),
            ("source_length", lengths), gradient,
        )  # fmt: skip

    return [
        case("no padding in the source", (2, 3, 5, 2, 2, 6), padded=False, gradient=True),
        case("padding in a source sentence", (2, 4, 3, 2, 3, 7), gradient=True),
        case("three or more heads, the extremes of length", (3, 5, 4, 3, 2, 5), among=(1, ALL)),
        case("as many steps as source tokens and sentences", (4, 4, 4, 2, 3, 5)),
        case("one head, one sentence", (1, 3, 6, 1, 5, 4)),
    ]


def _past_knows_no_future(run: Call, case: Case) -> str | None:
    X = case.inputs["X"].copy()
    X[:, -1] += 1.0
    changed = Case(case.note, {**case.inputs, "X": X}, case.settings, case.parameters)
    before, after = run(case)[0], run(changed)[0]
    gaps = np.abs(before - after)[:, :-1].max(axis=(0, 2))
    if (gaps <= 1e-4).all():
        return None
    return f"Changing the last step of X changes the result at step {int(gaps.argmax())}."


def _memory_matters(run: Call, case: Case) -> str | None:
    memory = case.inputs["memory"] + np.arange(case.settings["num_hiddens"])
    changed = Case(case.note, {**case.inputs, "memory": memory}, case.settings, case.parameters)
    if not np.allclose(run(case)[0], run(changed)[0], atol=1e-4):
        return None
    return "Another memory gives the same result."


SETTINGS = (
    Argument("num_hiddens", "int"),
    Argument("num_heads", "int that divides num_hiddens"),
    Argument("ffn_hiddens", "int"),
)
X = Argument("X", "(batch, num_steps, num_hiddens)")
OUTPUT = "(batch, num_steps, num_hiddens)"
EXERCISES = (
    Exercise(
        name="layer_norm",
        title="Layer norm",
        statement=(
            "Normalise each position over its features, with $10^{-5}$ inside the root; then multiply by "
            "the gain and add the bias."
        ),
        rules=("Write it with means, squares and roots: none of the library's own norms may be called.",),
        entry="layer_norm",
        arguments=(X, Argument("gain", "(num_hiddens,)"), Argument("bias", "(num_hiddens,)")),
        returns=(Output("normalised", OUTPUT),),
        reference=layer_norm,
        misconceptions=(
            Misconception(
                over_the_batch,
                "Mean and variance run over the batch, so a sentence changes with the other sentences of the batch. Layer norm uses the features of one position only: the last axis.",
            ),
            Misconception(
                over_batch_and_steps,
                "This is batch norm: each feature is normalised over all positions of all sentences. Layer "
                "norm turns it round, and normalises each position over its features: the last axis.",
            ),
            Misconception(
                over_the_steps,
                "Mean and variance run over the steps of a sentence, so a step would depend on later ones. Normalise each position over its features: the last axis.",
            ),
            Misconception(
                over_steps_and_features,
                "A whole sentence is normalised at once, over steps and features together. Each position has a mean and a variance of its own: only the last axis.",
            ),
            Misconception(
                unbiased_variance,
                "The variance divides by num_hiddens - 1, which is PyTorch's default for var and std. Layer norm divides by num_hiddens: correction=0.",
            ),
            Misconception(
                epsilon_outside_the_root,
                "Epsilon is added after the root. It belongs inside, sqrt(variance + 1e-5); where features "
                "are close to each other that is another number.",
            ),
            Misconception(
                unbiased_std_plus_epsilon,
                "The divisor comes out as PyTorch's std plus epsilon, as in a much-read implementation. That std divides by num_hiddens - 1, and epsilon belongs inside the root: sqrt(variance + 1e-5), with the variance divided by num_hiddens.",
            ),
            Misconception(
                mean_not_subtracted,
                "The mean is not subtracted: the features are scaled, but not centred.",
            ),
            Misconception(
                divided_by_the_variance,
                "The differences come out divided by the variance. Its square root brings the features to variance 1.",
            ),
            Misconception(
                not_rescaled,
                "Gain and bias have no effect: multiply by the gain and add the bias after normalising.",
            ),
            Misconception(
                no_epsilon,
                "It comes out as without an epsilon, or with one far too small: where features are alike the variance is nearly 0, and so is the divisor. Add 1e-5 to the variance before the root.",
            ),
            Misconception(
                unbiased_without_epsilon,
                "The divisor comes out as PyTorch's std alone. It divides by num_hiddens - 1, and nothing keeps it from being 0: write sqrt(variance + 1e-5), with the variance divided by num_hiddens.",
            ),
            Misconception(
                smaller_epsilon,
                "It comes out as with an epsilon of 1e-6. That shows where features are close to each other; asked for is 1e-5.",
            ),
            Misconception(
                larger_epsilon,
                "It comes out as with an epsilon of 1e-3, Keras's own. That shows where features are close to each other; asked for is 1e-5.",
            ),
            Misconception(
                rms_norm,
                "This is RMS norm: features are divided by the root of their mean square, and the mean is never subtracted. Layer norm subtracts the mean first, and takes the variance around it.",
            ),
            Misconception(
                square_before_centring,
                "The variance comes out as the mean of the squares of X itself. It must be the mean of the squared differences from the mean: subtract the mean, then square.",
            ),
            Misconception(
                squares_summed,
                "The divisor comes out as the root of the sum of the squared differences, so the result is too small by the root of num_hiddens. The variance is their mean.",
            ),
            Misconception(
                mean_distance,
                "The divisor comes out as the mean distance from the mean. The standard deviation is the root of the mean squared distance.",
            ),
            Misconception(
                only_centred,
                "The mean is subtracted, but nothing is divided: divide by sqrt(variance + 1e-5), or large features stay large.",
            ),
            Misconception(
                over_everything,
                "One mean and one variance serve the whole array. Each position has its own, over its features: the last axis, with keepdim.",
            ),
            Misconception(
                gain_left_out,
                "The gain has no effect: multiply the normalised features by it before you add the bias.",
            ),
            Misconception(
                bias_left_out,
                "The bias has no effect: add it after you have multiplied by the gain.",
            ),
            Misconception(
                bias_multiplied,
                "The bias is added before the multiplication, so the gain scales the bias too. First multiply by the gain, then add the bias.",
            ),
            Misconception(
                gain_and_bias_swapped,
                "Gain and bias have changed places: the gain is multiplied, the bias is added.",
            ),
            Misconception(
                bias_subtracted,
                "The bias is subtracted. Add it.",
            ),
            Misconception(
                one_plus_the_gain,
                "The features are multiplied by 1 + gain, as if the normalised features were added once more. Multiply by the gain alone.",
            ),
            Misconception(
                rescaled_first,
                "Gain and bias come before the norm, which undoes most of what they did. Normalise X first, then multiply by the gain and add the bias.",
            ),
        ),
        hints=(
            "Mean and variance belong to one position, over its features: the last axis.",
            "The variance is the mean of the squared differences, divided by the number of features and "
            "not by one less.",
            "`(X - mean) / sqrt(variance + 1e-5)`, with the axis kept for mean and variance; then gain "
            "times it, plus bias.",
        ),
        cases=_cases_to_normalise,
        properties=(Property("each position must be normalised by itself", _unlike_others),),
        forbidden=(
            "torch.nn.functional.layer_norm",
            "torch.native_layer_norm",
            "torch.nn.functional.group_norm",
            "torch.native_group_norm",
            "torch.nn.functional.batch_norm",
            "torch.native_batch_norm",
            "torch.nn.functional.instance_norm",
            "torch.nn.functional.rms_norm",
            "mxnet.nd.LayerNorm",
            "mxnet.nd.GroupNorm",
            "mxnet.nd.InstanceNorm",
            "mxnet.nd.BatchNorm",
        ),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="encoder_block",
        title="Mend the encoder block",
        statement="The block above runs and trains, but it is not the block of the formula. Mend it, so that it is.",
        rules=(
            "The parameters keep their names.",
            "`MultiHeadAttention` and the library's layer norm may be used; the library's own attention may not be called.",
        ),
        entry="EncoderBlock",
        is_class=True,
        settings=SETTINGS,
        arguments=(X, Argument("valid_length", "None or (batch,), each at least 1")),
        returns=(Output("result", OUTPUT),),
        parameters=ENCODER,
        reference=encoder_block,
        misconceptions=(
            Misconception(
                pre_norm_block,
                "This is still pre-norm: the norm comes before each sublayer, and the sums are never "
                "normalised. The paper writes LayerNorm(x + Sublayer(x)): add first, then normalise the sum.",
            ),
            Misconception(
                no_residuals,
                "The residual connections are missing: a sublayer's result replaces its input. Add the "
                "input to it before the norm.",
            ),
            Misconception(
                norm_before_adding,
                "What a sublayer returns is normalised, and added then. Add first, and normalise the sum.",
            ),
            Misconception(
                second_residual_from_the_input,
                "The second residual adds the block's input X. It must add what entered the feed-forward layers, the result of the first norm.",
            ),
            Misconception(
                one_norm_for_both,
                "One norm serves both sublayers, and norm2 has no effect. Each sublayer has a norm of its "
                "own.",
            ),
            Misconception(
                no_relu,
                "There is no ReLU between the two feed-forward layers, and two linear layers in a row are "
                "only one.",
            ),
            Misconception(
                padding_ignored,
                "The attention gets no valid_length, so words attend to padding.",
            ),
            Misconception(
                attention_still_pre_norm,
                "Half is mended: the attention still reads what the first norm returns, and the first sum is not normalised. Let it read X, and normalise the sum X + attention.",
            ),
            Misconception(
                feed_forward_still_pre_norm,
                "Half is mended: the feed-forward layers still read what the second norm returns, and the last sum is not normalised. Let them read Y, and normalise the sum as around the attention.",
            ),
            Misconception(
                normalised_before_and_after,
                "The sums are normalised now, but each part still reads a normalised input as well. Let attention read X and the feed-forward layers the result of the first norm as it is.",
            ),
            Misconception(
                residual_from_the_normalised,
                "The norms stand before each part and the normalised input is what is added, so the last sum is never normalised. The paper writes LayerNorm(x + Sublayer(x)), twice.",
            ),
            Misconception(
                no_residual_around_the_attention,
                "The residual around the attention is missing: its result replaces X. Add X to it before the first norm.",
            ),
            Misconception(
                no_residual_around_the_feed_forward,
                "The residual around the feed-forward layers is missing: their result replaces Y. Add Y to it before the second norm.",
            ),
            Misconception(
                feed_forward_reads_the_input,
                "The feed-forward layers read the block's input X, so what the attention found passes them by. They read the result of the first norm.",
            ),
            Misconception(
                second_norm_for_both,
                "norm2 serves both parts, and norm1 has no effect. The first sum gets norm1, the second norm2.",
            ),
            Misconception(
                norms_exchanged,
                "The two norms have changed places: norm1 belongs to the attention's sum, norm2 to the feed-forward's.",
            ),
            Misconception(
                no_norms,
                "Nothing is normalised: each of the two sums goes through a norm of its own.",
            ),
            Misconception(
                first_norm_missing,
                "The sum after the attention is not normalised: it goes through norm1 before the feed-forward layers read it.",
            ),
            Misconception(
                last_norm_missing,
                "The last sum is not normalised: what the block returns is norm2 of Y + feed-forward.",
            ),
            Misconception(
                gelu_for_relu,
                "Between the feed-forward layers stands GELU, as in BERT and GPT. The paper's block, and the one above, has ReLU: max(0, x).",
            ),
            Misconception(
                tanh_for_relu,
                "Between the feed-forward layers stands tanh. The block has ReLU there: max(0, x).",
            ),
            Misconception(
                relu_at_the_end,
                "The ReLU comes after the second feed-forward layer, and nothing stands between the two, which are then only one. It belongs between them.",
            ),
            Misconception(
                relu_twice,
                "There is a second ReLU, after ffn2: the layers could then only add to Y and never take away. Between the two layers is its only place.",
            ),
            Misconception(
                feed_forward_comes_first,
                "The feed-forward layers come before the attention. First the attention with norm1, then the feed-forward layers with norm2.",
            ),
            Misconception(
                both_parts_read_the_input,
                "Attention and feed-forward layers both read X, side by side, and one norm takes all. They come one after the other: the feed-forward layers read norm1(X + attention).",
            ),
            Misconception(
                input_added_twice,
                "X is added twice before the first norm. Once: X + attention.",
            ),
            Misconception(
                input_added_again,
                "The second sum adds X once more, beside Y. Y holds X already: the sum is Y + feed-forward.",
            ),
            Misconception(
                queries_normalised,
                "The queries of the attention still go through the first norm. Queries, keys and values must all be X.",
            ),
            Misconception(
                first_half_normalised_twice,
                "The first sum is normalised now, but the attention still reads what norm1 returns. It reads X itself.",
            ),
            Misconception(
                second_half_normalised_twice,
                "The last sum is normalised now, but the feed-forward layers still read what norm2 returns. They read Y itself.",
            ),
            Misconception(
                sigmoid_for_relu,
                "Between the feed-forward layers stands a sigmoid. The block has ReLU there: max(0, x).",
            ),
            Misconception(
                attention_left_out,
                "The attention is left out: no position learns of another. The first sum is X + attention.",
            ),
            Misconception(
                feed_forward_left_out,
                "The feed-forward layers are left out: norm2 gets the first half's result alone. It gets Y + feed-forward.",
            ),
            Misconception(
                norm_at_the_end_of_pre_norm,
                "Each part still reads a normalised input, and one norm was only added at the end. Let each part read its input as it is, and normalise both sums.",
            ),
            Misconception(
                first_norm_moved_away,
                "The norm before the attention is gone, but the first sum is not normalised, and the feed-forward layers still read a normalised input. Use norm1 on X + attention, norm2 on Y + feed-forward.",
            ),
            Misconception(
                second_residual_from_the_sum,
                "The second residual adds the first sum as it was before norm1. It must add what entered the feed-forward layers, the result of norm1.",
            ),
            Misconception(
                feed_forward_reads_the_sum,
                "The feed-forward layers read the first sum as it was before norm1. They must read its result, the same as the second residual adds.",
            ),
            Misconception(
                input_normalised_alone,
                "The norm is applied to the input of each residual alone, and what the part returns is added after it. Add first, then normalise the sum.",
            ),
            Misconception(
                first_half_normalised_throughout,
                "X goes through norm1 at the very start, so attention and the first residual get a normalised input. Both get X as it is; norm1 is for their sum.",
            ),
            Misconception(
                second_half_normalised_throughout,
                "The result of norm1 goes through norm2 before the feed-forward layers and their residual. Both get it as it is; norm2 is for their sum.",
            ),
            Misconception(
                keys_and_values_normalised,
                "The keys and values of the attention still go through the first norm. Queries, keys and values must all be X.",
            ),
            Misconception(
                relu_first,
                "The ReLU comes before the first feed-forward layer, and nothing stands between the two, which are then only one. It belongs between them.",
            ),
            Misconception(
                first_half_normalises_the_part,
                "In the first half what the attention returns is normalised, and added then. Add X first, and normalise the sum, as in the second half.",
            ),
            Misconception(
                second_half_normalises_the_part,
                "In the second half what the feed-forward layers return is normalised, and added then. Add Y first, and normalise the sum, as in the first half.",
            ),
        ),
        hints=(
            "Compare the class with the formula term by term: what is added to what, and when is it "
            "normalised?",
            "Each half of the block adds its result to its own input. The second half's input is what "
            "comes out of the first norm.",
            "`Y = norm1(X + attention)`, and the result is `norm2(Y + feed-forward of Y)`, with a ReLU "
            "between the two layers.",
        ),
        cases=_cases_to_encode,
        builds_on=("masked_softmax", "multi_head"),
        forbidden=library_attention(),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="shift_right",
        title="The target, shifted by one step",
        statement="Make the decoder's input from the tokens that it is to predict: the same tokens, shifted by one step, with `start` in front.",
        entry="shift_right",
        arguments=(
            Argument("tokens", "(batch, num_steps) of integers, two steps at least", integers=True),
            Argument("start", "int"),
        ),
        returns=(Output("given", "(batch, num_steps) of integers", integers=True),),
        rules=(
            "Tokens are integers, in MXNet too (`int32`), and so is the result: an integer type in, an integer type out.",
        ),
        reference=shift_right,
        misconceptions=(
            Misconception(
                not_shifted,
                "The decoder is given the very token that it has to predict, and learns to copy it. Give it "
                "the token before.",
            ),
            Misconception(
                shifted_left,
                "The tokens move to the left, so the decoder is given the token after the one that it has to predict. Step i gets token i - 1.",
            ),
            Misconception(
                last_token_comes_first,
                "The last token comes round to the front: the decoder learns how the sentence ends before "
                "it begins. Put the start token there.",
            ),
            Misconception(
                first_token_overwritten,
                "The start token overwrites the first token and nothing moves, so every later step is given "
                "its own answer. Shift, then put the start token in front.",
            ),
            Misconception(
                last_token_kept,
                "Your result has one step too many: the last token has no successor to predict, so drop it.",
            ),
            Misconception(
                last_token_overwritten,
                "The start token is written over the last one, and nothing is shifted: the decoder would read each token that it has to predict. The start comes first, and all others move one step to the right.",
            ),
            Misconception(
                turned_left_and_overwritten,
                "The tokens move to the left, and the start is then written over the first: the decoder would read tokens that are still to come. They move to the right, by +1, and the last is dropped.",
            ),
            Misconception(
                start_is_always_zero,
                "The first token is always 0. It is the argument `start`.",
            ),
            Misconception(
                start_is_always_one,
                "The first token is always 1. It is the argument `start`, which may be another number.",
            ),
            Misconception(
                start_everywhere,
                "Every token is the start, as where each one is copied from a neighbour that was overwritten just before. Read from `tokens`, which does not change, and write into a new array.",
            ),
            Misconception(
                shifted_along_the_batch,
                "The sentences are shifted, not the tokens: each row became the one above it. Shift along the steps, axis 1.",
            ),
            Misconception(
                shifted_through_the_batch,
                "The whole batch is shifted as one long row, so that a sentence begins with the last token of the one before it. Each sentence begins with `start`: shift along axis 1.",
            ),
            Misconception(
                start_for_the_first_sentence_only,
                "Only the first sentence begins with the start; the others begin with their own last token. Set the whole first column: `[:, 0]`.",
            ),
            Misconception(
                shifted_twice,
                "The tokens are shifted by two steps. The decoder's step t is given token t - 1: shift by one.",
            ),
            Misconception(
                start_left_out,
                "The last token is dropped, and nothing is put in front, so the result has one step too few: `start` comes first.",
            ),
            Misconception(
                tokens_reversed,
                "The tokens stand in the opposite order after the start: keep their order, and drop the last one.",
            ),
            Misconception(
                start_as_a_sentence,
                "The start is put in front of the batch, as a sentence of its own. It belongs in front of each sentence: join along axis 1, and drop the last token.",
            ),
            Misconception(
                first_token_repeated,
                "The first token comes first, where the start belongs, so the decoder is given the first token while it has to predict it.",
            ),
            Misconception(
                start_behind_the_first_token,
                "The start stands after the first token: it belongs before it, so that the decoder is given nothing but the start when it predicts the first.",
            ),
            Misconception(
                start_at_both_ends,
                "The first and the last token are overwritten by the start, and nothing is shifted: each token moves one step to the right, and the last is dropped.",
            ),
            Misconception(
                last_token_kept_twice,
                "The tokens move to the left, and the last one is repeated: the decoder would read each token after the one that it has to predict. Shift to the right, behind `start`.",
            ),
        ),
        hints=(
            "The decoder predicts a word from the words before it. Before the first word stands the start "
            "token.",
            "Every word moves one place to the right, and the last one drops out.",
            "Join a column of start tokens and `tokens[:, :-1]`. Tokens are whole numbers: the result "
            "has the type of tokens.",
        ),
        cases=_cases_to_shift,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="decoder_block",
        title="The decoder block",
        statement=(
            "Write the block: self-attention in which no step attends to a later one, cross-attention to the "
            "memory, and the feed-forward layers; each is added to its input, and the sum is normalised."
        ),
        rules=(
            (
                "The parts are named `self_attention`, `norm1`, `cross_attention`, `norm2`, `ffn1`, `ffn2` "
                "and `norm3`; `ffn1` makes `ffn_hiddens` features of `num_hiddens`, and `ffn2` the reverse."
            ),
            "`MultiHeadAttention` and the library's layer norm may be used; the library's own attention may not be called.",
        ),
        entry="DecoderBlock",
        is_class=True,
        settings=SETTINGS,
        arguments=(
            X,
            Argument("memory", "(batch, num_source, num_hiddens)"),
            Argument("source_length", "None or (batch,), each at least 1"),
        ),
        returns=(Output("result", OUTPUT),),
        parameters=DECODER,
        reference=decoder_block,
        misconceptions=(
            Misconception(
                future_seen,
                "The self-attention has no causal mask: each step attends to all steps of the target. Step i may attend to the i + 1 steps up to itself: give the attention one length for each query.",
            ),
            Misconception(
                next_step_seen,
                "The mask lets each step attend to the next one, which is what it has to predict. Step 0 attends to one step: the lengths are 1, 2, 3, …",
            ),
            Misconception(
                encoder_not_read,
                "The cross-attention reads the target again, so nothing of the source reaches the decoder. Its keys and values must be memory.",
            ),
            Misconception(
                input_asks_the_source,
                "The queries of the cross-attention are X, the block's input. They must be what the first norm returns, which contains the attention to the past.",
            ),
            Misconception(
                source_padding_ignored,
                "The cross-attention gets no source_length, so the target attends to the padding of the source.",
            ),
            Misconception(
                source_hidden_like_the_future,
                "The cross-attention hides the source as if it were the future: the causal lengths belong to the self-attention. The source is known from the start; only its padding is hidden.",
            ),
            Misconception(
                no_residual_around_the_source,
                "The residual around the cross-attention is missing, so the target forgets itself: add Y "
                "before the second norm.",
            ),
            Misconception(
                norms_come_first,
                "This is pre-norm. The paper normalises after each sum: LayerNorm(x + Sublayer(x)).",
            ),
            Misconception(
                own_step_hidden,
                "Each step attends only to the steps before it, not to itself. The first has none, and then the softmax gives all of them, the future too, the same weight. The lengths are 1, 2, 3, …, not 0, 1, 2, …",
            ),
            Misconception(
                lengths_run_backwards,
                "The lengths run backwards: the first step sees all others and the last only the first. Step i sees i + 1 steps: 1, 2, 3, …",
            ),
            Misconception(
                one_length_for_each_sentence,
                "Your lengths 1, 2, 3, … have one axis, and are read as one length for each sentence: other batches stop, and here the future is seen. Repeat them for each sentence: (batch, num_steps).",
            ),
            Misconception(
                memory_attended_twice,
                "The self-attention reads the memory, so the target's own past never counts. Its queries, keys and values must all be X.",
            ),
            Misconception(
                no_residual_around_the_past,
                "The residual around the self-attention is missing: add X before the first norm.",
            ),
            Misconception(
                norm_after_the_past_missing,
                "The sum after the self-attention is not normalised: it goes through norm1.",
            ),
            Misconception(
                norm_after_the_source_missing,
                "The sum after the cross-attention is not normalised: it goes through norm2.",
            ),
            Misconception(
                norm_at_the_end_missing,
                "The last sum is not normalised: what the block returns is norm3 of Z + feed-forward.",
            ),
            Misconception(
                norm_of_each_part,
                "What each part returns is normalised, and added then. Add first, and normalise the sum.",
            ),
            Misconception(
                source_left_out,
                "The cross-attention is left out, so the source has no effect: add what Y finds in memory before norm2.",
            ),
            Misconception(
                source_and_its_norm_left_out,
                "The cross-attention and its norm are left out: this is an encoder block with a causal mask, and the source has no effect.",
            ),
            Misconception(
                source_comes_first,
                "The cross-attention comes before the self-attention. First the target's own past with norm1, then the source with norm2.",
            ),
            Misconception(
                source_added_to_the_input,
                "The second residual adds the block's input X. It must add what asked the source, the result of norm1.",
            ),
            Misconception(
                last_residual_skips_the_source,
                "The third residual adds Y, from before the cross-attention. It must add what entered the feed-forward layers, the result of norm2.",
            ),
            Misconception(
                last_residual_from_the_input,
                "The third residual adds the block's input X. It must add what entered the feed-forward layers, the result of norm2.",
            ),
            Misconception(
                no_residual_at_the_end,
                "The residual around the feed-forward layers is missing: add Z before norm3.",
            ),
            Misconception(
                no_residual_anywhere,
                "All three residuals are missing: each part's result replaces its input. Add the input before each norm.",
            ),
            Misconception(
                decoder_without_relu,
                "There is no ReLU between the decoder's two feed-forward layers, so the two are only one.",
            ),
            Misconception(
                decoder_with_gelu,
                "Between the decoder's feed-forward layers stands GELU; the block of the paper has ReLU.",
            ),
            Misconception(
                first_norm_at_the_source,
                "norm1 serves the cross-attention too, and norm2 has no effect. Each of the three sums has a norm of its own.",
            ),
            Misconception(
                second_norm_at_the_end,
                "norm2 serves the feed-forward layers too, and norm3 has no effect. Each of the three sums has a norm of its own.",
            ),
            Misconception(
                first_norm_everywhere,
                "norm1 serves all three sums; norm2 and norm3 have no effect. Each sum has a norm of its own.",
            ),
            Misconception(
                decoder_with_tanh,
                "Between the decoder's feed-forward layers stands tanh; the block has ReLU there: max(0, x).",
            ),
            Misconception(
                decoder_with_sigmoid,
                "Between the decoder's feed-forward layers stands a sigmoid; the block has ReLU there: max(0, x).",
            ),
            Misconception(
                decoder_relu_at_the_end,
                "The ReLU comes after the second feed-forward layer, and nothing stands between the two, which are then only one. It belongs between them.",
            ),
            Misconception(
                decoder_relu_twice,
                "There is a second ReLU, after ffn2: the layers could then only add to Z and never take away. Between the two layers is its only place.",
            ),
            Misconception(
                feed_forward_skips_the_source,
                "The feed-forward layers read the result of norm1, from before the cross-attention. They read the result of norm2.",
            ),
            Misconception(
                feed_forward_of_the_input,
                "The feed-forward layers read the block's input X. They read the result of norm2.",
            ),
            Misconception(
                feed_forward_missing,
                "The feed-forward layers are left out: norm3 gets the result of norm2 alone. It gets Z + feed-forward.",
            ),
            Misconception(
                no_norm_anywhere,
                "Nothing is normalised: each of the three sums goes through a norm of its own.",
            ),
            Misconception(
                first_two_norms_exchanged,
                "norm1 and norm2 have changed places: norm1 belongs to the self-attention's sum, norm2 to the cross-attention's.",
            ),
            Misconception(
                last_two_norms_exchanged,
                "norm2 and norm3 have changed places: norm2 belongs to the cross-attention's sum, norm3 to the feed-forward's.",
            ),
            Misconception(
                second_norm_at_the_past,
                "norm2 serves the self-attention too, and norm1 has no effect. Each of the three sums has a norm of its own.",
            ),
            Misconception(
                one_attention_for_both,
                "`self_attention` serves the source too, and `cross_attention` has no effect. Past and source each have an attention with matrices of its own.",
            ),
            Misconception(
                attentions_exchanged,
                "The two modules have changed places: `self_attention` reads the target's past, `cross_attention` the memory.",
            ),
            Misconception(
                past_hidden_by_the_source_length,
                "The self-attention gets source_length, which belongs to the source: the future is seen, and some of the past may be hidden. Step i of the target sees i + 1 steps.",
            ),
            Misconception(
                lengths_exchanged,
                "The two masks have changed places: the causal lengths belong to the self-attention, source_length to the cross-attention.",
            ),
            Misconception(
                attentions_side_by_side,
                "Both attentions read X, side by side, and one norm takes their sum. They come one after the other: the cross-attention's queries are norm1 of X + self-attention.",
            ),
            Misconception(
                bare_context_asks_the_source,
                "The queries of the cross-attention are what the self-attention returned, before X is added and normalised. They must be the result of norm1.",
            ),
            Misconception(
                input_added_to_the_second_sum,
                "The second sum adds X once more, beside Y. Y holds X already: the sum is Y + cross-attention.",
            ),
            Misconception(
                second_result_added_to_the_third_sum,
                "The third sum adds Y once more, beside Z. Z holds Y already: the sum is Z + feed-forward.",
            ),
            Misconception(
                past_still_pre_norm,
                "The self-attention reads norm1 of X, and the first sum is not normalised. It must read X itself, and norm1 is for the sum.",
            ),
            Misconception(
                source_first_with_its_norms_in_order,
                "The cross-attention comes before the self-attention. The target's own past comes first, then the source.",
            ),
            Misconception(
                only_the_own_step_seen,
                "Each step of the self-attention sees only itself, so the past has no effect. Step i sees i + 1 steps: all up to itself.",
            ),
            Misconception(
                only_the_first_step_seen,
                "Each step of the self-attention sees only the first one. Step i sees i + 1 steps: the lengths are 1, 2, 3, …",
            ),
        ),
        hints=(
            "Three parts, each with its own norm: self-attention, cross-attention, feed-forward.",
            "For the causal mask by lengths: the query at step 0 sees one key, that at step 1 sees two. "
            "Each query needs a length of its own, `(batch, num_steps)`.",
            "The lengths are 1, 2, …, `num_steps`, repeated for each batch element. In cross-attention "
            "the queries come from the decoder, keys and values from the memory, with `source_length`.",
        ),
        cases=_cases_to_decode,
        properties=(
            Property("a later target step must not change an earlier result", _past_knows_no_future),
            Property("the source must reach the result", _memory_matters),
        ),
        builds_on=("masked_softmax", "multi_head"),
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=4,
    ),
)
