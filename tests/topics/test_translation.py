"""Translation: both frameworks against NumPy, decoding, and what the chapter says of stored runs."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from autograder import check
from autograder.frameworks.libraries import mx, torch
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from course.data.sentence_pairs import BEGIN, PAD, STOP, Pair, batch_of
from course.training.translation import Corpus, Trainer
from solutions.translation import in_numpy
from tests.course.training.small import SMALL, small_trainer
from tests.support import FRAMEWORKS, need, solution
from tests.topics.arrays import arrays, numbers

each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def filled(trainer):
    """A trainer whose biases are not zero either, so that a forgotten one shows."""
    rng = np.random.default_rng(8)
    weights = sorted(trainer.code.named_weights(trainer.model).items())
    weights = {name: (value + 0.1 * rng.normal(size=value.shape)).astype("f") for name, value in weights}
    trainer.code.set_weights(trainer.model, weights)
    return trainer, weights


# The whole model, in both frameworks and in NumPy


@each_framework
def test_the_translator_computes_what_numpy_computes_sentence_by_sentence(framework):
    trainer, weights = filled(small_trainer(framework))
    batch = batch_of(trainer.corpus.train[:3], trainer.corpus.source, trainer.corpus.target)
    assert len(set(batch.source_length)) > 1
    inputs = arrays(framework, batch.source, batch.source_length, batch.target[:, :-1])
    scores, attention = (numbers(value) for value in trainer.model(*inputs))
    for i, (n, steps) in enumerate(zip(batch.source_length, batch.length, strict=True)):
        words, weighed = in_numpy.translator(batch.source[i, :n], batch.target[i, :steps], weights)
        np.testing.assert_allclose(scores[i, :steps], words, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(attention[i, :steps, :n], weighed, rtol=1e-4, atol=1e-5)
        assert not attention[i, :, n:].any()


@pytest.mark.parametrize("score", ["additive", "general", "location-based", "ReLU", None])
def test_mxnet_and_pytorch_agree_in_loss_and_in_every_gradient(score):
    results = {}
    for framework in FRAMEWORKS:
        trainer, _ = filled(small_trainer(framework, score=score))
        batch = batch_of(trainer.corpus.train[:5], trainer.corpus.source, trainer.corpus.target)
        source, length, target, steps = trainer.arrays(batch)
        if framework == "torch":
            trainer.model.train()
            loss = trainer.code.masked_loss(
                trainer.model(source, length, target[:, :-1])[0], target[:, 1:], steps
            )
            loss.backward()
            gradients = {
                n: numbers(p.grad) for n, p in trainer.model.named_parameters() if p.grad is not None
            }
        else:
            with mx.autograd.record():
                scores, _ = trainer.model(source, length, target[:, :-1])
                loss = trainer.code.masked_loss(scores, target[:, 1:], steps)
            loss.backward()
            parameters = trainer.model._collect_params_with_prefix()
            gradients = {trainer.code.torch_name(n): numbers(p.grad()) for n, p in parameters.items()}
        results[framework] = numbers(loss), gradients
    (loss, gradients), (other_loss, other) = results["mxnet"], results["torch"]
    np.testing.assert_allclose(loss, other_loss, rtol=1e-4)
    assert gradients.keys() == other.keys()
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, other[name], rtol=1e-3, atol=1e-5, err_msg=name)


def test_both_frameworks_lose_alike_while_they_learn_from_the_same_batches():
    losses = [list(small_trainer(framework).epoch()) for framework in FRAMEWORKS]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-3)
    assert losses[0][-1] < losses[0][0]


@each_framework
def test_padding_changes_nothing(framework):
    trainer, _ = filled(small_trainer(framework))
    pair = min(trainer.corpus.train, key=lambda p: len(p.source))
    batch = batch_of([pair], trainer.corpus.source, trainer.corpus.target)
    wide = np.concatenate([batch.source, np.full((1, 5), PAD)], axis=1)
    short, long = (
        trainer.model(*arrays(framework, source, batch.source_length, batch.target[:, :-1]))
        for source in (batch.source, wide)
    )
    np.testing.assert_allclose(numbers(short[0]), numbers(long[0]), rtol=1e-4, atol=1e-6)
    assert not numbers(long[1])[:, :, batch.source.shape[1] :].any()


@each_framework
def test_the_context_comes_from_the_state_before_the_step(framework):
    trainer, _ = filled(small_trainer(framework))
    decoder = trainer.model.decoder
    rng = np.random.default_rng(0)
    state, outputs = rng.normal(size=(2, 2, 8)).astype("f"), rng.normal(size=(2, 4, 8)).astype("f")
    words = rng.normal(size=(2, 2, 6)).astype("f")
    memory = arrays(framework, outputs, np.array([4, 3]))
    weights = [numbers(decoder.step(*arrays(framework, y, state[0]), *memory)[2]) for y in words]
    np.testing.assert_array_equal(weights[0], weights[1])  # the new word comes too late to ask
    other = numbers(decoder.step(*arrays(framework, words[0], state[1]), *memory)[2])
    assert not np.allclose(weights[0], other)


@each_framework
@pytest.mark.parametrize("score", sorted(set(solution("score_functions", "torch").SCORES)))
def test_every_score_function_of_the_course_can_be_plugged_in(framework, score):
    trainer = small_trainer(framework, score=score)
    before = trainer.code.named_weights(trainer.model)
    losses = list(trainer.epoch())
    assert np.isfinite(losses).all()
    after = trainer.code.named_weights(trainer.model)
    moved = [n for n in before if ".score." in n and not np.array_equal(before[n], after[n])]
    assert moved == [n for n in before if ".score." in n]
    sums = trainer.attention_weights(trainer.corpus.test[0]).sum(axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-5)


@each_framework
def test_without_attention_every_step_gets_the_encoders_last_state(framework):
    trainer, _ = filled(small_trainer(framework, score=None))
    batch = batch_of(trainer.corpus.train[:3], trainer.corpus.source, trainer.corpus.target)
    outputs, state = trainer.model.encoder(*arrays(framework, batch.source, batch.source_length))
    length = arrays(framework, batch.source_length)[0]
    context = trainer.model.decoder.attention(None, outputs, outputs, length)
    np.testing.assert_array_equal(numbers(context)[:, 0], numbers(state))


# Decoding


def sentence_log_prob(trainer, source, words):
    """The log-probability of a translation, its end included, word by word."""
    tokens_in = np.array([[BEGIN, *words]])
    length = np.array([source.shape[1]])
    scores, _ = trainer.model(*arrays(trainer.framework, source, length, tokens_in))
    log_probs = np.log(in_numpy.softmax(numbers(scores)[0].astype(float)))
    return sum(log_probs[i, word] for i, word in enumerate([*words, STOP]))


def tiny_trainer(framework):
    """Three words and the special tokens: few enough to try every translation."""
    pairs = [Pair(("a", "b"), ("x", "y")), Pair(("b", "c"), ("z",)), Pair(("c", "a"), ("y", "x", "z"))]
    need(framework)
    trainer = Trainer(framework, Corpus("tiny", pairs, pairs), replace(SMALL, epochs=60, rate=0.02))
    for _ in range(60):
        list(trainer.epoch())
    return trainer


@pytest.mark.slow
@each_framework
def test_a_beam_wide_enough_finds_the_best_of_all_translations(framework):
    trainer = tiny_trainer(framework)
    source = np.array([[4, 5, 6, STOP]])
    size, steps = len(trainer.corpus.target), 3
    words = [word for word in range(size) if word != STOP]
    every = [[]] + [[a] for a in words] + [[a, b] for a in words for b in words]
    scored = {tuple(s): sentence_log_prob(trainer, source, s) / (len(s) + 1) for s in every}
    # A beam as wide as there are beginnings drops none of them.
    best = trainer.code.beam_search(
        trainer.model, arrays(framework, source)[0], BEGIN, STOP, beam=60, steps=steps
    )
    complete = max(scored, key=scored.get)
    if len(best) < steps:
        assert tuple(best) == complete
    else:  # cut off before its end
        assert sentence_log_prob(trainer, source, best) / (len(best) + 1) <= scored[complete]


@pytest.mark.slow
@each_framework
def test_a_beam_of_one_is_greedy(framework):
    trainer = tiny_trainer(framework)
    for pair in trainer.corpus.train:
        (words, _), beam = trainer.translate([pair])[0], trainer.beam(pair, width=1)
        assert beam == words == list(pair.target)


@pytest.mark.slow
@each_framework
def test_greedy_decoding_continues_each_word_with_the_likeliest(framework):
    trainer = tiny_trainer(framework)
    source, length = np.array([[4, 5, STOP]]), np.array([3])
    words, _ = trainer.code.greedy(trainer.model, *arrays(framework, source, length), BEGIN, 4)
    words = numbers(words).astype(int)
    decoder_inputs = np.concatenate([[[BEGIN]], words[:, :-1]], axis=1)
    scores, _ = trainer.model(*arrays(framework, source, length, decoder_inputs))
    np.testing.assert_array_equal(numbers(scores).argmax(-1), words)


def test_the_best_sentence_is_the_likeliest_for_its_length():
    for framework in FRAMEWORKS:
        best = solution("translation", framework).best_sentence
        assert best([[5, 2, 2], [5, 6, 7]], [-4.0, -6.0], end=2) == [5, 6, 7]
        assert best([[5, 2, 2], [5, 6, 7]], [-2.0, -6.0], end=2) == [5]


# A model that never looks at the source


@each_framework
def test_a_test_on_the_gradient_finds_the_decoder_that_ignores_the_encoder(framework):
    rng = np.random.default_rng(0)
    y, state, outputs, W = (
        rng.normal(size=shape).astype("f") for shape in ((2, 3), (2, 4), (2, 5, 6), (6, 7))
    )
    length = np.array([5, 3])
    code = solution("translation", framework)
    inputs = arrays(framework, y, state, outputs, length, W)

    def published(y, state, outputs, valid_length, W):
        """The number j of W [y; s] is the score of position j."""
        if framework == "torch":
            scores = (torch.cat([y, state], dim=1) @ W.T)[:, : outputs.shape[1]]
            mask = torch.arange(outputs.shape[1]) < valid_length.unsqueeze(1)
            return scores.masked_fill(~mask, -1e6).softmax(dim=-1)
        scores = mx.nd.dot(mx.nd.concat(y, state, dim=1), W.T)[:, : outputs.shape[1]]
        scores = mx.nd.SequenceMask(scores, valid_length, True, value=-1e6, axis=1)
        return scores.softmax(axis=-1)

    assert code.depends_on(published, *inputs) == ["y", "state"]
    assert code.depends_on(code.query_weights, *inputs) == ["y", "state", "outputs"]


def test_static_alloc_gives_wrong_gradients_when_a_term_of_a_sum_needs_none():
    """MXNet 1.9.1: the state of zeros needs no gradient, and the gradient of the outputs is garbage."""
    need("mxnet")

    class Step(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, state, outputs):
            return F.tanh(state + F.mean(outputs, axis=1))

    def gradient(attach=False, **how):
        step = Step()
        step.hybridize(**how)
        outputs = mx.nd.array([[[0.5], [-1.0], [2.0]]])
        state = mx.nd.zeros((1, 1))
        outputs.attach_grad()
        if attach:
            state.attach_grad()
        with mx.autograd.record():
            for _ in range(3):
                state = step(state, outputs)
        state.backward()
        return outputs.grad.reshape(-1).asnumpy()

    right = gradient(active=False)
    np.testing.assert_allclose(gradient(), right, rtol=1e-5)
    assert not np.allclose(gradient(static_alloc=True), right, rtol=1e-2)
    np.testing.assert_allclose(gradient(attach=True, static_alloc=True), right, rtol=1e-5)


def test_mxnet_ignores_the_lengths_of_a_recurrent_layer_on_a_cpu():
    """So the encoder turns sentences itself; should this ever fail, it need not."""
    need("mxnet")
    unit = mx.gluon.rnn.GRU(2, input_size=1, use_sequence_length=True)
    unit.initialize()
    states = unit(mx.nd.ones((4, 2, 1)), sequence_length=mx.nd.array([4, 2])).asnumpy()
    np.testing.assert_array_equal(states[:, 0], states[:, 1])


def test_the_stored_run_on_multi30k_is_the_one_that_the_command_names():
    stored = json.loads((ROOT / "benchmarks" / "results" / "translation_multi30k.json").read_text())
    assert stored["command"].startswith(
        "python -m course.training translation --data multi30k --framework torch"
    )
    assert stored["pairs"] == 29000 and stored["bleu"] > 20 and stored["beam_bleu"] > stored["bleu"]
    assert "/" not in stored["command"]


@pytest.mark.parametrize(("name", "options"), [("mxnet", ""), ("torch", ""), ("none", " --score none")])
def test_the_stored_runs_on_short_pairs_are_those_that_the_chapter_compares(name, options):
    stored = json.loads((ROOT / "benchmarks" / "results" / f"translation_short_{name}.json").read_text())
    framework = "mxnet" if name == "mxnet" else "torch"
    settings = f"--data multi30k --longest 10 --epochs 12 --framework {framework}{options}"
    assert stored["command"] == f"python -m course.training translation {settings}"
    assert stored["pairs"] == 6961
    assert stored["bleu"] < 18 if name == "none" else stored["bleu"] > 20


@each_framework
def test_a_content_based_score_begins_with_its_own_key_strength(framework):
    trainer = small_trainer(framework, score="content-based")
    score = solution("score_functions", framework).make_score("content-based")
    if framework == "mxnet":
        score.initialize()
    weights = trainer.code.named_weights(trainer.model)
    (strength,) = [value for name, value in weights.items() if name.endswith("score.beta")]
    ((key_strength),) = trainer.code.named_weights(score).values()
    np.testing.assert_array_equal(strength, key_strength)
    assert strength > 1


def stored_rows(name):
    stored = json.loads((ROOT / "benchmarks" / "results" / f"translation_{name}.json").read_text())
    assert stored["command"] == f"python -m benchmarks.translation --{name}"
    return stored["rows"]


def test_the_stored_scores_show_what_the_key_strength_does():
    rows = stored_rows("scores")
    exact = {s: [r["exact"] for r in rows if r["score"] == s] for s in ("cosine", "content-based")}
    assert len(exact["cosine"]) == len(exact["content-based"]) == 3
    assert max(exact["cosine"]) < 0.1 < 0.5 < min(exact["content-based"])


def test_the_stored_transformers_translate_as_well_as_the_recurrent_model():
    rows = stored_rows("transformer")
    assert {(row["framework"], row["seed"]) for row in rows} == {
        (f, s) for f in ("torch", "mxnet") for s in (0, 1)
    }
    assert all(row["exact"] > 0.9 and row["aligned"] > 0.85 and row["epochs"] == 4 for row in rows)


def test_the_stored_lengths_show_what_attention_was_invented_for():
    """Within the lengths of training, one vector loses words and attention does not; beyond, all fall."""
    for row in stored_rows("lengths"):
        trained = [g for g in row["groups"] if g["words"][1] <= row["longest_trained"]]
        longer = [g for g in row["groups"] if g["words"][0] > row["longest_trained"]]
        assert len(trained) >= 3 and len(longer) >= 2
        if row["model"] == "no attention":
            assert trained[0]["bleu"] > trained[-1]["bleu"] + 20
        else:
            assert min(g["bleu"] for g in trained) > 90
        assert max(g["bleu"] for g in longer) < trained[-1]["bleu"]


def test_beam_search_may_be_written_without_gradients():
    need("torch")

    def beam_step(log_probs, totals, finished, end):
        with torch.no_grad():
            return solution("translation", "torch").beam_step(log_probs, totals, finished, end)

    assert check(beam_step, "torch").outcome == "accepted"


@pytest.mark.parametrize("framework", [*FRAMEWORKS, "numpy"])
@pytest.mark.parametrize("place", [1, 2])
def test_what_beam_search_continues_must_be_able_to_index_an_array(framework, place):
    """MXNet's own topk gives indices as floats, and its arrays take them."""
    need(framework)
    right = solution("translation", framework).beam_step

    def beam_step(log_probs, totals, finished, end):
        results = list(right(log_probs, totals, finished, end))
        results[place] = results[place] * 1.0
        return tuple(results)

    verdict = check(beam_step, framework)
    if framework == "mxnet":
        assert verdict.outcome == "accepted"
    else:
        name = all_exercises()["beam_step"].returns[place].name
        assert verdict.misconception == "general:real_numbers_for_whole_ones"
        assert re.search(rf"type of `{name}` is float\d+; it must be an integer type", verdict.message)
