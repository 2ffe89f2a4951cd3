"""Whether a learner's GPT as a whole computes what it must: beside the course's, and with its cache."""

import importlib
from dataclasses import dataclass
from typing import Any

from course import frameworks
from course.gpt.llama import TOLERANCE
from course.gpt.package import Package, Sizes
from course.gpt.training import Trained, Training, begin, in_words

SIZES = Sizes(50, d=24, num_heads=6, num_kv_heads=2, hidden=40, num_blocks=3)
NEW = 12
# A training on the course's prose in STEPS steps ends below BOUND nats for each held-out character: the course's parts
# end at 1.73 (PyTorch 2.13, one thread).
STEPS, BOUND = 200, 1.85


@dataclass(frozen=True)
class Found:
    """What one check found: whether it is passed, and a sentence."""

    what: str
    passed: bool
    words: str


def like_the_reference(package: Package) -> Found:
    """The logits of the learner's model and of the course's, with the same weights."""
    what = "The whole model computes what the course's computes"
    tokens = _tokens()
    with frameworks.torch.no_grad(), in_words("the model"):
        own = package.gpt(SIZES)
        reference = importlib.import_module("solutions.gpt.in_torch").GPT(**vars(SIZES))
        arrays = own.state_dict()
        if odd := sorted(set(arrays) ^ set(reference.state_dict())):
            return Found(what, False, f"The array {odd[0]} is in one of them only.")
        reference.load_state_dict(arrays)
        difference = _largest(own(tokens) - reference(tokens))
    return Found(
        what, difference < TOLERANCE, f"With the same weights the logits differ by up to {difference:.1g}."
    )


def same_with_cache(package: Package) -> Found:
    """The logits from which `generate` chooses, beside those of all tokens read anew, where the same tokens follow."""
    what = "Generation with and without cache is equal"
    torch = frameworks.torch
    seen: list[Any] = []

    def choose(logits: Any) -> Any:
        seen.append(logits)
        return torch.full((len(logits), 1), 11 * len(seen) % SIZES.vocabulary_size)

    with torch.no_grad(), in_words("generate"):
        model, begun = package.gpt(SIZES), _tokens()[:, :4]
        model.embedding.weight.mul_(50)  # so that the logits are as large as those of a trained model
        tokens = package.sampling.generate(model, begun, NEW, choose)
        if tokens.shape != (len(begun), begun.shape[1] + NEW) or len(seen) != NEW:
            return Found(
                what,
                False,
                f"{NEW} new tokens give the shape {tuple(tokens.shape)}, after {len(seen)} choices.",
            )
        anew = model(tokens)[:, begun.shape[1] - 1 : -1]
        differences = [_largest(logits - anew[:, i]) for i, logits in enumerate(seen)]
    wrong = next((i for i, difference in enumerate(differences, 1) if not difference < TOLERANCE), None)
    if wrong is None:
        return Found(what, True, f"The logits of {NEW} new tokens differ by less than {TOLERANCE:g}.")
    return Found(
        what, False, f"From new token {wrong} on the logits differ, by {differences[wrong - 1]:.2g}."
    )


def trained_for_check(package: Package, text: str, device: str) -> Training:
    """A training from new weights, drawn with the same seed each time."""
    frameworks.torch.manual_seed(0)
    return Training(begin(package, text), text, device)


def learnt(trained: Trained, held_out: float) -> Found:
    """Whether the held-out loss is below the bound."""
    words = f"After {trained.step} steps it is {held_out:.3f} nats for each character; the bound is {BOUND}."
    return Found("It learns: the held-out loss falls below the bound", held_out < BOUND, words)


def _tokens() -> Any:
    return frameworks.torch.arange(2 * 9).reshape(2, 9) * 7 % SIZES.vocabulary_size


def _largest(difference: Any) -> float:
    return float(difference.abs().max())
