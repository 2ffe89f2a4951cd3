"""What `make book` takes of the processor: `python -m benchmarks.book`.

In a clone of the last commit, with every cache empty: with its set-up, once more with nothing changed, and after a
sentence was added to a chapter. Seconds are those of all processes, in user code and in the system: what else a machine
does hardly changes them.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.model.paths import ROOT
from tools.figures import parser, report

CHAPTER = Path("chapters", "masked_softmax.ipynb")
# Of a shell that made this call they would name another environment and other caches.
LEFT_OUT = ("VENV", "VIRTUAL_ENV", "ATTENTION_DATA", "UV_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")


def processor(clone: Path, cache: Path) -> float:
    """Return the seconds of processor that `make book` takes."""
    variables = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    variables |= {"XDG_CACHE_HOME": str(cache), "npm_config_cache": str(cache / "npm")}
    before = used()
    subprocess.run(
        ["make", "--silent", "book", f"PYTHON={sys.executable}"], cwd=clone, env=variables, check=True
    )
    return used() - before


def used() -> float:
    """Return the seconds that this process's children took so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def add_a_sentence(path: Path) -> None:
    """Add a sentence to the first cell of a chapter."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][0]["source"] += ["\n", "\n", "A sentence more."]
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    keep = parser("book", __doc__).parse_args().store
    with tempfile.TemporaryDirectory() as folder:
        clone, cache = Path(folder, "clone"), Path(folder, "cache")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        figures = {"fresh": processor(clone, cache), "unchanged": processor(clone, cache)}
        add_a_sentence(clone / CHAPTER)
        figures["one chapter"] = processor(clone, cache)
    report("book", {"seconds": figures}, keep)


if __name__ == "__main__":
    main()
