"""Exercises on attention as a recurrence: decays as a mask, the gated delta rule, chunks, and what a hybrid holds."""

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import LOOP_IS_SHOWN, a_case_of_each, draw_sizes, one_of
from solutions.recurrence.in_numpy import (
    chunked,
    decayed_attention,
    delta_rule,
    numbers_held,
    value_after_writing,
)

QUERIES = Argument("queries", "(batch, num_tokens, d_k)")
KEYS = Argument("keys", "(batch, num_tokens, d_k)")
VALUES = Argument("values", "(batch, num_tokens, d_v)")
DECAYS = Argument("decays", "(batch, num_tokens), above 0 and at most 1")
CONTEXT = Output("context", "(batch, num_tokens, d_v)")


def _tokens(rng: np.random.Generator, *typical: int, least: float) -> dict[str, np.ndarray]:
    """Draw queries, keys, values, and decays from `least` to 1. typical: batch, tokens, d_k, d_v."""
    batch, tokens, d_k, d_v = draw_sizes(rng, *typical, spread=3)
    queries, keys = rng.normal(size=(2, batch, tokens, d_k))
    # Near a length of 1, as the delta rule has them.
    keys = keys * rng.uniform(0.7, 1.1, size=keys.shape[:2])[..., None]
    keys /= np.linalg.norm(keys, axis=-1, keepdims=True) ** 0.9
    return {
        "queries": queries,
        "keys": keys,
        "values": rng.normal(size=(batch, tokens, d_v)) + 0.5,
        "decays": rng.uniform(least, 1, size=(batch, tokens)),
    }


# Decays as a mask


def _decayed_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, least: float = 0.4, gradient: bool = False) -> Case:
        return Case(note, _tokens(rng, *typical, least=least), gradient=gradient)

    nothing = case("decays of 1: linear attention", 2, 5, 4, 3)
    nothing.inputs["decays"][:] = 1
    return [
        case("a few tokens", 2, 5, 3, 4, gradient=True),
        case("more tokens than features", 3, 9, 2, 6, gradient=True),
        case("decays near 1", 2, 7, 4, 3, least=0.9, gradient=True),
        nothing,
        case("one feature", 2, 6, 1, 3),
        case("a single token", 3, 1, 4, 2),
        # Their product is below the least number of float32; those after it still count. Their gradients must be finite.
        _fast(case("decays of a hundredth and less", 2, 24, 3, 4), rng),
    ]


def _fast(case: Case, rng: np.random.Generator) -> Case:
    decays = case.inputs["decays"]
    decays[:] = rng.uniform(0.002, 0.01, size=decays.shape)
    decays[:, -4:] = rng.uniform(0.5, 0.9, size=(len(decays), 4))
    return case


# The gated delta rule


def _delta_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        *typical: int,
        least: float = 0.4,
        rates: tuple[float, float] = (0.2, 0.9),
        gradient: bool = False,
    ) -> Case:
        inputs = _tokens(rng, *typical, least=least)
        decays = inputs.pop("decays")
        inputs |= {"rates": rng.uniform(*rates, size=decays.shape), "decays": decays}
        return Case(note, inputs, gradient=gradient)

    again = case("the same key twice", 2, 6, 3, 4)
    again.inputs["keys"][:, 4] = again.inputs["keys"][:, 1]
    whole = case("decays of 1: the delta rule alone", 2, 5, 4, 3, gradient=True)
    whole.inputs["decays"][:] = 1
    return [
        case("a few tokens", 2, 5, 3, 4, gradient=True),
        case("more tokens than features", 3, 8, 2, 6, gradient=True),
        whole,
        again,
        case("rates of 1", 2, 5, 4, 3, rates=(1.0, 1.0)),
        case("one feature", 2, 5, 1, 3),
        case("a single token", 3, 1, 4, 2),
    ]


# In chunks


