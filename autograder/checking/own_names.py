"""A copy of an accepted answer that keeps its names, as a reference has those of its module.

In a notebook with both frameworks a later cell binds names anew: `masked_softmax` is MXNet's, then PyTorch's.
"""

import enum
import inspect
from collections.abc import Iterator
from contextlib import suppress
from types import CellType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from autograder.checking.imports import functions_of, loaded

# Python makes these for each class.
MADE = (GetSetDescriptorType, MemberDescriptorType)


def with_own_names(entry: Any) -> Any:
    """The same function or class, for which each name stays what it is now, whatever later cells bind.

    What it uses of its own notebook is copied with it. Anything else, such as an object that can be called, is given
    back as it is.
    """
    names = next(_names_of(entry), None)
    return entry if names is None else _Copies(names).all_of(entry)


def _names_of(entry: Any) -> Iterator[dict[str, Any]]:
    """The names of the module of a function, or of a class's methods."""
    return (inspect.unwrap(function).__globals__ for function in functions_of(entry))


class _Copies:
    """Copies of a module's functions and classes that find the names they use in a dictionary of their own."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        own = ("__name__", "__builtins__")
        self._own: dict[str, Any] = {name: names[name] for name in own if name in names}
        # By the identity of what is copied, and with it, so that no other object gets its identity.
        self._made: dict[int, tuple[Any, Any]] = {}
        # What is still to be copied: functions and classes may name each other.
        self._used: list[str] = []
        self._cells: list[tuple[CellType, CellType]] = []

    def all_of(self, entry: Any) -> Any:
        """The copy of a function or class, complete with all that it uses."""
        made = self._of(entry)
        while self._used or self._cells:
            if self._used:
                name = self._used.pop()
                if name in self._names and name not in self._own:
                    self._own[name] = self._of(self._names[name])
            else:
                old, new = self._cells.pop()
                with suppress(ValueError):  # the cell is empty
                    new.cell_contents = self._of(old.cell_contents)
        return made

    def _of(self, value: Any) -> Any:
        if id(value) in self._made:
            return self._made[id(value)][1]
        if isinstance(value, FunctionType) and inspect.unwrap(value).__globals__ is self._names:
            made: Any = self._function(value)
        elif isinstance(value, type) and self._is_own(value):
            made = self._class(value)
        elif isinstance(value, staticmethod | classmethod):
            made = type(value)(self._of(value.__func__))
        elif isinstance(value, property):
            made = property(self._of(value.fget), self._of(value.fset), self._of(value.fdel), value.__doc__)
        else:
            return value
        self._made[id(value)] = value, made
        return made

    def _is_own(self, value: type) -> bool:
        """Whether a class is one of the module, and no copy that was made of it before."""
        in_module = value.__module__ == self._names.get("__name__")
        return in_module and next(_names_of(value), self._names) is self._names

    def _function(self, value: FunctionType) -> FunctionType:
        # A decorator's function has the names of its own module, and holds the decorated one in a cell.
        is_own = value.__globals__ is self._names
        cells = tuple(map(self._cell, value.__closure__ or ())) or None
        names = self._own if is_own else value.__globals__
        made = FunctionType(value.__code__, names, value.__name__, value.__defaults__, cells)
        made.__kwdefaults__ = value.__kwdefaults__
        made.__annotations__ = value.__annotations__
        made.__doc__, made.__module__, made.__qualname__ = value.__doc__, value.__module__, value.__qualname__
        vars(made).update(vars(value))
        if is_own:
            self._used += [name for name, _ in loaded(value.__code__)]
        return made

    def _cell(self, cell: CellType) -> CellType:
        if id(cell) not in self._made:
            made = CellType()
            self._made[id(cell)] = cell, made
            self._cells.append((cell, made))
        return self._made[id(cell)][1]

    def _class(self, value: type) -> type:
        if isinstance(value, enum.EnumMeta):  # its members are compared by identity
            return value
        bases = tuple(map(self._of, value.__bases__))
        members = {name: self._of(m) for name, m in vars(value).items() if not isinstance(m, MADE)}
        try:
            return type(value)(value.__name__, bases, {**members, "__qualname__": value.__qualname__})
        except TypeError:  # it was made with keywords, which it does not keep
            return value
