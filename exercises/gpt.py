"""Exercises on a GPT as layers: attention with rotary positions, grouped heads and a cache; the block; the model; its writing."""

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Parameter, Property
from autograder.model.stand_ins import PRIME
from exercises.shared import (
    DEFAULT_BASE,
    a_case_of_each,
    default_property,
    draw_base,
    draw_sizes,
    last_of,
    one_of,
)
from solutions.gpt.in_numpy import (
    cache_bytes,
    generate,
    gpt,
    gpt_block,
    logits_that_change,
    rms_norm_layer,
    rotary_attention,
    training_step,
)

X = Argument("X", "(batch, num_tokens, d)")
CACHE = Argument("cache", "None or a dictionary, empty at first", caches="", default="None")
DEFAULT_CACHE = default_property("cache", None)
OUTPUT = "(batch, num_tokens, d)"
HEADS = (
    Argument("d", "int"),
    Argument("num_heads", "int that divides d, d / num_heads even"),
    Argument("num_kv_heads", "int that divides num_heads"),
)
BASE = Argument("base", "a number, 10000 by default", default=10000)
SHARED = "(num_kv_heads * d // num_heads, d)"
ATTENTION = {"W_q": "(d, d)", "W_k": SHARED, "W_v": SHARED, "W_o": "(d, d)"}
HIDDEN = Argument("hidden", "int")
BLOCK = (
    {"norm1": "(d,)", "norm2": "(d,)"}
    | {f"attention.{name}": shape for name, shape in ATTENTION.items()}
    | {"W_gate": "(hidden, d)", "W_up": "(hidden, d)", "W_down": "(d, hidden)"}
)
NUM_BLOCKS = 2
# What the gain of a norm is before anything is learned.
GAIN = 1.0
GPT = {"embedding": "(vocabulary_size, d)", "norm": "(d,)"} | {
    f"blocks.{i}.{name}": shape for i in range(NUM_BLOCKS) for name, shape in BLOCK.items()
}
PARTS = ("masked_softmax", "multi_head", "positions")


# Attention


def _parameters(shapes: dict[str, str]) -> dict[str, Parameter]:
    """Return the learned arrays by the names that the reference takes. shapes: of the layers, by their paths."""
    return {
        f"{path.replace('.', '_')}_weight": Parameter(f"{path}.weight", s, GAIN if s == "(d,)" else None)
        for path, s in shapes.items()
    }


def _weights(
    rng: np.random.Generator,
    shapes: dict[str, str],
    d: int,
    shared: int,
    hidden: int = 0,
    vocabulary_size: int = 0,
) -> dict[str, np.ndarray]:
    """Draw matrices that keep the size of their input, and gains that are easy to tell apart."""
    sizes = {
        "d": d,
        "hidden": hidden,
        "vocabulary_size": vocabulary_size,
        "num_kv_heads * d // num_heads": shared,
    }
    weights = {}
    for name, parameter in _parameters(shapes).items():
        shape = tuple(sizes[words.strip()] for words in parameter.description.strip("(,)").split(","))
        gain = len(shape) == 1
        weights[name] = (
            rng.uniform(0.5, 1.5, size=shape) if gain else rng.normal(size=shape) / np.sqrt(shape[1])
        )
    return weights


def _with_a_loud_last_token(case: Case) -> Case:
    """Return the same where the last token scores 1000 above the rest, in every head.

    Nothing else counts, and the pair of features that does is not rotated by a large base: float32 has few digits there.
    """
    X, W_q, W_k = case.inputs["X"], case.parameters["W_q_weight"], case.parameters["W_k_weight"]
    size = X.shape[2] // case.settings["num_heads"]
    X[..., 0], X[..., 1] = 1, last_of(X.shape[1])
    W_q[:], W_k[:] = 0, 0
    W_q[size - 2 :: size, 0], W_k[size - 2 :: size, 1] = 1000 * np.sqrt(size), 1
    return replace(case, settings={**case.settings, "base": 1e18})


