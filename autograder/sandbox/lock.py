"""The lock: limits that a worker puts on itself, for good, before it is sent a submission.

No layer is enough alone. Landlock takes away files but leaves sockets, signals and chmod;
seccomp takes those away but leaves files readable. Together with limits on resources they
leave computation and little else. They need no privilege.

Sources: the kernel's documentation of Landlock (userspace-api/landlock) and of seccomp filters.
"""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import struct
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder.sandbox.readable_files import listable_folders, readable_paths

MEMORY = 2 << 30
MAX_OUTPUT = 16 << 20
MAX_FILES = 64
# A user id that no account has: what runs under it owns nothing.
DEDICATED_USER = 64_537

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_DEATH_SIGNAL, _SET_SECCOMP, _NO_NEW_PRIVS = 1, 22, 38
_FILTER = 2
# One instruction of the filter: code, two jumps, operand.
_INSTRUCTION = "=HBBI"
# A placeholder for the worker's own process id, which is filled in after the fork; no id is so large.
_OWN_PID = 0x7E57_CA5E
_READ_AND_EXECUTE = 0b1101  # execute, read a file, read a folder
_EXECUTE_FILE = 0b0101  # execute, read a file
_LIST = 0b1000  # read a folder
_NEW_USER, _NEW_NET, _NEW_IPC, _NEW_UTS = 0x10000000, 0x40000000, 0x08000000, 0x04000000
# Flags of open and openat that write, create or empty a file; access mode 3 asks Landlock for no right.
_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
# Descriptors may be copied and asked for their flags; none gets an owner or a signal.
_ASYNC = getattr(os, "O_ASYNC", 0o20000)
_FCNTLS = (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL)
# From this advice on, madvise breaks pages of the machine's memory, whoever else uses them; root may ask for it.
_BREAKS_MEMORY = 100
# What a terminal question and a socket's time-out ask of ioctl.
_IOCTLS = (0x5401, 0x5413, 0x5421, 0x5450, 0x5451)

CALLS = [
    "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fstat", "newfstatat", "stat",
    "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "getdents64",
    "dup", "dup2", "dup3", "ftruncate", "mmap", "munmap", "mremap", "mprotect", "brk", "rt_sigaction",
    "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "rt_sigpending", "restart_syscall", "futex",
    "get_robust_list", "set_robust_list", "rseq", "set_tid_address", "membarrier", "clock_gettime",
    "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "exit", "exit_group",
    "sched_yield", "sched_getaffinity", "getcpu", "getrandom", "uname", "sysinfo", "getrusage", "setitimer",
    "getrlimit", "umask", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getpgrp",
    "getpriority", "getgroups", "getresuid", "getresgid", "poll", "ppoll", "select", "pselect6",
    "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "pipe", "pipe2", "sendto",
    "recvfrom",
]  # fmt: skip

_libc = ctypes.CDLL(None, use_errno=True)


class Lock:
    """Made once in the zygote, applied in each worker. Says which layers this machine offers."""

    def __init__(self, landlock: int | None = None) -> None:
        """landlock: the version of Landlock to use, where it is not the kernel's own."""
        self.ruleset = _landlock_ruleset(landlock_abi() if landlock is None else landlock)
        self.program = _program()
        self.namespaces = _unshare()
        self.drops_user = os.geteuid() == 0 and _dedicated_user_can_import()
        self.memory = _memory()

    def apply(self, descriptors: Sequence[int], seconds: int) -> dict[str, bool]:
        """Apply all layers to this process; returns those that hold.

        descriptors: those that it needs, its wire and its clock. seconds: of processor time.
        """
        # Opened by each worker: the flags of a descriptor that several inherit are common to them.
        null = os.open(os.devnull, os.O_RDWR)
        layers = {"no_new_privs": _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "namespaces": self.namespaces}
        layers["landlock"] = self.ruleset is not None and _libc.syscall(_RESTRICT_SELF, self.ruleset, 0) == 0
        _keep_only(descriptors, null)
        _limit(self.memory + MEMORY, seconds)
        if self.drops_user:
            _drop_user()
        layers |= {"rlimits": True, "user": self.drops_user}
        # The kernel ends the worker when the zygote dies. A change of user would clear this, so it comes later.
        _libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        layers["seccomp"] = self.program is not None and _filter_calls(self.program)
        return layers


def _memory() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0


def _keep_only(descriptors: Sequence[int], null: int) -> None:
    """Close every other descriptor; standard input is empty, and what is printed is dropped."""
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    first = 3
    for descriptor in (*sorted(descriptors), 1 << 16):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.chdir("/")


def _limit(memory: int, seconds: int) -> None:
    for what, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, MAX_OUTPUT),
        (resource.RLIMIT_NOFILE, MAX_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (limit, limit))
    # First SIGXCPU, which tells what happened; SIGKILL a second later for whoever ignores it.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


# Landlock


