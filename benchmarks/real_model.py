"""What a published model does in the course's own lines: `python -m benchmarks.real_model --store`.

SmolLM2-135M-Instruct is loaded into the reference's parts as `attention gpt load smollm2` does it. Each experiment
is stored as soon as it is done, and is left out the next time unless `--only` names it:

- conversation: with its caches, what `top_p` left to choose from, how the layers agree with those of `transformers`,
  and how many tokens a second of one core's time are written, in turns with its `generate`;
- windows: the weight on the first token, and the loss where only a window of keys is seen, with and without the first;
- induction: which heads attend to what came next in repeated random tokens, and the loss without them;
- heads: the loss without each head of three layers;
- bits: the loss where the keys and values of a text are rounded to few bits;
- choices: the entropy of the next token, what temperature and top-p leave of it, and how much of what a part of the
  blocks proposes would be accepted;
- positions: the loss by position with other frequencies than those of the training.

The texts are passages of Moby-Dick. It computes on one thread, for some minutes each. `--folder my_course --only heads`
prints what one's own accepted parts give.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
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
from solutions.language_model.in_torch import top_p
from solutions.looking_inside.in_torch import induction_score, remove_heads
from solutions.positions.in_numpy import bases_of, slowed
from solutions.positions.in_torch import rotary
from solutions.sparse.in_torch import sparse_weights
from tools.figures import parser, store, stored

QUESTIONS = ("What is the capital of France?", "And of Italy?", "Name a river that flows through that city.")
TEMPERATURE, P, MOST, SEED = 0.2, 0.9, 60, 0
TOKENS, ROUNDS = 64, 3
TEXTS, LENGTH = 2, 512  # the loss is that of the second half of each text
WIDTHS, FIRST = (16, 32, 64, 128, 256), (0, 1, 4)
PASSAGES, PASSAGE, READINGS = 8, 48, 3  # of random tokens, from 17 on: the first are marks
REMOVED = (1, 4, 16)
CACHED, READ = 448, 64  # tokens of a text that lie in rounded caches, and that are read after them
BITS, AXES = (8, 4, 3), {"token": -1, "channel": 1}  # what shares a scale, as an axis of the cached keys
TEMPERATURES, RARE, BINS = (1.0, 0.7, 0.2), 0.001, tuple(range(10))  # bins of entropy, in nats
DEPTHS = (10, 20, 25, 28, 29)  # blocks of a draft
STRETCHED, LONGEST, TURNS = 4, 8192, (1, 32)  # YaRN's limits for LLaMA
EDGES = (0, 64, 128, 256, 512, 1024, 2048)
Heads = list[tuple[int, int]]  # a layer and a head, counted from 0


def loaded(home: Path) -> Trained:
    """Return the model in the parts of a folder: the answers accepted there, and the reference's in place of the others."""
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