def _chunked_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        chunk: int,
        chunks: int,
        *typical: int,
        spare: int = 0,
        least: float = 0.5,
        gradient: bool = False,
    ) -> Case:
        """typical: batch, d_k, d_v; spare: how many tokens the last chunk lacks."""
        batch, *widths = typical
        inputs = _tokens(rng, batch, chunk * chunks + 20, *widths, least=least)
        held = {name: array[:, : chunk * chunks - spare] for name, array in inputs.items()}
        return Case(note, {**held, "chunk": chunk}, gradient=gradient)

    def some(least: int) -> int:
        return int(rng.integers(least, least + 2))

    return [
        case("chunks of two tokens", 2, some(3), 2, 3, 4, gradient=True),
        case("a last chunk that is shorter", some(3), 3, 2, 4, 3, spare=1, gradient=True),
        case("chunks of three tokens", 3, some(2), 3, 2, 5, least=0.8, gradient=True),
        case("one token at a time", 1, some(5), 2, 4, 3),
        case("all tokens in one chunk", some(6), 1, 2, 3, 5),
        case("a chunk longer than the text", some(7), 1, 2, 3, 2, spare=2),
        case("many tokens", 4, 16, 1, 3, 2, least=0.9),
        _fast(case("decays of a hundredth and less", 24, 2, 1, 3, 4, spare=2), rng),
    ]


def _no_matrix_of_all_tokens(run: Call, case: Case) -> str | None:
    """Check that no array of a call is about as large as the matrix of all tokens with all tokens."""
    batch, tokens = case.inputs["decays"].shape
    if tokens < 8 * case.inputs["chunk"]:
        return None
    largest, _ = run(case)
    if largest < batch * tokens * tokens / 2:
        return None
    return (
        f"with {tokens} tokens in chunks of {case.inputs['chunk']} an array of {largest} numbers is made, as many as "
        "pairs of tokens."
    )


# What a hybrid holds


def _held_cases(rng: np.random.Generator) -> list[Case]:
    def case(layers: int, every: int, heads: int, groups: int, d: int, tokens: int) -> Case:
        names = ("num_layers", "every", "num_heads", "num_groups", "d", "num_tokens")
        return Case(
            f"{layers} layers, one of {every} with a cache, {tokens} tokens",
            dict(zip(names, (layers, every, heads, groups, d, tokens), strict=True)),
        )

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most + 1))

    return [
        case(4 * among(5, 12), 4, 32, among(2, 6), 128, among(1000, 9000)),
        case(8 * among(3, 9) + among(1, 6), 8, among(9, 20), among(2, 5), among(48, 90), among(100, 900)),
        case(among(13, 17), 6, among(10, 14), among(3, 7), among(20, 40), among(2000, 4000)),
        case(among(3, 7), 9, among(5, 9), among(2, 4), among(10, 60), among(50, 200)),
        case(among(21, 29), 2, among(17, 30), 1, among(65, 99), among(10, 40)),
    ]


# What is read after writing
WRITES = (
    "rate 1, key of length 1",
    "rate 1/2, key of length 1",
    "rate 1, key of length 2",
    "rate 1/4, key of length 2",
    "rate 2, key of length 1",
    "rate 1, a key orthogonal to the old one",
)


