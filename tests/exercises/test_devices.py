"""PyTorch's solutions compute on the device of their arguments, such as Colab's GPU."""

import importlib
from contextlib import contextmanager

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.frameworks.libraries import torch
from autograder.frameworks.torch import TorchAdapter
from autograder.judge.cases import draw_cases, interleaved_by_form
from autograder.judge.protocol import call_request
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.sandbox.requests import failed
from tests.support import need, solution

# The device `meta` has shapes alone, and no operator takes one array of it and one of the processor.
NOT_ON_META = {
    "which_leaks": "its answer is a letter, which depends on the numbers",
    "training_step": "its answer is a number; tests/course/gpt/test_commands.py runs it up to there",
    "positional_encoding": "it takes no array",
}


class OnDevice(TorchAdapter):
    """Hands in arrays and learned arrays on a device."""

    def __init__(self, device):
        need("torch")
        super().__init__()
        self.device = device

    def array(self, value, track):
        leaf = torch.from_numpy(value).to(self.device).requires_grad_(track)
        return leaf, leaf.clone() if track else leaf

    def set_parameter(self, module, path, value):
        super().set_parameter(module, path, value)
        if not any(map(torch.nn.parameter.is_lazy, module.parameters())):
            module.to(self.device)
        return dict(module.named_parameters())[path]

    def trainable_module(self, size, width):
        return super().trainable_module(size, width).to(self.device)


class OnMeta(OnDevice):
    """Hands in shapes alone, and refuses what a call makes on another device."""

    def array(self, value, track):
        dtype = getattr(torch, value.dtype.name)
        leaf = torch.empty(value.shape, dtype=dtype, device=self.device, requires_grad=track)
        return leaf, leaf.clone() if track else leaf

    def numpy(self, value):
        return np.zeros(value.shape, str(value.dtype).removeprefix("torch."))

    def beginning(self, module, path, shape):
        return None

    @contextmanager
    def measured(self):
        with nothing_elsewhere(self.device):
            yield None


def nothing_elsewhere(device):
    """A mode that fails at an array on another device: some operators would take it."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class NothingElsewhere(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            for array in result if isinstance(result, tuple | list) else [result]:
                assert not isinstance(array, torch.Tensor) or array.device.type == device, f"{function}"
            return result

    return NothingElsewhere()


def transport(exercise, adapter):
    entry = getattr(solution(exercise.topic, "torch"), exercise.entry)
    local = LocalTransport("torch", entry)
    local.session.adapter = adapter
    return local


def requests(exercise):
    """Three calls, of each form of inputs first, with gradients where they are compared."""
    cases = draw_cases(exercise, seed=0)
    for case in (cases[i] for i in interleaved_by_form(cases)[:3]):
        results = zip(exercise.returns, exercise.compute(exercise.reference, case), strict=True)
        ones = [ones_like(*result) for result in results] if case.gradient else None
        yield call_request(exercise, case, False, ones, "torch", measure=True)


def ones_like(output, value):
    has_gradient = not (output.attribute or output.plain) and value.dtype.kind == "f"
    return np.ones(value.shape, np.float32) if has_gradient else None


@pytest.mark.parametrize("name", [name for name in all_exercises() if name not in NOT_ON_META])
def test_a_solution_makes_no_array_on_another_device_than_that_of_its_arguments(name):
    exercise = all_exercises()[name]
    replies = transport(exercise, OnMeta("meta")).exchange_all(list(requests(exercise)))
    wrong = [reply for reply, _ in replies if failed(reply)]
    assert not wrong, f"In solutions/{exercise.topic}/in_torch.py say device=, of an argument: {wrong}"


def test_every_solution_is_accepted_on_a_gpu():
    if torch is None or not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU here")
    for exercise in all_exercises().values():
        verdict = judge(exercise, transport(exercise, OnDevice("cuda")), "torch")
        assert verdict.outcome == "accepted", verdict


def test_models_that_no_exercise_asks_for_compute_on_the_device_of_their_arguments():
    translation, sentiment = solution("translation", "torch"), solution("sentiment", "torch")
    module = importlib.import_module("solutions.translation.transformer_in_torch")
    transformer = module.TransformerTranslator(9, 9, 8, 2, 1).to("meta")
    decoder = translation.Translator(9, 9, 4, 8, score=None).decoder.to("meta")
    poolings = ("attention", "mean", "maximum", "last")
    classifiers = [sentiment.Classifier(9, 4, sentiment.Convolution, p).to("meta") for p in poolings]
    tokens, lengths = (torch.ones(shape, dtype=torch.long, device="meta") for shape in ((2, 5), (2,)))
    with nothing_elsewhere("meta"):
        module.greedy(transformer, tokens, lengths, 1, 3)
        decoder(tokens, torch.empty((2, 8), device="meta"), torch.empty((2, 5, 8), device="meta"), lengths)
        for classifier in classifiers:
            classifier(tokens, lengths)
