"""`python -m course.training translation`: results, checkpoints and refusals."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from autograder.frameworks.libraries import mx
from course.data import multi30k
from course.data.download import DataError
from course.training import checkpoints
from tests.course.training.small import SMALL, small_corpus, small_trainer
from tests.support import FRAMEWORKS, need


def run(*words):
    from course.training.__main__ import app

    return CliRunner().invoke(app, ["translation", *words])


@pytest.fixture
def quick(monkeypatch):
    """The command, on a handful of sentences."""
    from course.training import train_translation

    monkeypatch.setattr(train_translation, "corpus", lambda name: small_corpus())
    monkeypatch.setattr(train_translation, "TRANSLATOR_SETTINGS", {"grammar": SMALL})


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_run_taken_up_again_ends_as_one_that_was_never_stopped(framework, tmp_path, quick, monkeypatch):
    need(framework)
    from course.training import train_translation

    command = ["--data", "grammar", "--framework", framework, "--epochs", "3"]
    assert (
        run(*command, "--out", str(tmp_path / "whole"), "--result", str(tmp_path / "a.json")).exit_code == 0
    )
    save_checkpoint = train_translation._save_checkpoint

    def stop_after_one(trainer, out, history, seconds):
        save_checkpoint(trainer, out, history, seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr(train_translation, "_save_checkpoint", stop_after_one)
    assert run(*command, "--out", str(tmp_path / "parts")).exit_code != 0
    monkeypatch.setattr(train_translation, "_save_checkpoint", save_checkpoint)
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["1"]
    assert (
        run(*command, "--out", str(tmp_path / "parts"), "--result", str(tmp_path / "b.json")).exit_code == 0
    )
    whole, parts = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert whole["losses"] == parts["losses"] and len(whole["losses"]) == 3
    for name in ("weights.npz",):
        with np.load(tmp_path / "whole" / "3" / name) as a, np.load(tmp_path / "parts" / "3" / name) as b:
            assert all(np.allclose(a[key], b[key], atol=1e-6) for key in a.files)


def test_what_adam_remembers_finds_its_parameters_however_many_layers_there_were_before(tmp_path):
    """Gluon counts layers in their names, and dense10 comes before dense9 in alphabetical order."""
    need("mxnet")
    with mx.name.NameManager():
        stopped = small_trainer("mxnet")
        list(stopped.epoch())
        stopped.training.save(tmp_path / "optimiser")
    with mx.name.NameManager():
        [mx.gluon.nn.Dense(1) for _ in range(9)]
        taken_up = small_trainer("mxnet")
        taken_up.code.set_weights(taken_up.model, stopped.code.named_weights(stopped.model))
        taken_up.restart()
        taken_up.training.load(tmp_path / "optimiser")
        taken_up.done = stopped.done
    np.testing.assert_allclose(list(taken_up.epoch()), list(stopped.epoch()), rtol=1e-5)


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
