"""Exercises on fewer pairs: a sparse pattern, linear attention, keys that heads share, and keys that are chosen."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import (
    a_case_of_each,
    draw_sizes,
    last_of,
    one_of,
    raise_scores,
    rows_sum_to_one,
    weight_outside,
    with_loud_rest,
)
from solutions.sparse.in_numpy import (
    bound_proof_step,
    features,
    grouped_query,
    indexed_weights,
    linear_attention,
    sparse_pattern,
    sparse_weights,
    window_costs,
)

SCORES = "(batch, num_tokens, num_tokens)"
HEADS = "(batch, num_heads, num_tokens, {})"
GROUPS = "(batch, num_groups, num_tokens, {})"


# A window with gaps, and the first tokens


def _sparse_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, window: int, dilation: int = 1, first: int = 0, gradient: bool = False
    ) -> Case:
        batch, tokens = draw_sizes(rng, *typical, spread=3)
        inputs = {
            "scores": rng.normal(size=(batch, tokens, tokens)),
            "window": window,
            "dilation": dilation,
            "num_global": first,
        }
        return Case(note, inputs, gradient=gradient)

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most + 1))

    return [
        case("a plain window", 2, 8, window=among(3, 4), gradient=True),
        case("every second or third key", 2, 12, window=among(3, 4), dilation=among(2, 3), gradient=True),
        case("a window and first tokens", 3, 9, window=2, first=among(2, 3)),
        case("a window with gaps and first tokens", 2, 13, window=3, dilation=2, first=3, gradient=True),
        case("each token sees itself and the first one", 2, 6, window=1, dilation=among(1, 4), first=1),
        case("a window wider than the sequence", 2, 4, window=among(8, 10), first=among(2, 9)),
        case("a single token", 3, 1, window=2, dilation=2),
        with_loud_rest(
            case("hidden keys that score far above the rest", 2, 9, window=2, dilation=2, first=1),
            sparse_weights,
        ),
    ]


def _nothing_outside(run: Call, case: Case) -> str | None:
    """Check that all weights outside the pattern are zero."""
    weights = run(case)[0]
    settings = {name: case.inputs[name] for name in ("window", "dilation", "num_global")}
    visible = sparse_pattern(case.inputs["scores"].shape[-1], **settings)
    return weight_outside(weights, np.broadcast_to(visible, weights.shape), "outside")


# Linear attention


def _products(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return dot products (batch, num_tokens, num_tokens), those of later keys zero."""
    return np.asarray(np.tril(queries @ np.swapaxes(keys, 1, 2)))


def _nearly_divides_by_zero(queries: np.ndarray, keys: np.ndarray) -> bool:
    """Whether, without the features, a sum of products nearly vanishes: its quotient has no digits then."""
    of_queries, of_keys = features(queries), features(keys)
    pairs = ((of_queries, keys), (queries, of_keys), (queries, keys), (of_queries - 1, of_keys - 1))
    products = [_products(*pair) for pair in pairs]
    return any((np.abs(p.sum(axis=-1)) < 0.01 * np.abs(p).sum(axis=-1)).any() for p in products)


def _linear_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, lift: float = 0.0, gradient: bool = False) -> Case:
        batch, tokens, d_k, d_v = draw_sizes(rng, *typical)
        shape = (batch, tokens, d_k)
        queries, keys = rng.normal(size=shape) + lift, rng.normal(size=shape) + lift
        while _nearly_divides_by_zero(queries, keys):
            queries, keys = rng.normal(size=shape) + lift, rng.normal(size=shape) + lift
        inputs = {"queries": queries, "keys": keys, "values": rng.normal(size=(batch, tokens, d_v))}
        return Case(note, inputs, gradient=gradient)

    return [
        case("few tokens", 2, 5, 3, 4, gradient=True),
        case("more tokens than features", 3, 12, 2, 5, gradient=True),
        case("queries and keys below zero", 2, 6, 4, 3, lift=-1.5),
        case("queries and keys above zero", 2, 4, 5, 3, lift=1.5, gradient=True),
        case("one feature", 2, 6, 1, 3),
        case("a single token", 3, 1, 4, 2),
    ]


