"""Answers in PyTorch, judged by the page's own; `tests/book/test_in_page.py` has those of all exercises."""

import json
import subprocess
import sys

from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from course.gpt.model_of_parts import PARTS
from tests.page.torch_solutions import solution_text

# In a process of its own, in which PyTorch's name is free.
JUDGED = """
import json, sys
from functools import partial
from autograder.page.check_text import check_text
from course.gpt.write_with import write_with
from course.page_torch.in_page import judged
results = [judged(write_with if writes else check_text, name, text, "torch") for name, text, writes in json.load(sys.stdin)]
json.dump(results, sys.stdout)
"""


def results_of(*requests):
    """What the page's worker would say of exercises' sources, each with whether the model writes with it."""
    command = [sys.executable, "-c", JUDGED]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(requests), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


NAMED = "import torch\n\ndef masked_softmax(X, valid_length):\n    return torch.softmax(X, -1)\n"
CAUGHT = NAMED.replace(
    "return", "try:\n        torch.histogramdd(X)\n    except Exception:\n        pass\n    return"
)
DETACHED = f"{solution_text('masked_softmax', 'masked_softmax')}\nright = masked_softmax\n"
DETACHED += "def masked_softmax(X, valid_length):\n    return right(X.detach(), valid_length)\n"


FAILED_IMPORT = """import torch
try:
    import torch.distributions
except ImportError:
    pass

def masked_softmax(X, valid_length):
    return torch.softmax(X, -1)
"""


def test_ideas_gradients_and_what_is_not_known_are_told():
    """Also where an answer has caught what is not known; no verdict follows from it, not even on a wrong answer."""
    requests = ((name, False) for name in (NAMED, DETACHED, CAUGHT, FAILED_IMPORT))
    named, detached, caught, failed_import = results_of(
        *(("masked_softmax", *request) for request in requests)
    )
    assert named["idea"] == "mask_ignored"
    assert detached["outcome"] == "rejected" and "gradient" in detached["message"]
    words = "The page's PyTorch does not know torch.histogramdd: try it in the notebook."
    assert (caught["outcome"], caught["message"], caught["idea"]) == ("unknown", words, "")
    assert (failed_import["outcome"], failed_import["idea"]) == ("unknown", "")
    assert "torch.distributions" in failed_import["message"]
    assert caught["html"] == f"<div>{words.replace(chr(39), '&#39;')}</div>"


def test_the_model_writes_with_parts_in_pytorch():
    texts = {name: solution_text(all_exercises()[name].topic, all_exercises()[name].entry) for name in PARTS}
    results = results_of(*((name, text, True) for name, text in texts.items()))
    assert [r["own"] for r in results] == [""] * len(PARTS)
    assert all(r["told"].startswith("Your answer writes this text") for r in results)
