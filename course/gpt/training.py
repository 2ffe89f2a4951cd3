"""Trains a learner's GPT on a text, with checkpoints; a training that was stopped goes on where it was."""

import importlib
import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from course import frameworks
from course.data import prose
from course.gpt.package import GPTError, Package, Sizes, where
from course.training import checkpoints

# Beside `my_gpt`: the checkpoints of its training.
FOLDER = "my_gpt_trained"
WEIGHTS = "weights.pt"
MERGES, LENGTH, BATCH = 512, 64, 16
RATE, RISING = 3e-3, 40  # the largest learning rate, and after how many steps of a run it is reached
CLIP, DECAY = 1.0, 0.1
# Between two measurements of the held-out loss, in seconds, and on how many windows it is measured.
EVERY, WINDOWS = 10.0, 64


@dataclass(frozen=True)
class Progress:
    """One step: which, what part of the time has passed, and the losses in nats for each character."""

    step: int
    part: float
    loss: float
    held_out: float


@dataclass
class Trained:
    """A model with what it needs to read, write and go on.

    curve: after some steps, the step and the losses on the training text and on the held-out text, in nats for
        each character.
    tokeniser: a `tokenizer.json` that the model came with; empty where the learner's own reads and writes.
    """

    package: Package
    sizes: Sizes
    model: Any
    merges: list[tuple[int, int]]
    step: int = 0
    curve: list[tuple[int, float, float]] = field(default_factory=list)
    optimiser: dict[str, Any] = field(default_factory=dict)
    tokeniser: str = ""

    def tokens_of(self, text: str) -> list[int]:
        if self.tokeniser:
            return list(self._own_tokeniser.encode(text).ids)
        return list(self.package.tokeniser.encode(text, self.merges))

    def text_of(self, tokens: list[int]) -> str:
        if self.tokeniser:
            return str(self._own_tokeniser.decode(tokens))
        return str(self.package.tokeniser.decode(tokens, self.merges))

    @cached_property
    def _own_tokeniser(self) -> Any:
        """The tokeniser that the model came with. Raises GPTError where it cannot be read."""
        try:
            return importlib.import_module("tokenizers").Tokenizer.from_str(self.tokeniser)
        except Exception as error:  # what the library raises is no class of its own
            raise GPTError(f"The tokeniser of this model cannot be read: {error}.") from error

    @property
    def num_weights(self) -> int:
        return sum(array.numel() for array in self.model.parameters())

    def save(self, folder: Path) -> None:
        """A checkpoint, whole or not at all. Raises CheckpointError."""
        kept = ("merges", "step", "curve", "tokeniser")
        state = {"sizes": asdict(self.sizes), **{name: getattr(self, name) for name in kept}}
        arrays = {"model": self.model.state_dict(), "optimiser": self.optimiser}
        checkpoints.save(folder, self.step, state, lambda part: frameworks.torch.save(arrays, part / WEIGHTS))


def load(home: Path, package: Package) -> Trained | None:
    """The newest checkpoint; None if there is none.

    Raises CheckpointError if it is damaged, GPTError if its arrays do not fit the model that `my_gpt` makes now.
    """
    found = checkpoints.newest(home / FOLDER)
    if found is None:
        return None
    path, state = found
    try:
        arrays = frameworks.torch.load(path / WEIGHTS, map_location="cpu", weights_only=True)
        sizes = Sizes(**state["sizes"])
        merges = [(int(first), int(second)) for first, second in state["merges"]]
        step, curve = int(state["step"]), [(int(s), float(a), float(b)) for s, a, b in state["curve"]]
        weights, optimiser, tokeniser = arrays["model"], arrays["optimiser"], str(state["tokeniser"])
    except Exception as error:  # a file that another hand has changed may fail anywhere
        raise checkpoints.damaged(path) from error
    model = package.gpt(sizes)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise GPTError(
            f"The weights in {path} do not fit your GPT any more, whose arrays have other names or shapes. "
            "Begin anew: attention gpt train --anew."
        ) from error
    return Trained(package, sizes, model, merges, step, curve, optimiser, tokeniser)


def begin(package: Package, text: str, **sizes: int) -> Trained:
    """A new model, with the merges that its tokeniser learns on a text."""
    tokeniser = package.tokeniser
    counted = Counter(tokeniser.pieces_of(text)).items()
    with in_words("learn_merges"):
        merges = [(int(first), int(second)) for first, second in tokeniser.learn_merges(counted, MERGES)]
    made = Sizes(256 + len(merges), **sizes)
    with in_words("GPT"):
        return Trained(package, made, package.gpt(made), merges)


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Raises GPTError where the learner's code raises anything."""
    try:
        yield
    except (GPTError, checkpoints.CheckpointError):
        raise
    except Exception as error:
        raise GPTError(f"{what} failed: {where(error)}.") from error


