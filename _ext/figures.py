"""Put figures that compute in the page where a chapter asks for them.

A chapter says

    ```{live-figure} keys
    What there is to do, and what to look at.
    ```

and the page gets `_static/figures/keys.mjs` with the still picture beside it, which stands where no script
runs. Beside the scripts goes the stored language model, which one of them computes with. The learners' copies show the still picture alone (`autograder/book/markdown.py`).
"""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from live_figures import parts, script
from page_assets import copy
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from autograder.book.contents import FIGURES
from autograder.model.errors import ToolError
from course.data.prose import STORED


def opening(name: str, still: str) -> str:
    """Return what stands before the caption."""
    return f'<figure class="live" data-name="{name}"><div class="still">{still}</div><figcaption>'


def closing(name: str) -> str:
    """Return what stands behind the caption."""
    return f'</figcaption></figure><script type="module">\n{script(name)}</script>'


class LiveFigure(SphinxDirective):
    """`{live-figure} <name>`, with its caption as content."""

    required_arguments = 1
    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Return the figure, its caption, and its script."""
        name = self.arguments[0]
        try:
            end = closing(name)
        except ToolError as error:
            raise self.error(str(error)) from None
        for path in (*parts(name), FIGURES / f"{name}.svg"):
            self.env.note_dependency(str(path))
        start = opening(name, (FIGURES / f"{name}.svg").read_text(encoding="utf-8"))
        caption = self.parse_content_to_nodes()
        # A PDF has the still alone.
        image = nodes.image(uri=f"/{relpath(FIGURES / f'{name}.svg', self.env.srcdir)}", alt=name)
        still = addnodes.only("", image, expr="latex")
        return [nodes.raw("", start, format="html"), still, *caption, nodes.raw("", end, format="html")]


def copy_model(app: Sphinx, error: Exception | None) -> None:
    """Put the stored model where the figure loads it from."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir, "_static", "figures")
        folder.mkdir(parents=True, exist_ok=True)
        copy(STORED, folder / STORED.name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", copy_model)
    app.add_directive("live-figure", LiveFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
