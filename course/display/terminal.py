"""What commands write to standard error."""

import typer
from rich.console import Console
from rich.text import Text

CONSOLE = Console(stderr=True)


def fail(message: str) -> typer.Exit:
    """Write a sentence to standard error; gives what to raise for exit status 2."""
    CONSOLE.print(Text(message, style="red"))
    return typer.Exit(2)
