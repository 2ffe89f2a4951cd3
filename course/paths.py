"""Where the course lies, and where it looks for data."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
# A folder that several copies of the course share, with `multi30k_raw/` and `sentiment/`. It is only read;
# downloads go to the folder that ATTENTION_DATA names, or to the user's own cache.
SHARED_DATA = "ATTENTION_SHARED_DATA"


def shared_data(name: str) -> list[Path]:
    """The folder of a collection below the shared one; none if the variable is not set."""
    return [Path(os.environ[SHARED_DATA], name)] if os.environ.get(SHARED_DATA) else []
