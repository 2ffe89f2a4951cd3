"""Give the words that name a role, where a section first uses them beside a picture, the colour that it has there.

While a reader points at such a word, `_static/side_by_side.js` lets its parts of the picture stand out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import is_component

from .pictures import raw_text

WORDS = {
    role: re.compile(rf"\b{words}\b", re.IGNORECASE)
    for role, words in {
        "query": "quer(?:y|ies)",
        "key": "keys?",
        "value": "values?",
        "weight": "weights?",
        "context": "contexts?",
    }.items()
}
PLAIN = (nodes.literal, nodes.math, nodes.title, nodes.raw)


class Roles(SphinxPostTransform):
    """Mark the words of all sections that have a picture, and those of its caption."""

    # After pictures have their boxes (170).
    default_priority: ClassVar[int] = 172
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Mark the first word of each role that a picture of the section draws."""
        for section in self.document.findall(nodes.section):
            pictures = [
                part for part in section if is_component(part, "picture") or isinstance(part, nodes.raw)
            ]
            drawn = "".join(map(raw_text, pictures))
            captions = [caption for picture in pictures for caption in picture.findall(nodes.caption)]
            for role in WORDS:
                if f'class="{role}' in drawn:
                    mark(role, captions)
                    mark(role, [part for part in section if isinstance(part, nodes.paragraph)])


def mark(role: str, blocks: Iterable[nodes.Element]) -> None:
    """Give the first word of a role in these blocks its class."""
    for text in [text for block in blocks for text in block.findall(nodes.Text)]:
        word = WORDS[role].search(text)
        if word and not isinstance(text.parent, PLAIN):
            before, after = text[: word.start()], text[word.end() :]
            marked = nodes.inline("", word[0], classes=["role", role])
            place = text.parent.index(text)
            text.parent[place : place + 1] = [nodes.Text(before), marked, nodes.Text(after)]
            return


def register(app: Sphinx) -> None:
    """Mark the words of all pages."""
    app.add_post_transform(Roles)
