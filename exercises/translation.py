"""Exercises on translation: the decoder's step, its mask, its loss, and beam search."""

from collections.abc import Iterator
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
from exercises.shared import (
    ALL,
    Array,
    draw_lengths,
    draw_sizes,
    rows_sum_to_one,
    weight_outside,
    with_loud_padding,
)
from solutions.masked_softmax.in_numpy import softmax
from solutions.translation.in_numpy import (
    beam_step,
    best,
    decoder_step,
    masked_loss,
    query_weights,
)

OUTPUTS = Argument("outputs", "(batch, num_keys, d_h), the encoder's")
VALID_LENGTH = Argument("valid_length", "(batch,)")
Y = Argument("y", "(batch, d_y), the word before")
STATE = Argument("state", "(batch, d_s), the previous state")

# The decoder's step: i holds its arguments and its parameters


def _nothing_on_padding(run: Call, case: Case) -> str | None:
    weights = run(case)[-1]
    mask = np.arange(weights.shape[1]) < case.inputs["valid_length"][:, None]
    return weight_outside(weights, mask, "on padding")


def _all_matter(name: str, position: int) -> Property:
    """Check that changing an argument changes the weights of every sentence with a choice."""

    def holds(run: Call, case: Case) -> str | None:
        before = run(case)[position]
        moved = case.inputs[name] + np.linspace(0.5, 1.5, case.inputs[name].size).reshape(
            case.inputs[name].shape
        ) * np.where(np.arange(case.inputs[name].size) % 2, 1, -1).reshape(case.inputs[name].shape)
        after = run(Case(case.note, {**case.inputs, name: moved}, case.settings, case.parameters))[position]
        same = np.isclose(before, after, atol=1e-6).all(axis=-1) & (case.inputs["valid_length"] > 1)
        if not same.any():
            return None
        return (
            f"With other numbers in {name} the weights of sentence {int(same.argmax())} stay what they were."
        )

    return Property(f"the weights must depend on {name}", holds)


STEP_SIZES = ("d_y", "d_s", "d_h", "units", "vocabulary_size")
STEP_PARAMETERS = {
    "W_q": Parameter("W_q.weight", "(units, d_s)"),
    "W_k": Parameter("W_k.weight", "(units, d_h)"),
    "w_v": Parameter("w_v.weight", "(1, units)"),
    "W_s": Parameter("W_s.weight", "(d_s, d_s)"),
    "W_y": Parameter("W_y.weight", "(d_s, d_y)"),
    "W_c": Parameter("W_c.weight", "(d_s, d_h)"),
    "W_o": Parameter("W_o.weight", "(vocabulary_size, d_s + d_h)"),
}


def _step_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, ...],
        among: tuple[int, ...] = (),
        spare: int = 0,
        gradient: bool = False,
    ) -> Case:
        """typical: batch, longest source, then the settings; spare: keys that are padding in all."""
        batch, longest, *settings = draw_sizes(rng, *typical)
        d_y, d_s, d_h, units, words = settings
        shapes = {
            "W_q": (units, d_s), "W_k": (units, d_h), "w_v": (1, units),
            "W_s": (d_s, d_s), "W_y": (d_s, d_y), "W_c": (d_s, d_h), "W_o": (words, d_s + d_h),
        }  # fmt: skip
        inputs = {
            "y": rng.normal(size=(batch, d_y)),
            "state": rng.uniform(-0.9, 0.9, size=(batch, d_s)),
            "outputs": rng.normal(size=(batch, longest + spare, d_h)),
            "valid_length": draw_lengths(rng, longest, batch, among=among),
        }
        weights = {name: 0.5 * rng.normal(size=shape) for name, shape in shapes.items()}
        weights["w_v"] *= 3
        sizes = dict(zip(STEP_SIZES, settings, strict=True))
        return Case(note, inputs, sizes, weights, gradient=gradient)

    return [
        case("all sizes different", (2, 8, 4, 6, 5, 7, 9), (ALL,), gradient=True),
        case(
            "word, state, output and hidden layer of one size", (3, 5, 4, 4, 4, 4, 6), (ALL,), gradient=True
        ),
        case("one word in the source", (2, 1, 3, 5, 2, 4, 5)),
        case("padding in all", (2, 4, 5, 5, 5, 5, 7), spare=2),
        case("a single sentence", (1, 6, 2, 3, 4, 5, 8)),
        case("a hidden layer of one unit", (4, 5, 3, 3, 3, 1, 4), (1, ALL)),
        with_loud_padding(
            case("padding that scores far above the rest", (2, 5, 3, 4, 4, 6, 5), spare=1), "outputs"
        ),
    ]