def _cases_to_attend(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, calls: tuple[int, ...] | None = None, gradient: bool = False) -> Case:
        """typical: batch, tokens, heads of keys, heads of queries for each, half the features of a head.

        calls: how many tokens each gets; 0 for all that the others leave. None for no cache.
        """
        batch, num_tokens, kv, group, half = draw_sizes(rng, *typical, spread=2)
        d = kv * group * 2 * half
        X = 1.5 * rng.normal(size=(batch, num_tokens, d))
        cache = calls and tuple(n or num_tokens - sum(calls) for n in calls)
        settings = {"d": d, "num_heads": kv * group, "num_kv_heads": kv, "base": draw_base(rng)}
        weights = _weights(rng, ATTENTION, d, kv * 2 * half)
        return Case(note, {"X": X, "cache": cache}, settings, weights, gradient=gradient)

    return [
        case("no cache, each head with keys of its own", 2, 4, 2, 1, 2, gradient=True),
        case("no cache, heads that share keys in groups", 2, 5, 3, 2, 2, gradient=True),
        case("a cache: several tokens, then one by one", 2, 5, 2, 3, 2, calls=(0, 1, 1), gradient=True),
        case("a cache: two tokens, then several", 3, 6, 2, 2, 2, calls=(2, 0)),
        case("a cache that is filled and not read yet", 3, 4, 2, 2, 3, calls=(0,)),
        case("one sequence, all heads share one", 1, 6, 1, 2, 2, calls=(1, 1, 0)),
        _with_a_loud_last_token(case("a last token that scores far above the rest", 2, 4, 2, 2, 3)),
    ]


# The norm


def _cases_to_norm(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, size: float = 1.0, gradient: bool = False) -> Case:
        """typical: batch, tokens, features."""
        batch, num_tokens, d = draw_sizes(rng, *typical)
        X = size * (2 * rng.normal(size=(batch, num_tokens, d)) + 1)
        return Case(note, {"X": X}, {"d": d}, {"weight": rng.uniform(0.5, 2.0, size=d)}, gradient=gradient)

    return [
        case("all sizes different", 2, 4, 6, gradient=True),
        case("one sequence", 1, 5, 3, gradient=True),
        case("a single token", 3, 1, 7),
        case("as many tokens as features", 2, 5, 5),
        case("features so small that epsilon counts", 2, 3, 7, size=0.002),
    ]


# What the last of the layers before a sum gives, and what is looked up, as far as small features need it small.
ADDED = ("attention_W_o_weight", "W_down_weight", "embedding_weight")
SMALL = 0.003


def _with_small_features(case: Case) -> Case:
    """Return a case in which epsilon counts in every norm, since all that is added up is small."""

    def smaller(name: str, value: Any) -> Any:
        if name == "norm_weight":  # the logits stay as large as they were
            return value / SMALL
        return value * SMALL if name == "X" or name.endswith(ADDED) else value

    return case.changed(smaller)


# The block


def _cases_of_a_block(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, calls: tuple[int, ...] | None = None, gradient: bool = False) -> Case:
        """typical: batch, tokens, heads of keys, heads of queries for each, units of the gated layers."""
        batch, num_tokens, kv, group, hidden = draw_sizes(rng, *typical, spread=2)
        d = kv * group * 4
        X = 1.5 * rng.normal(size=(batch, num_tokens, d)) + 0.5
        cache = calls and tuple(n or num_tokens - sum(calls) for n in calls)
        heads = {"d": d, "num_heads": kv * group, "num_kv_heads": kv}
        settings = {**heads, "hidden": hidden, "base": draw_base(rng)}
        weights = _weights(rng, BLOCK, d, kv * 4, hidden)
        return Case(note, {"X": X, "cache": cache}, settings, weights, gradient=gradient)

    return [
        case("no cache", 2, 4, 2, 1, 6, gradient=True),
        case("a cache: several tokens, then one", 2, 5, 1, 2, 9, calls=(0, 1), gradient=True),
        case("one sequence, token by token at the end", 1, 6, 2, 2, 5, calls=(0, 1, 1)),
        case("a single token", 4, 1, 1, 2, 3),
        _with_small_features(case("features so small that epsilon counts", 2, 3, 1, 2, 7)),
    ]


