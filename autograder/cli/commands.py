"""All commands together."""

from autograder.cli import (  # noqa: F401
    assignments,
    book,
    doctor,
    exercises,
    gpt,
    grading,
    ideas,
    learning,
    marks,
    practise,
    remote,
    systems,
)
from autograder.cli.app import app as app
