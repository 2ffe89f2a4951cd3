"""A learner's GPT beside Hugging Face's LlamaForCausalLM and GPT2LMHeadModel: the same weights, the same logits, both ways."""

import json

import pytest
import torch
from typer.testing import CliRunner

from autograder.checking import progress
from autograder.cli.commands import app
from course.data import prose
from course.gpt import published as formats
from course.gpt import training
from course.gpt.my_gpt import my_gpt
from course.gpt.package import GPTError, Package, Sizes
from course.gpt.training import Trained
from tests.support import FRAMEWORKS, need

transformers = pytest.importorskip("transformers")

SIZES = {"d": 24, "num_heads": 6, "num_kv_heads": 2, "hidden": 40, "num_blocks": 2}
TOKENS = torch.arange(2 * 9).reshape(2, 9) * 3 % 50


GPT2 = {"num_positions": 16, "num_heads": 4, "hidden": 96}


def published(form="llama", **rope):
    """A small model of the library's own, with random weights, norms and biases too."""
    torch.manual_seed(1)
    if form == "gpt2":
        config = transformers.GPT2Config(vocab_size=50, n_embd=24, n_head=4, n_layer=2, n_positions=16)
        model = transformers.GPT2LMHeadModel(config).eval()
    else:
        config = transformers.LlamaConfig(
            vocab_size=50, hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=6,
            num_key_value_heads=2, tie_word_embeddings=True, rms_norm_eps=1e-5, **rope,
        )  # fmt: skip
        model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for array in model.parameters():
            array.normal_(std=0.3) if array.ndim > 1 else array.uniform_(0.5, 1.5)
    return model


@pytest.fixture
def home(tmp_path):
    progress.create(tmp_path)
    my_gpt(tmp_path)
    return tmp_path


@pytest.fixture(params=["llama", "gpt2"])
def form(request):
    return request.param


@pytest.fixture
def loaded(home, form):
    """Their model, and the same weights in the learner's code."""
    theirs = published(form)
    theirs.save_pretrained(home / "published")
    return theirs, formats.read(Package(home), home / "published")


def ask(home, *words):
    return CliRunner().invoke(app, ["gpt", *map(str, words), "--folder", str(home)])


def test_the_weights_of_the_library_give_its_logits_in_ones_own_code(loaded):
    theirs, trained = loaded
    with torch.no_grad():
        expected, got = theirs(TOKENS).logits, trained.model(TOKENS)
    assert float((expected - got).abs().max()) < formats.TOLERANCE
    assert float(expected.std()) > 0.1
    assert formats.first_difference(trained, theirs, TOKENS) is None


LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 50.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 40,
}  # fmt: skip


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "rope", [{"rope_type": "default", "rope_theta": 500.0}, LLAMA3], ids=["base", "llama3"]
)
def test_other_frequencies_give_the_logits_of_the_library_and_are_saved_with_the_weights(
    tmp_path, framework, rope
):
    need(framework)
    progress.create(tmp_path)
    my_gpt(tmp_path, framework)
    theirs, package = published(rope_parameters=rope), Package(tmp_path, framework)
    theirs.save_pretrained(tmp_path / "published")
    trained = formats.read(package, tmp_path / "published")
    trained.save(tmp_path / training.FOLDER)
    formats.write(training.load(tmp_path, package), tmp_path / "mine")
    again = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "mine").eval()
    with torch.no_grad():
        expected = theirs(TOKENS).logits
        assert float((again(TOKENS).logits - expected).abs().max()) < formats.TOLERANCE
        plain = published()
        assert float((plain(TOKENS).logits - expected).abs().max()) > 100 * formats.TOLERANCE
    with package.at_rest():
        logits = package.numpy(trained.model(package.array(TOKENS.numpy())))
    assert float(abs(logits - expected.numpy()).max()) < formats.TOLERANCE


def test_the_cache_changes_nothing(loaded):
    _, trained = loaded
    caches = [{} for _ in trained.model.blocks]
    with torch.no_grad():
        logits = [trained.model(TOKENS[:, part], caches) for part in (slice(0, 4), slice(4, 5), slice(5, 9))]
        assert torch.allclose(torch.cat(logits, dim=1), trained.model(TOKENS), atol=1e-5)


def test_ones_own_weights_give_the_same_logits_in_the_library(home, form):
    package, sizes = Package(home), Sizes(256 + 3, **(SIZES if form == "llama" else SIZES | GPT2))
    trained = Trained(package, sizes, package.gpt(sizes), [(116, 104), (256, 101), (32, 257)])
    formats.write(trained, home / "mine")
    theirs = getattr(transformers, formats.format_of(sizes).name).from_pretrained(home / "mine").eval()
    with torch.no_grad():
        assert float((theirs(TOKENS).logits - trained.model(TOKENS)).abs().max()) < formats.TOLERANCE
    read = transformers.AutoTokenizer.from_pretrained(home / "mine")
    assert read.encode("in the end") == trained.tokens_of("in the end")


def test_the_tokeniser_of_the_library_gives_the_same_tokens(home):
    tokenizers = pytest.importorskip("tokenizers")
    package = Package(home)
    text = prose.text()[:20000]
    training_on = training.begin(package, text, **SIZES)
    theirs = tokenizers.Tokenizer.from_str(formats.tokeniser_of(training_on.merges))
    tokens = training_on.tokens_of(text)
    assert theirs.encode(text).ids == tokens
    assert theirs.decode(tokens) == text


