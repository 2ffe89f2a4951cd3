"""What the page's PyTorch does not know, and how it raises what PyTorch raises."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from course.page_torch.words import WORDS

NUMPYS_KEYWORDS = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}
_unknown: list[str] = []
# Names of functions that an exercise forbids, each with what its call raises.
refused: dict[str, Callable[..., Any]] = {}


class NotInPage(Exception):
    """A name, an argument or a case that the page's PyTorch does not know."""


def unknown_names() -> tuple[str, ...]:
    """Return what was met and is not known, since `forget` was called: no verdict follows from an answer that met any."""
    return tuple(dict.fromkeys(_unknown))


def forget() -> None:
    """Begin anew to note what is not known."""
    _unknown.clear()


def unknown(name: str) -> NotInPage:
    """Note what is not known, and return what to raise."""
    _unknown.append(f"torch.{name}")
    return NotInPage(f"The page's PyTorch does not know torch.{name}: try it in the notebook.")


def as_torch(name: str, *values: Any) -> Exception:
    """Return an exception that PyTorch raises too, in its words, with these values in their places."""
    kind, words = WORDS[name]
    error = kind(words.format(*values))
    error.page_torch = True  # type: ignore[attr-defined]
    return error


def require(condition: Any, name: str, *values: Any) -> None:
    """Raise this exception of PyTorch's where a condition does not hold."""
    if not condition:
        raise as_torch(name, *values)


def public(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of the module raise what PyTorch raises, or NotInPage, and nothing else."""
    is_layer = function.__name__ == "__init__"
    name = f"nn.{function.__qualname__.removesuffix('.__init__')}" if is_layer else function.__name__

    @wraps(function)
    def called(*arguments: Any, **more: Any) -> Any:
        if refused and name in refused:
            refused[name]()
        try:
            return function(*arguments, **more)
        except Exception as error:
            if isinstance(error, NotInPage) or hasattr(error, "page_torch") or hasattr(error, "kind"):
                raise
            kind = type(arguments[0]).__name__ if arguments else ""
            first = next(iter(signature(function).parameters), "")
            if first == "input" and kind in ("ndarray", "list", "int", "float", "tuple"):
                kind = kind.replace("ndarray", "numpy.ndarray")
                raise as_torch("no_tensor", name, "input", 1, kind) from None
            if not isinstance(error, TypeError) or error.__traceback__.tb_next is not None:  # type: ignore[union-attr]
                raise unknown(f"{name}, called like this") from error
            if not NUMPYS_KEYWORDS.keys().isdisjoint(more):
                names = [NUMPYS_KEYWORDS.get(keyword, keyword) for keyword in more]
                return called(*arguments, **dict(zip(names, more.values(), strict=True)))
            if "missing" in str(error):
                if is_layer:  # Python's words name the class
                    raise
                missing = str(error).rsplit(": ", 1)[1].replace("'", '"').replace(" and ", ", ")
                raise as_torch("missing", name, missing.count('"') // 2, missing) from None
            raise unknown(f"{name} ({error})") from error

    called.__module__ = "torch"
    return called
