"""`python -m autograder`."""

from autograder.cli.main import app

app(prog_name="python -m autograder")
