"""A GPT as layers: the twins, caches, tied weights, a cache in the judge, and the published models beside it."""

import importlib
import inspect
import json
import re
from ast import literal_eval
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder import check
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks.libraries import torch
from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import empty_caches, time_slices
from autograder.model.paths import BOOK
from autograder.model.stand_ins import PRIME, LanguageModel, NearestChoice, TrainableModel
from course.gpt.published import LLAMA
from exercises.gpt import CHANGES
from solutions.gpt import in_numpy
from solutions.gpt.in_numpy import cache_bytes, logits_that_change
from solutions.language_model.in_numpy import gated_feed_forward, next_token_loss, rms_norm
from solutions.positions.in_numpy import rotary
from tests.support import FRAMEWORKS, solution
from tests.topics.arrays import array, learned, numbers

VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS = 13, 24, 6, 2, 10, 2
SIZES = (VOCABULARY, D, HEADS, KV_HEADS, HIDDEN, BLOCKS)


@pytest.fixture
def weights():
    rng = np.random.default_rng(5)
    start = in_numpy.initial_weights(*SIZES, seed=2)
    return {name: (w + 0.2 * rng.normal(size=w.shape)).astype(np.float32) for name, w in start.items()}


@pytest.fixture
def tokens():
    return np.random.default_rng(6).integers(VOCABULARY, size=(3, 7))


def in_framework(framework, weights):
    model = solution("gpt", framework).GPT(*SIZES)
    return solution("transformer", framework).set_weights(model, weights)


def reference(weights, tokens):
    parameters = {name.replace(".", "_"): w.astype(np.float64) for name, w in weights.items()}
    return in_numpy.gpt(tokens, *SIZES, **parameters)


