"""The guide for teachers: what it says to type does what it says."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest
from typer.main import get_command

from autograder.cli.commands import app
from course.paths import ROOT

GUIDE = (ROOT / "chapters" / "teaching.md").read_text(encoding="utf-8").replace("\\\n", "")
ONE_ASSIGNMENT = GUIDE.split("## One assignment")[1].split("\n## ")[0]
HANDED_IN = ("right.py", "mask_too_late.py", "over_the_queries.py")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def typed(*words, folder):
    return subprocess.run(
        [sys.executable, "-m", "autograder", *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_one_assignment_goes_from_nothing_to_the_marks(tmp_path):
    commands = re.findall(r"```sh\nattention (.*)\n```", ONE_ASSIGNMENT)
    assert [command.split()[0] for command in commands] == [
        "assignment", "start", "grade", "report", "export", "changes",
    ]  # fmt: skip
    (tmp_path / "handed_in").mkdir()
    for name in HANDED_IN:
        shutil.copy(ROOT / "tests" / "sample_class" / name, tmp_path / "handed_in")
    for command in commands:
        done = typed(*shlex.split(command), folder=tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    marks = (tmp_path / "marks.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:5] for line in marks[1:]] == [
        [f'"{name.removesuffix(".py")}"', f'"{points}"', '""', f'"{points}"', '"3"']
        for name, points in zip(sorted(HANDED_IN), "002", strict=True)
    ]
    assert "mask_after_softmax" in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "handout" / "02_masked_softmax.ipynb").is_file()


@pytest.mark.parametrize("line", sorted(set(re.findall(r"attention ([a-z]+[^`\n|]*)", GUIDE))))
def test_every_command_and_option_of_the_guide_is_there(line):
    words = line.split()
    found = get_command(app).commands[words[0]]
    if words[1:] and words[1] in getattr(found, "commands", {}):
        found = found.commands[words[1]]
    known = {option for parameter in found.params for option in parameter.opts}
    assert set(OPTION.findall(line)) <= known
