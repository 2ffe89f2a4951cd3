"""Judges the parts of `my_gpt` as they stand in the package, by the judge of their exercises."""

from collections.abc import Iterator
from types import ModuleType

from autograder.checking.check import LocalTransport
from autograder.checking.my_gpt import MyGPT, Piece
from autograder.diagnose.diagnosis import diagnose
from autograder.model.verdict import Verdict


def judged(found: MyGPT, modules: dict[str, ModuleType]) -> Iterator[tuple[Piece, Verdict]]:
    """Each part that an exercise asks for, with its verdict. modules: those of the package, by their names."""
    for piece in found.pieces:
        entry = getattr(modules.get(piece.module), piece.name, None)
        if piece.exercise is not None and entry is not None:
            yield piece, diagnose(piece.exercise, LocalTransport(found.framework, entry), found.framework)
