"""Facts of the chapter on language models that no exercise checks."""

import json
from collections import Counter

import numpy as np
import pytest

from autograder.book.contents import source, tags
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from benchmarks.learned_draft import Places
from course.data import prose
from exercises.language_model import CHANGES
from solutions.language_model import common, in_numpy
from solutions.language_model.in_numpy import speculative_gain, whose_probabilities
from solutions.self_attention.in_numpy import softmax
from tests.support import FRAMEWORKS, need, solution
from tests.topics.arrays import array, numbers
from tests.topics.test_shown_code import definitions

HEADS = 2


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def weights(rng):
    """A model of two blocks whose gains are no ones, so that each counts."""
    first = in_numpy.initial_weights(30, d=12, hidden=20, num_blocks=2)
    return {n: a if a.ndim == 2 else 1 + 0.2 * rng.normal(size=a.shape) for n, a in first.items()}


def in_framework(framework, weights):
    return {n: array(framework, a) for n, a in weights.items()}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_models_agree_at_once_and_with_a_cache(framework, rng, weights):
    need(framework)
    module, model = solution("language_model", framework), in_framework(framework, weights)
    tokens = rng.integers(30, size=(3, 9))
    expected, _ = in_numpy.language_model(tokens, weights, HEADS)
    inputs = array(framework, tokens)
    assert numbers(module.language_model(inputs, model, HEADS)) == pytest.approx(expected, abs=1e-5)
    cache, logits = {}, []
    for first, last in ((0, 4), (4, 5), (5, 9)):  # a prefill, one token, and several more
        logits.append(numbers(module.language_model(inputs[:, first:last], model, HEADS, cache)))
    assert np.concatenate(logits, axis=1) == pytest.approx(expected, abs=1e-5)


def test_no_token_changes_what_is_predicted_before_it(rng, weights):
    tokens = rng.integers(30, size=(1, 8))
    logits, maps = in_numpy.language_model(tokens, weights, HEADS)
    other = tokens.copy()
    other[:, 5:] = (other[:, 5:] + 7) % 30
    changed, _ = in_numpy.language_model(other, weights, HEADS)
    assert (changed[:, :5] == logits[:, :5]).all() and (changed[:, 5:] != logits[:, 5:]).any()
    assert maps.shape == (2, 1, HEADS, 8, 8)
    assert maps.sum(axis=-1) == pytest.approx(np.ones((2, 1, HEADS, 8)))
    assert (np.triu(maps, 1) == 0).all()


def test_a_head_switched_off_adds_nothing(rng, weights):
    tokens = rng.integers(30, size=(2, 6))
    off, _ = in_numpy.language_model(tokens, weights, HEADS, without={(1, 0)})
    silenced = {n: a.copy() for n, a in weights.items()}
    silenced["block1_W_o"][:6] = 0  # the rows that read the features of head 0
    expected, _ = in_numpy.language_model(tokens, silenced, HEADS)
    assert off == pytest.approx(expected)
    assert np.abs(off - in_numpy.language_model(tokens, weights, HEADS)[0]).max() > 1e-3


def learned(text, num_merges):
    return common.learn_merges(Counter(common.pieces_of(text)).items(), num_merges)


def test_any_text_comes_back_from_its_tokens():
    merges = learned("the cat and the hat, that the cat had\n" * 3, 8)
    for text in ("the cat", "", "  two  blanks\n\n\ttab", "Zürich, 東京 ∞_x", "naïve — “so”\r\n"):
        assert "".join(common.pieces_of(text)) == text
        assert common.decode(common.encode(text, merges), merges) == text


def test_pairs_are_merged_in_the_order_of_their_counts():
    # an occurs four times; then "ban" leads with two counts of b-an, and so on.
    merges = learned("banana bandana", 2)
    assert merges[0] == (ord("a"), ord("n"))
    assert common.decode([257], merges) in ("ban", "ana", "an" + "an", "bana")
    tokens = common.encode("banana", merges)
    assert len(tokens) < 6 and max(tokens) <= 257


def test_no_token_reaches_from_one_word_into_the_next():
    merges = learned("in it in it in it in it", 3)
    assert not any(" " in common.decode([256 + i], merges)[1:] for i in range(len(merges)))


def test_a_tenth_is_held_out_and_each_token_is_predicted_once():
    train, held_out = prose.split("".join(f"{i}\n" for i in range(30)))
    assert held_out == "9\n19\n29\n"
    assert sorted(map(int, (train + held_out).split())) == list(range(30))
    rows = prose.windows(np.arange(22), 5)
    assert rows.shape == (4, 6)
    assert rows[:, 1:].ravel().tolist() == list(range(1, 21))


def test_the_rate_rises_and_falls():
    rates = [rate for rate, _ in prose.steps(np.arange(500), 100, rate=2.0)]
    assert max(rates) == pytest.approx(2.0) and rates[0] == pytest.approx(0.4)
    assert rates[-1] < 0.05 and rates[5:] == sorted(rates[5:], reverse=True)
    _, batch = next(prose.steps(np.arange(500), 1, rate=1.0, size=3, length=4))
    assert batch.shape == (3, 5) and (np.diff(batch) == 1).all()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_model_learns_what_follows_what(framework):
    need(framework)
    module = solution("language_model", framework)
    weights = in_numpy.initial_weights(8, d=16, hidden=32, num_blocks=1)
    tokens = np.tile(np.arange(8), 40)
    _, losses = module.train(weights, HEADS, prose.steps(tokens, 60, rate=0.02, size=8, length=12))
    assert losses[0] == pytest.approx(np.log(8), abs=0.1) and losses[-1] < 0.1


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_draws_follow_the_probabilities(framework):
    need(framework)
    module = solution("language_model", framework)
    even = (np.arange(1000) + 0.5)[:, None] / 1000
    logits = np.tile(np.log([[0.1, 0.6, 0.05, 0.25]]), (1000, 1)).astype(np.float32)
    draws = numbers(module.draw_token(array(framework, logits), 1.0, 0.8, array(framework, even))).ravel()
    shares = np.bincount(draws.astype(int), minlength=4) / 1000
    assert shares == pytest.approx([0, 0.6 / 0.85, 0, 0.25 / 0.85], abs=0.002)


