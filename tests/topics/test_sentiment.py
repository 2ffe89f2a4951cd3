"""Sentiment: wrong versions, reviews with known evidence, real reviews, and what weights explain."""

import hashlib
import io
import json
import re
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from course.data import review_archives, reviews
from course.data.download import DataError
from course.display import progress_bar, shading
from course.display.colours import DARK, LIGHT
from course.frameworks import mx, torch
from course.paths import SHARED_DATA
from course.training.sentiment import (
    ClassifierSettings,
    Model,
    dataset,
    evidence_share,
    make_model,
    num_steps,
    steps,
    stored,
    trained,
    written_dataset,
)
from solutions.sentiment import in_numpy
from tests.support import need

both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


# The reviews


def test_the_same_seed_writes_the_same_reviews_and_no_two_are_alike():
    some = reviews.written_reviews(300, seed=5)
    assert some == reviews.written_reviews(300, seed=5) != reviews.written_reviews(300, seed=6)
    assert len({review.words for review in some}) == 300


def read_by_the_rules(words):
    """What a reader who knows the grammar says of a review, word by word, without its label."""
    end = words.index("me")
    assert words[end - 1] == "for"
    opinion = words[end - 4 : end - 1]
    praised = opinion[2] in reviews.PRAISE
    return int(praised != (opinion[0] in reviews.NEGATIONS))


def test_the_label_follows_from_the_rules_and_the_evidence_is_what_decides_it():
    for review in reviews.written_reviews(500, seed=1):
        assert read_by_the_rules(review.words) == review.label
        evidence = [w for w, counts in zip(review.words, review.evidence, strict=True) if counts]
        first, adjective, whom = evidence
        assert first in reviews.NEGATIONS + reviews.AFFIRMATIONS
        assert adjective in reviews.PRAISE + reviews.BLAME
        assert whom == "me" and review.words.count("me") == 1


def test_the_half_before_but_says_the_opposite():
    found = [r for r in reviews.written_reviews(500, seed=2) if "but" in r.words]
    assert 100 < len(found) < 300
    for review in found:
        place = review.words.index("but")
        negation, _, adjective = review.words[place - 4 : place - 1]
        praised = (adjective in reviews.PRAISE) != (negation in reviews.NEGATIONS)
        assert int(praised) != review.label


def test_no_single_word_tells_the_label_so_counting_words_is_chance():
    written = written_dataset()
    counted = reviews.bag_of_words_accuracy(written.train, written.test, len(written.vocabulary))
    assert abs(counted - 0.5) < 0.05


def test_training_validation_and_test_share_no_review():
    dealt = written_dataset().reviews
    parts = [{r.words for r in part} for part in (dealt.train, dealt.valid, dealt.test)]
    assert [len(part) for part in parts] == [2000, 400, 600]
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]


def test_of_reviews_with_the_same_words_one_takes_part():
    twice = [reviews.Review((str(i % 10),), i % 2) for i in range(20)]
    dealt = reviews.splits(twice, 2, 3)
    assert len(dealt.train) == 5 and len(dealt.valid) == 2 and len(dealt.test) == 3
    with pytest.raises(ValueError, match="leave none for training"):
        reviews.splits(twice, 5, 5)


def test_the_vocabulary_knows_training_words_only_and_pads_with_zero():
    known = [reviews.Review(("a", "a", "b"), 1)]
    vocabulary = reviews.Vocabulary(known, at_least=2)
    assert vocabulary.words == [reviews.PADDING, reviews.UNKNOWN, "a"]
    data = reviews.encoded([*known, reviews.Review(("c",), 0, (True,))], vocabulary)
    np.testing.assert_array_equal(data.tokens, [[2, 2, 1], [1, 0, 0]])
    np.testing.assert_array_equal(data.evidence, [[0, 0, 0], [1, 0, 0]])
    np.testing.assert_array_equal(reviews.counted_words(data, 3), [[0, 1, 2], [0, 1, 0]])
    tokens, lengths, labels = data.batch(slice(1, 2))
    assert tokens.shape == (1, 1) and lengths.tolist() == [1] and labels.tolist() == [0]
    assert data.marked(slice(1, 2)).tolist() == [[True]] and data.marked(slice(0, 1)).shape == (1, 3)


