"""Wrong versions of the solutions, as a learner in each framework would write them.

`WRONG[exercise][misconception][framework]` is an edit of the reference solution (old text, new text),
several of them, or a whole new source. `EQUIVALENT` lists the mutants of a solution that change no
result: (exercise, framework, what changed) → reason.
"""

from collections.abc import Mapping, Sequence

# Old text and new text; several edits; or a whole new source.
Edit = tuple[str, str]
Version = Edit | Sequence[Edit] | str
Wrong = Mapping[str, Mapping[str, Mapping[str, Version]]]
# The frameworks in which wrong versions are written.
FRAMEWORKS = ("mxnet", "torch")
