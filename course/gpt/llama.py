"""A learner's GPT in the format of Hugging Face's `LlamaForCausalLM`, and beside it, layer by layer.

A folder holds `config.json`, `model.safetensors` and, where there is a tokeniser, `tokenizer.json`. The arrays are the
same; but there a pair of features that is turned together stands half a head apart, and here side by side, so the rows
of W_q and W_k are put into another order on the way.
"""

import importlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course import frameworks
from course.gpt.package import GPTError, Package, Sizes
from course.gpt.training import Trained, in_words

CONFIG, WEIGHTS, TOKENISER = "config.json", "model.safetensors", "tokenizer.json"
# Each name of `Sizes` in their config.
SIZES = {
    "vocabulary_size": "vocab_size",
    "d": "hidden_size",
    "num_heads": "num_attention_heads",
    "num_kv_heads": "num_key_value_heads",
    "hidden": "intermediate_size",
    "num_blocks": "num_hidden_layers",
}
# What the course's parts compute, and their config may say otherwise.
FIXED: dict[str, Any] = {
    "model_type": "llama",
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "rope_type": "default",
    "tie_word_embeddings": True,
    "attention_bias": False,
    "mlp_bias": False,
}
# Their defaults, where a config leaves a word out.
LEFT_OUT = {"hidden_act": "silu", "rms_norm_eps": 1e-6, "tie_word_embeddings": False} | {
    "rope_theta": 10000.0, "rope_type": "default", "attention_bias": False, "mlp_bias": False
}  # fmt: skip
# Our name of each array, and theirs; those of a block begin with its number.
ARRAYS = {"embedding.weight": "model.embed_tokens.weight", "norm.weight": "model.norm.weight"}
OF_A_BLOCK = {
    "norm1.weight": "input_layernorm.weight",
    "attention.W_q.weight": "self_attn.q_proj.weight",
    "attention.W_k.weight": "self_attn.k_proj.weight",
    "attention.W_v.weight": "self_attn.v_proj.weight",
    "attention.W_o.weight": "self_attn.o_proj.weight",
    "norm2.weight": "post_attention_layernorm.weight",
    "W_gate.weight": "mlp.gate_proj.weight",
    "W_up.weight": "mlp.up_proj.weight",
    "W_down.weight": "mlp.down_proj.weight",
}
TOLERANCE = 1e-4
NOT_INSTALLED = "{} is not installed: type `pip install transformers`, which brings it."
PAIRS = "rotary pairs are halves there and neighbours here"


def names(num_blocks: int) -> dict[str, str]:
    """Their name of each of our arrays."""
    blocks = {
        f"blocks.{i}.{own}": f"model.layers.{i}.{other}"
        for i in range(num_blocks)
        for own, other in OF_A_BLOCK.items()
    }
    return ARRAYS | blocks


def neighbours(array: Any, heads: int) -> Any:
    """Rows of halves, as they have them, with each pair side by side."""
    return array.reshape(heads, 2, -1, array.shape[-1]).transpose(1, 2).reshape(array.shape)


def halves(array: Any, heads: int) -> Any:
    """Rows of pairs side by side with the first of all pairs of a head before the second."""
    return array.reshape(heads, -1, 2, array.shape[-1]).transpose(1, 2).reshape(array.shape)


def _reordered(arrays: Mapping[str, Any], sizes: Sizes, order: Any) -> dict[str, Any]:
    """Our arrays, the rows of W_q and W_k in another order."""
    heads = {"W_q.weight": sizes.num_heads, "W_k.weight": sizes.num_kv_heads}
    kinds = {name: ".".join(name.split(".")[-2:]) for name in arrays}
    return {
        name: order(array, heads[kinds[name]]) if kinds[name] in heads else array
        for name, array in arrays.items()
    }


def config_of(sizes: Sizes) -> dict[str, Any]:
    """What `config.json` says of a model."""
    own = {other: getattr(sizes, name) for name, other in SIZES.items()}
    rope = {"rope_theta": FIXED["rope_theta"], "rope_type": FIXED["rope_type"]}
    fixed = {name: value for name, value in FIXED.items() if name not in rope}
    return {
        "architectures": ["LlamaForCausalLM"], **fixed, **own,
        # Transformers 5 reads the second, those before it the first.
        "rope_theta": rope["rope_theta"], "rope_parameters": rope,
        "head_dim": sizes.d // sizes.num_heads, "max_position_embeddings": 2048,
        "bos_token_id": None, "eos_token_id": None, "dtype": "float32",
    }  # fmt: skip


