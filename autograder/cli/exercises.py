"""Commands on exercises: `exercises` lists them, `exercises test` tries those of a folder."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from autograder.checking.lint import advice, problems
from autograder.cli.app import TeachersExercises, app
from autograder.cli.groups import CommandLine
from autograder.cli.output import console, new_table
from autograder.frameworks import graded_frameworks, title_of
from autograder.judge.cases import draw_cases
from autograder.model.catalogue import all_exercises, modules, use_folder
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.text import counted

UNTRIED = "No right answer in {} was tried, so nothing but itself says that the reference is right: write some into RIGHT."
commands = CommandLine(add_completion=False)
app.add_typer(commands, name="exercises")


@commands.callback(invoke_without_command=True)
def exercises(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    teachers_exercises: TeachersExercises = None,
) -> None:
    """List all exercises, or test those of a folder of your own."""
    if context.invoked_subcommand is not None:
        return
    if as_json:
        sys.stdout.write(json.dumps([_described(e) for e in all_exercises().values()], indent=1) + "\n")
        return
    table = new_table("exercise", "define", "difficulty", "minutes", "points")
    topic = ""
    for e in all_exercises().values():
        if e.topic != topic:
            topic = e.topic
            table.add_row(Text(topic, style="bold"), "", "", "", "")
        table.add_row(f"  {e.name}", e.entry, str(e.difficulty), str(e.minutes), str(e.points))
    console.print(table)


def _described(exercise: Exercise) -> dict[str, Any]:
    fields = ["name", "title", "topic", "entry", "kind", "signature", "points", "difficulty", "minutes"]
    return {
        **{name: getattr(exercise, name) for name in fields},
        "cases": len(draw_cases(exercise, 0)),
        "misconceptions": [m.name for m in exercise.misconceptions],
    }


@commands.command()
def test(
    folder: Annotated[Path, "The folder with your exercises."],
    seeds: Annotated[int, "How many sets of inputs are drawn for each.", 1] = 20,
) -> None:
    """Test each exercise in a folder of your own, and report what is wrong with it.

    The reference must pass, the cases must tell each wrong idea from all others, an empty answer must get no points,
    and right and wrong answers in a framework, if there are any, must be judged as such. Which families of mistakes no
    hint seems to speak of is listed as advice.
    The exit status is 1 if something is wrong.
    """
    use_folder(folder)
    resolved = folder.resolve()
    topics = {
        topic: m for topic, m in modules().items() if m.__file__ and Path(m.__file__).parent == resolved
    }
    tested = [e for e in all_exercises().values() if e.topic in topics]
    if not tested:
        raise UsageError(f"{folder} holds no exercise: its EXERCISES are empty.")
    failed = 0
    for exercise in tested:
        wrong = list(problems(exercise, topics[exercise.topic], seeds))
        ideas = counted(len(exercise.misconceptions), "wrong idea")
        words = f"can be used: {ideas} told apart, with {counted(seeds, 'set')} of inputs."
        console.print(f"{exercise.name}: {'cannot be used yet.' if wrong else words}", soft_wrap=True)
        for fault in wrong:
            console.print(f"  {fault.rstrip('.')}.", soft_wrap=True)
        right = getattr(topics[exercise.topic], "RIGHT", {}).get(exercise.name, {})
        untried = [title_of(name) for name in graded_frameworks() if name not in right]
        if untried and not exercise.has_choices:
            console.print(f"  {UNTRIED.format(' or '.join(untried))}", soft_wrap=True)
        if words := advice(exercise):
            console.print(f"  {words}", soft_wrap=True)
        failed += bool(wrong)
    if failed:
        raise typer.Exit(1)
