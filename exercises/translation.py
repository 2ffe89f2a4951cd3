"""Exercises on translation: the decoder's step, its mask, its loss, and beam search."""

from types import SimpleNamespace
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
from exercises import shared
from exercises.shared import (
    ALL,
    Array,
    draw_lengths,
    draw_sizes,
    rows_sum_to_one,
    weight_outside,
    with_inputs,
    with_loud_padding,
)
from solutions.masked_softmax.in_numpy import masked_softmax, softmax
from solutions.translation.in_numpy import (
    beam_step,
    best,
    decoder_step,
    masked_loss,
    query_weights,
    word_losses,
)

Stepped = tuple[Array, Array, Array]

OUTPUTS = Argument("outputs", "(batch, num_keys, d_h), the encoder's")
VALID_LENGTH = Argument("valid_length", "(batch,)")
Y = Argument("y", "(batch, d_y), the word before")
STATE = Argument("state", "(batch, d_s), the previous state")

# The decoder's step: i holds its arguments and its parameters


def _scores(i: SimpleNamespace, query: Array) -> Array:
    scores: Array = np.tanh((query @ i.W_q.T)[:, None, :] + i.outputs @ i.W_k.T) @ i.w_v[0]
    return scores


def _masked(scores: Array, valid_length: Array) -> Array:
    return masked_softmax(scores[:, None, :], valid_length)[:, 0]


def _weights(i: SimpleNamespace, query: Array) -> Array:
    return _masked(_scores(i, query), i.valid_length)


def _last_outputs(i: SimpleNamespace) -> Array:
    last: Array = i.outputs[np.arange(len(i.outputs)), i.valid_length - 1]
    return last


def _attended(weights: Array, values: Array) -> Array:
    context: Array = (weights[:, None, :] @ values)[:, 0]
    return context


def _new_state(i: SimpleNamespace, context: Array) -> Array:
    return np.tanh(i.state @ i.W_s.T + i.y @ i.W_y.T + context @ i.W_c.T)


def _words(i: SimpleNamespace, first: Array, second: Array) -> Array:
    words: Array = np.concatenate([first, second], axis=1) @ i.W_o.T
    return words


def _rest(i: SimpleNamespace, weights: Array, context: Array | None = None) -> Stepped:
    """What follows from the weights, or from another context."""
    context = _attended(weights, i.outputs) if context is None else context
    state = _new_state(i, context)
    return _words(i, state, context), state, weights


@with_inputs
def asks_with_the_new_state(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, np.tanh(i.state @ i.W_s.T + i.y @ i.W_y.T)))


@with_inputs
def asks_with_the_encoders_last_output(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, _last_outputs(i)))


@with_inputs
def asks_with_the_word(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.y))


@with_inputs
def mask_missing(i: SimpleNamespace) -> Stepped:
    return _rest(i, softmax(_scores(i, i.state)))


@with_inputs
def mask_after_softmax(i: SimpleNamespace) -> Stepped:
    return _rest(i, shared.mask_after_softmax(_scores(i, i.state)[:, None, :], i.valid_length)[:, 0])


@with_inputs
def renormalised_too_late(i: SimpleNamespace) -> Stepped:
    return _rest(i, shared.renormalised_too_late(_scores(i, i.state)[:, None, :], i.valid_length)[:, 0])


@with_inputs
def softmax_over_one(i: SimpleNamespace) -> Stepped:
    return _rest(i, np.ones(i.outputs.shape[:2]))


@with_inputs
def tanh_inside_each_term(i: SimpleNamespace) -> Stepped:
    scores = (np.tanh(i.state @ i.W_q.T)[:, None, :] + np.tanh(i.outputs @ i.W_k.T)) @ i.w_v[0]
    return _rest(i, _masked(scores, i.valid_length))


@with_inputs
def weighs_the_keys(i: SimpleNamespace) -> Stepped:
    weights = _weights(i, i.state)
    return _rest(i, weights, _attended(weights, i.outputs @ i.W_k.T))


@with_inputs
def only_the_last_output(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), _last_outputs(i))


@with_inputs
def context_not_in_the_state(i: SimpleNamespace) -> Stepped:
    weights = _weights(i, i.state)
    context = _attended(weights, i.outputs)
    state = _new_state(i, 0 * context)
    return _words(i, state, context), state, weights


@with_inputs
def words_from_the_old_state(i: SimpleNamespace) -> Stepped:
    weights = _weights(i, i.state)
    context = _attended(weights, i.outputs)
    return _words(i, i.state, context), _new_state(i, context), weights


@with_inputs
def context_before_state(i: SimpleNamespace) -> Stepped:
    weights = _weights(i, i.state)
    context = _attended(weights, i.outputs)
    state = _new_state(i, context)
    return _words(i, context, state), state, weights


def _given_state(i: SimpleNamespace, state: Array, context: Array) -> Stepped:
    """The rest of a step with this new state; weights as they must be."""
    return _words(i, state, context), state, _weights(i, i.state)


def _right_context(i: SimpleNamespace) -> Array:
    return _attended(_weights(i, i.state), i.outputs)


def _into_the_state(i: SimpleNamespace, context: Array) -> Array:
    total: Array = i.state @ i.W_s.T + i.y @ i.W_y.T + context @ i.W_c.T
    return total


@with_inputs
def state_without_tanh(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, _into_the_state(i, context), context)


@with_inputs
def state_by_a_sigmoid(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, 1 / (1 + np.exp(-_into_the_state(i, context))), context)


@with_inputs
def state_added_to_the_old(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, i.state + _new_state(i, context), context)


@with_inputs
def old_state_not_in_the_new(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, np.tanh(i.y @ i.W_y.T + context @ i.W_c.T), context)


@with_inputs
def word_not_in_the_state(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, np.tanh(i.state @ i.W_s.T + context @ i.W_c.T), context)


@with_inputs
def old_state_returned(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _words(i, _new_state(i, context), context), i.state, _weights(i, i.state)


@with_inputs
def state_never_updated(i: SimpleNamespace) -> Stepped:
    return _given_state(i, i.state, _right_context(i))


@with_inputs
def words_as_probabilities(i: SimpleNamespace) -> Stepped:
    words, state, weights = _rest(i, _weights(i, i.state))
    return softmax(words), state, weights


@with_inputs
def words_as_log_probabilities(i: SimpleNamespace) -> Stepped:
    words, state, weights = _rest(i, _weights(i, i.state))
    return np.log(softmax(words)), state, weights


@with_inputs
def words_through_tanh(i: SimpleNamespace) -> Stepped:
    words, state, weights = _rest(i, _weights(i, i.state))
    return np.tanh(words), state, weights


@with_inputs
def words_without_the_context(i: SimpleNamespace) -> Stepped:
    weights = _weights(i, i.state)
    context = _attended(weights, i.outputs)
    state = _new_state(i, context)
    return _words(i, state, 0 * context), state, weights


@with_inputs
def words_without_the_state(i: SimpleNamespace) -> Stepped:
    weights = _weights(i, i.state)
    context = _attended(weights, i.outputs)
    state = _new_state(i, context)
    return _words(i, 0 * state, context), state, weights


@with_inputs
def outputs_averaged(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), i.outputs.mean(axis=1))


