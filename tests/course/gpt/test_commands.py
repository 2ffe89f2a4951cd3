"""`attention gpt`: the package of one's own answers, its training, and what it writes."""

import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from autograder.book.ways import ways
from autograder.checking import accepted_answers, notebook_folder, progress
from autograder.checking.answer_code import names_used
from autograder.cli.commands import app
from autograder.model.catalogue import all_exercises
from course.data.download import DataError
from course.gpt import training
from course.gpt.linker import defining, solution
from course.gpt.my_gpt import COURSES, RECORD, YOURS, my_gpt
from course.gpt.package import GPTError, Package, Sizes
from course.training import checkpoints
from tests.support import need

SMALL = {"d": 16, "num_heads": 4, "num_kv_heads": 2, "hidden": 32, "num_blocks": 2}
TINY = Sizes(256, d=8, num_heads=4, num_kv_heads=2, hidden=12, num_blocks=2)
# Each uses a helper of the same name, which is another function.
OWN_ROTARY = """\
import torch as t
from solutions.multi_head.in_torch import join_heads as unused

SIGN = -1


def _turn(X, angles):
    a, b = X[..., 0::2], X[..., 1::2]
    c, s = t.cos(angles), t.sin(angles)
    return t.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)


def rotary(X, positions, base=10000):
    powers = t.arange(0, X.shape[-1], 2) / X.shape[-1]
    return _turn(X, positions[..., None] * base ** (SIGN * powers))
"""
OWN_SPLIT = """\
def _turn(X):
    return X.transpose(1, 2)


def split_heads(X, num_heads):
    batch, num_steps, size = X.shape
    return _turn(X.reshape(batch, num_steps, num_heads, -1)).flatten(0, 1)
"""
TEXT = "".join(f"The weights of row {i} sum to one, and so do those of row {i + 1}.\n" for i in range(150))


@pytest.fixture
def home(tmp_path):
    """A learner's folder with two accepted answers."""
    progress.create(tmp_path)
    accepted_answers.keep(tmp_path, "rotary", "torch", OWN_ROTARY)
    accepted_answers.keep(tmp_path, "split_heads", "torch", OWN_SPLIT)
    return tmp_path


def ask(home, *words):
    return CliRunner().invoke(app, ["gpt", *words, *([] if "--help" in words else ["--folder", str(home)])])


def text(home, name):
    return (home / "my_gpt" / f"{name}.py").read_text()


def test_an_accepted_answer_is_a_part_and_what_is_not_accepted_is_the_courses(home):
    whose = {piece.name: piece.whose for piece in my_gpt(home).parts}
    assert whose["rotary"] == whose["split_heads"] == YOURS
    assert whose["RotaryAttention"] == whose["GPT"] == COURSES
    assert "# Yours.\ndef rotary(X, positions, base=10000):\n    powers" in text(home, "attention")
    first = text(home, "attention").splitlines()[0]
    assert "The course's:" in first and "RotaryAttention" in first and "rotary," not in first
    assert "until yours is accepted (exercise top_p)" in text(home, "sampling")


def test_a_helper_of_the_same_name_does_not_take_the_place_of_another(home):
    """Both are called `_turn`: they stand in two modules."""
    places = {piece.name: piece.module for piece in my_gpt(home).parts}
    assert places["rotary"] != places["split_heads"]
    assert "def _turn(X, angles)" in text(home, places["rotary"])
    assert "def _turn(X):" in text(home, places["split_heads"])


