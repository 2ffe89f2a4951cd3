"""Put a chapter's drawing into its page, so that it follows the page's theme.

A chapter shows `![what it shows](drawings/<topic>.svg)`, a card of the first page `thumbnails/<topic>.svg`. In HTML the file itself takes the place of the
image; its title is what a screen reader reads. In notebooks it stays an image, and for LaTeX a browser prints
it: the converters that Sphinx knows do not read the variables that hold its colours.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter
from sphinx_design.shared import PassthroughTextElement

FOLDERS = ("chapters/drawings/", "chapters/thumbnails/")
BROWSER = "chromium"
# A page as large as the drawing, with nothing around it.
PAGE = """<!doctype html><html data-theme="light"><meta charset="utf-8">
<style>@page {{ size: {width}px {height}px; margin: 0 }} body {{ margin: 0 }} svg {{ display: block }}</style>{drawing}"""


class InlineDrawings(SphinxPostTransform):
    """Replace each image of a drawing by the drawing."""

    default_priority: ClassVar[int] = 150
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Look at all images of the page."""
        for image in list(self.document.findall(nodes.image)):
            uri = image["uri"]
            if uri.startswith(FOLDERS) and uri.endswith(".svg"):
                text = Path(self.env.srcdir, uri).read_text(encoding="utf-8")
                image.replace_self(nodes.raw("", text, format="html"))


class PlainCards(SphinxPostTransform):
    """Leave drawings and links out of the first page's cards: on paper a drawing is as large there as in its chapter,
    and the link that covers a card on a screen is a line of its own."""

    default_priority: ClassVar[int] = 150
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Look at all images in cards."""
        for card in self.document.findall(nodes.container):
            if "sd-card" in card["classes"]:
                links = [child for child in card.children if isinstance(child, PassthroughTextElement)]
                for part in [*card.findall(nodes.image), *links]:
                    part.parent.remove(part)


class PrintedDrawings(ImageConverter):
    """Print each drawing into a PDF, with a browser."""

    conversion_rules = [("image/svg+xml", "application/pdf")]  # noqa: RUF012, the base class has it so

    def is_available(self) -> bool:
        """Return whether there is a browser."""
        return shutil.which(BROWSER) is not None

    def convert(self, _from: str, _to: str) -> bool:
        """Print one drawing; whether that worked."""
        return printed(Path(_from), Path(_to))


def printed(drawing: Path, pdf: Path) -> bool:
    """Print a drawing into a PDF of its own size; whether that worked."""
    text = drawing.read_text(encoding="utf-8")
    size = re.search(r'<svg[^>]* width="(\d+)" height="(\d+)"', text)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        width, height = size.groups() if size else (720, 400)
        page.write_text(PAGE.format(width=width, height=height, drawing=text), encoding="utf-8")
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}"]
        command += ["--no-pdf-header-footer", f"--print-to-pdf={pdf}", page.as_uri()]
        subprocess.run(command, capture_output=True, check=False)
    return pdf.is_file()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(InlineDrawings)
    app.add_post_transform(PlainCards)
    app.add_post_transform(PrintedDrawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
