"""Whether a learner's GPT as a whole computes what it must: beside the course's, and with its cache."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.gpt import published
from course.gpt.package import Package, Sizes, in_words
from course.gpt.published import TOLERANCE
from course.gpt.training import Trained

SIZES = Sizes(50, d=24, num_heads=6, num_kv_heads=2, hidden=40, num_blocks=3, base=500)
TOKENS = np.arange(2 * 9).reshape(2, 9) * 7 % SIZES.vocabulary_size
NEW = 12
# A training on the course's prose in STEPS steps ends below BOUND nats for each held-out character: the course's parts
# end at 1.73 (PyTorch 2.13, one thread).
STEPS, BOUND = 200, 1.85
# Of a published model, whose features are larger than those of a small one.
LAYERS_TEXT, LAYER_TOLERANCE = "The capital of France is", 1e-3


@dataclass(frozen=True)
class CheckResult:
    """The result of one check: what is checked, whether it is passed, and a sentence."""

    what: str
    passed: bool
    words: str


def like_the_reference(package: Package) -> CheckResult:
    """Compare the logits of the learner's model with those of the reference in NumPy, with the same weights."""
    what = "The whole model computes what the course's computes"
    reference = importlib.import_module("solutions.gpt.in_numpy")
    sizes = {name: size for name, size in SIZES.arguments().items() if name != "base"}
    with package.at_rest(), in_words("the model"):
        model = package.gpt(SIZES)
        arrays = package.arrays(model)
        if odd := sorted(set(arrays) ^ set(reference.initial_weights(**sizes))):
            return CheckResult(what, False, f"The array {odd[0]} is in one of them only.")
        logits = package.numpy(model(package.array(TOKENS)))
    arguments = {name.replace(".", "_"): array.astype(float) for name, array in arrays.items()}
    difference = np.abs(logits - reference.gpt(TOKENS, **SIZES.arguments(), **arguments)).max()
    return CheckResult(
        what, difference < TOLERANCE, f"With the same weights the logits differ by up to {difference:.1g}."
    )


def same_with_cache(package: Package) -> CheckResult:
    """Compare the logits from which `generate` chooses with those of all tokens read anew, for the same tokens."""
    what = "Generation with and without cache is equal"
    choices: list[np.ndarray] = []

    def choose(logits: Any) -> Any:
        choices.append(package.numpy(logits))
        return package.array(np.full((len(logits), 1), 11 * len(choices) % SIZES.vocabulary_size))

    with package.at_rest(), in_words("generate"):
        model, begun = package.gpt(SIZES), TOKENS[:, :4]
        # So that the logits are as large as those of a trained model
        package.take(model, {"embedding.weight": 50 * package.arrays(model)["embedding.weight"]})
        tokens = package.sampling.generate(model, package.array(begun), NEW, choose)
        if tokens.shape != (len(begun), begun.shape[1] + NEW) or len(choices) != NEW:
            return CheckResult(
                what,
                False,
                f"{NEW} new tokens give the shape {tuple(tokens.shape)}, after {len(choices)} choices.",
            )
        anew = package.numpy(model(tokens))[:, begun.shape[1] - 1 : -1]
    differences = [float(np.abs(logits - anew[:, i]).max()) for i, logits in enumerate(choices)]
    wrong = next((i for i, difference in enumerate(differences, 1) if not difference < TOLERANCE), None)
    if wrong is None:
        return CheckResult(what, True, f"The logits of {NEW} new tokens differ by less than {TOLERANCE:g}.")
    return CheckResult(
        what, False, f"From new token {wrong} on the logits differ, by {differences[wrong - 1]:.2g}."
    )


def stored_logits(trained: Trained, text: str, expected: Mapping[int, float]) -> CheckResult:
    """Compare the largest logits after a text with stored ones, by their tokens."""
    package = trained.package
    with package.at_rest(), in_words("the model"):
        tokens = package.array(np.array([trained.tokens_of(text)]))
        logits = package.numpy(trained.model(tokens))[0, -1]
    difference = max(abs(float(logits[token]) - value) for token, value in expected.items())
    words = f"The {len(expected)} largest logits after {text!r} differ by up to {difference:.1g}."
    return CheckResult("The logits are those that are stored", difference < LAYER_TOLERANCE, words)


def like_transformers(trained: Trained) -> CheckResult:
    """Compare what each layer gives with what it gives in Hugging Face's library, with the weights of a published model."""
    what = f"With the published weights each layer computes what that of transformers does, to {LAYER_TOLERANCE:g}"
    tokens = trained.package.array(np.array([trained.tokens_of(LAYERS_TEXT)]))
    with in_words("the model"):
        theirs = published.their_model(trained)
        difference = published.first_difference(trained, theirs, tokens, LAYER_TOLERANCE)
    words = (
        f"They differ first at {difference}."
        if difference
        else f"All {trained.sizes.num_blocks} blocks agree."
    )
    return CheckResult(what, difference is None, words)


def learnt(trained: Trained, held_out: float) -> CheckResult:
    """Return whether the held-out loss is below the bound."""
    words = f"After {trained.step} steps it is {held_out:.3f} nats for each character; the bound is {BOUND}."
    return CheckResult("It learns: the held-out loss falls below the bound", held_out < BOUND, words)
