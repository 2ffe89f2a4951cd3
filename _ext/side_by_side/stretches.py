"""Where a picture stays in view: beside the text, code and exercises behind it, on a page with a margin.

In each section a picture (a drawing, a plot, a map that is not too wide) and what follows it until the next picture
become a stretch: text that leads to the picture, the picture, and passages. A passage is a run of blocks of
one kind: text and code, the frameworks side by side, or an exercise. `_static/layout.css` puts the picture into the
margin and keeps it in view; where both frameworks are shown, a pair takes the whole width, and the picture ends above
it. A stretch says how far: `--rows` is the number of its passages, `--until` those above the first pair, `--closed`
those above the first exercise, which is as wide as a pair while it shows one. A picture that is much higher than what
can stand beside it stays in the text: `alone` where both frameworks are shown, `short` where one is. Without a margin
all stands in its order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import create_component, is_component
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node

from . import heights
from .folds import TRIES, is_cell, part_of

DRAWING = 'class="drawing"'
LIVE = '<figure class="live"'
MAP = re.compile(r'<attention-map class="([^"]*)" style="[^"]*--columns:(\d+)')
MARGIN = 28  # rem, of the margin on the narrowest page that has one
ENOUGH = 400  # pixels of text beside a picture
EMPTY = 150  # pixels that may stay empty below the text beside it
TEXT, PAIR, EXERCISE = "passage", "passage pairs", "passage tries"
SECTION = "passage exercises"  # a section with exercises; it is no row of buttons, as `.tries` is


def raw_text(node: nodes.Node) -> str:
    """The HTML that a node brings with it."""
    return "".join(part.astext() for part in node.findall(nodes.raw) if part.get("format") == "html")


def is_drawing(node: nodes.Node) -> bool:
    """Whether a paragraph is a drawing, and nothing else."""
    return (
        isinstance(node, nodes.paragraph)
        and DRAWING in raw_text(node)
        and all(isinstance(part, nodes.raw) for part in node.children)
    )


def fits(cell: nodes.Node) -> bool:
    """Whether what a cell shows fits into the margin: all but a map of many columns."""
    return all(
        int(columns) * (0.75 if "dense" in look else 2.4) + 9 <= MARGIN
        for look, columns in MAP.findall(raw_text(cell))
    )


def is_plot(node: nodes.Node) -> bool:
    """Whether a cell is a picture: it has a figure, and its code is folded."""
    if not is_cell(node) or part_of(node, "source") is not None:
        return False
    output = part_of(node, "output")
    return output is not None and output.next_node(nodes.figure) is not None


def is_picture(node: nodes.Node) -> bool:
    """Whether a block is a picture that fits into the margin."""
    return is_drawing(node) or (is_plot(node) and fits(node))


def ends(node: nodes.Node) -> bool:
    """Whether a stretch must end above a block: it is, or holds, a picture or a pair of its own."""
    if isinstance(node, nodes.section):
        return any(_stands_alone(part) or is_picture(part) for part in node.findall(nodes.Element))
    return _stands_alone(node) or is_picture(node)


def _stands_alone(node: nodes.Node) -> bool:
    """What takes the whole width in every layout: a figure that computes, or a map too wide for the margin."""
    live = isinstance(node, nodes.raw) and LIVE in node.astext()
    return live or (is_plot(node) and not fits(node))


def kind(block: nodes.Node) -> str:
    """The classes of the passage that a block belongs to."""
    # A section with a pair, or with an exercise, does as these do: in the column their code would break.
    parts = block.children if isinstance(block, nodes.section) else [block]
    if any(is_component(part, "tab-set") for part in parts):
        return PAIR
    exercise = exercise_node | exercise_enumerable_node
    if any(isinstance(part, exercise) or is_component(part, TRIES) for part in parts):
        return SECTION if isinstance(block, nodes.section) else EXERCISE
    return TEXT


def caption_of(node: nodes.Node) -> nodes.paragraph | None:
    """The caption at the head of a paragraph behind a drawing, taken out of it."""
    if not isinstance(node, nodes.paragraph) or not isinstance(node.children[0], nodes.emphasis):
        return None
    words = node.children[0]
    node.remove(words)
    if node.children and isinstance(rest := node[0], nodes.Text):
        node[0] = nodes.Text(rest.lstrip())
    return nodes.paragraph("", "", words, classes=["drawing-caption"])


@dataclass(eq=False)
class Stretch:
    """A picture with the blocks before and behind it that it accompanies."""

    lead: list[nodes.Node]
    picture: list[nodes.Node]
    behind: list[nodes.Node]

    def beside(self, whole: bool = False) -> float:
        """About how high the text beside the picture is: above the first pair, or, where one framework is shown, all."""
        own = self.behind if whole else takewhile(lambda block: kind(block) != PAIR, self.behind)
        return sum(map(heights.block, [*self.lead, *own]))

    @property
    def height(self) -> float:
        """About how high the picture is with its caption."""
        return sum(map(heights.picture, self.picture))

    def node(self) -> nodes.container:
        """The stretch as it stands in a page."""
        passages = [(look, list(run)) for look, run in groupby(self.behind, key=kind)]
        if self.lead:
            passages.insert(0, (TEXT, self.lead))
        looks = [look for look, _ in passages]
        until = next((i for i, look in enumerate(looks) if look == PAIR), len(looks))
        closed = next((i for i, look in enumerate(looks) if look != TEXT), len(looks))
        least = self.height - EMPTY
        alone = ["alone"] * (not until or self.beside() < least) + ["short"] * (
            self.beside(whole=True) < least
        )
        parts = [create_component("passage", look.split(), children=blocks) for look, blocks in passages]
        stays = create_component("stays", ["stays"], children=self.picture)
        parts.insert(bool(self.lead), create_component("in-margin", ["in-margin"], children=[stays]))
        style = f"--rows:{len(looks) or 1};--until:{until or 1};--closed:{closed or 1}"
        return create_component("stretch", ["stretch", *alone], children=parts, style=style)


def stretches_in(blocks: Sequence[nodes.Node]) -> list[nodes.Node]:
    """The blocks of a section, those that belong to a picture as a stretch."""
    found: list[nodes.Node | Stretch] = []
    for block in blocks:
        last = found[-1] if found and isinstance(found[-1], Stretch) else None
        if is_picture(block):
            found.append(Stretch([], [block], []))
        elif last and not ends(block):
            if not last.behind and is_drawing(last.picture[-1]) and (caption := caption_of(block)):
                last.picture.append(caption)
                if not block.children:
                    continue
            last.behind.append(block)
        else:
            found.append(block)
    for block in reversed(found[:]):
        if isinstance(block, Stretch):
            _lead_to(block, found)
    return [block.node() if isinstance(block, Stretch) else block for block in found]


def _lead_to(stretch: Stretch, found: list[nodes.Node | Stretch]) -> None:
    """Let text that leads to a picture stand beside it, as much as gives it something to stand beside.

    A picture above it keeps a block of its own.
    """
    place = found.index(stretch)
    above = found[place - 1] if place else None
    source, end = (above.behind, len(above.behind)) if isinstance(above, Stretch) else (found, place)
    first = 1 if source is not found else 0
    enough = max(ENOUGH, stretch.height)
    while (
        end > first and (stretch.beside() < enough or not stretch.lead) and _leads(block := source[end - 1])
    ):
        assert isinstance(block, nodes.Element)
        end -= 1
        had = isinstance(above, Stretch) and above.beside() >= above.height - EMPTY
        del source[end]
        if had and stretch.lead and isinstance(above, Stretch) and above.beside() < above.height - EMPTY:
            source.insert(end, block)  # the picture above needs it as much
            break
        stretch.lead.insert(0, block)


def _leads(block: nodes.Node | Stretch) -> bool:
    """Whether a block may stand beside the picture behind it: text, a formula, a list, a cell."""
    alone = isinstance(block, nodes.paragraph | nodes.math_block | nodes.bullet_list | nodes.enumerated_list)
    return alone or (isinstance(block, nodes.container) and is_cell(block) and not is_plot(block))


class Stretches(SphinxPostTransform):
    """Group the blocks of each section into stretches."""

    # Behind drawings and plots (150) and folded code (160, 165); before sphinx-design writes its tabs (200).
    default_priority: ClassVar[int] = 170
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change every section that holds a picture; a page without chapters' cells has no margin to fill."""
        for section in list(self.document.findall(nodes.section)):
            if any(is_picture(child) for child in section.children):
                blocks = stretches_in(section.children)
                section.clear()
                section += blocks


def register(app: Sphinx) -> None:
    """Keep pictures in view."""
    app.add_post_transform(Stretches)
