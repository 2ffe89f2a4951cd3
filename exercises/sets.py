"""Exercises on attention between any two sets: learned points, neighbours in a graph, and a store of patterns."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import (
    ALL,
    LOOP_IS_SHOWN,
    a_case_of_each,
    draw_lengths,
    draw_sizes,
    last_of,
    one_of,
    places_beyond,
    raise_scores,
)
from solutions.sets.in_numpy import (
    graph_attention,
    hopfield_step,
    induced_attention,
    order_proof_line,
    point_scores,
)

# Learned points


def _induced_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, among: tuple[int, ...] = (ALL,), gradient: bool = False) -> Case:
        """typical: batch, points, tokens, d."""
        batch, num_points, num_tokens, d = draw_sizes(rng, *typical, spread=3)
        inputs = {
            "X": rng.normal(size=(batch, num_tokens, d)),
            "points": rng.normal(size=(num_points, d)),
            "valid_length": draw_lengths(rng, num_tokens, batch, among=among),
        }
        return Case(note, inputs, gradient=gradient)

    cases = [
        case("fewer points than tokens", 2, 3, 7, 4, gradient=True),
        case("one valid token, and all of them", 3, 2, 6, 5, among=(1, ALL), gradient=True),
        case("wide tokens", 2, 3, 5, 16),
        case("a single point", 3, 1, 5, 4),
        case("more points than tokens", 2, 9, 4, 6),
    ]
    loud = case("padding that scores far above the rest", 2, 3, 7, 4)
    X = loud.inputs["X"]
    raise_scores(loud.inputs["points"], X, places_beyond(X.shape[1], loud.inputs["valid_length"]), X.shape[2])
    return [*cases, loud]


def _permuted_alike(run: Call, case: Case) -> str | None:
    """Check that tokens in another order have the same contexts, in that order."""
    lengths = case.inputs["valid_length"]
    turned = case.inputs["X"].copy()
    for row, length in zip(turned, lengths, strict=True):
        row[:length] = row[:length][::-1]
    (before,), (after,) = run(case), run(Case(case.note, {**case.inputs, "X": turned}))
    for i, length in enumerate(lengths):
        if not np.allclose(after[i, :length], before[i, :length][::-1], atol=1e-4):
            return f"In batch element {i} the contexts of its tokens in reverse order are others than before."
    return None


# Neighbours in a graph


def _graph_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, share: float = 0.4, itself: bool = True, gradient: bool = False
    ) -> Case:
        """typical: batch, nodes, d, units. share: of other nodes that a node attends to."""
        batch, num_nodes, d, units = draw_sizes(rng, *typical, spread=3)
        edges = (rng.random((batch, num_nodes, num_nodes)) < share).astype(np.int64)
        node = np.arange(num_nodes)
        edges[:, node, node] = itself
        # So that no row is empty; from each node to the next, and not back
        edges[:, node, (node + 1) % num_nodes] = 1
        if num_nodes > 2 and share < 1:
            edges[:, (node + 1) % num_nodes, node] = 0
        inputs = {
            "X": rng.normal(size=(batch, num_nodes, d)),
            "edges": edges,
            "W_q": rng.normal(size=(units, d)),
            "W_k": rng.normal(size=(units, d)),
            "w_v": rng.normal(size=(1, units)),
        }
        return Case(note, inputs, gradient=gradient)

    cases = [
        case("edges in one direction", 2, 5, 3, 4, gradient=True),
        case("nodes that do not attend to themselves", 2, 6, 4, 3, itself=False, gradient=True),
        case("every node is a neighbour", 3, 4, 5, 6, share=1.0),
        case("few edges", 2, 7, 3, 5, share=0.0),
        case("a single unit", 2, 5, 4, 1),
        case("a single node", 3, 1, 4, 5),
    ]
    loud = case("another node that scores far above the neighbours", 2, 6, 3, 4)
    # The last node scores 1000 above the rest, by the first unit alone; the first node does not attend to it.
    X, W_q, W_k, w_v = (loud.inputs[name] for name in ("X", "W_q", "W_k", "w_v"))
    X[..., 0] = 0.1 * last_of(X.shape[1])
    W_q[0], W_k[0], w_v[:] = 0, 0, 0
    W_k[0, 0], w_v[0, 0] = 1, 10_000
    return [*cases, loud]


def _neighbours_alone_count(run: Call, case: Case) -> str | None:
    """Check that a node's context stays when nodes that it has no edge to change."""
    edges = case.inputs["edges"]
    (before,) = run(case)
    for j in range(edges.shape[1]):
        X = case.inputs["X"].copy()
        X[:, j] += 3
        (after,) = run(Case(case.note, {**case.inputs, "X": X}))
        far = edges[:, :, j] == 0
        far[:, j] = False
        if far.any() and not np.allclose(after[far], before[far], atol=1e-4):
            return f"When node {j} changes, contexts of nodes without an edge to it change too."
    return None


