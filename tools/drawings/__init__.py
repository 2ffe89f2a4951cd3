"""The drawings at the heads of the chapters: `chapters/drawings/<topic>.svg`.

Each is written by the module of its topic in this folder, which computes its numbers with the chapter's
reference, from the chapter's own small example.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from autograder.learner.contents import chapters
from course.paths import ROOT
from tools.drawings.kit import Drawing
from tools.errors import ToolError

FOLDER = Path("chapters", "drawings")


def drawing(topic: str) -> Drawing:
    """The drawing of a topic; a ToolError if no module draws it."""
    if find_spec(f"tools.drawings.{topic}") is None:
        raise ToolError(
            f"tools/drawings/{topic}.py is missing, which draws what stands at the head of chapters/{topic}.ipynb: write it."
        )
    made: Drawing = import_module(f"tools.drawings.{topic}").draw()
    return made


def changes(root: Path = ROOT) -> dict[Path, str]:
    """The drawings below `root` that are not what their modules make, each with its new text."""
    written = {root / FOLDER / f"{topic}.svg": drawing(topic).svg() for topic in chapters()}
    return {p: t for p, t in written.items() if not p.exists() or p.read_text(encoding="utf-8") != t}
