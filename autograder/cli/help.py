"""What `attention --help` prints, without the commands, whose imports take most of a second.

The text lies in `help.txt`; `make sync` writes it from the commands.
"""

import sys
import textwrap
from pathlib import Path
from typing import Any

TEXT = Path(__file__).with_name("help.txt")
INDENT, WIDTH = 13, 80


def from_commands(app: Any) -> str:
    """Return the help of a typer application: its options, and all commands in their order."""
    from typer.main import get_command

    group: Any = get_command(app)
    options = [(max(p.opts, key=len), p.help) for p in group.params]
    options.append(("--help", "Show this message and exit."))
    commands = [(name, (command.help or "").split("\n\n")[0]) for name, command in group.commands.items()]
    usage = f"Usage: {{name}} [OPTIONS] COMMAND [ARGS]...\n\n  {group.help}\n"
    ending = "\n`{name} COMMAND --help` says more about a command.\n"
    return "\n".join((usage, _table("Options", options), _table("Commands", commands))) + ending


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    after = " " * INDENT
    lines = [
        textwrap.fill(f"  {name:{INDENT - 2}}{' '.join(words.split())}", WIDTH, subsequent_indent=after)
        for name, words in rows
    ]
    return "\n".join([f"{title}:", *lines, ""])


def print_help(name: str) -> None:
    """Print it. name: what the command is called."""
    sys.stdout.write(TEXT.read_text(encoding="utf-8").replace("{name}", name))
