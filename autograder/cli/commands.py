"""All commands together."""

from autograder.cli import book, grading, learning, marks
from autograder.cli.app import app

__all__ = ["app", "book", "grading", "learning", "marks"]
