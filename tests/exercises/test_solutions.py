"""One place for each definition of the solutions."""

import ast

import pytest

from autograder.frameworks import framework_names, graded_frameworks
from autograder.model.catalogue import topics
from autograder.model.paths import ROOT
from autograder.read.syntax import imported_names

# The same text in each framework, about something that is not the same in each.
SAME_TEXT = {
    "PreNormBlock": "derives from its framework's EncoderBlock",
    "make_score": "reads its framework's SCORES",
    "mean_loss": "calls its framework's language_model",
}


def definitions(path):
    text = path.read_text()
    return {
        s.name: ast.get_source_segment(text, s)
        for s in ast.parse(text).body
        if isinstance(s, ast.FunctionDef | ast.ClassDef)
    }


@pytest.mark.parametrize("topic", topics())
def test_what_is_the_same_in_all_frameworks_is_defined_once(topic):
    folder = ROOT / "solutions" / topic
    first, *rest = (definitions(folder / f"in_{framework}.py") for framework in graded_frameworks())
    same = {name for name, text in first.items() if any(o.get(name) == text for o in rest)} - set(SAME_TEXT)
    assert not same, f"solutions/{topic}: move {', '.join(same)} to common.py, and import it from there"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "solutions").glob("*/common.py")), ids=lambda p: p.parent.name
)
def test_what_is_common_imports_no_framework(path):
    roots = {
        module.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        for module, _ in imported_names(node)
    }
    assert not roots & set(framework_names())
    for framework in graded_frameworks():
        used = path.with_name(f"in_{framework}.py").read_text()
        assert all(name in used for name in definitions(path)), (
            f"in_{framework}.py must import all of common.py"
        )
