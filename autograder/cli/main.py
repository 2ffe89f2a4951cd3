"""All commands together."""

from autograder.cli import grading, learning, marks
from autograder.cli.app import app

__all__ = ["app", "grading", "learning", "marks"]
