"""`python -m autograder`."""

from autograder.cli.main import main

main("python -m autograder")
