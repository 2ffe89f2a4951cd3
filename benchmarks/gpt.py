"""What each part of a small GPT is good for: `python -m benchmarks.gpt --store`.

The model of the chapter is trained with one thing changed, from several seeds and in both frameworks, and its loss is
measured on held-out text. A change is another size, or another function under a name that the model's code finds; so
it is the code of `solutions/gpt` that runs. One training that is longer gives samples of what the model writes on the
way. All of it computes on one thread, for some minutes.
"""

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

from autograder.frameworks.libraries import mx, torch
from course.data import prose
from solutions.gpt.in_numpy import initial_weights
from solutions.language_model.common import decode, encode, learn_merges, pieces_of
from solutions.language_model.in_numpy import top_p
from tools.figures import parser, store

SIZES = {"vocabulary_size": 512, "d": 48, "num_heads": 4, "num_kv_heads": 2, "hidden": 128, "num_blocks": 2}
STEPS, RATE, SIZE, LENGTH = 200, 0.01, 16, 32
SEEDS = {"torch": 3, "mxnet": 2}
# The training for samples, and after how many steps they are written
LONG, SAMPLED = 1200, (1, 50, 200, 1200)
# What the held-out loss is measured on: windows of LENGTH tokens.
WINDOWS = 128


def as_it_is(X: Any, places: Any, base: float = 0) -> Any:
    """Stand in for `rotary`: no position."""
    return X


def gain_alone(X: Any, gain: Any) -> Any:
    """Stand in for `rms_norm`: no norm."""
    return gain * X


def relu_torch(X: Any, W_gate: Any, W_up: Any, W_down: Any) -> Any:
    """Stand in for `gated_feed_forward`: the layers of 2017, without biases."""
    return (X @ W_up).relu() @ W_down


def relu_mxnet(X: Any, W_gate: Any, W_up: Any, W_down: Any) -> Any:
    """Compute `relu_torch` in MXNet."""
    return mx.nd.dot(mx.nd.dot(X, W_up).relu(), W_down)


@dataclass(frozen=True)
class Change:
    """One thing that differs from the chapter's model.

    sizes: other sizes. names: of the functions in whose place another stands, which is given for each framework.
    untied: whether the logits come from a second table.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    names: dict[str, dict[str, Callable[..., Any]]] = field(default_factory=dict)
    untied: bool = False


CHANGES = {
    "as it is": Change(),
    "no rotary positions": Change(names={"rotary": {"torch": as_it_is, "mxnet": as_it_is}}),
    "8 heads of queries": Change({"num_heads": 8}),
    "1 head of keys": Change({"num_kv_heads": 1}),
    "no norms": Change(names={"rms_norm": {"torch": gain_alone, "mxnet": gain_alone}}),
    # Two matrices with 192 units have the parameters of three with 128.
    "ReLU for SwiGLU": Change(
        {"hidden": 192}, {"gated_feed_forward": {"torch": relu_torch, "mxnet": relu_mxnet}}
    ),
    "weights not tied": Change(untied=True),
}


class InTorch:
    """A GPT of the course in PyTorch, and its training."""

    def __init__(self, sizes: dict[str, int], weights: dict[str, np.ndarray], untied: bool) -> None:
        modules = [importlib.import_module(f"solutions.{topic}.in_torch") for topic in ("gpt", "transformer")]
        self.model = modules[1].set_weights(modules[0].GPT(**sizes), weights)
        self.table = torch.nn.Parameter(self.model.embedding.weight.detach().clone()) if untied else None
        parameters = [*self.model.parameters(), *([] if self.table is None else [self.table])]
        self.adam = torch.optim.Adam(parameters)

    def logits(self, tokens: np.ndarray) -> Any:
        read = torch.tensor(tokens)
        if self.table is None:
            return self.model(read)
        X = self.model.embedding(read)
        for block in self.model.blocks:
            X = block(X)
        return self.model.norm(X) @ self.table.T

    def loss(self, rows: np.ndarray) -> Any:
        logits = self.logits(rows[:, :-1]).flatten(0, 1)
        return torch.nn.functional.cross_entropy(logits, torch.tensor(rows[:, 1:]).flatten())

    def step(self, rate: float, rows: np.ndarray) -> float:
        self.adam.param_groups[0]["lr"] = rate
        loss = self.loss(rows)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return float(loss.item())

    def measured(self, rows: np.ndarray) -> float:
        with torch.no_grad():
            return float(self.loss(rows).item())

    def last(self, tokens: np.ndarray) -> np.ndarray:
        """Return the logits behind the last token."""
        with torch.no_grad():
            return np.asarray(self.logits(tokens)[:, -1].numpy(), dtype=float)


class InMXNet:
    """A GPT of the course in MXNet, and its training."""

    def __init__(self, sizes: dict[str, int], weights: dict[str, np.ndarray], untied: bool) -> None:
        modules = [importlib.import_module(f"solutions.{topic}.in_mxnet") for topic in ("gpt", "transformer")]
        self.model = modules[1].set_weights(modules[0].GPT(**sizes), weights)
        parameters = list(self.model.collect_params().values())
        self.table = None
        if untied:
            table = weights["embedding.weight"]
            self.table = mx.gluon.Parameter("table", shape=table.shape)
            self.table.initialize()
            self.table.set_data(mx.nd.array(table))
            parameters.append(self.table)
        self.trainer = mx.gluon.Trainer(parameters, "adam")
        self.cross_entropy = mx.gluon.loss.SoftmaxCELoss()

    def logits(self, tokens: np.ndarray) -> Any:
        if self.table is None:
            return self.model(mx.nd.array(tokens))
        X = self.model.embedding(mx.nd.array(tokens))
        for block in self.model.blocks:
            X = block(X)
        return mx.nd.dot(self.model.norm(X), self.table.data().T)

    def loss(self, rows: np.ndarray) -> Any:
        return self.cross_entropy(self.logits(rows[:, :-1]), mx.nd.array(rows[:, 1:]))

    def step(self, rate: float, rows: np.ndarray) -> float:
        self.trainer.set_learning_rate(rate)
        with mx.autograd.record():
            loss = self.loss(rows)
        loss.backward()
        # A matrix that nothing uses has no new gradient.
        self.trainer.step(len(rows), ignore_stale_grad=True)
        return float(loss.mean().asscalar())

    def measured(self, rows: np.ndarray) -> float:
        return float(self.loss(rows).mean().asscalar())

    def last(self, tokens: np.ndarray) -> np.ndarray:
        """Return the logits behind the last token."""
        return np.asarray(self.logits(tokens)[:, -1].asnumpy(), dtype=float)


FRAMEWORKS: dict[str, Any] = {"torch": InTorch, "mxnet": InMXNet}


@dataclass(frozen=True)
class Text:
    """The course's prose as tokens: to train on, and windows of what is held out."""

    merges: list[tuple[int, int]]
    tokens: np.ndarray
    held_out: np.ndarray
    tokens_per_character: float


