"""`python -m course.training translation`: the translators of the chapter, on any of its data."""

import sys
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from autograder.frameworks.libraries import installed_versions
from course.data import multi30k
from course.data.download import DataError
from course.display.progress_bar import bar as progress_bar
from course.display.terminal import fail
from course.training import checkpoints, commands
from course.training.commands import FrameworkName
from course.training.translation import TRANSLATOR_SETTINGS, Corpus, Trainer, TranslatorSettings, bleu, corpus


class PairData(StrEnum):
    """The sentence pairs to train on."""

    dates = "dates"
    grammar = "grammar"
    multi30k = "multi30k"


REAL = TranslatorSettings(embed_size=128, num_hiddens=256, dropout=0.2, batch_size=64, epochs=5, rate=0.003)
AT_LEAST = 2  # rarer words of Multi30k become <unk>


def translation(
    data: Annotated[PairData, typer.Option(help="multi30k is downloaded once, 1.3 MB.")] = PairData.grammar,
    framework: Annotated[FrameworkName, typer.Option()] = FrameworkName.torch,
    score: Annotated[str, typer.Option(help="A score function, or none: no attention.")] = "additive",
    epochs: Annotated[int | None, typer.Option(min=1)] = None,
    hidden: Annotated[int | None, typer.Option(min=2, help="Size of a state, even.")] = None,
    longest: Annotated[int | None, typer.Option(min=1, help="Most tokens of a sentence (multi30k).")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    beam: Annotated[int, typer.Option(min=0, help="Width of beam search in the end; 0: greedy only.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for checkpoints; a run in it is resumed.")] = None,
    result: Annotated[Path | None, typer.Option(help="A JSON file for the measurements.")] = None,
) -> None:
    """Train an encoder-decoder with attention, and measure it on sentences that it has not seen."""
    commands.require(framework)
    settings = REAL if data is PairData.multi30k else TRANSLATOR_SETTINGS[data.value]
    settings = replace(settings, score=None if score == "none" else score, seed=seed)
    settings = replace(settings, epochs=epochs or settings.epochs, num_hiddens=hidden or settings.num_hiddens)
    if settings.num_hiddens % 2:
        raise fail(f"--hidden is {hidden}; it must be even: half of a state comes from each direction.")
    if score != "none" and score not in (names_of_scores := _scores(framework.value)):
        names = ", ".join(sorted(names_of_scores))
        raise fail(f"There is no score function {score!r}. There are: {names}, none.")
    try:
        pairs = _corpus(data, longest)
    except DataError as error:
        raise fail(str(error)) from None
    trainer = Trainer(framework.value, pairs, settings)
    try:
        history, seconds = _train(trainer, out)
    except checkpoints.CheckpointError as error:
        raise fail(str(error)) from None
    numbers = _numbers(trainer, beam, longest) | {
        "losses": [round(loss, 4) for loss in history],
        "training_cpu_seconds": round(seconds, 1),
    }
    report = {
        "command": commands.command_line(),
        "versions": installed_versions(),
        "settings": asdict(settings),
        "pairs": len(pairs.train),
        **numbers,
    }
    commands.write_result(report, result)
    sys.stdout.write(commands.as_json(report))


def _scores(framework: str) -> dict[str, Any]:
    import importlib

    scores: dict[str, Any] = importlib.import_module(f"solutions.score_functions.in_{framework}").SCORES
    return scores


def _corpus(data: PairData, longest: int | None) -> Corpus:
    if data is not PairData.multi30k:
        return corpus(data.value)
    train, test = (multi30k.pairs(part, longest) for part in ("train", "test"))
    if not train or not test:
        raise DataError(f"--longest is {longest}: no pair is so short on either side. Try 10.")
    return Corpus("multi30k", train, test, at_least=AT_LEAST)


def _train(trainer: Trainer, out: Path | None) -> tuple[list[float], float]:
    """Train to the end, from the last checkpoint if there is one; gives mean losses and seconds."""
    history, before = _resume(trainer, out) if out is not None else ([], 0.0)
    started = commands.cpu_seconds()
    with progress_bar() as bar:
        row = bar.add_task("training", total=trainer.num_batches * trainer.settings.epochs)
        bar.advance(row, trainer.num_batches * trainer.done)
        while trainer.done < trainer.settings.epochs:
            losses = []
            for loss in trainer.epoch():
                losses.append(loss)
                bar.advance(row)
                bar.update(row, description=f"epoch {trainer.done + 1}, loss {np.mean(losses):.3f}")
            history.append(float(np.mean(losses)))
            seconds = before + commands.cpu_seconds() - started
            if out is not None:
                _save_checkpoint(trainer, out, history, seconds)
    return history, before + commands.cpu_seconds() - started


def _save_checkpoint(trainer: Trainer, out: Path, history: list[float], seconds: float) -> None:
    state: dict[str, Any] = {"settings": asdict(trainer.settings), "corpus": _described(trainer)}
    state |= {"history": history, "cpu_seconds": seconds}

    def write(folder: Path) -> None:
        np.savez(folder / "weights.npz", **trainer.code.named_weights(trainer.model))
        trainer.training.save(folder / "optimiser")

    checkpoints.save(out, trainer.done, state, write)


def _resume(trainer: Trainer, out: Path) -> tuple[list[float], float]:
    checkpoint = checkpoints.newest(out)
    if checkpoint is None:
        return [], 0.0
    path, state = checkpoint
    if state.get("settings") != asdict(trainer.settings) or state.get("corpus") != _described(trainer):
        raise checkpoints.CheckpointError(
            f"The run in {out} has other settings or other data; give --out another folder, or delete it."
        )
    try:
        with np.load(path / "weights.npz") as weights:
            trainer.code.set_weights(trainer.model, dict(weights))
        trainer.restart()
        trainer.training.load(path / "optimiser")
        trainer.done = int(path.name)
        return list(state["history"]), float(state["cpu_seconds"])
    except Exception as error:
        raise checkpoints.damaged(path) from error


def _described(trainer: Trainer) -> dict[str, Any]:
    t = trainer.corpus
    sizes = [len(t.train), len(t.source), len(t.target)]
    return {"name": t.name, "framework": trainer.framework, "sizes": sizes}


def _numbers(trainer: Trainer, beam: int, longest: int | None) -> dict[str, Any]:
    numbers: dict[str, Any] = {
        "weights": trainer.num_weights,
        "vocabularies": _described(trainer)["sizes"][1:],
    }
    measured = asdict(trainer.measure())
    numbers |= {name: round(value, 4) for name, value in measured.items() if value is not None}
    translations = [sentence for sentence, _ in trainer.translate(trainer.corpus.test)]
    searched = _beam(trainer, beam) if beam else translations
    if trainer.corpus.name == "multi30k":
        references = multi30k.references("test", longest)
        numbers["bleu"], numbers["sacrebleu"] = _real_bleu(translations, references)
        numbers |= {"beam": beam, "beam_bleu": _real_bleu(searched, references)[0]} if beam else {}
    elif beam:
        numbers |= {"beam": beam, "beam_bleu": round(bleu(searched, trainer.corpus.test), 2)}
    return numbers


def _beam(trainer: Trainer, beam: int) -> list[list[str]]:
    with progress_bar() as bar:
        described = f"beam search, {beam} wide"
        return [trainer.beam(pair, beam) for pair in bar.track(trainer.corpus.test, description=described)]


def _real_bleu(translations: list[list[str]], references: list[str]) -> tuple[float, str]:
    """Return BLEU as papers report it: against the sentences as written, sacrebleu's own tokens, in lower case."""
    import sacrebleu

    metric = sacrebleu.BLEU(lowercase=True)
    score = metric.corpus_score([multi30k.joined(f) for f in translations], [references]).score
    return round(score, 2), str(metric.get_signature())
