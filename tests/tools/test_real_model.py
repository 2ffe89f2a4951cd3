"""What `benchmarks.real_model` takes away from a model is away, and nothing else is."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from autograder.checking import progress  # noqa: E402
from benchmarks import real_model  # noqa: E402
from solutions.compressed.in_torch import quantised_cache  # noqa: E402
from solutions.gpt.in_torch import GPT  # noqa: E402
from solutions.language_model.in_torch import next_token_loss  # noqa: E402
from solutions.positions.in_torch import rotary  # noqa: E402
from solutions.sparse.in_torch import sparse_weights  # noqa: E402


@pytest.fixture
def trained():
    torch.manual_seed(0)
    with torch.no_grad():
        training = SimpleNamespace(next_token_loss=next_token_loss)
        package = SimpleNamespace(training=training)
        yield SimpleNamespace(
            model=GPT(50, 16, 4, 2, 32, 2), sizes=SimpleNamespace(num_heads=4), package=package
        )


TOKENS = torch.arange(20).reshape(2, 10)


def test_a_window_as_wide_as_the_text_changes_nothing_and_a_narrow_one_does(trained):
    expected = trained.model(TOKENS)
    for width, is_same in ((10, True), (2, False)):
        with real_model.replaced(
            trained, "masked_softmax", lambda scores, _, w=width: sparse_weights(scores, w, 1, 0)
        ):
            assert torch.allclose(trained.model(TOKENS), expected, atol=1e-6) is is_same


def test_what_is_measured_of_each_layer_is_of_its_weights(trained):
    rows = real_model.in_each_layer(trained, TOKENS, lambda weights: weights[:, :, 0, 0].mean(dim=0))
    assert rows == [[1.0] * 4] * 2


def test_the_loss_of_the_second_half_is_the_mean_of_its_parts(trained):
    logits = trained.model(TOKENS)
    parts = [real_model.loss_between(trained, logits, TOKENS, place, place + 1) for place in range(5, 10)]
    assert real_model.loss(trained, TOKENS) == pytest.approx(sum(parts) / 5, abs=1e-3)
    logs = logits[:, 4].log_softmax(dim=-1)
    assert parts[0] == pytest.approx(-logs[[0, 1], TOKENS[:, 5]].mean().item(), abs=1e-3)


def test_a_head_with_zeros_in_its_place_adds_what_its_columns_of_the_last_matrix_would_add_as_zeros(trained):
    zeros = [torch.zeros(4, 4)] * 2
    with real_model.without(trained, [(1, 2)], zeros):
        removed = trained.model(TOKENS)
    assert not torch.allclose(removed, trained.model(TOKENS), atol=1e-4)
    trained.model.blocks[1].attention.W_o.weight[:, 8:12] = 0
    assert torch.allclose(removed, trained.model(TOKENS), atol=1e-6)


def test_the_mean_of_each_head_is_that_of_its_layer(trained):
    W_o = trained.model.blocks[1].attention.W_o
    [contexts] = real_model.inputs_of([W_o], trained, TOKENS)
    means = real_model.means(trained, TOKENS)
    assert [mean.shape for mean in means] == [(4, 4)] * 2
    assert torch.allclose(means[1][2], contexts[:, :, 8:12].mean(dim=(0, 1)), atol=1e-6)


def test_the_controls_are_as_many_heads_of_layers_between_and_none_of_the_best():
    best = [(3, 0), (1, 1), (1, 2)]
    heads = real_model.controls(best, 4)
    assert {layer for layer, _ in heads} <= {1, 2, 3}
    assert len({*best, *heads}) == 6


def test_eight_bits_for_each_token_are_those_of_the_exercise_and_a_channel_is_a_column():
    keys = torch.randn(2, 5, 4, generator=torch.manual_seed(0))
    whole, scale = quantised_cache(keys)
    assert torch.allclose(real_model.rounded(keys, 8, -1), whole * scale, atol=1e-6)
    by_channel = real_model.rounded(keys.transpose(1, 2), 4, -1).transpose(1, 2)
    assert torch.allclose(real_model.rounded(keys, 4, 1), by_channel)
    assert not torch.allclose(real_model.rounded(keys, 4, 1), real_model.rounded(keys, 4, -1), atol=1e-2)


def test_the_last_input_gives_the_logits_so_all_blocks_as_a_draft_are_the_model(trained):
    model = trained.model
    _, last = real_model.inputs_of([model.blocks[1], model.norm], trained, TOKENS)
    assert torch.allclose(model.norm(last) @ model.embedding.weight.T, model(TOKENS), atol=1e-6)


def test_places_divided_by_two_are_those_of_half_the_distance():
    keys, places = torch.randn(1, 3, 4), torch.arange(0, 6, 2).repeat(1, 1)
    halved = real_model.turned(keys, places, 10_000, 2, 3)
    assert torch.allclose(halved, 3 * rotary(keys, places // 2, 10_000))


def test_a_run_goes_on_with_what_is_not_stored_and_repeats_what_is_named(monkeypatch):
    results, calls = {"command": "", "windows": {"loss": 1}}, []

    def experiment(name):
        return lambda _: calls.append(name) or {"loss": 2}

    names = ("windows", "heads")
    monkeypatch.setattr(real_model, "EXPERIMENTS", {name: experiment(name) for name in names})
    monkeypatch.setattr(real_model, "stored", lambda _: results)
    monkeypatch.setattr(real_model, "store", lambda _, figures: results.update(figures))
    package = SimpleNamespace(at_rest=nullcontext)
    monkeypatch.setattr(real_model, "loaded", lambda _: SimpleNamespace(package=package))
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    for words in (["--store"], ["--store"], ["--only", "windows", "--store"], ["--only", "heads"]):
        monkeypatch.setattr("sys.argv", ["real_model", *words])
        real_model.main()
    assert calls == ["heads", "windows", "heads"]
    assert results == {"command": "", "windows": {"loss": 2}, "heads": {"loss": 2}}


def test_the_parts_may_be_those_of_a_learners_folder_and_then_nothing_is_stored(
    monkeypatch, tmp_path, capsys
):
    folders = []
    package = SimpleNamespace(at_rest=nullcontext)
    monkeypatch.setattr(
        real_model, "loaded", lambda home: folders.append(home) or SimpleNamespace(package=package)
    )
    monkeypatch.setattr(real_model, "EXPERIMENTS", {"heads": lambda _: {"loss": 2}})
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    words = ["real_model", "--only", "heads", "--folder", str(tmp_path)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit):
        real_model.main()
    assert "holds no copies: name the folder" in capsys.readouterr().err
    progress.create(tmp_path)
    real_model.main()
    assert folders == [tmp_path] and capsys.readouterr().out == "{'loss': 2}\n"
    monkeypatch.setattr("sys.argv", [*words, "--store"])
    with pytest.raises(SystemExit):
        real_model.main()
    assert "leave out --folder or --store" in capsys.readouterr().err
