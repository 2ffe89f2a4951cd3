"""The half of `benchmarks.graders` that is this grader; the others are installed by the benchmark alone."""

import pytest

from benchmarks import graders


def handed_in(folder, notebook):
    """Two learners with the same notebook: one alone would be graded by the main process."""
    for number in range(2):
        graders.write(folder / f"{number}.ipynb", notebook)
    return folder


@pytest.fixture
def ten_checks(tmp_path):
    program = tmp_path / "ten_checks.py"
    program.write_text(graders.TEN_CHECKS, encoding="utf-8")
    return str(program)


@pytest.mark.slow
def test_a_class_of_right_answers_is_accepted_by_all_checks(tmp_path):
    folder = handed_in(tmp_path / "class", graders.for_nbgrader(0))
    assert graders.time_ours(folder, "-m", "autograder") > 0


@pytest.mark.slow
def test_ten_checks_look_at_no_gradient_and_all_do(tmp_path, ten_checks):
    notebook = graders.for_nbgrader(0)
    [cell] = [c for c in notebook["cells"] if "def additive_scores" in c["source"]]
    before, result = cell["source"].rsplit("return ", 1)
    cell["source"] = f"{before}return ({result.strip()}).detach()\n"
    folder = handed_in(tmp_path / "class", notebook)
    assert graders.time_ours(folder, ten_checks) > 0
    with pytest.raises(SystemExit, match="not accepted"):
        graders.time_ours(folder, "-m", "autograder")


def test_the_guide_releases_copies_as_the_benchmark_does():
    """It stops if nbgrader takes anything out of a copy that it gives out."""
    guide = (graders.ROOT / "chapters" / "manual.md").read_text(encoding="utf-8")
    assert f"`nbgrader generate_assignment first {graders.AS_IT_IS}`" in guide
