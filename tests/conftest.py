"""Fixtures that several tests share."""

import pytest

from autograder.remote import Zygote


@pytest.fixture(scope="session")
def zygote():
    """One warm process that forks workers, for the whole run."""
    with Zygote() as started:
        yield started
