"""Exact attention in less memory: equal to the plain form, and to what the published algorithms say."""

import inspect
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from torch.utils._python_dispatch import TorchDispatchMode

from autograder import check
from autograder.book import contents
from autograder.frameworks import title_of
from autograder.frameworks.libraries import torch
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from benchmarks import efficient as benchmark
from exercises.efficient import CHANGES
from solutions.efficient import in_numpy
from tests.support import FRAMEWORKS, graded, need, solution
from tests.topics.arrays import close, computed, differentiated
from tools.wrong_versions import define

BATCH, NUM_QUERIES, NUM_KEYS, D_K, D_V = 2, 4, 7, 3, 5
ONES_BESIDE_THE_VALUES = """
import torch
def tiled_attention(queries, keys, values, tile):
    values = torch.cat([values, torch.ones_like(values[..., :1])], dim=-1)
    maximum, sums = torch.full_like(queries[..., :1], -torch.inf), 0
    for k, v in zip(keys.split(tile, dim=1), values.split(tile, dim=1)):
        scores = (queries[:, :, None] * k[:, None]).sum(dim=-1) / queries.shape[-1] ** 0.5
        highest = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
        sums = sums * (maximum - highest).exp() + (scores - highest).exp() @ v
        maximum = highest
    return sums[..., :-1] / sums[..., -1:]
"""
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def random_inputs(*, num_queries=NUM_QUERIES, num_keys=NUM_KEYS, seed=0):
    """Queries, keys and values."""
    random = np.random.default_rng(seed)
    sizes = ((num_queries, D_K), (num_keys, D_K), (num_keys, D_V))
    return [random.normal(size=(BATCH, *size)).astype(np.float32) for size in sizes]


@each_framework
@pytest.mark.parametrize("tile", range(1, NUM_KEYS + 3))
def test_tiles_of_every_size_give_the_plain_form(framework, tile):
    module = solution("efficient", framework)
    arrays = random_inputs()
    plain = in_numpy.plain_attention(*arrays)
    close(computed(framework, module.plain_attention, arrays), plain)
    close(computed(framework, lambda *a: module.tiled_attention(*a, tile), arrays), plain)
    for rows in (1, 3, NUM_QUERIES):
        close(computed(framework, lambda *a, r=rows: module.block_attention(*a, r, tile), arrays), plain)
        close(in_numpy.block_attention(*arrays, rows, tile), plain)


@each_framework
@pytest.mark.parametrize("name", ["plain_attention", "tiled_attention", "TiledAttention"])
def test_gradients_are_those_of_the_closed_form(framework, name):
    module, arrays = solution("efficient", framework), random_inputs()
    cotangent = np.random.default_rng(5).normal(size=(BATCH, NUM_QUERIES, D_V)).astype(np.float32)
    function = {
        "plain_attention": module.plain_attention,
        "tiled_attention": lambda *a: module.tiled_attention(*a, 3),
        "TiledAttention": lambda *a: (
            module.TiledAttention.apply(*a, 3) if framework == "torch" else module.TiledAttention(3)(*a)
        ),
    }[name]
    context, gradients = differentiated(framework, function, arrays, cotangent)
    close(context, in_numpy.plain_attention(*arrays))
    for got, expected in zip(gradients, in_numpy.attention_gradients(*arrays, cotangent), strict=True):
        close(got, expected)


def test_the_closed_form_of_the_gradients_is_the_slope_of_the_plain_form():
    random = np.random.default_rng(2)
    arrays = [a.astype(np.float64) for a in random_inputs()]
    cotangent = random.normal(size=(BATCH, NUM_QUERIES, D_V))
    for i, gradient in enumerate(in_numpy.attention_gradients(*arrays, cotangent)):
        direction = random.normal(size=arrays[i].shape)
        ends = []
        for step in (1e-6, -1e-6):
            moved = [a + step * direction if j == i else a for j, a in enumerate(arrays)]
            ends.append((in_numpy.plain_attention(*moved) * cotangent).sum())
        assert (gradient * direction).sum() == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)


def test_pytorchs_own_attention_agrees_in_values_and_gradients():
    module, arrays = solution("efficient", "torch"), random_inputs()
    cotangent = np.ones((BATCH, NUM_QUERIES, D_V), np.float32)
    cotangent[:, 1::2] = -2
    expected = differentiated("torch", torch.nn.functional.scaled_dot_product_attention, arrays, cotangent)
    got = differentiated("torch", lambda *a: module.TiledAttention.apply(*a, 2), arrays, cotangent)
    close(got[0], expected[0])
    for mine, theirs in zip(got[1], expected[1], strict=True):
        close(mine, theirs)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:flex_attention called without")