# Weights that ignore the source


def _weight_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, typical: tuple[int, ...], among: tuple[int, ...] = (), gradient: bool = False
    ) -> Case:
        batch, num_keys, d_y, d_s, d_h = draw_sizes(rng, *typical)
        inputs = {
            "y": rng.normal(size=(batch, d_y)),
            "state": rng.uniform(-0.9, 0.9, size=(batch, d_s)),
            "outputs": rng.normal(size=(batch, num_keys, d_h)),
            "valid_length": draw_lengths(rng, num_keys, batch, among=among),
            "W": rng.normal(size=(d_h, d_y + d_s)) / np.sqrt(d_h),
        }
        return Case(note, inputs, gradient=gradient)

    equal = case("sources of one length", (2, 6, 4, 3, 7))
    loud = case("padding that scores far above the rest", (2, 5, 2, 3, 4))
    query = np.concatenate([loud.inputs["y"], loud.inputs["state"]], axis=1) @ loud.inputs["W"].T
    far = 1000 * query / np.square(query).sum(axis=1, keepdims=True)
    padding = np.arange(loud.inputs["outputs"].shape[1]) >= loud.inputs["valid_length"][:, None]
    loud.inputs["outputs"][padding] = np.repeat(far, padding.sum(axis=1), axis=0)
    equal.inputs["valid_length"][:] = equal.inputs["valid_length"].min()
    return [
        case("all sizes different", (2, 5, 3, 4, 6), (ALL,), gradient=True),
        case("as many keys as numbers in a key", (3, 4, 2, 5, 4), gradient=True),
        equal,
        case("one word in a source", (3, 3, 4, 4, 5), (1,)),
        case("a single sentence", (1, 5, 5, 2, 8)),
        loud,
    ]


# The loss


def _loss_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, typical: tuple[int, int, int], shortest: int = 1, among: tuple[int, ...] = (ALL,),
        gradient: bool = False,
    ) -> Case:  # fmt: skip
        batch, steps, words = draw_sizes(rng, *typical)
        inputs = {
            "scores": 2 * rng.normal(size=(batch, steps, words)),
            "wanted": rng.integers(words, size=(batch, steps)),
            "length": draw_lengths(rng, steps, batch, least=shortest, among=among),
        }
        return Case(note, inputs, gradient=gradient)

    everywhere = case("a step that is padding everywhere", (3, 6, 4), shortest=3)
    everywhere.inputs["length"][:] -= 1
    cases = [
        case("a long and a short sentence", (2, 5, 7), gradient=True),
        case("several lengths", (3, 4, 6), among=(1, ALL), gradient=True),
        everywhere,
        case("one sentence", (1, 7, 5), shortest=2, among=()),
        case("few words to choose from", (4, 3, 2)),
    ]
    unlikely = case("right words with nearly no probability", (2, 4, 5))
    wanted = unlikely.inputs["wanted"][:, :, None]
    np.put_along_axis(unlikely.inputs["scores"], wanted, -60.0, axis=2)
    return [*cases, unlikely]


# Beam search


def _confused(log_probs: Array, totals: Array, finished: Array, end: int) -> Iterator[tuple[Array, ...]]:
    """Yield what beam_step gives, and what its first wrong ideas give in its place."""
    beam, size = log_probs.shape
    before, done, ends = totals[:, None], finished[:, None], np.arange(size) == end
    stay = np.where(ends, 0, -np.inf)
    added = np.where(done, stay, log_probs)
    every = before + added
    top, index = best(every.reshape(-1), beam)
    rows, words = index // size, index % size
    yield top, rows, words
    yield top, words, rows
    yield top, index // beam, index % beam
    yield top, index / size, words
    yield top[::-1], rows[::-1], words[::-1]
    yield every.max(axis=1), np.arange(beam), every.argmax(axis=1)
    for other in (
        added,
        before * np.where(done, np.where(ends, 1, 1e9), log_probs),
        before + np.where(done, stay, np.exp(log_probs)),
        before + log_probs,
        before + np.where(done, stay + log_probs, log_probs),
        before + np.where(done, -1e9, log_probs),
    ):
        top, index = best(other.reshape(-1), beam)
        yield top, index // size, index % size


def _telling(inputs: dict[str, Any]) -> bool:
    """Return whether nothing is a tie and, where a hypothesis has ended, every wrong idea shows itself."""
    stays = np.arange(inputs["log_probs"].shape[1]) == inputs["end"]
    going_on = ~inputs["finished"][:, None]
    candidates = inputs["totals"][:, None] + np.where(going_on, inputs["log_probs"], 0)
    if np.diff(np.sort(candidates[going_on | stays])).min() < 1e-3:
        return False
    if len(inputs["totals"]) == 1 or not inputs["finished"].any():
        return True
    results = [b"".join((np.round(p, 4) + 0.0).tobytes() for p in step) for step in _confused(**inputs)]
    return len(set(results)) == len(results)