class Training:
    """A training of some minutes; it begins anew wherever a checkpoint is, and gives each step."""

    def __init__(self, trained: Trained, text: str, device: str) -> None:
        """Raises GPTError where the text is too short to learn from."""
        self.trained, self.device = trained, device
        train, held_out = prose.split(text)
        with in_words("encode"):
            self.tokens, test = (np.array(trained.tokens_of(part)) for part in (train, held_out))
        if min(len(self.tokens), len(test)) <= LENGTH + 1:
            raise GPTError(
                f"The text is too short: one line in {prose.EVERY} is held out, and both parts must have more than "
                f"{LENGTH} tokens."
            )
        self.windows = prose.windows(test, LENGTH)[:WINDOWS]
        # What turns nats for each token into nats for each character.
        self.of_train, self.of_test = len(self.tokens) / len(train), len(test) / len(held_out)
        self.rng = np.random.default_rng(trained.step)
        trained.model.to(device)
        self.optimiser = frameworks.torch.optim.AdamW(
            trained.model.parameters(), weight_decay=DECAY, betas=(0.9, 0.95)
        )
        if trained.optimiser:
            self.optimiser.load_state_dict(trained.optimiser)

    def steps(self, minutes: float = math.inf, number: float = math.inf) -> Iterator[Progress]:
        """Train for so long, or for a number of steps; the rate rises at first, and falls along a cosine to a tenth."""
        trained, begun = self.trained, time.monotonic()
        measured, held_out, losses = begun, self.held_out(), []
        for done in count():
            part = max((time.monotonic() - begun) / (60 * minutes), (done + 1) / number)
            rate = RATE * min((done + 1) / RISING, 0.55 + 0.45 * math.cos(math.pi * min(part, 1)))
            losses.append(self.step(rate))
            trained.step += 1
            if part >= 1 or time.monotonic() - measured > EVERY:
                measured, held_out = time.monotonic(), self.held_out()
                trained.curve.append((trained.step, float(np.mean(losses)), held_out))
                losses = []
            yield Progress(
                trained.step, min(part, 1), losses[-1] if losses else trained.curve[-1][1], held_out
            )
            if part >= 1:
                return

    def step(self, rate: float) -> float:
        """One step on a batch that is drawn from the text; gives the loss, in nats for each character."""
        begins = self.rng.integers(len(self.tokens) - LENGTH, size=(BATCH, 1))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with self._on_device(), in_words("a step of training"):
            loss = self.loss(self.tokens[begins + np.arange(LENGTH + 1)])
            self.optimiser.zero_grad()
            loss.backward()
            frameworks.torch.nn.utils.clip_grad_norm_(self.trained.model.parameters(), CLIP)
            self.optimiser.step()
        if not math.isfinite(loss.item()):
            raise GPTError(
                f"The loss is {loss.item()} after {self.trained.step} steps: is a number divided by zero?"
            )
        return float(loss.item()) * self.of_train

    def loss(self, rows: np.ndarray) -> Any:
        """The mean loss of the next tokens of rows, in nats for each token."""
        tokens = frameworks.torch.tensor(rows)
        logits = self.trained.model(tokens[:, :-1])
        return frameworks.torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    def held_out(self) -> float:
        """The loss on text that is not trained on, in nats for each character."""
        with self._on_device(), frameworks.torch.no_grad(), in_words("the model"):
            return float(self.loss(self.windows).item()) * self.of_test

    def save(self, home: Path) -> None:
        """Keep what was learnt. Raises CheckpointError."""
        self.trained.optimiser = self.optimiser.state_dict()
        self.trained.save(home / FOLDER)

    @contextmanager
    def _on_device(self) -> Iterator[None]:
        """What the learner's code makes is made there too: the numbers of positions, for one."""
        with frameworks.torch.device(self.device):
            yield


def write(trained: Trained, beginning: str, num_new: int, temperature: float, p: float, seed: int) -> str:
    """A text continued by so many tokens, each drawn; the keys and values of earlier tokens are cached."""
    generator = np.random.default_rng(seed)
    sampling = trained.package.sampling

    def choose(logits: Any) -> Any:
        return sampling.draw(
            logits, temperature, p, frameworks.torch.tensor(generator.random((len(logits), 1)))
        )

    with frameworks.torch.no_grad(), in_words("writing"):
        tokens = frameworks.torch.tensor([trained.tokens_of(beginning)])
        return trained.text_of(sampling.generate(trained.model, tokens, num_new, choose)[0].tolist())


def device(asked: str | None) -> str:
    """Where to train: what was asked for, or the fastest that is here. Raises GPTError where it is not."""
    here = {
        "cuda": frameworks.torch.cuda.is_available(),
        "mps": frameworks.torch.backends.mps.is_available(),
        "cpu": True,
    }
    if asked is None:
        return next(name for name, there in here.items() if there)
    if asked not in here:
        raise GPTError(f"There is no device {asked!r}: use cpu, cuda or mps.")
    if not here[asked]:
        raise GPTError(
            f"There is no {asked} here: use {', '.join(name for name, there in here.items() if there)}."
        )
    return asked