# The model


def _cases_of_a_model(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        *typical: int,
        calls: tuple[int, ...] | None = None,
        num_blocks: int = NUM_BLOCKS,
        gradient: bool = False,
    ) -> Case:
        """typical: batch, tokens, heads of keys, heads of queries for each, units, size of the vocabulary."""
        batch, num_tokens, kv, group, hidden, size = draw_sizes(rng, *typical, spread=2)
        d = kv * group * 4
        caches = calls and tuple(n or num_tokens - sum(calls) for n in calls)
        inputs = {"tokens": rng.integers(size, size=(batch, num_tokens)), "caches": caches}
        heads = {"d": d, "num_heads": kv * group, "num_kv_heads": kv}
        of_blocks = {"hidden": hidden, "num_blocks": num_blocks, "base": draw_base(rng)}
        settings = {"vocabulary_size": size, **heads, **of_blocks}
        shapes = {name: shape for name, shape in GPT.items() if num_blocks > 1 or "blocks.1" not in name}
        weights = _weights(rng, shapes, d, kv * 4, hidden, size)
        return Case(note, inputs, settings, weights, gradient=gradient)

    return [
        case("no caches", 2, 4, 2, 1, 6, 11, gradient=True),
        case("caches: several tokens, then one", 2, 5, 1, 2, 9, 13, calls=(0, 1), gradient=True),
        case("one sequence, token by token at the end", 1, 6, 2, 2, 5, 9, calls=(0, 1, 1)),
        case("a single token", 4, 1, 1, 2, 3, 7),
        case("a single block", 2, 4, 1, 2, 5, 8, num_blocks=1),
        _with_small_features(case("features so small that epsilon counts", 2, 3, 1, 2, 7, 9)),
    ]


# A step of training


def _cases_to_train(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, calls: int, scale: float, rate: float) -> Case:
        """typical: batch, tokens of each call, features, size of the vocabulary. scale: of the embedding."""
        batch, num_tokens, width, size = draw_sizes(rng, *typical, spread=2)
        model = (size, width, int(rng.integers(1000)), scale)
        inputs = {
            "model": model,
            "tokens": rng.integers(size, size=(batch, calls * num_tokens)),
            "state": (num_tokens,) * calls,
        }
        return Case(note, {**inputs, "rate": tuple((rate * rng.uniform(0.5, 1.5, size=calls)).tolist())})

    return [
        case("three steps with large gradients", 2, 5, 3, 8, calls=3, scale=4.0, rate=0.2),
        case("four steps with gradients below the limit", 3, 7, 4, 9, calls=4, scale=0.3, rate=0.1),
        case("a sequence in each step", 1, 6, 3, 7, calls=3, scale=3.0, rate=0.3),
        case("a single step", 3, 4, 2, 6, calls=1, scale=1.0, rate=0.2),
        case("many small steps", 2, 4, 5, 10, calls=8, scale=1.2, rate=0.05),
    ]


# Generation


def _cases_to_generate(rng: np.random.Generator) -> list[Case]:
    def case(note: str, batch: int, num_tokens: int, num_new: int, number: float = PRIME) -> Case:
        """number: the token of the nearest logit is chosen; logits are 0, 0.1, 0.2 and so on, to 10."""
        batch, num_tokens, new = draw_sizes(rng, batch, num_tokens, num_new, spread=2)
        size = int(rng.integers(12, 20))
        model = (size, int(rng.integers(2, 50)))
        tokens = rng.integers(size, size=(batch, num_tokens))
        # 0 and 1 are special
        num_new = num_new if num_new < 2 else new
        return Case(note, {"model": model, "tokens": tokens, "num_new": num_new, "choose": float(number)})

    return [
        case("the most probable token", 2, 4, 5),
        case("another token than the most probable one", 3, 5, 7, number=rng.integers(2, 7) + 0.03),
        case("a beginning of one token", 4, 1, 6, number=-3.03),
        # After a softmax this is no end of the row: neither the most probable token nor the least.
        case("one sequence", 1, 3, 8, number=0.13),
        case("one new token", 3, 7, 1, number=rng.integers(2, 7) + 0.03),
        case("no new token", 2, 6, 0),
    ]


