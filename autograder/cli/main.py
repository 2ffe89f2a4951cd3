"""Where the command line begins: the commands are loaded from here, which takes a second or two."""

import errno
import importlib
import os
import signal
import sys
from pathlib import Path

from autograder.cli.help import print_help
from autograder.model.errors import AutograderError, UsageError

# Why nothing more can be printed: the disk, or what one may have of it, is full.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def main(name: str = "attention") -> None:
    """Run the command. name: what help calls it. Ctrl-C while it loads ends it at once, without a traceback."""
    _use_any_output()
    if sys.argv[1:] == ["--help"]:
        print_help(name)
        return
    _refuse_a_folder_that_is_gone()
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        app = importlib.import_module("autograder.cli.commands").app
    except AutograderError as error:  # what is installed beside the course may be at fault
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_status)
    signal.signal(signal.SIGINT, before)
    try:
        app(prog_name=name)
    except OSError as error:
        if error.filename or error.errno not in FULL:
            raise
        sys.stderr.write(f"What the command prints cannot be written: {error.strerror}.\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left of it
        sys.exit(UsageError.exit_status)


def _refuse_a_folder_that_is_gone() -> None:
    try:
        Path.cwd()
    except FileNotFoundError:
        sys.stderr.write("The folder in which you are is gone: change to another one.\n")
        sys.exit(UsageError.exit_status)


def _use_any_output() -> None:
    """Print to what lacks some characters, or is closed, too."""
    for name in ("stdout", "stderr"):
        if (stream := getattr(sys, name)) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
