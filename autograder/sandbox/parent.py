"""A process that ends with the one that started it, however that one ends."""

import ctypes
import os
import signal
import sys

_DEATH_SIGNAL = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, and end now if it has ended already.

    parent: the parent's process id. The kernel watches the thread of it that started this process. A change
    of user clears the request, so call this again after one. Elsewhere than on Linux nothing happens, and
    the end of the socket must do.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