def test_every_epoch_takes_every_review_once_in_another_order():
    first, second = (np.concatenate(list(reviews.batch_indices(10, 4, 1, seed))) for seed in (0, 1))
    both = list(reviews.batch_indices(10, 4, 2, 0))
    assert [len(chosen) for chosen in both] == [4, 4, 2] * 2
    assert sorted(np.concatenate(both[:3])) == sorted(np.concatenate(both[3:])) == list(range(10))
    assert (np.concatenate(both[:3]) == first).all() and (first != second).any()


# The classifiers


@pytest.fixture(scope="module")
def small():
    """A small data set that trains quickly."""
    return dataset(reviews.splits(reviews.written_reviews(120, seed=3), 20, 40))


def twins(small, encoder, pooling):
    """A classifier in MXNet and the same in PyTorch, with the same random weights."""
    need("mxnet")
    settings = ClassifierSettings(size=6)
    made = {
        f: make_model(f, len(small.vocabulary), encoder, pooling, settings, number=4)
        for f in ("mxnet", "torch")
    }
    held = made["torch"].model.state_dict()
    renamed = {}
    for name, value in held.items():
        if "lstm" in name:
            kind, gate = name.split(".")[-1].split("_")[:2]
            way = "back" if name.endswith("_reverse") else "there"
            side = "i2h" if gate == "ih" else "h2h"
            renamed[f"encoder.{way}._unfused.0.{side}_{kind}"] = value
        else:
            renamed[name] = value
    structured = made["mxnet"].model._collect_params_with_prefix()
    assert set(structured) == set(renamed)
    for name, parameter in structured.items():
        parameter.set_data(mx.nd.array(renamed[name].numpy()))
    return made


each_classifier = pytest.mark.parametrize(
    ("encoder", "pooling"),
    [
        ("Recurrent", "attention"),
        ("Recurrent", "last"),
        ("Convolution", "attention"),
        ("Convolution", "mean"),
        ("Convolution", "maximum"),
    ],
)


@each_classifier
def test_the_classifiers_of_both_frameworks_agree(small, encoder, pooling):
    made = twins(small, encoder, pooling)
    verdicts, votes, slopes, lost = (
        [getattr(m, what)(small.test) for m in made.values()]
        for what in ("verdicts", "votes", "gradient_times_input", "without_each_word")
    )
    for one, other in (verdicts, votes, slopes, lost):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    if pooling == "attention":
        one, other = (m.weights(small.test) for m in made.values())
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose((one * votes[0]).sum(axis=1), verdicts[0], rtol=1e-4, atol=1e-4)


@each_classifier
def test_steps_of_training_change_both_frameworks_alike(small, encoder, pooling):
    made = twins(small, encoder, pooling)
    before = made["torch"].verdicts(small.test)
    for model in made.values():
        for chosen in reviews.batch_indices(60, 15, 2, seed=0):
            model.train_step(small.train, chosen)
    one, other = (m.verdicts(small.test) for m in made.values())
    # Adam divides by the size of a gradient: where that is nearly zero, rounding shows.
    moved = np.abs(one - before).mean()
    assert np.abs(one - other).mean() < 0.05 * moved


@both_frameworks
@each_classifier
def test_more_padding_changes_no_verdict(small, framework, encoder, pooling):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), encoder, pooling, ClassifierSettings(size=5), number=1
    )
    data = small.test
    wider = reviews.Encoded(
        np.pad(data.tokens, ((0, 0), (0, 4))),
        data.lengths,
        data.labels,
        np.pad(data.evidence, ((0, 0), (0, 4))),
    )
    np.testing.assert_allclose(model.verdicts(data), model.verdicts(wider), rtol=1e-4, atol=1e-5)
    before, after = model.without_each_word(data), model.without_each_word(wider)
    np.testing.assert_allclose(before, after[:, :-4], rtol=1e-4, atol=1e-5)
    assert not after[:, -4:].any()