def texts(trained: Trained, count: int = TEXTS, length: int = LENGTH, begin: int = 0) -> Any:
    """Return passages of the novel, (count, length) tokens; others for another begin."""
    tokens = np.array(trained.tokens_of(moby_dick.text()))
    passages = tokens[: len(tokens) // length * length].reshape(-1, length)
    return trained.package.array(passages[begin :: len(passages) // count][:count])


def loss_between(trained: Trained, logits: Any, tokens: Any, begin: int, end: int) -> float:
    """Return the mean loss of the tokens from one place to another, in nats."""
    part = slice(begin - 1, end)
    return round(float(trained.package.training.next_token_loss(logits[:, part], tokens[:, part], None)), 3)


def loss(trained: Trained, tokens: Any) -> float:
    """Return the mean loss of the tokens in the second half of each text, in nats."""
    length = tokens.shape[1]
    return loss_between(trained, trained.model(tokens), tokens, length // 2, length)


def replaced(trained: Trained, name: str, function: Callable[..., Any]) -> Any:
    """Return a context in which every layer calls another function instead of the one of this name."""
    return patch.object(sys.modules[type(trained.model.blocks[0].attention).__module__], name, function)


def inputs_of(layers: list[Any], trained: Trained, tokens: Any) -> list[Any]:
    """Return what each of these layers is called with while the model reads the tokens."""
    inputs: list[Any] = []
    with ExitStack() as hooks:
        for layer in layers:
            hooks.enter_context(layer.register_forward_pre_hook(lambda _, arrays: inputs.append(arrays[0])))
        trained.model(tokens)
    return inputs


def in_each_layer(trained: Trained, tokens: Any, measure: Callable[[Any], Any]) -> list[list[float]]:
    """Return what is measured of the weights, (batch, num_heads, num_tokens, num_tokens), for each layer and head."""
    rows = []

    def noted(scores: Any, _: Any) -> Any:
        weights = sparse_weights(scores, len(tokens[0]), 1, 0)
        rows.append(measure(weights.unflatten(0, (len(tokens), -1))).tolist())
        return weights

    with replaced(trained, "masked_softmax", noted):
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
            window = partial(sparse_weights, window=width, dilation=1, num_global=first)
            with replaced(trained, "masked_softmax", lambda scores, _, window=window: window(scores)):
                losses[str(first)].append(loss(trained, tokens))
    sizes = {"texts": TEXTS, "length": LENGTH, "widths": WIDTHS}
    return {**sizes, "on_first": on_first, "whole": loss(trained, tokens), "loss": losses}


def repeated(trained: Trained, seed: int) -> Any:
    """Return passages of random tokens, each read several times."""
    tokens = np.random.default_rng(seed).integers(17, trained.sizes.vocabulary_size, (PASSAGES, PASSAGE))
    return trained.package.array(np.tile(tokens, READINGS))


def means(trained: Trained, tokens: Any) -> list[Any]:
    """Return the mean context of each head, (num_heads, head_size), for each layer."""
    layers = [block.attention.W_o for block in trained.model.blocks]
    size = (trained.sizes.num_heads, -1)
    return [joined.mean(dim=(0, 1)).unflatten(0, size) for joined in inputs_of(layers, trained, tokens)]


@contextmanager
def without(trained: Trained, heads: Heads, instead: list[Any]) -> Iterator[None]:
    """Remove heads for a while: the mean of each takes its place."""
    num_heads = trained.sizes.num_heads
    with ExitStack() as hooks:
        for layer in {layer for layer, _ in heads}:
            ones = torch.tensor([float((layer, head) not in heads) for head in range(num_heads)])

            def result(W_o: Any, inputs: Any, _: Any, ones: Any = ones, mean: Any = instead[layer]) -> Any:
                contexts = inputs[0].unflatten(2, (num_heads, -1)).transpose(1, 2)
                return remove_heads(contexts, W_o.weight, ones, mean)

            hooks.enter_context(trained.model.blocks[layer].attention.W_o.register_forward_hook(result))
        yield


def loss_without(trained: Trained, tokens: Any, heads: Heads, instead: list[Any]) -> float:
    """Return the loss while heads are removed."""
    with without(trained, heads, instead):
        return loss(trained, tokens)


def controls(best: Heads, num_heads: int) -> Heads:
    """Return as many other heads, drawn from the layers between the first and the last of the best."""
    layers = range(min(best)[0], max(best)[0] + 1)
    pool = [(layer, head) for layer in layers for head in range(num_heads) if (layer, head) not in best]
    return [
        (int(layer), int(head)) for layer, head in np.random.default_rng(SEED).permutation(pool)[: len(best)]
    ]


def induction(trained: Trained) -> dict[str, Any]:
    """Return the induction score of each head, and the loss without the best and without as many others."""
    random, novel = repeated(trained, SEED), texts(trained)
    scores = in_each_layer(trained, random, lambda weights: induction_score(weights, random))
    order = np.dstack(np.unravel_index(np.argsort(scores, axis=None)[::-1], np.shape(scores)))[0]
    best: Heads = [(int(layer), int(head)) for layer, head in order[: max(REMOVED)]]
    ways = {"best": best, "others": controls(best, trained.sizes.num_heads)}
    inputs = {
        "repeated": (random, means(trained, repeated(trained, SEED + 1))),
        "novel": (novel, means(trained, texts(trained, begin=1))),
    }
    losses = {
        name: {"whole": loss(trained, tokens)}
        | {
            way: [loss_without(trained, tokens, heads[:n], mean) for n in REMOVED]
            for way, heads in ways.items()
        }
        for name, (tokens, mean) in inputs.items()
    }
    sizes = {"passages": PASSAGES, "passage": PASSAGE, "readings": READINGS, "texts": TEXTS, "length": LENGTH}
    return {**sizes, "scores": scores, **ways, "removed": REMOVED, "loss": losses}


def heads(trained: Trained) -> dict[str, Any]:
    """Return the loss without each head of the first, the middle and the last layer."""
    tokens, instead = texts(trained), means(trained, texts(trained, begin=1))
    last, num_heads = len(trained.model.blocks) - 1, trained.sizes.num_heads
    losses = {
        str(layer): [loss_without(trained, tokens, [(layer, head)], instead) for head in range(num_heads)]
        for layer in (0, last // 2, last)
    }
    return {"texts": TEXTS, "length": LENGTH, "whole": loss(trained, tokens), "loss": losses}


def rounded(X: Any, bits: int, axis: int) -> Any:
    """Return numbers rounded to so many bits; those along the axis share a scale."""
    scale = X.abs().amax(dim=axis, keepdim=True) / (2 ** (bits - 1) - 1)
    return (X / scale).round() * scale


def bits(trained: Trained) -> dict[str, Any]:
    """Return the loss of tokens that are read after caches whose numbers are rounded."""
    tokens = texts(trained, 8, CACHED + READ)
    caches: list[dict[str, Any]] = [{} for _ in trained.model.blocks]
    trained.model(tokens[:, :CACHED], caches)

    def loss_after(keys: Callable[[Any], Any], values: Callable[[Any], Any]) -> float:
        copies = [{"keys": keys(cache["keys"]), "values": values(cache["values"])} for cache in caches]
        logits = trained.model(tokens[:, CACHED:], copies)
        return loss_between(trained, logits, tokens[:, CACHED:], 1, READ)

    losses = {
        f"keys by {name}": [
            loss_after(partial(rounded, bits=b, axis=axis), partial(rounded, bits=b, axis=-1)) for b in BITS
        ]
        for name, axis in AXES.items()
    }
    one = {
        name: [loss_after(partial(rounded, bits=b, axis=axis), lambda X: X) for b in BITS]
        for name, axis in AXES.items()
    }
    whole = loss_after(lambda X: X, lambda X: X)
    numbers = sum(array[0, 0].numel() * len(array) for c in caches for array in c.values()) // len(tokens)
    sizes = {"texts": len(tokens), "cached": CACHED, "read": READ, "bits": BITS, "numbers_a_token": numbers}
    return {**sizes, "whole": whole, "loss": losses, "keys_alone": one}


def choices(trained: Trained) -> dict[str, Any]:
    """Return the entropy of the next token, what is left to choose from, and how much of a draft is accepted."""
    model, tokens = trained.model, texts(trained)
    inputs = inputs_of([*(model.blocks[n] for n in DEPTHS), model.norm], trained, tokens)
    *drafts, logits = [
        (model.norm(X[:, LENGTH // 2 :]) @ model.embedding.weight.T).flatten(0, 1) for X in inputs
    ]
    likely = logits.softmax(dim=-1)
    rare = likely < RARE
    entropy = trained.package.numpy(torch.special.entr(likely).sum(dim=-1))
    left = {}
    for temperature in TEMPERATURES:
        probabilities = top_p((logits / temperature).softmax(dim=-1), P)
        numbers = trained.package.numpy((probabilities > 0).sum(dim=-1))
        left[str(temperature)] = {
            "median": float(np.median(numbers)),
            "one": round(float(np.mean(numbers == 1)), 3),
        }
    return {
        "texts": TEXTS, "length": LENGTH, "p": P, "left": left,
        "entropy": {
            "median": round(float(np.median(entropy)), 2), "places": np.histogram(entropy, BINS)[0].tolist(), "bins": BINS,
        },
        "rare": {
            "probability": round(float((likely * rare).sum(dim=-1).mean()), 3), "tokens": round(int(rare.sum()) / len(rare)),
        },
        "accepted": {
            str(depth): round(float(torch.minimum(draft.softmax(dim=-1), likely).sum(dim=-1).mean()), 3)
            for depth, draft in zip(DEPTHS, drafts, strict=True)
        },
    }  # fmt: skip


def turned(X: Any, places: Any, base: Any, s: float, factor: float) -> Any:
    """Return queries or keys turned as if each place were divided by s, and multiplied by a factor."""
    return factor * rotary(X, places / s, base)


def positions(trained: Trained) -> dict[str, Any]:
    """Return the loss by position with the frequencies of the training, and with others."""
    tokens, base, s = texts(trained, 1, EDGES[-1], 1), trained.sizes.base, STRETCHED
    size = trained.sizes.d // trained.sizes.num_heads
    rates = base ** (-np.arange(0, size, 2) / size)
    yarn = trained.package.array(bases_of(slowed(rates, s, LONGEST, *TURNS)).reshape(1, 1, -1))
    ways = {
        "as trained": (base, 1, 1),
        "base 10,000": (10_000, 1, 1),
        "interpolated": (base, s, 1),
        "NTK-aware": (base * s ** (size / (size - 2)), 1, 1),
        "YaRN": (yarn, 1, 0.1 * np.log(s) + 1),
    }
    losses = {}
    for name, (new, divisor, factor) in ways.items():
        function = partial(turned, s=divisor, factor=factor)
        with replaced(trained, "rotary", lambda X, places, _, f=function, new=new: f(X, places, new)):
            logits = trained.model(tokens)
        losses[name] = [loss_between(trained, logits, tokens, max(a, 1), b) for a, b in pairwise(EDGES)]
    return {"texts": 1, "stretched": s, "edges": EDGES, "loss": losses}


EXPERIMENTS: dict[str, Callable[[Trained], dict[str, Any]]] = {
    "conversation": talk, "windows": windows, "induction": induction, "heads": heads, "bits": bits,
    "choices": choices, "positions": positions,
}  # fmt: skip


def main() -> None:
    arguments = parser("real_model", __doc__)
    arguments.add_argument("--only", choices=EXPERIMENTS, help="run one experiment; all if not given")
    arguments.add_argument("--folder", type=Path, help="copies whose accepted answers are the model's parts")
    options = arguments.parse_args()
    home = options.folder and progress.find(options.folder.resolve())
    if options.folder and not home:
        arguments.error(f"{options.folder} holds no copies: name the folder that `attention learn` has made")
    if options.folder and options.store:
        arguments.error("what is stored comes from the reference's parts: leave out --folder or --store")
    torch.set_num_threads(1)
    earlier = {name: figures for name, figures in stored("real_model").items() if name in EXPERIMENTS}
    missing = [name for name in EXPERIMENTS if not (options.store and name in earlier)]
    with tempfile.TemporaryDirectory() as folder:
        progress.create(Path(folder))
        trained = loaded(home or Path(folder))
        for name in [options.only] if options.only else missing:
            with trained.package.at_rest():
                earlier[name] = EXPERIMENTS[name](trained)
            sys.stdout.write(f"{earlier[name]}\n")
            if options.store:
                store("real_model", earlier)


if __name__ == "__main__":
    main()
