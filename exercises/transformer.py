"""Exercises on the transformer: layer norm, the two blocks, and what the decoder is given."""

from collections.abc import Mapping
from math import erf
from typing import Any

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Output,
    Parameter,
    Property,
)
from exercises.shared import ALL, NORMS, Array, draw_lengths, draw_sizes
from solutions.transformer.in_numpy import (
    decoder_block,
    encoder_block,
    layer_norm,
    shift_right,
)

Weights = dict[str, np.ndarray]
# The size of features at which 1e-5 beside their variance counts.
SMALL = 0.003


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

    cases = [
        case("all sizes different", (2, 3, 5), 1.0, 0.5, gradient=True),
        case("mean far from zero", (3, 2, 4), 2.0, -8.0, gradient=True),
        case("features so close that epsilon counts", (2, 4, 6), 0.004, 0.01),
        case("large numbers", (2, 3, 7), 100.0, 30.0),
        case("one batch element", (1, 4, 5), 1.0, 1.0),
        case("a single step", (3, 1, 6), 1.0, -1.0),
    ]
    # In float32 the mean of the squares minus the square of the mean loses the variance here. Means of the features
    # themselves are exact: they are multiples of 1/64, and each axis has a power of 2 of them. No result is near 0.
    half = rng.integers(-128, 129, size=(4, 8, 8)) / 64
    inputs = {
        "X": 300 + np.concatenate([half, -half], axis=-1),
        "gain": rng.uniform(0.25, 1.0, size=16),
        "bias": np.full(16, 5.0),
    }
    return [*cases, Case("a mean 300 times as large as the spread", inputs)]


def _unlike_others(run: Call, case: Case) -> str | None:
    """Check that a position's result depends on its own features only."""
    X = case.inputs["X"].copy()
    X[-1, -1] += 1.0 + np.arange(X.shape[-1])
    before, after = run(case)[0], run(Case(case.note, {**case.inputs, "X": X}))[0]
    same = np.asarray(np.isclose(before, after, atol=1e-4).all(axis=-1))
    same[-1, -1] = True
    if same.all():
        return None
    place = tuple(map(int, np.argwhere(~same)[0]))
    return f"Changing the features at {(X.shape[0] - 1, X.shape[1] - 1)} changes the result at {place}."


def gelu(X: Array) -> Array:
    """Compute GELU as BERT and GPT have it between the feed-forward layers."""
    return X * (1 + np.vectorize(erf)(X / np.sqrt(2))) / 2


def _attention_parameters(name: str) -> dict[str, Parameter]:
    shape = "(num_hiddens, num_hiddens)"
    return {f"{name}_W_{x}_weight": Parameter(f"{name}.W_{x}.weight", shape) for x in "qkvo"}


def _other_parameters(norms: int) -> dict[str, Parameter]:
    parameters = {
        "ffn1_weight": Parameter("ffn1.weight", "(ffn_hiddens, num_hiddens)"),
        "ffn1_bias": Parameter("ffn1.bias", "(ffn_hiddens,)"),
        "ffn2_weight": Parameter("ffn2.weight", "(num_hiddens, ffn_hiddens)"),
        "ffn2_bias": Parameter("ffn2.bias", "(num_hiddens,)"),
    }
    for i in range(1, norms + 1):
        for part, begins in (("weight", 1.0), ("bias", 0.0)):
            parameters[f"norm{i}_{part}"] = Parameter(f"norm{i}.{part}", "(num_hiddens,)", begins)
    return parameters


ENCODER = _attention_parameters("attention") | _other_parameters(2)
DECODER = (
    _attention_parameters("self_attention") | _attention_parameters("cross_attention") | _other_parameters(3)
)