def _ended_ones_only_end(run: Call, case: Case) -> str | None:
    """Look for a word other than `end` after a hypothesis that has ended; a hypothesis that there is not is left alone."""
    finished, end = case.inputs["finished"], case.inputs["end"]
    _, hypotheses, words = run(case)
    for hypothesis, word in zip(hypotheses.tolist(), words.tolist(), strict=False):
        if hypothesis in range(len(finished)) and finished[int(hypothesis)] and word != end:
            return f"Hypothesis {int(hypothesis)} has ended and goes on with word {word:g}; `end` is {end}."
    return None


def _beam_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, beam: int, words: int, ended: int = 0, first: bool = False, spread: float = 1.5,
        gradient: bool = False,
    ) -> Case:  # fmt: skip
        """Draw until it tells the wrong ideas apart.

        ended: how many have ended, not the first one unless `first` says so.
        """
        beam, words = draw_sizes(rng, beam, words)
        while True:
            finished = np.zeros(beam, dtype=bool)
            finished[0 if first else 1 + rng.permutation(beam - 1)[:ended]] = ended > 0
            end = int(rng.integers(words))
            scores = spread * rng.normal(size=(beam, words))
            # An ended hypothesis would survive with another word, and even if it paid for its end again.
            scores[finished, end] = scores.max() + rng.uniform(0, 1)
            scores[finished, end - 1] = scores[finished, end] - rng.uniform(0.2, 0.5)
            inputs = {
                "log_probs": np.log(softmax(scores)),
                "totals": -np.sort(rng.uniform(1.0, 3.0, size=beam)),
                "finished": finished,
                "end": end,
            }
            if _telling(inputs):
                return Case(note, inputs, gradient=gradient)

    # An ended hypothesis so far after that it drops out.
    after = case("one has ended, far after the others", 4, 7, 1)
    after.inputs["totals"][after.inputs["finished"]] = -20.0
    return [
        after,
        case("none has ended", 3, 7),
        case("one has ended", 4, 6, 1),
        case("one of several has ended, over many words", 4, 9, 1, spread=0.7),
        case("a beam of one: greedy search", 1, 5),
        case("more hypotheses than words", 6, 4, 1),
        case("the first one has ended", 3, 8, 1, first=True),
        case("a wide beam over many words", 5, 20, 1, spread=2.5),
    ]