def most_probable(logits):
    return array(
        "torch" if isinstance(logits, torch.Tensor) else "mxnet", numbers(logits).argmax(-1)[:, None]
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_model_gives_the_references_logits_with_caches_and_without(framework, weights, tokens):
    model, inputs = in_framework(framework, weights), array(framework, tokens)
    expected = reference(weights, tokens)
    assert numbers(model(inputs)) == pytest.approx(expected, abs=1e-4)
    caches = [{} for _ in range(BLOCKS)]
    logits = [numbers(model(inputs[:, part], caches)) for part in time_slices((4, 1, 2), 7)]
    assert np.concatenate(logits, axis=1) == pytest.approx(expected, abs=1e-4)
    assert caches[1]["keys"].shape == (3 * KV_HEADS, 7, D // HEADS)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_writing_with_caches_equals_writing_without(framework, weights, tokens):
    module, model = solution("gpt", framework), in_framework(framework, weights)
    output = module.generate(model, array(framework, tokens), 5, most_probable)
    expected = tokens
    for _ in range(5):
        new = reference(weights, expected)[:, -1].argmax(-1)
        expected = np.concatenate([expected, new[:, None]], axis=1)
    assert (numbers(output) == expected).all()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_model_has_the_arrays_of_its_first_weights_and_no_others(framework, weights):
    model = in_framework(framework, weights)
    assert shapes(model) == {n: w.shape for n, w in weights.items()}


def test_only_distances_count(weights):
    """The scores of keys among each other are the same wherever they stand."""
    matrices = {f"W_{x}_weight": weights[f"blocks.0.attention.W_{x}.weight"] for x in "qkvo"}
    X = np.random.default_rng(1).normal(size=(2, 5, D))
    before = np.zeros((2 * KV_HEADS, 50, D // HEADS))
    first, later = {}, {"keys": before, "values": before}
    for cache in (first, later):
        in_numpy.rotary_attention(X, D, HEADS, KV_HEADS, cache=cache, **matrices)
    keys, moved = first["keys"], later["keys"][:, 50:]
    assert moved @ moved.swapaxes(1, 2) == pytest.approx(keys @ keys.swapaxes(1, 2))
    assert np.abs(moved - keys).max() > 0.1


@pytest.mark.parametrize("name", ["rotary_attention", "gpt_block", "gpt"])
def test_calls_that_share_a_cache_give_what_one_call_gives(name):
    exercise = all_exercises()[name]
    cache = exercise.arguments[1].name
    for case in exercise.cases(np.random.default_rng(3)):
        without = replace(case, inputs={**case.inputs, cache: None})
        (expected,) = exercise.compute(exercise.reference, without)
        (result,) = exercise.compute(exercise.reference, case)
        assert result == pytest.approx(expected), case.note


def test_a_reference_that_forgets_its_cache_is_rejected():
    exercise = all_exercises()["gpt"]

    def forgetful(tokens, caches, **weights):
        return in_numpy.gpt(tokens, **weights)

    assert judge(exercise, FunctionTransport(exercise, exercise.reference), "numpy").outcome == "accepted"
    assert judge(exercise, FunctionTransport(exercise, forgetful), "numpy").outcome == "rejected"


def test_parts_are_neighbours_and_the_last_takes_the_rest():
    assert time_slices((3, 1, 1), 5) == [slice(0, 3), slice(3, 4), slice(4, 5)]
    assert time_slices((3, 1), 7) == [slice(0, 3), slice(3, 7)]
    assert time_slices((3, 1), 2) == [slice(0, 3)]
    assert empty_caches(None) == {} and empty_caches(2) == [{}, {}]


def in_place(value):
    return value


def continuation(model, tokens, num_new):
    return in_numpy.generate(model, tokens, num_new, NearestChoice(PRIME, in_place, in_place))


def test_the_model_that_stands_in_is_the_same_with_caches_and_tells_what_is_read_again(tokens):
    """Its logits are those of all tokens, whichever way they come in parts; read anew, they are others."""
    whole = LanguageModel((VOCABULARY, 7), in_place, in_place)(tokens)
    model, caches = LanguageModel((VOCABULARY, 7), in_place, in_place), [{}, {}]
    logits = [model(tokens[:, part], caches) for part in time_slices((3, 1, 3), 7)]
    assert (np.concatenate(logits, axis=1) == whole).all()
    assert (model(tokens) != whole).any()


def test_each_token_depends_on_all_before_it(tokens):
    changed = tokens.copy()
    changed[:, 0] = (changed[:, 0] + 1) % VOCABULARY
    first, second = (
        continuation(LanguageModel((VOCABULARY, 7), in_place, in_place), t, 6) for t in (tokens, changed)
    )
    assert (first[:, :7] == tokens).all() and (first[:, 7:] != second[:, 7:]).any(axis=1).all()


# Beside the published models


def rows_of(cell: str) -> list[list[str]]:
    """The rows of the tables in a text of the chapter, all behind one another."""
    chapter = json.loads((BOOK / "chapters" / "gpt.ipynb").read_text(encoding="utf-8"))
    (source,) = ["".join(c["source"]) for c in chapter["cells"] if c["id"] == cell]
    lines = [line.strip("|").split("|") for line in source.splitlines() if line.startswith("| ")]
    rows = [[part.strip() for part in line] for line in lines]
    return [row for row in rows if row[0] not in ("ours", "---")]


def code(words: str) -> list[str]:
    return re.findall(r"`([^`]+)`", words)


CHAPTERS_SIZES = {"vocab_size": 512, "hidden_size": 48, "intermediate_size": 128, "num_hidden_layers": 1} | {
    "num_attention_heads": 4, "num_key_value_heads": 2
}  # fmt: skip


@pytest.fixture(scope="module")
def llama():
    """LLaMA's file as it is installed, and a model of the chapter's sizes, with tied weights."""
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed: no file to read"
    )
    module = importlib.import_module("transformers.models.llama.modeling_llama")
    config = transformers.LlamaConfig(**CHAPTERS_SIZES, tie_word_embeddings=True)
    return module, transformers.LlamaForCausalLM(config)


def shapes(model):
    return {name: tuple(array.shape) for name, array in learned(model).items()}


def test_the_names_in_the_chapter_are_those_of_the_published_file(llama):
    module, model = llama
    rows = [row for row in rows_of("reading-text") if "." not in row[0]]
    theirs = [name for row in rows for name in code(row[1])]
    namespace = vars(importlib.import_module("solutions.gpt.in_torch"))
    assert {name for row in rows for name in code(row[0])} <= set(namespace)
    assert [name for name in theirs if not hasattr(module, name)] == []
    of_a_layer = {name for name in theirs if isinstance(getattr(module, name), type)}
    assert of_a_layer == {type(m).__name__ for m in model.modules() if type(m).__name__.startswith("Llama")}
    assert 450 < len(Path(module.__file__).read_text(encoding="utf-8").splitlines()) < 550


def test_the_arrays_in_the_chapter_are_all_and_have_the_shapes_that_it_gives(llama):
    rows = [row for row in rows_of("reading-text") if "." in row[0]]
    arrays = {code(ours)[0]: (code(theirs)[0], literal_eval(shape)) for ours, theirs, shape in rows}
    assert dict(arrays.values()) == shapes(llama[1])
    model = solution("gpt", "torch").GPT(512, 48, 4, 2, 128, 1)
    assert {ours: shape for ours, (_, shape) in arrays.items()} == shapes(model)
    of_block = {f"blocks.0.{ours}": f"{LLAMA.block}.0.{theirs}" for ours, theirs in LLAMA.of_a_block.items()}
    assert {ours: theirs for ours, (theirs, _) in arrays.items()} == LLAMA.arrays | of_block


def test_what_the_chapter_says_of_their_parts_holds(llama):
    transformers, (module, model) = importlib.import_module("transformers"), llama
    config = transformers.LlamaConfig()
    defaults = (config.attention_bias, config.mlp_bias, config.tie_word_embeddings, config.rms_norm_eps)
    assert defaults == (False, False, False, 1e-6)
    X = torch.arange(24.0).reshape(1, 2, 1, 12)
    assert (module.repeat_kv(X, 2) == X.repeat_interleave(2, dim=1)).all()
    assert module.rotate_half(X)[0, 0, 0].tolist() == [-6, -7, -8, -9, -10, -11, 0, 1, 2, 3, 4, 5]
    norm, large = module.LlamaRMSNorm(2, eps=0), torch.tensor([300, 4], dtype=torch.float16)
    normalised = norm(large)
    assert normalised.tolist() == pytest.approx([1.414, 0.019], abs=1e-3)
    masks = {}
    for form in ("sdpa", "eager"):
        settings = transformers.LlamaConfig(attn_implementation=form)
        padded = torch.tensor([[0, 1, 1]])
        masks[form] = module.create_causal_mask(
            settings, torch.zeros(1, 3, 48), padded, past_key_values=None
        )[0, 0]
    assert masks["sdpa"].dtype == torch.bool and masks["eager"][2].tolist()[1:] == [0, 0]
    assert masks["eager"][masks["sdpa"].logical_not()].max() < -1e30
    cache = transformers.DynamicCache()
    keys, _ = cache.update(torch.ones(1, 2, 3, 12), torch.ones(1, 2, 3, 12), 0)
    assert (cache.get_seq_length(), tuple(keys.shape)) == (3, (1, 2, 3, 12))
    assert list(inspect.signature(cache.update).parameters)[:3] == ["key_states", "value_states", "layer_idx"]
    assert list(inspect.signature(module.repeat_kv).parameters) == ["hidden_states", "n_rep"]
    assert isinstance(model, module.GenerationMixin) and "generate" not in vars(module.LlamaForCausalLM)
    assert "sdpa" in module.ALL_ATTENTION_FUNCTIONS and hasattr(transformers, "StaticCache")
    settings = vars(transformers.GenerationConfig())
    assert {"temperature", "top_k", "top_p"} <= set(settings)


def test_gpt2_has_the_arrays_and_shapes_that_the_chapter_gives():
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed: no file to read"
    )
    sizes = {"vocab_size": 512, "n_positions": 64, "n_embd": 48, "n_layer": 1, "n_head": 4}
    config = transformers.GPT2Config(**sizes, bos_token_id=None, eos_token_id=None)
    model = transformers.GPT2LMHeadModel(config)
    table = {code(theirs)[0]: literal_eval(shape) for _, theirs, shape in rows_of("reading-gpt2")}
    shapes_of = shapes(model)
    assert table == {name: shapes_of[name] for name in table}
    biases = {
        name.replace(".weight", ".bias") for name in table if ".wte." not in name and ".wpe." not in name
    }
    assert set(shapes_of) == set(table) | biases
    assert config.activation_function.startswith("gelu") and config.tie_word_embeddings


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("self.norm = RMSNorm(d)", "self.norm = RMSNorm(d)\n        self.out = torch.nn.Linear(d, v, bias=False)",
         "Its out.weight is not tied: the output layer must use embedding.weight, and have no array of its own: of its "
         "parameters it has out.weight ("),
        ("self.blocks.append(GPTBlock(*sizes))", "self.blocks = torch.nn.ModuleList([GPTBlock(*sizes)])",
         "Of its parameters it lacks blocks.1.norm1.weight ("),
    ],
)  # fmt: skip
def test_of_a_models_parameters_those_that_differ_are_named(old, new, sentence):
    from solutions.gpt import in_torch

    text = inspect.getsource(in_torch.GPT)
    assert text.count(old) == 1
    names = {**vars(in_torch), "__name__": "__main__"}
    exec(text.replace(old, new), names)
    message = check(names["GPT"], "torch").message
    assert message.startswith(sentence) and "embedding.weight (" not in message, message