@both_frameworks
def test_a_state_of_the_convolution_sees_two_words_on_each_side_and_one_of_the_lstm_sees_all(
    small, framework
):
    need(framework)
    for encoder, reach in (("Convolution", 2), ("Recurrent", 99)):
        model = make_model(
            framework, len(small.vocabulary), encoder, "attention", ClassifierSettings(size=5), number=1
        )
        tokens = small.test.tokens[:1].copy()
        length = small.test.lengths[0]
        before = model.votes(
            reviews.Encoded(tokens, small.test.lengths[:1], small.test.labels[:1], tokens > 0)
        )
        tokens[0, 7] = 2 if tokens[0, 7] != 2 else 3
        after = model.votes(
            reviews.Encoded(tokens, small.test.lengths[:1], small.test.labels[:1], tokens > 0)
        )
        changed = np.flatnonzero(np.abs(after - before)[0, :length] > 1e-7)
        wanted = [i for i in range(length) if abs(i - 7) <= reach]
        assert changed.tolist() == wanted


@both_frameworks
def test_leaving_a_word_out_is_a_review_without_it(small, framework):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), "Recurrent", "attention", ClassifierSettings(size=5), number=2
    )
    review = small.reviews.test[3]
    shorter = [
        reviews.Review(review.words[:t] + review.words[t + 1 :], review.label)
        for t in range(len(review.words))
    ]
    whole = model.verdicts(reviews.encoded([review], small.vocabulary))
    wanted = whole - model.verdicts(reviews.encoded(shorter, small.vocabulary))
    found = model.without_each_word(small.test)[3, : len(review.words)]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@both_frameworks
def test_the_slope_is_that_of_the_verdict_along_each_word(small, framework):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), "Convolution", "attention", ClassifierSettings(size=5), number=2
    )
    data = reviews.encoded(small.reviews.test[:2], small.vocabulary)
    slopes = model.gradient_times_input(data)
    embedded = model.model.embedding(model.backend.array(data.tokens))
    for t in (0, 5):
        moved = []
        for size in (1.01, 0.99):
            factor = np.ones((*data.tokens.shape, 1), dtype=np.float32)
            factor[:, t] = size
            classified = model.model.classify(
                embedded * model.backend.array(factor), model.backend.array(data.lengths)
            )
            moved.append(classified.asnumpy() if framework == "mxnet" else classified.numpy(force=True))
        np.testing.assert_allclose(slopes[:, t], (moved[0] - moved[1]) / 0.02, rtol=0.03, atol=2e-3)


@pytest.mark.parametrize("pooling", ["attention", "mean"])
def test_the_keras_model_says_what_pytorch_says_and_its_mask_ends_at_the_pooling(small, pooling):
    keras = pytest.importorskip("keras")
    from solutions.sentiment import in_keras

    source = make_model(
        "torch", len(small.vocabulary), "Recurrent", pooling, ClassifierSettings(size=6), number=0
    )
    model, weights_model = in_keras.classifier(len(small.vocabulary), 6, pooling)
    in_keras.take_weights(model, source.model)
    tokens = small.test.tokens
    np.testing.assert_allclose(
        model.predict(tokens, verbose=0), source.verdicts(small.test), rtol=1e-3, atol=1e-4
    )
    if pooling == "attention":
        np.testing.assert_allclose(
            weights_model.predict(tokens, verbose=0), source.weights(small.test), rtol=1e-3, atol=1e-5
        )
    else:
        assert weights_model is None
    called = model(keras.ops.array(tokens[:2]))
    assert called.shape == (2,) and getattr(called, "_keras_mask", None) is None


def test_the_mean_the_maximum_and_the_last_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    states, lengths = rng.normal(size=(4, 6, 3)), np.array([1, 6, 3, 4])
    found = in_numpy.pool_over_time(states, lengths)
    for row, length in enumerate(lengths):
        real = states[row, :length]
        for pooled, wanted in zip(found, (real.mean(0), real.max(0), real[-1]), strict=True):
            np.testing.assert_allclose(pooled[row], wanted)


def test_a_large_weight_may_have_no_effect_and_a_word_without_a_vote_may_have_one():
    scores, votes = np.array([[0.0, 0, 2, 1]]), np.array([[0, 0.5, 0, -3]])
    importance = in_numpy.leave_one_out(scores, votes, np.array([4]))
    np.testing.assert_allclose(importance[0, 2:], [0.990, -0.685], atol=1e-3)
    same = in_numpy.leave_one_out(scores, np.full((1, 4), 1.5), np.array([4]))
    np.testing.assert_allclose(same, 0, atol=1e-12)


