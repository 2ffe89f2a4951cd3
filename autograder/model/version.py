"""Which grader this is: its version, and the commit of its source."""

import subprocess
from functools import cache

from autograder import __version__
from autograder.model.paths import ROOT

# Written when a package is built (`tools/build_hook.py`) or made for Gradescope; a checkout has none.
NOTE = ROOT / "autograder" / "commit.txt"


@cache
def commit() -> str | None:
    """Return the source's commit, with "-dirty" where a file is changed; None where nothing can say."""
    if (ROOT / ".git").exists():
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError:  # git is not installed
            return None
        return done.stdout.strip() or None
    return NOTE.read_text(encoding="utf-8").strip() if NOTE.is_file() else None


def version_text() -> str:
    """Return the version, and the commit where it is known, in one line."""
    return f"{__version__} (commit {commit() or 'unknown'})"
