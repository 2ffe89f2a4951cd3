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

OF_NUMPY = "import numpy as np\nimport torch\n\ndef masked_softmax(X, valid_length):\n    return np.exp(X)\n"

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
    requests = ((name, False) for name in (NAMED, DETACHED, CAUGHT, FAILED_IMPORT, OF_NUMPY))
    named, detached, caught, failed_import, of_numpy = results_of(
        *(("masked_softmax", *request) for request in requests)
    )
    assert named["idea"] == "mask_ignored"
    assert detached["outcome"] == "rejected" and "gradient" in detached["message"]
    words = "The page's PyTorch does not know torch.histogramdd: try it in the notebook."
    assert (caught["outcome"], caught["message"], caught["idea"]) == ("unknown", words, "")
    assert (failed_import["outcome"], failed_import["idea"]) == ("unknown", "")
    assert "torch.distributions" in failed_import["message"]
    assert of_numpy["message"].startswith(
        "numpy.exp gets a PyTorch tensor: what has `import torch` is an answer in"
    )
    assert caught["html"] == f"<div>{words.replace(chr(39), '&#39;')}</div>"


KEYS_ARE_MADE = """import math
import torch

def absorbed_attention(queries, rotary_queries, latents, rotary_keys, W_k, W_v):
    keys = torch.einsum("btr,hrd->bhtd", latents, W_k)
    scores = queries @ keys.mT + torch.einsum("bhqr,btr->bhqt", rotary_queries, rotary_keys)
    place = torch.arange(keys.shape[2] - queries.shape[2], keys.shape[2])[:, None]
    scores = scores.masked_fill(torch.arange(keys.shape[2]) > place, -1e9)
    weights = (scores / math.sqrt(keys.shape[-1] + rotary_keys.shape[-1])).softmax(dim=-1)
    return torch.einsum("bhqr,hrd->bhqd", torch.einsum("bhqt,btr->bhqr", weights, latents), W_v)
"""


def test_memory_is_measured():
    """Its results are right, but it makes the keys of all heads."""
    (result,) = results_of(("absorbed_attention", KEYS_ARE_MADE, False))
    assert (result["outcome"], result["idea"]) == ("rejected", "keys_are_made"), result["message"]


def test_the_model_writes_with_parts_in_pytorch():
    texts = {name: solution_text(all_exercises()[name].topic, all_exercises()[name].entry) for name in PARTS}
    results = results_of(*((name, text, True) for name, text in texts.items()))
    assert [r["own"] for r in results] == [""] * len(PARTS)
    assert all(r["told"].startswith("Your answer writes this text") for r in results)