# Keys and values that heads share


def _grouped_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, groups: int, per_group: int, *typical: int, gradient: bool = False) -> Case:
        batch, tokens, d_k, d_v = draw_sizes(rng, *typical)
        inputs = {
            "queries": rng.normal(size=(batch, groups * per_group, tokens, d_k)),
            "keys": rng.normal(size=(batch, groups, tokens, d_k)),
            "values": rng.normal(size=(batch, groups, tokens, d_v)),
        }
        return Case(note, inputs, gradient=gradient)

    three = 3 + int(rng.integers(2))
    cases = [
        case("two groups of several heads", 2, three, 2, 5, 3, 6, gradient=True),
        case("several groups of two heads", three, 2, 2, 4, 7, 3, gradient=True),
        case("one group: multi-query attention", 1, three, 3, 6, 5, 2, gradient=True),
        case("a group for each head", three, 1, 2, 5, 4, 3),
        case("a single token", 2, 2, 3, 1, 4, 2),
    ]
    loud = case("a last token that scores far above the rest", 2, 2, 3, 5, 4, 6)
    keys = loud.inputs["keys"]
    raise_scores(loud.inputs["queries"], keys, last_of(keys.shape[2]), keys.shape[3])
    return [*cases, loud]


# Keys that an indexer chooses


def _chosen_clearly(index: np.ndarray, top_k: int) -> bool:
    """Whether the last key that is chosen is better than the next one by more than rounding, and by no tie at 0."""
    n = index.shape[-1]
    ties = ((index == 0) & np.tri(n, dtype=bool)).any(axis=-1) & ((index > 0).sum(axis=-1) < top_k)
    if top_k < n and ties.any():
        return False
    ordered = -np.sort(np.where(np.tri(n), -index, np.inf), axis=-1)[:, top_k:]
    return top_k >= n or bool((ordered[..., top_k - 1] - ordered[..., top_k] > 0.01).all())


def _indexed_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, top_k: int, gradient: bool = False) -> Case:
        batch, heads, tokens, d = draw_sizes(rng, *typical)
        while True:
            inputs = {
                "scores": rng.normal(size=(batch, tokens, tokens)),
                "queries": rng.normal(size=(batch, heads, tokens, d)),
                "keys": rng.normal(size=(batch, tokens, d)),
                "head_weights": rng.normal(size=(batch, tokens, heads)),
            }
            index, _ = indexed_weights(**inputs, top_k=top_k)
            if _chosen_clearly(index, top_k):
                return Case(note, inputs | {"top_k": top_k}, gradient=gradient)

    return [
        case("a few keys of many", 2, 4, 7, 3, top_k=3, gradient=True),
        case("two keys", 2, 5, 6, 4, top_k=2, gradient=True),
        case("one key, which gets all the weight", 2, 4, 5, 3, top_k=1),
        case("more keys to choose than there are", 2, 3, 4, 5, top_k=9, gradient=True),
        case("a single token", 3, 2, 1, 4, top_k=2),
        with_loud_rest(
            case("hidden keys that score far above the rest", 2, 4, 7, 3, top_k=3), indexed_weights
        ),
    ]


# What a window costs, and the bound of the sums


def _cost_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, num_tokens: int, window: int) -> Case:
        return Case(note, {"num_tokens": num_tokens, "window": window})

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most))

    window, layers = among(5, 30), among(3, 20)
    return [
        case("a whole number of layers", 1 + layers * (window - 1), window),
        case("one token more", 2 + layers * (window + 1), window + 2),
        case("one token more than full windows", 1 + layers * (window + 3), window + 3),
        case("a long text", among(1000, 9000), among(40, 200)),
        case("a text shorter than the window", among(10, 90), among(100, 200)),
        case("a window of two", among(20, 400), 2),
    ]


CHANGES = (
    "a causal mask",
    "rows not divided by their sums",
    "the keys as queries",
    "every guest asked for twice",
    "features of either sign",
    "the softmax of the products",
)


