"""Put each picture of a section into a box that `_static/layout.css` keeps in view beside the text.

A picture is a drawing, a plot, or a map that the margin can hold. What is as wide as the page stays as it is.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import create_component

from .folds import is_cell, part_of

DRAWING = 'class="drawing"'
WIDE_MAP = re.compile(r"<attention-map [^>]*--columns:([89]|\d\d)")


def raw_text(node: nodes.Node) -> str:
    """Return the HTML that a node brings with it."""
    return "".join(part.astext() for part in node.findall(nodes.raw) if part.get("format") == "html")


def is_drawing(node: nodes.Node) -> bool:
    """Return whether a paragraph is a drawing and nothing else, or a figure holds one."""
    only_raw = all(isinstance(part, nodes.raw) for part in node.children)
    is_alone = isinstance(node, nodes.paragraph) and only_raw
    return (is_alone or isinstance(node, nodes.figure)) and DRAWING in raw_text(node)


def is_plot(node: nodes.Node) -> bool:
    """Return whether a cell is a picture that fits into the margin: it has a figure, and its code is folded."""
    if not is_cell(node) or part_of(node, "source") is not None or WIDE_MAP.search(raw_text(node)):
        return False
    output = part_of(node, "output")
    return output is not None and output.next_node(nodes.figure) is not None


class Pictures(SphinxPostTransform):
    """Put the pictures of all sections into their boxes."""

    # After drawings and plots (150) and folded code (160, 165); before sphinx-design writes its tabs (200).
    default_priority: ClassVar[int] = 170
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the pictures that stand in a section itself; one in a box of text stays there."""
        for section in self.document.findall(nodes.section):
            for place, block in enumerate(section):
                if is_drawing(block) or is_plot(block):
                    stays = create_component("stays", ["stays"], children=[block])
                    section[place] = create_component("picture", ["picture"], children=[stays])


def register(app: Sphinx) -> None:
    """Keep pictures in view."""
    app.add_post_transform(Pictures)
