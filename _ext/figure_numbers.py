"""Number the pictures of the chapters, with their captions.

A code cell with a picture, or a drawing, and behind it a paragraph that begins with emphasis, become a figure: the
emphasised words are its caption, and what follows them stays a paragraph. So the caption is written once,
and reads well in a learner's copy too. A cell whose metadata has `"figure": "fig-name"` can be referred to.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

DRAWINGS = "drawings/"


def picture_of(cell: nodes.Element) -> nodes.Element | None:
    """Return a drawing, or the first output of a code cell that is a picture or a map with a picture for print."""
    if isinstance(cell, nodes.paragraph) and len(cell) == 1 and isinstance(cell[0], nodes.image):
        return cell if cell[0]["uri"].startswith(DRAWINGS) else None
    if not isinstance(cell, nodes.container) or cell.get("nb_element") != "cell_code":
        return None
    outputs = cell.findall(
        lambda node: isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"
    )
    return next((output for output in outputs if any(map(_is_image, output.children))), None)


def _is_image(form: nodes.Node) -> bool:
    return isinstance(form, nodes.Element) and str(form.get("mime_type", "")).startswith("image/")


def caption_behind(cell: nodes.Element) -> nodes.paragraph | None:
    """Return the paragraph that follows a cell, if it begins with emphasis."""
    place = cell.parent.index(cell) + 1
    following = cell.parent.children[place : place + 1]
    if following and isinstance(following[0], nodes.paragraph):
        words = following[0].children
        if words and isinstance(words[0], nodes.emphasis):
            return following[0]
    return None


def as_figure(picture: nodes.Element, paragraph: nodes.paragraph) -> nodes.figure:
    """Put a figure in the place of a picture, and take its caption out of the paragraph."""
    words = paragraph.pop(0)
    assert isinstance(words, nodes.emphasis)
    caption = nodes.caption("", "", *words.children)
    caption.source, caption.line = paragraph.source, paragraph.line
    if not paragraph.children:
        paragraph.parent.remove(paragraph)
    elif isinstance(rest := paragraph[0], nodes.Text):
        paragraph[0] = nodes.Text(rest.lstrip())
    figure = nodes.figure()
    picture.replace_self(figure)
    figure += [picture[0] if isinstance(picture, nodes.paragraph) else picture, caption]
    return figure


class NumberFigures(SphinxTransform):
    """Make a figure of each picture that has a caption, before Sphinx counts figures."""

    default_priority: ClassVar[int] = 300

    def apply(self, **kwargs: Any) -> None:
        """Change every picture of the page that is followed by a caption."""
        for cell in list(
            self.document.findall(lambda node: isinstance(node, nodes.container | nodes.paragraph))
        ):
            picture = picture_of(cell)
            paragraph = caption_behind(cell) if picture else None
            if picture is None or paragraph is None:
                continue
            figure = as_figure(picture, paragraph)
            name = cell.get("cell_metadata", {}).get("figure")
            if name:
                figure["names"].append(name)
                self.document.note_explicit_target(figure, figure)
            else:
                self.document.set_id(figure)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_transform(NumberFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
