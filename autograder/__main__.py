"""`python -m autograder`."""

from .cli import app

app(prog_name="python -m autograder")
