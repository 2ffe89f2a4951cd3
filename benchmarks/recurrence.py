"""How well states and caches remember: `python -m benchmarks.recurrence --store`.

Small models of one or two layers are trained on two tasks of recall, from several seeds. Their layers call the
functions of `solutions/recurrence` in PyTorch, with all tokens in one chunk. One thread, for some minutes.
"""

import importlib
import math
import sys
from typing import Any

import numpy as np

from autograder.frameworks.libraries import torch
from course.data.recall import NAMES, ROOMS, stream
from tools.figures import parser, store

HEADS, D, WIDTH, EMBEDDED = 2, 8, 16, 16  # D: width of queries and keys, WIDTH: of values, in each head
STEPS, RATE, BATCH = 200, 0.01, 32
ENDS = (4, 8, 12, 16, 20, 24, 28, 32)
SEEDS = 3
TASKS = {"each name once": False, "guests move": True}
MODELS = {
    "softmax": ("softmax",),
    "softmax, distances": ("distances",),
    "sums": ("sums",),
    "decay": ("decay",),
    "delta rule": ("delta",),
    "gated delta rule": ("gated",),
    "two gated layers": ("gated", "gated"),
    "hybrid": ("gated", "softmax"),
}
TOKEN = 3 * EMBEDDED


class Reader:
    """A model, and its training."""

    def __init__(self, kinds: tuple[str, ...], seed: int) -> None:
        torch.manual_seed(seed)
        self.kinds = kinds
        self.solutions = importlib.import_module("solutions.recurrence.in_torch")
        linear = torch.nn.Linear
        self.parts = torch.nn.ModuleDict(
            {
                "names": torch.nn.Embedding(NAMES, EMBEDDED),
                "rooms": torch.nn.Embedding(ROOMS, EMBEDDED),
                "out": linear(TOKEN, ROOMS),
            }
        )
        for i in range(len(kinds)):
            for name, units in (("queries", HEADS * D), ("keys", HEADS * D), ("values", HEADS * WIDTH)):
                self.parts[f"{name}{i}"] = linear(TOKEN, units, bias=False)
            self.parts[f"gates{i}"] = linear(TOKEN, 2 * HEADS)
            torch.nn.init.constant_(self.parts[f"gates{i}"].bias[:HEADS], 4)  # decays begin near 1
            self.parts[f"joined{i}"] = linear(HEADS * WIDTH, TOKEN, bias=False)
        self.slopes = torch.nn.Parameter(torch.full((HEADS,), 0.3))
        self.adam = torch.optim.Adam([*self.parts.parameters(), self.slopes], lr=RATE)

    def context(self, kind: str, q: Any, k: Any, v: Any, decays: Any, rates: Any) -> Any:
        num_tokens = q.shape[1]
        if kind in ("softmax", "distances"):
            position = torch.arange(num_tokens)
            distance = position.unsqueeze(1) - position
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(D)
            if kind == "distances":
                scores = scores - self.slopes.repeat(len(q) // HEADS)[:, None, None] * distance
            return torch.bmm(scores.masked_fill(distance < 0, -1e6).softmax(dim=-1), v)
        q, k = (X / (X.square().sum(dim=-1, keepdim=True) + 1e-6).sqrt() for X in (q, k))
        decays = torch.ones_like(decays) if kind in ("sums", "delta") else decays
        if kind in ("sums", "decay"):
            return self.solutions.decayed_attention(q, k, v, decays)
        return self.solutions.chunked_delta(q, k, v, rates, decays, num_tokens)

    def logits(self, names: np.ndarray, rooms: np.ndarray, questions: np.ndarray) -> Any:
        parts = self.parts
        names, rooms, questions = map(torch.tensor, (names, rooms, questions))
        X = torch.cat([parts["names"](names), parts["rooms"](rooms), parts["names"](questions)], dim=-1)
        for i, kind in enumerate(self.kinds):
            q, k, v = (
                parts[f"{name}{i}"](X).unflatten(2, (HEADS, -1)).transpose(1, 2).flatten(0, 1)
                for name in ("queries", "keys", "values")
            )
            gates = parts[f"gates{i}"](X).sigmoid().transpose(1, 2)
            decays, rates = (part.flatten(0, 1) for part in gates.split(HEADS, dim=1))
            contexts = self.context(kind, q, k, v, decays, rates).unflatten(0, (-1, HEADS))
            X = X + parts[f"joined{i}"](contexts.transpose(1, 2).flatten(2))
        return parts["out"](X)

    def step(self, names: np.ndarray, rooms: np.ndarray, questions: np.ndarray, right: np.ndarray) -> None:
        logits = self.logits(names, rooms, questions).flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(right).flatten())
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()

    def answers(self, names: np.ndarray, rooms: np.ndarray, questions: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(self.logits(names, rooms, questions).argmax(dim=-1))


def run(task: str, name: str, seed: int) -> dict[str, Any]:
    """Train once, and return the share of right answers on 200 new texts, as means of four steps each."""
    rng = np.random.default_rng(seed)
    model = Reader(MODELS[name], seed)
    for _ in range(STEPS):
        model.step(*stream(rng, BATCH, moves=TASKS[task]))
    *texts, right = stream(np.random.default_rng(999), 200, moves=TASKS[task])
    hits = (model.answers(*texts) == right).mean(axis=0)
    shares = [round(float(hits[end - 4 : end].mean()), 3) for end in ENDS]
    sys.stdout.write(f"{task}, {name}, seed {seed}: {shares}\n")
    sys.stdout.flush()
    return {"task": task, "model": name, "seed": seed, "shares": shares}


def main() -> None:
    options = parser("recurrence", __doc__).parse_args()
    torch.set_num_threads(1)
    rows = [run(task, name, seed) for task in TASKS for name in MODELS for seed in range(SEEDS)]
    if options.store:
        store("recurrence", {"steps": STEPS, "ends": ENDS, "rows": rows})


if __name__ == "__main__":
    main()
