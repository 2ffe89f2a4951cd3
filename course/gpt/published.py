"""A learner's GPT in the format of Hugging Face's libraries, as a Llama or in GPT-2's form, and beside them, layer by layer.

A folder holds `config.json`, `model.safetensors` and, where there is a tokeniser, `tokenizer.json`. The arrays are the
same, but for their names and their order. In a Llama, a pair of features that is turned together stands half a head
apart, and here side by side, so the rows of W_q and W_k are put into another order on the way. In GPT-2, a matrix is
stored transposed (its layers are `Conv1D`), and those of queries, keys and values are one.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autograder.frameworks import libraries
from autograder.model.text import clean, few
from course.gpt.gguf_file import GGUFFile
from course.gpt.model_folder import (
    CONFIG,
    TOKENISER,
    WEIGHTS,
    Weights,
    library,
    other_tokenisers,
    read_chat,
    read_config,
    read_tokeniser,
    value_text,
)
from course.gpt.package import GPTError, Package, Sizes, in_words
from course.gpt.training import Trained

TOLERANCE = 1e-4
PAIRS = "rotary pairs are halves there and neighbours here"
TRANSPOSED = "matrices are stored transposed there"
# The array of the last layer, which a file may hold beside the embedding that it is.
HEAD = "lm_head.weight"
# Functions by another of their names.
SAME = {"gelu_pytorch_tanh": "gelu_new", "gelu_fast": "gelu_new", "swish": "silu"}
# What every config may say and change something by, with what it says where it changes nothing.
OFF: dict[str, Any] = {
    "is_encoder_decoder": False, "add_cross_attention": False, "tie_encoder_decoder": False, "pruned_heads": {},
    "partial_rotary_factor": 1.0, "rope_interleaved": False,
}  # fmt: skip
# How the kind of rotary positions is called: the second in files of 2023 and 2024.
KINDS = ("rope_type", "type")
OF_ROPE = ("rope_theta", "partial_rotary_factor")
# The scaling that `slowed` of *Positions* computes, and its numbers in the order of its arguments.
SCALED = "llama3"
OF_SCALED = ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor")
# What belongs to a scaling of rotary positions, and does nothing where there is none.
OF_SCALING = (
    "factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow", "short_factor",
    "long_factor", "low_freq_factor", "high_freq_factor", "mscale", "mscale_all_dim", "truncate",
)  # fmt: skip
# Fields that change no logit: words on the file, its classes and its tokens, what is given back, how tokens are drawn.
_WITHOUT_EFFECT = """
    _name_or_path architectures model_type transformers_version dtype torch_dtype _commit_hash unsloth_version
    bos_token_id eos_token_id pad_token_id sep_token_id decoder_start_token_id tokenizer_class prefix
    id2label label2id num_labels problem_type finetuning_task task_specific_params is_decoder
    return_dict output_attentions output_hidden_states output_past torchscript use_bfloat16 tf_legacy_loss
    use_cache initializer_range chunk_size_feed_forward gradient_checkpointing _attn_implementation attn_implementation
    _attn_implementation_autoset max_length min_length do_sample early_stopping num_beams num_beam_groups
    diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty no_repeat_ngram_size
    encoder_no_repeat_ngram_size bad_words_ids num_return_sequences output_scores return_dict_in_generate
    forced_bos_token_id forced_eos_token_id remove_invalid_values exponential_decay_length_penalty suppress_tokens
    begin_suppress_tokens _num_labels is_llama_config max_sequence_length transformers.js_config rope_scaling rope_parameters"""
WITHOUT_EFFECT = frozenset(_WITHOUT_EFFECT.split())


@dataclass(frozen=True)
class Format:
    """How one of their classes names what is ours.

    sizes: each name of `Sizes` in their config. fixed: what the course's parts compute, and their config may say
    otherwise; left_out: its defaults where it leaves a word out. arrays, of_a_block: their name of each of our arrays;
    what has one name there stands in one array, one below the other. block: how the names of a block's begin there.
    without_effect: further fields that change no logit. unused: the pattern of their names of arrays that nothing reads.
    layers: paths of their layers: what the blocks read by its place and our name, the blocks, a block's attention, the
    last norm. extra_config: what `config.json` says besides.
    """

    name: str
    sizes: Mapping[str, str]
    fixed: Mapping[str, Any]
    left_out: Mapping[str, Any]
    arrays: Mapping[str, str]
    of_a_block: Mapping[str, str]
    block: str
    layers: tuple[Mapping[str, str], str, str, str]
    extra_config: Mapping[str, Any] = field(default_factory=dict)
    without_effect: tuple[str, ...] = ()
    unused: str = ""

    def together(self) -> dict[str, list[str]]:
        """Return our names of a block's arrays by theirs."""
        our_names: dict[str, list[str]] = {}
        for our_name, other in self.of_a_block.items():
            our_names.setdefault(other, []).append(our_name)
        return our_names


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
    extra_config={"max_position_embeddings": 2048},
    without_effect=("head_dim", "rope_theta", "scaling", "max_position_embeddings", "attention_dropout", "pretraining_tp"),
    unused=r"model\.(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq",
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
        f"{our_name}.{kind}": f"{other}.{kind}"
        for our_name, other in (
            ("norm1", "ln_1"), ("attention.W_q", "attn.c_attn"), ("attention.W_k", "attn.c_attn"),
            ("attention.W_v", "attn.c_attn"), ("attention.W_o", "attn.c_proj"), ("norm2", "ln_2"),
            ("W_up", "mlp.c_fc"), ("W_down", "mlp.c_proj"),
        )
        for kind in ("weight", "bias")
    },
    block="transformer.h",
    layers=({"embedding": "transformer.wte", "positions": "transformer.wpe"}, "transformer.h", "attn", "transformer.ln_f"),
    without_effect=(
        "n_ctx", "attn_pdrop", "embd_pdrop", "resid_pdrop", "reorder_and_upcast_attn", "summary_activation",
        "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj",
    ),
    unused=r"transformer\.h\.\d+\.attn\.(masked_)?bias",
)  # fmt: skip
FORMATS = {"llama": LLAMA, "gpt2": GPT2}


