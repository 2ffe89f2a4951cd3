"""`attention gpt check`: what is wrong in a part or in the whole is told, and the page shows what was built."""

import re

import pytest
from typer.testing import CliRunner

from autograder.checking import accepted_answers, progress
from autograder.cli.commands import app
from autograder.model.paths import ROOT
from course.gpt import checks, training
from course.gpt.my_gpt import my_gpt
from course.gpt.package import Package
from course.gpt.page import curve_of
from tools.sync import solution_source


@pytest.fixture
def home(tmp_path):
    """A folder whose learner has written the feed-forward layers."""
    progress.create(tmp_path)
    answer = solution_source(ROOT, "language_model", "torch", "gated_feed_forward")
    accepted_answers.keep(tmp_path, "gated_feed_forward", "torch", answer)
    my_gpt(tmp_path)
    return tmp_path


def ask(home, *words):
    return CliRunner().invoke(app, ["gpt", "check", *words, "--folder", str(home)])


def change(home, name, old, new):
    path = home / "my_gpt" / f"{name}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_what_is_right_is_told_part_by_part(home):
    result = ask(home, "--untrained")
    assert result.exit_code == 0, result.output
    assert "✓ feed_forward.py, gated_feed_forward" in result.output
    assert "✓ Generation with and without cache is equal" in result.output
    page = (home / "my_gpt.html").read_text()
    assert '● <code>gated_feed_forward</code> <span class="quiet">accepted' in page
    # The block is drawn in the model, and the attention in the block.
    assert re.findall(r"<b><code>(\w+)\.py|</section>", page)[1:5] == ["", "model", "block", "norm"]
    assert "<svg" not in page


def test_a_part_that_is_wrong_by_hand_is_named_by_the_judge(home):
    change(home, "feed_forward", "opened = gate * gate.sigmoid()", "opened = gate.sigmoid()")
    result = ask(home, "--untrained")
    assert result.exit_code == 1
    assert "✗ feed_forward.py: gated_feed_forward (torch): rejected" in result.output
    assert "✗ The whole model computes what the course's computes" in result.output


def test_a_part_that_the_model_uses_no_more_is_named(home):
    own = "def gated_feed_forward(X, gate, up, down):\n    gate = X @ gate\n    return (gate * gate.sigmoid() * (X @ up)) @ down"
    change(home, "block", "from .feed_forward import gated_feed_forward", own)
    result = ask(home, "--untrained")
    assert result.exit_code == 1
    assert "✗ feed_forward.py, gated_feed_forward. No module of the model brings it" in result.output
    assert "✓ The whole model computes what the course's computes" in result.output


def test_a_base_that_the_layers_do_not_use_is_told(home):
    change(home, "attention", "self.base = base", "self.base = 10000")
    assert not checks.like_the_reference(Package(home)).passed


def test_a_cache_that_is_not_used_rightly_is_told(home):
    change(home, "attention", 'past = cache["keys"].shape[1] if cache else 0', "past = 0")
    finding = checks.same_with_cache(Package(home))
    assert not finding.passed and "From new token 2 on the logits differ" in finding.words
    assert checks.like_the_reference(Package(home)).passed


def test_an_array_more_is_told(home):
    change(home, "model", "self.norm = RMSNorm(d)", "self.norm = RMSNorm(d)\n        self.more = RMSNorm(d)")
    finding = checks.like_the_reference(Package(home))
    assert not finding.passed and "more.weight is in one of them only" in finding.words


def test_the_training_and_its_page(home, monkeypatch):
    monkeypatch.setattr(checks, "STEPS", 3)
    monkeypatch.setattr(training, "MERGES", 10)
    monkeypatch.setattr(training, "EVERY", 0.0)
    monkeypatch.setitem(
        training.TEXTS, "prose", lambda: "".join(f"The row {i} sums to one.\n" for i in range(150))
    )
    result = ask(home)
    assert result.exit_code == 1 and "✗ It learns" in result.output
    assert all(letter.isprintable() or letter in "\n\r\x1b" for letter in result.output)
    page = (home / "my_gpt.html").read_text()
    assert page.count("<polyline") == 2 and ">The weights" in page


def test_a_curve_needs_two_points_and_has_its_ends():
    assert curve_of([(1, 2.0, 2.0)]) is None
    curve = curve_of([(10, 3.0, 3.5), (20, 1.5, 2.5)])
    assert curve["train"] == "0.0,60.0 600.0,240.0" and curve["held_out"] == "0.0,0.0 600.0,120.0"
    assert (curve["first"], curve["last"], curve["lowest"], curve["highest"]) == ("10", "20", "1.50", "3.50")
