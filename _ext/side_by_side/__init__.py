"""The pages of the book: frameworks side by side, folded answers, a page's head, and what it may load.

Each module registers itself with Sphinx; `_static/side_by_side.css` and `side_by_side.js` are the style and
the switch between both frameworks and one.
"""

from importlib import import_module

from sphinx.application import Sphinx

from .head import describe_frameworks
from .pairs import SideBySide, framework_of, groups_in

__all__ = ["SideBySide", "describe_frameworks", "framework_of", "groups_in", "setup"]

MODULES = "words pairs folds pictures roles head search faces lines icons formulas styles policy"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    for name in MODULES.split():
        import_module(f".{name}", __name__).register(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
