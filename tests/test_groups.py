"""Tests of a group are run by one process: those of the sample, which it builds, and the cells of a chapter."""

import pytest


@pytest.mark.xdist_group("of one test")
def test_a_test_has_the_name_of_its_group(request):
    """By that pytest-xdist distributes; where pytest does not take the name, groups are ignored and nothing says so."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("only where tests are distributed: pytest -n 2 --dist loadgroup")
    assert request.node.nodeid.endswith("@of one test")
