"""All commands together."""

from autograder.cli import (
    assignments,
    book,
    doctor,
    exercises,
    feedback,
    gpt,
    grading,
    learning,
    marks,
    systems,
)
from autograder.cli.app import app

__all__ = [
    "app",
    "assignments",
    "book",
    "doctor",
    "exercises",
    "feedback",
    "gpt",
    "grading",
    "learning",
    "marks",
    "systems",
]