# A store of patterns


def _store_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        *typical: int,
        beta: tuple[float, float] = (0.5, 2.0),
        size: float = 1.0,
        gradient: bool = False,
    ) -> Case:
        """typical: states, d, patterns. size: of the numbers of a pattern."""
        batch, d, num_patterns = draw_sizes(rng, *typical, spread=3)
        patterns = size * rng.normal(size=(num_patterns, d))
        # Of different lengths
        patterns *= rng.uniform(0.6, 1.4, size=(num_patterns, 1))
        states = patterns[rng.integers(num_patterns, size=batch)] + 0.6 * size * rng.normal(size=(batch, d))
        inputs = {"states": states, "patterns": patterns, "beta": round(float(rng.uniform(*beta)), 2)}
        return Case(note, inputs, gradient=gradient)

    return [
        case("a few patterns", 3, 4, 6, gradient=True),
        case("a small beta, so that all patterns count", 2, 5, 7, beta=(0.05, 0.2), gradient=True),
        case("a large beta", 4, 3, 5, beta=(3.0, 5.0)),
        # Their exponentials overflow in single precision.
        case("scores of several hundred", 3, 30, 4, beta=(4.0, 6.0), size=2.5),
        case("a single pattern", 3, 4, 1),
        case("a single state", 1, 6, 8),
    ]


def _energy_falls(run: Call, case: Case) -> str | None:
    """Check that the energy of the new states is not above that of the old ones."""
    states, before = run(case)
    _, after = run(Case(case.note, {**case.inputs, "states": states}))
    higher = np.flatnonzero(after > before + 1e-4 * (1 + np.abs(before)))
    if not len(higher):
        return None
    i = int(higher[0])
    return f"After one more call the energy of state {i} has grown from {before[i]:.4f} to {after[i]:.4f}."


# An order, and an image

CHANGES = (
    "learned queries",
    "a vector for each place added to Y",
    "a mask of all keys after the third",
    "a mask that moves with the keys",
    "a softmax over the queries",
    "the weighted values read by a recurrent net",
)


def _point_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, patch: int, row: int, num_points: int) -> Case:
        return Case(note, {"side": patch * row, "patch": patch, "num_points": num_points})

    def among(least: int, most: int) -> int:
        return int(rng.integers(least, most))

    return [
        case("many patches, few points", among(5, 17), among(14, 30), among(20, 60)),
        case("patches of a few pixels", among(2, 4), among(31, 60), among(100, 200)),
        case("more points than patches", among(20, 40), among(3, 7), among(64, 99)),
        case("a single point", among(6, 19), among(8, 13), 1),
    ]