EXERCISES = (
    Exercise(
        name="decayed_attention",
        title="Decays as a mask",
        statement=(
            "Write causal linear attention with decays for all tokens at once. The weight of key $j$ for "
            r"query $i \geq j$ is $q_i^\top k_j$ times the product of the decays of the tokens $j+1$ to $i$. "
            "There is no softmax, no feature map, no scale and no sum to divide by."
        ),
        rules=("No loop over the tokens.", LOOP_IS_SHOWN),
        conditions={
            "decays": "a product of many can be too small for single precision; the sum of their logarithms is not",
        },
        entry="decayed_attention",
        arguments=(QUERIES, KEYS, VALUES, DECAYS),
        returns=(CONTEXT,),
        reference=decayed_attention,
        no_loop=True,
        hints=(
            "The product of the decays from j + 1 to i is a quotient: that of all up to i, divided by that of all up "
            "to j. In logarithms it is a difference of two sums.",
            "Take the running sums of the logarithms along the tokens. A matrix of differences has row i minus column "
            "j; hide the later keys, then take the exponential.",
            "[`gaps = sums.unsqueeze(2) - sums.unsqueeze(1)`]{.torch}[, in MXNet ]{.both}[`gaps = sums.expand_dims(2) - "
            "sums.expand_dims(1)`]{.mxnet}, later ones −10⁶. The context is the scores times exp(gaps), entry by entry, "
            "times the values.",
        ),
        cases=_decayed_cases,
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="chunked",
        title="Decayed attention in chunks",
        statement=(
            "Write decayed attention that reads `chunk` tokens at a time: `decayed_attention` inside of a "
            "chunk, and a state $S$, (batch, d_k, d_v), for all before it. A key's weight is its product with "
            "the query times the decays of the tokens after it, up to the query's own."
        ),
        conditions={
            "chunk": (
                "the last chunk may be shorter, a single one longer than the text; make no matrix of all tokens "
                "with all tokens: `check` looks at the largest array"
            ),
        },
        builds_on=("recurrence",),
        helpers=("decayed_attention",),
        entry="chunked",
        arguments=(
            QUERIES,
            KEYS,
            VALUES,
            DECAYS,
            Argument("chunk", "int"),
        ),
        returns=(CONTEXT,),
        reference=chunked,
        hints=(
            "A context has two parts: that of the keys in the same chunk, and what the state gives for the query. Both "
            "must be decayed up to the query.",
            "The query at place t of a chunk reads the state times the decays of the chunk's tokens up to t, its own "
            "included. A key at place t goes into the next state times the decays of the tokens after t.",
            "With the running sums s of the logarithms in the chunk, and e the last of them: the context is the inside "
            "part plus exp(s) · (q S), and the next state exp(e) · S + (k · exp(e − s))ᵀ v.",
        ),
        cases=_chunked_cases,
        properties=(
            Property(
                "no matrix of all tokens with all tokens may be made",
                _no_matrix_of_all_tokens,
                required=True,
                of_memory=True,
            ),
        ),
        difficulty=4,
        minutes=30,
        points=3,
    ),
    Exercise(
        name="value_after_writing",
        title="What is read after writing",
        statement=(
            "A state holds a value for a key, and the delta rule writes a new value. Where does what is then read with the old "
            'key lie: is it the `"old"` value, `"between"` the two, the `"new"` one, or `"beyond"` it?'
        ),
        conditions={
            "written": "with the same key, unless it says otherwise; the state gives the old value before"
        },
        entry="value_after_writing",
        arguments=(one_of("written", WRITES),),
        returns=(Output("place", 'one of "old", "between", "new", "beyond"', plain=True),),
        reference=value_after_writing,
        cases=a_case_of_each("written", WRITES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="delta_rule",
        title="The gated delta rule",
        statement=(
            "Write the gated delta rule, token by token, from $S = 0$. At each token multiply $S$ by its "
            r"decay. Then read what $S$ holds for its key, $S^\top k$, and move $S$ so that it gives more of "
            "the value."
        ),
        rules=(
            (
                "A loop over the tokens is welcome; make new arrays in it, since `S += …` changes in place "
                "what the gradient needs."
            ),
        ),
        conditions={
            "keys": "do not change their length",
            "rates": (
                r"$\beta$, in the new $S + \beta\, k\, (v - S^\top k)^\top$; here $S$ is decayed already"
            ),
            "returns context": r"$S^\top q$ of the new $S$",
        },
        entry="delta_rule",
        arguments=(QUERIES, KEYS, VALUES, Argument("rates", "(batch, num_tokens)"), DECAYS),
        returns=(CONTEXT,),
        reference=delta_rule,
        hints=(
            "Three lines for each token: decay the state, write into it, read it with the query.",
            "What is written is not the value but an error: the value minus what the decayed state gives for the key. "
            "It is multiplied by the rate.",
            "With slices q, k, v of one token, each (batch, 1, …): `error = v − k S`, then S plus kᵀ (rate · error), "
            "and the context is q S. Join the contexts along axis 1.",
        ),
        cases=_delta_cases,
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="numbers_held",
        title="What a hybrid holds",
        statement=(
            "Predict how many numbers a hybrid model holds for one text: in the caches of keys and values of "
            "some layers, and in the states of the others."
        ),
        conditions={
            "every": (
                "the layers `every`, 2 · `every`, and so on, counted from 1, attend to all tokens and have caches; "
                "each other layer has states"
            ),
            "num_heads": "how many states a layer with states has, each of `d` by `d` numbers",
            "num_groups": (
                "how many keys, and as many values, a cache holds for each token, each of `d` numbers"
            ),
        },
        entry="numbers_held",
        arguments=(
            Argument("num_layers", "int"),
            Argument("every", "int"),
            Argument("num_heads", "int"),
            Argument("num_groups", "int"),
            Argument("d", "int"),
            Argument("num_tokens", "int"),
        ),
        returns=(Output("numbers", "(caches, states), whole numbers", plain=True),),
        reference=numbers_held,
        hints=(
            "Count the layers of each kind first.",
            "A cache grows with the text: keys and values for each token and group. A state does not.",
            "`num_layers // every` layers have caches; the others have `num_heads * d * d` numbers each.",
        ),
        cases=_held_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