def _past_knows_no_future(run: Call, case: Case) -> str | None:
    X = case.inputs["X"].copy()
    X[:, -1] += 1.0
    changed = Case(case.note, {**case.inputs, "X": X}, case.settings, case.parameters)
    gaps = np.abs(run(case)[0] - run(changed)[0])[:, :-1].max(axis=(0, 2), initial=0)
    if (gaps <= 1e-4).all():
        return None
    return f"Changing the last token changes the result at token {int(gaps.argmax())}."


# The cache in bytes


def _cases_of_bytes(rng: np.random.Generator) -> list[Case]:
    names = ("num_blocks", "d", "num_heads", "num_kv_heads", "num_tokens", "bytes_each")

    def case(note: str, num_blocks: int, size: int, groups: int, group: int, bytes_each: int) -> Case:
        heads = groups * group
        num_tokens = int(rng.integers(100, 2000))
        values = (num_blocks, heads * size, heads, groups, num_tokens, bytes_each)
        return Case(note, dict(zip(names, values, strict=True)))

    return [
        case("groups of three, in 16 bits", 28, 64, 3, 3, 2),
        case("groups of four, in 8 bits", 6, 16, 2, 4, 1),
        case("one head of keys for all", 4, 24, 1, 5, 4),
        case("a head of keys for each of queries", 10, 12, 6, 1, 2),
    ]


# Which logits a change reaches

CHANGES = (
    "another base of the rotation",
    "scores that are not divided",
    "positions that begin at 100",
    "one token in each call, without caches",
    "no residual connections",
    "no norm after the last block",
)


