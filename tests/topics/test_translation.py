"""Translation: wrong versions, both frameworks against NumPy, known alignments, Multi30k, and training."""

import errno
import gzip
import hashlib
import http.server
import json
import re
import threading
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from course.data import dates, download, grammar, multi30k
from course.data.download import DataError
from course.data.sentence_pairs import BEGIN, PAD, STOP, Pair, Vocabulary, batch_of, batches
from course.data.tokeniser import tokens
from course.frameworks import mx, torch
from course.paths import ROOT, SHARED_DATA
from course.training import checkpoints
from course.training.translation import Corpus, Trainer, TranslatorSettings, bleu, corpus, initial_weights
from solutions.translation import in_numpy
from tests.support import FRAMEWORKS, need, solution

each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)
SMALL = TranslatorSettings(embed_size=6, num_hiddens=8, batch_size=4, epochs=2, seed=3)


def arrays(framework, *values):
    make = torch.tensor if framework == "torch" else mx.nd.array
    return [make(value) for value in values]


def numpy(value):
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value.asnumpy()


def small_corpus(count=12):
    return Corpus("small", grammar.pairs(count, seed=5), grammar.pairs(4, seed=6))


def small_trainer(framework, **changes):
    need(framework)
    return Trainer(framework, small_corpus(), replace(SMALL, **changes))


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
    given = arrays(framework, batch.source, batch.source_length, batch.target[:, :-1])
    scores, attention = (numpy(value) for value in trainer.model(*given))
    for i, (n, steps) in enumerate(zip(batch.source_length, batch.length, strict=True)):
        words, weighed = in_numpy.translator(batch.source[i, :n], batch.target[i, :steps], weights)
        np.testing.assert_allclose(scores[i, :steps], words, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(attention[i, :steps, :n], weighed, rtol=1e-4, atol=1e-5)
        assert not attention[i, :, n:].any()


@pytest.mark.parametrize("score", ["additive", "general", "location-based", "ReLU", None])
def test_mxnet_and_pytorch_agree_in_loss_and_in_every_gradient(score):
    found = {}
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
            gradients = {n: numpy(p.grad) for n, p in trainer.model.named_parameters() if p.grad is not None}
        else:
            with mx.autograd.record():
                scores, _ = trainer.model(source, length, target[:, :-1])
                loss = trainer.code.masked_loss(scores, target[:, 1:], steps)
            loss.backward()
            named = trainer.model._collect_params_with_prefix()
            gradients = {trainer.code.torch_name(n): numpy(p.grad()) for n, p in named.items()}
        found[framework] = numpy(loss), gradients
    (loss, gradients), (other_loss, other) = found["mxnet"], found["torch"]
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
    np.testing.assert_allclose(numpy(short[0]), numpy(long[0]), rtol=1e-4, atol=1e-6)
    assert not numpy(long[1])[:, :, batch.source.shape[1] :].any()


@each_framework
def test_the_context_comes_from_the_state_before_the_step(framework):
    trainer, _ = filled(small_trainer(framework))
    decoder = trainer.model.decoder
    rng = np.random.default_rng(0)
    state, outputs = rng.normal(size=(2, 2, 8)).astype("f"), rng.normal(size=(2, 4, 8)).astype("f")
    words = rng.normal(size=(2, 2, 6)).astype("f")
    given = arrays(framework, outputs, np.array([4, 3]))
    weights = [numpy(decoder.step(*arrays(framework, y, state[0]), *given)[2]) for y in words]
    np.testing.assert_array_equal(weights[0], weights[1])  # the new word comes too late to ask
    other = numpy(decoder.step(*arrays(framework, words[0], state[1]), *given)[2])
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
    np.testing.assert_array_equal(numpy(context)[:, 0], numpy(state))


# Decoding


def sentence_log_prob(trainer, source, words):
    """The log-probability of a translation, its end included, word by word."""
    tokens_in = np.array([[BEGIN, *words]])
    length = np.array([source.shape[1]])
    scores, _ = trainer.model(*arrays(trainer.framework, source, length, tokens_in))
    log_probs = np.log(in_numpy.softmax(numpy(scores)[0].astype(float)))
    return sum(log_probs[i, word] for i, word in enumerate([*words, STOP]))


def tiny_trainer(framework):
    """Three words and the special tokens: few enough to try every translation."""
    pairs = [Pair(("a", "b"), ("x", "y")), Pair(("b", "c"), ("z",)), Pair(("c", "a"), ("y", "x", "z"))]
    need(framework)
    trainer = Trainer(framework, Corpus("tiny", pairs, pairs), replace(SMALL, epochs=60, rate=0.02))
    for _ in range(60):
        list(trainer.epoch())
    return trainer


@each_framework
def test_a_beam_wide_enough_finds_the_best_of_all_translations(framework):
    trainer = tiny_trainer(framework)
    source = np.array([[4, 5, 6, STOP]])
    size, steps = len(trainer.corpus.target), 3
    others = [word for word in range(size) if word != STOP]
    every = [[]] + [[a] for a in others] + [[a, b] for a in others for b in others]
    scored = {tuple(s): sentence_log_prob(trainer, source, s) / (len(s) + 1) for s in every}
    # A beam as wide as there are beginnings drops none of them.
    found = trainer.code.beam_search(
        trainer.model, arrays(framework, source)[0], BEGIN, STOP, beam=60, steps=steps
    )
    complete = max(scored, key=scored.get)
    if len(found) < steps:
        assert tuple(found) == complete
    else:  # cut off before its end
        assert sentence_log_prob(trainer, source, found) / (len(found) + 1) <= scored[complete]


@each_framework
def test_a_beam_of_one_is_greedy(framework):
    trainer = tiny_trainer(framework)
    for pair in trainer.corpus.train:
        (words, _), found = trainer.translate([pair])[0], trainer.beam(pair, width=1)
        assert found == words == list(pair.target)


@each_framework
def test_greedy_decoding_continues_each_word_with_the_likeliest(framework):
    trainer = tiny_trainer(framework)
    source, length = np.array([[4, 5, STOP]]), np.array([3])
    words, _ = trainer.code.greedy(trainer.model, *arrays(framework, source, length), BEGIN, 4)
    words = numpy(words).astype(int)
    given = np.concatenate([[[BEGIN]], words[:, :-1]], axis=1)
    scores, _ = trainer.model(*arrays(framework, source, length, given))
    np.testing.assert_array_equal(numpy(scores).argmax(-1), words)


def test_the_best_sentence_is_the_likeliest_for_its_length():
    for framework in FRAMEWORKS:
        best = solution("translation", framework).best_sentence
        assert best([[5, 2, 2], [5, 6, 7]], [-4.0, -6.0], end=2) == [5, 6, 7]
        assert best([[5, 2, 2], [5, 6, 7]], [-2.0, -6.0], end=2) == [5]


# A model that never weights at the source


@each_framework
def test_a_test_on_the_gradient_finds_the_decoder_that_ignores_the_encoder(framework):
    rng = np.random.default_rng(0)
    y, state, outputs, W = (
        rng.normal(size=shape).astype("f") for shape in ((2, 3), (2, 4), (2, 5, 6), (6, 7))
    )
    length = np.array([5, 3])
    code = solution("translation", framework)
    given = arrays(framework, y, state, outputs, length, W)

    def published(y, state, outputs, valid_length, W):
        """The number j of W [y; s] is the score of position j."""
        if framework == "torch":
            scores = (torch.cat([y, state], dim=1) @ W.T)[:, : outputs.shape[1]]
            mask = torch.arange(outputs.shape[1]) < valid_length.unsqueeze(1)
            return scores.masked_fill(~mask, -1e6).softmax(dim=-1)
        scores = mx.nd.dot(mx.nd.concat(y, state, dim=1), W.T)[:, : outputs.shape[1]]
        scores = mx.nd.SequenceMask(scores, valid_length, True, value=-1e6, axis=1)
        return scores.softmax(axis=-1)

    assert code.depends_on(published, *given) == ["y", "state"]
    assert code.depends_on(code.query_weights, *given) == ["y", "state", "outputs"]


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


# The embedded data


def test_dates_say_in_sixteen_languages_what_iso_says():
    assert len(set(dates.LOCALES)) == 16
    text, places = dates.written(dates.date(2024, 3, 7), "de", "full")
    assert text == "Donnerstag, 7. März 2024"
    fields = {field: "".join(text[i] for i in sorted(at)) for field, at in places.items()}
    assert fields == {"day": "7", "month": "März", "year": "2024"}
    made = dates.pair(dates.date(2024, 3, 7), "en_US", "long")
    assert "".join(made.source) == "March 7, 2024" and "".join(made.target) == "2024-03-07"


def test_no_two_dates_are_written_alike():
    found = {}
    for pair in dates.pairs(8000, seed=11):
        assert found.setdefault(pair.source, pair.target) == pair.target


def test_the_gold_alignment_of_a_date_points_at_its_fields():
    for pair in dates.pairs(300, seed=2):
        assert len(pair.gold) == len(pair.target) == len(pair.content) == 10
        year = "".join(pair.source[i] for i in sorted(pair.gold[0]))
        assert year == "".join(pair.target[:4])
        assert int("".join(pair.source[i] for i in sorted(pair.gold[9]))) == int("".join(pair.target[8:]))
        assert not pair.gold[4] and not pair.content[4]


DICTIONARY = {
    g: e for table in (grammar.ADVERBS, grammar.SAYING, grammar.MODALS, grammar.PLACES) for g, e in table
}
DICTIONARY |= {german: english for german, _, english in grammar.NOUNS}
DICTIONARY |= {
    german: english for verb in grammar.VERBS for german, english in zip(verb[:3], verb[3:], strict=True)
}
DICTIONARY |= {
    stem + ending: english for stem, english in grammar.ADJECTIVES for ending in ("e", "en", "er", "es")
}


def test_the_gold_alignment_of_the_grammar_is_the_dictionary():
    for pair in grammar.pairs(500, seed=3):
        assert len(pair.gold) == len(pair.target) == len(pair.content)
        for word, gold, content in zip(pair.target, pair.gold, pair.content, strict=True):
            if content:
                (place,) = gold
                assert DICTIONARY[pair.source[place]] == word
        used = [place for gold in pair.gold for place in gold]
        assert len(used) == len(set(used))


def test_german_puts_its_verbs_where_german_does():
    pairs = grammar.pairs(2000, seed=4)
    finite = (
        {verb[0] for verb in grammar.VERBS} | {g for g, _ in (*grammar.MODALS, *grammar.SAYING)} | {"hat"}
    )
    adverbs = {german for german, _ in grammar.ADVERBS}
    subordinate = [p for p in pairs if "dass" in p.source]
    assert 0.3 < len(subordinate) / len(pairs) < 0.5
    assert all(p.source[-2] in finite for p in subordinate)
    opened = [p for p in pairs if p.source[0] in adverbs]
    assert opened and all(p.source[1] in finite for p in opened)
    for p in pairs:
        crossed = [min(g) for g in p.gold if g]
        assert p.target[-1] == "." and crossed[-1] == len(p.source) - 1
    moved = [p for p in pairs if (order := [min(g) for g in p.gold if g]) != sorted(order)]
    assert len(moved) > len(pairs) / 2


def test_content_words_are_drawn_independently_of_their_neighbours():
    pairs = grammar.pairs(6000, seed=1)
    nouns, verbs = {n for n, _, _ in grammar.NOUNS}, {v[2]: i for i, v in enumerate(grammar.VERBS)}
    counts = {}
    for p in pairs:
        done = [w for w in p.source if w in verbs]
        if done:
            before = [w for w in p.source[: p.source.index(done[0])] if w in nouns][-1]
            counts.setdefault(before, []).append(verbs[done[0]])
    for seen in counts.values():
        assert np.bincount(seen, minlength=len(grammar.VERBS)).max() / len(seen) < 0.35


@pytest.mark.parametrize("name", ["dates", "grammar"])
def test_no_test_sentence_was_trained_on(name):
    pairs = corpus(name)
    assert not {p.source for p in pairs.train} & {p.source for p in pairs.test}
    assert len(pairs.test) > 450


def test_batches_hold_every_pair_once_and_the_seed_decides_their_order():
    pairs = grammar.pairs(50, seed=1)
    source, target = Vocabulary(p.source for p in pairs), Vocabulary(p.target for p in pairs)

    def seen(seed):
        return [
            tuple(row[:n])
            for b in batches(pairs, source, target, 8, seed)
            for row, n in zip(b.source.tolist(), b.source_length, strict=True)
        ]

    everything = sorted((*source.encode(p.source), STOP) for p in pairs)
    assert sorted(seen(1)) == sorted(seen(None)) == everything
    assert seen(1) == seen(1) and seen(1) != seen(2)
    batch = batch_of(pairs[:3], source, target)
    for i, pair in enumerate(pairs[:3]):
        assert batch.length[i] == len(pair.target) + 1
        assert target.decode(batch.target[i, 1:]) == list(pair.target)
        assert (batch.source[i, batch.source_length[i] :] == PAD).all()


def test_both_frameworks_begin_with_the_same_numbers():
    shapes = {
        "encoder.embedding.weight": (5, 3),
        "decoder.cell.weight_hh": (6, 2),
        "decoder.output.bias": (4,),
    }
    first, second = initial_weights(shapes, 0), initial_weights(dict(reversed(shapes.items())), 0)
    for name in shapes:
        np.testing.assert_array_equal(first[name], second[name])
    assert np.abs(first["decoder.cell.weight_hh"]).max() <= 1 / np.sqrt(2)
    assert not np.array_equal(
        first["decoder.cell.weight_hh"], initial_weights(shapes, 1)["decoder.cell.weight_hh"]
    )


def test_measures_are_what_they_say():
    pairs = [Pair(("a",), ("x", "y", "z", "w", "v")), Pair(("b",), ("x", "y", "z", "w", "u"))]
    assert bleu([p.target for p in pairs], pairs) == pytest.approx(100)
    # Four of five words, three of four pairs, two of three triples, one of two quadruples.
    found = [["x", "y", "z", "w", "q"]] * 2
    assert bleu(found, pairs) == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)