def test_permuting_weights_that_are_equal_changes_nothing():
    rng = np.random.default_rng(1)
    votes = rng.normal(size=(2, 5))
    orders = rng.permuted(np.tile(np.arange(5), (3, 2, 1)), axis=2)
    np.testing.assert_allclose(
        in_numpy.change_when_permuted(np.full((2, 5), 0.2), votes, orders), 0, atol=1e-12
    )
    uneven = np.array([[0.6, 0.1, 0.1, 0.1, 0.1]] * 2)
    assert (in_numpy.change_when_permuted(uneven, votes, orders) > 0).all()


# Training


def test_the_weights_of_the_best_validation_epoch_are_kept(small, monkeypatch):
    model = make_model(
        "torch",
        len(small.vocabulary),
        "Convolution",
        "mean",
        ClassifierSettings(size=4, batch=50, epochs=4),
        0,
    )
    said = iter([0.5, 0.9, 0.9, 0.7])
    held = []

    def accuracy(self, data):
        assert data is small.valid
        held.append(self.parameters())
        return next(said)

    monkeypatch.setattr(Model, "accuracy", accuracy)
    assert max(steps(model, small, 0)) == num_steps(small, model.settings) == 8
    for name, value in model.parameters().items():
        assert torch.equal(value, held[1][name])
    assert any(not torch.equal(value, held[3][name]) for name, value in model.parameters().items())


@both_frameworks
def test_a_training_learns_its_reviews_and_the_same_seed_repeats_it(small, framework):
    need(framework)
    learned = replace(small, valid=small.train)
    settings = ClassifierSettings(size=16, batch=20, epochs=20)
    first, second = (trained(framework, learned, settings=settings, number=1) for _ in range(2))
    assert first.accuracy(learned.train) > 0.95
    np.testing.assert_allclose(first.verdicts(small.test), second.verdicts(small.test), rtol=1e-4, atol=1e-4)


@both_frameworks
def test_a_price_turns_the_attention_away_and_the_verdicts_stay_right(small, framework):
    need(framework)
    settings = ClassifierSettings(size=16, batch=20, epochs=20)
    model = trained(framework, replace(small, valid=small.train), settings=settings, number=1)

    def price(weights, marked):
        there = (weights * marked).sum(**{"axis" if framework == "mxnet" else "dim": 1})
        return -(1.0001 - there).log().mean()

    before = evidence_share(model.weights(small.train), small.train)
    step = model.code.training_step(model.model, 0.01, price)
    for chosen in reviews.batch_indices(60, 20, 15, seed=0):
        given = (*small.train.batch(chosen), small.train.marked(chosen))
        step(*map(model.backend.array, given))
    after = evidence_share(model.weights(small.train), small.train)
    assert before > 0.1 > 0.03 > after
    assert model.accuracy(small.train) > 0.95


def test_a_model_that_there_is_not_is_refused_in_a_sentence():
    for arguments, sentence in (
        (("jax", "Recurrent", "mean"), "There is no framework 'jax'"),
        (("torch", "Recurrent", "median"), "There is no pooling 'median'"),
        (("torch", "Transformer", "mean"), "There is no encoder 'Transformer'"),
        (("keras", "Recurrent", "last"), "In Keras there are"),
        (("keras", "Convolution", "mean"), "In Keras there are"),
    ):
        framework, encoder, pooling = arguments
        with pytest.raises(ValueError, match=sentence):
            make_model(framework, 10, encoder, pooling, ClassifierSettings(), 0)


def test_the_share_on_the_evidence_is_the_weight_that_lies_there(small):
    even = (small.test.tokens > 0) / small.test.lengths[:, None]
    share = (small.test.evidence.sum(axis=1) / small.test.lengths).mean()
    assert evidence_share(even, small.test) == pytest.approx(share)
    assert evidence_share(small.test.evidence / 3, small.test) == pytest.approx(1)


def command(*arguments):
    from course.training.__main__ import app

    return CliRunner().invoke(app, ["sentiment", *arguments])


