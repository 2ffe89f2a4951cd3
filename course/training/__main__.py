"""Trains the course's models: `python -m course.training translation --data grammar --framework torch`."""

import typer

from course.training.train_sentiment import sentiment
from course.training.train_translation import translation

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Train the models of a chapter.")
app.command()(sentiment)
app.command()(translation)

if __name__ == "__main__":
    app(prog_name="python -m course.training")
