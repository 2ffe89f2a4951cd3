"""Wrong ideas, each written once: `exercises/<topic>.toml`, beside the topic's `exercises/<topic>.py`.

An idea is an edit of the reference (old text, new text), or a list of edits; a text is a whole new definition.
`CONTRIBUTING.md` describes the keys. A folder of one's own may hold more ideas, for the course's exercises too, in `more_ideas.toml`.
"""

import inspect
import linecache
import sys
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise, Function, Misconception, SourceEdit

NUMPY = "numpy"
# Which languages a key of an idea speaks of.
LANGUAGES = {"every": (NUMPY, "mxnet", "torch"), "twins": ("mxnet", "torch")}
COMMON_KEYS = {"hint", "also"}
MORE_IDEAS = "more_ideas.toml"


def pairs(edit: Sequence[Any]) -> list[tuple[str, str]]:
    """Return the parts of an edit that is no whole source: each old text and new text."""
    one = bool(edit) and isinstance(edit[0], str)
    return [(old, new) for old, new in ([edit] if one else edit)]


def edited(source: str, edit: SourceEdit, location: str) -> str:
    """Return a source with an idea's edits in it, each of whose texts must stand there once.

    Raises ValueError, which names the location and the text, where one does not.
    """
    if isinstance(edit, str):
        return edit
    for old, new in pairs(edit):
        if source.count(old) != 1:
            raise ValueError(
                f"{location}: the edit looks for {old!r}, which must stand once in the solution, but stands there "
                f"{source.count(old)} times."
            )
        source = source.replace(old, new)
    return source


@cache
def source_of(function: Function) -> str:
    """Return the lines of a function, which take longer to find than to compile."""
    return inspect.getsource(function)


def define_entry(source: str, name: str, entry: str, names: Mapping[str, Any]) -> Any:
    """Return what a source defines as `entry`, compiled under a file name of its own, where `inspect` finds it."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = dict(names)
    exec(compile(source, file, "exec"), namespace)
    return namespace[entry]


class Edited:
    """A wrong idea as a function: the reference with other text in it, compiled when it is first called.

    edit: what is replaced. names: what its text may use.
    """

    def __init__(
        self, name: str, exercise: Exercise, edit: SourceEdit, names: Callable[[], Mapping[str, Any]]
    ) -> None:
        self.__name__, self.exercise, self.edit, self._names = name, exercise, edit, names

    @cached_property
    def names(self) -> dict[str, Any]:
        """Return what its text may use: the names of the topic's module, of `imports` and of the reference's module."""
        return {**self._names(), **vars(sys.modules[self.exercise.reference.__module__])}

    @cached_property
    def __wrapped__(self) -> Function:
        reference, location = self.exercise.reference, f"{self.exercise.name}.{self.__name__}"
        source = edited(source_of(reference), self.edit, location)
        return define_entry(source, f"{location}, {self.edit}", reference.__name__, self.names)

    def __call__(self, **values: Any) -> Any:
        return self.__wrapped__(**values)


class Misconceptions(Sequence[Misconception]):
    """The wrong ideas of one exercise, read when they are first needed: a topic's file takes a while."""

    def __init__(self, exercise: Exercise, module: ModuleType, paths: Sequence[Path]) -> None:
        self._exercise, self._module, self._paths = exercise, module, paths

    @cached_property
    def _misconceptions(self) -> tuple[Misconception, ...]:
        ideas = [
            self._misconception(name, table, path)
            for path in self._paths
            for name, table in _tables(path).get(self._exercise.name, {}).items()
        ]
        return (*self._exercise.misconceptions, *ideas)

    def __getitem__(self, index: Any) -> Any:
        return self._misconceptions[index]

    def __len__(self) -> int:
        return len(self._misconceptions)

    def _misconception(self, name: str, table: Any, path: Path) -> Misconception:
        if not isinstance(table, dict) or not isinstance(table.get("hint"), str):
            raise ValueError(f"{self._exercise.name}.{name} must be a table with a `hint`, a text.")
        edits = {
            language: edit
            for key, edit in table.items()
            if key not in COMMON_KEYS
            for language in LANGUAGES.get(key, (key,))
        }
        also = table.get("also", ())
        function: Function | None
        variants: Sequence[Function]
        if NUMPY in edits:
            edits_for_numpy = (edits[NUMPY], *also)
            names = partial(_names, self._module, path)
            function, *variants = (Edited(name, self._exercise, edit, names) for edit in edits_for_numpy)
        elif function := _names(self._module, path).get(name):
            variants = [partial(function, **other) for other in also]
        else:
            raise ValueError(
                f"{self._exercise.name}.{name} needs an edit for NumPy (`every` or `numpy`), or a function of this "
                f"name, which `imports` or {Path(str(self._module.__file__)).name} may hold."
            )
        return Misconception(function, table["hint"], tuple(variants), edits)


def with_misconceptions(exercise: Exercise, module: ModuleType, more: Sequence[Path] = ()) -> Exercise:
    """Return an exercise with the wrong ideas of the file beside its module, if there is one, and of files with more."""
    beside = [] if exercise.misconceptions else [Path(str(module.__file__)).with_suffix(".toml")]
    paths = [path for path in (*beside, *more) if path.exists()]
    return replace(exercise, misconceptions=Misconceptions(exercise, module, paths)) if paths else exercise


def check_misconceptions(exercises: Collection[Exercise], path: Path) -> None:
    """Raise UsageError, with a sentence, where a file of ideas of one's own, of which these exercises have theirs, cannot be used."""
    if not path.exists():
        return
    try:
        names = _tables(path).keys() - {"imports"}
        for name in names - {exercise.name for exercise in exercises}:
            raise ValueError(f"there is no exercise {name}.")
        having = [exercise for exercise in exercises if exercise.name in names]
        for idea in (idea for exercise in having for idea in exercise.misconceptions):
            for function in (idea.function, *idea.also):
                _ = getattr(function, "__wrapped__", None)  # compiles an edit
    except Exception as error:  # `imports` are the teacher's own lines, and may raise whatever they like
        words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"{path} cannot be used: {words.rstrip('.')}.") from error


@cache
def _tables(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _names(module: ModuleType, path: Path) -> dict[str, Any]:
    """Return what an edit may use beside what the reference's module has."""
    names = dict(vars(module))
    exec(_tables(path).get("imports", ""), names)
    return names