@pytest.mark.parametrize("form", ["llama"], indirect=True)
@pytest.mark.parametrize("number", [1, 2])
def test_pairs_in_the_other_order_are_named_with_the_first_layer(loaded, number):
    """As where the rows of a layer are copied as they are."""
    theirs, trained = loaded
    arrays = trained.model.state_dict()
    for name, heads in (("W_q", "num_heads"), ("W_k", "num_kv_heads")):
        key = f"blocks.{number - 1}.attention.{name}.weight"
        arrays[key] = formats.halves(arrays[key], SIZES[heads])
    trained.model.load_state_dict(arrays)
    difference = formats.first_difference(trained, theirs, TOKENS)
    assert difference == f"layer {number}, after attention: {formats.PAIRS}"


@pytest.mark.parametrize("form", ["gpt2"], indirect=True)
def test_matrices_that_are_not_transposed_are_named_with_the_first_layer(loaded):
    """Those of the attention are square, so they fit as they stand there, too."""
    theirs, trained = loaded
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v", "W_o"):
            array = getattr(trained.model.blocks[1].attention, name).weight
            array.copy_(array.T.clone())
    assert (
        formats.first_difference(trained, theirs, TOKENS) == f"layer 2, after attention: {formats.TRANSPOSED}"
    )


@pytest.mark.parametrize("form", ["gpt2"], indirect=True)
def test_other_positions_are_named(loaded):
    theirs, trained = loaded
    with torch.no_grad():
        trained.model.positions.weight += 0.5
    assert formats.first_difference(trained, theirs, TOKENS) == "the positions: values differ by up to 0.5"


def test_another_difference_is_named_by_its_layer(loaded):
    theirs, trained = loaded
    with torch.no_grad():
        trained.model.blocks[1].W_up.weight[0, 0] += 0.5
    assert formats.first_difference(trained, theirs, TOKENS).startswith(
        "layer 2, after feed-forward: values differ"
    )


def test_load_and_save_as_typed_give_back_the_same_arrays(home, form):
    published(form).save_pretrained(home / "published")
    result = ask(home, "load", home / "published")
    assert result.exit_code == 0, result.output
    assert "holds a trained GPT already" in " ".join(ask(home, "load", home / "published").output.split())
    trained = training.load(home, Package(home))
    formats.take(trained, formats.exported_arrays(trained).__getitem__)
    result = ask(home, "save", home / "mine")
    assert result.exit_code == 0, result.output
    safetensors = pytest.importorskip("safetensors.torch")
    before, after = (safetensors.load_file(home / name / formats.WEIGHTS) for name in ("published", "mine"))
    assert set(before) == set(after) and all(torch.equal(before[name], after[name]) for name in before)
    assert "already exists" in " ".join(ask(home, "save", home / "mine").output.split())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rms_norm_eps": 1e-6}, "rms_norm_eps is 1e-06 there and 1e-05 here"),
        (
            {"rope_parameters": {"rope_theta": "5", "rope_type": "default"}},
            "rope_theta must be a number above 1",
        ),
        (
            {"rope_parameters": {"rope_type": "yarn", "factor": 4.0}},
            "rope_type is yarn there and default here",
        ),
        ({"rope_parameters": {"rope_type": "llama3", "factor": 4.0}}, "must hold numbers above 0 for llama3"),
        ({"model_type": "bert"}, "Its model_type is bert; llama and gpt2 can be read"),
        ({"hidden_size": None}, "does not say the sizes"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings is False there"),
    ],
)
def test_a_model_that_computes_something_else_is_refused_with_what_differs(home, change, sentence):
    published().save_pretrained(home / "published")
    path = home / "published" / formats.CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(GPTError, match=sentence):
        formats.read(Package(home), home / "published")


def test_a_published_gpt2_whose_names_leave_out_a_word_is_read(home):
    theirs = published("gpt2")
    theirs.transformer.save_pretrained(home / "published")
    trained = formats.read(Package(home), home / "published")
    assert formats.first_difference(trained, theirs, TOKENS) is None


def test_a_text_longer_than_the_learned_positions_is_told(home):
    package, sizes = Package(home), Sizes(256, **SIZES | GPT2)
    trained = Trained(package, sizes, package.gpt(sizes), [])
    with pytest.raises(GPTError, match="has 16 positions, and the text would have 17 tokens"):
        training.write(trained, "seven..", 10, 1.0, 0.9, 0)
    assert training.write(trained, "seven..", 9, 1.0, 0.9, 0).startswith("seven..")


def test_a_folder_without_a_model_and_damaged_weights_are_told(home):
    assert "cannot be read" in " ".join(ask(home, "load", home / "nowhere").output.split())
    published().save_pretrained(home / "published")
    (home / "published" / formats.WEIGHTS).write_bytes(b"no weights")
    result = ask(home, "load", home / "published")
    assert result.exit_code == 2 and "holds no model in this format" in " ".join(result.output.split())
    assert "has learnt nothing yet" in ask(home, "save", home / "mine").output