def test_the_functions_of_the_chapters_flex_are_those_of_pytorchs_flex_attention():
    need("torch")
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    cells = {c["id"]: c for c in json.loads((ROOT / "chapters" / "efficient.ipynb").read_text())["cells"]}
    namespace = {"np": np, "math": math}
    for name in ("flex", "flex-mods"):
        exec(contents.source(cells[name]), namespace)
    arrays = [namespace[name] for name in "qkv"]
    masks = [namespace[name] for name in ("causal", "window", "same_text")]
    mine = [namespace["flex"](*arrays, namespace["slopes"], mask) for mask in masks]
    # The same functions read these, as tensors now.
    namespace |= {name: torch.tensor(namespace[name]) for name in ("text_of", "slope_of")}
    inputs = [torch.tensor(array) for array in arrays]
    for context, mask in zip(mine, masks, strict=True):
        visible = create_block_mask(mask, None, None, 12, 12, device="cpu")
        theirs = flex_attention(*inputs, score_mod=namespace["slopes"], block_mask=visible)
        np.testing.assert_allclose(context, theirs.numpy(), rtol=1e-6, atol=1e-9)


@each_framework
def test_the_running_state_ends_as_the_softmaxs_maximum_and_sum(framework):
    """Milakov and Gimelshein 2018, theorem 1."""
    queries, keys, values = random_inputs()
    scores = queries @ keys.swapaxes(1, 2) / np.sqrt(D_K)
    highest = scores.max(axis=-1, keepdims=True)
    module = solution("efficient", framework)
    for i, expected in enumerate((highest, np.exp(scores - highest).sum(axis=-1, keepdims=True))):
        close(
            computed(framework, lambda *a, i=i: module.tiled_state(*a, 2)[i], (queries, keys, values)),
            expected,
        )


def test_the_order_of_the_tiles_does_not_matter():
    queries, keys, values = (a.astype(np.float64) for a in random_inputs(num_keys=6))
    scores = queries @ keys.swapaxes(1, 2)
    ends = []
    for order in ((0, 2, 4), (4, 0, 2), (2, 4, 0)):
        state = in_numpy.start(queries, values)
        for first in order:
            now = slice(first, first + 2)
            state = in_numpy.online_softmax_step(*state, scores[:, :, now], values[:, now])
        ends.append(state)
    for other in ends[1:]:
        for a, b in zip(ends[0], other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@each_framework
def test_a_first_tile_of_minus_infinity_is_nan_and_one_of_a_large_number_is_not(framework):
    values = random_inputs(num_queries=1, num_keys=4)[2]
    scores = np.array([[[0, 0, 1, 2]]] * BATCH, np.float32)
    module = solution("efficient", framework)

    def masked(low):
        def run(scores, values):
            zeros = scores[:, :, :1] * 0
            state = zeros - np.inf, zeros, 0
            state = module.online_softmax_step(*state, scores[:, :, :2] + low, values[:, :2])
            _, total, context = module.online_softmax_step(*state, scores[:, :, 2:], values[:, 2:])
            return context / total

        return computed(framework, run, (scores, values))

    assert np.isnan(masked(-np.inf)).all()
    weights = np.exp([1, 2]) / np.exp([1, 2]).sum()
    close(masked(-1e6), np.einsum("j,bjv->bv", weights, values[:, 2:])[:, None])


@each_framework
def test_decoding_stepwise_equals_the_causal_form(framework):
    module, arrays = solution("efficient", framework), random_inputs(num_queries=NUM_KEYS)
    expected = in_numpy.causal_attention(*arrays)
    close(in_numpy.stepwise(*arrays), expected)
    close(computed(framework, module.causal_attention, arrays), expected)
    close(computed(framework, module.stepwise, arrays), expected)


@each_framework
def test_future_positions_do_not_change_the_past(framework):
    module, arrays = solution("efficient", framework), random_inputs(num_queries=NUM_KEYS)
    before = computed(framework, module.causal_attention, arrays)
    for a in arrays:
        a[:, -2:] += 3
    after = computed(framework, module.causal_attention, arrays)
    np.testing.assert_array_equal(before[:, :-2], after[:, :-2])
    assert not np.allclose(before[:, -2:], after[:, -2:])


def test_gradients_flow_through_decoding():
    arrays = random_inputs(num_queries=NUM_KEYS)
    cotangent = np.random.default_rng(1).normal(size=(BATCH, NUM_KEYS, D_V)).astype(np.float32)
    results = {}
    for framework in FRAMEWORKS:
        module = solution("efficient", framework)
        for function in (module.causal_attention, module.stepwise):
            results[framework, function.__name__] = differentiated(framework, function, arrays, cotangent)[1]
    expected = results.pop(("torch", "causal_attention"))
    for gradients in results.values():
        for got, a in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(got, a, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 2, 9, 100])