EXERCISES = (
    Exercise(
        name="decoder_step",
        title="One step of a decoder with attention",
        statement=(
            "Write a decoder's step: weights over the encoder's outputs by additive attention, with the "
            r"previous state as the query; the context $\mathbf{c}$; the new state; and the scores of the next "
            "word."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "y": r"as its embedding $\mathbf{y}$",
            "state": r"$\mathbf{s}$, the query",
            "valid_length": "each at least 1",
            "returns words": r"their scores, $\mathbf{W}_o$ of the new state followed by the context",
            "W_q.weight": "without a bias",
            "W_k.weight": "without a bias",
            "w_v.weight": "without a bias",
            "W_s.weight": "without a bias",
            "W_y.weight": "without a bias",
            "W_c.weight": "without a bias",
            "W_o.weight": "without a bias",
            "returns state": (
                r"the new state, $\tanh(\mathbf{W}_s \mathbf{s} + \mathbf{W}_y \mathbf{y} + \mathbf{W}_c "
                r"\mathbf{c})$"
            ),
            "returns weights": (
                r"the softmax of $\mathbf{w}_v^\top \tanh(\mathbf{W}_q \mathbf{s} + \mathbf{W}_k "
                r"\mathbf{h}_j)$ over the valid outputs $\mathbf{h}_j$"
            ),
        },
        entry="DecoderStep",
        is_class=True,
        settings=tuple(Argument(name, "int") for name in STEP_SIZES),
        arguments=(Y, STATE, OUTPUTS, VALID_LENGTH),
        returns=(
            Output("words", "(batch, vocabulary_size)"),
            Output("state", "(batch, d_s)"),
            Output("weights", "(batch, num_keys)", exact_zeros=True),
        ),
        parameters=STEP_PARAMETERS,
        reference=decoder_step,
        hints=(
            "The query is the state of the step before. It has no axis for the steps of the encoder yet.",
            "Additive scores of the query with every output of the encoder, masked softmax, average of "
            "the outputs: the context. Then the new state, from the old state, y and the context.",
            "The words' scores are `W_o` of the new state followed by the context. The seven layers have "
            "no bias; weights and context lose the axis of size 1.",
        ),
        cases=_step_cases,
        properties=(
            Property("padding must get no weight", _nothing_on_padding),
            Property("the weights of a sentence must sum to 1", rows_sum_to_one),
            _all_matter("state", 2),
            _all_matter("outputs", 2),
        ),
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=3,
    ),
    Exercise(
        name="masked_loss",
        title="A loss that padding does not enter",
        statement="Write the mean cross-entropy over all words that are not padding.",
        conditions={
            "wanted": "the right words",
            "length": "in each row, the first `length` words count",
            "returns loss": "an array that holds one number",
        },
        entry="masked_loss",
        arguments=(
            Argument("scores", "(batch, num_steps, vocabulary_size)"),
            Argument("wanted", "(batch, num_steps)"),
            Argument("length", "(batch,)"),
        ),
        returns=(Output("loss", "(1,)"),),
        reference=masked_loss,
        hints=(
            "The cross-entropy of one word is minus the log-softmax at the wanted word.",
            "Padding must not count in either place: neither in the sum nor in the number by which it is divided.",
            "Take the log-softmax over the words, pick the wanted entries, multiply by the mask, add up, "
            "and divide by `mask.sum()`. Not the mean of each sentence's mean.",
        ),
        cases=_loss_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="query_weights",
        title="Correct weights that ignore the source",
        statement=(
            r"Keep the layer, and let its result be a query: the score of position $j$ is the dot product "
            r"of $\mathbf{W}[\mathbf{y}; \mathbf{s}]$ with the encoder's output $\mathbf{h}_j$."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "valid_length": "each at least 1",
        },
        entry="query_weights",
        arguments=(Y, STATE, OUTPUTS, VALID_LENGTH, Argument("W", "(d_h, d_y + d_s)")),
        returns=(Output("weights", "(batch, num_keys)", exact_zeros=True),),
        reference=query_weights,
        hints=(
            "The layer makes a query of y and s. What is a score then?",
            "Join y and the state, multiply by W transposed, and take the dot product with each of the "
            "encoder's outputs.",
            "[`torch.bmm(outputs, query.unsqueeze(2))`]{.torch}[, or ]{.both}[`nd.batch_dot(outputs, query.expand_dims(2))`]{.mxnet}[,]{.both} has a column of scores for each sentence: make a "
            "row of it for the masked softmax.",
        ),
        cases=_weight_cases,
        properties=(
            _all_matter("outputs", 0),
            Property("padding must get no weight", _nothing_on_padding),
        ),
        builds_on=("masked_softmax",),
        helpers=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="beam_step",
        title="The bookkeeping of beam search",
        statement=(
            "Write one step of beam search for one sentence: of all continuations of all hypotheses, keep the "
            "best `beam`."
        ),
        conditions={
            "log_probs": "log-probabilities of the next word, a row for each hypothesis",
            "totals": "the log-probability of each hypothesis so far",
            "finished": (
                "an ended hypothesis goes on with `end` alone, at no cost: its total stays the same[; in "
                "MXNet it holds ones and zeros]{.mxnet}"
            ),
            "returns hypotheses": (
                "indices, so of an integer type[; in MXNet, where `topk` gives floats, of any]{.mxnet}"
            ),
            "returns words": "indices, the same",
        },
        entry="beam_step",
        arguments=(
            Argument("log_probs", "(beam, vocabulary_size)"),
            Argument("totals", "(beam,)"),
            Argument("finished", "(beam,), true where one has ended"),
            Argument("end", "int below vocabulary_size"),
        ),
        returns=(
            Output("totals", "(beam,), best first"),
            Output("hypotheses", "(beam,), which one is continued", indices=True),
            Output("words", "(beam,), what is added to it", indices=True),
        ),
        reference=beam_step,
        hints=(
            "All continuations of all hypotheses compete with each other, not only those of one hypothesis.",
            "Add each hypothesis's total to its row of log-probabilities. A finished hypothesis has one "
            "continuation: the end, at no cost.",
            "Flatten the matrix of totals to one row and take the largest `beam` of them. An index "
            "divided by the vocabulary's size, with `//`, is the hypothesis; the remainder is the word.",
        ),
        cases=_beam_cases,
        properties=(Property("an ended hypothesis must go on with `end` alone", _ended_ones_only_end),),
        difficulty=4,
        minutes=30,
        points=3,
    ),
)
