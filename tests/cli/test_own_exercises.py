"""Exercises in a folder of one's own: the example of the documentation is tested, graded, reported and packaged."""

import json
import re
import shlex
import shutil
import sys
import textwrap
from contextlib import closing
from importlib.metadata import EntryPoint

import pytest
from typer.main import get_command

from autograder.checking.lint import advice
from autograder.cli.commands import app
from autograder.marks.gradebook import Gradebook
from autograder.model import catalogue, teachers_exercises
from autograder.model.catalogue import all_exercises, topics, use_folder
from autograder.model.errors import UsageError
from autograder.model.paths import ROOT
from autograder.sandbox import readable_files
from tests.support import autograder

RIGHT = """
import torch
def row_range(X):
    return X.max(dim=-1).values - X.min(dim=-1).values
"""
OVER_COLUMNS = RIGHT.replace("dim=-1", "dim=-2")


def example():
    """The example in chapters/extending.md, as it is printed there."""
    text = (ROOT / "chapters" / "extending.md").read_text()
    (code,) = [s for s in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "EXERCISES = " in s]
    return code


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch):
    monkeypatch.setenv(teachers_exercises.VARIABLE, "")
    yield
    monkeypatch.undo()
    forget()


def forget():
    """Import what is one's own anew, as another process would."""
    for name in [name for name in sys.modules if name.startswith(("own_exercises_", "our_package"))]:
        del sys.modules[name]
    catalogue.modules.cache_clear()
    catalogue.all_exercises.cache_clear()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "our_course.py").write_text(example())
    return tmp_path / "own"


def said_of(folder):
    done = autograder("exercises", "test", folder, "--seeds", 3)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def said_anew_of(folder):
    """After a change of a file: as a process of its own would."""
    forget()
    return said_of(folder)[1]


def with_more(folder, more):
    path = folder / "our_course.py"
    path.write_text(f"{path.read_text()}\n{textwrap.dedent(more)}")


def test_the_example_is_short_and_can_be_used(folder):
    assert len(example().splitlines()) < 40
    status, output = said_of(folder)
    assert (
        status == 0 and "row_range: can be used: 3 wrong ideas told apart, with 3 sets of inputs." in output
    )
    assert "No hint seems to speak of mask, order," in output and "axis" not in output


def test_where_no_right_answer_was_tried_it_is_said(folder):
    """A wrong reference passes its own test."""
    assert "No right answer in MXNet or PyTorch was tried" in said_of(folder)[1]
    with_more(folder, f"RIGHT = {{'row_range': {{'torch': {RIGHT!r}}}}}")
    assert "No right answer in MXNet was tried" in said_anew_of(folder)


def test_advice_is_given_only_where_a_family_is_missing():
    assert advice(all_exercises()["rotary_attention"]) == ""


def test_every_command_that_meets_exercises_takes_the_folder():
    """All but those that name none: the machine, the book, the course's own checks, and the GPT."""
    commands = {
        " ".join(filter(None, (name, inner))): part
        for name, whole in get_command(app).commands.items()
        for inner, part in {"": whole, **getattr(whole, "commands", {})}.items()
    }
    without = {
        name for name, part in commands.items() if not any("--exercises" in p.opts for p in part.params)
    }
    # The groups `assignment` and `idea` are no commands themselves, and `exercises test` takes the folder without an option's name.
    gpt = {"gpt", *(f"gpt {inner}" for inner in ("train", "write", "chat", "load", "save", "check"))}
    assert without == {"doctor", "book", "test", "assignment", "idea", "exercises test"} | gpt


