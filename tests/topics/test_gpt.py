"""A GPT as layers: the twins, caches, tied weights, and a cache in the judge."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import empty_caches, parts
from autograder.model.stand_ins import LanguageModel, RankedChoice
from course.frameworks import torch
from solutions.gpt import in_numpy
from tests.support import FRAMEWORKS, solution

VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS = 13, 24, 6, 2, 10, 2
SIZES = (VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS)


@pytest.fixture
def weights():
    rng = np.random.default_rng(5)
    start = in_numpy.initial_weights(*SIZES, seed=2)
    return {name: (w + 0.2 * rng.normal(size=w.shape)).astype(np.float32) for name, w in start.items()}


@pytest.fixture
def tokens():
    return np.random.default_rng(6).integers(VOCABULARY, size=(3, 7))


def array(framework, value):
    if framework == "torch":
        return torch.tensor(value)
    from mxnet import nd

    return nd.array(value)


def numbers(X):
    return X.asnumpy() if hasattr(X, "asnumpy") else X.detach().numpy()


def in_framework(framework, weights):
    model = solution("gpt", framework).GPT(*SIZES)
    return solution("transformer", framework).set_weights(model, weights)


def reference(weights, tokens):
    named = {name.replace(".", "_"): w.astype(np.float64) for name, w in weights.items()}
    return in_numpy.gpt(tokens, None, *SIZES, **named)


def most_probable(logits):
    return array(
        "torch" if isinstance(logits, torch.Tensor) else "mxnet", numbers(logits).argmax(-1)[:, None]
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_model_gives_the_references_logits_with_caches_and_without(framework, weights, tokens):
    model, given = in_framework(framework, weights), array(framework, tokens)
    wanted = reference(weights, tokens)
    assert numbers(model(given)) == pytest.approx(wanted, abs=1e-4)
    caches = [{} for _ in range(BLOCKS)]
    found = [numbers(model(given[:, part], caches)) for part in parts((4, 1, 2), 7)]
    assert np.concatenate(found, axis=1) == pytest.approx(wanted, abs=1e-4)
    assert caches[1]["keys"].shape == (3 * KV_HEADS, 7, D // HEADS)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_writing_with_caches_equals_writing_without(framework, weights, tokens):
    module, model = solution("gpt", framework), in_framework(framework, weights)
    made = module.generate(model, array(framework, tokens), 5, most_probable)
    wanted = tokens
    for _ in range(5):
        new = reference(weights, wanted)[:, -1].argmax(-1)
        wanted = np.concatenate([wanted, new[:, None]], axis=1)
    assert (numbers(made) == wanted).all()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_model_has_the_arrays_of_its_first_weights_and_no_others(framework, weights):
    model = in_framework(framework, weights)
    own = model.named_parameters() if framework == "torch" else model._collect_params_with_prefix().items()
    assert {name: tuple(array.shape) for name, array in own} == {n: w.shape for n, w in weights.items()}


def test_only_distances_count(weights):
    """The scores of keys among each other are the same wherever they stand."""
    own = {f"W_{x}_weight": weights[f"blocks.0.attention.W_{x}.weight"] for x in "qkvo"}
    X = np.random.default_rng(1).normal(size=(2, 5, D))
    before = np.zeros((2 * KV_HEADS, 50, D // HEADS))
    first, later = {}, {"keys": before, "values": before}
    for cache in (first, later):
        in_numpy.rotary_attention(X, cache, D, HEADS, KV_HEADS, **own)
    keys, moved = first["keys"], later["keys"][:, 50:]
    assert moved @ moved.swapaxes(1, 2) == pytest.approx(keys @ keys.swapaxes(1, 2))
    assert np.abs(moved - keys).max() > 0.1


@pytest.mark.parametrize("name", ["rotary_attention", "gpt_block", "gpt"])
def test_calls_that_share_a_cache_give_what_one_call_gives(name):
    exercise = all_exercises()[name]
    cache = exercise.arguments[1].name
    for case in exercise.cases(np.random.default_rng(3)):
        without = replace(case, inputs={**case.inputs, cache: None})
        (wanted,) = exercise.compute(exercise.reference, without)
        (found,) = exercise.compute(exercise.reference, case)
        assert found == pytest.approx(wanted), case.note


def test_a_reference_that_forgets_its_cache_is_rejected():
    exercise = all_exercises()["gpt"]

    def forgetful(tokens, caches, **given):
        return in_numpy.gpt(tokens, None, **given)

    assert judge(exercise, FunctionTransport(exercise, exercise.reference), "numpy").outcome == "accepted"
    assert judge(exercise, FunctionTransport(exercise, forgetful), "numpy").outcome == "rejected"


def test_parts_are_neighbours_and_the_last_takes_the_rest():
    assert parts((3, 1, 1), 5) == [slice(0, 3), slice(3, 4), slice(4, 5)]
    assert parts((3, 1), 7) == [slice(0, 3), slice(3, 7)]
    assert parts((3, 1), 2) == [slice(0, 3)]
    assert empty_caches(None) == {} and empty_caches(2) == [{}, {}]


def in_place(value):
    return value


def written(model, tokens, num_new):
    return in_numpy.generate(model, tokens, num_new, RankedChoice(0, in_place, in_place))


def test_the_model_that_stands_in_is_the_same_with_caches_and_tells_what_is_read_again(tokens):
    """Its logits are those of all tokens, whichever way they come in parts; read anew, they are others."""
    whole = LanguageModel((VOCABULARY, 7), in_place, in_place)(tokens)
    model, caches = LanguageModel((VOCABULARY, 7), in_place, in_place), [{}, {}]
    found = [model(tokens[:, part], caches) for part in parts((3, 1, 3), 7)]
    assert (np.concatenate(found, axis=1) == whole).all()
    assert (model(tokens) != whole).any()


def test_each_token_depends_on_all_before_it(tokens):
    changed = tokens.copy()
    changed[:, 0] = (changed[:, 0] + 1) % VOCABULARY
    first, second = (
        written(LanguageModel((VOCABULARY, 7), in_place, in_place), t, 6) for t in (tokens, changed)
    )
    assert (first[:, :7] == tokens).all() and (first[:, 7:] != second[:, 7:]).any(axis=1).all()