EXERCISES = (
    Exercise(
        name="sparse_weights",
        title="A window with gaps",
        statement=(
            "Write causal weights for a sparse pattern. The query at position $i$ sees a window of keys with "
            "gaps, the first tokens of the sequence, and no later token."
        ),
        conditions={
            "window": (
                "how many keys the query sees: those at $i$, $i$ − `dilation`, $i$ − 2 · `dilation`, and so on; "
                "fewer near the beginning"
            ),
            "num_global": (
                "how many first tokens it sees as well, up to itself; may be 0, or more than num_tokens"
            ),
            "returns weights": "each row sums to 1; 0 outside the pattern",
        },
        entry="sparse_weights",
        arguments=(
            Argument("scores", SCORES),
            Argument("window", "int, at least 1"),
            Argument("dilation", "int, at least 1"),
            Argument("num_global", "int"),
        ),
        returns=(Output("weights", SCORES, exact_zeros=True, map=True),),
        reference=sparse_weights,
        hints=(
            "Make a matrix of distances: the query's position minus the key's.",
            "A key is in the window if its distance is below window · dilation and a multiple of dilation. Join that "
            "with the first tokens by *or*, and with the causal mask by *and*.",
            "[`visible = (near | (key < num_global)) & (distance >= 0)`.]{.torch} [In MXNet comparisons give numbers: "
            "*and* is `*`, *or* is `nd.broadcast_maximum`.]{.mxnet} Fill the other scores with −10⁶ and take the softmax.",
        ),
        cases=_sparse_cases,
        properties=(
            Property("each row of weights must sum to 1", rows_sum_to_one),
            Property("every weight outside the pattern must be 0", _nothing_outside),
        ),
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="window_costs",
        title="Pairs and layers",
        statement=(
            "Derive how many pairs a causal window leaves in a text, and after how many layers the last token can depend on "
            "the first."
        ),
        conditions={"window": "at least 2, the token itself included"},
        entry="window_costs",
        arguments=(Argument("num_tokens", "int, at least 2"), Argument("window", "int")),
        returns=(Output("costs", "(pairs, layers), whole numbers", plain=True),),
        reference=window_costs,
        hints=(
            "How many tokens does token 0 see, and how many token 1? Which is the first to see `window`?",
            "The first $w$ tokens see 1, 2, …, $w$, together $w(w+1)/2$. Each layer reaches $w - 1$ tokens further.",
            "Each later token sees $w$. The layers are (num_tokens − 1) / (window − 1), rounded up.",
        ),
        cases=_cost_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="linear_attention",
        title="Attention by running sums",
        statement=(
            "Write causal linear attention: for query $i$, key $j$ has the weight "
            r"$\varphi(q_i)^\top\varphi(k_j)$ divided by the sum of these products over the keys up to $i$; a "
            "token sees itself."
        ),
        rules=(
            (
                "A loop over the tokens is welcome; make new sums in it, `S = S + …`, since `S += …` changes "
                "in place what the gradient needs."
            ),
        ),
        conditions={
            "the features": (
                r"entry by entry, $\varphi(x) = \operatorname{elu}(x) + 1$, which is $x + 1$ above 0 and $e^x$ "
                "below"
            ),
            "the sums": "carry $S$ and $z$ from token to token",
        },
        entry="linear_attention",
        arguments=(
            Argument("queries", "(batch, num_tokens, d_k)"),
            Argument("keys", "(batch, num_tokens, d_k)"),
            Argument("values", "(batch, num_tokens, d_v)"),
        ),
        returns=(Output("context", "(batch, num_tokens, d_v)"),),
        reference=linear_attention,
        hints=(
            "Two sums are enough for all keys so far: S adds up the products φ(k)·vᵀ, of shape (d_k, d_v), and z adds "
            "up φ(k).",
            "At each token: first add its key and value to the sums, then read them with its query. The context is "
            "φ(q)ᵀS, divided by φ(q)·z.",
            "S becomes S plus [`torch.bmm(k.transpose(1, 2), v)`]{.torch}[, in MXNet ]{.both}[`nd.batch_dot(k, v, transpose_a=True)`]{.mxnet}, for slices k "
            "and v of one token; collect the contexts in a list and join them along axis 1.",
        ),
        cases=_linear_cases,
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="bound_proof_step",
        title="Where the bound ends",
        statement=(
            "Steps 2, 3 and 4 of the folded proof say something of the matrix of the weights. Which of them is the first that "
            'need not hold after a change: `"2"`, `"3"` or `"4"`? If all hold, answer `"none"`.'
        ),
        entry="bound_proof_step",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("step", 'one of "2", "3", "4", "none"', plain=True),),
        reference=bound_proof_step,
        cases=a_case_of_each("change", CHANGES),
        difficulty=3,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="grouped_query",
        title="Heads that share their keys",
        statement=(
            "Write causal attention with scaled dot products, in which neighbouring heads share keys and "
            "values. No token attends to a later one."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "queries": "each head keeps queries of its own",
            "keys": (
                "with $H$ heads and $G$ groups, the first $H/G$ heads use group 0, the next $H/G$ heads group "
                "1, and so on"
            ),
            "values": "shared as the keys are",
        },
        entry="grouped_query",
        arguments=(
            Argument("queries", HEADS.format("d_k")),
            Argument("keys", GROUPS.format("d_k") + ", where num_groups divides num_heads"),
            Argument("values", GROUPS.format("d_v")),
        ),
        returns=(Output("context", HEADS.format("d_v")),),
        reference=grouped_query,
        hints=(
            "Make keys and values as many as there are heads, then it is ordinary causal attention.",
            "Each group is repeated num_heads / num_groups times, and its copies stand side by side: 0, 0, 1, 1, and "
            "not 0, 1, 0, 1.",
            "[`keys.repeat_interleave(per_group, dim=1)`]{.torch}[, in MXNet ]{.both}[`keys.repeat(per_group, axis=1)`]{.mxnet}; the same for the "
            "values. Then scores, mask, softmax, and the product with the values.",
        ),
        cases=_grouped_cases,
        forbidden=library_attention(),
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="indexed_weights",
        title="An indexer chooses the keys",
        statement=(
            "Write causal weights over the keys that an indexer chooses. Its score of a query and a key is the "
            "sum, over its heads, of the head's weight times the ReLU of their dot product. Of the keys up to "
            "its own, each query attends to the `top_k` with the largest of these scores."
        ),
        conditions={
            "scores": "of attention; the weights are made from these",
            "keys": "of the indexer; its heads share them",
            "head_weights": "of either sign, for each query",
            "top_k": "where there are fewer keys, all of them; ties never decide",
            "returns index": (
                "the indexer's scores, which may be negative, not divided by anything; 0 for later keys, which are "
                "never chosen"
            ),
            "returns weights": "each row sums to 1; 0 for keys that are not chosen",
        },
        entry="indexed_weights",
        arguments=(
            Argument("scores", SCORES),
            Argument("queries", HEADS.format("d")),
            Argument("keys", "(batch, num_tokens, d)"),
            Argument("head_weights", "(batch, num_tokens, num_heads)"),
            Argument("top_k", "int, at least 1"),
        ),
        returns=(
            Output("index", SCORES, exact_zeros=True),
            Output("weights", SCORES, exact_zeros=True, map=True),
        ),
        reference=indexed_weights,
        hints=(
            "First the dot products of all heads, (batch, num_heads, num_tokens, num_tokens); the heads' weights get "
            "an axis for the keys. Their sum over the heads is the index.",
            "Give later keys −10⁶ before you choose. In a row sorted from the largest down, the last of the first "
            "`top_k` is the least that is chosen.",
            "`least = ordered[:, :, :top_k][:, :, -1:]`. Hide what is smaller than `least`, and later keys; then take "
            "the softmax of the scores that are left.",
        ),
        cases=_indexed_cases,
        difficulty=3,
        minutes=25,
        points=3,
    ),
)
