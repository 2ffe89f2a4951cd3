"""All commands together."""

from autograder.cli import assignments, book, feedback, grading, learning, marks
from autograder.cli.app import app

__all__ = ["app", "assignments", "book", "feedback", "grading", "learning", "marks"]
