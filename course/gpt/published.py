"""A learner's GPT in the format of Hugging Face's libraries, as a Llama or in GPT-2's form, and beside them, layer by layer.

A folder holds `config.json`, `model.safetensors` and, where there is a tokeniser, `tokenizer.json`. The arrays are the
same, but for their names and their order. In a Llama, a pair of features that is turned together stands half a head
apart, and here side by side, so the rows of W_q and W_k are put into another order on the way. In GPT-2, a matrix is
stored transposed (its layers are `Conv1D`), and those of queries, keys and values are one.
"""

import importlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from course import frameworks
from course.gpt.package import GPTError, Package, Sizes, in_words
from course.gpt.training import Trained

CONFIG, WEIGHTS, TOKENISER = "config.json", "model.safetensors", "tokenizer.json"
TOLERANCE = 1e-4
NOT_INSTALLED = "{} is not installed: type `pip install transformers`, which brings it."
PAIRS = "rotary pairs are halves there and neighbours here"
TRANSPOSED = "matrices are stored transposed there"


@dataclass(frozen=True)
class Format:
    """How one of their classes names what is ours.

    sizes: each name of `Sizes` in their config. fixed: what the course's parts compute, and their config may say
    otherwise; left_out: its defaults where it leaves a word out. arrays, of_a_block: their name of each of our arrays;
    what has one name there stands in one array, one below the other. block: how the names of a block's begin there.
    layers: paths of their layers: what the blocks read by its place and our name, the blocks, a block's attention, the
    last norm.
    """

    name: str
    sizes: Mapping[str, str]
    fixed: Mapping[str, Any]
    left_out: Mapping[str, Any]
    arrays: Mapping[str, str]
    of_a_block: Mapping[str, str]
    block: str
    layers: tuple[Mapping[str, str], str, str, str]
    said: Mapping[str, Any] = field(default_factory=dict)

    def names(self, num_blocks: int) -> dict[str, str]:
        """Their name of each of our arrays."""
        return dict(self.arrays) | {
            f"blocks.{i}.{own}": f"{self.block}.{i}.{other}"
            for i in range(num_blocks)
            for own, other in self.of_a_block.items()
        }