EXERCISES = (
    Exercise(
        name="rms_norm_layer",
        title="The norm as a layer",
        statement=(
            "Write the norm of the block as a layer, which holds its gain: what comes in is normalised as "
            "`rms_norm` does it, with $10^{-5}$ inside the root."
        ),
        conditions={
            "weight": "the gain, the only learned array; the check puts other numbers in its place",
        },
        entry="RMSNorm",
        is_class=True,
        settings=(Argument("d", "int"),),
        arguments=(Argument("X", "(batch, num_tokens, d)"),),
        returns=(Output("normed", "(batch, num_tokens, d)"),),
        parameters={"weight": Parameter("weight", "(d,)", GAIN)},
        reference=rms_norm_layer,
        hints=(
            "Two methods: `__init__` makes the learned array, `forward` uses it.",
            "A learned array of one's own is [`torch.nn.Parameter(…)`, kept as `self.weight`]{.torch}[; in MXNet ]{.both}"
            '[what `self.params.get("weight", shape=(d,), init="ones")` gives, kept as `self.weight`]{.mxnet}.',
            "`forward(self, X)` returns [`rms_norm(X, self.weight)`]{.torch}[, in MXNet ]{.both}[`rms_norm(X, self.weight.data())`]{.mxnet}.",
        ),
        cases=_cases_to_norm,
        builds_on=("language_model",),
        helpers=("rms_norm",),
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="cache_bytes",
        title="A cache in bytes",
        statement="Derive how many bytes the caches of all blocks take after a text, and how many times as many they would take if no heads shared keys and values.",
        conditions={"bytes_each": "bytes of one number: 2 where it has 16 bits"},
        entry="cache_bytes",
        arguments=(
            Argument("num_blocks", "int"),
            Argument("d", "int"),
            Argument("num_heads", "int that divides d"),
            Argument("num_kv_heads", "int that divides num_heads"),
            Argument("num_tokens", "int"),
            Argument("bytes_each", "int"),
        ),
        returns=(Output("bytes_and_factor", "(bytes, times as many), whole numbers", plain=True),),
        reference=cache_bytes,
        hints=(
            "How many numbers does one block keep for one token?",
            "A key and a value of `d // num_heads` numbers for each of `num_kv_heads` heads.",
            "Multiply by the blocks, the tokens and `bytes_each`. Without sharing there are `num_heads` instead of "
            "`num_kv_heads`, and nothing else differs.",
        ),
        cases=_cases_of_bytes,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="rotary_attention",
        title="Causal attention, rotary, with a cache",
        statement=(
            "Write causal self-attention as one layer, with rotary positions, heads that share keys and "
            "values in groups, and a cache. `X` holds new tokens only: the tokens of earlier calls are in "
            "`cache`, as keys and values. Several calls give what one call gives on all tokens."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "num_heads": (
                "heads are neighbouring features, as `split_heads` cuts them; the scores are divided by the root "
                "of the number of features of a head"
            ),
            "num_kv_heads": (
                "each serves num_heads / num_kv_heads neighbouring heads of queries: with 6 and 2, the heads "
                "0, 1 and 2 have the first one"
            ),
            "X": (
                "its first token has the position after those in the cache, 0 if there are none; a token "
                "sees those in the cache, those before it in `X`, and itself"
            ),
            "cache": (
                "`None` by default; each call updates it in place; the next call gets the same dictionary, "
                "another text gets one of its own; the layer keeps nothing itself"
            ),
            '`cache["keys"]`': (
                "the keys of all tokens so far, before heads share them, in any shape; rotated, or not: then all "
                "are rotated in each call, which gives the same"
            ),
            '`cache["values"]`': "the values, likewise",
            "W_q.weight": (
                "linear, without bias; each head of the result is rotated as `rotary` does it with `base`, "
                "features 2m and 2m + 1 together, by the token's position"
            ),
            "W_k.weight": (
                "linear, without bias; a head has d / num_heads features, and is rotated likewise"
            ),
            "W_v.weight": "linear, without bias; not rotated",
            "W_o.weight": "linear, without bias, of the joined heads",
        },
        entry="RotaryAttention",
        is_class=True,
        settings=(*HEADS, BASE),
        arguments=(X, CACHE),
        returns=(Output("result", OUTPUT),),
        parameters={
            f"{name}_weight": Parameter(f"{name}.weight", shape) for name, shape in ATTENTION.items()
        },
        reference=rotary_attention,
        hints=(
            "In order: three linear layers, heads into the batch, rotation, the cache, sharing, scores, a causal "
            "softmax, heads back, the last layer.",
            'The cached keys say how many tokens came before: `past = cache["keys"].shape[1] if cache else 0`. The '
            "new ones have the positions past, past + 1 and so on.",
            "Join old and new keys along the tokens, and keep them; then repeat each along the batch, num_heads / "
            "num_kv_heads times [(`repeat_interleave`)]{.torch}[(`repeat`, with `axis=0`)]{.mxnet}. The token at "
            "position p sees p + 1 keys: these are the lengths for `masked_softmax`.",
        ),
        cases=_cases_to_attend,
        properties=(
            Property("a later token must not change an earlier result", _past_knows_no_future),
            DEFAULT_BASE,
            DEFAULT_CACHE,
        ),
        builds_on=PARTS,
        helpers=("masked_softmax", "split_heads", "join_heads", "rotary"),
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=4,
    ),
    Exercise(
        name="gpt_block",
        title="The block of a GPT",
        statement=(
            "Write the block: attention and gated feed-forward layers, each with an RMS norm before it, and each "
            r"added to what went into its norm. With $N = \text{norm1}(X)$ and $Y = X + \text{attention}(N)$ "
            r"the result is $Y + \text{gated}(\text{norm2}(Y))$."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "cache": "`None` by default; the attention gets it",
            "`norm1`": "a layer, `RMSNorm(d)`, with $10^{-5}$ inside the root",
            "`norm2`": "a layer, `RMSNorm(d)`, with $10^{-5}$ inside the root",
            "`attention`": "a layer, `RotaryAttention(…)`",
            "W_gate.weight": "linear, without bias",
            "W_up.weight": "linear, without bias",
            "W_down.weight": (
                "linear, without bias; what the three do with `norm2(Y)` is `gated_feed_forward`, whose matrices "
                "are theirs, transposed"
            ),
        },
        entry="GPTBlock",
        is_class=True,
        settings=(*HEADS, HIDDEN, BASE),
        arguments=(X, CACHE),
        returns=(Output("result", OUTPUT),),
        parameters=_parameters(BLOCK),
        reference=gpt_block,
        hints=(
            "Two sums. X reaches the result through them alone: nothing is normalised after a sum.",
            "`X + attention(norm1(X), cache)` first; call it X again. Then the same with norm2 and the gated layers.",
            "A linear layer keeps its matrix as (features of the result, features of the input): "
            "`gated_feed_forward(N, gate, up, down)` with "
            "[`self.W_gate.weight.T`]{.torch}[`self.W_gate.weight.data().T`]{.mxnet} and so on; or call the three "
            "layers, with SiLU after the first.",
        ),
        cases=_cases_of_a_block,
        properties=(
            Property("a later token must not change an earlier result", _past_knows_no_future),
            DEFAULT_BASE,
            DEFAULT_CACHE,
        ),
        builds_on=(*PARTS, "language_model", "gpt"),
        helpers=("gated_feed_forward", "RMSNorm", "RotaryAttention"),
        forbidden=library_attention(),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="gpt",
        title="The whole model",
        statement=(
            "Write the model: each token's row of the embedding, the blocks one after the other, a last norm, "
            "and for each token of the vocabulary a logit: the product of the result with that token's row of "
            "the same embedding."
        ),
        conditions={
            "num_blocks": "1 or 2 in the check",
            "caches": "`None` by default; one for each block, empty at first",
            "returns logits": "without a softmax",
            "`embedding`": "the library's embedding layer, not scaled; nothing is added for positions",
            "`blocks`": (
                "the library's list of layers [(`ModuleList` or `Sequential`)]{.torch}[(`Sequential`)]{.mxnet} "
                "with `num_blocks` times `GPTBlock(…)`"
            ),
            "`norm`": (
                "a layer, `RMSNorm(d)`, with $10^{-5}$ inside the root; no other parameter: the weights are tied"
            ),
        },
        entry="GPT",
        is_class=True,
        settings=(Argument("vocabulary_size", "int"), *HEADS, HIDDEN, Argument("num_blocks", "int"), BASE),
        arguments=(
            Argument("tokens", "(batch, num_tokens) of integers"),
            Argument("caches", "None or a list of dictionaries", caches="num_blocks", default="None"),
        ),
        returns=(Output("logits", "(batch, num_tokens, vocabulary_size)"),),
        parameters=_parameters(GPT),
        reference=gpt,
        hints=(
            "Four steps: look up, the blocks, the norm, the embedding once more.",
            "`caches` None means None for each block. Go through blocks and caches together.",
            "The logits are `norm(X)` times the transposed matrix of the embedding, "
            "[`self.embedding.weight.T`]{.torch}[`self.embedding.weight.data().T`]{.mxnet}.",
        ),
        cases=_cases_of_a_model,
        properties=(DEFAULT_BASE, default_property("caches", None)),
        builds_on=(*PARTS, "language_model", "gpt"),
        helpers=("RMSNorm", "GPTBlock"),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="logits_that_change",
        title="What reaches the first token",
        statement=(
            "A model of several blocks reads a text. Then one thing is changed, and no weight. Do the logits change "
            'at `"all"` tokens, at all but the first (`"later"`), or at `"none"`?'
        ),
        entry="logits_that_change",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("changed", 'one of "all", "later", "none"', plain=True),),
        reference=logits_that_change,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="generate",
        title="Write with caches",
        statement=(
            "Let a model continue `tokens` by `num_new` tokens, one after the other. Each is what `choose` "
            "makes of the logits at the last token so far; nothing else chooses. The model reads each "
            "token once: what it needs of earlier ones is in its caches."
        ),
        conditions={
            "model": (
                "`model(new, caches)` gives logits, (batch, num_new_tokens, vocabulary_size); it continues after "
                "the tokens that are cached"
            ),
            "num_new": "may be 0; a call of the model too many does no harm",
            "choose": (
                "takes the logits at one token of each sequence, (batch, vocabulary_size), as they are; gives "
                "(batch, 1) tokens"
            ),
            "returns written": "holds the beginning, too",
            "`caches`": (
                "your list with a dictionary for each of `model.blocks`, empty at first; the model updates it"
            ),
        },
        entry="generate",
        arguments=(
            Argument("model", "a model with blocks", stands_in="model"),
            Argument("tokens", "(batch, num_tokens) of integers"),
            Argument("num_new", "int"),
            Argument("choose", "logits to tokens", stands_in="choice"),
        ),
        returns=(Output("written", "(batch, num_tokens + num_new)", indices=True),),
        reference=generate,
        hints=(
            "The first call reads the whole beginning, and each later call the one token that was chosen last.",
            "Make the caches once, in front of the loop: `[{} for _ in model.blocks]`. In the loop three things happen: "
            "call the model on what is new, choose by the logits of the last position, append.",
            "`new = tokens` in front of the loop; in it `logits = model(new, caches)`, `new = choose(logits[:, -1])`, "
            "and then new after the tokens, along axis 1 [(`torch.cat`)]{.torch}[(`nd.concat`)]{.mxnet}.",
        ),
        cases=_cases_to_generate,
        difficulty=2,
        minutes=10,
        points=2,
    ),
    Exercise(
        name="training_step",
        title="One step of training",
        statement=(
            "Train a model by one step, and return the loss before it, `next_token_loss(model(tokens), tokens, "
            "None)`. Its gradients for all learned arrays are clipped together to a norm of 1, by "
            "`clip_gradients`; then `adamw_step` gives new numbers, which you write into the arrays."
        ),
        conditions={
            "returns loss": "no array",
            "model": "changed in place; gradients may stay in it",
            "state": (
                "updated in place for the next call; each entry is a number or an array, since a checkpoint stores "
                "it: no list, no optimiser"
            ),
            "rate": "the learning rate of this step",
            "in `state`": (
                "the mean and the square of the gradients, 0 at first, and the number of the step, 1 at the "
                "first one"
            ),
            "learned arrays": (
                "[those of `model.parameters()`]{.torch}[; in MXNet ]{.both}[those of `model.collect_params()`, "
                "each with `data()`, `grad()` and `set_data(…)`]{.mxnet}[; in NumPy `model.parameters()` lists "
                "them, to be changed in place, and `model.gradients(tokens)` gives the gradient of this loss for "
                "each]{.page}"
            ),
            "their decay": "0.1 for arrays with two axes; none for those with one, gains and biases",
        },
        entry="training_step",
        arguments=(
            Argument("model", "a model that gives logits", stands_in="trained"),
            Argument("tokens", "(batch, num_tokens) of integers"),
            Argument("state", "a dictionary, empty at first", caches="", stored=True),
            Argument("rate", "a number", per_call=True),
        ),
        returns=(Output("loss", "a number", plain=True),),
        reference=training_step,
        hints=(
            "In order: the loss, its gradients, one row of all arrays and one of all gradients, clip, AdamW, the row back into "
            "the arrays, the state.",
            "[Gradients of an earlier step stay in `a.grad`, and new ones are added: call `model.zero_grad()` before "
            "`loss.backward()`.]{.torch}[ ]{.both}[In MXNet the loss is computed under `autograd.record()`.]{.mxnet} "
            '`state.get("step", 0) + 1` is the number of this step.',
            "The decay is a row too: 0.1 at the places of arrays with two axes, 0 at the others. Of the new row each array gets "
            "its part, in its shape: [`a.data = row[begin:end].reshape(a.shape)`]{.torch}[, in MXNet ]{.both}"
            "[`a.set_data(row[begin:end].reshape(a.shape))`]{.mxnet}.",
        ),
        cases=_cases_to_train,
        builds_on=("language_model",),
        helpers=("next_token_loss", "clip_gradients", "adamw_step"),
        difficulty=4,
        minutes=30,
        points=4,
    ),
)
