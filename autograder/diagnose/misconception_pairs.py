"""Two wrong ideas of an exercise at once: their edits of the reference, made together where the places differ."""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, product
from types import CodeType

from autograder.model.exercise import Exercise, Function, SourceEdit
from autograder.model.finding import Finding, Kind
from autograder.model.misconceptions import Edited, edited, pairs, source_of
from autograder.model.text import common_length

JOINT = "+"
TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
# A loop that two edits together could make endless is not tried.
MAY_NOT_END = re.compile(r"\bwhile\b")
# For so many exercises what two ideas compute is kept, as for an assignment: for all it is a hundred megabytes.
MAX_CACHED = 16


@dataclass(frozen=True, order=True)
class Replacement:
    """A stretch of the reference's text, and what stands in its place."""

    start: int
    end: int
    new: str


# The number of an idea, what it computes, and what it replaces: each edit as one stretch, and in pieces.
EditedIdea = tuple[int, Edited, tuple[list[Replacement], list[Replacement]]]


@dataclass(frozen=True, eq=False)
class MisconceptionPair:
    """Two ideas in the order of the reference's text, as one function.

    apart: what each of them computes. touch: whether a change of one begins where one of the other ends.
    """

    first: int
    second: int
    source: str
    apart: tuple[Edited, Edited]
    touch: bool

    @cached_property
    def function(self) -> Function | None:
        """Return what both together compute, kept: `fingerprint_of` remembers by it. None if it cannot be compiled."""
        return self.make_function()

    def make_function(self) -> Function | None:
        """Return what both together compute, made anew, since hundreds would be megabytes; None if it cannot be compiled."""
        if self._code is None:
            return None
        entry, _ = self.apart
        namespace = dict(entry.names)
        exec(self._code, namespace)
        return namespace[entry.exercise.reference.__name__]

    @cached_property
    def _code(self) -> CodeType | None:
        try:
            name = f"<{self.apart[0].__name__}, {self.first} and {self.second}>"
            return compile(self.source, name, "exec")
        except (SyntaxError, ValueError):
            return None


def misconception_pairs(exercise: Exercise) -> tuple[MisconceptionPair, ...]:
    """Return all pairs of the exercise's misconceptions that change different places of its reference."""
    return _pairs_of(exercise.reference, tuple(m.function for m in exercise.misconceptions))


def pairs_with_a_variant(exercise: Exercise) -> Iterator[MisconceptionPair]:
    """Yield the pairs of which one idea has another constant."""
    ideas = exercise.misconceptions
    edits = _edits(exercise.reference, enumerate(m.function for m in ideas))
    variants = _edits(exercise.reference, ((i, f) for i, m in enumerate(ideas) for f in m.also))
    for one, other in [*product(edits, variants), *combinations(variants, 2)]:
        if one[0] != other[0] and (pair := _pair(source_of(exercise.reference), one, other)):
            yield pair


def pair_finding(exercise: Exercise, pair: MisconceptionPair) -> Finding:
    """Return a finding on two ideas together, by both names and with both hints."""
    first, second = (exercise.misconceptions[i] for i in (pair.first, pair.second))
    hint = f"Two mistakes together. First: {first.hint} Second: {second.hint}"
    return Finding(Kind.IDEA, hint, name=f"{first.name}{JOINT}{second.name}")


@lru_cache(maxsize=MAX_CACHED)
def _pairs_of(reference: Function, functions: tuple[Function, ...]) -> tuple[MisconceptionPair, ...]:
    edits = _edits(reference, enumerate(functions))
    pairs = (_pair(source_of(reference), one, other) for one, other in combinations(edits, 2))
    return tuple(pair for pair in pairs if pair)


def _edits(reference: Function, functions: Iterable[tuple[int, Function]]) -> list[EditedIdea]:
    """Return the functions that are edits, each with its idea's number and its replacements."""
    source = source_of(reference)
    return [(i, f, replacements(source, f.edit)) for i, f in functions if isinstance(f, Edited)]


def _pair(source: str, one: EditedIdea, other: EditedIdea) -> MisconceptionPair | None:
    for changes, more in zip(one[2], other[2], strict=True):
        if (text := apply_both(source, changes, more)) and not MAY_NOT_END.search(text):
            first, second = (one, other) if min(changes) < min(more) else (other, one)
            touch = any(a.start <= b.end and b.start <= a.end for a in changes for b in more)
            return MisconceptionPair(first[0], second[0], text, (first[1], second[1]), touch)
    return None


def replacements(source: str, edit: SourceEdit) -> tuple[list[Replacement], list[Replacement]]:
    """Return what an idea changes: each edit as one stretch, without what both its texts begin and end with; and in pieces."""
    edits = [] if isinstance(edit, str) else pairs(edit)
    if not edits or any(source.count(old) != 1 for old, _ in edits):
        # An edit may change what another has written.
        edits = [(source, edited(source, edit, "two ideas"))]
    whole, pieces = [], []
    for old, new in edits:
        start, before, after = source.index(old), TOKEN.findall(old), TOKEN.findall(new)
        positions = [start]
        for token in before:
            positions.append(positions[-1] + len(token))
        codes = difflib.SequenceMatcher(None, before, after, False).get_opcodes()
        changed = (code for kind, *code in codes if kind != "equal")
        pieces += [Replacement(positions[a], positions[b], "".join(after[c:d])) for a, b, c, d in changed]
        same = common_length(before, after)
        rest = common_length(before[same:][::-1], after[same:][::-1])
        until, to = len(before) - rest, len(after) - rest
        whole.append(Replacement(positions[same], positions[until], "".join(after[same:to])))
    return whole, pieces


def apply_both(source: str, one: Iterable[Replacement], other: Iterable[Replacement]) -> str | None:
    """Return the source with both; None where they change one place."""
    changes = sorted({*one, *other})
    for before, after in pairwise(changes):
        at_one_place = before.start == before.end == after.start == after.end
        if after.start < before.end or (at_one_place and "\n" not in before.new):
            return None
    for change in reversed(changes):
        source = source[: change.start] + change.new + source[change.end :]
    return source
