"""All commands together."""

from autograder.cli import book, feedback, grading, learning, marks
from autograder.cli.app import app

__all__ = ["app", "book", "feedback", "grading", "learning", "marks"]
