"""The learner's commands in a folder of somebody else: nothing outside is read, written, removed or waited for."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.book.contents import DRAWINGS, file_of
from autograder.checking import progress
from autograder.cli.commands import app
from autograder.cli.main import main
from autograder.copies.start import start
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.learner_files import take_notes
from course.gpt import commands
from course.gpt.checks import CheckResult
from course.gpt.my_gpt import my_gpt
from tests.support import LATE, RIGHT

SECONDS = 120  # so long no command here takes, even on a busy machine
COPY = "masked_softmax.ipynb"
GPT = ("gpt", "--folder", ".")
# Which commands use which file or folder.
USES = {
    "progress.json": [("check", "right.py"), ("learn", ".", "--forget", "masked_softmax")],
    "answers.json": [("learn", ".", "--forget", "masked_softmax"), GPT],
    "practice.json": [("check", "late.py")],
    "my_gpt/written.json": [GPT],
    "my_gpt/model.py": [GPT],
}
PLACES = [(place, *words) for place, lines in USES.items() for words in lines]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A learner's folder with a package, and beside it what is somebody else's."""
    home = tmp_path_factory.mktemp("prepared") / "home"
    home.mkdir()
    progress.create(home)
    my_gpt(home)
    (home / "right.py").write_text(RIGHT)
    (home / "late.py").write_text(LATE)
    return home


@pytest.fixture
def home(prepared, tmp_path, monkeypatch):
    shutil.copytree(prepared, tmp_path / "home")
    for name in ("victim.json", "victim.py", "theirs/3/state.json", "theirs/5/state.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    monkeypatch.chdir(tmp_path / "home")

    def too_long(*_):
        raise TimeoutError("it waits")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    before = outside(tmp_path)
    yield tmp_path / "home"
    signal.alarm(0)
    take_notes()
    assert outside(tmp_path) == before


def outside(folder):
    """All that lies beside the learner's folder."""
    files = (path for path in folder.rglob("*") if "home" not in path.relative_to(folder).parts)
    return {path: path.is_file() and path.read_bytes() for path in files}


def output(*words):
    """What a command says; it ends with a status and no traceback."""
    done = CliRunner().invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1, 2)
    return " ".join(done.output.split())


