"""Text that belongs to a framework, and is hidden with its code when a reader chooses another.

Words are marked `[…]{.torch}`, or `[…]{.both}` where they compare; MyST makes a class of it. Here the class goes on to
the paragraph, the item or the row that holds nothing else, to a table's column headed by a framework's title, and to
what stands in a cell with the tag `framework-torch` or `framework-both`. `head.py` writes the rules that hide them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from autograder.book.contents import framework_of
from autograder.book.edition import BOTH
from autograder.frameworks import frameworks

# myst-nb numbers the lines of each cell of a notebook from here on, those of the first from 1 times this.
LINES = 10_000


class MarkText(SphinxTransform):
    """Give what holds the words of a framework, and nothing else, its class."""

    default_priority: ClassVar[int] = 310  # behind the figures, which take captions out of paragraphs

    def apply(self, **kwargs: object) -> None:
        """Mark the cells, columns, rows, items and paragraphs of a page."""
        names = {BOTH, *frameworks()}
        path = Path(self.document["source"])
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.suffix == ".ipynb" else []
        for block in self.document.findall(nodes.Element):
            if cells and block.line and isinstance(block.parent, nodes.section | nodes.document):
                framework = framework_of(cells[block.line // LINES - 1])
                block["classes"] += [framework] * (framework is not None)
        for words in self.document.findall(nodes.inline):
            if marks := names.intersection(words["classes"]):
                holder = _widest(words)
                holder["classes"] = list(dict.fromkeys([*holder["classes"], *marks]))
        titles = {f.title: name for name, f in frameworks().items()}
        for table in self.document.findall(nodes.tgroup):
            rows = list(table.findall(nodes.row))
            for place, head in enumerate(rows[0]):
                if name := titles.get(head.astext()):
                    for row in rows:
                        row[place]["classes"].append(name)


def _widest(words: nodes.Element) -> nodes.Element:
    """Return what holds these words and nothing else: a paragraph, an item of a list, or a row that begins with them."""
    holder = words.parent
    while (
        isinstance(holder, nodes.paragraph | nodes.list_item | nodes.entry)
        and holder.astext() == words.astext()
    ):
        words, holder = holder, holder.parent
    if isinstance(words, nodes.entry):
        return holder if holder.index(words) == 0 else words[0]
    return words


def register(app: Sphinx) -> None:
    """Mark what belongs to a framework."""
    app.add_transform(MarkText)
