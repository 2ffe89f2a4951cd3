"""Workflows take actions by their commits: whoever owns a tag could move it to other code, which the workflow runs."""

import json
import re

from autograder.model.paths import ROOT
from tools.set_up import NEWEST, OLDEST

WORKFLOWS = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("autograder/html/templates/**/*.yml")]
USES = re.compile(r"^ *(?:- )?uses: *(.+?) *$", re.MULTILINE)
PINNED = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)")
BY_A_BRANCH = {
    "{{ grader }}/.github/workflows/attention.yml@main": "the teacher's own repository, made after this file"
}


def test_each_action_is_taken_by_its_commit_with_the_version_beside_it():
    uses = {use for path in WORKFLOWS for use in USES.findall(path.read_text(encoding="utf-8"))}
    assert set(BY_A_BRANCH) <= uses and len(uses) > len(BY_A_BRANCH)
    pinned = {use: PINNED.fullmatch(use) for use in uses - set(BY_A_BRANCH)}
    assert [use for use, match in pinned.items() if match is None] == []
    names = [match[1] for match in pinned.values()]
    assert len(set(names)) == len(names), f"one action in two versions: {sorted(pinned)}"


def test_each_matrix_has_the_oldest_and_the_newest_interpreter_that_are_promised():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")
    matrices = [json.loads(versions) for versions in re.findall(r"^ +python: (\[.+\])$", text, re.MULTILINE)]
    promised = [f"{major}.{minor}" for major, minor in (OLDEST, NEWEST)]
    assert matrices and [[matrix[0], matrix[-1]] for matrix in matrices] == [promised] * len(matrices)
