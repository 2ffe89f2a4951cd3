"""What `make test` runs: the chapters that differ from main, or a sample; and nothing is left out of both parts."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.model.catalogue import topics
from autograder.model.paths import ROOT
from tests import quick


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with one commit on main, and what is asked of git asked there."""
    for topic in ("sparse", "gpt", "index"):
        path = tmp_path / "chapters" / f"{topic}.{'md' if topic == 'index' else 'ipynb'}"
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    (tmp_path / "solutions" / "sparse").mkdir(parents=True)
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True)
    monkeypatch.setattr(quick, "ROOT", tmp_path)
    quick.quick_chapters.cache_clear()
    yield tmp_path
    quick.quick_chapters.cache_clear()


def test_where_nothing_differs_a_sample_stands_for_the_chapters(checkout):
    assert quick.quick_chapters() == quick.SAMPLE < set(topics())


def test_a_sample_is_run_where_git_is_not_there(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert quick.quick_chapters() == quick.SAMPLE


@pytest.mark.parametrize("changed", ["chapters/sparse.ipynb", "solutions/sparse/in_torch.py"])
def test_a_chapter_is_run_when_it_or_its_solutions_differ_from_main(checkout, changed):
    (checkout / changed).write_text("[]")  # one is known to git, the other is new
    (checkout / "chapters" / "index.md").write_text("a page without cells")
    assert quick.quick_chapters() == {"sparse"}


def test_a_commit_on_a_branch_differs_from_main_too(checkout):
    (checkout / "chapters" / "gpt.ipynb").write_text("[]")
    for words in (["switch", "-q", "-c", "branch"], ["commit", "-q", "-a", "-m", "second"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
        subprocess.run(["git", *identity, *words], cwd=checkout, check=True)
    assert quick.quick_chapters() == {"gpt"}


def item(path: str, *marks: str, **options: bool) -> SimpleNamespace:
    config = SimpleNamespace(getoption=lambda name: options.get(name[2:], False))
    return SimpleNamespace(path=Path(path), config=config, get_closest_marker=lambda name: name in marks)


@pytest.mark.parametrize("marks", [(), ("slow",), ("browser",)])
@pytest.mark.parametrize("path", ["chapters/sparse.ipynb", "chapters/gpt.ipynb", "tests/test_a.py"])
def test_each_item_is_in_one_part_and_with_no_option_all_are_run(path, marks):
    parts = [quick.is_left_out(item(path, *marks, **{part: True})) for part in ("quick", "rest")]
    assert sum(parts) == 1
    assert not quick.is_left_out(item(path, *marks))


def test_the_makefile_and_the_workflow_run_both_parts():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "$(PYTEST) chapters --quick" in makefile and "$(PYTEST) chapters --rest" in makefile
    for path in (".ci/run", ".github/workflows/book.yml"):
        assert "make ci" in (ROOT / path).read_text(encoding="utf-8")
