"""Put the stored language model where a chapter asks for it, for a reader's own text.

A chapter says

    ```{model-in-page} The weights of each row sum to
    ```

with the text that stands there at first. `_static/in_page/model.mjs` brings it to life. On paper the page says
what there is in the book; so do the learners' copies (`autograder/book/markdown.py`).
"""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar

from docutils import nodes
from in_page import missing  # type: ignore[import-not-found]
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from course.data.prose import stored_model
from course.model_in_page import MOST_WRITTEN, SHOWN
from solutions.language_model.in_numpy import num_blocks

ON_PAPER = "In the book's page the trained model answers here to a text of the reader's own."
NOTE = (
    "The first question loads Python, NumPy, the course's code and the model into the page once: some 9 MB. "
    "In tokens ␣ stands for a blank and ↵ for the end of a line."
)
WITHOUT = "The model cannot be asked in this copy of the book: {0}. Its notebook can run it."
SUMMARY = "<summary>Ask the trained model</summary>"


class Place(nodes.General, nodes.Element):
    """Where the model goes; it holds the text that stands there at first."""


def controls(text: str, reason: str | None) -> str:
    """What a reader can do, as HTML. reason: why the model cannot be asked, if it cannot."""
    start = f'<div class="in-page in-page-model"><details>{SUMMARY}'
    if reason is not None:
        return f"{start}<p>{escape(WITHOUT.format(reason))}</p></details></div>"
    model = stored_model()
    blocks = "".join(_block(block, model.num_heads) for block in range(num_blocks(model.weights)))
    return (
        f'{start}<p class="in-page-note">{NOTE}</p>'
        f'<label class="in-page-asked">Your text <textarea rows="2">{escape(text)}</textarea></label>'
        '<div class="in-page-buttons"><button type="button" class="in-page-ask">Ask the model</button>'
        f'<button type="button" class="in-page-write">Write {MOST_WRITTEN} tokens on</button>'
        '<label class="in-page-temperature">Temperature <input type="range" min="0.1" max="2" step="0.1" value="0.7">'
        "<output>0.7</output></label></div>"
        '<p class="in-page-status" role="status"></p>'
        '<div class="in-page-answers" hidden>'
        '<p class="in-page-written" aria-live="polite" hidden></p>'
        f'<p class="in-page-title">The {SHOWN} most probable next tokens</p>'
        '<div class="in-page-table in-page-next" role="region" aria-label="The next token" tabindex="0"></div>'
        '<p class="in-page-title">The heads: press one to see its weights and to switch it off, '
        f"again to switch it on</p>{blocks}"
        '<div class="in-page-table in-page-map" role="region" aria-label="Weights of a head" tabindex="0"></div>'
        "</div></details></div>"
    )


def _block(block: int, num_heads: int) -> str:
    buttons = "".join(
        f'<button type="button" class="in-page-head" aria-pressed="false" data-block="{block}" '
        f'data-head="{head}"><canvas aria-hidden="true"></canvas>'
        f'<span><span class="in-page-unseen">Switch off head </span>{head + 1}</span></button>'
        for head in range(num_heads)
    )
    return (
        f'<div class="in-page-heads" role="group" aria-label="Heads of block {block + 1}">'
        f"<span>Block {block + 1}</span>{buttons}</div>"
    )


class ModelInPage(SphinxDirective):
    """`{model-in-page} <text>`."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """The place, and the sentence for paper."""
        sentence = nodes.paragraph("", ON_PAPER, classes=["in-page-on-paper"])
        return [Place(text=self.arguments[0]), sentence]


class Fill(SphinxPostTransform):
    """Write what a reader can do into its place: in the web's pages alone."""

    default_priority: ClassVar[int] = 146

    def run(self, **kwargs: Any) -> None:
        """Replace each place."""
        for place in list(self.document.findall(Place)):
            if self.app.builder.format != "html":
                place.parent.remove(place)
                continue
            text = controls(place["text"], missing(self.app))
            place.replace_self(nodes.raw("", text, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(Place)
    app.add_directive("model-in-page", ModelInPage)
    app.add_post_transform(Fill)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
