"""What the page's PyTorch does not know, and how it raises what PyTorch raises."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

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


class _Words:
    """Marks an exception as one that PyTorch raises too."""


def as_torch(kind: type[Exception], words: str) -> Exception:
    """Return an exception that PyTorch raises in its own words."""
    error = kind(words)
    error.page_torch = _Words  # type: ignore[attr-defined]
    return error


def is_torchs(error: BaseException) -> bool:
    """Return whether an exception is one that PyTorch raises too, or says already that something is not known."""
    return isinstance(error, NotInPage) or hasattr(error, "page_torch") or hasattr(error, "kind")


def public(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of the module raise what PyTorch raises, or NotInPage, and nothing else."""
    name = function.__name__

    @wraps(function)
    def called(*arguments: Any, **more: Any) -> Any:
        if refused and name in refused:
            refused[name]()
        try:
            return function(*arguments, **more)
        except Exception as error:
            if is_torchs(error):
                raise
            kind = type(arguments[0]).__name__ if arguments else ""
            first = next(iter(signature(function).parameters), "")
            if first == "input" and kind in ("ndarray", "list", "int", "float", "tuple"):
                kind = kind.replace("ndarray", "numpy.ndarray")
                words = f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}"
                raise as_torch(TypeError, words) from None
            is_signature = isinstance(error, TypeError) and error.__traceback__.tb_next is None  # type: ignore[union-attr]
            if is_signature and not NUMPYS_KEYWORDS.keys().isdisjoint(more):
                return called(
                    *arguments, **{NUMPYS_KEYWORDS.get(key, key): value for key, value in more.items()}
                )
            if is_signature and "missing" in str(error):
                missing = str(error).rsplit(": ", 1)[1].replace("'", '"').replace(" and ", ", ")
                count = missing.count('"') // 2
                raise as_torch(
                    TypeError, f"{name}() missing {count} required positional arguments: {missing}"
                ) from None
            raise unknown(f"{name} ({error})" if is_signature else f"{name}, called like this") from error

    called.__module__ = "torch"
    return called
