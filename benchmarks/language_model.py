"""The small language model that comes with the course: `python -m benchmarks.language_model --store`.

It is trained in PyTorch on one thread, with the functions of the chapter, by Adam without clipping and decay, and stored as
`course/data/prose_model.npz`: its weights in half precision, the merged pairs, and the held-out loss.
"""

import argparse
import math
import sys
import time
from collections import Counter
from typing import Any

import numpy as np

from autograder.frameworks.libraries import torch
from course.data.prose import STORED, split, steps, text, windows
from solutions.language_model import in_torch
from solutions.language_model.common import decode, encode, learn_merges, pieces_of
from solutions.language_model.in_numpy import initial_weights

MERGES, D, HIDDEN, BLOCKS, HEADS = 512, 72, 192, 3, 6
STEPS, RATE, LENGTH, SIZE = 450, 6e-3, 64, 32


def nats(model: dict[str, Any], tokens: np.ndarray, characters: int) -> float:
    """Return the mean cross-entropy on tokens, for each of the characters that they stand for."""
    with torch.inference_mode():
        loss = in_torch.mean_loss(model, HEADS, torch.tensor(windows(tokens, LENGTH))).item()
    return float(loss * len(tokens) / characters)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    trained_on, held_out = split(text())
    merges = learn_merges(Counter(pieces_of(trained_on)).items(), MERGES)
    train, test = (np.array(encode(part, merges)) for part in (trained_on, held_out))
    weights = initial_weights(256 + MERGES, D, HIDDEN, BLOCKS)
    start = time.process_time()
    batches = steps(train, STEPS, RATE, SIZE, LENGTH)
    model, losses = in_torch.train(weights, HEADS, batches, max_norm=math.inf, decay=0)
    seconds = time.process_time() - start
    half = {name: array.detach().half() for name, array in model.items()}
    model = {name: array.float() for name, array in half.items()}
    loss = nats(model, test, len(held_out))
    count = sum(array.size for array in weights.values())
    sys.stdout.write(
        f"{count} weights, {len(train)} tokens, {STEPS} steps in {seconds:.0f} s\n"
        f"last loss on the training text {np.mean(losses[-20:]):.3f} nats for each token\n"
        f"held out {loss:.3f} nats for each character\n{sample(model, merges)}\n"
    )
    if arguments.store:
        arrays = {name: array.numpy() for name, array in half.items()}
        more: dict[str, Any] = {
            "merges": np.array(merges, dtype=np.int16),
            "num_heads": HEADS,
            "held_out": loss,
        }
        np.savez_compressed(STORED, **arrays, **more)
        sys.stdout.write(f"stored, {STORED.stat().st_size / 1e6:.2f} MB\n")


def sample(model: dict[str, Any], merges: list[tuple[int, int]]) -> str:
    """Return what the model writes after two words."""
    rng = np.random.default_rng(0)

    def choose(logits: Any) -> Any:
        return in_torch.draw_token(logits, 0.8, 0.9, torch.tensor(rng.random((1, 1))))

    begin = torch.tensor([encode("The weights", merges)])
    with torch.inference_mode():
        tokens = in_torch.write(model, HEADS, begin, 80, choose)
    return decode(tokens[0].tolist(), merges)


if __name__ == "__main__":
    main()
