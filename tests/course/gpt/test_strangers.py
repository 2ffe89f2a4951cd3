"""`attention gpt load` of a stranger's folder: what computes something else is refused by name, and nothing is built of it."""

import json
import os

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from autograder.checking import progress
from autograder.cli.commands import app
from course.gpt import published as formats
from course.gpt import training
from course.gpt.model_folder import TOKENISER, WEIGHTS
from course.gpt.my_gpt import my_gpt
from course.gpt.package import GPTError, Package, Sizes

transformers = pytest.importorskip("transformers")
safetensors = pytest.importorskip("safetensors.torch")
tokenizers = pytest.importorskip("tokenizers")

SIZES = Sizes(300, d=24, num_heads=6, num_kv_heads=2, hidden=40, num_blocks=2)
GPT2 = Sizes(300, d=24, num_heads=6, hidden=96, num_blocks=2, num_positions=16)
K = "model.layers.0.self_attn.k_proj.weight"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    progress.create(home)
    my_gpt(home)
    return Package(home)


def arrays_of(sizes):
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=shape) * 0.1 for name, shape in formats._their_shapes(sizes)}
    return {name: torch.tensor(array, dtype=torch.float32) for name, array in arrays.items()}


@pytest.fixture
def folder(tmp_path):
    """A whole model, in which each test changes something."""
    folder = tmp_path / "model"
    folder.mkdir()
    write(folder, SIZES)
    return folder


def write(folder, sizes, config=None, arrays=None):
    (folder / formats.CONFIG).write_text(json.dumps({**formats.config_of(sizes), **(config or {})}))
    tensors = {
        name: array for name, array in {**arrays_of(sizes), **(arrays or {})}.items() if array is not None
    }
    safetensors.save_file(tensors, folder / WEIGHTS)


def refused(package, folder, monkeypatch=None):
    """The sentence; no model was made."""
    if monkeypatch:
        monkeypatch.setattr(type(package), "gpt", lambda *_: pytest.fail("a model is made"))
    with pytest.raises(GPTError) as error:
        formats.read(package, folder)
    return str(error.value)


def changed(folder, change):
    path = folder / formats.CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        # Files of 2023 and 2024 call it `type`.
        ({"rope_scaling": {"type": "linear", "factor": 8.0}}, "rope_type is linear there and default here"),
        ({"rope_scaling": {"rope_type": "llama3"}}, "must hold numbers above 0 for llama3"),
        ({"rope_scaling": {"rope_type": "default", "type": "yarn"}}, "rope_type is yarn there"),
        ({"rope_scaling": "linear"}, "must hold an object as rope_scaling, but holds the text 'linear'"),
        (
            {"rope_parameters": {"full_attention": {"rope_theta": 1e6}}},
            "full_attention is an object there and unknown",
        ),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor is 0.5 there and 1.0"),
        (
            {"quantization_config": {"quant_method": "gptq"}},
            "its weights are quantised (quantization_config)",
        ),
        ({"rope_parameters": {"vocab_size": 5}}, "rope_parameters.vocab_size is 5 there and unknown here"),
        ({"sliding_window": 512}, "sliding_window is 512 there and unknown here"),
        ({"\x1b[31mred": True}, "\N{REPLACEMENT CHARACTER}[31mred is True there and unknown here"),
        ({"hidden_act": "gelu"}, "hidden_act is gelu there and silu here"),
        ({"rms_norm_eps": "1e-05"}, "rms_norm_eps is the text '1e-05' there and 1e-05 here"),
        ({"rms_norm_eps": float("nan")}, "rms_norm_eps is nan there and 1e-05 here"),
        ({"tie_word_embeddings": "true"}, "tie_word_embeddings is the text 'true' there and True here"),
        ({"is_encoder_decoder": True}, "is_encoder_decoder is True there and False here"),
        ({"hidden_size": "24"}, "hidden_size must be a whole number above 0, but is the text '24'"),
        ({"vocab_size": 300.0}, "vocab_size must be a whole number above 0, but is 300.0"),
        ({"num_attention_heads": 0}, "num_attention_heads must be a whole number above 0, but is 0"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be a whole number above 0, but is True"),
        ({"intermediate_size": 10**30}, "intermediate_size must be a whole number above 0, but is 1000"),
        ({"head_dim": "4"}, "the heads together have another size than the features"),
        ({"head_dim": {}}, "the heads together have another size than the features"),
        ({"model_type": "\x1b[31mred"}, "Its model_type is \N{REPLACEMENT CHARACTER}[31mred;"),
        ({"model_type": ["llama"]}, "Its model_type is a list;"),
    ],
)
def test_each_field_of_a_config_that_changes_something_is_named(package, folder, change, sentence):
    changed(folder, change)
    assert sentence in refused(package, folder)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"num_hidden_layers": 10**9}, "no array model.layers.2.input_layernorm.weight"),
        ({"vocab_size": 250_000_000}, "The arrays there do not fit: model.embed_tokens.weight"),
        ({"num_key_value_heads": 5}, f"The arrays there do not fit: {K} has the shape (8, 24)"),
        (
            {"num_key_value_heads": None},
            f"The arrays there do not fit: {K} has the shape (8, 24), and by config.json (24, 24)",
        ),
        ({"intermediate_size": 10**9}, "The arrays there do not fit: model.layers.0.mlp.gate_proj.weight"),
        ({"num_hidden_layers": 1}, "Your GPT has no place for arrays that are there: model.layers.1."),
    ],
)
def test_sizes_are_compared_with_the_file_before_anything_is_made(
    package, folder, change, sentence, monkeypatch
):
    changed(folder, change)
    assert sentence in refused(package, folder, monkeypatch)