def _random_weights(
    rng: np.random.Generator, parameters: dict[str, Parameter], num_hiddens: int, ffn_hiddens: int
) -> Weights:
    """Draw matrices that keep the size of their input, biases and gains that are easy to tell apart."""
    sizes = {"num_hiddens": num_hiddens, "ffn_hiddens": ffn_hiddens}
    weights = {}
    for name, parameter in parameters.items():
        shape = tuple(sizes[word] for word in parameter.description.strip("(,)").split(", "))
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
    """Draw inputs (batch, steps), given by their shapes, and random weights.

    settings: heads, numbers in a head, and units of the hidden layer. lengths: their name, and themselves.
    """
    num_heads, width, ffn_hiddens = settings
    num_hiddens = num_heads * width
    arguments: dict[str, Any] = {n: rng.normal(size=(*shape, num_hiddens)) for n, shape in inputs.items()}
    arguments[lengths[0]] = lengths[1]
    options = {"num_hiddens": num_hiddens, "num_heads": num_heads, "ffn_hiddens": ffn_hiddens}
    weights = _random_weights(rng, parameters, num_hiddens, ffn_hiddens)
    return Case(note, arguments, options, weights, gradient=gradient)


def _with_small_features(case: Case, last: str) -> Case:
    """Return a case in which epsilon counts in every norm, since all that is added up is small. last: the last norm."""
    inside = tuple(f"norm{i}" for i in range(1, int(last[-1])))

    def smaller(name: str, value: Any) -> Any:
        is_small = name in ("X", "memory") or name.startswith(("ffn2", *inside))
        return value * SMALL if is_small else value

    return case.changed(smaller)


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
        _with_small_features(case("features so small that epsilon counts", (2, 4, 2, 3, 5)), last="norm2"),
    ]


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
        _with_small_features(case("features so small that epsilon counts", (2, 4, 3, 2, 3, 5)), last="norm3"),
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
        hints=(
            "Mean and variance belong to one position, over its features: the last axis.",
            "The variance is the mean of the squared differences, divided by the number of features and "
            "not by one less.",
            "`(X - mean) / sqrt(variance + 1e-5)`, with the axis kept for mean and variance; then gain "
            "times it, plus bias.",
        ),
        cases=_cases_to_normalise,
        properties=(Property("each position must be normalised by itself", _unlike_others),),
        forbidden=NORMS,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="encoder_block",
        title="Correct the encoder block",
        statement="The block above runs and trains, but it is not the block of the formula. Correct it, so that it is.",
        rules=("Do not call the library's own attention; its layer norm may be called.",),
        conditions={
            "`attention`": "a layer; its four matrices keep their names",
            "`ffn1`, `ffn2`": "keep their names, and so do their weights and biases",
            "`norm1`, `norm2`": (
                "keep their names, $10^{-5}$ inside the root, and what they begin with: a weight of 1 and a bias of 0"
            ),
        },
        entry="EncoderBlock",
        is_class=True,
        settings=SETTINGS,
        arguments=(X, Argument("valid_length", "None or (batch,), each at least 1")),
        returns=(Output("result", OUTPUT),),
        parameters=ENCODER,
        reference=encoder_block,
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
        helpers=("MultiHeadAttention",),
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
        conditions={
            "returns given": (
                "integers as `tokens` are[ (`int32`, in MXNet)]{.mxnet}: an integer type in, an integer type "
                "out"
            ),
        },
        reference=shift_right,
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
        rules=("Do not call the library's own attention; its layer norm may be called.",),
        conditions={
            "source_length": "how many steps of the memory are valid; with `None` all are",
            "`self_attention`": "a layer, `MultiHeadAttention`",
            "`cross_attention`": (
                "a layer, `MultiHeadAttention`: queries from the first sum, normalised, keys and values from "
                "the memory"
            ),
            "`ffn1`": "a linear layer from `num_hiddens` to `ffn_hiddens` features, with a bias; a ReLU follows it",
            "`ffn2`": "a linear layer from `ffn_hiddens` to `num_hiddens` features, with a bias",
            "`norm1`": (
                "a layer norm, after the self-attention, with $10^{-5}$ inside the root; it begins with a weight of 1 "
                "and a bias of 0"
            ),
            "`norm2`": "the same, after the cross-attention",
            "`norm3`": "the same, after the feed-forward layers",
        },
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
        helpers=("MultiHeadAttention",),
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=4,
    ),
)