def test_rounding_decides_no_draw():
    """With `p` of 1 an answer that waits for a sum of 1 would keep one token where rounding leaves the sum below it."""
    for seed in range(10):
        for case in all_exercises()["draw_token"].cases(np.random.default_rng(seed)):
            likely = softmax(case.inputs["logits"] / case.inputs["temperature"])
            sums = (-np.sort(-likely, axis=-1)).cumsum(axis=-1)
            assert np.abs(sums - case.inputs["p"]).min() > 1e-4, case.note


def test_the_stored_model_is_small_and_as_good_as_it_says():
    stored = prose.stored_model()
    assert prose.STORED.stat().st_size < 1e6
    _, held_out = prose.split(prose.text())
    part = held_out[:6000]
    tokens = np.array(common.encode(part, stored.merges))
    rows = prose.windows(tokens, 64)
    logits, _ = in_numpy.language_model(rows[:, :-1], stored.weights, stored.num_heads)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    nats = -np.take_along_axis(logs, rows[:, 1:, None], axis=-1).mean() * len(tokens) / len(part)
    assert nats == pytest.approx(stored.held_out, abs=0.2)


def test_the_page_shows_the_tokeniser_of_the_course():
    cells = json.loads((ROOT / "chapters" / "language_model.ipynb").read_text())["cells"]
    texts = [source(c) for c in cells if c["cell_type"] == "code" and not tags(c, "framework-")]
    on_page = dict(pair for text in texts for pair in definitions(text))
    module = dict(definitions((ROOT / "solutions" / "language_model" / "common.py").read_text()))
    # The chapter on building a GPT shows the blocks, as layers.
    names = module.keys() - all_exercises().keys() - {"blocks_of"}
    assert names <= on_page.keys()
    for name in names:
        assert on_page[name] == module[name], f"{name} differs from solutions/language_model/common.py"


def test_the_course_has_learned_the_merges_of_its_model():
    trained_on, _ = prose.split(prose.text())
    assert learned(trained_on, 24) == prose.stored_model().merges[:24]


def test_what_a_learned_draft_reads_and_is_trained_towards():
    """The last vectors give the logits again, and the target is the model's opinion of the token after the next."""
    need("torch")
    stored = prose.stored_model()
    places = Places(prose.text()[:2000])
    logits, _ = in_numpy.language_model(places.tokens, stored.weights, stored.num_heads)
    d = stored.weights["embedding"].shape[1]
    vectors = places.read.numpy().reshape(*logits[:, 1:-1].shape[:2], 2 * d)
    assert vectors[..., :d] @ stored.weights["embedding"].T == pytest.approx(logits[:, :-2], abs=1e-3)
    assert np.array_equal(vectors[..., d:], stored.weights["embedding"][places.tokens[:, 1:-1]])
    probabilities = np.exp(in_numpy.log_softmax(logits[:, 1:-1]))
    assert places.target.numpy().reshape(probabilities.shape) == pytest.approx(probabilities, abs=1e-6)


@pytest.mark.parametrize("change", CHANGES)
def test_whose_probabilities_the_next_token_has(change, rng):
    p, q = rng.dirichlet(np.ones(6), size=2)
    if "same" in change:
        q = np.full(6, 1 / 6)
    if "q(x) = 0" in change:
        q = np.delete(np.append(q, 0), 0) / (1 - q[0])
    proposed = np.eye(6)[q.argmax()] if "most probable" in change else q
    kept = proposed * np.minimum(1, np.divide(p, q, out=np.ones(6), where=q > 0))
    kept = proposed if change.startswith("each") else 0 * kept if change.startswith("no ") else kept
    rest = p if "draw from p" in change else np.maximum(p - q, 0)
    written = kept + (1 - kept.sum()) * rest / rest.sum()
    assert written.sum() == pytest.approx(1)
    whose = [name for name, whole in (("p", p), ("q", q)) if written == pytest.approx(whole)]
    assert whose_probabilities(change) == (whose or ["neither"])[0]


@pytest.mark.parametrize(("a", "num_proposed", "cost"), [(0.52, 4, 0.1), (0.9, 2, 0.3), (0.3, 1, 0.0)])
def test_what_a_draft_gains_is_the_mean_over_all_steps(a, num_proposed, cost):
    # In so many steps the first token that is not kept stands behind n others.
    mean = sum(a**n * (1 - a) * (n + 1) for n in range(num_proposed)) + a**num_proposed * (num_proposed + 1)
    assert mean == pytest.approx((1 - a ** (num_proposed + 1)) / (1 - a)), "the formula of the chapter"
    assert speculative_gain(a, num_proposed, cost) == pytest.approx(mean / (1 + num_proposed * cost))


def test_no_shallow_copy_of_the_published_model_gains():
    accepted = json.loads((ROOT / "benchmarks/results/real_model.json").read_text())["choices"]["accepted"]
    assert all(speculative_gain(a, 1, int(depth) / 30) < 1 for depth, a in accepted.items())