@with_inputs
def outputs_summed_up(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), i.outputs.sum(axis=1))


@with_inputs
def score_without_tanh(i: SimpleNamespace) -> Stepped:
    scores = ((i.state @ i.W_q.T)[:, None, :] + i.outputs @ i.W_k.T) @ i.w_v[0]
    return _rest(i, _masked(scores, i.valid_length))


@with_inputs
def score_scaled(i: SimpleNamespace) -> Stepped:
    return _rest(i, _masked(_scores(i, i.state) / np.sqrt(len(i.W_q)), i.valid_length))


@with_inputs
def a_padding_key_seen(i: SimpleNamespace) -> Stepped:
    return _rest(i, _masked(_scores(i, i.state), i.valid_length + 1))


@with_inputs
def padding_scores_zero(i: SimpleNamespace) -> Stepped:
    mask = np.arange(i.outputs.shape[1]) < i.valid_length[:, None]
    return _rest(i, softmax(_scores(i, i.state) * mask))


def _scored(i: SimpleNamespace, scores: Array) -> Stepped:
    """The rest of a step with these scores of the keys."""
    return _rest(i, _masked(scores, i.valid_length))


def _summed_terms(i: SimpleNamespace) -> Array:
    terms: Array = (i.state @ i.W_q.T)[:, None, :] + i.outputs @ i.W_k.T
    return terms


@with_inputs
def mask_inverted(i: SimpleNamespace) -> Stepped:
    beyond = ~_mask(i.outputs, i.valid_length)
    return _rest(i, softmax(np.where(beyond, _scores(i, i.state), -1e9)))


@with_inputs
def only_the_context_masked(i: SimpleNamespace) -> Stepped:
    weights = softmax(_scores(i, i.state))
    return _rest(i, weights, _attended(weights * _mask(i.outputs, i.valid_length), i.outputs))


@with_inputs
def context_of_unmasked_weights(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), _attended(softmax(_scores(i, i.state)), i.outputs))


@with_inputs
def context_of_the_scores(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), _attended(_scores(i, i.state), i.outputs))


@with_inputs
def context_divided_by_the_keys(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), _right_context(i) / i.outputs.shape[1])


@with_inputs
def context_divided_by_the_length(i: SimpleNamespace) -> Stepped:
    return _rest(i, _weights(i, i.state), _right_context(i) / i.valid_length[:, None])


@with_inputs
def only_the_best_output(i: SimpleNamespace) -> Stepped:
    return _rest(i, np.eye(i.outputs.shape[1])[_weights(i, i.state).argmax(axis=1)])


@with_inputs
def all_outputs_alike(i: SimpleNamespace) -> Stepped:
    return _scored(i, 0 * _scores(i, i.state))


@with_inputs
def softmax_twice_in_the_step(i: SimpleNamespace) -> Stepped:
    return _scored(i, _weights(i, i.state))


@with_inputs
def step_scores_as_weights(i: SimpleNamespace) -> Stepped:
    return _rest(i, _scores(i, i.state) * _mask(i.outputs, i.valid_length))


@with_inputs
def step_with_tanh_of_the_score(i: SimpleNamespace) -> Stepped:
    return _scored(i, np.tanh(_summed_terms(i) @ i.w_v[0]))


@with_inputs
def step_with_tanh_of_both(i: SimpleNamespace) -> Stepped:
    return _scored(i, np.tanh(_scores(i, i.state)))


@with_inputs
def step_with_relu(i: SimpleNamespace) -> Stepped:
    return _scored(i, np.maximum(_summed_terms(i), 0) @ i.w_v[0])


@with_inputs
def step_with_product(i: SimpleNamespace) -> Stepped:
    return _scored(i, np.tanh((i.state @ i.W_q.T)[:, None, :] * (i.outputs @ i.W_k.T)) @ i.w_v[0])


@with_inputs
def step_without_w_v(i: SimpleNamespace) -> Stepped:
    return _scored(i, np.tanh(_summed_terms(i)).sum(axis=2))