def test_the_cost_of_decoding_is_cubic_without_a_cache_and_quadratic_with_one(steps):
    without, with_cache, held = in_numpy.decoding_cost(steps, 3, 4)
    assert without == 7 * steps * (steps + 1) * (2 * steps + 1) // 6
    assert with_cache == 7 * steps * (steps + 1) // 2
    assert held == 7 * steps
    for framework in FRAMEWORKS:
        assert solution("efficient", framework).decoding_cost(steps, 3, 4) == (without, with_cache, held)


class Largest(TorchDispatchMode):
    """Remembers the largest tensor that any operation makes."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.untyped_storage().nbytes():
            self.numbers = max(self.numbers, result.numel())
        return result


def test_tiles_never_hold_the_scores_of_all_keys():
    module = solution("efficient", "torch")
    inputs = [torch.tensor(a) for a in random_inputs(num_queries=40, num_keys=64)]
    largest = {}
    for name, run in {
        "plain": module.plain_attention,
        "tiles": lambda *a: module.tiled_attention(*a, 16),
        "blocks": lambda *a: module.block_attention(*a, 8, 16),
    }.items():
        with Largest() as counter:
            run(*inputs)
        largest[name] = counter.numbers
    # The context itself has BATCH * 40 * D_V numbers.
    assert largest == {
        "plain": BATCH * 40 * 64,
        "tiles": BATCH * 40 * 16,
        "blocks": max(BATCH * 8 * 16, BATCH * 40 * D_V),
    }


def all_scores_at_once(framework):
    """Right values, with the scores of all keys in one array: the source of an answer."""
    library, product, softmax = {
        "torch": (
            "import torch",
            "torch.bmm(queries, keys.transpose(1, 2))",
            "torch.bmm(scores.softmax(dim=-1)",
        ),
        "mxnet": (
            "from mxnet import nd",
            "nd.batch_dot(queries, keys, transpose_b=True)",
            "nd.batch_dot(nd.softmax(scores)",
        ),
    }[framework]
    return f"""{library}
def tiled_attention(queries, keys, values, tile):
    scores = {product} / queries.shape[-1] ** 0.5
    return {softmax}, values)
"""


def two_tiles_at_once():
    return inspect.getsource(solution("efficient", "torch").tiled_attention).replace(
        "range(0", "range(0 * (tile := 2 * tile)"
    )


@each_framework
def test_an_answer_that_holds_more_than_a_tile_of_scores_is_rejected(framework):
    exercise = all_exercises()["tiled_attention"]
    sources = [all_scores_at_once(framework), *([two_tiles_at_once()] if framework == "torch" else [])]
    for source in sources:
        verdict = check(define(exercise, framework, source), framework)
        assert (verdict.outcome, verdict.failed_stage) == ("rejected", "properties"), verdict
        assert "held at once" in verdict.message


def a_list_of_all_rows(framework):
    """Right values, with a small array for the scores of each query, all of them held until the end."""
    library, product, join = {
        "torch": ("import torch", "torch.bmm(q, keys.transpose(1, 2))", "torch.cat(rows, dim=1)"),
        "mxnet": (
            "from mxnet import nd",
            "nd.batch_dot(q, keys, transpose_b=True)",
            "nd.concat(*rows, dim=1)",
        ),
    }[framework]
    weighted = all_scores_at_once(framework).splitlines()[-1].replace("scores", "row").strip()
    return f"""{library}
def tiled_attention(queries, keys, values, tile):
    rows = []
    for i in range(queries.shape[1]):
        q = queries[:, i : i + 1] / queries.shape[-1] ** 0.5
        rows.append({product})
    rows = [{weighted.removeprefix("return ")} for row in rows]
    return {join}
"""


RIGHT_UNTIL_MEASURED = """
from torch.utils import _python_dispatch
{plain}
plain = tiled_attention
def tiled_attention(queries, keys, values, tile):
    if _python_dispatch._get_current_dispatch_mode() is None:
        return plain(queries, keys, values, tile)
    {else_}
