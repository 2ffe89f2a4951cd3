"""What a published model does in the course's own lines: `python -m benchmarks.real_model --store`.

SmolLM2-135M-Instruct is loaded into the reference's parts as `attention gpt load smollm2` does it. Stored are a
conversation with its caches, what `top_p` left to choose from in the first answer, how the layers agree with those of
`transformers`, and how many tokens a second of one core's time are written, in turns with its `generate`. It computes
on one thread, for some minutes.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from autograder.checking import progress
from autograder.frameworks.libraries import torch
from course.data import smollm2
from course.gpt import checks, published
from course.gpt.commands import choice_words
from course.gpt.conversation import Conversation
from course.gpt.my_gpt import my_gpt
from course.gpt.package import Package
from course.gpt.training import Trained
from tools.figures import parser, store

QUESTIONS = ("What is the capital of France?", "And of Italy?", "Name a river that flows through that city.")
TEMPERATURE, P, MOST, SEED = 0.2, 0.9, 60, 0
TOKENS, ROUNDS = 64, 3


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


def main() -> None:
    options = parser("real_model", __doc__).parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        trained = loaded(Path(folder))
        with trained.package.at_rest():
            layers = checks.like_transformers(trained)
            figures = {
                "model": "SmolLM2-135M-Instruct, Q4_1", "weights": trained.num_weights,
                "layers": f"{layers.what}: {layers.passed}. {layers.words}",
                "turns": conversation(trained), "tokens_a_second": speeds(trained),
            }  # fmt: skip
    sys.stdout.write(f"{figures}\n")
    if options.store:
        store("real_model", figures)


if __name__ == "__main__":
    main()
