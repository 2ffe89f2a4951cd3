"""Where the command line begins: the commands are loaded from here, which takes a second or two."""

import importlib
import signal
import sys

from autograder.model.errors import AutograderError


def main(name: str = "attention") -> None:
    """The command. name: what help calls it. Ctrl-C while it loads ends it at once, without a traceback."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        app = importlib.import_module("autograder.cli.commands").app
    except AutograderError as error:  # what is installed beside the course may be at fault
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_status)
    signal.signal(signal.SIGINT, before)
    app(prog_name=name)
