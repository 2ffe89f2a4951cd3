"""What a published model does in the course's own lines: `python -m benchmarks.real_model --store`.

SmolLM2-135M-Instruct is loaded into the reference's parts as `attention gpt load smollm2` does it. Each experiment
can be named and run by itself, and is stored as soon as it is done:

- conversation: with its caches, what `top_p` left to choose from, how the layers agree with those of `transformers`,
  and how many tokens a second of one core's time are written, in turns with its `generate`;
- windows: the weight on the first token, and the loss where only a window of keys is seen, with and without the first.

The texts are passages of Moby-Dick. It computes on one thread, for some minutes each.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from autograder.checking import progress
from autograder.frameworks.libraries import torch
from course.data import moby_dick, smollm2
from course.gpt import checks, published
from course.gpt.commands import choice_words
from course.gpt.conversation import Conversation
from course.gpt.my_gpt import my_gpt
from course.gpt.package import Package
from course.gpt.training import Trained
from solutions.sparse.in_torch import sparse_weights
from tools.figures import parser, store, stored

QUESTIONS = ("What is the capital of France?", "And of Italy?", "Name a river that flows through that city.")
TEMPERATURE, P, MOST, SEED = 0.2, 0.9, 60, 0
TOKENS, ROUNDS = 64, 3
TEXTS, LENGTH = 2, 512  # the loss is that of the second half of each text
WIDTHS, FIRST = (16, 32, 64, 128, 256), (0, 1, 4)
HEADER = ("command", "versions")


def loaded(home: Path) -> Trained:
    """Return the model in the reference's parts, written into a folder."""
    progress.create(home)
    my_gpt(home)
    with smollm2.file() as path:
        return published.read(Package(home), path)


def conversation(trained: Trained) -> list[dict[str, Any]]:
    """Return each question with its answer, what the caches hold after it, and what each token was chosen from."""
    talk, turns = Conversation(trained, TEMPERATURE, P, SEED), []
    for question in QUESTIONS:
        choices: list[str] = []

        def note_choice(logits: Any, answer: list[int], choices: list[str] = choices) -> None:
            choices.append(choice_words(talk, logits, answer[-1]))

        answer = talk.answer(question, MOST, note_choice)
        held = {"tokens": len(talk.read), "megabytes": round(talk.bytes_cached / 1e6, 1)}
        turns.append({"question": question, "answer": trained.text_of(answer), **held, "choices": choices})
    return turns


def speeds(trained: Trained) -> dict[str, list[float]]:
    """Return the tokens a second of processor time of both ways to write, in turns."""
    theirs = published.their_model(trained)
    tokens = trained.package.array(np.array([trained.tokens_of(smollm2.TEXT)]))
    options = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "do_sample": False, "pad_token_id": 2}
    ways: dict[str, Callable[[], Any]] = {
        "ours": lambda: trained.package.sampling.generate(
            trained.model, tokens, TOKENS, lambda logits: logits.argmax(-1, keepdim=True)
        ),
        "transformers": lambda: theirs.generate(tokens, **options),
    }
    measured: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            begun = time.process_time()
            way()
            measured[name].append(round(TOKENS / (time.process_time() - begun), 1))
    return measured


def talk(trained: Trained) -> dict[str, Any]:
    """Return a conversation, how the layers agree, and how fast is written."""
    layers = checks.like_transformers(trained)
    return {
        "model": "SmolLM2-135M-Instruct, Q4_1", "weights": trained.num_weights,
        "layers": f"{layers.what}: {layers.passed}. {layers.words}",
        "turns": conversation(trained), "tokens_a_second": speeds(trained),
    }  # fmt: skip


def texts(trained: Trained) -> Any:
    """Return passages of the novel, (TEXTS, LENGTH) tokens."""
    tokens = np.array(trained.tokens_of(moby_dick.text()))
    passages = tokens[: len(tokens) // LENGTH * LENGTH].reshape(-1, LENGTH)
    return trained.package.array(passages[:: len(passages) // TEXTS][:TEXTS])


def loss(trained: Trained, tokens: Any) -> float:
    """Return the mean loss of the tokens in the second half of each text, in nats."""
    half = slice(tokens.shape[1] // 2 - 1, None)
    logits = trained.model(tokens)[:, half]
    return round(float(trained.package.training.next_token_loss(logits, tokens[:, half], None)), 3)


def softmax_as(trained: Trained, function: Callable[..., Any]) -> Any:
    """Return a context in which every layer calls a function of scores and lengths instead of `masked_softmax`."""
    module = sys.modules[type(trained.model.blocks[0].attention).__module__]
    return patch.object(module, "masked_softmax", function)


def in_each_layer(trained: Trained, tokens: Any, measure: Callable[[Any], Any]) -> list[list[float]]:
    """Return what is measured of the weights, (batch, num_heads, num_tokens, num_tokens), for each layer and head."""
    rows = []

    def noted(scores: Any, _: Any) -> Any:
        weights = sparse_weights(scores, len(tokens[0]), 1, 0)
        rows.append(measure(weights.unflatten(0, (len(tokens), -1))).tolist())
        return weights

    with softmax_as(trained, noted):
        trained.model(tokens)
    return [[round(value, 3) for value in row] for row in rows]


def windows(trained: Trained) -> dict[str, Any]:
    """Return each head's weight on the first token, and the loss in windows with so many first tokens."""
    tokens = texts(trained)
    half = LENGTH // 2
    on_first = in_each_layer(trained, tokens, lambda weights: weights[:, :, half:, 0].mean(dim=(0, 2)))
    losses: dict[str, list[float]] = {}
    for first in FIRST:
        losses[str(first)] = []
        for width in WIDTHS:
            with softmax_as(trained, lambda scores, _, w=width, f=first: sparse_weights(scores, w, 1, f)):
                losses[str(first)].append(loss(trained, tokens))
    sizes = {"texts": TEXTS, "length": LENGTH, "widths": WIDTHS}
    return {"windows": {**sizes, "on_first": on_first, "whole": loss(trained, tokens), "loss": losses}}


EXPERIMENTS: dict[str, Callable[[Trained], dict[str, Any]]] = {
    "conversation": talk, "windows": windows,
}  # fmt: skip


def main() -> None:
    arguments = parser("real_model", __doc__)
    arguments.add_argument("--only", choices=EXPERIMENTS, help="run one experiment; all if not given")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        trained = loaded(Path(folder))
        for name in [options.only] if options.only else EXPERIMENTS:
            with trained.package.at_rest():
                figures = EXPERIMENTS[name](trained)
            sys.stdout.write(f"{figures}\n")
            if options.store:
                earlier = {key: of for key, of in stored("real_model").items() if key not in HEADER}
                store("real_model", {**earlier, **figures})


if __name__ == "__main__":
    main()
