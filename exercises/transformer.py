"""Exercises on the transformer: layer norm, the two blocks, and what the decoder is given."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
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


def unbiased_variance(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = X - X.mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(X.var(axis=-1, ddof=1, keepdims=True) + EPSILON) + bias


def epsilon_outside_the_root(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = X - X.mean(axis=-1, keepdims=True)
    return gain * centred / (X.std(axis=-1, keepdims=True) + EPSILON) + bias


def unbiased_std_plus_epsilon(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = X - X.mean(axis=-1, keepdims=True)
    return gain * centred / (X.std(axis=-1, ddof=1, keepdims=True) + EPSILON) + bias


def mean_not_subtracted(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return gain * X / np.sqrt(X.var(axis=-1, keepdims=True) + EPSILON) + bias


def divided_by_the_variance(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = X - X.mean(axis=-1, keepdims=True)
    return gain * centred / (X.var(axis=-1, keepdims=True) + EPSILON) + bias


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
    same = np.isclose(before, after, atol=1e-4).all(axis=-1)
    same[-1, -1] = True
    if same.all():
        return None
    place = tuple(map(int, np.argwhere(~same)[0]))
    return f"Changing the features at {(X.shape[0] - 1, X.shape[1] - 1)} changes the result at {place}."


def no_residuals(
    X: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **P: np.ndarray,
) -> np.ndarray:
    Y = norm(attend(X, X, valid_length, num_heads, "attention", P), "norm1", P)
    return norm(feed_forward(Y, P), "norm2", P)


def norm_before_adding(
    X: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **P: np.ndarray,
) -> np.ndarray:
    Y = X + norm(attend(X, X, valid_length, num_heads, "attention", P), "norm1", P)
    return Y + norm(feed_forward(Y, P), "norm2", P)


def second_residual_from_the_input(
    X: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **P: np.ndarray,
) -> np.ndarray:
    Y = norm(X + attend(X, X, valid_length, num_heads, "attention", P), "norm1", P)
    return norm(X + feed_forward(Y, P), "norm2", P)


def one_norm_for_both(valid_length: np.ndarray | None, **given: Any) -> np.ndarray:
    shared = {"norm2_weight": given["norm1_weight"], "norm2_bias": given["norm1_bias"]}
    return encoder_block(valid_length=valid_length, **{**given, **shared})


def no_relu(
    X: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **P: np.ndarray,
) -> np.ndarray:
    Y = norm(X + attend(X, X, valid_length, num_heads, "attention", P), "norm1", P)
    hidden = Y @ P["ffn1_weight"].T + P["ffn1_bias"]
    return norm(Y + hidden @ P["ffn2_weight"].T + P["ffn2_bias"], "norm2", P)


def padding_ignored(valid_length: np.ndarray | None, **given: Any) -> np.ndarray:
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


def norms_come_first(
    X: np.ndarray,
    memory: np.ndarray,
    source_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **P: np.ndarray,
) -> np.ndarray:
    N = norm(X, "norm1", P)
    Y = X + attend(N, N, causal_lengths(*X.shape[:2]), num_heads, "self_attention", P)
    Z = Y + attend(norm(Y, "norm2", P), memory, source_length, num_heads, "cross_attention", P)
    return Z + feed_forward(norm(Z, "norm3", P), P)


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
        case("as many steps as source tokens", (2, 4, 4, 2, 4, 3)),
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
                "Your mean and variance run over the batch, so a sentence changes with the other sentences of "
                "the batch. Layer norm uses the features of one position only: the last axis.",
            ),
            Misconception(
                over_batch_and_steps,
                "This is batch norm: each feature is normalised over all positions of all sentences. Layer "
                "norm turns it round, and normalises each position over its features: the last axis.",
            ),
            Misconception(
                over_the_steps,
                "Your mean and variance run over the steps of a sentence, so a step would depend on later "
                "ones. Normalise each position over its features: the last axis.",
            ),
            Misconception(
                over_steps_and_features,
                "You normalise a whole sentence at once, over steps and features together. Each position "
                "has a mean and a variance of its own: only the last axis.",
            ),
            Misconception(
                unbiased_variance,
                "Your variance divides by num_hiddens - 1, which is PyTorch's default for var and std. "
                "Layer norm divides by num_hiddens: correction=0.",
            ),
            Misconception(
                epsilon_outside_the_root,
                "Epsilon is added after the root. It belongs inside, sqrt(variance + 1e-5); where features "
                "are close to each other that is another number.",
            ),
            Misconception(
                unbiased_std_plus_epsilon,
                "You divide by PyTorch's std plus epsilon, as a much-read implementation does. That std "
                "divides by num_hiddens - 1, and epsilon belongs inside the root: sqrt(variance + 1e-5), "
                "with the variance divided by num_hiddens.",
            ),
            Misconception(
                mean_not_subtracted,
                "The mean is not subtracted: the features are scaled, but not centred.",
            ),
            Misconception(
                divided_by_the_variance,
                "You divide by the variance. Its square root brings the features to variance 1.",
            ),
            Misconception(
                not_rescaled,
                "Gain and bias have no effect: multiply by the gain and add the bias after normalising.",
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
        statement="The block above runs and trains, but it is not the block of the formula. Make it so.",
        rules=(
            "The parameters keep their names.",
            "`MultiHeadAttention` and the library's layer norm may be used; the library's own attention may not be called.",
        ),
        entry="EncoderBlock",
        is_class=True,
        settings=SETTINGS,
        arguments=(X, Argument("valid_length", "None or (batch,)")),
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
                "You normalise what a sublayer returns, and add it then. Add first, and normalise the sum.",
            ),
            Misconception(
                second_residual_from_the_input,
                "Your second residual adds the block's input X. It must add what entered the feed-forward "
                "layers, the result of the first norm.",
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
        title="One step late",
        statement="Make what the decoder is given from what it is to predict.",
        entry="shift_right",
        arguments=(
            Argument("tokens", "(batch, num_steps) of whole numbers, two steps at least"),
            Argument("start", "int"),
        ),
        returns=(Output("given", "(batch, num_steps)"),),
        reference=shift_right,
        misconceptions=(
            Misconception(
                not_shifted,
                "The decoder is given the very token that it has to predict, and learns to copy it. Give it "
                "the token before.",
            ),
            Misconception(
                shifted_left,
                "You shift to the left, so the decoder is given the token after the one that it has to "
                "predict. Step i gets token i - 1.",
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
        ),
        hints=(
            "The decoder predicts a word from the words before it. Before the first word stands the start "
            "symbol.",
            "Every word moves one place to the right, and the last one drops out.",
            "Join a column of start symbols and `tokens[:, :-1]`. Tokens are whole numbers: the result "
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
            "Self-attention that sees no future, cross-attention to the memory, and the feed-forward "
            "layers; each is added to its input, and the sum normalised."
        ),
        rules=(
            (
                "The parts are named `self_attention`, `norm1`, `cross_attention`, `norm2`, `ffn1`, `ffn2` "
                "and `norm3`."
            ),
            "`MultiHeadAttention` and the library's layer norm may be used; the library's own attention may not be called.",
        ),
        entry="DecoderBlock",
        is_class=True,
        settings=SETTINGS,
        arguments=(
            X,
            Argument("memory", "(batch, num_source, num_hiddens)"),
            Argument("source_length", "None or (batch,)"),
        ),
        returns=(Output("result", OUTPUT),),
        parameters=DECODER,
        reference=decoder_block,
        misconceptions=(
            Misconception(
                future_seen,
                "Your self-attention has no causal mask: each step attends to all steps of the target. Step i "
                "may attend to the i + 1 steps up to itself: give the attention one length for each query.",
            ),
            Misconception(
                next_step_seen,
                "Your mask lets each step attend to the next one, which is what it has to predict. Step 0 "
                "attends to one step: the lengths are 1, 2, 3, …",
            ),
            Misconception(
                encoder_not_read,
                "Your cross-attention reads the target again, so nothing of the source reaches the decoder. "
                "Its keys and values are memory.",
            ),
            Misconception(
                input_asks_the_source,
                "The queries of your cross-attention are X, the block's input. They must be what the "
                "first norm returns, which contains the attention to the past.",
            ),
            Misconception(
                source_padding_ignored,
                "Your cross-attention gets no source_length, so the target attends to the padding of the "
                "source.",
            ),
            Misconception(
                source_hidden_like_the_future,
                "Your cross-attention hides the source as if it were the future: the causal lengths belong "
                "to the self-attention. The source is known from the start; only its padding is hidden.",
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