def test_the_command_writes_each_run_and_goes_on_where_it_was(tmp_path):
    result = tmp_path / "deep" / "result.json"
    given = ["--kind", "windows-mean", "--epochs", "1", "--result", str(result)]
    assert command(*given, "--seeds", "1").exit_code == 0
    first = json.loads(result.read_text())
    assert [(run["kind"], run["seed"]) for run in first["runs"]] == [("windows-mean", 0)]
    first["runs"][0]["test"] = 0.25
    result.write_text(json.dumps(first))
    assert command(*given, "--seeds", "2").exit_code == 0
    second = json.loads(result.read_text())
    assert [run["seed"] for run in second["runs"]] == [0, 1]
    assert second["runs"][0]["test"] == 0.25, "the finished run was made again"
    found = second["summary"]["windows-mean"]
    assert found["seeds"] == 2 and found["lowest"] == 0.25


def test_the_command_leaves_a_file_alone_that_is_not_its_own(tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text("[1, 2")
    done = command("--kind", "windows-mean", "--epochs", "1", "--seeds", "1", "--result", str(mine))
    assert done.exit_code == 2 and mine.read_text() == "[1, 2"


def test_keras_has_attention_and_the_mean_only():
    done = command("--framework", "keras", "--kind", "mean", "--kind", "last")
    assert done.exit_code == 2 and "only the kinds attention and mean" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "name",
    [f"{data}_{framework}" for data in ("grammar", "uci", "films") for framework in ("mxnet", "torch")]
    + ["grammar_keras", "uci_keras"],
)
def test_a_stored_result_says_how_it_was_made_and_sums_up_its_runs(name):
    found = stored(*name.split("_"))
    assert found["command"].startswith("python -m course.training sentiment")
    assert {run["kind"] for run in found["runs"]} == set(found["summary"])
    for kind, numbers in found["summary"].items():
        tests = [run["test"] for run in found["runs"] if run["kind"] == kind]
        assert len(tests) == numbers["seeds"] >= 3
        assert numbers["mean"] == pytest.approx(np.mean(tests), abs=1e-4)
        assert numbers["spread"] == pytest.approx(np.std(tests, ddof=1), abs=1e-4)


def test_what_the_chapter_says_of_the_stored_runs_holds():
    for framework in ("mxnet", "torch", "keras"):
        found = stored("grammar", framework)
        attending = [run for run in found["runs"] if "evidence" in run]
        assert min(run["test"] for run in attending) >= 0.99
        shares = {k: [r["evidence"] for r in attending if r["kind"] == k] for k in ("attention", "windows")}
        # "anywhere between ..." is said of all three together, and of each that they differ.
        assert max(shares["attention"]) - min(shares["attention"]) > 0.4
        assert min(shares["windows"], default=1) > 0.5
        means = {kind: numbers["mean"] for kind, numbers in found["summary"].items()}
        assert means["attention"] == max(means.values()) and means["attention"] - means["mean"] < 0.01
        assert means.get("last", 0) < means["mean"]
    for data, frameworks in (("uci", ("mxnet", "torch", "keras")), ("films", ("mxnet", "torch"))):
        for framework in frameworks:
            found = stored(data, framework)
            means = {kind: numbers["mean"] for kind, numbers in found["summary"].items()}
            if data == "films":
                assert found["bag_of_words"] > max(means.values())
            assert all(abs(found["bag_of_words"] - mean) < 0.02 for mean in means.values())
            assert means["attention"] - means["mean"] < 0.02
            assert means["attention"] - means.get("last", 1) < 0.03


def test_a_bar_passes_everything_on_and_leaves_nothing_behind(monkeypatch):
    assert list(progress_bar.progress(iter("abc"), 3)) == ["a", "b", "c"]
    drawn = []
    monkeypatch.setattr(progress_bar, "_notebook_display", lambda: drawn.append)
    monkeypatch.setattr(progress_bar, "SECONDS", -1)
    assert list(progress_bar.progress(iter("ab"), 2, what="<b>")) == ["a", "b"]
    assert ['value="0" max="2"' in html for html in drawn] == [True, False, False]
    assert "&lt;b&gt;: 1 of 2" in drawn[1] and drawn[-1] == ""


