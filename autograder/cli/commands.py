"""All commands together."""

from autograder.cli import assignments, book, exercises, feedback, grading, learning, marks, systems
from autograder.cli.app import app

__all__ = ["app", "assignments", "book", "exercises", "feedback", "grading", "learning", "marks", "systems"]
