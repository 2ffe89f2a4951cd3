"""NumPy for changed functions: it makes no array longer than LONGEST out of a number, and counts no further.

A change such as an exponential of a number of tokens may ask for any length. What has an axis of each length so made is
the largest array that a reference computes, so that none comes near 16 MB; the length is looked at first.
"""

import builtins
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

# No exercise asks for an axis as long as this.
LONGEST = 256
# Functions that take lengths, and which of their arguments these are; bincount counts up to the largest number too.
MADE = {
    "arange": slice(3), "bincount": slice(0, 3, 2), "broadcast_to": slice(1, 2), "empty": slice(1), "eye": slice(2),
    "full": slice(1), "identity": slice(1), "linspace": slice(2, 3), "ones": slice(1), "pad": slice(1, 2),
    "repeat": slice(1, 2), "tile": slice(1, 2), "tri": slice(2), "zeros": slice(1),
}  # fmt: skip


def _short(make: Callable[..., Any], lengths: slice) -> Callable[..., Any]:
    @wraps(make)
    def made(*given: Any, **named: Any) -> Any:
        if any(np.max(length, initial=0) > LONGEST for length in given[lengths] if length is not None):
            raise ValueError(f"A length is above {LONGEST}.")
        return make(*given, **named)

    return made


def _numpy() -> ModuleType:
    short = ModuleType("numpy")
    vars(short).update(vars(np))
    vars(short).update({name: _short(getattr(np, name), lengths) for name, lengths in MADE.items()})
    return short


# What changed functions find under these names.
SHORT = {"np": _numpy(), "range": _short(builtins.range, slice(3))}
