"""The items of *Find the fault* are made once for what they depend on, and a build in which nothing changed writes nothing."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import practice  # _ext is in pytest's path
import pytest

from autograder.model.catalogue import all_exercises
from tests.book.sample_book import build

EXERCISES = [all_exercises()[name] for name in ("masked_softmax", "scaled_scores")]


@pytest.fixture
def made_as(monkeypatch):
    """A function that has scripts made of a word, since real ones take seconds."""
    return lambda word: monkeypatch.setattr(practice, "script_of", lambda e: f"{e.name} {word} {os.getpid()}")


def test_scripts_are_made_once_in_processes_of_their_own(tmp_path, made_as):
    made_as("first")
    paths = practice.scripts(EXERCISES, tmp_path)
    texts = [path.read_text() for path in paths.values()]
    assert [text.split()[:2] for text in texts] == [[e.name, "first"] for e in EXERCISES]
    assert str(os.getpid()) not in {text.split()[2] for text in texts}
    made_as("second")
    assert practice.scripts(EXERCISES, tmp_path) == paths
    assert [path.read_text() for path in paths.values()] == texts


def test_one_that_changed_is_made_anew_in_place_of_the_old_one(tmp_path, made_as, monkeypatch):
    made_as("first")
    practice.scripts(EXERCISES, tmp_path)
    made_as("second")
    monkeypatch.setattr(
        practice, "digest", lambda e, of=practice.digest: of(e)[::-1] if e is EXERCISES[0] else of(e)
    )
    practice.scripts(EXERCISES, tmp_path)
    assert sorted(path.read_text().split()[1] for path in tmp_path.iterdir()) == ["first", "second"]


def test_a_script_that_cannot_be_made_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(practice, "script_of", lambda e: 1 / 0)
    with pytest.raises(Exception, match="ZeroDivisionError"):
        practice.scripts(EXERCISES, tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".js"]


def test_items_depend_on_the_exercise_its_solutions_and_what_these_import(tmp_path, monkeypatch):
    translation = next(e for e in all_exercises().values() if e.topic == "translation" and e.asks_for_code)
    names = {path.relative_to(practice.ROOT).as_posix() for path in practice.files_of(translation)}
    assert {
        "exercises/translation.py",
        "exercises/translation.toml",
        "solutions/masked_softmax/in_numpy.py",
    } <= names
    assert not [name for name in names if "gpt" in name]
    shutil.copytree(practice.SOLUTIONS, tmp_path / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(practice, "SOLUTIONS", tmp_path / "solutions")
    before = [practice.digest(exercise) for exercise in (*EXERCISES, translation)]
    changed = tmp_path / "solutions" / "masked_softmax" / "in_torch.py"
    changed.write_text(changed.read_text() + "\n# another\n")
    after = [practice.digest(exercise) for exercise in (*EXERCISES, translation)]
    depends = [old != new for old, new in zip(before, after, strict=True)]
    assert depends[0] and depends[2]
    assert practice.digest(replace(EXERCISES[0], name="another")) != after[0]


def times_of_files(folder: Path) -> dict[str, int]:
    """When each file of a built book was written."""
    files = (path for path in (folder / "_build").rglob("*") if path.is_file())
    return {str(path): path.stat().st_mtime_ns for path in files}


def test_a_second_build_with_nothing_changed_writes_nothing(sample_folder):
    before = times_of_files(sample_folder)
    build(sample_folder)
    changed = {
        Path(path).name for path, when in times_of_files(sample_folder).items() if before.get(path) != when
    }
    assert changed <= {"pygments.css"}  # which the theme writes at each build
