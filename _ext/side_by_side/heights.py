"""About how high blocks are on a page of 1400 pixels: in its text, and a picture in its margin.

The page is laid out by a browser that nobody can ask while the book is built. What counts is whether a picture is much
higher than the text beside it, so an error of some lines does no harm.
"""

from __future__ import annotations

import math
import re

from docutils import nodes
from sphinx_design.shared import is_component

from .folds import TRIES, is_cell

MARGIN = 480  # pixels
LINE, CODE_LINE, GAP, ROW = 27, 20, 20, 36  # of text, of code, between two blocks, of a map
LETTERS, CODE_LETTERS, MARGIN_LETTERS = 72, 74, 64  # in a line of text, of code, of a caption
SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="0 0 ([\d.]+) ([\d.]+)"')
PLOT = 384  # pixels that a plot may be high in the margin, as layout.css has it
POINT = 4 / 3  # pixels


def _raw(node: nodes.Node) -> str:
    return "".join(part.astext() for part in node.findall(nodes.raw) if part.get("format") == "html")


def _lines(text: str, letters: int) -> int:
    return sum(math.ceil(max(len(line), 1) / letters) for line in text.splitlines() or [""])


def picture(node: nodes.Node) -> float:
    """How high a drawing, a plot or a map is in the margin, with its caption."""
    html = _raw(node)
    captions = [part.astext() for part in node.findall(nodes.caption)]
    height = float(sum(_lines(caption, MARGIN_LETTERS) * LINE + GAP for caption in captions))
    if "<attention-map" in html:
        rows, settings = html.count('scope="row"'), html.count("<output>")
        beside = 200 if 'class="picture"' in html else 0
        return height + ROW * (rows + 2) + 45 * settings + 130 + beside + 2 * GAP
    for width, high in SIZE.findall(html):
        if 'class="plot"' in html:
            height += min(float(high) * min(POINT, (MARGIN - 26) / float(width)), PLOT)
        else:
            height += float(high) * MARGIN / float(width)
    if not is_cell(node):
        return height + GAP if html else _lines(node.astext(), MARGIN_LETTERS) * 26 + GAP
    printed = [part.astext() for part in node.findall(nodes.literal_block) if not _folded(part)]
    return height + sum(_lines(text, 64) * CODE_LINE for text in printed) + 3 * GAP


def _folded(node: nodes.Node) -> bool:
    """Whether something stands in a fold of its cell."""
    while node.parent is not None and not is_cell(node):
        node = node.parent
        if node.__class__.__name__ == "HideCodeCellNode":
            return True
    return False


def block(node: nodes.Node) -> float:
    """How high a block is in the text; of frameworks side by side, that of one."""
    if is_component(node, TRIES) or is_component(node, "dropdown"):
        return 45 + GAP
    if is_cell(node):
        return _cell(node)
    if is_component(node, "tab-set"):
        return sum(map(block, node.findall(is_cell))) / max(len(node.children), 1) + 50
    if isinstance(node, nodes.math_block):
        return 45 + 30 * node.astext().count(r"\\") + GAP
    if isinstance(node, nodes.row):
        widest = max((_lines(entry.astext(), 24) for entry in node.children), default=1)
        return widest * LINE + 16
    if isinstance(node, nodes.title):
        return 75
    if isinstance(node, nodes.TextElement):
        return _lines(node.astext(), LETTERS) * LINE + GAP
    if isinstance(node, nodes.raw | nodes.comment | nodes.target):
        return 0
    return sum(map(block, node.children))


def _cell(node: nodes.Element) -> float:
    """A cell with its output; a picture in it is about as high as in the margin."""
    if _raw(node) or node.next_node(nodes.figure) is not None:
        return picture(node) * 1.2
    shown = [part.astext() for part in node.findall(nodes.literal_block) if not _folded(part)]
    return sum(_lines(text, CODE_LETTERS) * CODE_LINE + GAP for text in shown) + GAP