def of_the_course() -> Text:
    trained_on, held_out = prose.split(prose.text())
    merges = learn_merges(Counter(pieces_of(trained_on)).items(), SIZES["vocabulary_size"] - 256)
    train, test = (np.array(encode(part, merges)) for part in (trained_on, held_out))
    return Text(merges, train, prose.windows(test, LENGTH)[:WINDOWS], len(test) / len(held_out))


def training(
    framework: str, change: Change, text: Text, seed: int, steps: int
) -> Iterator[tuple[Any, float]]:
    """Yield the model after each step of a training, and the loss of the step in nats for each token."""
    sizes = SIZES | change.sizes
    model = FRAMEWORKS[framework](sizes, initial_weights(**sizes, seed=seed), change.untied)
    for rate, rows in prose.steps(text.tokens, steps, RATE, SIZE, LENGTH, seed=seed):
        yield model, model.step(rate, rows)


def run(framework: str, name: str, text: Text, seed: int) -> dict[str, Any]:
    """Train once: every tenth loss, as means of ten, and the held-out loss in nats for each character."""
    change = CHANGES[name]
    module = importlib.import_module(f"solutions.gpt.in_{framework}")
    replacements: dict[str, Any] = {name: functions[framework] for name, functions in change.names.items()}
    with patch.dict(vars(module), replacements):
        pairs = list(training(framework, change, text, seed, STEPS))
        held_out = pairs[-1][0].measured(text.held_out) * text.tokens_per_character
    sys.stdout.write(f"{framework}, seed {seed}, {name}: {held_out:.3f}\n")
    sys.stdout.flush()
    losses = np.array([loss for _, loss in pairs]).reshape(-1, 10).mean(axis=1)
    return {
        "framework": framework,
        "change": name,
        "seed": seed,
        "losses": losses.round(3).tolist(),
        "held_out": round(held_out, 4),
    }


def samples(framework: str, text: Text) -> list[dict[str, Any]]:
    """Return what the model writes on the way of one longer training."""
    rows = []
    for step, (model, _) in enumerate(training(framework, CHANGES["as it is"], text, 0, LONG), 1):
        if step in SAMPLED:
            loss = model.measured(text.held_out) * text.tokens_per_character
            rows.append({"step": step, "held_out": round(loss, 3), "text": sample_text(model, text.merges)})
    return rows


def sample_text(model: Any, merges: list[tuple[int, int]]) -> str:
    """Return 40 tokens behind "The weights", drawn with the temperature 0.8 from the most probable ones, p = 0.9."""
    rng = np.random.default_rng(0)
    tokens = encode("The weights", merges)
    for _ in range(40):
        logits = model.last(np.array([tokens[-LENGTH:]])) / 0.8
        likely = np.exp(logits - logits.max())
        tokens.append(int(rng.choice(likely.size, p=top_p(likely / likely.sum(), 0.9)[0])))
    return decode(tokens, merges)


def summary(rows: Sequence[dict[str, Any]]) -> str:
    lines = []
    for framework in FRAMEWORKS:
        for name in CHANGES:
            held = [r["held_out"] for r in rows if (r["framework"], r["change"]) == (framework, name)]
            lines.append(f"{framework:6} {name:20} {min(held):.3f} to {max(held):.3f}")
    return "\n".join(lines)


def main() -> None:
    options: argparse.Namespace = parser("gpt", __doc__).parse_args()
    torch.set_num_threads(1)
    text = of_the_course()
    rows = [
        run(framework, name, text, seed)
        for framework, seeds in SEEDS.items()
        for seed in range(seeds)
        for name in CHANGES
    ]
    texts = {framework: samples(framework, text) for framework in FRAMEWORKS}
    sys.stdout.write(f"{summary(rows)}\n")
    if options.store:
        store("gpt", {"steps": STEPS, "rows": rows, "samples": texts})


if __name__ == "__main__":
    main()