def put(path, kind):
    """Put something hostile in the place of a file or folder."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to(Path("..", *[".." for _ in path.parts[1:-1]], "victim.json").resolve())
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text("[" * 100_000)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "deep"])
@pytest.mark.parametrize(("place", "words"), [(place, words) for place, *words in PLACES])
def test_what_is_no_plain_file_is_a_sentence(home, place, words, kind):
    put(home / place, kind)
    text = output(*words)
    if kind == "deep" and place.endswith(".json"):
        assert "is damaged" in text and f"{Path(place).name}.damaged" in text
    elif place != "progress.json" and kind != "deep":
        assert "is a link, and is not followed" in text or "it is not a plain file" in text
    if words[0] == "check":
        assert "masked_softmax: " in text or "masked_softmax (" in text, "the verdict is shown all the same"


@pytest.mark.parametrize(
    "name", ["../victim.py", "{outside}/victim.py", "..", ".", "", "a\0b", pytest.param("x" * 300, id="long")]
)
def test_the_record_of_a_package_names_no_file_of_somebody_else(home, name):
    name = name.format(outside=home.parent)
    (home / "my_gpt" / "written.json").write_text(json.dumps({"framework": "torch", name: "x"}))
    assert "It is in" in output(*GPT)
    assert name not in json.loads((home / "my_gpt" / "written.json").read_text())


@pytest.mark.parametrize("framework", ["\x1b[31mtorch", ["torch"], {"a": 1}, "jax"])
def test_the_framework_of_a_record_is_one_of_two(home, framework):
    (home / "my_gpt" / "written.json").write_text(json.dumps({"framework": framework}))
    assert "\x1b[31m" not in output(*GPT)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(" * 100_000, id="brackets"),
        pytest.param("rotary = " + "-" * 200_000 + "1", id="signs"),
        "def (",
        "x\0y",
        "x = 1",
        "",
        "def rotary(X):\n    return '\ud800'",
        "from solutions.nowhere.in_torch import sin\ndef rotary(X):\n    return sin(X)",
        "from solutions.positions.in_torch import nothing\ndef rotary(X):\n    return nothing(X)",
    ],
)
def test_a_kept_answer_that_is_no_answer_is_told_and_the_courses_takes_its_place(home, text):
    (home / "answers.json").write_text(json.dumps({"rotary": {"torch": text}}))
    sentences = output(*GPT)
    assert "It is in" in sentences and "The answer to rotary in" in sentences and "○ rotary" in sentences


def test_a_package_that_is_a_link_is_not_written_into(home):
    shutil.rmtree(home / "my_gpt")
    (home / "my_gpt").symlink_to(home.parent / "theirs")
    assert "is a link, and is not followed" in output(*GPT)


def test_checkpoints_that_are_a_link_are_neither_read_nor_dropped(home):
    (home / "my_gpt_trained").symlink_to(home.parent / "theirs")
    assert "my_gpt_trained is a link, and is not followed" in output("gpt", "write", "The", "--folder", ".")


@pytest.mark.parametrize("kind", ["pipe", "deep", "link"])
@pytest.mark.parametrize("name", ["state.json", "weights.npz"])
def test_a_checkpoint_that_is_something_else_is_damaged(home, kind, name):
    (home / "my_gpt_trained" / "7").mkdir(parents=True)
    (home / "my_gpt_trained" / "7" / "state.json").write_text('{"sizes": {}}')
    put(home / "my_gpt_trained" / "7" / name, kind)
    assert "damaged" in output("gpt", "write", "The", "--folder", ".")


def test_the_page_of_a_check_is_not_written_through_a_link(home, monkeypatch):
    (home / "my_gpt.html").symlink_to(home.parent / "victim.json")
    monkeypatch.setattr(commands, "getattr", lambda *_: None, raising=False)  # no part is judged
    result = CheckResult("All", True, "of it.")
    monkeypatch.setattr(commands.checks, "like_the_reference", lambda _: result)
    monkeypatch.setattr(commands.checks, "same_with_cache", lambda _: result)
    text = output("gpt", "check", "--untrained", "--folder", ".")
    assert "my_gpt.html is a link, and is not followed" in text


def test_copies_and_drawings_are_not_written_through_links(home):
    rules = Assignment.of(["masked_softmax"])
    file = file_of("masked_softmax", home)
    for place in (file, DRAWINGS.name):
        (home / place).symlink_to(home.parent / "nothing_yet")
        with pytest.raises(Exception, match="is a link, and is not followed") as error:
            start(home, "torch", rules)
        assert type(error.value).__name__ == "UsageError"
        (home / place).unlink()


def test_a_copy_that_is_a_pipe_is_not_waited_for(home):
    os.mkfifo(home / file_of("masked_softmax", home))
    assert "not a plain file" in output("start", ".", "--framework", "torch")


def test_running_the_code_of_another_folder_is_said_first(home, monkeypatch):
    monkeypatch.chdir(home.parent)
    text = output("gpt", "write", "The", "--folder", "home")
    assert "runs as it is, without the lock" in text.split("learnt nothing")[0]
    monkeypatch.chdir(home)
    assert "without the lock" not in output("gpt", "write", "The", "--folder", ".")


def test_a_folder_that_is_gone_is_a_sentence(home, monkeypatch, tmp_path, capsys):
    (tmp_path / "home" / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "home" / "gone")
    (tmp_path / "home" / "gone").rmdir()
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "is gone: change to another one" in capsys.readouterr().err
    assert progress.folder_at_hand() is None
    monkeypatch.setenv("JPY_SESSION_NAME", "/" + "x" * 5000 + "/a.ipynb")
    assert progress.folder_at_hand() is None


@pytest.mark.parametrize("answer", ["right.py", "late.py"])
def test_a_full_disk_does_not_replace_a_verdict(home, answer, monkeypatch):
    monkeypatch.chdir(home)

    def full(path, to):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    text = output("check", answer)
    assert "cannot be written: No space left on device" in text
    assert ("passed" if answer == "right.py" else "mask") in text


def test_what_a_terminal_gets_of_a_folder_is_printable(home):
    (home / "answers.json").write_text(json.dumps({"\x1b[31mred": 1, "masked_softmax": {"torch": 1}}))
    assert "\x1b" not in output("learn", ".", "--forget", "masked_softmax")
    assert "masked_softmax" in all_exercises()


PRINTS = (
    "import os, sys; from autograder.cli.main import main; {before}; sys.argv[1:] = ['exercises']; main()"
)


@pytest.mark.parametrize(
    ("before", "status", "sentence"),
    [
        ("sys.stdout = sys.stderr = None", 0, ""),
        ("sys.stdout = open('/dev/full', 'w')", 2, "cannot be written: No space left on device"),
    ],
)
def test_what_cannot_be_printed_is_no_traceback(before, status, sentence):
    command = [sys.executable, "-c", PRINTS.format(before=before)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False) and sentence in done.stderr


def test_a_terminal_without_some_characters_gets_the_others(home):
    """As where a locale of last century is set: the map of the package has circles and boxes."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "autograder", *GPT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "It is in" in " ".join(done.stdout.split()), done.stderr
