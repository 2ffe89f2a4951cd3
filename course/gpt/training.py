"""Trains a learner's GPT on a text, with checkpoints; a training that was stopped goes on where it was."""

import importlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from autograder.frameworks import libraries
from autograder.model.learner_files import opened
from autograder.model.text import clean
from course.data import moby_dick, prose
from course.data.download import DataError
from course.gpt.package import GPTError, Package, Sizes, in_words
from course.training import checkpoints

# Beside `my_gpt`: the checkpoints of its training.
FOLDER = "my_gpt_trained"
WEIGHTS = "weights.npz"
MODEL, STATE = "model ", "state "  # how the names of its arrays begin
MERGES, LENGTH, BATCH = 512, 64, 16
POSITIONS = 256  # that a model in GPT-2's form learns
# The merges are learned from so many pieces, the most frequent ones: from all those of a novel it takes minutes.
PIECES = 3000
RATE, RISING = 3e-3, 40  # the largest learning rate, and after how many steps of a run it is reached
WORDS = 200  # steps after which a sample holds whole words, in the chapter's own trainings
# Between two measurements of the held-out loss, in seconds, and on how many windows it is measured.
EVERY, WINDOWS = 10.0, 64


# The texts that one need not bring along.
TEXTS = {"prose": prose.text, "moby_dick": moby_dick.text}


def text_of(name: str) -> str:
    """Return one of TEXTS, or what a file of this name holds. Raises GPTError where it cannot be had."""
    try:
        return TEXTS[name]() if name in TEXTS else Path(name).read_text(encoding="utf-8")
    except DataError as error:
        raise GPTError(str(error)) from error
    except OSError as error:
        names = ", ".join(TEXTS)
        raise GPTError(
            f"{name} cannot be read: {error.strerror}. Without a file there are: {names}."
        ) from error
    except UnicodeDecodeError as error:
        raise GPTError(f"{name} is not a text in UTF-8.") from error


@dataclass(frozen=True)
class Progress:
    """One step: which, what part of the time has passed, and the losses in nats for each character.

    measured: whether the held-out loss is that after this step, and no earlier one.
    """

    step: int
    part: float
    loss: float
    held_out: float
    measured: bool


@dataclass(frozen=True)
class Chat:
    """How a published model was taught to talk.

    template: in Jinja, which makes one text of messages. ends: the tokens that end an answer. marks: further names
    that the template uses, `bos_token` and `eos_token`.
    """

    template: str
    ends: list[int]
    marks: dict[str, str]


@dataclass
class Trained:
    """A model with what it needs to read, write and go on.

    curve: after some steps, the step and the losses on the training text and on the held-out text, in nats for
        each character.
    state: what a step of training hands on to the next one.
    tokeniser: a `tokenizer.json` that the model came with; empty where the learner's own reads and writes.
    chat: its template of a conversation, and the tokens that end an answer; None where it has none.
    """

    package: Package
    sizes: Sizes
    model: Any
    merges: list[tuple[int, int]]
    step: int = 0
    curve: list[tuple[int, float, float]] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    tokeniser: str = ""
    chat: Chat | None = None

    @property
    def has_tokeniser(self) -> bool:
        """Return whether text can be read: with its own tokeniser, or the learner's, which has bytes and merges."""
        return bool(self.tokeniser) or self.sizes.vocabulary_size == 256 + len(self.merges)

    def tokens_of(self, text: str, is_marked: bool = False) -> list[int]:
        """Return the tokens of a text. Raises GPTError where the tokeniser of the model has none for it.

        is_marked: whether the marks of its beginning and end stand in it already.
        """
        if not self.has_tokeniser:
            raise GPTError("This model came without a tokenizer.json: it cannot read or write text.")
        if not self.tokeniser:
            return list(self.package.tokeniser.encode(text, self.merges))
        with _in_the_library("gives no tokens for this text"):
            tokens = list(self._own_tokeniser.encode(text, add_special_tokens=not is_marked).ids)
        if max(tokens, default=0) >= self.sizes.vocabulary_size:
            raise GPTError(
                f"The tokeniser of this model gives token {max(tokens)}, and the model has "
                f"{self.sizes.vocabulary_size}: they do not belong together."
            )
        return tokens

    def text_of(self, tokens: list[int]) -> str:
        """Return the text of tokens."""
        if self.tokeniser:
            with _in_the_library("gives no text for these tokens"):
                return str(self._own_tokeniser.decode(tokens))
        return str(self.package.tokeniser.decode(tokens, self.merges))

    def refuse_damaged_tokeniser(self) -> None:
        """Raise GPTError where the tokeniser that the model came with cannot be read."""
        _ = self.tokeniser and self._own_tokeniser

    @cached_property
    def _own_tokeniser(self) -> Any:
        """Return the tokeniser that the model came with, which leaves a text as long as it is."""
        with _in_the_library("cannot be read"):
            tokeniser = importlib.import_module("tokenizers").Tokenizer.from_str(self.tokeniser)
            tokeniser.no_padding()  # to any length that the file names
            tokeniser.no_truncation()
            return tokeniser

    @property
    def num_weights(self) -> int:
        return sum(map(math.prod, self.package.shapes(self.model).values()))

    def save(self, folder: Path) -> None:
        """Write a checkpoint, whole or not at all. Raises CheckpointError."""
        fields = ("merges", "step", "curve", "tokeniser")
        contents = {"sizes": asdict(self.sizes), **{name: getattr(self, name) for name in fields}}
        contents["chat"] = self.chat and asdict(self.chat)
        arrays = {f"{MODEL}{name}": array for name, array in self.package.arrays(self.model).items()}
        arrays |= {
            f"{STATE}{name}": np.asarray(value) if np.isscalar(value) else self.package.numpy(value)
            for name, value in self.state.items()
        }
        checkpoints.save(
            folder, self.step, contents, lambda part: np.savez(part / WEIGHTS, allow_pickle=False, **arrays)
        )