def test_many_empty_arrays_are_no_model(package, folder, monkeypatch):
    """As many as a list may hold in some seconds."""
    empty = {f"model.layers.{i}.input_layernorm.weight": torch.zeros(0) for i in range(2, 20_000)}
    safetensors.save_file(empty, folder / WEIGHTS)
    changed(folder, {"vocab_size": 250_000_000, "num_hidden_layers": 20_000})
    assert "no array model.embed_tokens.weight" in refused(package, folder, monkeypatch)


def test_heads_that_cannot_share_are_named(package, folder):
    write(folder, Sizes(300, d=24, num_heads=6, num_kv_heads=5, hidden=40, num_blocks=2))
    assert "num_key_value_heads must divide num_attention_heads" in refused(package, folder)


FP8 = torch.ones(8, 24).to(torch.float8_e4m3fn)
SCALE = K.replace("weight", "weight_scale")


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({K: FP8}, f"The array {K} holds F8_E4M3"),
        ({K: torch.ones(8, 24, dtype=torch.int8)}, f"The array {K} holds I8"),
        ({SCALE: torch.ones(1)}, f"no place for arrays that are there: {SCALE}"),
        ({"\x1b[31m": torch.ones(1)}, "no place for arrays that are there: \N{REPLACEMENT CHARACTER}[31m"),
        ({K: torch.full((8, 24), torch.nan)}, f"The array {K} holds NaN or infinity"),
        ({K: torch.full((8, 24), 1e300, dtype=torch.float64)}, f"The array {K} holds NaN or infinity"),
        ({"lm_head.weight": torch.ones(300, 24)}, "lm_head.weight there differs from the embedding"),
        ({K: None}, f"The model there has no array {K}, which it has by config.json"),
    ],
)
def test_arrays_that_are_something_else_are_named(package, folder, arrays, sentence):
    write(folder, SIZES, arrays=arrays)
    assert sentence in refused(package, folder)


def test_scales_without_a_word_in_the_config_are_quantised_weights(package, folder):
    write(folder, SIZES, {"quantization_config": {"quant_method": "compressed-tensors"}}, {K: FP8})
    assert "its weights are quantised" in refused(package, folder)


@pytest.mark.parametrize(
    ("change", "arrays"),
    [
        ({"num_key_value_heads": None}, arrays_of(Sizes(300, 24, 6, 6, 40, 2))),
        ({"rms_norm_eps": 9.999999747378752e-06}, {}),  # as single precision prints 1e-5
        ({"rope_theta": 10000, "rope_parameters": None, "rope_scaling": None}, {}),
        ({"rope_scaling": {"type": "default", "factor": 2.0}}, {}),
        ({"hidden_act": "swish", "head_dim": None, "sliding_window": None, "pruned_heads": {}}, {}),
        ({"partial_rotary_factor": None, "rope_interleaved": False, "is_llama_config": True}, {}),
        ({}, {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}),
        ({}, {"lm_head.weight": arrays_of(SIZES)["model.embed_tokens.weight"]}),
        ({}, {K: torch.ones(8, 24, dtype=torch.bfloat16)}),
    ],
)
def test_what_changes_nothing_is_read(package, folder, change, arrays):
    write(folder, SIZES, change, arrays)
    assert formats.read(package, folder).sizes.d == 24


@pytest.mark.parametrize("function", ["gelu_new", "gelu_pytorch_tanh"])
def test_a_gpt2_is_read_with_its_masks_and_either_name_of_its_function(package, folder, function):
    masks = {"transformer.h.0.attn.bias": torch.ones(1), "transformer.h.1.attn.masked_bias": torch.ones(1)}
    write(folder, GPT2, {"activation_function": function}, masks)
    assert formats.read(package, folder).sizes == GPT2