def format_of(sizes: Sizes) -> Format:
    return GPT2 if sizes.num_positions else LLAMA


def neighbours(array: Any, heads: int) -> Any:
    """Return rows of halves, as they have them, with each pair side by side."""
    return array.reshape(heads, 2, -1, array.shape[-1]).swapaxes(1, 2).reshape(array.shape)


def halves(array: Any, heads: int) -> Any:
    """Return rows of pairs side by side with the first of all pairs of a head before the second."""
    return array.reshape(heads, -1, 2, array.shape[-1]).swapaxes(1, 2).reshape(array.shape)


def _turned(sizes: Sizes, name: str, array: np.ndarray, order: Any) -> np.ndarray:
    """Return one of our arrays as it stands there, or the other way round. order: halves, or neighbours."""
    if sizes.num_positions:
        return array.T if array.ndim == 2 and name.startswith("blocks.") else array
    heads = {"W_q.weight": sizes.num_heads, "W_k.weight": sizes.num_kv_heads}
    kind = ".".join(name.split(".")[-2:])
    return np.asarray(order(array, heads[kind])) if kind in heads else array


def _together(sizes: Sizes) -> dict[str, list[str]]:
    """Return our names by theirs."""
    form = format_of(sizes)
    return {other: [our_name] for our_name, other in form.arrays.items()} | {
        f"{form.block}.{i}.{other}": [f"blocks.{i}.{our_name}" for our_name in names]
        for i in range(sizes.num_blocks)
        for other, names in form.together().items()
    }


def config_of(sizes: Sizes) -> dict[str, Any]:
    """Return what `config.json` says of a model."""
    form = format_of(sizes)
    fixed = {name: value for name, value in form.fixed.items() if name != "rope_type"}
    return {
        "architectures": [form.name], **fixed, **form.extra_config, **_rope_of(sizes),
        **{other: getattr(sizes, name) for name, other in form.sizes.items()},
        "bos_token_id": None, "eos_token_id": None, "dtype": "float32",
    }  # fmt: skip


