"""A draft that is learned from the model's own vectors: `python -m benchmarks.learned_draft --store`.

Two layers read the stored model's last vector at a token and the embedding of the next token, and are trained towards
the model's probabilities of the token after that. Their proposals and those of counted pairs are compared on the
held-out text, at the same places. One thread, for some seconds.
"""

import sys
from typing import Any

import numpy as np

from autograder.frameworks.libraries import torch
from course.data.prose import split, stored_model, text, windows
from solutions.language_model.common import encode
from solutions.language_model.in_numpy import language_model, log_softmax
from tools.figures import parser, store

UNITS, STEPS, RATE, SIZE, LENGTH = 256, 600, 0.01, 256, 64


class Places:
    """All places of a text with a token after the next: what a draft reads there, and what the model says."""

    def __init__(self, passage: str) -> None:
        stored = stored_model()
        tokens = windows(np.array(encode(passage, stored.merges)), LENGTH)
        parts = np.array_split(tokens, max(len(tokens) // 64, 1))
        logits = np.concatenate([language_model(part, stored.weights, stored.num_heads)[0] for part in parts])
        embedding = stored.weights["embedding"]
        vectors = logits @ np.linalg.pinv(embedding.T)
        read = np.concatenate([vectors[:, :-2], embedding[tokens[:, 1:-1]]], axis=-1)
        self.tokens, self.embedding = tokens, torch.tensor(embedding)
        self.read = torch.tensor(read.reshape(-1, read.shape[-1]), dtype=torch.float32)
        probabilities = np.exp(log_softmax(logits[:, 1:-1]))
        self.target = torch.tensor(probabilities.reshape(-1, len(embedding)), dtype=torch.float32)


def trained_layers(places: Places) -> Any:
    """Return the layers after training: (..., 2 d) to (..., d), vectors that are compared with the embedding."""
    torch.manual_seed(0)
    both, d = places.read.shape[-1], places.embedding.shape[-1]
    layers = torch.nn.Sequential(torch.nn.Linear(both, UNITS), torch.nn.SiLU(), torch.nn.Linear(UNITS, d))
    adam = torch.optim.AdamW(layers.parameters(), lr=RATE)
    for _ in range(STEPS):
        batch = torch.randint(len(places.read), (SIZE,))
        logits = layers(places.read[batch]) @ places.embedding.T
        loss = torch.nn.functional.cross_entropy(logits, places.target[batch])
        adam.zero_grad()
        loss.backward()
        adam.step()
    return layers


def pair_probabilities(places: Places, held_out: Places) -> Any:
    """Return how often each token follows the next one in the training text, for the places of another."""
    size = len(places.embedding)
    counts = np.full((size, size), 0.01)
    np.add.at(counts, (places.tokens[:, :-1], places.tokens[:, 1:]), 1)
    pairs = counts / counts.sum(axis=1, keepdims=True)
    return torch.tensor(pairs[held_out.tokens[:, 1:-1]].reshape(-1, size))


def main() -> None:
    """Train the layers, and print which part of the proposals would be accepted."""
    options = parser("learned_draft", __doc__).parse_args()
    torch.set_num_threads(1)
    places, held_out = map(Places, split(text()))
    layers = trained_layers(places)
    with torch.no_grad():
        learned = (layers(held_out.read) @ held_out.embedding.T).softmax(dim=-1)
    drafts = {"counted pairs": pair_probabilities(places, held_out), "learned layers": learned}
    accepted = {
        name: round(float(torch.minimum(draft, held_out.target).sum(dim=-1).mean()), 3)
        for name, draft in drafts.items()
    }
    sys.stdout.write("".join(f"{name}: accepted {part:.2f}\n" for name, part in accepted.items()))
    if options.store:
        store("learned_draft", {"steps": STEPS, "places": len(held_out.read), "accepted": accepted})


if __name__ == "__main__":
    main()
