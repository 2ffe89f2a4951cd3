"""The drawings of the chapters: `chapters/drawings/<name>.svg`, written by the module of that name in this folder.

The one at the head of a chapter has the name of its topic; a further one is called `<topic>_<what it shows>`.
`thumbnails.py` draws the small ones of the first page, `chapters/thumbnails/<topic>.svg`.
Numbers are computed with the chapter's reference, from the chapter's own small example.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from autograder.book.contents import chapters
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tools.drawings.kit import Drawing
from tools.drawings.thumbnails import thumbnail

FOLDER = Path("chapters", "drawings")
CARDS = Path("chapters", "thumbnails")


def names() -> list[str]:
    """Return the names of all drawings: those at the heads of the chapters, then the further ones."""
    modules = {path.stem for path in Path(__file__).parent.glob("*.py")} - {"__init__", "kit", "thumbnails"}
    return [*chapters(), *sorted(modules - set(chapters()))]


def drawing(name: str) -> Drawing:
    """Return the drawing of this name; a ToolError if no module draws it."""
    if find_spec(f"tools.drawings.{name}") is None:
        raise ToolError(
            f"tools/drawings/{name}.py is missing, which draws what stands at the head of chapters/{name}.ipynb: write it."
        )
    svg: Drawing = import_module(f"tools.drawings.{name}").draw()
    svg.name = name
    return svg


def changes(root: Path = ROOT) -> dict[Path, str]:
    """Return the drawings below `root` that are not what their modules make, each with its new text."""
    texts = {root / FOLDER / f"{name}.svg": drawing(name).svg() for name in names()}
    texts |= {root / CARDS / f"{t}.svg": thumbnail(t, drawing(t).title).svg() for t in chapters()}
    return {p: t for p, t in texts.items() if not p.exists() or p.read_text(encoding="utf-8") != t}