def sizes_of(config: Mapping[str, Any]) -> Sizes:
    """Return the sizes that a config names. Raises GPTError, which says what differs from the course's model.

    Each of its fields is used, compared with what the course's parts compute, known to be without effect, or refused.
    """
    kind = config.get("model_type")
    form = FORMATS.get(kind) if isinstance(kind, str) else None
    if form is None:
        raise GPTError(f"Its model_type is {value_text(kind, '')}; {' and '.join(FORMATS)} can be read.")
    fields = {**form.left_out, **config, **_rope(config)}
    fields |= {name: value for name, value in OFF.items() if fields.get(name) is None}
    if form is LLAMA and fields.get("num_key_value_heads") is None:
        fields["num_key_value_heads"] = fields.get("num_attention_heads")
    elif form is GPT2 and fields.get("n_inner") is None and isinstance(fields.get("n_embd"), int):
        fields["n_inner"] = 4 * fields["n_embd"]
    wrong = _differences(form, fields)
    numbers: dict[str, Any] = {name: _size(fields, other) for name, other in form.sizes.items()}
    rope: dict[str, Any] = {} if form is GPT2 else {"base": _base(fields), "scaling": _scaling(fields)}
    sizes = Sizes(**numbers, **rope)
    if sizes.d % sizes.num_heads or fields.get("head_dim") not in (None, sizes.d // sizes.num_heads):
        wrong.append("the heads together have another size than the features")
    if wrong:
        raise GPTError(f"This model computes something else than yours: {'; '.join(wrong)}.")
    return sizes


def _rope_of(sizes: Sizes) -> dict[str, Any]:
    """Return what `config.json` says of rotary positions: Transformers 5 reads the second, those before it the first."""
    if sizes.num_positions:
        return {}
    parameters: dict[str, Any] = {"rope_theta": sizes.base, "rope_type": "default"}
    if sizes.scaling:
        parameters |= {"rope_type": SCALED, **dict(zip(OF_SCALED, sizes.scaling, strict=True))}
    return {"rope_theta": sizes.base, "rope_parameters": parameters}


def _base(fields: Mapping[str, Any]) -> float:
    base = fields["rope_theta"]
    if type(base) not in (int, float) or not 1 < base < 2**64:
        raise GPTError(f"rope_theta must be a number above 1, but is {value_text(base)}.")
    return float(base)


def _scaling(fields: Mapping[str, Any]) -> tuple[float, ...]:
    """Return what `slowed` takes besides the frequencies; empty where they stay as they are."""
    scaling = fields.get("scaling", ())
    are_numbers = all(type(number) in (int, float) and 0 < number < 2**64 for number in scaling)
    # The fastest pair turns once in 2π tokens, and keeps its frequency.
    if not scaling or (are_numbers and scaling[2] < scaling[3] < scaling[1] / (2 * np.pi)):
        return tuple(map(float, scaling))
    raise GPTError(
        f"{CONFIG} must hold numbers above 0 for {SCALED}, with low_freq_factor below high_freq_factor: {', '.join(OF_SCALED)}."
    )


def _rope(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a config says of rotary positions, under the newer names. Raises GPTError for what is no object."""
    fields: dict[str, Any] = {}
    kinds: list[Any] = []
    numbers: dict[str, Any] = {"original_max_position_embeddings": config.get("max_position_embeddings")}
    for name in ("rope_scaling", "rope_parameters"):
        settings = {} if config.get(name) is None else config[name]
        if not isinstance(settings, dict):
            raise GPTError(f"{CONFIG} must hold an object as {name}, but holds {value_text(settings)}.")
        kinds += [settings.get(key) for key in KINDS]
        numbers |= settings
        other_keys = settings.keys() - {*KINDS, *OF_SCALING}
        fields |= {key if key in OF_ROPE else f"{name}.{key}": settings[key] for key in sorted(other_keys)}
    kinds = [kind for kind in kinds if kind not in (None, "default")]
    if kinds and set(kinds) == {SCALED}:
        return fields | {"scaling": [numbers.get(key) for key in OF_SCALED]}
    return fields | ({"rope_type": kinds[0]} if kinds else {})


def _differences(form: Format, fields: Mapping[str, Any]) -> list[str]:
    """Return in what a config says something else than the course's parts compute, in words."""
    quantised = fields.get("quantization_config")
    wrong = [] if quantised is None else ["its weights are quantised (quantization_config)"]
    expected = {**OFF, **form.fixed}
    wrong += [
        f"{name} is {value_text(fields.get(name), here)} there and {value_text(here, here)} here"
        for name, here in expected.items()
        if not _is_same(fields.get(name), here)
    ]
    checked = {*expected, *form.sizes.values(), *form.without_effect, *WITHOUT_EFFECT, "quantization_config"}
    unknown = [name for name, value in fields.items() if name not in checked and value is not None]
    return wrong + [
        f"{clean(name, 60)} is {value_text(fields[name], '')} there and unknown here" for name in unknown
    ]


def _is_same(value: Any, here: Any) -> bool:
    """Return whether two values of a config are one: as single precision has them, and under other names."""
    if isinstance(here, float) and type(value) in (int, float) and abs(value) < 2**64:
        return bool(np.float32(value) == np.float32(here))
    if isinstance(value, str):
        value = SAME.get(value, value)
    return bool(value == here)


def _size(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    if type(value) is not int or not 0 < value < 2**40:
        raise GPTError(
            f"{CONFIG} does not say the sizes of a model: {name} must be a whole number above 0, but is {value_text(value)}."
        )
    return value


def _fitting(weights: Weights | GGUFFile, sizes: Sizes) -> dict[str, str]:
    """Return the names in a file by the full ones. Raises GPTError where its arrays are not those of the sizes.

    It is found by their shapes alone, before anything of these sizes is made.
    """
    form = format_of(sizes)
    first = form.block.partition(".")[0]
    # A published GPT-2 leaves the first word out.
    places = {n if n.startswith((f"{first}.", HEAD)) else f"{first}.{n}": n for n in weights.shapes}
    names = [name for name, shape in _their_shapes(sizes) if _is_there(weights, places, name, shape)]
    surplus = sorted(n for n in places.keys() - set(names) - {HEAD} if not re.fullmatch(form.unused, n))
    if surplus:
        words = few([clean(places[name], 100) for name in surplus], 3)
        raise GPTError(f"Your GPT has no place for arrays that are there: {words}.")
    table = places[form.arrays["embedding.weight"]]
    if HEAD in places and not np.array_equal(weights.array(HEAD), weights.array(table)):
        raise GPTError(
            f"This model computes something else than yours: {HEAD} there differs from the embedding."
        )
    return places


def _is_there(
    weights: Weights | GGUFFile, places: Mapping[str, str], name: str, shape: tuple[int, ...]
) -> bool:
    """Return True. Raises GPTError where an array is missing, or has another shape."""
    if name not in places:
        raise GPTError(f"The model there has no array {name}, which it has by {CONFIG}.")
    if (actual := weights.shapes[places[name]]) != shape:
        raise GPTError(
            f"The arrays there do not fit: {name} has the shape {actual}, and by {CONFIG} {shape}."
        )
    return True


def _their_shapes(sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Return their name and shape of each array, one after the other: a config may ask for any number of blocks."""
    form = format_of(sizes)
    for our_name, other in form.arrays.items():
        yield other, _shape(sizes, our_name)
    for i in range(sizes.num_blocks):
        for other, names in form.together().items():
            rows, *columns = _shape(sizes, names[0])
            shape = (rows * len(names), *columns)
            yield f"{form.block}.{i}.{other}", shape[::-1] if sizes.num_positions else shape


def _shape(sizes: Sizes, name: str) -> tuple[int, ...]:
    """Return the shape of one of our arrays."""
    *_, layer, kind = name.split(".")
    key_size = sizes.d if sizes.num_positions else sizes.num_kv_heads * (sizes.d // sizes.num_heads)
    rows = {
        "embedding": sizes.vocabulary_size, "positions": sizes.num_positions, "W_k": key_size, "W_v": key_size,
        "W_gate": sizes.hidden, "W_up": sizes.hidden,
    }  # fmt: skip
    columns = sizes.hidden if layer == "W_down" else sizes.d
    is_matrix = kind == "weight" and not layer.startswith("norm")
    return (rows.get(layer, sizes.d), columns) if is_matrix else (rows.get(layer, sizes.d),)


def read(package: Package, source: Path) -> Trained:
    """Return a published model in the learner's own code. Raises GPTError where it cannot be read, or differs.

    source: a folder, or a file in GGUF. Its arrays are read one by one, so that memory holds them once.
    """
    file = GGUFFile(source) if source.suffix.lower() == ".gguf" and source.is_file() else None
    config = file.config if file else read_config(source)
    sizes = sizes_of(config)
    try:
        weights = file or Weights(source)
        places = _fitting(weights, sizes)
        if not sizes.num_positions and sizes.num_heads % sizes.num_kv_heads:
            raise GPTError("num_key_value_heads must divide num_attention_heads, and does not there.")
        tokeniser, chat = file.tokeniser() if file else (read_tokeniser(source), read_chat(source, config))
        with in_words("GPT"):
            model = package.gpt(sizes, seed=None)
        trained = Trained(package, sizes, model, [], tokeniser=tokeniser, chat=chat)
        trained.refuse_damaged_tokeniser()
        take(trained, lambda name: weights.array(places[name]), weights.are_neighbours)
    except MemoryError as error:
        raise GPTError(f"The model in {source} takes more memory than there is.") from error
    return trained


def without_tokeniser(trained: Trained, folder: Path) -> list[str]:
    """Return a sentence where a model that was read came without a tokeniser that fits it."""
    if trained.has_tokeniser:
        return []
    unreadable = (
        f" ({' and '.join(other_tokenisers(folder))} cannot be read)" if other_tokenisers(folder) else ""
    )
    return [
        f"{folder} has no {TOKENISER}{unreadable}, so your GPT cannot read or write text with these weights: "
        "`AutoTokenizer.from_pretrained(...).save_pretrained(FOLDER)` of transformers makes one."
    ]


def take(trained: Trained, array: Callable[[str], np.ndarray], are_neighbours: bool = False) -> None:
    """Give a model their arrays, one by one. Raises GPTError where one has another shape.

    array: gives theirs by its name. are_neighbours: whether the features of a pair are, as here.
    """
    for other, names in _together(trained.sizes).items():
        theirs = array(other)
        ours = theirs if are_neighbours else _turned(trained.sizes, names[0], theirs, neighbours)
        try:
            trained.package.take(trained.model, dict(zip(names, np.split(ours, len(names)), strict=True)))
        except GPTError as error:
            raise GPTError(f"The arrays there do not fit your GPT: {error}.") from error


def exported_arrays(trained: Trained) -> dict[str, np.ndarray]:
    """Return our arrays under their names, in their order."""
    arrays, together = trained.package.arrays(trained.model), _together(trained.sizes)
    if odd := sorted(set(arrays) ^ {name for names in together.values() for name in names}):
        raise GPTError(
            f"Your GPT and that of the course differ in the array {odd[0]}: it has no place in their format."
        )
    joined = {
        other: np.concatenate([arrays[name] for name in names]) if len(names) > 1 else arrays[names[0]]
        for other, names in together.items()
    }
    return {
        other: np.ascontiguousarray(_turned(trained.sizes, together[other][0], array, halves))
        for other, array in joined.items()
    }


def write(trained: Trained, folder: Path) -> None:
    """Write a model into a folder that is not there yet. Raises GPTError where that cannot be done."""
    save_file = library("safetensors.numpy").save_file
    arrays = exported_arrays(trained)
    try:
        folder.mkdir(parents=True, exist_ok=False)
        (folder / CONFIG).write_text(json.dumps(config_of(trained.sizes), indent=1) + "\n", encoding="utf-8")
        save_file(arrays, folder / WEIGHTS, metadata={"format": "pt"})
        (folder / TOKENISER).write_text(trained.tokeniser or tokeniser_of(trained.merges), encoding="utf-8")
    except FileExistsError as error:
        raise GPTError(f"{folder} already exists: name a new folder.") from error
    except OSError as error:
        raise GPTError(f"{folder} cannot be written: {error.strerror or error}.") from error


def tokeniser_of(merges: list[tuple[int, int]]) -> str:
    """Return the learner's tokeniser as `tokenizers` reads it; a string that two merges make has the first number."""
    tokenizers = library("tokenizers")
    letters = _letters()
    strings = [letters[byte] for byte in range(256)]
    for first, second in merges:
        strings.append(strings[first] + strings[second])
    vocabulary: dict[str, int] = {}
    for number, string in enumerate(strings):
        vocabulary.setdefault(string, number)
    pairs = [(strings[first], strings[second]) for first, second in merges]
    tokeniser = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=pairs))
    pieces = tokenizers.Regex(r" ?\w+| ?[^\w\s]+|\s")
    tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(pieces, behavior="isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokeniser.decoder = tokenizers.decoders.ByteLevel()
    return str(tokeniser.to_str())


def _letters() -> list[str]:
    """Return the character of each byte in their files: itself if it is printed, one from 256 on if not."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    substitutes = iter(range(256, 512))
    return [chr(byte) if byte in printed else chr(next(substitutes)) for byte in range(256)]


def their_model(trained: Trained) -> Any:
    """Return the library's model with the same arrays, of which it shares those that are stored alike."""
    torch, transformers = libraries.torch, library("transformers")
    kind = getattr(transformers, format_of(trained.sizes).name)
    arrays = {name: torch.from_numpy(array) for name, array in exported_arrays(trained).items()}
    config = kind.config_class(**config_of(trained.sizes))
    return kind.from_pretrained(None, config=config, state_dict=arrays).eval()


def first_difference(trained: Trained, theirs: Any, tokens: Any, tolerance: float = TOLERANCE) -> str | None:
    """Return where our model first differs from theirs by more than a tolerance, and in what; None if nowhere.

    theirs: their model with the same arrays. tokens: (batch, num_tokens). Both are in PyTorch. tolerance: of a
    number, and beyond 1 of its part.
    """
    ours, other = _outputs(trained, theirs, tokens)
    for place, values in ours.items():
        if not _close(values, other[place], tolerance):
            largest = float((values - other[place]).abs().max())
            why = _why(trained, theirs, tokens, place, tolerance)
            return f"{place}: {why or f'values differ by up to {largest:.2g}'}"
    return None


def _outputs(trained: Trained, theirs: Any, tokens: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the layers of both give, by the same places, and at last the logits."""
    with (
        trained.package.at_rest(),
        _recorded(_own_layers(trained)) as ours,
        _recorded(_their_layers(theirs, format_of(trained.sizes))) as other,
    ):
        logits = trained.model(tokens), theirs(tokens).logits
    last = "the logits (are the weights those of the embedding?)"
    return {**ours, last: logits[0]}, {**other, last: logits[1]}


def _close(ours: Any, theirs: Any, tolerance: float) -> bool:
    return bool(libraries.torch.allclose(ours, theirs, rtol=tolerance, atol=tolerance))


def _why(trained: Trained, theirs: Any, tokens: Any, place: str, tolerance: float) -> str | None:
    """Return the cause that is known: with the arrays of this layer as they stand there, the same place agrees."""
    layer = place.removeprefix("layer ").partition(",")[0]
    before = {
        name: array.copy()
        for name, array in trained.package.arrays(trained.model).items()
        if layer.isdigit() and name.startswith(f"blocks.{int(layer) - 1}.")
    }
    changed = {name: _turned(trained.sizes, name, array, neighbours) for name, array in before.items()}
    fitting = {name: array for name, array in changed.items() if array.shape == before[name].shape}
    trained.package.take(trained.model, fitting)
    here, theirs_turned = _outputs(trained, theirs, tokens)
    trained.package.take(trained.model, before)
    cause = TRANSPOSED if trained.sizes.num_positions else PAIRS
    return cause if fitting and _close(here[place], theirs_turned[place], tolerance) else None


def _own_layers(trained: Trained) -> dict[str, Any]:
    """Return our layers by their places, in the order of the calls."""
    model = trained.model
    tables = {name: getattr(model, name) for name in format_of(trained.sizes).layers[0]}
    return _places(tables, [(block, block.attention) for block in model.blocks], model.norm)


def _their_layers(theirs: Any, form: Format) -> dict[str, Any]:
    """Return their layers by the same places."""
    tables, blocks, attention, norm = form.layers
    layers_by_name = {name: theirs.get_submodule(path) for name, path in tables.items()}
    pairs = [(block, getattr(block, attention)) for block in theirs.get_submodule(blocks)]
    return _places(layers_by_name, pairs, theirs.get_submodule(norm))


def _places(tables: Mapping[str, Any], blocks: list[tuple[Any, Any]], norm: Any) -> dict[str, Any]:
    places = {f"the {name}": layer for name, layer in tables.items()}
    for i, (block, attention) in enumerate(blocks, 1):
        places |= {f"layer {i}, after attention": attention, f"layer {i}, after feed-forward": block}
    return places | {"the last norm": norm}


@contextmanager
def _recorded(layers: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Record what each layer returns, by its place; of several results, the first."""
    results: dict[str, Any] = {}

    def recorder(place: str) -> Any:
        def record(_layer: Any, _inputs: Any, result: Any) -> None:
            results[place] = (result[0] if isinstance(result, tuple) else result).clone()

        return record

    handles = [layer.register_forward_hook(recorder(place)) for place, layer in layers.items()]
    try:
        yield results
    finally:
        for handle in handles:
            handle.remove()
