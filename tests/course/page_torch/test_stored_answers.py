"""Stored answers, right and wrong: the page's PyTorch leads to the verdicts of the real one, wherever it knows the answer."""

import json
import subprocess
import sys

import pytest

from autograder.model.paths import ROOT
from tests.support import need

# Of all 2,656, this many are judged: in four minutes of the processor all are, with `python -m tests.course.page_torch.judged`.
STEP = 5
KNOWN, EQUAL = 0.98, 0.99


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Each answer, as judged in the page's PyTorch and in the real one."""
    need("torch")
    files = {which: tmp_path_factory.mktemp("judged") / f"{which}.jsonl" for which in ("page", "torch")}
    command = [sys.executable, "-m", "tests.course.page_torch.judged"]
    runs = [subprocess.Popen([*command, which, file, str(STEP)], cwd=ROOT) for which, file in files.items()]
    assert [run.wait() for run in runs] == [0, 0]
    rows = [map(json.loads, file.read_text(encoding="utf-8").splitlines()) for file in files.values()]
    return list(zip(*rows, strict=True))


@pytest.mark.slow
def test_stored_answers_get_the_verdicts_of_pytorch(pairs):
    both = [(page, real) for page, real in pairs if not page[3]]
    misses = [(page[0], page[2], real[2]) for page, real in both if page[2] != real[2]]
    sys.stdout.write("\n".join(map(str, [*misses, *(page[3] for page, _ in pairs if page[3])])))
    assert len(both) >= KNOWN * len(pairs)
    assert len(misses) <= (1 - EQUAL) * len(both)
    assert [page[0] for page, real in both if page[2][0] == "accepted" != real[2][0]] == []
