"""Where the command line begins: the commands are loaded from here, which takes a second or two."""

import importlib
import signal


def main(name: str = "attention") -> None:
    """The command. name: what help calls it. Ctrl-C while it loads ends it at once, without a traceback."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    app = importlib.import_module("autograder.cli.commands").app
    signal.signal(signal.SIGINT, before)
    app(prog_name=name)