def judged(framework, name, *edits, function=judge, seed=0):
    """The verdict on the solution with edits. function: judge, or diagnose."""
    exercise = all_exercises()[name]
    module = solution("gpt", framework)
    text = inspect.getsource(getattr(module, exercise.entry))
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    names = dict(vars(module))
    exec(text, names)
    return function(exercise, LocalTransport(framework, names[exercise.entry]), framework, seed)


def test_keys_that_are_cached_before_they_are_rotated_are_a_right_answer_as_the_statement_says():
    """They cost more and give the same: results are compared, and not what lies in the cache."""
    verdict = judged(
        "torch",
        "rotary_attention",
        ("K = rotary(K, places.repeat(len(K), 1), self.base)", "pass"),
        (
            "= K, V\n",
            "= K, V\n        K = rotary(K, torch.arange(K.shape[1]).repeat(len(K), 1), self.base)\n",
        ),
    )
    assert verdict.outcome == "accepted", verdict
    rule = all_exercises()["rotary_attention"].conditions['`cache["keys"]`']
    assert "or not: then all are rotated in each call" in rule


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_step_must_hand_on_what_a_checkpoint_can_hold(framework):
    line = "state.update(mean=mean, square=square, step=step)"
    verdict = judged(framework, "training_step", (line, f"{line}; state['all'] = [row]"))
    assert "state['all'] is a list; it must be a number or an array, which a file can hold" in str(
        verdict
    ).replace("`", "")
    assert judged(framework, "training_step").outcome == "accepted"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_two_mistakes_in_a_step_are_both_named(framework):
    """A new optimiser of the library in each call does this, if it is told 0.1."""
    unkept = ("state.update(mean=mean, square=square, step=step)", "pass")
    decay = {"torch": ("0.1 * (a.ndim > 1)", "0.1"), "mxnet": ("0.1 * (len(a.shape) > 1)", "0.1")}
    verdict = judged(framework, "training_step", unkept, decay[framework], function=diagnose)
    assert verdict.misconception == "gains_and_biases_decay+nothing_kept", verdict


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_loss_that_becomes_nan_is_not_called_random_and_its_call_is_named(framework):
    back = ('state.get("step", 0) + 1', '1 - state.get("step", 0)')  # 1, and then 0
    verdict = judged(framework, "training_step", back, function=diagnose)
    assert verdict.misconception is None
    assert re.search(
        r"Call 3 of 3 gives nan and must give \d\.\d+; those before it are right\.", verdict.message
    )


