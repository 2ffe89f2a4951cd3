"""Which statement of a source is at work: numbers in memory that the judge shares with its workers.

A call in C outlasts every signal of Python, and a process that is killed answers nothing: what it was at stands here.
A worker may write whatever it likes, and the judge takes it for nothing but numbers.
"""

import mmap
import os
import struct
import tempfile

# A statement: the number of its source, from 1, and its first line; zeros for none.
PLACE = struct.Struct("<II")
# How many statements that were stopped are noted behind the one at work.
MAX_STOPPED = 64
SIZE = PLACE.size * (1 + MAX_STOPPED)

Place = tuple[int, int]


class Board:
    """The statement that is at work, and those that were stopped before it."""

    def __init__(self, fd: int) -> None:
        self.memory = mmap.mmap(fd, SIZE)
        self.stopped = 0

    def clear(self) -> None:
        """Note that nothing is at work, and nothing was stopped."""
        self.memory[:] = bytes(SIZE)
        self.stopped = 0

    def begin(self, cell: int, line: int) -> None:
        """Note the statement that begins."""
        PLACE.pack_into(self.memory, 0, cell, line)

    def stop(self, cell: int, line: int) -> None:
        """Note a statement that was stopped."""
        if self.stopped < MAX_STOPPED:
            self.stopped += 1
            PLACE.pack_into(self.memory, PLACE.size * self.stopped, cell, line)

    def read(self) -> list[Place]:
        """Return the statement at work, and those that were stopped; an empty list if none is at work."""
        at_work, *stopped = PLACE.iter_unpack(self.memory[:])
        return [statement for statement in (at_work, *stopped) if all(statement)] if all(at_work) else []


def shared_memory() -> int:
    """Return a descriptor of memory for a `Board`, which processes that are started may inherit."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("board")
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.write(fd, bytes(SIZE))  # a full disk is noticed here, and not by who writes to the memory
    return fd