def test_every_field_that_the_library_writes_is_known(package, folder):
    """In its own defaults but for what the course's parts compute."""
    for sizes, config in ((SIZES, transformers.LlamaConfig()), (GPT2, transformers.GPT2Config())):
        all_of_it = {**config.to_dict(), **formats.config_of(sizes), "head_dim": None}
        assert formats.sizes_of(all_of_it) == sizes


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"[1]", "config.json must hold names with values, but holds a list"),
        pytest.param(b"[" * 100_000, "config.json is not JSON", id="deep"),
        (b"", "config.json is not JSON"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "config.json is a pointer of Git LFS",
        ),
    ],
)
def test_a_config_that_is_none_is_a_sentence(package, folder, data, sentence):
    (folder / formats.CONFIG).write_bytes(data)
    assert sentence in refused(package, folder)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_config_with_a_mark_of_its_encoding_is_read(package, folder, encoding):
    path = folder / formats.CONFIG
    path.write_bytes(path.read_text().encode(encoding))
    assert formats.read(package, folder).sizes == SIZES


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("model.safetensors.index.json", "several files (shards), such as model.safetensors.index.json"),
        ("model-00001-of-00002.safetensors", "several files (shards), such as model-00001-of-00002"),
        ("pytorch_model.bin", "pytorch_model.bin is a pickle, which can run code"),
        ("model.gguf", "type `attention gpt load` with model.gguf itself"),
        ("adapter_model.safetensors", "adapter_model.safetensors is of an adapter (LoRA)"),
        ("weights.safetensors", "weights.safetensors has another name: call it model.safetensors"),
        ("notes.txt", "holds no model.safetensors."),
    ],
)
def test_weights_in_another_form_are_named_for_what_they_are(package, folder, name, sentence):
    (folder / WEIGHTS).rename(folder / name)
    assert sentence in refused(package, folder)


def test_weights_that_are_a_pointer_or_a_pipe_are_named(package, folder):
    (folder / WEIGHTS).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 99\n")
    assert "model.safetensors is a pointer of Git LFS" in refused(package, folder)
    (folder / WEIGHTS).unlink()
    os.mkfifo(folder / WEIGHTS)
    assert "it is not a plain file" in refused(package, folder)


def tokeniser(size=300, regex=None):
    """A tokeniser of letters, as text; regex: how it splits."""
    letters = {chr(number): number for number in range(97, 123)} | {f"<{i}>": i for i in range(123, size)}
    library_tokeniser = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=letters, merges=[]))
    if regex:
        library_tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.Split(
            tokenizers.Regex(regex), behavior="isolated"
        )
    return library_tokeniser


def ask(package, *words):
    return CliRunner().invoke(app, ["gpt", *map(str, words), "--folder", str(package.home)])


@pytest.fixture
def empty(package):
    """The learner's folder, in which nothing is trained."""
    yield package
    if (path := package.home / training.FOLDER).exists():
        path.rename(package.home / f"{training.FOLDER}-{len(list(package.home.iterdir()))}")


def test_a_model_without_a_tokeniser_is_told_when_it_is_loaded(empty, folder):
    (folder / "tokenizer.model").write_bytes(b"\x0a\x01")
    done = ask(empty, "load", folder)
    output = " ".join(done.output.split())
    assert (
        done.exit_code == 0
        and "has no tokenizer.json (tokenizer.model cannot be read), so your GPT" in output
    )
    done = ask(empty, "write", "The weights")
    assert done.exit_code == 2 and "came without a tokenizer.json" in " ".join(done.output.split())
    assert "my_gpt/tokeniser.py" not in done.output, "the learner's code is not blamed"


@pytest.mark.parametrize("text", [b"{}", b"no JSON", b"\xff\xfe\xff", b"version https://git-lfs"])
def test_a_tokeniser_that_cannot_be_read_is_told_when_it_is_loaded(package, folder, text):
    (folder / TOKENISER).write_bytes(text)
    assert "tokeni" in refused(package, folder)


def test_a_panic_of_the_library_and_tokens_beyond_the_table_are_sentences(package, folder):
    (folder / TOKENISER).write_text(tokeniser(regex="(a+)+$").to_str())
    trained = formats.read(package, folder)
    with pytest.raises(GPTError, match=r"gives no tokens for this text: .*retry-limit"):
        trained.tokens_of("a" * 40 + "!")
    (folder / TOKENISER).write_text(tokeniser().to_str())
    changed(folder, {"vocab_size": 100})
    safetensors.save_file(arrays_of(Sizes(100, 24, 6, 2, 40, 2)), folder / WEIGHTS)
    with pytest.raises(GPTError, match="gives token 122, and the model has 100"):
        formats.read(package, folder).tokens_of("z")


def test_a_text_stays_as_long_as_it_is(package, folder):
    """Padding to a length that the file names may take all memory, and truncation loses words."""
    library_tokeniser = tokeniser()
    library_tokeniser.enable_padding(length=10**6)
    library_tokeniser.enable_truncation(2)
    (folder / TOKENISER).write_text(library_tokeniser.to_str())
    assert formats.read(package, folder).tokens_of("abc") == [97, 98, 99]


def test_words_of_a_file_reach_a_terminal_without_its_escapes(empty, folder):
    changed(folder, {"model_type": "\x1b[31m[/bold]"})
    done = ask(empty, "load", folder)
    assert done.exit_code == 2 and "\x1b" not in done.output and "[31m[/bold]" in done.output


def test_a_checkpoint_with_other_sizes_than_its_arrays_makes_no_model(empty, folder, monkeypatch):
    assert ask(empty, "load", folder).exit_code == 0
    state = empty.home / training.FOLDER / "0" / "state.json"
    content = json.loads(state.read_text())
    content["sizes"]["num_blocks"] = 10**9
    state.write_text(json.dumps(content))
    done = ask(empty, "write", "The weights")
    assert done.exit_code == 2 and "is damaged" in " ".join(done.output.split())