"""


@each_framework
def test_an_answer_that_holds_all_scores_as_a_list_of_rows_is_told_so(framework):
    exercise = all_exercises()["tiled_attention"]
    verdict = check(define(exercise, framework, a_list_of_all_rows(framework)), framework)
    assert (verdict.outcome, verdict.misconception) == ("rejected", "scores_in_a_list"), verdict
    assert "as in a list of rows" in verdict.message


@pytest.mark.parametrize("else_", ["return queries[..., :1] * values[:, :1]", "raise ValueError", "return 3"])
def test_an_answer_that_is_wrong_only_while_it_is_measured_is_rejected(else_):
    exercise = all_exercises()["tiled_attention"]
    source = RIGHT_UNTIL_MEASURED.format(plain=all_scores_at_once("torch"), else_=else_)
    verdict = check(define(exercise, "torch", source), "torch")
    assert verdict.outcome == "rejected" and "while its memory is measured" in verdict.message, verdict


RIGHT_UNTIL_DIFFERENTIATED = """
{plain}
plain = tiled_attention
def tiled_attention(queries, keys, values, tile):
    if {differentiated}:
        return plain(queries, keys, values, tile)
    rows = []
    for q, k, v in zip(queries, keys, values):
        for row in q:
            scores = [float((row * key).sum().{item}()) / row.shape[0] ** 0.5 for key in k]
            powers = [2.718281828459045 ** (score - max(scores)) for score in scores]
            rows.append(sum(power / sum(powers) * value for power, value in zip(powers, v)))
    return {stack}.reshape((queries.shape[0], queries.shape[1], values.shape[2]))
