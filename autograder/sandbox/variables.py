"""The arrays that the variables of a function hold while it runs, in the order in which they are bound."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import numpy as np

# So many arrays are noted, of so many entries at most and with names so long, while so many lines run.
MOST_ARRAYS, MOST_ENTRIES, MOST_LINES, MOST_CHARACTERS = 60, 2_000, 5_000, 40


class Variables:
    """Copies of what the variables of one function or class hold: their names, their lines and the arrays.

    numpy: gives an array of its framework as one of NumPy, and None for anything else.
    """

    def __init__(self, entry: Any, numpy: Callable[[Any], np.ndarray | None]) -> None:
        self.entry, self.numpy = getattr(entry, "__qualname__", type(entry).__qualname__), numpy
        self.values: list[tuple[str, int, np.ndarray]] = []
        self._lines = 0

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note what is bound inside. A debugger that follows the process goes on afterwards."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, *event: Any) -> Any:
        code = frame.f_code
        is_inside = f"{code.co_qualname}.".startswith(f"{self.entry}.") and not code.co_name.startswith("<")
        bound: dict[str, tuple[Any, int]] = {}
        lines = [code.co_firstlineno]  # a name is bound on the line before the one that runs next

        def follow(frame: FrameType, event: str, *result: Any) -> Any:
            self._lines += 1
            for name, value in frame.f_locals.items():
                before, place = bound.get(name, (None, -1))
                # What is changed in place shows at the end.
                if value is not before or (place >= 0 and event == "return"):
                    bound[name] = value, self._note(name, lines[-1], value, place if value is before else -1)
            lines[-1] = frame.f_lineno
            if self._lines == MOST_LINES:
                sys.settrace(None)
            return follow

        return follow if is_inside else None

    def _note(self, name: str, line: int, value: Any, place: int) -> int:
        """Note an array unless it is still what it was at that place; return its place, -1 of anything else."""
        with suppress(Exception):
            array = self.numpy(value)
            if array is None or (place >= 0 and np.array_equal(array, self.values[place][-1])):
                return place
            if len(self.values) < MOST_ARRAYS and array.size <= MOST_ENTRIES and len(name) <= MOST_CHARACTERS:
                self.values.append((name, line, array))
                return len(self.values) - 1
        return -1
