"""Put a chapter's drawing into its page, so that it follows the page's theme.

A chapter shows `![what it shows](drawings/<topic>.svg)`. In HTML the file itself takes the place of the
image; its title is what a screen reader reads. Anywhere else, and in notebooks, it stays an image.
"""

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

FOLDER = "chapters/drawings/"


class InlineDrawings(SphinxPostTransform):
    """Replace each image of a drawing by the drawing."""

    default_priority: ClassVar[int] = 150
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Look at all images of the page."""
        for image in list(self.document.findall(nodes.image)):
            uri = image["uri"]
            if uri.startswith(FOLDER) and uri.endswith(".svg"):
                text = Path(self.env.srcdir, uri).read_text(encoding="utf-8")
                image.replace_self(nodes.raw("", text, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(InlineDrawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