def test_the_package_needs_nothing_of_the_course_and_computes_what_its_parts_compute(home):
    my_gpt(home)
    code = (
        "import sys, torch, my_gpt.model, my_gpt.sampling, my_gpt.tokeniser, my_gpt.training, my_gpt.gpt2\n"
        "torch.manual_seed(0)\n"
        "model = my_gpt.model.GPT(50, 8, 4, 2, 12, 2)\n"
        "print(model(torch.arange(6)[None]).sum().item())\n"
        "print([n for n in sys.modules if n.split('.')[0] in ('solutions', 'course', 'autograder', 'exercises')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    total, used = done.stdout.splitlines()
    assert used == "[]"
    torch.manual_seed(0)
    from solutions.gpt.in_torch import GPT

    assert float(total) == pytest.approx(
        GPT(50, 8, 4, 2, 12, 2)(torch.arange(6)[None]).sum().item(), abs=1e-4
    )


@pytest.mark.parametrize(
    ("name", "new", "old", "argument"),
    [
        ("rotary", ", base=10000", "", "base"),
        ("gpt", "        base=10000,\n", "", "base"),
        ("top_p", "(probabilities, p)", "(probabilities)", "p"),
    ],
)
def test_an_answer_from_before_an_argument_was_added_is_named_and_the_courses_takes_its_place(
    tmp_path, name, new, old, argument
):
    exercise = all_exercises()[name]
    answer = solution(f"solutions.{exercise.topic}.in_torch").text_of(exercise.entry)
    assert new in answer
    progress.create(tmp_path)
    for text_kept, whose in ((answer, YOURS), (answer.replace(new, old, 1), COURSES)):
        accepted_answers.keep(tmp_path, name, "torch", text_kept)
        assert next(p.whose for p in my_gpt(tmp_path).parts if p.name == exercise.entry) == whose
        words = " ".join(ask(tmp_path).output.split())
        assert (f"has no argument `{argument}`, which the exercise has by now" in words) == (whose == COURSES)


def test_a_file_that_was_changed_by_hand_stays_and_is_named(home):
    my_gpt(home)
    path = home / "my_gpt" / "attention.py"
    path.write_text(path.read_text() + "# mine\n")
    notebook_folder.forget(home / accepted_answers.FILE, "rotary")
    result = ask(home)
    assert path.read_text().endswith("# mine\n") and "# Yours.\ndef rotary" in path.read_text()
    assert "attention.py was changed by hand" in " ".join(result.output.split())
    path.unlink()
    assert "changed by hand and stays" not in ask(home).output
    assert "# Yours.\ndef rotary" not in path.read_text()


def test_a_record_that_is_damaged_lets_nothing_be_written_over(home):
    my_gpt(home)
    (home / "my_gpt" / RECORD).write_text("{")
    (home / "my_gpt" / "model.py").write_text("# all of it by hand\n")
    my_gpt(home)
    assert text(home, "model") == "# all of it by hand\n"


def test_the_picture_counts_the_parts_and_links_the_next(home):
    picture = my_gpt(home)
    assert "| `attention.py` | `rotary` | ● yours |" in picture._repr_markdown_()
    assert "until [Keep the most probable tokens](" in picture._repr_markdown_()
    output = ask(home).output
    assert (
        "● rotary" in output
        and "○ RotaryAttention" in output
        and "○ GPTBlock" in output
        and "2 of " in output
    )


def answer_text(module, name):
    """A solution as an accepted answer is kept: with the imports and the functions of its notebook that it uses."""
    source = solution(module)
    imports = [
        f"from {of} import {imported} as {bound}" if of else f"import {imported} as {bound}"
        for bound, (of, imported) in source.imports.items()
    ]
    texts, waiting = {}, [name]
    while waiting:
        now = waiting.pop()
        if source.defines(now) and now not in texts:
            texts[now] = source.text_of(now)
            waiting += names_used(texts[now])
    return "\n".join([*imports, *texts.values()])


@pytest.mark.parametrize("framework", ["torch", "mxnet"])
def test_once_all_exercises_of_the_way_are_accepted_every_line_of_the_model_is_the_learners(home, framework):
    """The exercises of the way alone are answered; the form of 2019 stays the course's, and says so."""
    (way,) = (way for way in ways() if way.title == "Build a GPT")
    for name in [name for step in way.steps for name in step.exercises]:
        e = all_exercises()[name]
        part = defining(f"solutions.{e.topic}.in_{framework}", e.entry)
        accepted_answers.keep(home, name, framework, answer_text(part.module, part.name))
    picture = my_gpt(home, framework)
    assert {p.name for p in picture.parts if p.whose == COURSES} == {
        "LayerNorm",
        "GPT2Attention",
        "GPT2Block",
        "GPT2",
    }
    for name in ("tokeniser", "norm", "attention", "feed_forward", "block", "model", "training", "sampling"):
        assert "All of it is yours" in text(home, name) and "# The course's" not in text(home, name), name
    assert (
        "Every line of the model, its tokeniser, its training step and its writing is yours."
        in picture.summary
    )
    assert "the course's" in text(home, "gpt2").splitlines()[0]


def test_a_function_of_the_notebook_comes_with_the_answer_that_uses_it(home):
    """No exercise asks for `pieces_of`: a cell of the notebook shows it, and a learner may change it there."""
    assert {p.name: p.whose for p in my_gpt(home).parts}["pieces_of"] == COURSES
    answer = "def pieces_of(text):\n    return text.splitlines(True)  # mine\n\n\n"
    answer += "def encode(text, merges):\n    return [byte for piece in pieces_of(text) for byte in piece.encode()]\n"
    accepted_answers.keep(home, "encode", "torch", answer)
    assert {p.name: p.whose for p in my_gpt(home).parts}["pieces_of"] == YOURS
    assert text(home, "tokeniser").count("def pieces_of") == 1 and "# mine" in text(home, "tokeniser")


def test_what_no_exercise_asks_for_and_no_answer_holds_is_named(home):
    picture = my_gpt(home)
    solved = tuple(replace(piece, whose=YOURS) if piece.exercise else piece for piece in picture.parts)
    assert "are still" not in picture.summary
    assert "The course's are still: pieces_of." in replace(picture, parts=solved).summary


def test_parts_are_parts_of_the_solutions():
    """The table names what is there; a solution that is renamed is told here."""
    from course.gpt.my_gpt import _module_of_each

    for part in [*_module_of_each("torch"), *_module_of_each("mxnet")]:
        assert solution(part.module).defines(part.name), part


def trained_on(home):
    package = Package(home)
    return training.begin(package, TEXT)


@pytest.fixture
def small(home, monkeypatch):
    """A folder with its package; few merges and a small model, so that a training takes a moment."""
    monkeypatch.setattr(training, "MERGES", 30)
    monkeypatch.setattr(training, "begin", partial(training.begin, **SMALL))
    my_gpt(home)
    return home


def test_a_training_lowers_the_held_out_loss_and_goes_on_where_it_was_stopped(small):
    torch.manual_seed(0)
    running = training.Training(trained_on(small), TEXT)
    before = running.held_out()
    for now in running.steps(60):
        if now.step == 40:
            break
    running.trained.save(small / training.FOLDER)
    after = running.held_out()
    assert after < 0.85 * before
    again = training.load(small, Package(small))
    assert again.step == 40 and again.merges == running.trained.merges
    resumed = training.Training(again, TEXT)
    assert resumed.held_out() == pytest.approx(after, abs=1e-6)
    assert again.state["step"] == 40 and float(again.state["square"].max()) > 0


def test_writing_with_the_cache_gives_what_writing_without_gives(small):
    torch.manual_seed(0)
    trained = trained_on(small)
    output = training.write(trained, "The weights", 12, 1.0, 1e-9, 0)
    tokens = trained.tokens_of("The weights")
    for _ in range(12):
        with torch.no_grad():
            tokens.append(int(trained.model(torch.tensor([tokens]))[0, -1].argmax()))
    assert output == trained.text_of(tokens) and output.startswith("The weights")


def test_train_and_write_as_typed(small):
    (small / "text.txt").write_text(TEXT)
    command = ("train", "--text", str(small / "text.txt"), "--minutes", "0.01")
    result = ask(small, *command)
    assert result.exit_code == 0 and "It begins" in result.output and "held-out loss" in result.output, (
        result.output
    )
    assert "Your tokeniser learns its merges from the text, and encodes it" in result.output
    assert "steps, held-out loss in nats for each character, and how" in " ".join(result.output.split())
    assert "Whole words come after about 200 steps." in " ".join(result.output.split())
    goes_on = ask(small, *command).output
    assert "It goes on after" in goes_on and "Your tokeniser encodes the text" in goes_on
    assert "It begins" in ask(small, *command, "--anew").output
    result = ask(small, "write", "The weights", "--tokens", "5")
    assert result.exit_code == 0 and result.stdout.startswith("The weights")


def test_the_learners_own_parts_of_a_training_step_are_what_runs(small):
    """The accepted answers are in the package, and an error in one of them stops the training at its line."""
    (small / "text.txt").write_text(TEXT)
    for name in ("next_token_loss", "clip_gradients", "adamw_step"):
        answer = solution(defining("solutions.language_model.in_torch", name).module).text_of(name)
        answer = answer.replace("    mean = 0.9", "    raise ArithmeticError('mine')\n    mean = 0.9")
        accepted_answers.keep(small, name, "torch", answer)
    result = ask(small, "train", "--text", str(small / "text.txt"), "--minutes", "0.01")
    assert result.exit_code == 2
    assert "ArithmeticError: mine (my_gpt/training.py, line" in " ".join(result.output.split())
    for name in ("next_token_loss", "clip_gradients", "adamw_step"):
        assert f"# Yours.\ndef {name}" in text(small, "training")


def test_the_folder_may_be_said_before_the_commands_name_too(tmp_path):
    """Neither folder holds copies: the sentence names the one that was asked for."""
    result = CliRunner().invoke(app, ["gpt", "--folder", str(tmp_path / "x"), "write", "The weights"])
    assert result.exit_code == 2 and f"{tmp_path / 'x'} holds no copies" in " ".join(result.output.split())
    result = CliRunner().invoke(app, ["gpt", "--folder", "x", "write", "The weights", "--folder", "y"])
    assert result.exit_code == 2 and "y holds no copies" in result.output


def test_ctrl_c_keeps_what_was_learnt_and_the_next_training_goes_on(small):
    """A real signal, sent once the first sample is printed."""
    (small / "text.txt").write_text(TEXT)
    code = (
        "from course.gpt import training; training.MERGES, training.EVERY = 30, 0.3\n"
        f"from functools import partial; training.begin = partial(training.begin, **{SMALL})\n"
        "from autograder.cli.commands import app; app()"
    )
    command = [sys.executable, "-c", code, "gpt", "train", "--text", "text.txt", "--minutes", "5"]
    running = subprocess.Popen(
        command, cwd=small, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    begun = next(line for line in running.stdout if "nats" in line or "The weights" in line)
    running.send_signal(signal.SIGINT)
    output = begun + running.communicate(timeout=60)[0]
    assert running.returncode == 0 and "Stopped; `attention gpt train` goes on from here." in output, output
    step = training.load(small, Package(small)).step
    assert step > 0 and f"{step} steps; held-out loss" in output
    goes_on = ask(small, "train", "--text", str(small / "text.txt"), "--minutes", "0.01")
    assert f"It goes on after {step} steps" in goes_on.output


def test_the_novel_is_a_text_or_a_sentence_says_what_is_missing(small, monkeypatch):
    def nothing():
        raise DataError("npm is needed")

    monkeypatch.setitem(training.TEXTS, "moby_dick", nothing)
    result = ask(small, "train", "--text", "moby_dick")
    assert result.exit_code == 2 and "npm is needed" in result.output
    monkeypatch.setitem(training.TEXTS, "moby_dick", lambda: TEXT)
    assert "It begins, on" in ask(small, "train", "--text", "moby_dick", "--minutes", "0.01").output


def test_the_form_of_2019_is_trained_and_goes_on(small):
    (small / "text.txt").write_text(TEXT)
    command = ("train", "--text", str(small / "text.txt"), "--minutes", "0.01")
    assert ask(small, *command, "--form", "gpt2").exit_code == 0
    trained = training.load(small, Package(small))
    assert trained.sizes.num_positions == training.POSITIONS and type(trained.model).__name__ == "GPT2"
    assert "It goes on after" in ask(small, *command).output
    assert "It goes on after" in ask(small, *command, "--form", "gpt2").output
    result = ask(small, *command, "--form", "llama")
    assert result.exit_code == 2 and "has another form than llama" in " ".join(result.output.split())


def test_mxnet_trains_and_writes_and_pytorch_goes_on_with_its_weights(small):
    need("mxnet")
    accepted_answers.keep(
        small, "top_p", "mxnet", solution("solutions.language_model.in_mxnet").text_of("top_p")
    )
    (small / "text.txt").write_text(TEXT)
    result = ask(small, "--framework", "mxnet")
    assert "1 of " in result.output and "from mxnet import" in text(small, "model")
    command = ("train", "--text", str(small / "text.txt"), "--minutes", "0.01")
    assert "It begins" in ask(small, *command).output
    in_mxnet = ask(small, "write", "The weights", "--tokens", "5").output
    before = training.load(small, Package(small, "mxnet"))
    assert ask(small, "train", "--device", "cuda").output.count("no cuda here for MXNet") == 1
    ask(small, "--framework", "torch")
    assert ask(small, "write", "The weights", "--tokens", "5").output == in_mxnet
    after = training.load(small, Package(small))
    assert after.step == before.step and float(after.state["square"].max()) > 0
    assert "It goes on after" in ask(small, *command).output


def test_three_steps_give_the_same_weights_in_both(small):
    need("mxnet")
    rows, results = np.arange(2 * 9).reshape(2, 9) * 7 % 256, {}
    for framework in ("torch", "mxnet"):
        my_gpt(small, framework)
        package = Package(small, framework)
        model, state = package.gpt(TINY), {}
        losses = [package.training.training_step(model, package.array(rows), state, 0.01) for _ in range(3)]
        results[framework] = losses, package.arrays(model)
    for name, array in results["torch"][1].items():
        assert array == pytest.approx(results["mxnet"][1][name], abs=1e-4), name
    assert results["torch"][0] == pytest.approx(results["mxnet"][0], abs=1e-4)
    assert results["torch"][0][2] < results["torch"][0][0] - 0.1


def test_a_framework_that_is_none_is_told(small):
    result = ask(small, "--framework", "keras")
    assert result.exit_code == 2 and "written in torch or mxnet, not in keras" in result.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["write", "The"], "has learnt nothing yet"),
        (["train", "--device", "tpu"], "There is no device 'tpu'"),
        (
            ["train", "--text", "nowhere.txt"],
            "nowhere.txt cannot be read: No such file or directory. Without a file",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(small, words, sentence):
    result = ask(small, *words)
    assert result.exit_code == 2 and sentence in " ".join(result.output.split())


def test_a_folder_without_copies_and_a_text_too_short_are_told(small, tmp_path):
    assert "holds no copies" in ask("/nowhere", "train").output
    (small / "text.txt").write_text("Too short.\n")
    result = ask(small, "train", "--text", str(small / "text.txt"))
    assert result.exit_code == 2 and "The text is too short" in result.output


def test_an_error_in_the_learners_own_code_names_its_line(small):
    path = small / "my_gpt" / "norm.py"
    path.write_text(path.read_text().replace("return gain * X", "return gain * X * nothing", 1))
    (small / "text.txt").write_text(TEXT)
    output = " ".join(ask(small, "train", "--text", str(small / "text.txt")).output.split())
    assert "NameError: name 'nothing' is not defined (my_gpt/norm.py, line" in output
    path.write_text("import nothing_of_the_kind\n")
    with pytest.raises(GPTError, match="cannot be imported"):
        Package(small)


def test_weights_that_fit_no_more_and_a_damaged_checkpoint_are_told(small):
    trained = trained_on(small)
    trained.save(small / training.FOLDER)
    block = small / "my_gpt" / "block.py"
    block.write_text(block.read_text().replace("W_gate", "W_other"))
    with pytest.raises(GPTError, match="do not fit your GPT any more"):
        training.load(small, Package(small))
    (small / training.FOLDER / "0" / training.WEIGHTS).write_bytes(b"")
    with pytest.raises(checkpoints.CheckpointError, match="damaged"):
        training.load(small, Package(small))
    shutil.rmtree(small / training.FOLDER)
    assert training.load(small, Package(small)) is None


def test_the_device_is_the_fastest_that_is_here_or_the_one_that_is_asked_for(monkeypatch):
    for cuda, mps, fastest in ((True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda value=cuda: value)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda value=mps: value)
        assert training.device(None, "torch") == fastest and training.device(None, "mxnet") == "cpu"
        assert training.device("cpu", "torch") == "cpu"
    for device in ("cuda", "mps"):
        with pytest.raises(GPTError, match=f"There is no {device} here: use cpu."):
            training.device(device, "torch")


def test_what_a_step_and_writing_make_is_made_on_the_models_device(small):
    """The device `meta` has shapes alone, and no operator takes one array of it and one of the processor.

    So a step runs to its last line, where the loss must become a number, which this device has not.
    """
    # What a layer holds beside its learned arrays is made there too.
    model = small / "my_gpt" / "model.py"
    model.write_text(
        model.read_text()
        .replace("super().__init__()", "super().__init__()\n        self.one = torch.ones(1)")
        .replace("self.embedding(tokens)", "self.embedding(tokens) * self.one")
    )
    trained = trained_on(small)
    training.Training(trained, TEXT).step(0.01)
    trained.save(small / training.FOLDER)
    package = Package(small)
    package.device = "meta"
    # As in a new training, and in one that goes on: what a checkpoint holds is brought there.
    for before in (training.begin(package, TEXT), training.load(small, package)):
        model, state = before.model, before.state
        running, step = training.Training(before, TEXT), state.get("step", 0)
        assert all(value.device.type == "meta" for value in state.values() if torch.is_tensor(value))
        with pytest.raises(GPTError, match=r"a step of training failed: .*item.*my_gpt/training.py"):
            running.step(0.01)
        arrays = [*model.parameters(), state["mean"], state["square"]]
        assert state["step"] == step + 1 and {array.device.type for array in arrays} == {"meta"}
    with package.at_rest():
        numbers = package.array(np.full((2, 1), 0.5))
        tokens = package.array(np.zeros((2, 3), dtype=np.int64))
        draw = partial(package.sampling.draw_token, temperature=0.8, p=0.9, numbers=numbers)
        output = package.sampling.generate(model, tokens, 4, draw)
    assert output.device.type == "meta" and output.shape == (2, 7)