FAULTS = {
    "a wrong idea that no case shows": (
        ("return X.max(axis=-2) - X.min(axis=-2)", "return X.max(axis=-1) - X.min(axis=-1) + 0 * X.sum()"),
        "take the wrong idea over_the_columns for another answer (accepted)",
    ),
    "cases that are not drawn": (("rng.normal(size=", "np.ones("), "must be drawn anew"),
    "a generator of cases": (
        ("return [Case(", "yield from [Case("),
        "its cases must give a list of cases, but",
    ),
    "too few cases": (("in sizes]", "in sizes[:2]]"), "must have at least 3 cases, but has 2"),
    "a case without its argument": (('{"X": ', '{"Y": '), "must have a value for each argument"),
    "a reference that fails": (
        ("return X.max(axis=-1) - X.min(axis=-1)", "return X.max(axis=7) - X.min(axis=7)"),
        "it stops with AxisError",
    ),
    "no hint": (
        ('"The smallest number is not subtracted."', '" "'),
        "each hint must have words",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_an_exercise_is_said(folder, fault):
    (old, new), words = FAULTS[fault]
    path = folder / "our_course.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    status, output = said_of(folder)
    assert status in (1, 2) and words in output, output


def test_right_and_wrong_answers_in_a_framework_are_judged(folder):
    with_more(
        folder,
        f"""
        RIGHT = {{"row_range": {{"torch": {RIGHT!r}}}}}
        """,
    )
    path = folder / "our_course.py"
    edits = {"over_the_columns": OVER_COLUMNS, "largest_only": (" - X.min(dim=-1).values", "")}
    for name, edit in edits.items():
        before, after = path.read_text().split(f"Misconception({name}, ")
        path.write_text(f'{before}Misconception({name}, edits={{"torch": {edit!r}}}, hint={after}')
    assert said_of(folder)[0] == 0
    text = path.read_text()
    path.write_text(text.replace(".values', '')", ".values', ' - 1')"))
    assert "largest_only in PyTorch must be rejected with its hint" in said_anew_of(folder)
    path.write_text(text.replace("(' - X.min", "('not there"))
    assert "must stand once in the solution, but stands there 0 times" in said_anew_of(folder)
    path.write_text(text.replace(repr(RIGHT), repr(OVER_COLUMNS)))
    assert "RIGHT in PyTorch must be accepted" in said_anew_of(folder)


def test_what_gives_back_an_argument_may_not_pass(tmp_path):
    place = tmp_path / "own"
    place.mkdir()
    text = example().replace("row_range", "same").replace("X.max(axis=-1) - X.min(axis=-1)", "X", 1)
    (place / "loose.py").write_text(text)
    assert "gives back its argument X must be rejected, but is accepted" in said_of(place)[1]


UNUSABLE = {
    "no folder": (lambda folder: folder.rmdir(), "There is no folder"),
    "an empty folder": (lambda folder: None, "holds no Python file that defines EXERCISES"),
    "an error": (
        lambda folder: (folder / "a.py").write_text("x = 1\ny = x / 0"),
        "cannot be imported, line 2 of a.py",
    ),
    "a topic of the course": (
        lambda folder: (folder / "masked_softmax.py").write_text("EXERCISES = ()"),
        "there is a topic 'masked_softmax' already",
    ),
    "no exercises": (lambda folder: (folder / "a.py").write_text("EXERCISES = (1,)"), "must hold exercises"),
    "a name of the course": (
        lambda folder: (folder / "a.py").write_text(example().replace('"row_range"', '"masked_softmax"')),
        "Two exercises are named 'masked_softmax'",
    ),
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path, kind):
    place = tmp_path / "own"
    place.mkdir()
    make, words = UNUSABLE[kind]
    make(place)
    with pytest.raises(UsageError, match=re.escape(words)):
        use_folder(place)


@pytest.mark.parametrize(
    ("ideas", "words"),
    [
        ("[row_range.summed]\nevery = ['max', 'sum']", "row_range.summed must be a table with a `hint`"),
        ("[row_range.summed]\nhint = 'h'\nevry = ['max', 'sum']", "row_range.summed needs an edit for NumPy"),
        ("[row_range.summed]\nhint = 'h'\nevery = ['no such text', '']", "looks for 'no such text'"),
        ("[row_rang.summed]\nhint = 'h'\nevery = ['max', 'sum']", "there is no exercise row_rang"),
        ("[row_range.summed", "Expected ']'"),
        ("imports = 'import nothing_of_this_name'\n[row_range.summed]\nhint = 'h'", "ModuleNotFoundError"),
    ],
)
def test_ideas_that_cannot_be_used_are_a_sentence_before_anything_is_graded(folder, tmp_path, ideas, words):
    """An answer that such an idea would have explained was told that its process had sent what is no answer."""
    text = (folder / "our_course.py").read_text()
    head, _ = text.split("    misconceptions=")
    (folder / "our_course.py").write_text(f"{head}),)\n")
    (folder / "our_course.toml").write_text(ideas)
    answer = tmp_path / "answer.py"
    answer.write_text("def row_range(X):\n    return X")
    for command in (("exercises", "test", folder), ("grade", answer, "--exercises", folder)):
        done = autograder(*command)
        output = " ".join((done.stdout + done.stderr).split())
        assert done.returncode == 2 and ".toml cannot be used: " in output and words in output, output
        assert "Traceback" not in output and "tampering" not in output


def test_files_of_a_folder_may_import_each_other(folder):
    (folder / "helpers.py").write_text("WORDS = 'from a helper'")
    with_more(folder, "from .helpers import WORDS")
    use_folder(folder)
    assert all_exercises()["row_range"].topic == "our_course" and "our_course" not in topics()


@pytest.mark.slow
def test_own_exercises_are_listed_checked_graded_reported_and_exported(folder, tmp_path):
    options = ("--exercises", folder)
    assert "row_range" in autograder("exercises", *options).stdout
    work = tmp_path / "class"
    work.mkdir()
    (work / "ann.py").write_text(RIGHT)
    (work / "bo.py").write_text(OVER_COLUMNS)
    assert autograder("check", work / "ann.py", "--exercise", "row_range", *options).returncode == 0
    book = tmp_path / "first.sqlite"
    grade = ("grade", work, "--gradebook", book, "--exercise", "row_range", "--practice")
    done = autograder(*grade, *options, "--processes", 2)  # graded by processes of their own
    assert done.returncode == 0, done.stderr
    assert "It is the range of each column" in " ".join(done.stdout.split())
    csv = autograder("export", "csv", book, *options).stdout.splitlines()
    assert csv[1].startswith('"ann","1","1","1"') and csv[2].startswith('"bo","0","0","1"')
    assert autograder("report", book, "--to", tmp_path / "pages", *options).returncode == 0
    assert "over_the_columns" in (tmp_path / "pages" / "index.html").read_text()


@pytest.fixture
def graded(folder, tmp_path, monkeypatch):
    """A gradebook of an assignment with an exercise of one's own, and what was typed but for --exercises."""
    (tmp_path / "ann.py").write_text(RIGHT)
    (tmp_path / "first.toml").write_text('name = "First"\n[exercises]\nrow_range = 1\n')
    book, options = tmp_path / "first.sqlite", ("--assignment", tmp_path / "first.toml")
    grade = ("grade", tmp_path / "ann.py", "--gradebook", book, "--practice")
    assert autograder(*grade, *options, "--exercises", folder).returncode == 0

    def anew(*command):
        monkeypatch.setenv(teachers_exercises.VARIABLE, "")
        forget()
        done = autograder(*command)
        return done.returncode, done.stdout, " ".join(done.stderr.split())

    return book, grade, anew


def test_a_gradebook_remembers_the_folder_of_own_exercises(graded, folder, tmp_path):
    book, grade, anew = graded
    status, csv, words = anew("export", "csv", book)
    assert f"Your exercises are those in {folder}, as {book} remembers." in words
    assert status == 0 and '"ann","1","1","1"' in csv
    for command in (("report", book, "--to", tmp_path / "pages"), grade):
        assert anew(*command)[0] == 0
    # What is typed wins, and `grade` remembers it.
    shutil.copytree(folder, tmp_path / "other")
    path = tmp_path / "other" / "our_course.py"
    path.write_text(path.read_text().replace("points=1", "points=7").replace("row_range", "another_range"))
    status, _, words = anew("export", "csv", book, "--exercises", tmp_path / "other")
    assert status == 2 and "'row_range', which is not known here" in words
    shutil.rmtree(tmp_path / "other")
    folder.rename(tmp_path / "other")
    gone = f"graded with your exercises in {folder}, and this folder is not there"
    for command in (("export", "csv", book), grade):
        status, _, words = anew(*command)
        assert status == 2 and gone in words, words
    assert anew(*grade, "--exercises", tmp_path / "other")[0] == 0
    assert anew("export", "csv", book)[0] == 0


def test_an_assignments_file_names_the_folder_of_own_exercises(folder, tmp_path, graded):
    """From where the file lies; so no later command needs --exercises, and what the file says wins over a gradebook."""
    book, _, anew = graded
    file = tmp_path / "term" / "own.toml"
    file.parent.mkdir()
    options = ("--exercise", "row_range", "--exercises", folder)
    assert anew("assignment", "new", file, *options)[0] == 0
    assert 'own_exercises = "../own"' in file.read_text()
    status, _, words = anew("start", tmp_path / "handout", "--assignment", file)
    assert status == 0 and f"Your exercises are those in {folder}, as {file} says." in words
    assert (tmp_path / "handout" / "own_exercises" / "our_course.py").is_file()
    folder.rename(tmp_path / "moved")
    grade = ("grade", tmp_path / "ann.py", "--assignment", file, "--gradebook", book, "--practice")
    status, _, words = anew(*grade)
    assert status == 2 and f"There is no folder {folder} with exercises." in words
    file.write_text(file.read_text().replace("../own", "../moved"))
    assert anew(*grade)[0] == 0
    assert anew("export", "csv", book)[0] == 0


def test_the_line_that_grades_again_works_as_it_is_printed(graded, tmp_path):
    book, _, anew = graded
    (tmp_path / "first.toml").write_text('name = "First"\n[exercises]\nrow_range = 3\n')
    _, _, words = anew("export", "csv", book)
    line = words.partition("Grade again: ")[2]
    assert line.startswith("attention grade ")
    assert anew(*shlex.split(line)[1:])[0] == 0
    assert anew("export", "csv", book)[1].splitlines()[1].startswith('"ann","3","3","3"')


def test_a_gradebook_whose_exercise_is_not_known_gives_no_marks(graded):
    """As one that was kept before gradebooks remembered the folder."""
    book, grade, anew = graded
    with closing(Gradebook(book)) as opened:
        opened.connection.execute("delete from course where name = 'exercises'")
    for command in (("export", "csv", book), grade):
        status, _, words = anew(*command)
        assert status == 2 and "name the folder that has it with --exercises" in words


@pytest.mark.slow
def test_a_gradescope_package_takes_own_exercises_along(folder, tmp_path, monkeypatch):
    package = tmp_path / "made"
    options = ("--exercise", "row_range", "--exercises", folder)
    assert autograder("package", "gradescope", package, *options).returncode == 0
    (tmp_path / "ann.py").write_text(RIGHT)
    (line,) = re.findall(r"autograder gradescope .*", (package / "run_autograder").read_text())
    words = line.split()[4:]
    assert words == ["--exercise", "row_range", "--exercises", "own_exercises"]
    monkeypatch.setenv(teachers_exercises.VARIABLE, "")  # another machine
    results = tmp_path / "results.json"
    done = autograder("gradescope", tmp_path / "ann.py", results, *words, "--practice", packages=package)
    assert done.returncode == 0, done.stderr
    (test,) = json.loads(results.read_text())["tests"]
    assert (test["score"], test["max_score"], test["tags"]) == (1, 1, ["our_course"])


def installed(monkeypatch, tmp_path, text):
    """A package with exercises, as pip would have installed it."""
    package = tmp_path / "site" / "our_package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "entropy.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    point = EntryPoint("entropy", "our_package.entropy", teachers_exercises.GROUP)
    for module in (teachers_exercises, readable_files):
        monkeypatch.setattr(module, "entry_points", lambda group: [point] if group == point.group else [])
    forget()
    return package


def test_an_installed_package_brings_exercises_by_an_entry_point(monkeypatch, tmp_path):
    installed(monkeypatch, tmp_path, example())
    assert all_exercises()["row_range"].topic == "entropy"


def test_no_submission_may_read_an_installed_package_of_exercises(monkeypatch, tmp_path):
    package = installed(monkeypatch, tmp_path, example())
    monkeypatch.setattr(readable_files, "_folders", lambda: [tmp_path / "site"])
    (tmp_path / "site" / "numpy").mkdir()
    assert readable_files.GROUP == teachers_exercises.GROUP
    readable_files._packages_of_exercises.cache_clear()
    try:
        assert readable_files.readable_paths()[0] == tmp_path / "site" / "numpy"
        assert package not in readable_files.readable_paths() and readable_files.listable_folders() == [
            tmp_path / "site"
        ]
    finally:
        readable_files._packages_of_exercises.cache_clear()
