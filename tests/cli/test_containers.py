"""The files that Codespaces, VS Code and Binder read name things that exist."""

import json
import os
import re

from autograder.cli.commands import app
from autograder.model.paths import ROOT

COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}


def commands_in(text):
    return re.findall(r"attention (\w+)", text)


def test_the_dev_container_sets_up_and_makes_the_copies():
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    command = container["postCreateCommand"]
    for target in re.findall(r"make (\w+)", command):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target
    assert commands_in(command) and set(commands_in(command)) <= COMMANDS
    assert re.search(r"python:3\.11\b", container["image"]), "the oldest interpreter that is promised"


def test_binder_installs_the_lock_and_the_course():
    folder = ROOT / ".binder"
    script = folder / "postBuild"
    for word in ("overrides.txt", "requirements.lock"):
        assert word in script.read_text() and (ROOT / word).is_file()
    assert os.access(script, os.X_OK) and set(commands_in(script.read_text())) <= COMMANDS
    assert (folder / "runtime.txt").read_text().strip() == "python-3.11"


def test_readers_are_told_of_both():
    for page in ("README.md", "chapters/index.md"):
        text = (ROOT / page).read_text()
        assert "Codespaces" in text and "Binder" in text, page