# Multi30k: the loader, without and with the data

CONTENT = gzip.compress(b"Ein Hund.\nZwei Katzen.\n", mtime=0)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A cache of its own, and no shared folder."""
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    return tmp_path / "multi30k"


@pytest.fixture
def server():
    """A server on this machine; gives its address and what it answers, by path."""
    answers = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = answers.get(self.path.strip("/"))
            self.send_response(200 if body is not None else 404)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_address[1]}", answers
        made.shutdown()


def known(monkeypatch, content=CONTENT):
    monkeypatch.setitem(multi30k.FILES, "val.de.gz", hashlib.sha256(content).hexdigest())


def test_a_file_is_downloaded_once_checked_and_kept(elsewhere, server, monkeypatch):
    address, answers = server
    known(monkeypatch)
    answers["val.de.gz"] = CONTENT
    assert multi30k.lines("valid", "de", address) == ["Ein Hund.", "Zwei Katzen."]
    assert [path.name for path in elsewhere.iterdir()] == ["val.de.gz"]
    answers.clear()  # from now on it comes from the cache
    assert multi30k.tokenised("valid", "de", address=address) == [
        ["ein", "hund", "."],
        ["zwei", "katzen", "."],
    ]


def test_a_file_with_a_wrong_hash_is_thrown_away(elsewhere, server, monkeypatch):
    address, answers = server
    known(monkeypatch)
    answers["val.de.gz"] = CONTENT + b"!"
    with pytest.raises(DataError, match=r"val\.de\.gz .* has another SHA-256"):
        multi30k.fetch("val.de.gz", address)
    assert not list(elsewhere.iterdir())


def test_a_damaged_file_in_the_cache_is_replaced(elsewhere, server, monkeypatch):
    address, answers = server
    known(monkeypatch)
    answers["val.de.gz"] = CONTENT
    elsewhere.mkdir()
    (elsewhere / "val.de.gz").write_bytes(b"half a fi")
    assert "val.de.gz" in multi30k.missing()
    assert multi30k.fetch("val.de.gz", address).read_bytes() == CONTENT


def test_without_a_network_a_sentence_says_what_to_do(elsewhere, monkeypatch):
    known(monkeypatch)
    with pytest.raises(DataError, match=r"cannot be reached\. If you have val\.de\.gz already"):
        multi30k.fetch("val.de.gz", "http://127.0.0.1:9")


def test_an_address_without_the_file_is_named(elsewhere, server, monkeypatch):
    known(monkeypatch)
    with pytest.raises(DataError, match="answers 404"):
        multi30k.fetch("val.de.gz", server[0])


def test_a_full_disk_is_named(elsewhere, server, monkeypatch):
    known(monkeypatch)

    def full(*args, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download.pooch, "retrieve", full)
    with pytest.raises(DataError, match=r"the disk is full: 2 MB are needed\. Set ATTENTION_DATA"):
        multi30k.fetch("val.de.gz", server[0])


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    known(monkeypatch)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "file"))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    with pytest.raises(DataError, match="cannot be kept in"):
        multi30k.fetch("val.de.gz", "http://127.0.0.1:9")


def test_what_is_not_a_gzip_file_is_named(elsewhere, server, monkeypatch):
    address, answers = server
    answers["val.de.gz"] = b"plain text"
    known(monkeypatch, b"plain text")
    with pytest.raises(DataError, match="cannot be read"):
        multi30k.lines("valid", "de", address)


@cache
def real(part, language):
    if multi30k.missing():
        pytest.skip(
            "Multi30k is neither in the cache nor below ATTENTION_SHARED_DATA, and tests download nothing."
        )
    return multi30k.lines(part, language)


def test_the_data_is_pinned_to_one_commit():
    assert multi30k.COMMIT in multi30k.ADDRESS and len(multi30k.COMMIT) == 40
    assert all(len(digest) == 64 for digest in multi30k.FILES.values())
    assert {f"{p}.{e}.gz" for p in multi30k.PARTS.values() for e in multi30k.LANGUAGES} == set(multi30k.FILES)


@pytest.mark.parametrize(("part", "count"), [("train", 29000), ("valid", 1014), ("test", 1000)])
def test_multi30k_has_its_published_size(part, count):
    assert len(real(part, "de")) == len(real(part, "en")) == count


@pytest.mark.parametrize("number", multi30k.PRINTED)
def test_the_sources_samples_come_out(number):
    for language in multi30k.LANGUAGES:
        real("train", language)
        assert multi30k.is_printed(number, language)
        assert not any(token != token.lower() for token in multi30k.sample(number, language))


@pytest.mark.parametrize(("language", "lower", "as_written"), [("de", 18659, 19205), ("en", 9799, 10839)])
def test_the_sources_vocabulary_sizes_come_out_in_lower_case_only(language, lower, as_written):
    real("train", language)
    assert len(Vocabulary(multi30k.tokenised("train", language))) == lower
    assert multi30k.vocabulary_size(language) == lower
    assert multi30k.vocabulary_size(language, lower=False) == as_written


def test_one_command_prints_what_the_source_prints(capsys):
    real("train", "de")
    multi30k.main()
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 10 and printed[0].startswith("   0 de: ")
    assert printed[-2:] == [
        "de: 18,659 tokens in lower case, 19,205 as written",
        "en: 9,799 tokens in lower case, 10,839 as written",
    ]


def test_the_command_says_in_one_sentence_that_there_is_no_network(elsewhere, monkeypatch, capsys):
    monkeypatch.setattr(multi30k.fetch_all, "__defaults__", ("http://127.0.0.1:9",))
    with pytest.raises(typer.Exit) as ended:
        multi30k.main()
    assert ended.value.exit_code == 2
    said = capsys.readouterr()
    assert not said.out
    assert "train.de.gz is needed once from http://127.0.0.1:9, which cannot be reached." in " ".join(
        said.err.split()
    )


def test_no_sentence_of_multi30k_stands_in_the_course():
    """Its terms forbid passing it on: no eight words in a row, marks and capitals aside."""

    def eights(text):
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + 8]) for i in range(len(words) - 7)}

    theirs = {
        e
        for part in multi30k.PARTS
        for lang in multi30k.LANGUAGES
        for s in real(part, lang)
        for e in eights(s)
    }
    assert len(theirs) > 100_000
    ours = [p for name in ("chapters", "course", "tests", "benchmarks") for p in (ROOT / name).rglob("*.*")]
    for path in ours:
        if path.suffix not in (".py", ".ipynb", ".json") or path.stem == "errata":
            continue  # the errata quote one sentence that a source prints, to show what is wrong with it
        assert not eights(path.read_text()) & theirs, path


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("de", "Ein T-Shirt, rot.", "Ein T-Shirt , rot ."),
        ("de", "Der „Hund“ bellt!", "Der „ Hund “ bellt !"),
        ("de", "Er ist ca. 5m groß.", "Er ist ca. 5 m groß ."),
        ("de", "Sie geht's an ...", "Sie geht 's an ..."),
        ("de", "Zwei  Hunde", "Zwei   Hunde"),
        ("en", "A T-shirt, red.", "A T - shirt , red ."),
        ("en", "The man doesn't see it's raining.", "The man does n't see it 's raining ."),
        ("en", "the boys' ball (a toy)", "the boys ' ball ( a toy )"),
        ("en", "They cannot id him.", "They can not i d him ."),
        ("en", "In the U.S. there are 5 dogs.", "In the U.S. there are 5 dogs ."),
        ("en", "", ""),
    ],
)
def test_the_tokeniser_splits_as_spacy_did(language, sentence, expected):
    assert " ".join(tokens(sentence, language)) == expected


def test_joining_tokens_again_gives_bleu_the_sentences_as_they_were_written():
    import sacrebleu

    metric = sacrebleu.BLEU(lowercase=True)
    written = real("test", "en")
    joined = [multi30k.joined(sentence) for sentence in multi30k.tokenised("test", "en")]
    assert metric.corpus_score(joined, [written]).score > 99.5


# The training command


def run(*words):
    from course.training.__main__ import app

    return CliRunner().invoke(app, ["translation", *words])


@pytest.fixture
def quick(monkeypatch):
    """The command, on a handful of sentences."""
    from course.training import train_translation

    monkeypatch.setattr(train_translation, "corpus", lambda name: small_corpus())
    monkeypatch.setattr(train_translation, "TRANSLATOR_SETTINGS", {"grammar": SMALL})


@each_framework
def test_a_run_taken_up_again_ends_as_one_that_was_never_stopped(framework, tmp_path, quick, monkeypatch):
    need(framework)
    from course.training import train_translation

    command = ["--data", "grammar", "--framework", framework, "--epochs", "3"]
    assert (
        run(*command, "--out", str(tmp_path / "whole"), "--result", str(tmp_path / "a.json")).exit_code == 0
    )
    kept = train_translation._save_checkpoint

    def stop_after_one(trainer, out, history, seconds):
        kept(trainer, out, history, seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr(train_translation, "_save_checkpoint", stop_after_one)
    assert run(*command, "--out", str(tmp_path / "parts")).exit_code != 0
    monkeypatch.setattr(train_translation, "_save_checkpoint", kept)
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["1"]
    assert (
        run(*command, "--out", str(tmp_path / "parts"), "--result", str(tmp_path / "b.json")).exit_code == 0
    )
    whole, parts = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert whole["losses"] == parts["losses"] and len(whole["losses"]) == 3
    for name in ("weights.npz",):
        with np.load(tmp_path / "whole" / "3" / name) as a, np.load(tmp_path / "parts" / "3" / name) as b:
            assert all(np.allclose(a[key], b[key], atol=1e-6) for key in a.files)


def test_a_run_with_other_settings_is_not_taken_up(tmp_path, quick):
    out = ["--out", str(tmp_path / "run")]
    assert run(*out, "--epochs", "1").exit_code == 0
    refused = run(*out, "--epochs", "1", "--hidden", "10")
    assert refused.exit_code == 2 and "other settings or other data" in " ".join(refused.stderr.split())
    weights, state = tmp_path / "run" / "1" / "weights.npz", tmp_path / "run" / "1" / checkpoints.STATE
    whole = state.read_text()
    for text in ("half a fi", "[]", json.dumps({**json.loads(whole), "history": 3})):
        state.write_text(text)
        refused = run(*out, "--epochs", "1")
        assert refused.exit_code == 2 and "is damaged" in " ".join(refused.stderr.split())
    state.write_text(whole)
    weights.write_bytes(b"broken")
    refused = run(*out, "--epochs", "1")
    assert refused.exit_code == 2 and "is damaged" in " ".join(refused.stderr.split())


def test_a_limit_that_leaves_no_sentence_is_one_sentence(quick, monkeypatch):
    monkeypatch.setattr(multi30k, "pairs", lambda part, longest: [])
    refused = run("--data", "multi30k", "--longest", "1")
    assert refused.exit_code == 2
    assert "--longest is 1: no pair is so short" in " ".join(refused.stderr.split())


def test_the_result_says_how_to_repeat_the_run(tmp_path, quick, monkeypatch):
    result = tmp_path / "numbers.json"
    words = ["--data", "grammar", "--seed", "4", "--beam", "2", "--result", str(result)]
    monkeypatch.setattr("sys.argv", ["train", "translation", *words])
    assert run(*words).exit_code == 0
    report = json.loads(result.read_text())
    assert report["command"] == "python -m course.training translation --data grammar --seed 4 --beam 2"
    assert report["settings"]["seed"] == 4
    assert {"exact", "bleu", "beam_bleu", "aligned", "losses", "training_cpu_seconds"} <= report.keys()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--score", "cosine"], "There is no score function 'cosine'. There are: ReLU, additive,"),
        (["--hidden", "7"], "--hidden is 7; it must be even"),
        (["--data", "multi30k"], "Multi30k is on the moon."),
    ],
)
def test_bad_input_is_one_sentence_and_no_traceback(words, sentence, quick, monkeypatch):
    def lost(*args, **more):
        raise DataError("Multi30k is on the moon.")

    monkeypatch.setattr(multi30k, "pairs", lost)
    refused = run(*words)
    assert refused.exit_code == 2 and isinstance(refused.exception, SystemExit)
    assert sentence in " ".join(refused.stderr.split())


def test_a_checkpoint_is_whole_or_not_there(tmp_path):
    checkpoints.save(tmp_path, 1, {"a": 1}, lambda folder: (folder / "x").write_text("first"))

    def dies(folder):
        (folder / "x").write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(checkpoints.CheckpointError, match="No space left"):
        checkpoints.save(tmp_path, 2, {"a": 2}, dies)
    path, state = checkpoints.newest(tmp_path)
    assert (path.name, state) == ("1", {"a": 1}) and (path / "x").read_text() == "first"


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