@contextmanager
def _in_the_library(what: str) -> Iterator[None]:
    """Raise GPTError where the library of tokenisers fails; its panics are no Exception."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise GPTError(f"The tokeniser of this model {what}: {clean(error)}.") from error


def load(home: Path, package: Package) -> Trained | None:
    """Return the newest checkpoint, in whichever framework it was trained; None if there is none.

    Raises CheckpointError if it is damaged, GPTError if its arrays do not fit the model that `my_gpt` makes now.
    """
    checkpoint = checkpoints.newest(home / FOLDER)
    if checkpoint is None:
        return None
    path, contents = checkpoint
    try:
        with opened(path / WEIGHTS, home / FOLDER) as data, np.load(data) as file:
            numbers = {
                entry.filename.removesuffix(".npy"): entry.file_size // 4 for entry in file.zip.filelist
            }
            trained = _described(package, contents, numbers)
            _fill(trained, file, path)
    except GPTError:
        raise
    except Exception as error:  # a file that another hand has changed may fail anywhere
        raise checkpoints.damaged(path) from error
    return trained


def _described(package: Package, contents: Mapping[str, Any], numbers: Mapping[str, int]) -> Trained:
    """Return the model of a checkpoint without its weights. numbers: how many each of its arrays holds at most."""
    sizes = Sizes(**contents["sizes"])
    _refuse_sizes(sizes, {name: count for name, count in numbers.items() if name.startswith(MODEL)})
    merges = [(int(first), int(second)) for first, second in contents["merges"]]
    step, curve = int(contents["step"]), [(int(s), float(a), float(b)) for s, a, b in contents["curve"]]
    tokeniser, chat = str(contents["tokeniser"]), contents.get("chat")
    with in_words("GPT"):
        model = package.gpt(sizes, seed=None)
    return Trained(package, sizes, model, merges, step, curve, {}, tokeniser, Chat(**chat) if chat else None)


def _fill(trained: Trained, arrays: Mapping[str, np.ndarray], path: Path) -> None:
    """Give a model the arrays of a checkpoint, of which each is read when its turn comes."""
    package, missing = trained.package, set(trained.package.shapes(trained.model))
    try:
        for name in arrays:
            if name.startswith(MODEL):
                package.take(trained.model, {name.removeprefix(MODEL): arrays[name]})
                missing.discard(name.removeprefix(MODEL))
            elif name.startswith(STATE):
                array = arrays[name]
                value = array.item() if array.ndim == 0 else package.array(array)
                trained.state[name.removeprefix(STATE)] = value
        if missing:
            raise GPTError(f"the array {min(missing)} of your GPT is not there")
    except GPTError as error:
        raise GPTError(
            f"The weights in {path} do not fit your GPT any more: {error}. Start again: attention gpt train --anew."
        ) from error


def _refuse_sizes(sizes: Sizes, held: Mapping[str, int]) -> None:
    """Raise ValueError where a model of these sizes has more weights than are held: it is not even made."""
    rows = sizes.vocabulary_size + sizes.hidden + sizes.num_positions
    if sizes.num_blocks > len(held) or sizes.d * rows > sum(held.values()):
        raise ValueError("more weights are asked for than are there")


def begin(package: Package, text: str, seed: int = 0, **sizes: Any) -> Trained:
    """Return a new model, with the merges that its tokeniser learns on a text."""
    tokeniser = package.tokeniser
    counted = Counter(tokeniser.pieces_of(text)).most_common(PIECES)
    with in_words("learn_merges"):
        merges = [(int(first), int(second)) for first, second in tokeniser.learn_merges(counted, MERGES)]
    model_sizes = Sizes(256 + len(merges), **sizes)
    with in_words("GPT"):
        return Trained(package, model_sizes, package.gpt(model_sizes, seed), merges)


class Training:
    """A training of some minutes, on the device of the model's package; it gives each step."""

    def __init__(self, trained: Trained, text: str) -> None:
        """Raises GPTError where the text is too short to learn from."""
        self.trained = trained
        train, held_out = prose.split(text)
        with in_words("encode"):
            self.tokens, test = (np.array(trained.tokens_of(part)) for part in (train, held_out))
        if min(len(self.tokens), len(test)) <= LENGTH + 1:
            raise GPTError(
                f"The text is too short: one line in {prose.EVERY} is held out, and both parts must have more than "
                f"{LENGTH} tokens."
            )
        self.beginning = " ".join(train.split()[:3])
        self.windows = prose.windows(test, LENGTH)[:WINDOWS]
        # What turns nats for each token into nats for each character.
        self.of_train, self.of_test = len(self.tokens) / len(train), len(test) / len(held_out)
        self.rng = np.random.default_rng(trained.step)

    def steps(self, minutes: float = math.inf, number: float = math.inf) -> Iterator[Progress]:
        """Train for so long, or for a number of steps; the rate rises at first, and falls along a cosine to a tenth."""
        trained, begun = self.trained, time.monotonic()
        measured, held_out, losses = begun, self.held_out(), []
        for done in count():
            part = max((time.monotonic() - begun) / (60 * minutes), (done + 1) / number)
            rate = RATE * min((done + 1) / RISING, 0.55 + 0.45 * math.cos(math.pi * min(part, 1)))
            losses.append(self.step(rate))
            trained.step += 1
            now = part >= 1 or time.monotonic() - measured > EVERY
            if now:
                measured, held_out = time.monotonic(), self.held_out()
                trained.curve.append((trained.step, float(np.mean(losses)), held_out))
            yield Progress(trained.step, min(part, 1), losses[-1], held_out, now)
            if part >= 1:
                return
            losses = [] if now else losses

    def step(self, rate: float) -> float:
        """Take one step on a batch that is drawn from the text; return the loss, in nats for each character."""
        begins = self.rng.integers(len(self.tokens) - LENGTH, size=(BATCH, 1))
        rows, trained, package = (
            self.tokens[begins + np.arange(LENGTH + 1)],
            self.trained,
            self.trained.package,
        )
        with package.at_work(), in_words("a step of training"):
            loss = package.training.training_step(trained.model, package.array(rows), trained.state, rate)
        if not math.isfinite(loss):
            raise GPTError(f"The loss is {loss} after {trained.step} steps: is a number divided by zero?")
        return float(loss) * self.of_train

    def held_out(self) -> float:
        """Return the loss on text that is not trained on, in nats for each character."""
        trained, package = self.trained, self.trained.package
        with package.at_rest(), in_words("the model"):
            tokens = package.array(self.windows)
            loss = package.training.next_token_loss(trained.model(tokens), tokens, None)
            return float(package.numpy(loss).item()) * self.of_test

    def sample(self) -> str:
        """Return how the first words of the text are continued."""
        return write(self.trained, self.beginning, 24, 0.8, 0.9, 0)