# Real reviews


def packed(members):
    """A tar.gz of names and bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def little_archive(name):
    """The form of an archive, with few reviews of our own."""
    if name == "uci":
        entries = {
            source: json.dumps(
                [{"text": "", "class": None}, {"text": f"A {source} I don’t like!", "class": 0}]
            )
            for source in ("amazon", "imdb", "yelp")
        }
        return packed({f"package/test/fixtures/{s}.json": t.encode() for s, t in entries.items()})
    rows = "1\t2.5\tA fine caf\xe9\r\n2\t0.2\tSo so\r\n3\t-1.0\tDull\r\n"
    inner = packed({"hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt": rows.encode("latin-1")})
    return packed({"vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz": inner})


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A machine that has no archive yet."""
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    return tmp_path / "reviews"


def pretend(monkeypatch, name, data, script):
    """Expect other bytes, and put a shell script in the client's place; its last argument is the folder."""
    wanted = review_archives.ARCHIVES[name]
    other = review_archives.Archive(
        wanted.file, hashlib.sha256(data).hexdigest(), ("sh", "-c", script, "client"), "into"
    )
    monkeypatch.setitem(review_archives.ARCHIVES, name, other)
    return other


@pytest.mark.parametrize("name", ["uci", "films"])
def test_a_client_brings_an_archive_once_and_it_is_read_without_unpacking(empty, tmp_path, monkeypatch, name):
    data = little_archive(name)
    (tmp_path / "offered").write_bytes(data)
    file = review_archives.ARCHIVES[name].file
    pretend(monkeypatch, name, data, f'cp {tmp_path}/offered "$2/{file}"; echo >> {tmp_path}/calls')
    found = review_archives.real_reviews(name)
    assert review_archives.real_reviews(name) == found
    assert (tmp_path / "calls").read_text() == "\n", "the client was called again"
    assert [path.name for path in empty.iterdir()] == [file]
    if name == "uci":
        assert found[0] == reviews.Review(("a", "amazon", "i", "don't", "like", "!"), 0)
    else:
        assert [(r.words[-1], r.label) for r in found] == [("caf", 1), ("dull", 0)]


def test_an_archive_with_another_hash_is_thrown_away(empty, monkeypatch):
    archive = pretend(monkeypatch, "uci", b"wanted", "")
    script = f'printf other > "$2/{archive.file}"'
    monkeypatch.setitem(
        review_archives.ARCHIVES,
        "uci",
        review_archives.Archive(archive.file, archive.sha256, ("sh", "-c", script, "x"), "into"),
    )
    with pytest.raises(DataError, match="another SHA-256"):
        review_archives.fetch("uci")
    assert not list(empty.iterdir())


def test_without_a_network_the_clients_own_last_words_and_a_way_out_are_said(empty, monkeypatch):
    pretend(monkeypatch, "films", b"", "echo details >&2; echo no route to anywhere >&2; exit 1")
    with pytest.raises(DataError, match=r"did not bring .*no route to anywhere.*another machine"):
        review_archives.fetch("films")


def test_without_a_client_the_sentence_names_it(empty, monkeypatch):
    monkeypatch.setattr(review_archives.shutil, "which", lambda name: None)
    with pytest.raises(DataError, match=r"npm is needed to fetch sentiment-5\.0\.2\.tgz"):
        review_archives.fetch("uci")


def test_a_client_that_hangs_is_given_up(empty, monkeypatch):
    pretend(monkeypatch, "uci", b"", "sleep 9")
    monkeypatch.setattr(review_archives, "CLIENT_SECONDS", 0.2)
    with pytest.raises(DataError, match="gave no answer"):
        review_archives.fetch("uci")


def test_where_nothing_can_be_kept_the_sentence_names_the_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "file"))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    monkeypatch.setattr(review_archives.shutil, "which", lambda name: name)
    with pytest.raises(DataError, match=r"cannot be kept in .*ATTENTION_DATA"):
        review_archives.fetch("uci")


