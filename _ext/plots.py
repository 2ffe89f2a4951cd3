"""Put a plot into its page, so that it follows the page's theme.

`style()` in `course/display/style.py` keeps a plot as SVG with a white ground and one set of colours, which a
notebook shows as it is. In HTML the SVG itself takes the place of the image: its ground is left out, and each
colour of the style becomes a variable, `--plot-…`, that `_static/plots.css` sets for both themes. That file also
exchanges light and dark in bitmaps inside a plot (heat maps), and the inks of the numbers on them follow.

Its letters are outlines of matplotlib's own face, which no machine lacks. In HTML they become letters again, in the
face of the drawings: matplotlib notes in a comment what the outlines say.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from course.display.heatmap import DARK_INK, LIGHT_INK
from course.display.palette import FRAMEWORKS, GRID, GROUND, INK, QUIET_INK, SERIES, WEIGHT

VARIABLES = {
    "#000000": "ink",
    INK: "ink",
    QUIET_INK: "quiet-ink",
    GRID: "grid",
    GROUND: "ground",
    DARK_INK: "on-light",
    LIGHT_INK: "on-dark",
    WEIGHT: "weight",
    **{colour: title.lower() for title, colour in FRAMEWORKS.items()},
    **{colour: str(place) for place, colour in enumerate(SERIES)},
}
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
REFERENCE = re.compile(r"url\(#")
XLINK = "{http://www.w3.org/1999/xlink}href"
# What matplotlib says for every element in a style sheet of its own, which would hold for the whole page.
INHERITED = "fill: var(--plot-ink); stroke-linejoin: round; stroke-linecap: butt"
# Where outlines begin, how they are turned, and their size; a power of ten, which is all of TeX that an axis writes.
PLACE = re.compile(r"(translate\([^)]+\)(?: rotate\([^)]+\))?) scale\(([\d.]+)")
POWER = re.compile(r"\$\\mathdefault\{(\d+)\^\{(.+)\}\}\$")
RAISED = '<tspan dy="-.4em" font-size="70%">'
LARGER = 1.08  # the face of the drawings is smaller than matplotlib's of the same size
LAST = 61  # hundredths of its size that a glyph is wide, on average
FOLDER = "jupyter_execute"  # where myst-nb writes the pictures that cells show
FIGURE_GROUND = "patch_1"


def themed(colours: str) -> str:
    """Return a style with variables in the place of the course's colours."""

    def variable(match: re.Match[str]) -> str:
        name = VARIABLES.get(match[0])
        return f"var(--plot-{name})" if name else match[0]

    return COLOUR.sub(variable, colours)


def inline(svg: str, alt: str, prefix: str) -> str:
    """Return matplotlib's SVG as part of a page.

    `alt` says what it shows; `prefix` keeps its ids apart from those of the page's other plots.
    """
    root = ElementTree.fromstring(
        svg, ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    )
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("id", "").startswith("text_"):
                lines = zip(child[::2], child[1::2], strict=True)
                child[:] = [letters(*line, parent.get("id", "")) for line in lines]
            elif not isinstance(child.tag, str):  # a comment
                parent.remove(child)
                continue
            ground = parent.get("id") == "figure_1" and child.get("id") == FIGURE_GROUND
            if ground or str(child.tag).endswith(("}metadata", "}style")):
                parent.remove(child)
    for element in root.iter():
        _adapt(element, prefix)
    size = {name: root.attrib[name] for name in ("width", "height", "viewBox")}
    root.attrib.clear()
    root.attrib.update(size, role="img", style=INHERITED, **{"class": "plot", "aria-label": alt})
    return ElementTree.tostring(root, encoding="unicode")


def letters(comment: ElementTree.Element, outlines: ElementTree.Element, holder: str) -> ElementTree.Element:
    """Return outlines as text, in the middle of their place; labels of the axis end there, titles and legends begin there.

    comment: holds the text. holder: the id of the element that holds both.
    """
    place = PLACE.match(outlines.attrib["transform"])
    assert place is not None and comment.text is not None
    glyphs = [use.attrib for use in outlines.iter() if use.tag.endswith("}use")]
    starts = [float(glyph.get("transform", "(0 ").partition("(")[2].split()[0]) for glyph in glyphs]
    bold = any("Bold" in glyph[XLINK] for glyph in glyphs)
    left = holder.startswith("legend") or (bold and holder.startswith("axes"))
    anchor = "start" if left else "end" if holder.startswith("ytick") else "middle"
    size = float(place[2])
    x = {"start": 0, "middle": 0.5, "end": 1}[anchor] * (max(starts) + LAST) * size
    style = f"{outlines.get('style', '')}; font-size: {100 * LARGER * size:.1f}px; font-weight: {600 if bold else 400}"
    words = POWER.sub(rf"\1{RAISED}\2</tspan>", comment.text.strip())
    text = ElementTree.fromstring(f"<text>{words}</text>")
    text.attrib |= {"transform": place[1], "x": f"{x:.1f}", "text-anchor": anchor, "style": style.strip("; ")}
    return text


def _adapt(element: ElementTree.Element, prefix: str) -> None:
    """Take the namespaces from names, as HTML has them; give ids and references the prefix, and colours variables."""
    element.tag = str(element.tag).rpartition("}")[2]
    link = element.attrib.pop(XLINK, None)
    if link is not None:
        element.set("href", f"#{prefix}-{link[1:]}" if link.startswith("#") else link)
    # The ground of a hatch has its colour as an attribute, where a variable means nothing.
    colours = [f"{name}: {element.attrib.pop(name)}" for name in ("fill", "stroke") if name in element.attrib]
    if colours:
        element.set("style", "; ".join([*colours, element.get("style", "")]))
    for name, value in element.attrib.items():
        if name == "id":
            element.set(name, f"{prefix}-{value}")
        elif name == "style":
            element.set(name, REFERENCE.sub(f"url(#{prefix}-", themed(value)))
        else:
            element.set(name, REFERENCE.sub(f"url(#{prefix}-", value))


class InlinePlots(SphinxPostTransform):
    """Replace each plot that a cell shows as SVG by the SVG itself."""

    # Behind myst-nb's choice of one form for each output (4), before code that draws is folded (160).
    default_priority: ClassVar[int] = 150
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Look at all images of the page that are outputs of cells."""
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir, image["uri"])
            if path.suffix == ".svg" and path.parent.name == FOLDER:
                text = inline(path.read_text(encoding="utf-8"), image.get("alt", ""), f"plot-{path.stem[:8]}")
                image.replace_self(nodes.raw("", text, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(InlinePlots)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
