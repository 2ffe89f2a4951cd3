"""`attention --help` is printed from a stored text, which says what the commands say."""

import subprocess
import sys

from autograder.cli.commands import app
from autograder.cli.help import TEXT, from_commands

QUICK = """
import sys
from autograder.cli.main import main
sys.argv = ["attention", "--help"]
main("attention")
print(sorted({"typer", "numpy"} & sys.modules.keys()))
"""


def test_the_stored_help_is_that_of_the_commands():
    """In whatever order other tests have imported them."""
    stored, lines = TEXT.read_text(encoding="utf-8").splitlines(), from_commands(app).splitlines()
    assert sorted(stored) == sorted(lines), "run `make sync`"


def test_help_comes_without_the_commands():
    command = [sys.executable, "-c", QUICK]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    *lines, modules = done.stdout.splitlines()
    assert lines == TEXT.read_text(encoding="utf-8").replace("{name}", "attention").splitlines()
    assert modules == "[]"
