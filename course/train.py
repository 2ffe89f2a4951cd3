"""Trains the course's models: `python -m course.train translation --data grammar --framework torch`.

One command for each topic that trains something. A command `<topic>` is the function `<topic>` of a
module `course/train_<topic>.py`, found by that name: to add one, add the module. What the commands share
(progress bars, checkpoints, sentences for errors) is in `course/runs.py`.
"""

import importlib
import pkgutil

import typer

import course

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Train the models of a chapter.")


@app.callback()
def main() -> None:
    """Train the models of a chapter."""


for module in pkgutil.iter_modules(course.__path__):
    if module.name.startswith("train_"):
        topic = module.name.removeprefix("train_")
        app.command(name=topic)(getattr(importlib.import_module(f"course.{module.name}"), topic))

if __name__ == "__main__":
    app(prog_name="python -m course.train")
