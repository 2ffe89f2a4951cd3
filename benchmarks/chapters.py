"""How long the cells of each chapter run: `python -m benchmarks.chapters`, or only those that are named.

Seconds of processors, all threads together, so that what else the machine does counts little. The frames of
the chapters say them in minutes (`make sync`).
"""

import sys

import nbformat
from nbclient import NotebookClient

from autograder.book.contents import chapters
from autograder.model.paths import ROOT
from tools.figures import parser, store, stored

# Run in the chapter's own process, behind its last cell.
SECONDS = """
import resource
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
round(sum(one.ru_utime + one.ru_stime for one in used), 1)
"""


def seconds(chapter: str) -> float:
    """Run a chapter, and give the seconds that it and its processes took of all processors."""
    notebook = nbformat.read(ROOT / "chapters" / f"{chapter}.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(SECONDS))
    folder = {"metadata": {"path": ROOT / "chapters"}}
    NotebookClient(notebook, timeout=None, kernel_name="python3", resources=folder).execute()
    return float(notebook.cells[-1]["outputs"][0]["data"]["text/plain"])


def main() -> None:
    command_line = parser("chapters", __doc__)
    command_line.add_argument(
        "chapters", nargs="*", choices=[*chapters(), []], help="all of them if none is named"
    )
    arguments = command_line.parse_args()
    measured = {}
    for chapter in arguments.chapters or chapters():
        measured[chapter] = seconds(chapter)
        sys.stdout.write(f"{chapter}: {measured[chapter]:.1f} seconds\n")
        sys.stdout.flush()
    if arguments.store:
        all_seconds = {**stored("chapters")["seconds"], **measured}
        store(
            "chapters",
            {"seconds": {chapter: all_seconds[chapter] for chapter in chapters() if chapter in all_seconds}},
        )


if __name__ == "__main__":
    main()
