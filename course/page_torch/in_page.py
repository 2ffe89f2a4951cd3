"""What the page's worker calls for an answer in PyTorch: the judge, with the page's own PyTorch under PyTorch's name."""

from collections.abc import Callable
from typing import Any

from autograder.frameworks import frameworks
from autograder.html.render import with_code
from course.page_torch import install
from course.page_torch.adapter import FRAMEWORK
from course.page_torch.errors import forget, unknown_names

UNKNOWN = "The page's PyTorch does not know {0}: try it in the notebook."
HANDED = "torch.Tensor, handed to "
NUMPYS = (
    "{0} gets a PyTorch tensor: what has `import torch` is an answer in PyTorch. Use PyTorch's functions, or leave that "
    "import out and write all of it in NumPy."
)
install()
frameworks()[FRAMEWORK.name] = FRAMEWORK


def judged(judge: Callable[..., dict[str, str]], *request: Any) -> dict[str, str]:
    """Return what a judge says of an answer; where the answer met what is not known, that alone, and no verdict.

    judge: `check_text` or `write_with`. request: its arguments.
    """
    forget()
    result = judge(*request)
    if not (names := unknown_names()):
        return result
    numpys = [name.removeprefix(HANDED) for name in names if name.startswith(HANDED)]
    words = (NUMPYS if numpys else UNKNOWN).format(", ".join(numpys or names))
    shown = {"html": f"<div>{with_code(words)}</div>", "text": words, "message": words}
    return {"outcome": "unknown", **shown, "idea": "", "printed": result["printed"]}