@with_inputs
def context_outside_the_tanh(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    state = np.tanh(i.state @ i.W_s.T + i.y @ i.W_y.T) + context @ i.W_c.T
    return _given_state(i, state, context)


@with_inputs
def state_with_tanh_of_each_term(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    terms = (i.state @ i.W_s.T, i.y @ i.W_y.T, context @ i.W_c.T)
    return _given_state(i, np.asarray(sum(map(np.tanh, terms))), context)


@with_inputs
def state_with_tanh_twice(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, np.tanh(_new_state(i, context)), context)


@with_inputs
def state_by_a_relu(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    return _given_state(i, np.maximum(_into_the_state(i, context), 0), context)


@with_inputs
def state_from_the_word_alone(i: SimpleNamespace) -> Stepped:
    return _given_state(i, np.tanh(i.y @ i.W_y.T), _right_context(i))


@with_inputs
def state_updated_twice(i: SimpleNamespace) -> Stepped:
    first = np.tanh(i.state @ i.W_s.T + i.y @ i.W_y.T)
    weights = _weights(i, first)
    context = _attended(weights, i.outputs)
    state = np.tanh(first @ i.W_s.T + i.y @ i.W_y.T + context @ i.W_c.T)
    return _words(i, state, context), state, weights


@with_inputs
def attends_again_for_the_words(i: SimpleNamespace) -> Stepped:
    state = _new_state(i, _right_context(i))
    weights = _weights(i, state)
    return _words(i, state, _attended(weights, i.outputs)), state, weights


@with_inputs
def state_before_tanh_in_the_words(i: SimpleNamespace) -> Stepped:
    context = _right_context(i)
    words = _words(i, _into_the_state(i, context), context)
    return words, _new_state(i, context), _weights(i, i.state)


def _step(**inputs: Any) -> Stepped:
    """The reference, which has no use for the sizes."""
    return decoder_step(**{name: value for name, value in inputs.items() if name not in STEP_SIZES})


def _nothing_on_padding(run: Call, case: Case) -> str | None:
    weights = run(case)[-1]
    mask = np.arange(weights.shape[1]) < case.inputs["valid_length"][:, None]
    return weight_outside(weights, mask, "on padding")


def _all_matter(name: str, position: int) -> Property:
    """Changing an argument must change the weights of every sentence with a choice."""

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
        named = dict(zip(STEP_SIZES, settings, strict=True))
        return Case(note, inputs, named, weights, gradient=gradient)

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


def position_weights(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    scores = np.concatenate([y, state], axis=1) @ W.T
    return _masked(scores[:, : outputs.shape[1]], valid_length)


def state_before_word(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(state, y, outputs, valid_length, W)


def word_only(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, 0 * state, outputs, valid_length, W)


def state_only(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(0 * y, state, outputs, valid_length, W)


def outputs_summed(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    query = np.concatenate([y, state], axis=1) @ W.T
    return _masked(query[:, : outputs.shape[1]] + outputs.sum(axis=2), valid_length)


def scaled(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, outputs, valid_length, W / np.sqrt(outputs.shape[2]))


def weights_on_padding(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    query = np.concatenate([y, state], axis=1) @ W.T
    return softmax((outputs @ query[:, :, None])[:, :, 0])


def softmax_over_the_batch(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    query = np.concatenate([y, state], axis=1) @ W.T
    scores = (outputs @ query[:, :, None])[:, :, 0]
    mask = np.arange(outputs.shape[1]) < valid_length[:, None]
    return softmax(np.where(mask, scores, -1e6).T).T


def _asked(y: Array, state: Array, W: Array) -> Array:
    query: Array = np.concatenate([y, state], axis=1) @ W.T
    return query


def _against(query: Array, outputs: Array) -> Array:
    scores: Array = (outputs @ query[:, :, None])[:, :, 0]
    return scores


def scaled_by_the_width(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, outputs, valid_length, W / outputs.shape[2])


def tanh_of_the_query(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(_against(np.tanh(_asked(y, state, W)), outputs), valid_length)


def tanh_of_the_score(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(np.tanh(_against(_asked(y, state, W), outputs)), valid_length)


def additive_score(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(np.tanh(_asked(y, state, W)[:, None] + outputs).sum(axis=2), valid_length)


def cosine_score(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    query = _asked(y, state, W)
    lengths = np.linalg.norm(query, axis=1)[:, None] * np.linalg.norm(outputs, axis=2)
    return _masked(_against(query, outputs) / lengths, valid_length)


def distance_score(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(-np.square(_asked(y, state, W)[:, None] - outputs).sum(axis=2), valid_length)


def no_softmax(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _against(_asked(y, state, W), outputs) * _mask(outputs, valid_length)


def a_padding_position_seen(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, outputs, valid_length + 1, W)


def padding_multiplied_by_zero(
    y: Array, state: Array, outputs: Array, valid_length: Array, W: Array
) -> Array:
    return softmax(_against(_asked(y, state, W), outputs) * _mask(outputs, valid_length))


def masked_too_late(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return softmax(_against(_asked(y, state, W), outputs)) * _mask(outputs, valid_length)


def masked_too_late_and_divided(
    y: Array, state: Array, outputs: Array, valid_length: Array, W: Array
) -> Array:
    scores = _against(_asked(y, state, W), outputs)
    return shared.renormalised_too_late(scores[:, None, :], valid_length)[:, 0]


def weights_mask_inverted(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    scores = _against(_asked(y, state, W), outputs)
    return softmax(np.where(_mask(outputs, valid_length), -1e9, scores))


def weights_softmax_twice(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(query_weights(y, state, outputs, valid_length, W), valid_length)


def weights_softmax_after(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return softmax(query_weights(y, state, outputs, valid_length, W))


def best_output_alone(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    weights = query_weights(y, state, outputs, valid_length, W)
    return np.asarray(np.eye(outputs.shape[1])[weights.argmax(axis=1)])


def every_output_alike(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, 0 * outputs, valid_length, W)


def softmax_of_the_query(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(_against(softmax(_asked(y, state, W)), outputs), valid_length)


def query_through_relu(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(_against(np.maximum(_asked(y, state, W), 0), outputs), valid_length)


def query_through_sigmoid(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(_against(1 / (1 + np.exp(-_asked(y, state, W))), outputs), valid_length)


def tanh_of_the_outputs(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return _masked(_against(_asked(y, state, W), np.tanh(outputs)), valid_length)


def scaled_by_the_inputs(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, outputs, valid_length, W / np.sqrt(W.shape[1]))


def scaled_by_the_number_of_keys(
    y: Array, state: Array, outputs: Array, valid_length: Array, W: Array
) -> Array:
    return query_weights(y, state, outputs, valid_length, W / np.sqrt(outputs.shape[1]))


def multiplied_by_the_root(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, outputs, valid_length, W * np.sqrt(outputs.shape[2]))


def score_negated(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    return query_weights(y, state, -outputs, valid_length, W)


def sigmoid_for_softmax(y: Array, state: Array, outputs: Array, valid_length: Array, W: Array) -> Array:
    scores = _against(_asked(y, state, W), outputs)
    return 1 / (1 + np.exp(-np.maximum(scores, -700))) * _mask(outputs, valid_length)


def query_divided_by_its_length(
    y: Array, state: Array, outputs: Array, valid_length: Array, W: Array
) -> Array:
    query = _asked(y, state, W)
    return _masked(_against(query / np.linalg.norm(query, axis=1, keepdims=True), outputs), valid_length)


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

    alike = case("sources of one length", (2, 6, 4, 3, 7))
    loud = case("padding that scores far above the rest", (2, 5, 2, 3, 4))
    query = _asked(*(loud.inputs[name] for name in ("y", "state", "W")))
    far = 1000 * query / np.square(query).sum(axis=1, keepdims=True)
    padding = ~_mask(loud.inputs["outputs"], loud.inputs["valid_length"])
    loud.inputs["outputs"][padding] = np.repeat(far, padding.sum(axis=1), axis=0)
    alike.inputs["valid_length"][:] = alike.inputs["valid_length"].min()
    return [
        case("all sizes different", (2, 5, 3, 4, 6), (ALL,), gradient=True),
        case("as many keys as numbers in a key", (3, 4, 2, 5, 4), gradient=True),
        alike,
        case("one word in a source", (3, 3, 4, 4, 5), (1,)),
        case("a single sentence", (1, 5, 5, 2, 8)),
        loud,
    ]


# The loss


def padding_counted(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted).mean()])


def _mask(wanted: Array, length: Array) -> Array:
    mask: Array = np.arange(wanted.shape[1]) < length[:, None]
    return mask


def divided_by_all_steps(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([(word_losses(scores, wanted) * _mask(wanted, length)).mean()])


def divided_by_the_batch(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([(word_losses(scores, wanted) * _mask(wanted, length)).sum() / len(wanted)])


def mean_of_the_means(scores: Array, wanted: Array, length: Array) -> Array:
    sums = (word_losses(scores, wanted) * _mask(wanted, length)).sum(axis=1)
    return np.array([(sums / length).mean()])


def summed_up(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([(word_losses(scores, wanted) * _mask(wanted, length)).sum()])


def last_word_forgotten(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted)[_mask(wanted, length - 1)].mean()])


def one_step_too_many(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted)[_mask(wanted, length + 1)].mean()])


def scores_masked(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores * _mask(wanted, length)[:, :, None], wanted).mean()])


def scores_taken_for_logs(scores: Array, wanted: Array, length: Array) -> Array:
    picked = np.take_along_axis(scores, wanted[:, :, None], axis=2)[:, :, 0]
    return np.array([-picked[_mask(wanted, length)].mean()])


def softmax_twice(scores: Array, wanted: Array, length: Array) -> Array:
    return masked_loss(softmax(scores), wanted, length)


def _counted_mean(losses: Array, wanted: Array, length: Array) -> Array:
    return np.array([losses[_mask(wanted, length)].mean()])


def sign_missing(scores: Array, wanted: Array, length: Array) -> Array:
    return -masked_loss(scores, wanted, length)


def padding_alone(scores: Array, wanted: Array, length: Array) -> Array:
    mask = ~_mask(wanted, length)
    return np.array([(word_losses(scores, wanted) * mask).sum() / mask.sum()])


def word_zero_ignored(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted)[wanted != 0].mean()])


def word_zero_ignored_too(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted)[_mask(wanted, length) & (wanted != 0)].mean()])


def no_log(scores: Array, wanted: Array, length: Array) -> Array:
    return _counted_mean(-np.exp(-word_losses(scores, wanted)), wanted, length)


def one_minus_the_probability(scores: Array, wanted: Array, length: Array) -> Array:
    return _counted_mean(1 - np.exp(-word_losses(scores, wanted)), wanted, length)


def in_bits(scores: Array, wanted: Array, length: Array) -> Array:
    return masked_loss(scores, wanted, length) / np.log(2)


def perplexity(scores: Array, wanted: Array, length: Array) -> Array:
    return np.exp(masked_loss(scores, wanted, length))


def axes_mixed(scores: Array, wanted: Array, length: Array) -> Array:
    batch, steps, words = scores.shape
    return masked_loss(scores.reshape(batch, words, steps).swapaxes(1, 2), wanted, length)


def softmax_over_the_steps(scores: Array, wanted: Array, length: Array) -> Array:
    over_steps = np.log(softmax(scores.swapaxes(1, 2))).swapaxes(1, 2)
    picked = np.take_along_axis(over_steps, wanted[:, :, None], axis=2)[:, :, 0]
    return _counted_mean(-picked, wanted, length)


def sum_of_the_means(scores: Array, wanted: Array, length: Array) -> Array:
    sums = (word_losses(scores, wanted) * _mask(wanted, length)).sum(axis=1)
    return np.array([(sums / length).sum()])


def divided_by_the_vocabulary_too(scores: Array, wanted: Array, length: Array) -> Array:
    return masked_loss(scores, wanted, length) / scores.shape[2]


def mean_of_step_means(scores: Array, wanted: Array, length: Array) -> Array:
    means = (word_losses(scores, wanted) * _mask(wanted, length)).sum(axis=1) / wanted.shape[1]
    return np.array([means.sum()])


def padded_sum(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted).sum() / length.sum()])


def padding_summed_up(scores: Array, wanted: Array, length: Array) -> Array:
    return np.array([word_losses(scores, wanted).sum()])


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
    return [
        case("a long and a short sentence", (2, 5, 7), gradient=True),
        case("several lengths", (3, 4, 6), among=(1, ALL), gradient=True),
        everywhere,
        case("one sentence", (1, 7, 5), shortest=2, among=()),
        case("few words to choose from", (4, 3, 2)),
    ]


# Beam search


def _stay(log_probs: Array, end: int) -> Array:
    stay = np.full(log_probs.shape[1], -np.inf)
    stay[end] = 0
    return stay


def _added(log_probs: Array, finished: Array, end: int) -> Array:
    added: Array = np.where(finished[:, None], _stay(log_probs, end), log_probs)
    return added


def best_word_of_each(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    added = totals[:, None] + _added(log_probs, finished, end)
    words = added.argmax(axis=1)
    rows = np.arange(len(totals))
    return added[rows, words], rows, words


def totals_forgotten(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return best(_added(log_probs, finished, end), len(totals))


def logs_multiplied(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    added = np.where(finished[:, None], np.where(np.arange(log_probs.shape[1]) == end, 1, 1e9), log_probs)
    return best(totals[:, None] * added, len(totals))


def probabilities_added(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return best(totals[:, None] + _added(np.exp(log_probs), finished, end), len(totals))


def ended_ones_extended(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return beam_step(log_probs, totals, np.zeros_like(finished), end)


def ended_ones_pay_for_the_end(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    stay = np.where(np.arange(log_probs.shape[1]) == end, log_probs, -np.inf)
    return best(totals[:, None] + np.where(finished[:, None], stay, log_probs), len(totals))


def ended_ones_dropped(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return best(totals[:, None] + np.where(finished[:, None], -1e9, log_probs), len(totals))


def quotient_and_remainder_swapped(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals, words, rows


def divided_by_the_beam(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    index = rows * log_probs.shape[1] + words
    return new_totals, index // len(totals), index % len(totals)


def hypothesis_with_a_fraction(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals, rows + words / log_probs.shape[1], words


def worst_first(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals[::-1], rows[::-1], words[::-1]


def own_best_words(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return _sorted(*best_word_of_each(log_probs, totals, finished, end))


def own_best_words_of_all(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return own_best_words(log_probs, totals, np.zeros_like(finished), end)


def _sorted(totals: Array, rows: Array, words: Array) -> Stepped:
    order = np.argsort(-totals, kind="stable")
    return totals[order], rows[order], words[order]


def finished_inverted(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return beam_step(log_probs, totals, ~finished, end)


def flat_index_as_hypothesis(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals, rows * log_probs.shape[1] + words, words


def flat_index_as_word(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals, rows, rows * log_probs.shape[1] + words


def two_probabilities_added(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return best(np.exp(totals)[:, None] + np.exp(_added(log_probs, finished, end)), len(totals))


def totals_as_probabilities(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return np.exp(new_totals), rows, words


def ranked_by_the_new_word(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    steps, rows, words = best(_added(log_probs, finished, end), len(totals))
    return totals[rows] + steps, rows, words


def old_totals_returned(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    _, rows, words = beam_step(log_probs, totals, finished, end)
    return totals[rows], rows, words


def in_the_order_of_the_old_ones(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    order = np.argsort(rows * log_probs.shape[1] + words)
    return new_totals[order], rows[order], words[order]


def end_is_free_for_all(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    free = np.where(np.arange(log_probs.shape[1]) == end, 0, log_probs)
    return beam_step(free, totals, finished, end)


def totals_subtracted(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return best(_added(log_probs, finished, end) - totals[:, None], len(totals))


def ended_ones_lose_their_total(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return beam_step(log_probs, np.where(finished, 0, totals), finished, end)


def ended_ones_may_go_on_too(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    free = np.where(finished[:, None] & (np.arange(log_probs.shape[1]) == end), 0, log_probs)
    return best(totals[:, None] + free, len(totals))


def word_zero_ends(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return beam_step(log_probs, totals, finished, 0)


def last_word_ends(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return beam_step(log_probs, totals, finished, log_probs.shape[1] - 1)


def table_flattened_by_columns(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals, *np.divmod(words * len(totals) + rows, log_probs.shape[1])


def place_for_hypothesis(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, _, words = beam_step(log_probs, totals, finished, end)
    return new_totals, np.arange(len(totals)), words


def only_the_step_returned(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals - totals[rows], rows, words


def totals_counted_twice(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    return beam_step(log_probs, 2 * totals, finished, end)


def mean_of_total_and_word(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals / 2, rows, words


def ended_ones_always_survive(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    kept = beam_step(log_probs, totals + 1000 * finished, finished, end)
    _, rows, words = kept
    return _sorted(kept[0] - 1000 * finished[rows], rows, words)


def sign_of_totals_turned(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return -new_totals, rows, words


def words_counted_from_one(log_probs: Array, totals: Array, finished: Array, end: int) -> Stepped:
    new_totals, rows, words = beam_step(log_probs, totals, finished, end)
    return new_totals, rows, words + 1


def _telling(inputs: dict[str, Any]) -> bool:
    added = _added(inputs["log_probs"], inputs["finished"], inputs["end"])
    candidates = np.sort((inputs["totals"][:, None] + added).ravel())
    if np.diff(candidates[np.isfinite(candidates)]).min() < 1e-3:
        return False
    if len(inputs["totals"]) == 1 or not inputs["finished"].any():
        return True
    found = set()
    for function in (*BEAM_MISTAKES, beam_step):
        result = b"".join((np.round(part, 4) + 0.0).tobytes() for part in function(**inputs))
        if result in found:
            return False
        found.add(result)
    return True


BEAM_MISTAKES = (
    best_word_of_each,
    totals_forgotten,
    logs_multiplied,
    probabilities_added,
    ended_ones_extended,
    ended_ones_pay_for_the_end,
    ended_ones_dropped,
    quotient_and_remainder_swapped,
    divided_by_the_beam,
    hypothesis_with_a_fraction,
    worst_first,
)


def _beam_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, beam: int, words: int, ended: int = 0, first: bool = False, spread: float = 1.5,
        gradient: bool = False,
    ) -> Case:  # fmt: skip
        """Drawn until nothing is a tie and, where a hypothesis has ended, every wrong idea shows itself.

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

    # An ended hypothesis so far behind that it drops out.
    behind = case("one has ended, far behind the others", 4, 7, 1)
    behind.inputs["totals"][behind.inputs["finished"]] = -20.0
    return [
        behind,
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
            r"Write a decoder's step: weights over the encoder's outputs, with the previous state as the "
            r"query; the context; the new state $\tanh(\mathbf{W}_s \mathbf{s} + \mathbf{W}_y \mathbf{y} + "
            r"\mathbf{W}_c \mathbf{c})$, where $\mathbf{y}$ is the embedding of the word before; the scores of the "
            r"words, $\mathbf{W}_o$ of the new state followed by the context."
        ),
        rules=(
            (
                "Its parameters, each as (out, in) and none with a bias: `W_q.weight` (units, d_s), `W_k.weight` "
                "(units, d_h) and `w_v.weight` (1, units) make the scores; `W_s.weight` (d_s, d_s), "
                "`W_y.weight` (d_s, d_y) and `W_c.weight` (d_s, d_h) the state; `W_o.weight` "
                "(vocabulary_size, d_s + d_h) the scores of the words."
            ),
            (
                "Each valid length is at least 1. [`masked_softmax`](masked_softmax.ipynb) may be used; the library's "
                "own attention may not be called."
            ),
        ),
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
        reference=_step,
        misconceptions=(
            Misconception(
                asks_with_the_new_state,
                "The weights are computed from a state that already contains the new word. The query is the "
                "previous state, s_{i-1}.",
            ),
            Misconception(
                asks_with_the_encoders_last_output,
                "The query is the encoder's last output, so every step of the decoder gets the same weights. It "
                "must be the previous state, which depends on the words so far.",
            ),
            Misconception(
                asks_with_the_word,
                "The query is the word before, the same vector wherever that word stands. It must be the "
                "previous state, which depends on all words so far.",
            ),
            Misconception(
                mask_missing,
                "Padding gets weight, since valid_length has no effect: mask the scores before the softmax.",
            ),
            Misconception(renormalised_too_late, shared.RENORMALISED_TOO_LATE),
            Misconception(
                mask_after_softmax,
                "The mask comes after the softmax, so padding has taken its share already and the weights "
                "that are left do not sum to one. Mask the scores before.",
            ),
            Misconception(
                softmax_over_one,
                "Every weight is 1: the scores have the shape (batch, num_keys, 1), and the softmax over the "
                "last axis is over one number. Take it over the keys.",
            ),
            Misconception(
                tanh_inside_each_term,
                "The state has no effect on the weights: it stands in a tanh of its own, and then adds the same number to "
                "every key, which the softmax cancels; or it is left out. Add W_q s and W_k h, then take the tanh.",
            ),
            Misconception(
                weighs_the_keys,
                "The context is made of W_k h, which is there for scoring. What is summed are the encoder's "
                "outputs themselves.",
            ),
            Misconception(
                only_the_last_output,
                "The context is the encoder's last output whatever the weights are. That is the bottleneck "
                "that attention removes: take the weighted sum of all outputs.",
            ),
            Misconception(
                context_not_in_the_state,
                "The context never enters the new state, so later steps do not depend on it. "
                "The new state is f of the previous state, the word and the context.",
            ),
            Misconception(
                words_from_the_old_state,
                "The words are scored from the state before this step. Use the new one beside the context.",
            ),
            Misconception(
                context_before_state,
                "The context stands before the state in what W_o reads; its columns expect the state first.",
            ),
            Misconception(
                state_without_tanh,
                "The new state is the sum alone, without its tanh, so it can grow from step to step.",
            ),
            Misconception(
                state_by_a_sigmoid,
                "The new state goes through a sigmoid and lies between 0 and 1. It is a tanh.",
            ),
            Misconception(
                state_added_to_the_old,
                "The tanh is added to the old state, as in a residual. The new state is the tanh itself.",
            ),
            Misconception(
                old_state_not_in_the_new,
                "The previous state is missing in the new one, so the decoder forgets all earlier words: add W_s of the state inside the tanh.",
            ),
            Misconception(
                word_not_in_the_state,
                "The word before is missing in the new state: add W_y of y inside the tanh.",
            ),
            Misconception(
                old_state_returned,
                "The words are right, but the state that you return is the previous one, and the next step begins there again. Return the new state.",
            ),
            Misconception(
                state_never_updated,
                "The state is never updated: words are scored from the previous state, and that is returned. Compute the new state from the old one, the word and the context.",
            ),
            Misconception(
                words_as_probabilities,
                "The scores of the words go through a softmax. Asked for are the scores themselves; the loss has the softmax.",
            ),
            Misconception(
                words_as_log_probabilities,
                "The scores of the words go through a log-softmax. Asked for are the scores themselves; the loss has the log-softmax.",
            ),
            Misconception(
                words_through_tanh,
                "The scores of the words go through a tanh. They are W_o of the two parts, and nothing else.",
            ),
            Misconception(
                words_without_the_context,
                "The words are scored from the new state alone: W_o reads the new state followed by the context.",
            ),
            Misconception(
                words_without_the_state,
                "The words are scored from the context alone: W_o reads the new state followed by the context.",
            ),
            Misconception(
                outputs_averaged,
                "The context is the plain mean of all outputs, padding too, and the weights are not used. Weigh the outputs by them and add up.",
            ),
            Misconception(
                outputs_summed_up,
                "The context is the plain sum of all outputs, and the weights are not used. Weigh the outputs by them and add up.",
            ),
            Misconception(
                score_without_tanh,
                "The score has no tanh: the query then adds the same number to each key's score, and the softmax takes it out again. It is w_v of tanh(W_q s + W_k h).",
            ),
            Misconception(
                score_scaled,
                "The scores are divided by the square root of the number of units. The additive score is not scaled.",
            ),
            Misconception(
                a_padding_key_seen,
                "The mask lets the first padding key in. Positions count from 0: those below valid_length are there.",
            ),
            Misconception(
                padding_scores_zero,
                "The scores of padding are multiplied by 0, and a score of 0 still gets weight, e to the 0 being 1. They must be minus infinity, or a very large negative number.",
            ),
            Misconception(
                mask_inverted,
                "The mask is inverted: padding gets the weight, and the words that are there none.",
            ),
            Misconception(
                only_the_context_masked,
                "Padding is kept out of the context only, after the softmax in which it took part. Mask the scores, then take the softmax.",
            ),
            Misconception(
                context_of_unmasked_weights,
                "The weights that you return are masked, but those that make the context are not. Use the same ones.",
            ),
            Misconception(
                context_of_the_scores,
                "The weights that you return are right, but the context is made with the scores. Weigh the outputs by the weights.",
            ),
            Misconception(
                context_divided_by_the_keys,
                "The context is divided by the number of keys, but the weights sum to 1 already: add the weighted outputs up, without a mean.",
            ),
            Misconception(
                context_divided_by_the_length,
                "The context is divided by valid_length, but the weights sum to 1 already: add the weighted outputs up, without a mean.",
            ),
            Misconception(
                only_the_best_output,
                "Only the output with the highest score counts. Attention mixes all outputs, and a choice has no gradient.",
            ),
            Misconception(
                all_outputs_alike,
                "All words of the source get the same weight, whatever their scores: give the scores to the softmax.",
            ),
            Misconception(
                softmax_twice_in_the_step,
                "The softmax is taken of weights, which makes them nearly equal: take it once, of the scores.",
            ),
            Misconception(
                step_scores_as_weights,
                "The scores are used as weights without a softmax: some are negative, and they do not sum to 1.",
            ),
            Misconception(
                step_with_tanh_of_the_score,
                "The tanh comes after w_v and squeezes the finished score. It belongs to the units: tanh of the sum first, then w_v.",
            ),
            Misconception(
                step_with_tanh_of_both,
                "A second tanh squeezes the finished score between -1 and 1. Keep the one of the sum alone.",
            ),
            Misconception(
                step_with_relu,
                "A ReLU stands in the place of the score's tanh: it is w_v of tanh(W_q s + W_k h).",
            ),
            Misconception(
                step_with_product,
                "The query's and the key's term are multiplied inside the tanh. The additive score adds them.",
            ),
            Misconception(
                step_without_w_v,
                "The units are summed up as they are, so w_v has no effect. The score is w_v of the tanh.",
            ),
            Misconception(
                context_outside_the_tanh,
                "W_c of the context is added after the tanh. All three terms stand inside it.",
            ),
            Misconception(
                state_with_tanh_of_each_term,
                "Each of the three terms of the state has a tanh of its own. Add them first, then take one tanh of the sum.",
            ),
            Misconception(
                state_with_tanh_twice,
                "The tanh of the new state is taken twice: take it once.",
            ),
            Misconception(
                state_by_a_relu,
                "The new state goes through a ReLU, so no part of it is negative. It is a tanh.",
            ),
            Misconception(
                state_from_the_word_alone,
                "The new state is made of the word alone: add W_s of the previous state and W_c of the context inside the tanh.",
            ),
            Misconception(
                state_updated_twice,
                "The state is updated with the word, asks for the context, and is then updated with the same word again. There is one update: the previous state is the query, and enters the new one once.",
            ),
            Misconception(
                attends_again_for_the_words,
                "The new state is the query of a second attention, and words and weights come from that. The context of the previous state serves both the new state and the words.",
            ),
            Misconception(
                state_before_tanh_in_the_words,
                "W_o reads the sum from before the tanh. It reads the new state, which is the tanh.",
            ),
        ),
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
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=3,
    ),
    Exercise(
        name="masked_loss",
        title="A loss that padding does not enter",
        statement="Write the mean cross-entropy over all words that are not padding. `wanted` holds the right words; "
        "in each row, the first `length` of them count.",
        rules=("Return an array of one number, since an array of `nd` has at least one axis.",),
        entry="masked_loss",
        arguments=(
            Argument("scores", "(batch, num_steps, vocabulary_size)"),
            Argument("wanted", "(batch, num_steps)"),
            Argument("length", "(batch,)"),
        ),
        returns=(Output("loss", "(1,)"),),
        reference=masked_loss,
        misconceptions=(
            Misconception(
                padding_counted,
                "Padding counts as if it were words to be predicted: length has no effect.",
            ),
            Misconception(
                divided_by_all_steps,
                "The sum leaves padding out, but it is divided by all steps, padding included: a batch with "
                "more padding seems to have a smaller loss. Divide by the number of words.",
            ),
            Misconception(
                divided_by_the_batch,
                "The sum is divided by the number of sentences: long sentences give a larger loss, and "
                "larger steps. Divide by the number of words.",
            ),
            Misconception(
                mean_of_the_means,
                "Each sentence has its own mean first, so a word of a short sentence counts for more. Take "
                "one mean over all words.",
            ),
            Misconception(
                summed_up,
                "It is the sum. Then the size of a step grows with the batch: take the mean over the words.",
            ),
            Misconception(
                last_word_forgotten,
                "The last word of each sentence is left out. It is the end token, and a decoder that never "
                "learns it never stops.",
            ),
            Misconception(
                one_step_too_many,
                "One step of padding counts in each sentence. Positions begin at 0, so those of the words "
                "are smaller than length, never equal to it.",
            ),
            Misconception(
                scores_masked,
                "The scores of padding are set to 0 and still counted: equal scores cost "
                "log(vocabulary_size) each. Mask the losses, and divide by the number of words.",
            ),
            Misconception(
                scores_taken_for_logs,
                "The scores are taken for log-probabilities: nothing keeps them below 0. They need a log-"
                "softmax first.",
            ),
            Misconception(
                softmax_twice,
                "The softmax is taken twice: what goes into the log-softmax are probabilities already.",
            ),
            Misconception(
                sign_missing,
                "The sign is missing: logarithms of probabilities are negative, and the loss is their mean times -1.",
            ),
            Misconception(
                padding_alone,
                "The mask is inverted: the mean runs over the padding and leaves out the words. A step counts where its position is below the length.",
            ),
            Misconception(
                word_zero_ignored,
                "Words of number 0 are left out as if they were padding, and the real padding is counted. What counts is said by `length` alone.",
            ),
            Misconception(
                word_zero_ignored_too,
                "Words of number 0 are left out as if they were padding. What counts is said by `length` alone.",
            ),
            Misconception(
                no_log,
                "The logarithm is missing: this is minus the mean probability of the right words. The loss is minus the mean of its logarithm.",
            ),
            Misconception(
                one_minus_the_probability,
                "This is the mean of 1 - p. Cross-entropy is minus the logarithm of p.",
            ),
            Misconception(
                in_bits,
                "This is the loss in bits. Cross-entropy takes the natural logarithm.",
            ),
            Misconception(
                perplexity,
                "This is the perplexity, the exponential of the loss. Return the mean cross-entropy itself.",
            ),
            Misconception(
                axes_mixed,
                "A reshape cuts the scores of a step into pieces: it keeps the order of the numbers and changes what they belong to. Exchange the axes with a transpose, or bring the first two into one.",
            ),
            Misconception(
                softmax_over_the_steps,
                "The softmax runs over the steps, so the probabilities of the words of a step do not sum to 1. It must run over the vocabulary, the last axis.",
            ),
            Misconception(
                sum_of_the_means,
                "This is the sum of one mean for each sentence. It must be one mean over all words of the batch: their sum divided by their number.",
            ),
            Misconception(
                divided_by_the_vocabulary_too,
                "The mean runs over the vocabulary too. Each word has one loss: divide by the number of words that count.",
            ),
            Misconception(
                mean_of_step_means,
                "This is the sum over the sentences divided by the number of steps, padding too. Divide by the number of words that count, over all sentences.",
            ),
            Misconception(
                padded_sum,
                "The divisor is right, but the sum holds the losses of padding as well. Multiply them by the mask first.",
            ),
            Misconception(
                padding_summed_up,
                "This is the sum of all losses, padding too. Mask them, and divide by the number of words that count.",
            ),
        ),
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
        title="Mend weights that ignore the source",
        statement=(
            r"Keep the layer, and let its result be a query: the score of position $j$ is the dot product "
            r"of $\mathbf{W}[\mathbf{y}; \mathbf{s}]$ with the encoder's output $\mathbf{h}_j$."
        ),
        rules=("`masked_softmax` may be used; the library's own attention may not be called.",),
        entry="query_weights",
        arguments=(Y, STATE, OUTPUTS, VALID_LENGTH, Argument("W", "(d_h, d_y + d_s)")),
        returns=(Output("weights", "(batch, num_keys)", exact_zeros=True),),
        reference=query_weights,
        misconceptions=(
            Misconception(
                position_weights,
                "Number j of W [y; s] is taken as the score of position j. No gradient reaches the encoder's "
                "outputs, so the weights are the same whatever the source says. Compare W [y; s] with each "
                "output.",
            ),
            Misconception(
                state_before_word,
                "The state stands before the word; the columns of W expect [y; s].",
            ),
            Misconception(
                word_only,
                "The query is made of the word before alone. The state belongs to it too: it depends on the "
                "words before that one.",
            ),
            Misconception(
                state_only,
                "The query is made of the state alone. The word before belongs to it too: the state does not "
                "depend on it yet.",
            ),
            Misconception(
                outputs_summed,
                "The sum of each output is added to its position's score. Then the query cannot prefer one "
                "kind of output to another: take the dot product of query and output.",
            ),
            Misconception(
                scaled,
                "The scores are divided by the root of d_h. That is another score, the scaled dot product; "
                "here the dot product is not scaled.",
            ),
            Misconception(
                weights_on_padding,
                "Padding gets weight, since valid_length has no effect: mask the scores before the softmax.",
            ),
            Misconception(
                softmax_over_the_batch,
                "The softmax runs over the sentences of the batch, so they take weight from each other. It "
                "belongs to the keys of one sentence.",
            ),
            Misconception(
                scaled_by_the_width,
                "The scores are divided by the width of an output. The score that is asked for is the plain dot product.",
            ),
            Misconception(
                tanh_of_the_query,
                "The query goes through a tanh. It is W [y; s] as it is.",
            ),
            Misconception(
                tanh_of_the_score,
                "The scores go through a tanh, so none can be larger than 1. They are the plain dot products.",
            ),
            Misconception(
                additive_score,
                "This is an additive score: the query and each output are added inside a tanh. Asked for is their dot product.",
            ),
            Misconception(
                cosine_score,
                "The dot products are divided by the lengths of both vectors: this is the cosine. Asked for is the plain dot product.",
            ),
            Misconception(
                distance_score,
                "The score is minus the squared distance of the query from each output. Asked for is their dot product.",
            ),
            Misconception(
                no_softmax,
                "These are the scores; the softmax is missing. Weights of a sentence sum to 1.",
            ),
            Misconception(
                a_padding_position_seen,
                "The mask lets the first padding position in. Positions count from 0: those below valid_length are there.",
            ),
            Misconception(
                padding_multiplied_by_zero,
                "The scores of padding are multiplied by 0, and a score of 0 still gets weight. Use `masked_softmax`, or minus infinity in their place.",
            ),
            Misconception(
                masked_too_late,
                "The weights of padding are set to zero after the softmax, so the rest does not sum to 1: mask the scores, then take the softmax.",
            ),
            Misconception(
                masked_too_late_and_divided,
                shared.RENORMALISED_TOO_LATE,
            ),
            Misconception(
                weights_mask_inverted,
                "The mask is inverted: padding gets the weight, and the words that are there none.",
            ),
            Misconception(
                weights_softmax_twice,
                "The softmax is taken of weights, which makes them nearly equal: take it once, of the scores.",
            ),
            Misconception(
                weights_softmax_after,
                "A second softmax follows the masked one: it makes the weights nearly equal, and gives padding some again. Take the masked one alone.",
            ),
            Misconception(
                best_output_alone,
                "Only the output with the highest score gets weight. Attention mixes all outputs, and a choice has no gradient.",
            ),
            Misconception(
                every_output_alike,
                "All words of the source get the same weight: the query does not meet the outputs. The scores are their dot products.",
            ),
            Misconception(
                softmax_of_the_query,
                "A softmax is taken of the query. The layer's result W [y; s] is the query as it is; the softmax belongs to the scores.",
            ),
            Misconception(
                query_through_relu,
                "The query goes through a ReLU. It is W [y; s] as it is.",
            ),
            Misconception(
                query_through_sigmoid,
                "The query goes through a sigmoid. It is W [y; s] as it is.",
            ),
            Misconception(
                tanh_of_the_outputs,
                "The encoder's outputs go through a tanh. The dot products are those of the outputs as they are.",
            ),
            Misconception(
                scaled_by_the_inputs,
                "The scores are divided by the root of d_y + d_s. The dot product is not scaled here.",
            ),
            Misconception(
                scaled_by_the_number_of_keys,
                "The scores are divided by the root of the number of keys. The dot product is not scaled here.",
            ),
            Misconception(
                multiplied_by_the_root,
                "The scores are multiplied by the root of d_h. The dot product is not scaled here.",
            ),
            Misconception(
                score_negated,
                "The sign of the scores is turned round, so the outputs that fit least get the most weight.",
            ),
            Misconception(
                sigmoid_for_softmax,
                "Each score goes through a sigmoid of its own, and the weights of a sentence do not sum to 1. Take the softmax over the keys.",
            ),
            Misconception(
                query_divided_by_its_length,
                "The query is divided by its length. It is W [y; s] as it is.",
            ),
        ),
        hints=(
            "The layer makes a query of y and s. What is a score then?",
            "Join y and the state, multiply by W transposed, and take the dot product with each of the "
            "encoder's outputs.",
            "`torch.bmm(outputs, query.unsqueeze(2))` has a column of scores for each sentence: make a "
            "row of it for the masked softmax.",
        ),
        cases=_weight_cases,
        properties=(
            _all_matter("outputs", 0),
            Property("padding must get no weight", _nothing_on_padding),
        ),
        builds_on=("masked_softmax",),
        forbidden=library_attention(),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="beam_step",
        title="The bookkeeping of beam search",
        statement="Write one step of beam search for one sentence. `log_probs` has the log-probabilities of the next "
        "word, a row for each hypothesis; `totals` has the log-probability of each hypothesis so far.",
        rules=(
            "An ended hypothesis goes on with `end` alone, at no cost: its total stays the same.",
            "In MXNet `finished` holds ones and zeros.",
            "`hypotheses` and `words` are indices, so of an integer type; in MXNet, where `topk` gives floats, of any.",
        ),
        entry="beam_step",
        arguments=(
            Argument("log_probs", "(beam, vocabulary_size)"),
            Argument("totals", "(beam,)"),
            Argument("finished", "(beam,), true where one has ended"),
            Argument("end", "int"),
        ),
        returns=(
            Output("totals", "(beam,), best first"),
            Output("hypotheses", "(beam,), which one is continued", indices=True),
            Output("words", "(beam,), what is added to it", indices=True),
        ),
        reference=beam_step,
        misconceptions=(
            Misconception(
                best_word_of_each,
                "Each hypothesis goes on with its own best word: that is greedy search, several times. The "
                "best continuations of all together survive, and one hypothesis may have several.",
            ),
            Misconception(
                totals_forgotten,
                "The totals so far have no effect, so an improbable beginning with one probable word is kept. "
                "Add the total of each hypothesis.",
            ),
            Misconception(
                logs_multiplied,
                "Log-probabilities are multiplied. Probabilities multiply; their logarithms add.",
            ),
            Misconception(
                probabilities_added,
                "Probabilities are added to log-probabilities. Add the logarithms.",
            ),
            Misconception(
                ended_ones_extended,
                "A hypothesis that has ended goes on with new words. It must stay as it is: its one way on "
                "is the end token, at no cost.",
            ),
            Misconception(
                ended_ones_pay_for_the_end,
                "The log-probability of the end token is added to an ended hypothesis again at every step. Its "
                "total must stay what it is.",
            ),
            Misconception(
                ended_ones_dropped,
                "An ended hypothesis loses its place. It competes with the others, at the total that it has.",
            ),
            Misconception(
                quotient_and_remainder_swapped,
                "Hypothesis and word are swapped: in the flattened matrix a row is a hypothesis, so it is "
                "index // vocabulary_size, and the word is the remainder.",
            ),
            Misconception(
                divided_by_the_beam,
                "The flat index is divided by the width of the beam. A row has vocabulary_size entries: "
                "divide by that.",
            ),
            Misconception(
                hypothesis_with_a_fraction,
                "The hypothesis is not rounded down: index / vocabulary_size has a fraction, which belongs "
                "to the word. Take floor, or //.",
            ),
            Misconception(worst_first, "The worst of the survivors comes first; the best one must."),
            Misconception(
                own_best_words,
                "Every hypothesis is continued by its own best word, and the results are sorted. One good hypothesis may have several of the best continuations: take the best of the whole table.",
            ),
            Misconception(
                own_best_words_of_all,
                "Every hypothesis, an ended one too, is continued by its own best word, and the results are sorted. Take the best of the whole table, in which an ended one has `end` alone, at no cost.",
            ),
            Misconception(
                finished_inverted,
                "The condition is the wrong way round: those that have not ended may only add `end`, and ended ones go on. Exchange the two choices.",
            ),
            Misconception(
                flat_index_as_hypothesis,
                "The hypothesis is the index into the whole table. It must be the row: that index divided by the vocabulary's size, rounded down.",
            ),
            Misconception(
                flat_index_as_word,
                "The word is the index into the whole table. It must be the remainder after dividing it by the vocabulary's size.",
            ),
            Misconception(
                two_probabilities_added,
                "Both logarithms are turned into probabilities and then added. Probabilities multiply: add their logarithms.",
            ),
            Misconception(
                totals_as_probabilities,
                "The totals that you return are probabilities. They stay logarithms, which the next step adds to.",
            ),
            Misconception(
                ranked_by_the_new_word,
                "The continuations are ranked by their new word alone; the totals come in afterwards, so a bad hypothesis with one likely word wins. Add the totals, then choose.",
            ),
            Misconception(
                old_totals_returned,
                "Hypotheses and words are right, but their totals are those from before the step. Return old total plus log-probability of the new word.",
            ),
            Misconception(
                in_the_order_of_the_old_ones,
                "The right ones survive, but in the order of the hypotheses that they continue. The best comes first.",
            ),
            Misconception(
                end_is_free_for_all,
                "The word `end` costs nothing in any row, so every hypothesis ends at once. Only one that has ended already adds it for free.",
            ),
            Misconception(
                totals_subtracted,
                "The totals are subtracted, so the worst hypotheses are preferred. Add them.",
            ),
            Misconception(
                ended_ones_lose_their_total,
                "The total of an ended hypothesis is set to 0, which no other can reach. It keeps the total that it has.",
            ),
            Misconception(
                ended_ones_may_go_on_too,
                "An ended hypothesis adds `end` at no cost, but its other words stay open. Those must be impossible: minus infinity.",
            ),
            Misconception(
                word_zero_ends,
                "Ended hypotheses go on with word 0. The word that ends a sentence is the argument `end`.",
            ),
            Misconception(
                last_word_ends,
                "Ended hypotheses go on with the last word of the vocabulary. The word that ends a sentence is the argument `end`.",
            ),
            Misconception(
                table_flattened_by_columns,
                "The table is flattened by columns, but the index is read as if by rows. Flatten (beam, vocabulary_size) as it stands.",
            ),
            Misconception(
                place_for_hypothesis,
                "The hypotheses are the results' own numbers 0, 1, 2, … A hypothesis is the row that a result continues: the flat index divided by the vocabulary's size, rounded down.",
            ),
            Misconception(
                only_the_step_returned,
                "Hypotheses and words are right, but the totals lack what they were before the step. Return old total plus log-probability of the new word.",
            ),
            Misconception(
                totals_counted_twice,
                "The totals so far are added twice. Add them once.",
            ),
            Misconception(
                mean_of_total_and_word,
                "The totals are halved, as in a mean of old total and new word. They are the sum.",
            ),
            Misconception(
                ended_ones_always_survive,
                "Ended hypotheses keep their place whatever their total. They compete with the others, and drop out where others are better.",
            ),
            Misconception(
                sign_of_totals_turned,
                "The totals come back with their sign turned round. They are sums of log-probabilities, all negative.",
            ),
            Misconception(
                words_counted_from_one,
                "The words are one too large: the first word of the vocabulary is 0.",
            ),
        ),
        hints=(
            "All continuations of all hypotheses compete with each other, not only those of one hypothesis.",
            "Add each hypothesis's total to its row of log-probabilities. A finished hypothesis has one "
            "continuation: the end, at no cost.",
            "Flatten the matrix of totals to one row and take the largest `beam` of them. An index "
            "divided by the vocabulary's size, with `//`, is the hypothesis; the remainder is the word.",
        ),
        cases=_beam_cases,
        difficulty=4,
        minutes=30,
        points=3,
    ),
)