LLAMA = Format(
    "LlamaForCausalLM",
    sizes={
        "vocabulary_size": "vocab_size",
        "d": "hidden_size",
        "num_heads": "num_attention_heads",
        "num_kv_heads": "num_key_value_heads",
        "hidden": "intermediate_size",
        "num_blocks": "num_hidden_layers",
    },
    fixed={
        "model_type": "llama",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "rope_type": "default",
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
    },
    left_out={
        "hidden_act": "silu", "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "rope_theta": 10000.0,
        "rope_type": "default", "attention_bias": False, "mlp_bias": False,
    },
    arrays={"embedding.weight": "model.embed_tokens.weight", "norm.weight": "model.norm.weight"},
    of_a_block={
        "norm1.weight": "input_layernorm.weight",
        "attention.W_q.weight": "self_attn.q_proj.weight",
        "attention.W_k.weight": "self_attn.k_proj.weight",
        "attention.W_v.weight": "self_attn.v_proj.weight",
        "attention.W_o.weight": "self_attn.o_proj.weight",
        "norm2.weight": "post_attention_layernorm.weight",
        "W_gate.weight": "mlp.gate_proj.weight",
        "W_up.weight": "mlp.up_proj.weight",
        "W_down.weight": "mlp.down_proj.weight",
    },
    block="model.layers",
    layers=({"embedding": "model.embed_tokens"}, "model.layers", "self_attn", "model.norm"),
    # Transformers 5 reads these, those before it `rope_theta` alone.
    said={"rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "max_position_embeddings": 2048},
)  # fmt: skip
GPT2 = Format(
    "GPT2LMHeadModel",
    sizes={
        "vocabulary_size": "vocab_size",
        "d": "n_embd",
        "num_heads": "n_head",
        "hidden": "n_inner",
        "num_blocks": "n_layer",
        "num_positions": "n_positions",
    },
    fixed={
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "tie_word_embeddings": True,
    },
    left_out={
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False, "tie_word_embeddings": True,
    },
    arrays={
        "embedding.weight": "transformer.wte.weight",
        "positions.weight": "transformer.wpe.weight",
        "norm.weight": "transformer.ln_f.weight",
        "norm.bias": "transformer.ln_f.bias",
    },
    of_a_block={
        f"{own}.{kind}": f"{other}.{kind}"
        for own, other in (
            ("norm1", "ln_1"), ("attention.W_q", "attn.c_attn"), ("attention.W_k", "attn.c_attn"),
            ("attention.W_v", "attn.c_attn"), ("attention.W_o", "attn.c_proj"), ("norm2", "ln_2"),
            ("W_up", "mlp.c_fc"), ("W_down", "mlp.c_proj"),
        )
        for kind in ("weight", "bias")
    },
    block="transformer.h",
    layers=({"embedding": "transformer.wte", "positions": "transformer.wpe"}, "transformer.h", "attn", "transformer.ln_f"),
)  # fmt: skip
FORMATS = {"llama": LLAMA, "gpt2": GPT2}


def format_of(sizes: Sizes) -> Format:
    return GPT2 if sizes.num_positions else LLAMA


def neighbours(array: Any, heads: int) -> Any:
    """Rows of halves, as they have them, with each pair side by side."""
    return array.reshape(heads, 2, -1, array.shape[-1]).swapaxes(1, 2).reshape(array.shape)


def halves(array: Any, heads: int) -> Any:
    """Rows of pairs side by side with the first of all pairs of a head before the second."""
    return array.reshape(heads, -1, 2, array.shape[-1]).swapaxes(1, 2).reshape(array.shape)


def _turned(sizes: Sizes, name: str, array: np.ndarray, order: Any) -> np.ndarray:
    """One of our arrays as it stands there, but for its name, or the other way round. order: halves, or neighbours."""
    if sizes.num_positions:
        return array.T if array.ndim == 2 and name.startswith("blocks.") else array
    heads = {"W_q.weight": sizes.num_heads, "W_k.weight": sizes.num_kv_heads}
    kind = ".".join(name.split(".")[-2:])
    return np.asarray(order(array, heads[kind])) if kind in heads else array


def _together(sizes: Sizes) -> dict[str, list[str]]:
    """Our names by theirs."""
    found: dict[str, list[str]] = {}
    for own, other in format_of(sizes).names(sizes.num_blocks).items():
        found.setdefault(other, []).append(own)
    return found


def config_of(sizes: Sizes) -> dict[str, Any]:
    """What `config.json` says of a model."""
    form = format_of(sizes)
    fixed = {name: value for name, value in form.fixed.items() if name != "rope_type"}
    return {
        "architectures": [form.name], **fixed, **form.said,
        **{other: getattr(sizes, name) for name, other in form.sizes.items()},
        "bos_token_id": None, "eos_token_id": None, "dtype": "float32",
    }  # fmt: skip


def sizes_of(config: Mapping[str, Any]) -> Sizes:
    """The sizes that a config names. Raises GPTError, which says what differs from the course's model."""
    form = FORMATS.get(str(config.get("model_type")))
    if form is None:
        raise GPTError(f"Its model_type is {config.get('model_type')}; {' and '.join(FORMATS)} can be read.")
    rope = {**(config.get("rope_scaling") or {}), **(config.get("rope_parameters") or {})}
    said = {**form.left_out, **config, **rope}
    if form is LLAMA:
        said.setdefault("num_key_value_heads", said.get("num_attention_heads"))
    elif said.get("n_inner") is None and said.get("n_embd"):
        said["n_inner"] = 4 * said["n_embd"]
    wrong = [
        f"{name} is {said.get(name)} there and {here} here"
        for name, here in form.fixed.items()
        if said.get(name) != here
    ]
    try:
        sizes = Sizes(**{name: int(said[other]) for name, other in form.sizes.items()})
    except (KeyError, TypeError, ValueError) as error:
        raise GPTError(
            f"{CONFIG} does not say the sizes of a model: {error} is missing or no number."
        ) from error
    if int(said.get("head_dim") or sizes.d // sizes.num_heads) * sizes.num_heads != sizes.d:
        wrong.append("the heads together have another size than the features")
    if wrong:
        raise GPTError(f"This model computes something else than yours: {'; '.join(wrong)}.")
    return sizes


def read(package: Package, folder: Path) -> Trained:
    """The model of a folder in the learner's own code. Raises GPTError where it cannot be read, or differs."""
    load_file = _library("safetensors.torch").load_file
    try:
        sizes = sizes_of(json.loads((folder / CONFIG).read_text(encoding="utf-8")))
        theirs = {name: array.float().numpy() for name, array in load_file(folder / WEIGHTS).items()}
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


def take(trained: Trained, theirs: Mapping[str, np.ndarray]) -> None:
    """Give a model their arrays. Raises GPTError where one is missing or has another shape."""
    arrays: dict[str, np.ndarray] = {}
    for other, names in _together(trained.sizes).items():
        # A published GPT-2 leaves the first word out.
        array = theirs.get(other, theirs.get(other.removeprefix("transformer.")))
        if array is None:
            raise GPTError(f"The model there has no array {other}.")
        parts = np.split(_turned(trained.sizes, names[0], array, neighbours), len(names))
        arrays |= dict(zip(names, parts, strict=True))
    try:
        trained.package.take(trained.model, arrays)
    except GPTError as error:
        raise GPTError(f"The arrays there do not fit your GPT: {error}.") from error


def given(trained: Trained) -> dict[str, np.ndarray]:
    """Our arrays under their names, in their order."""
    own = trained.package.arrays(trained.model)
    pairs = format_of(trained.sizes).names(trained.sizes.num_blocks)
    if odd := sorted(set(own) ^ set(pairs)):
        raise GPTError(
            f"Your GPT and that of the course differ in the array {odd[0]}: it has no place in their format."
        )
    return {
        other: np.ascontiguousarray(
            _turned(trained.sizes, names[0], np.concatenate([own[name] for name in names]), halves)
        )
        for other, names in _together(trained.sizes).items()
    }


def write(trained: Trained, folder: Path) -> None:
    """Write a model into a folder that is not there yet. Raises GPTError where that cannot be done."""
    save_file = _library("safetensors.numpy").save_file
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

    theirs: their model with the same arrays. tokens: (batch, num_tokens). Both are in PyTorch.
    """
    own, other = _outputs(trained, theirs, tokens)
    for place, values in own.items():
        if not _close(values, other[place]):
            largest = float((values - other[place]).abs().max())
            why = _why(trained, theirs, tokens, place)
            return f"{place}: {why or f'values differ by up to {largest:.2g}'}"
    return None


def _outputs(trained: Trained, theirs: Any, tokens: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the layers of both give, by the same places, and at last the logits."""
    with (
        trained.package.at_rest(),
        _recorded(_own_layers(trained)) as own,
        _recorded(_their_layers(theirs, format_of(trained.sizes))) as other,
    ):
        logits = trained.model(tokens), theirs(tokens).logits
    last = "the logits (are the weights those of the embedding?)"
    return {**own, last: logits[0]}, {**other, last: logits[1]}


def _close(ours: Any, theirs: Any) -> bool:
    return bool(frameworks.torch.allclose(ours, theirs, rtol=0, atol=TOLERANCE))


def _why(trained: Trained, theirs: Any, tokens: Any, place: str) -> str | None:
    """The cause that is known: with the arrays of this layer as they stand there, the same place agrees."""
    layer = place.removeprefix("layer ").partition(",")[0]
    before = trained.package.arrays(trained.model)
    changed = {
        name: _turned(trained.sizes, name, array, neighbours)
        for name, array in before.items()
        if layer.isdigit() and name.startswith(f"blocks.{int(layer) - 1}.")
    }
    fitting = {name: array for name, array in changed.items() if array.shape == before[name].shape}
    trained.package.take(trained.model, fitting)
    here, there = _outputs(trained, theirs, tokens)
    trained.package.take(trained.model, before)
    known = TRANSPOSED if trained.sizes.num_positions else PAIRS
    return known if fitting and _close(here[place], there[place]) else None


def _own_layers(trained: Trained) -> dict[str, Any]:
    """Our layers by their places, in the order of the calls."""
    model = trained.model
    tables = {name: getattr(model, name) for name in format_of(trained.sizes).layers[0]}
    return _places(tables, [(block, block.attention) for block in model.blocks], model.norm)


def _their_layers(theirs: Any, form: Format) -> dict[str, Any]:
    """Their layers by the same places."""
    tables, blocks, attention, norm = form.layers
    found = {name: theirs.get_submodule(path) for name, path in tables.items()}
    pairs = [(block, getattr(block, attention)) for block in theirs.get_submodule(blocks)]
    return _places(found, pairs, theirs.get_submodule(norm))


def _places(tables: Mapping[str, Any], blocks: list[tuple[Any, Any]], norm: Any) -> dict[str, Any]:
    places = {f"the {name}": layer for name, layer in tables.items()}
    for i, (block, attention) in enumerate(blocks, 1):
        places |= {f"layer {i}, after attention": attention, f"layer {i}, after feed-forward": block}
    return places | {"the last norm": norm}


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