def test_a_damaged_archive_is_named(empty, monkeypatch):
    archive = pretend(monkeypatch, "uci", b"no archive", "")
    empty.mkdir()
    (empty / archive.file).write_bytes(b"no archive")
    with pytest.raises(DataError, match="cannot be read"):
        review_archives.real_reviews("uci")
    with pytest.raises(ValueError, match="no reviews named 'tweets'"):
        review_archives.real_reviews("tweets")


@pytest.mark.parametrize(("name", "count", "praised"), [("uci", 2979, 0.5), ("films", 10070, 0.5)])
def test_the_real_archives_hold_what_the_chapter_says(name, count, praised):
    if review_archives.at_hand(name) is None:
        pytest.skip(f"{review_archives.ARCHIVES[name].file} is neither in the cache nor below {SHARED_DATA}.")
    dealt = review_archives.real_splits(name)
    everything = [*dealt.train, *dealt.valid, *dealt.test]
    assert len(everything) == count == len({review.words for review in everything})
    assert abs(np.mean([review.label for review in everything]) - praised) < 0.05


# Shading


def example(**more):
    rows = [
        shading.ShadedText(
            "praise <b>", ["a", "<script>", "good", "film"], [0.1, 0.0, 0.7, 0.2], [0, 0, 1, 0]
        ),
        shading.ShadedText("blame", ["dull"], [-2.0]),
    ]
    return shading.Shading("Words & weights", rows, **more)


def test_words_titles_and_labels_are_escaped():
    html = example().html()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "praise &lt;b&gt;" in html and "Words &amp; weights" in html


def test_shading_is_said_in_words_too():
    html, text = example().html(), example().text()
    for said in (html, text):
        assert "strongest: good 0.70, film 0.20, a 0.10" in said
        assert "strongest: dull −2.00" in said
    assert "<u" in html and "underlined" in html and "evidence" in html


def test_the_strongest_word_of_each_row_is_fully_shaded_and_zero_is_not():
    html = example().html()
    assert '<u class="for" style="--s:100%" title="0.70">good</u>' in html
    assert '<span title="0.00">&lt;script&gt;</span>' in html
    assert '<span class="against" style="--s:100%" title="−2.00">dull</span>' in html
    assert '<u class="for" style="--s:35%"' in example(together=True).html()


def test_a_word_with_next_to_nothing_is_not_among_the_strongest():
    text = shading.Shading("t", [shading.ShadedText("all on one", ["a", "b"], [0.999, 0.001])]).text()
    assert text.endswith("strongest: a 1.00")
    nothing = shading.Shading("t", [shading.ShadedText("nowhere", ["a", "b"], [0, 0])]).text()
    assert nothing.endswith("strongest: a 0.00")


def test_weights_that_do_not_fit_are_refused():
    for row in (
        shading.ShadedText("a", ["x", "y"], [1.0]),
        shading.ShadedText("a", ["x"], [np.nan]),
        shading.ShadedText("a", ["x"], [1.0], [True, False]),
    ):
        with pytest.raises(ValueError, match="'t', 'a'"):
            shading.Shading("t", [row])
    with pytest.raises(ValueError, match="at least one row"):
        shading.Shading("t", [])
    with pytest.raises(ValueError, match="more than 2000 words"):
        shading.Shading("t", [shading.ShadedText("a", ["x"] * 2001, np.zeros(2001))])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shade_keeps_a_contrast_of_at_least_4_5(scheme):
    """Ink on paper mixed with 45 percent of a colour, as shading.css mixes it."""
    css = Path(shading.__file__).with_name("shading.css").read_text()
    inks = re.search(r"--ink: light-dark\((#\w+), (#\w+)\)", css)
    share = float(re.search(r"var\(--s\) \* ([\d.]+)", css).group(1))
    scale = {"light": LIGHT, "dark": DARK}[scheme]
    ink = inks.group(1 if scheme == "light" else 2)
    for paper in {"light": ["#ffffff"], "dark": ["#14181e", "#111111", "#121212"]}[scheme]:
        for colour in (scale.high, scale.low):
            for strength in np.linspace(0, 1, 11):
                mixed = [
                    strength * share * c + (1 - strength * share) * p
                    for c, p in zip(rgb(colour), rgb(paper), strict=True)
                ]
                assert contrast(rgb(ink), mixed) >= 4.5


def rgb(colour):
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def contrast(one, other):
    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