def write(trained: Trained, beginning: str, num_new: int, temperature: float, p: float, seed: int) -> str:
    """Return a text continued by so many tokens, each drawn; the keys and values of earlier tokens are cached."""
    generator, package = np.random.default_rng(seed), trained.package

    def choose(logits: Any) -> Any:
        return package.sampling.draw_token(
            logits, temperature, p, package.array(generator.random((len(logits), 1)))
        )

    with package.at_rest(), in_words("writing"):
        tokens = package.array(np.array([trained.tokens_of(beginning)]))
        most = trained.sizes.num_positions
        if most and tokens.shape[1] + num_new > most:
            raise GPTError(
                f"This model has {most} positions, and the text would have {tokens.shape[1] + num_new} tokens."
            )
        numbers = package.numpy(package.sampling.generate(trained.model, tokens, num_new, choose))
        return trained.text_of([int(token) for token in numbers[0]])


def device(requested: str | None, framework: str) -> str:
    """Return where to train: what was asked for, or the fastest that is here. Raises GPTError where it is not."""
    torch = libraries.torch if framework == "torch" else None
    here = {
        "cuda": torch is not None and torch.cuda.is_available(),
        "mps": torch is not None and torch.backends.mps.is_available(),
        "cpu": True,
    }
    if requested is None:
        return next(name for name, is_here in here.items() if is_here)
    if requested not in here:
        raise GPTError(f"There is no device {requested!r}: use cpu, cuda or mps.")
    if not here[requested]:
        devices = ", ".join(name for name, is_here in here.items() if is_here)
        raise GPTError(f"There is no {requested} here{'' if torch else ' for MXNet'}: use {devices}.")
    return requested
