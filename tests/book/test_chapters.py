"""Chapters: one source for their code, and copies for learners that hold no solution."""

import ast
import json
import re
from itertools import pairwise

import pytest
import yaml
from side_by_side.lines import LONGEST  # _ext is in pytest's path

from autograder.book.contents import PAGES, chapters, parts, source, tags
from autograder.copies.start import CLAIMS, learners_copy, start, stub
from autograder.model.assignment import TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.read.submission import read_bytes
from tests.support import FRAMEWORKS, graded, need
from tools.sync import changes

NOTEBOOKS = sorted((ROOT / "chapters").glob("*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.stem not in PAGES]
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)


def cells(chapter, kind="code"):
    return [c for c in json.loads(chapter.read_text())["cells"] if c["cell_type"] == kind]


def solutions_in(chapter):
    """(exercise, framework, source) for each cell that holds a solution."""
    solutions = []
    for cell in cells(chapter):
        for tag in tags(cell, "exercise:"):
            framework = next(t for t in cell["metadata"]["tags"] if t.startswith("framework-"))
            solutions.append(
                (tag.removeprefix("exercise:"), framework.removeprefix("framework-"), source(cell))
            )
    return solutions


def test_every_exercise_stands_in_its_topics_chapter_in_both_frameworks():
    triples = {(c.stem, name, framework) for c in CHAPTERS for name, framework, _ in solutions_in(c)}
    expected = {(e.topic, e.name, f) for e in all_exercises().values() for f in FRAMEWORKS}
    assert triples == expected


def test_the_catalogue_has_the_exercises_in_the_order_of_the_page():
    """`overview` names the next exercise by the catalogue."""
    on_the_page = [name for c in CHAPTERS for name, framework, _ in solutions_in(c) if framework == "mxnet"]
    in_the_catalogue = [e.name for e in sorted(all_exercises().values(), key=lambda e: e.topic)]
    assert in_the_catalogue == on_the_page


def test_sync_changes_nothing():
    changed = [str(path.relative_to(ROOT)) for path in changes()]
    assert not changed, f"run `make sync`: it would change {', '.join(changed)}"


@each_chapter
def test_the_check_behind_each_solution_passes(chapter):
    code = cells(chapter)
    for cell, following in zip(code, [*code[1:], None], strict=True):
        for tag in tags(cell, "exercise:"):
            assert "passed" in json.dumps(following["outputs"]), tag


@each_chapter
def test_no_check_stands_above_its_exercise(chapter):
    """A check of the version that is to be mended would print the hint before anything was tried."""
    begun = set()
    for cell in cells(chapter):
        begun |= {name.removeprefix("exercise:") for name in tags(cell, "exercise:")}
        checked = {e.name for e in all_exercises().values() if f"check({e.entry}," in source(cell)}
        assert checked <= begun, f"{checked - begun} is checked before the learner has written it"


@each_chapter
def test_no_given_cell_binds_a_learners_name_to_the_reference(chapter):
    """But directly above an exercise that builds on it: in a copy for both it is the other framework's by then."""
    exercises = [e for e in all_exercises().values() if e.topic == chapter.stem]
    code = cells(chapter)
    for cell, following in zip(code, [*code[1:], None], strict=True):
        cell_exercises = [
            e for e in exercises if following and f"exercise:{e.name}" in tags(following, "exercise:")
        ]
        builds = any(e.topic in e.builds_on for e in cell_exercises)
        entries = {e.entry for e in (cell_exercises if builds else exercises)}
        for statement in ast.walk(ast.parse(source(cell))):
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("solutions"):
                bound = entries & {alias.asname or alias.name for alias in statement.names}
                assert not bound, (
                    f"use solved(...) for {bound}, so that a check judges what the learner wrote"
                )


@each_chapter
def test_twins_fit_side_by_side_and_every_cell_was_run(chapter):
    for cell in cells(chapter):
        text = source(cell)
        assert cell["execution_count"], text
        assert not text.rstrip().endswith(";"), text
        assert not any(o["output_type"] == "error" for o in cell["outputs"]), text
        if any(t.startswith("framework-") for t in cell["metadata"].get("tags", [])):
            assert max(map(len, text.split("\n"))) <= 60, text


@each_chapter
def test_printed_numbers_fit_the_text(chapter):
    """In letters that are still legible; words go on in the next line."""
    printed = [
        line
        for cell in cells(chapter)
        for output in cell["outputs"]
        for line in "".join(output.get("text", [])).splitlines()
    ]
    assert not [line for line in printed if len(line) > LONGEST and re.search(r"\d", line)]


@each_chapter
def test_an_assertion_that_a_reader_sees_compares_two_ways(chapter):
    """What the text says of the numbers is asserted in cells that no reader sees: a bound teaches nothing."""
    for cell in cells(chapter):
        if tags(cell, CLAIMS) or source(cell).startswith("%%"):
            continue
        for statement in ast.walk(ast.parse(source(cell))):
            if isinstance(statement, ast.Assert):
                signs = [s for c in ast.walk(statement.test) if isinstance(c, ast.Compare) for s in c.ops]
                bounds = [s for s in signs if isinstance(s, ast.Lt | ast.Gt | ast.LtE | ast.GtE)]
                assert not bounds, f"give this a cell of its own, tagged {CLAIMS}: {ast.unparse(statement)}"


@each_chapter
def test_no_text_explains_a_variable_of_a_hidden_answer(chapter):
    """A learner who has not written the answer yet sees the text below it, and no such variable."""
    hidden, visible = set(), set()
    for cell in json.loads(chapter.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            quoted = re.findall(r"`([^`]+)`", source(cell))
            visible |= {
                word for words in quoted if not words.isidentifier() for word in re.findall(r"\w+", words)
            }
            explained = hidden.difference(visible).intersection(quoted)
            assert not explained, f"{explained} in {source(cell)[:80]!r}"
        elif not source(cell).startswith("%%"):
            variables = {n.id for n in ast.walk(ast.parse(source(cell))) if isinstance(n, ast.Name)}
            if tags(cell, "exercise:"):
                hidden |= variables
                visible |= set(re.findall(r"\w+", stub(source(cell))))
            else:
                visible |= variables


@each_chapter
def test_a_caption_in_italics_ends(chapter):
    texts = [line for cell in cells(chapter, "markdown") for line in source(cell).splitlines()]
    assert [line for line in texts if re.match(r"\*[^* ]", line) and "*" not in line[1:]] == []


@each_chapter
def test_every_column_of_a_table_has_a_name(chapter):
    """A screen reader says the header before each cell."""
    lines = [line.strip() for cell in cells(chapter, "markdown") for line in source(cell).split("\n")]
    for header, rule in pairwise(lines):
        if re.fullmatch(r"\|(\s*:?-+:?\s*\|)+", rule):
            assert all(name.strip() for name in header.strip("|").split("|")), header


@each_chapter
def test_an_output_says_what_was_compared(chapter):
    """A line of nothing but True and False tells a reader nothing."""
    for cell in cells(chapter):
        for line in stored_text(cell).split("\n"):
            words = re.findall(r"[^\s,()\[\]]+", line)
            assert not words or not set(words) <= {"True", "False"}, source(cell)


@each_chapter
def test_no_progress_bar_is_left_in_an_output(chapter):
    """A bar that has reached its end says nothing, and one without a label has no name for a screen reader."""
    for cell in cells(chapter):
        assert "<progress" not in json.dumps(cell["outputs"]), source(cell)


def stored_text(cell):
    """What a cell has printed, or the plain text of its value."""
    texts = [o.get("text", o.get("data", {}).get("text/plain", "")) for o in cell["outputs"]]
    return "\n".join("".join(text) for text in texts)


@each_chapter
def test_a_learners_copy_holds_no_solution(chapter):
    copied = learners_copy(json.loads(chapter.read_text()))
    code = "\n".join(source(c) for c in copied["cells"] if c["cell_type"] == "code")
    # A broken start shares with the solution what is not broken.
    begun = {line for c in copied["cells"] if tags(c, "starter:") for line in source(c).splitlines()}
    for name, framework, text in solutions_in(chapter):
        for line in distinctive_lines(text):
            leaks = line in code.splitlines() and line not in begun
            assert not leaks, f"{name}, {framework}: {line!r} is still there"
    assert not any(c.get("outputs") or tags(c, CLAIMS) for c in copied["cells"])


def distinctive_lines(text):
    """Lines of a solution's bodies, without signatures and docstrings, that give something away."""
    stubbed = set(stub(text).split("\n"))
    return [line for line in text.split("\n") if line not in stubbed and len(line.strip()) > 30]


@pytest.mark.slow
@each_chapter
def test_an_untouched_copy_scores_zero(chapter, zygote):
    need("mxnet")
    text = json.dumps(learners_copy(json.loads(chapter.read_text())))
    exercises = [e for e in all_exercises().values() if e.topic == chapter.stem]
    verdicts = graded(zygote, text, chapter.name, exercises, time_limits=TimeLimits())
    assert {(v.exercise, v.framework) for v in verdicts} == {
        (e.name, f) for e in exercises for f in FRAMEWORKS
    }
    for verdict in verdicts:
        assert verdict.points == 0 and verdict.outcome in ("missing", "rejected"), verdict


@each_chapter
def test_what_a_chapter_imports_is_not_handed_in(chapter):
    text = json.dumps(learners_copy(json.loads(chapter.read_text())))
    submission = read_bytes(text.encode(), chapter.name)
    handed_in = {e.topic for e in all_exercises().values() if submission.frameworks(e.entry)}
    assert handed_in <= {chapter.stem}


@pytest.mark.slow
@each_chapter
def test_a_finished_copy_passes_everything(chapter, zygote):
    need("mxnet")
    notebook = json.loads(chapter.read_text())
    copied = learners_copy(notebook)
    solved = {cell["id"]: cell["source"] for cell in notebook["cells"]}
    for mine in copied["cells"]:
        if tags(mine, "exercise:"):
            mine["source"] = solved[mine["id"]]
    exercises = [e for e in all_exercises().values() if e.topic == chapter.stem]
    for verdict in graded(zygote, json.dumps(copied), chapter.name, exercises, time_limits=TimeLimits()):
        assert verdict.outcome == "accepted", verdict


@each_chapter
def test_a_copy_carries_what_nbgrader_reads(chapter):
    """Schema version 3: an answer, then a locked test of it that is worth the exercise's points."""
    copied = learners_copy(json.loads(chapter.read_text()))["cells"]
    marked = [(c, c["metadata"]["nbgrader"]) for c in copied if "nbgrader" in c["metadata"]]
    names = [metadata["grade_id"] for _, metadata in marked]
    assert len(set(names)) == len(names) == 2 * len(solutions_in(chapter))
    for (answer, first), (test, second) in zip(marked[::2], marked[1::2], strict=True):
        assert first["schema_version"] == second["schema_version"] == 3
        assert (first["solution"], first["grade"], first["locked"]) == (True, False, False)
        assert (second["solution"], second["grade"], second["locked"]) == (False, True, True)
        (tag,) = tags(answer, "exercise:")
        assert second["points"] == all_exercises()[tag.removeprefix("exercise:")].points
        assert second["grade_id"] == f"check-{first['grade_id']}"
        assert copied.index(test) == copied.index(answer) + 1 and test["source"].endswith(").mark()")


@pytest.mark.slow
def test_start_never_overwrites_a_learners_work(tmp_path):
    new_files, old_files = start(tmp_path)
    assert len(new_files) == len(CHAPTERS) + len(PAGES) + 1 and not old_files
    mine = new_files[0]
    mine.write_text("my work")
    new_files, old_files = start(tmp_path)
    assert not new_files and len(old_files) == len(CHAPTERS) + len(PAGES) + 1
    assert mine.read_text() == "my work"


def test_a_stub_keeps_signature_and_docstring_only():
    text = (
        "class A(B):\n    def __init__(\n        self, size, rate\n    ):\n        # hidden\n        self.size = size\n\n"
        '    def forward(self, X):\n        """Doc.\n\n        X: (n,)\n        """\n        # secret\n        return X * self.size\n'
    )
    stubbed = stub(text)
    assert not any(word in stubbed for word in ("secret", "hidden", "self.size"))
    assert "X: (n,)" in stubbed and "self, size, rate\n    ):\n        raise" in stubbed
    assert stubbed.count("raise NotImplementedError") == 2
    ast.parse(stubbed)


def test_the_toc_lists_every_chapter_once():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    listed = [c["file"] for part in toc["parts"] for c in part["chapters"]]
    pages = [path for path in (ROOT / "chapters").glob("*.md") if path.stem != "index"]
    assert sorted(listed) == sorted(f"chapters/{path.stem}" for path in [*NOTEBOOKS, *pages])


def test_a_page_of_text_is_no_chapter_to_copy():
    assert sorted(chapters()) == [c.stem for c in CHAPTERS]
    assert all(part for part in parts().values())