"""


@each_framework
def test_an_answer_that_keeps_the_rule_only_where_no_gradient_is_asked_for_is_rejected(framework):
    exercise, is_torch = all_exercises()["tiled_attention"], framework == "torch"
    source = RIGHT_UNTIL_DIFFERENTIATED.format(
        plain=all_scores_at_once(framework),
        differentiated="queries.requires_grad" if is_torch else "queries.grad is not None",
        item="item" if is_torch else "asscalar",
        stack="torch.stack(rows)" if is_torch else "nd.stack(*rows)",
    )
    verdict = check(define(exercise, framework, source), framework)
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "properties"), verdict


@each_framework
def test_grade_rejects_it_too(zygote, framework):
    need(framework)
    exercise = all_exercises()["tiled_attention"]
    (verdict,) = graded(zygote, all_scores_at_once(framework), "answers.py", [exercise])
    assert (verdict.framework, verdict.outcome, verdict.failed_stage) == (
        framework,
        "rejected",
        "properties",
    ), verdict


def test_an_answer_may_join_a_column_of_ones_to_all_values(zygote):
    """The total is then a column of the context: a common way to write it."""
    exercise = all_exercises()["tiled_attention"]
    (verdict,) = graded(zygote, ONES_BESIDE_THE_VALUES, "answers.py", [exercise])
    assert verdict.outcome == "accepted", verdict


def kept_for_backward(function, inputs):
    """Bytes of the distinct tensors, inputs aside, that are kept for the backward pass."""
    inputs_storage = {a.untyped_storage().data_ptr() for a in inputs}
    sizes = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in inputs_storage:
            sizes[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = function(*inputs)
    return sum(sizes.values()), result


def test_recording_tiles_keeps_all_weights_and_recomputing_them_keeps_none():
    module = solution("efficient", "torch")
    bytes_of = {}
    for num in (32, 64):
        inputs = [torch.tensor(a, requires_grad=True) for a in random_inputs(num_queries=num, num_keys=num)]
        for name, run in {
            "plain": module.plain_attention,
            "recorded": lambda *a: module.tiled_attention(*a, 8),
            "recomputed": lambda *a: module.TiledAttention.apply(*a, 8),
        }.items():
            bytes_of[name, num], _ = kept_for_backward(run, inputs)
    scores = {num: 4 * BATCH * num * num for num in (32, 64)}
    for num, size in scores.items():
        assert bytes_of["plain", num] >= size
        assert bytes_of["recorded", num] >= size
        # A context and one number for each query.
        assert bytes_of["recomputed", num] == 4 * BATCH * num * (D_V + 1)
    assert bytes_of["recomputed", 64] == 2 * bytes_of["recomputed", 32]


@pytest.mark.slow
def test_the_benchmark_measures_every_way_in_fresh_processes():
    command = [sys.executable, "-m", "benchmarks.efficient", "--lengths", "1024", "--repeats", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=benchmark.__file__.rsplit("/", 2)[0])
    assert done.returncode == 0, done.stderr
    rows = {row["way"]: row for row in json.loads(done.stdout)}
    assert list(rows) == list(benchmark.ways())
    assert all(row["time"] > 0 for row in rows.values())
    scores = 4 * benchmark.BATCH * 1024 * 1024
    context = 4 * benchmark.BATCH * 1024 * benchmark.WIDTH
    for way, row in rows.items():
        if way.endswith("plain"):
            assert scores <= row["memory"] < 6 * scores
        else:
            assert row["memory"] < scores + 8 * context
    assert rows["PyTorch blocks"]["memory"] < rows["PyTorch plain"]["memory"] / 2


def test_the_benchmarks_table_compares_with_the_plain_form_of_the_same_framework():
    rows = [
        benchmark.Measurement("PyTorch plain", 256, 0.002, 3 << 20),
        benchmark.Measurement("PyTorch tiles", 256, 0.001, 1 << 20),
        benchmark.Measurement("MXNet plain", 256, 0.001, 2 << 20),
        benchmark.Measurement("MXNet tiles", 256, 0.004, 1 << 19),
    ]
    lines = benchmark.table(rows).splitlines()[2:]
    assert lines == [
        "| PyTorch plain | 256 | 2.00 | 1.00 | 3.0 |",
        "| PyTorch tiles | 256 | 1.00 | 2.00 | 1.0 |",
        "| MXNet plain | 256 | 1.00 | 1.00 | 2.0 |",
        "| MXNet tiles | 256 | 4.00 | 0.25 | 0.5 |",
    ]


def test_the_benchmark_refuses_lengths_that_make_no_sense(capsys):
    with pytest.raises(SystemExit):
        benchmark.main(["--lengths", "0"])
    assert "must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_one_framework_is_measured_without_the_other(framework, tmp_path):
    need(framework)
    (other,) = set(FRAMEWORKS) - {framework}
    (tmp_path / f"{other}.py").write_text("raise ImportError('it is not here')")
    code = "from benchmarks import efficient; print({name.split()[0] for name in efficient.ways()})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
    )
    assert done.returncode == 0, done.stderr
    if "cannot be loaded" in done.stderr:  # neither the system nor PyTorch has a libgomp
        pytest.skip(done.stderr.strip())
    assert done.stdout.strip() == str({title_of(framework)})


def test_parts_of_the_keys_merge_into_attention_over_all_in_any_order():
    queries, keys, values = random_inputs()
    parts = []
    for group in (slice(0, 1), slice(1, 4), slice(4, NUM_KEYS)):
        scores = queries @ keys[:, group].swapaxes(1, 2) / np.sqrt(D_K)
        total = np.exp(scores).sum(axis=-1, keepdims=True)
        parts.append((np.exp(scores) / total @ values[:, group], np.log(total)))
    first, second, third = parts
    merge = in_numpy.merge_partial
    expected = in_numpy.plain_attention(queries, keys, values)
    assert merge(*merge(*first, *second), *third)[0] == pytest.approx(expected, abs=1e-6)
    assert merge(*third, *merge(*second, *first))[0] == pytest.approx(expected, abs=1e-6)


def state_after(change, scores, values):
    """Maximum, sums and context after all tiles, read in the way that the exercise names."""
    tile = 3 if change == "tiles of another size" else 2
    scores = scores + 5 * (change == "a number added to all scores")
    parts = [slice(begin, begin + tile) for begin in range(0, len(scores), tile)]
    parts = parts[::-1] if change == "tiles in the opposite order" else parts
    largest, total, context = -np.inf, 0.0, 0.0
    for part in parts:
        new = max(largest, 9.0 if change.startswith("a larger") else scores[part].max())
        factor = np.exp(largest - new) ** {
            "old sums that are not rescaled": 0,
            "old sums rescaled twice": 2,
        }.get(change, 1)
        exponentials = np.exp(scores[part] - new)
        total, context = factor * total + exponentials.sum(), factor * context + exponentials @ values[part]
        largest = new
    return {"maximum": largest, "sums": (total, context), "context": context / total}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_change_of_the_tiles_reaches_is_that_of_the_numbers(change):
    scores, values = np.array([1.0, 2, 4, 0, 3, 5]), np.array([10.0, 20, 40, 30, 25, 60])
    before, after = state_after("", scores, values), state_after(change, scores, values)
    changed = [name for name, result in before.items() if after[name] != pytest.approx(result)]
    assert in_numpy.what_tiles_change(change) == ["nothing", *changed][-1]
