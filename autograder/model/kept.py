"""What is kept for a learner, in files of JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any]:
    """What a file holds by name; nothing where it is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, kept: Mapping[str, Any]) -> None:
    """Write a file as a whole, or not at all."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(path)
