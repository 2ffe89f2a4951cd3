"""Show code cells of different frameworks next to each other.

A chapter tags its code cells `framework-<name>`, with a name of the table in `autograder.frameworks`,
which also gives the titles, the colours and the order of the columns. Adjacent tagged cells form one
group: all cells of a framework, in their order, become one column on a wide page and one tab on a narrow
one. `_static/side_by_side.css` lays them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import create_component

from autograder.frameworks import frameworks

TAG_PREFIX = "framework-"
SYNC_GROUP = "framework"
# Columns stand in the order of the book's title. Where one must come first, as in a row of tabs or buttons, or
# where only one can be seen, it is this one: MXNet is no longer developed, and few readers can install it.
OPENS_FIRST = "torch"


def framework_of(node: nodes.Node) -> str | None:
    """Return the framework that a code cell is tagged for; None for any other node or an untagged cell."""
    if not isinstance(node, nodes.container) or node.get("nb_element") != "cell_code":
        return None
    tags = node.get("cell_metadata", {}).get("tags", [])
    return next((name for name in frameworks() if TAG_PREFIX + name in tags), None)


def groups_in(siblings: Sequence[nodes.Node]) -> Iterator[list[nodes.container]]:
    """Yield runs of adjacent tagged cells among `siblings`, cut where the frameworks' order goes back."""
    order = list(frameworks())
    for tagged, run in groupby(siblings, key=lambda node: framework_of(node) is not None):
        if not tagged:
            continue
        group: list[nodes.container] = []
        for cell in run:
            if group and order.index(_name(cell)) < order.index(_name(group[-1])):
                yield group
                group = []
            group.append(cell)
        yield group


def _name(cell: nodes.Node) -> str:
    """Return the framework of a cell that is known to have one."""
    name = framework_of(cell)
    assert name is not None
    return name


def tab_set(group: Sequence[nodes.container]) -> nodes.container:
    """Return the group as sphinx-design's tab set, one tab for each framework."""
    items = [tab_item(name, list(cells)) for name, cells in groupby(group, key=_name)]
    for item in items:
        item["selected"] = item[0]["sync_id"] == OPENS_FIRST
    classes = ["sd-tab-set", "frameworks", f"frameworks-{len(items)}"]
    return create_component("tab-set", classes=classes, children=items)


def tab_item(name: str, cells: list[nodes.container]) -> nodes.container:
    """Return one framework's tab: exactly the rubric and the content that sphinx-design asks for."""
    label = frameworks()[name].title
    classes = ["sd-tab-label", f"framework-{name}", *(["first-tab"] if name == OPENS_FIRST else [])]
    rubric = nodes.rubric(label, label, classes=classes, sync_id=name, sync_group=SYNC_GROUP)
    content = create_component("tab-content", classes=["sd-tab-content"], children=cells)
    return create_component("tab-item", classes=["sd-tab-item"], children=[rubric, content])


class SideBySide(SphinxPostTransform):
    """Turn each group of two frameworks or more into a tab set."""

    # Before myst-nb hides inputs (199) and sphinx-design writes its tabs (200).
    default_priority: ClassVar[int] = 150

    def run(self, **kwargs: Any) -> None:
        """Regroup every parent that holds tagged cells."""
        cells = [node for node in self.document.findall(nodes.container) if framework_of(node)]
        parents = {id(cell.parent): cell.parent for cell in cells}
        for parent in parents.values():
            for group in list(groups_in(parent.children)):
                if len({_name(cell) for cell in group}) > 1:
                    _replace(parent, group)


def _replace(parent: nodes.Element, group: Sequence[nodes.container]) -> None:
    """Put the group's tab set where its first cell stands."""
    start = parent.index(group[0])
    del parent[start : start + len(group)]
    parent.insert(start, tab_set(group))


def register(app: Sphinx) -> None:
    """Lay out pairs of cells."""
    app.add_post_transform(SideBySide)