EXERCISES = (
    Exercise(
        name="order_proof_line",
        title="Which line needs it",
        statement=(
            "Something is changed in the attention to $Y$. Which of the three lines is the first that does not hold any "
            'more: `"1"`, `"2"` or `"3"`? If all hold, answer `"none"`.'
        ),
        entry="order_proof_line",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("line", 'one of "1", "2", "3", "none"', plain=True),),
        reference=order_proof_line,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="induced_attention",
        title="By way of learned points",
        statement=(
            "Let the tokens of a set attend to each other by way of a few learned points. First the points "
            "attend to the tokens: their contexts are the latents. Then the tokens attend to the latents. Both "
            "are scaled dot-product attention, without projections: the keys are the values, too."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "valid_length": "tokens beyond it are padding, which no point may see",
            "returns context": "the rows of padding are computed as all others",
        },
        entry="induced_attention",
        arguments=(
            Argument("X", "(batch, num_tokens, d)"),
            Argument("points", "(num_points, d)"),
            Argument("valid_length", "(batch,), each at least 1"),
        ),
        returns=(Output("context", "(batch, num_tokens, d)"),),
        reference=induced_attention,
        hints=(
            "It is attention twice. In the first the queries are the points, keys and values the tokens. What are they in "
            "the second?",
            "The points have no axis of batch elements: repeat them for each. The latents are (batch, num_points, d), and "
            "they are keys and values of the second attention. All latents are valid.",
            "Scores of the first: `(batch, num_points, num_tokens)`, divided by √d, then `masked_softmax`. Scores of the "
            "second: tokens times latents, `(batch, num_tokens, num_points)`, divided by √d, then an ordinary softmax.",
        ),
        cases=_induced_cases,
        properties=(
            Property("tokens in another order must have the same contexts, in that order", _permuted_alike),
        ),
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=2,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="point_scores",
        title="An image by way of points",
        statement=(
            "Derive how many scores one head computes among all patches of an image, and by way of learned points; and the "
            "largest rank that the weights by way of the points can have."
        ),
        conditions={
            "side": "pixels of each side of the image",
            "patch": "pixels of each side of a patch; it divides `side`",
        },
        entry="point_scores",
        arguments=(Argument("side", "int"), Argument("patch", "int"), Argument("num_points", "int")),
        returns=(Output("numbers", "(scores, scores by way of points, rank), whole numbers", plain=True),),
        reference=point_scores,
        hints=(
            "How many patches are there? Count those of a row, and the rows.",
            "There are two attentions: of the points, and then of the patches.",
            "With n patches and m points: `n * n`, `2 * n * m`. A matrix of n rows has a rank of n at most.",
        ),
        cases=_point_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="graph_attention",
        title="Neighbours in a graph",
        statement=(
            "Write attention in which each node attends to its neighbours. The score of a node $x$ and its "
            r"neighbour $y$ is $w_v\, \text{LeakyReLU}(W_q\, x + W_k\, y)$. The values are the keys: `W_k` "
            "times each neighbour."
        ),
        rules=(LOOP_IS_SHOWN,),
        conditions={
            "edges": (
                "`edges[b, i, j]` is 1 if node `i` attends to node `j`; a node attends to itself only where "
                "it says so; each row has at least one 1"
            ),
            "the LeakyReLU": "leaves numbers above 0 as they are, and multiplies others by 0.2",
        },
        no_loop=True,
        entry="graph_attention",
        arguments=(
            Argument("X", "(batch, num_nodes, d)"),
            Argument("edges", "(batch, num_nodes, num_nodes), whole numbers, 1 or 0"),
            Argument("W_q", "(units, d)"),
            Argument("W_k", "(units, d)"),
            Argument("w_v", "(1, units)"),
        ),
        returns=(Output("context", "(batch, num_nodes, units)"),),
        reference=graph_attention,
        hints=(
            "Queries and keys first, each (batch, num_nodes, units). A score needs the sum of each query with each key.",
            "Give the queries an axis for the keys, and the keys one for the queries; their sum is (batch, num_nodes, "
            "num_nodes, units). The LeakyReLU comes before the product with `w_v`.",
            "`max(x, 0.2 · x)` is LeakyReLU. Remove the last axis of the scores, put -1e6 where `edges` is 0, take the "
            "softmax over the last axis, and multiply by the keys.",
        ),
        cases=_graph_cases,
        properties=(Property("only neighbours may count for a node's context", _neighbours_alone_count),),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="hopfield_step",
        title="A step down in energy",
        statement=(
            "Write one update of a modern Hopfield network: each state becomes the sum of all patterns, "
            "weighted by the softmax of `beta` times their dot products with the state. Return the new states, "
            "and the energies of the old ones."
        ),
        conditions={
            "beta": "scores may be so large that their exponentials overflow",
            "returns energies": (
                r"$E = -\frac{1}{\beta} \log \sum_j e^{\beta\, x_j \cdot \xi} + \frac{1}{2} \xi \cdot \xi + "
                r"\frac{1}{\beta} \log N + \frac{1}{2} M^2$ for a state $\xi$ and $N$ patterns $x_j$, of which "
                "the longest has the length $M$"
            ),
        },
        entry="hopfield_step",
        arguments=(
            Argument("states", "(batch, d)"),
            Argument("patterns", "(num_patterns, d)"),
            Argument("beta", "float, above 0"),
        ),
        returns=(Output("new_states", "(batch, d)"), Output("energies", "(batch,)")),
        reference=hopfield_step,
        hints=(
            "The update is attention: states are queries, patterns are keys and values, and beta takes the place of "
            "1 / √d.",
            "Compute the scores once, with beta in them. Their softmax makes the new states; the logarithm of the sum of "
            "their exponentials, divided by beta, is a part of the energy.",
            "Take the largest score of each state away before `exp`, and add it again after `log`[ (`logsumexp` does "
            "both)]{.torch}. M² is the largest sum of squares of a pattern.",
        ),
        cases=_store_cases,
        properties=(Property("the energy must not grow from one step to the next", _energy_falls),),
        difficulty=3,
        minutes=20,
        points=3,
    ),
)
