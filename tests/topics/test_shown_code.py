"""What a chapter shows of a topic's solutions is what these are: a page and its module do not drift apart."""

import ast
import json
from collections.abc import Iterator

import pytest

from autograder.book.contents import source, tags
from autograder.model.paths import ROOT
from tests.support import FRAMEWORKS

DEFINITIONS = {
    "self_attention": {"leaks"},
    "soft_hard": {"draw", "hard_context", "Reader"},
    "sparse": {"all_at_once"},
    "recurrence": {"written_values"},
    "sets": {"attend", "model", "train"},
    "transformer": {"PreNormBlock", "sequence_loss", "set_weights", "Transformer", "greedy_decode"},
    "efficient": {
        "plain_attention", "tiled_gradients", "TiledAttention", "causal_attention", "stepwise",
    },
    "language_model": {"mean_loss", "train", "write"},
}  # fmt: skip


class _Plain(ast.NodeTransformer):
    """Without docstrings, and `built.name` as `name`: a page calls the reader's own answers."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        of_built = isinstance(node.value, ast.Name) and node.value.id == "built"
        return ast.Name(node.attr, ast.Load()) if of_built else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._without_docstring(node)

    def _without_docstring(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        return node


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """The name and the code of each function and class at the top of a module."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, ast.dump(_Plain().visit(node))


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("topic", DEFINITIONS)
def test_what_a_page_shows_is_what_the_solutions_hold(topic, framework):
    cells = json.loads((ROOT / "chapters" / f"{topic}.ipynb").read_text())["cells"]
    cell_texts = [
        source(c) for c in cells if f"framework-{framework}" in tags(c, "") and not tags(c, "exercise:")
    ]
    on_page = dict(pair for text in cell_texts for pair in definitions(text))
    module = dict(definitions((ROOT / "solutions" / topic / f"in_{framework}.py").read_text()))
    assert DEFINITIONS[topic] <= on_page.keys()
    for name in on_page.keys() & module.keys() - {"EncoderBlock"}:  # the version to be mended
        assert on_page[name] == module[name], f"{name} differs from solutions/{topic}/in_{framework}.py"


def test_a_line_that_differs_is_noticed():
    right = dict(definitions('def f(x):\n    """Doc."""\n    return built.g(x)'))
    assert right == dict(definitions("def f(x):\n    return g(x)"))
    assert right != dict(definitions("def f(x):\n    return g(x + 1)"))