def test_what_a_step_keeps_on_the_model_is_refused_since_no_checkpoint_holds_it():
    edits = [(f'state.get("{name}", ', f'getattr(model, "{name}", ') for name in ("mean", "square", "step")]
    line = "state.update(mean=mean, square=square, step=step)"
    on_the_model = (line, "model.mean, model.square, model.step = mean, square, step")
    verdict = judged("torch", "training_step", *edits, on_the_model)
    assert verdict.outcome == "rejected" and "It sets model.mean, which no file holds" in verdict.message, (
        verdict
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_no_draw_of_the_cases_makes_rounding_decide_a_step(framework):
    """Where a probability is nearly 0, the sign of a gradient is, and with it a whole step of AdamW."""
    for seed in (34, 35, 59, 81, 82):
        assert judged(framework, "training_step", seed=seed).outcome == "accepted", seed


def test_a_loss_that_is_no_number_is_told_so():
    verdict = judged("torch", "training_step", ("return loss.item()", "return loss.detach()"))
    assert verdict.failed_stage == "contract" and "number" in verdict.message, verdict


def test_the_gradients_of_the_model_that_stands_in_are_those_of_its_loss():
    model = TrainableModel((7, 3, 5, 1.2), in_place, in_place)
    tokens = np.random.default_rng(2).integers(7, size=(2, 5))
    for parameter, gradient in zip(model.parameters(), model.gradients(tokens), strict=True):
        step, place = 1e-5, (1,) * parameter.ndim
        parameter[place] += step
        above = next_token_loss(model(tokens), tokens, None)
        parameter[place] -= 2 * step
        below = next_token_loss(model(tokens), tokens, None)
        parameter[place] += step
        assert gradient[place] == pytest.approx((above - below).item() / (2 * step), abs=1e-7)


def without_sums(X, d, num_heads, num_kv_heads, hidden, base, cache, **arrays):
    """Compute a block whose layers are added to nothing."""
    attention = {n.removeprefix("attention_"): a for n, a in arrays.items() if n.startswith("attention_")}
    N = rms_norm(X, arrays["norm1_weight"])
    X = in_numpy.rotary_attention(N, d, num_heads, num_kv_heads, base=base, cache=cache, **attention)
    matrices = (arrays[f"W_{name}_weight"].T for name in ("gate", "up", "down"))
    return gated_feed_forward(rms_norm(X, arrays["norm2_weight"]), *matrices)


@pytest.mark.parametrize("change", CHANGES)
def test_where_the_logits_change_is_computed(change, weights, tokens, monkeypatch):
    arrays = {n.replace(".", "_"): w.astype(float) for n, w in weights.items()}

    def logits(part, base=10000):
        return in_numpy.gpt(part, *SIZES, base, **arrays)

    before = logits(tokens)
    if "not divided" in change:
        arrays |= {n: w * np.sqrt(D / HEADS) for n, w in arrays.items() if "W_q" in n}
    if "100" in change:
        monkeypatch.setattr(in_numpy, "rotary", lambda X, places, base: rotary(X, places + 100, base))
    if "residual" in change:
        monkeypatch.setattr(in_numpy, "gpt_block", without_sums)
    if "last block" in change:
        last = arrays["norm_weight"]
        monkeypatch.setattr(in_numpy, "rms_norm", lambda X, gain: X if gain is last else rms_norm(X, gain))
    parts = np.split(tokens, tokens.shape[1], axis=1) if "caches" in change else [tokens]
    after = np.concatenate([logits(part, 500 if "base" in change else 10000) for part in parts], axis=1)
    changed = np.abs(after - before).max(axis=(0, 2)) > 1e-9
    assert changed[1:].all() == changed[1:].any()
    places = {(False, False): "none", (False, True): "later", (True, True): "all"}
    assert logits_that_change(change) == places[changed[0], changed[1]]


def test_the_caches_have_as_many_bytes_as_is_derived(weights, tokens):
    arrays = {n.replace(".", "_"): w for n, w in weights.items()}
    caches = [{} for _ in range(BLOCKS)]
    in_numpy.gpt(tokens[:1], *SIZES, caches=caches, **arrays)
    num_bytes = 2 * sum(part.size for cache in caches for part in cache.values())
    group, num_tokens = HEADS // KV_HEADS, tokens.shape[1]
    assert cache_bytes(BLOCKS, D, HEADS, KV_HEADS, num_tokens, 2) == (num_bytes, group)
    assert cache_bytes(BLOCKS, D, HEADS, HEADS, num_tokens, 2) == (group * num_bytes, 1)
    # SmolLM2-135M: a token in single precision, as the chapter counts it, and 1,000 tokens in 16 bits
    assert cache_bytes(30, 576, 9, 3, 1, 4) == (46_080, 3)
    assert cache_bytes(30, 576, 9, 3, 1000, 2) == (23_040_000, 3)
