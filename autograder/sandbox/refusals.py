"""Refuses the library's own version of what an exercise asks for, by every way that leads to it.

A submission may hold a function by any name, compile it, or ask the dispatcher for what lies
below; so each framework refuses where all of these end. System calls are refused by `lock`.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from autograder.frameworks import frameworks
from autograder.frameworks.base import ContractBroken

# Whether refusals stay from one request to the next that refuses the same, as they may in a worker.
_stay = False


def let_refusals_stay() -> None:
    """Leave what is refused refused until a request asks otherwise: this process and its workers run nothing but submissions."""
    global _stay
    _stay = True


@contextmanager
def refusing(names: Sequence[str]) -> Iterator[list[str]]:
    """Refuse operators of every framework while a source runs, or for calls, each in `reported`: an answer may mix them.

    names: dotted, such as torch.nn.functional.layer_norm or mxnet.nd.LayerNorm. A framework that is not
    loaded has nothing to refuse. Gives what notes those called.
    """
    calls: list[str] = []
    try:
        with _refused(names, calls):
            yield calls
    finally:
        if not _stay:
            with _refused((), []):
                pass


@contextmanager
def _refused(names: Sequence[str], calls: list[str]) -> Iterator[None]:
    with ExitStack() as stack:
        for framework in frameworks().values():
            operators = frozenset(
                name.rsplit(".", 1)[-1] for name in names if name.split(".")[0] in framework.packages
            )
            is_loaded = all(sys.modules.get(package) is not None for package in framework.packages)
            if framework.refuse is not None and is_loaded:
                stack.enter_context(framework.refuse(operators, calls))
        yield


@contextmanager
def reported(calls: Sequence[str]) -> Iterator[None]:
    """Raise ContractBroken at the end if a refused operator was called, even if the submission has caught that."""
    try:
        yield
    except Exception:
        if not calls:
            raise
    if calls:
        raise ContractBroken(f"it calls {calls[0]}, which the exercise asks you to write yourself")
