"""What the page's worker calls for an answer in PyTorch: the judge, with the page's own PyTorch under PyTorch's name."""

from collections.abc import Callable
from typing import Any

from markupsafe import escape

from autograder.frameworks import frameworks
from course.page_torch import install
from course.page_torch.adapter import FRAMEWORK
from course.page_torch.errors import forget, unknown_names

UNKNOWN = "The page's PyTorch does not know {0}: try it in the notebook."
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
    words = UNKNOWN.format(", ".join(names))
    shown = {"html": f"<div>{escape(words)}</div>", "text": words, "message": words}
    return {"outcome": "unknown", **shown, "idea": "", "printed": result["printed"]}
