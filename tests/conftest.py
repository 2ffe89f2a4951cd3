"""Fixtures that several tests share."""

from pathlib import Path

import pytest

from autograder.grade.processes import Zygote

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def zygote():
    """One warm process that forks workers, for the whole run."""
    with Zygote() as started:
        yield started


@pytest.fixture(scope="session")
def browser():
    """One Chromium for the whole run."""
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed: apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()