def sizes_of(config: Mapping[str, Any]) -> Sizes:
    """The sizes that a config names. Raises GPTError, which says what differs from the course's model."""
    said = {
        **LEFT_OUT,
        **config,
        **(config.get("rope_scaling") or {}),
        **(config.get("rope_parameters") or {}),
    }
    said.setdefault("num_key_value_heads", said.get("num_attention_heads"))
    wrong = [
        f"{name} is {said.get(name)} there and {here} here"
        for name, here in FIXED.items()
        if said.get(name) != here
    ]
    try:
        sizes = {name: int(said[other]) for name, other in SIZES.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise GPTError(
            f"{CONFIG} does not say the sizes of a model: {error} is missing or no number."
        ) from error
    if int(said.get("head_dim") or sizes["d"] // sizes["num_heads"]) * sizes["num_heads"] != sizes["d"]:
        wrong.append("the heads together have another size than the features")
    if wrong:
        raise GPTError(f"This model computes something else than yours: {'; '.join(wrong)}.")
    return Sizes(**sizes)


def read(package: Package, folder: Path) -> Trained:
    """The model of a folder in the learner's own code. Raises GPTError where it cannot be read, or differs."""
    load_file = _library("safetensors.torch").load_file
    try:
        sizes = sizes_of(json.loads((folder / CONFIG).read_text(encoding="utf-8")))
        theirs = load_file(folder / WEIGHTS)
    except OSError as error:
        raise GPTError(f"{error.filename or folder} cannot be read: {error.strerror or error}.") from error
    except (GPTError, MemoryError):
        raise
    except Exception as error:  # safetensors has exceptions of its own
        raise GPTError(f"{folder} holds no model in this format: {error}.") from error
    tokeniser = folder / TOKENISER
    text = tokeniser.read_text(encoding="utf-8") if tokeniser.is_file() else ""
    with in_words("GPT"):
        trained = Trained(package, sizes, package.gpt(sizes), [], tokeniser=text)
    take(trained, theirs)
    return trained


def take(trained: Trained, theirs: Mapping[str, Any]) -> None:
    """Give a model their arrays. Raises GPTError where one is missing or has another shape."""
    pairs = names(trained.sizes.num_blocks)
    missing = [other for other in pairs.values() if other not in theirs]
    if missing:
        raise GPTError(f"The model there has no array {missing[0]}.")
    arrays = {own: theirs[other].float() for own, other in pairs.items()}
    try:
        trained.model.load_state_dict(_reordered(arrays, trained.sizes, neighbours))
    except (RuntimeError, ValueError) as error:
        raise GPTError(
            f"The arrays there do not fit your GPT: {str(error).splitlines()[-1].strip()}"
        ) from error


def given(trained: Trained) -> dict[str, Any]:
    """Our arrays under their names, in their order."""
    own = trained.model.state_dict()
    pairs = names(trained.sizes.num_blocks)
    if set(own) != set(pairs):
        odd = sorted(set(own) ^ set(pairs))[0]
        raise GPTError(
            f"Your GPT and that of the course differ in the array {odd}: it has no place in their format."
        )
    arrays = _reordered(own, trained.sizes, halves)
    return {other: arrays[name].detach().cpu().contiguous() for name, other in pairs.items()}


def write(trained: Trained, folder: Path) -> None:
    """Write a model into a folder that is not there yet. Raises GPTError where that cannot be done."""
    save_file = _library("safetensors.torch").save_file
    arrays = given(trained)
    try:
        folder.mkdir(parents=True, exist_ok=False)
        (folder / CONFIG).write_text(json.dumps(config_of(trained.sizes), indent=1) + "\n", encoding="utf-8")
        save_file(arrays, folder / WEIGHTS, metadata={"format": "pt"})
        (folder / TOKENISER).write_text(trained.tokeniser or tokeniser_of(trained.merges), encoding="utf-8")
    except FileExistsError as error:
        raise GPTError(f"{folder} is there already: name a new folder.") from error
    except OSError as error:
        raise GPTError(f"{folder} cannot be written: {error.strerror or error}.") from error


def tokeniser_of(merges: list[tuple[int, int]]) -> str:
    """The learner's tokeniser as `tokenizers` reads it; a string that two merges make has the first number."""
    library = _library("tokenizers")
    letters = _letters()
    strings = [letters[byte] for byte in range(256)]
    for first, second in merges:
        strings.append(strings[first] + strings[second])
    vocabulary: dict[str, int] = {}
    for number, string in enumerate(strings):
        vocabulary.setdefault(string, number)
    pairs = [(strings[first], strings[second]) for first, second in merges]
    made = library.Tokenizer(library.models.BPE(vocab=vocabulary, merges=pairs))
    pieces = library.Regex(r" ?\w+| ?[^\w\s]+|\s")
    made.pre_tokenizer = library.pre_tokenizers.Sequence(
        [
            library.pre_tokenizers.Split(pieces, behavior="isolated"),
            library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = library.decoders.ByteLevel()
    return str(made.to_str())


def _letters() -> list[str]:
    """The character that stands for each byte in their files: itself if it is printed, one from 256 on if not."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printed else chr(next(others)) for byte in range(256)]


def first_difference(trained: Trained, theirs: Any, tokens: Any) -> str | None:
    """Where our model first differs from theirs by more than TOLERANCE, and in what; None if nowhere.

    theirs: a LlamaForCausalLM with the same arrays. tokens: (batch, num_tokens).
    """
    with (
        frameworks.torch.no_grad(),
        _recorded(_own_layers(trained)) as own,
        _recorded(_their_layers(theirs)) as other,
    ):
        logits = trained.model(tokens), theirs(tokens).logits
    for place, values in own.items():
        if not _close(values, other[place]):
            largest = float((values - other[place]).abs().max())
            return (
                f"{place}: {_why(trained, theirs, tokens, place) or f'values differ by up to {largest:.2g}'}"
            )
    return None if _close(*logits) else "the logits: are the weights those of the embedding?"


def _close(ours: Any, theirs: Any) -> bool:
    return bool(frameworks.torch.allclose(ours, theirs, rtol=0, atol=TOLERANCE))


def _why(trained: Trained, theirs: Any, tokens: Any, place: str) -> str | None:
    """The cause that is known: with the layer's rows in the other order the same place agrees."""
    before = {name: array.clone() for name, array in trained.model.state_dict().items()}
    for order in (neighbours, halves):
        changed = _reordered(before, trained.sizes, order)
        layer = place.removeprefix("layer ").partition(",")[0]
        own = {
            name: array
            for name, array in changed.items()
            if layer.isdigit() and name.startswith(f"blocks.{int(layer) - 1}.")
        }
        trained.model.load_state_dict(before | own)
        with (
            frameworks.torch.no_grad(),
            _recorded(_own_layers(trained)) as here,
            _recorded(_their_layers(theirs)) as there,
        ):
            trained.model(tokens)
            theirs(tokens)
        trained.model.load_state_dict(before)
        if _close(here[place], there[place]):
            return PAIRS
    return None


def _own_layers(trained: Trained) -> dict[str, Any]:
    """Our layers by their places, in the order of the calls."""
    model = trained.model
    places = {"the embedding": model.embedding}
    for i, block in enumerate(model.blocks, 1):
        places |= {f"layer {i}, after attention": block.attention, f"layer {i}, after feed-forward": block}
    return places | {"the last norm": model.norm}


def _their_layers(theirs: Any) -> dict[str, Any]:
    """Their layers by the same places."""
    model = theirs.model
    places = {"the embedding": model.embed_tokens}
    for i, block in enumerate(model.layers, 1):
        places |= {f"layer {i}, after attention": block.self_attn, f"layer {i}, after feed-forward": block}
    return places | {"the last norm": model.norm}


@contextmanager
def _recorded(layers: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What each layer returns, by its place; of several results, the first."""
    found: dict[str, Any] = {}

    def recorder(place: str) -> Any:
        def record(_layer: Any, _inputs: Any, result: Any) -> None:
            found[place] = (result[0] if isinstance(result, tuple) else result).clone()

        return record

    handles = [layer.register_forward_hook(recorder(place)) for place, layer in layers.items()]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise GPTError(NOT_INSTALLED.format(name.split(".")[0])) from error
