"""Exercises on multi-head attention."""

from dataclasses import replace

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
from exercises.shared import (
    ALL,
    draw_sizes,
    draw_valid_lengths,
    mask_of,
    places_beyond,
    raise_scores,
    rows_sum_to_one,
    weight_outside,
)
from solutions.multi_head.in_numpy import head_sizes, join_heads, multi_head_attention, split_heads


def _cases_to_split(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        """typical: batch, steps, heads, features in a head."""
        batch, steps, num_heads, width = draw_sizes(rng, *typical)
        X = rng.normal(size=(batch, steps, num_heads * width))
        return Case(note, {"X": X, "num_heads": num_heads}, gradient=gradient)

    return [
        case("more heads than features in a head", 2, 3, 4, 2, gradient=True),
        case("more features in a head than heads", 3, 5, 2, 4, gradient=True),
        case("as many steps as heads", 2, 3, 3, 4),
        case("as many features in a head as heads", 2, 4, 3, 3),
        case("one batch element", 1, 7, 5, 2),
        case("a single step", 3, 1, 2, 4),
        case("one feature for each head", 2, 3, 5, 1),
        case("one head", 2, 3, 1, 4),
    ]


def _cases_to_join(rng: np.random.Generator) -> list[Case]:
    """Return the cases to split, split already, with other numbers."""

    def joined(case: Case) -> Case:
        num_heads = case.inputs["num_heads"]
        return replace(case, inputs={"X": split_heads(case.inputs["X"], num_heads), "num_heads": num_heads})

    return [joined(case) for case in _cases_to_split(rng)]


def _cases_to_attend(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int, int, int],
        lengths_of: str = "",
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        """typical: batch, queries, keys, heads, numbers in a head."""
        shape = draw_sizes(rng, *typical)
        batch, num_queries, num_keys, num_heads, width = shape
        num_hiddens = num_heads * width
        keys = (batch, num_keys, num_hiddens)
        inputs = {
            "queries": rng.normal(size=(batch, num_queries, num_hiddens)),
            "keys": rng.normal(size=keys),
            "values": rng.normal(size=keys),
            "valid_length": draw_valid_lengths(rng, shape, lengths_of, among),
        }
        # Scores of size one, whatever the width.
        weights = {
            n: rng.normal(size=(num_hiddens, num_hiddens)) / np.sqrt(num_hiddens)
            for n in ("W_q", "W_k", "W_v", "W_o")
        }
        settings = {"num_hiddens": num_hiddens, "num_heads": num_heads}
        return Case(note, inputs, settings, weights, gradient=gradient)

    cases = [
        case("no valid_length", (2, 3, 5, 2, 4), gradient=True),
        case("one length for each batch element", (2, 3, 5, 3, 2), "batch", gradient=True),
        case("one length for each query", (2, 3, 4, 4, 2), "query", gradient=True),
        case("as many batch elements as heads", (3, 2, 6, 3, 4), "batch", (1, ALL)),
        case("as many queries as heads", (3, 4, 5, 4, 2), "batch", (1, ALL)),
        case("one batch element, one length for each query", (1, 5, 5, 2, 5), "query"),
        case("a single query", (3, 1, 4, 2, 3), "batch"),
        case("one head", (2, 3, 5, 1, 4), "batch"),
    ]
    loud = case("padding that scores far above the rest", (2, 3, 6, 2, 4), "batch")
    keys, size = loud.inputs["keys"], loud.settings["num_hiddens"] // loud.settings["num_heads"]
    raise_scores(
        loud.inputs["queries"], keys, places_beyond(keys.shape[1], loud.inputs["valid_length"]), size
    )
    # The first feature of each head is that feature, and it is in no other.
    loud.parameters["W_k"][:, 0] = 0
    for name in ("W_q", "W_k"):
        loud.parameters[name][::size] = np.eye(keys.shape[2])[0]
    return [*cases, loud]


def _nothing_beyond_the_length(run: Call, case: Case) -> str | None:
    lengths, weights = case.inputs["valid_length"], run(case)[-1]
    repeated = None if lengths is None else np.repeat(lengths, case.settings["num_heads"], axis=0)
    return weight_outside(weights, mask_of(weights, repeated), "beyond it")


def _batch_elements_are_apart(run: Call, case: Case) -> str | None:
    """Check that other values in the last batch element change no result of the first."""
    if len(case.inputs["values"]) == 1:
        return None
    values = case.inputs["values"].copy()
    values[-1] += 1
    before = run(case)[0][0]
    after = run(Case(case.note, {**case.inputs, "values": values}, case.settings, case.parameters))[0][0]
    if np.allclose(before, after, atol=1e-5):
        return None
    return "Changing values[-1] changes the result of batch element 0."


def _cases_to_count(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, spread: int = 4) -> Case:
        """typical: steps, heads, features in a head."""
        num_steps, num_heads, width = draw_sizes(rng, *typical, spread=spread)
        return Case(note, {"num_steps": num_steps, "num_hiddens": num_heads * width, "num_heads": num_heads})

    return [
        case("few features", 5, 3, 4),
        case("sizes like those of the paper's base model", 30, 8, 64, spread=30),
        case("more heads", 30, 16, 32, spread=20),
        case("one head", 7, 1, 10),
        case("one feature for each head", 1, 6, 1),
    ]


X = Argument("X", "(batch, num_steps, num_hiddens)")
PROJECTION = "(num_hiddens, num_hiddens)"

EXERCISES = (
    Exercise(
        name="split_heads",
        title="Cut the features into heads",
        statement=(
            "Cut the features into heads, and make each head a batch element: first all heads of the "
            "first sentence, then all heads of the second."
        ),
        rules=("No loop is needed.",),
        entry="split_heads",
        arguments=(X, Argument("num_heads", "int that divides num_hiddens")),
        returns=(Output("heads", "(batch * num_heads, num_steps, num_hiddens / num_heads)"),),
        reference=split_heads,
        hints=(
            "The features of one head are neighbours: with 6 features and 2 heads, the first head has "
            "features 0, 1 and 2.",
            "Reshape so that the features have two axes, `(num_heads, head size)`. Then the heads have to "
            "stand next to the batch, before the steps.",
            "Reshape to `(batch, num_steps, num_heads, size)`, swap axes 1 and 2, and only then join the "
            "first two axes.",
        ),
        cases=_cases_to_split,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="join_heads",
        title="Join the heads again",
        statement=(
            "Undo `split_heads`: put the heads of each sentence side by side again. "
            "`join_heads(split_heads(X, num_heads), num_heads)` is `X`."
        ),
        conditions={
            "X": "the heads of the first sentence come first, then those of the second",
            "returns joined": "a step has the features of all heads in one row, those of head 0 first",
        },
        entry="join_heads",
        arguments=(
            Argument("X", "(batch * num_heads, num_steps, size)"),
            Argument("num_heads", "int that divides batch * num_heads"),
        ),
        returns=(Output("joined", "(batch, num_steps, num_heads * size)"),),
        reference=join_heads,
        hints=(
            "The same steps as in `split_heads`, the last one first.",
            "The first axis becomes two, batch and heads. Then the heads have to stand next to the features, after the "
            "steps.",
            "Reshape to `(-1, num_heads, num_steps, size)`, swap axes 1 and 2, and only then join the last two axes.",
        ),
        cases=_cases_to_join,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="multi_head_attention",
        title="Attention in several heads",
        statement="Project, split, attend, join, project. Return the context and keep the weights of all heads.",
        rules=("Do not call the library's own attention.",),
        conditions={
            "keeps attention_weights": "the heads of a sentence one after the other",
            "W_q.weight": "a projection without bias",
            "W_k.weight": "a projection without bias",
            "W_v.weight": "a projection without bias",
            "W_o.weight": "a projection without bias, of the joined heads",
            "valid_length": "with `None` every key is valid",
            "the scores": "dot products, divided by the root of the features of one head",
        },
        entry="MultiHeadAttention",
        is_class=True,
        settings=(Argument("num_hiddens", "int"), Argument("num_heads", "int that divides num_hiddens")),
        arguments=(
            Argument("queries", "(batch, num_queries, num_hiddens)"),
            Argument("keys", "(batch, num_keys, num_hiddens)"),
            Argument("values", "(batch, num_keys, num_hiddens)"),
            Argument("valid_length", "None, (batch,) or (batch, num_queries), each at least 1"),
        ),
        returns=(
            Output("context", "(batch, num_queries, num_hiddens)"),
            Output(
                "attention_weights",
                "(batch * num_heads, num_queries, num_keys)",
                attribute=True,
                exact_zeros=True,
                map=True,
            ),
        ),
        parameters={name: Parameter(f"{name}.weight", PROJECTION) for name in ("W_q", "W_k", "W_v", "W_o")},
        reference=multi_head_attention,
        hints=(
            "Four layers of `num_hiddens` features, without a bias: three before attention and one after it.",
            "After `split_heads` a head is a batch element, so the masked softmax works as before. The "
            "lengths need one entry for each head too.",
            "Repeat each length `num_heads` times in a row ([2, 5] becomes [2, 2, 5, 5]), not the list as "
            "a whole. The scale is the square root of one head's width. `join_heads`, then `W_o`.",
        ),
        cases=_cases_to_attend,
        properties=(
            Property("nothing beyond the valid length may get weight", _nothing_beyond_the_length),
            Property("each row of weights must sum to 1", rows_sum_to_one),
            Property("batch elements must not affect each other", _batch_elements_are_apart),
        ),
        builds_on=("masked_softmax", "multi_head"),
        helpers=("masked_softmax", "split_heads", "join_heads"),
        forbidden=library_attention(),
        difficulty=3,
        minutes=30,
        points=4,
    ),
    Exercise(
        name="head_sizes",
        title="Predict the sizes",
        statement=(
            "Before anything runs: how many features does one head have, how many parameters does the "
            "layer have, and how many attention weights does it compute when one sentence of `num_steps` "
            "words attends to itself?"
        ),
        entry="head_sizes",
        arguments=(
            Argument("num_steps", "int"),
            Argument("num_hiddens", "int"),
            Argument("num_heads", "int that divides num_hiddens"),
        ),
        returns=(
            Output(
                "sizes", "a tuple (head size, parameters, attention weights) of whole numbers", plain=True
            ),
        ),
        reference=head_sizes,
        hints=(
            "The features are divided among the heads.",
            "There are four square matrices, whatever the number of heads.",
            "Each head has `num_steps * num_steps` weights; the parameters are `4 * num_hiddens**2`. "
            "Whole numbers: divide with `//`.",
        ),
        cases=_cases_to_count,
        difficulty=1,
        minutes=10,
        points=1,
    ),
)