def landlock_abi() -> int:
    """Return the kernel's version of Landlock; 0 where there is none. Asked by the call itself."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(int(_libc.syscall(_CREATE_RULESET, None, 0, 1)), 0)


def _landlock_ruleset(abi: int) -> int | None:
    if abi == 0:
        return None
    attributes = landlock_attributes(abi)
    ruleset = int(_libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    if ruleset < 0:
        return None
    for path in readable_paths():
        _allow(ruleset, path, _READ_AND_EXECUTE if path.is_dir() else _EXECUTE_FILE)
    for path in listable_folders():
        _allow(ruleset, path, _LIST)
    return ruleset


def landlock_attributes(version: int) -> bytes:
    """Return the kernel's `struct landlock_ruleset_attr`: every right that a version knows is handled.

    What is handled is refused where no rule gives it. Each version handles what the one before does.
    """
    rights = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    attributes = struct.pack("<Q", rights)
    attributes += struct.pack("<Q", 0b11) if version >= 4 else b""  # TCP: bind, connect
    return attributes + (struct.pack("<Q", 0b11) if version >= 6 else b"")  # abstract sockets, signals


def _allow(ruleset: int, path: Path, rights: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("<Qi", rights, handle)
    failed = _libc.syscall(_ADD_RULE, ruleset, 1, rule, 0)
    os.close(handle)
    if failed:
        raise OSError(ctypes.get_errno(), f"Landlock refuses a rule for {path}")


# seccomp


def _seccomp():  # type: ignore[no-untyped-def]
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return None
    return pyseccomp


def _program() -> bytes | None:
    """Return the filter that refuses every system call but the listed ones.

    None of them makes a process or a thread: no limit counts the threads of one worker (RLIMIT_NPROC counts
    those of a user), and thousands of small stacks fit into its memory. The filter is compiled once, with a
    number in the place of the process's own.
    """
    s = _seccomp()
    if s is None:
        return None
    calls = s.SyscallFilter(s.ERRNO(errno.EPERM))
    for name in CALLS:
        _add(s, calls, name)
    _add(s, calls, "open", s.Arg(1, s.MASKED_EQ, _WRITING, 0))
    _add(s, calls, "openat", s.Arg(2, s.MASKED_EQ, _WRITING, 0))
    for command in _FCNTLS:
        _add(s, calls, "fcntl", s.Arg(1, s.EQ, command))
    _add(s, calls, "fcntl", s.Arg(1, s.EQ, fcntl.F_SETFL), s.Arg(2, s.MASKED_EQ, _ASYNC, 0))
    for request in _IOCTLS:
        _add(s, calls, "ioctl", s.Arg(1, s.EQ, request))
    _add(s, calls, "madvise", s.Arg(2, s.LT, _BREAKS_MEMORY))
    _add(s, calls, "prlimit64", s.Arg(0, s.EQ, 0), s.Arg(2, s.EQ, 0))
    # What abort(3) does. A process that may kill itself would look as if the kernel had, for want of memory.
    _add(s, calls, "tgkill", s.Arg(0, s.EQ, _OWN_PID), s.Arg(2, s.EQ, int(signal.SIGABRT)))
    with tempfile.TemporaryFile() as compiled:
        calls.export_bpf(compiled)
        compiled.seek(0)
        return compiled.read()


def _filter_calls(program: bytes) -> bool:
    """Load the filter; only this process may be aborted."""
    instructions = program.replace(struct.pack("=I", _OWN_PID), struct.pack("=I", os.getpid()))
    held = ctypes.create_string_buffer(instructions, len(instructions))
    count = len(instructions) // struct.calcsize(_INSTRUCTION)
    whole = struct.pack("@HP", count, ctypes.addressof(held))
    return bool(_libc.prctl(_SET_SECCOMP, _FILTER, whole, 0, 0) == 0)


def _add(s, calls, name: str, *conditions) -> None:  # type: ignore[no-untyped-def]
    """Allow a call; one that this processor does not have is passed over."""
    try:
        calls.add_rule(s.ALLOW, name, *conditions)
    except OSError as error:
        if error.errno not in (errno.EDOM, errno.EINVAL):
            raise
    except ValueError:
        return


# Users and namespaces


def _drop_user() -> None:
    os.setgroups([])
    os.setresgid(DEDICATED_USER, DEDICATED_USER, DEDICATED_USER)
    os.setresuid(DEDICATED_USER, DEDICATED_USER, DEDICATED_USER)


def _dedicated_user_can_import() -> bool:
    """Return whether the interpreter and its packages lie where the dedicated user may read them."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    try:
        _drop_user()
        files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
        # PyTorch has modules that no file holds, and says "_ops.py" for them.
        missing = [file for file in files if Path(file).is_absolute() and not os.access(file, os.R_OK)]
        os._exit(1 if missing else 0)
    finally:
        os._exit(1)


def _unshare() -> bool:
    """Give the zygote a network, and queues and names, of its own; a bonus that containers often forbid."""
    flags = _NEW_NET | _NEW_IPC | _NEW_UTS
    if os.geteuid() != 0:
        flags |= _NEW_USER
    return bool(_libc.unshare(flags) == 0) if hasattr(_libc, "unshare") else False
