"""The half of `benchmarks.graders` that is this grader; the others are installed by the benchmark alone."""

import pytest

from benchmarks import graders


@pytest.mark.slow
def test_a_class_is_graded_with_ten_checks_and_with_all(tmp_path):
    handed_in = tmp_path / "class"
    graders.write(handed_in / "0000.ipynb", graders.for_nbgrader(0))
    ten_checks = tmp_path / "ten_checks.py"
    ten_checks.write_text(graders.TEN_CHECKS, encoding="utf-8")
    assert graders.time_ours(handed_in, str(ten_checks)) > 0
    assert graders.time_ours(handed_in, "-m", "autograder") > 0
