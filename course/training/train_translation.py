"""`python -m course.training translation`: the translators of the chapter, on any of its data."""

import json
import sys
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from course.data import multi30k
from course.display.progress_bar import bar as progress_bar
from course.frameworks import WITHOUT_MXNET, mx, versions
from course.training import checkpoints
from course.training.translation import SUITS, Learner, Settings, Task, bleu, task


class Data(StrEnum):
    """What there is to learn."""

    dates = "dates"
    grammar = "grammar"
    multi30k = "multi30k"


class Framework(StrEnum):
    """Which library learns it."""

    torch = "torch"
    mxnet = "mxnet"


REAL = Settings(embed_size=128, num_hiddens=256, dropout=0.2, batch_size=64, epochs=5, rate=0.003)
AT_LEAST = 2  # rarer words of Multi30k become <unk>


def translation(
    data: Annotated[Data, typer.Option(help="multi30k is downloaded once, 1.3 MB.")] = Data.grammar,
    framework: Annotated[Framework, typer.Option()] = Framework.torch,
    score: Annotated[str, typer.Option(help="A score function, or none: no attention.")] = "additive",
    epochs: Annotated[int | None, typer.Option(min=1)] = None,
    hidden: Annotated[int | None, typer.Option(min=2, help="Size of a state, even.")] = None,
    longest: Annotated[int | None, typer.Option(min=1, help="Most tokens of a sentence (multi30k).")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    beam: Annotated[int, typer.Option(min=0, help="Width of beam search in the end; 0: greedy only.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for checkpoints; a run there goes on.")] = None,
    result: Annotated[Path | None, typer.Option(help="A JSON file for the numbers.")] = None,
) -> None:
    """Train an encoder-decoder with attention, and measure it on sentences that it has not seen."""
    if framework is Framework.mxnet and mx is None:
        raise checkpoints.fail(WITHOUT_MXNET)
    settings = REAL if data is Data.multi30k else SUITS[data.value]
    settings = replace(settings, score=None if score == "none" else score, seed=seed)
    settings = replace(settings, epochs=epochs or settings.epochs, num_hiddens=hidden or settings.num_hiddens)
    if settings.num_hiddens % 2:
        raise checkpoints.fail(
            f"--hidden is {hidden}; it must be even: half of a state comes from each direction."
        )
    if score != "none" and score not in (known := _scores(framework.value)):
        names = ", ".join(sorted(known))
        raise checkpoints.fail(f"There is no score function {score!r}. There are: {names}, none.")
    try:
        learned = _task(data, longest)
    except multi30k.DataError as error:
        raise checkpoints.fail(str(error)) from None
    learner = Learner(framework.value, learned, settings)
    try:
        history, seconds = _train(learner, out)
    except checkpoints.CheckpointError as error:
        raise checkpoints.fail(str(error)) from None
    numbers = _numbers(learner, beam, longest) | {
        "losses": [round(loss, 4) for loss in history],
        "training_cpu_seconds": round(seconds, 1),
    }
    report = {
        "command": _command(),
        "versions": versions(),
        "settings": asdict(settings),
        "pairs": len(learned.train),
        **numbers,
    }
    if result is not None:
        try:
            result.parent.mkdir(parents=True, exist_ok=True)
            result.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise checkpoints.fail(f"The result cannot be written to {result}: {error.strerror}.") from None
    sys.stdout.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def _command() -> str:
    """What repeats this run, without the names of folders on this machine."""
    words = sys.argv[1:]
    kept = [
        word
        for word, before in zip(words, ["", *words], strict=False)
        if not {word.split("=")[0], before} & {"--out", "--result"}
    ]
    return " ".join(["python -m course.training", *kept])


def _scores(framework: str) -> dict[str, Any]:
    import importlib

    scores: dict[str, Any] = importlib.import_module(f"solutions.score_functions.in_{framework}").SCORES
    return scores


def _task(data: Data, longest: int | None) -> Task:
    if data is not Data.multi30k:
        return task(data.value)
    train, test = (multi30k.pairs(part, longest) for part in ("train", "test"))
    if not train or not test:
        raise multi30k.DataError(f"--longest is {longest}: no pair is so short on either side. Try 10.")
    return Task("multi30k", train, test, at_least=AT_LEAST)


def _train(learner: Learner, out: Path | None) -> tuple[list[float], float]:
    """Train to the end, from the last checkpoint if there is one; gives mean losses and seconds."""
    history, before = _take_up(learner, out) if out is not None else ([], 0.0)
    started = checkpoints.cpu_seconds()
    with progress_bar() as bar:
        row = bar.add_task("training", total=learner.num_batches * learner.settings.epochs)
        bar.advance(row, learner.num_batches * learner.done)
        while learner.done < learner.settings.epochs:
            losses = []
            for loss in learner.epoch():
                losses.append(loss)
                bar.advance(row)
                bar.update(row, description=f"epoch {learner.done + 1}, loss {np.mean(losses):.3f}")
            history.append(float(np.mean(losses)))
            seconds = before + checkpoints.cpu_seconds() - started
            if out is not None:
                _keep(learner, out, history, seconds)
    return history, before + checkpoints.cpu_seconds() - started


def _keep(learner: Learner, out: Path, history: list[float], seconds: float) -> None:
    state: dict[str, Any] = {"settings": asdict(learner.settings), "task": _described(learner)}
    state |= {"history": history, "cpu_seconds": seconds}

    def write(folder: Path) -> None:
        np.savez(folder / "weights.npz", **learner.code.named_weights(learner.model))
        learner.training.save(folder / "optimiser")

    checkpoints.save(out, learner.done, state, write)


def _take_up(learner: Learner, out: Path) -> tuple[list[float], float]:
    kept = checkpoints.newest(out)
    if kept is None:
        return [], 0.0
    path, state = kept
    if state.get("settings") != asdict(learner.settings) or state.get("task") != _described(learner):
        raise checkpoints.CheckpointError(
            f"The run in {out} has other settings or other data; give --out another folder, or delete it."
        )
    try:
        with np.load(path / "weights.npz") as weights:
            learner.code.set_weights(learner.model, dict(weights))
        learner.restart()
        learner.training.load(path / "optimiser")
        learner.done = int(path.name)
        return list(state["history"]), float(state["cpu_seconds"])
    except Exception as error:
        raise checkpoints.damaged(path) from error


def _described(learner: Learner) -> dict[str, Any]:
    t = learner.task
    sizes = [len(t.train), len(t.source), len(t.target)]
    return {"name": t.name, "framework": learner.framework, "sizes": sizes}


def _numbers(learner: Learner, beam: int, longest: int | None) -> dict[str, Any]:
    numbers: dict[str, Any] = {
        "weights": learner.num_weights,
        "vocabularies": _described(learner)["sizes"][1:],
    }
    measured = asdict(learner.measure())
    numbers |= {name: round(value, 4) for name, value in measured.items() if value is not None}
    found = [sentence for sentence, _ in learner.translate(learner.task.test)]
    searched = _beam(learner, beam) if beam else found
    if learner.task.name == "multi30k":
        wanted = multi30k.references("test", longest)
        numbers["bleu"], numbers["sacrebleu"] = _real_bleu(found, wanted)
        numbers |= {"beam": beam, "beam_bleu": _real_bleu(searched, wanted)[0]} if beam else {}
    elif beam:
        numbers |= {"beam": beam, "beam_bleu": round(bleu(searched, learner.task.test), 2)}
    return numbers


def _beam(learner: Learner, beam: int) -> list[list[str]]:
    with progress_bar() as bar:
        described = f"beam search, {beam} wide"
        return [learner.beam(pair, beam) for pair in bar.track(learner.task.test, description=described)]


def _real_bleu(found: list[list[str]], wanted: list[str]) -> tuple[float, str]:
    """BLEU as papers report it: against the sentences as written, sacrebleu's own tokens, in lower case."""
    import sacrebleu

    metric = sacrebleu.BLEU(lowercase=True)
    score = metric.corpus_score([multi30k.joined(f) for f in found], [wanted]).score
    return round(score, 2), str(metric.get_signature())
