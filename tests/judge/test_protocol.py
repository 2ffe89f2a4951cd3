"""Requests as they are sent, and replies that are believed only in the form that an honest process gives them."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.judge.protocol import (
    CallResult,
    Foreign,
    Tampering,
    as_sent,
    call_request,
    checked_result,
)
from autograder.model.exercise import Argument, Case, Exercise, Output, Parameter
from autograder.model.finding import Kind

ARRAYS = [np.array([1.0]), np.array([2.0])]
X, W = np.array([[0.1, 0.2]]), np.array([[0.3]])


def layer(arguments, **more):
    returns = (Output("Y", "(n,)"), Output("weights", "(n, n)", attribute=True))
    return Exercise(
        "e", "", "", "e", arguments, returns, lambda: None, list,
        parameters={"W": Parameter("dense.weight", "(1, 1)")}, is_class=True, forbidden=("torch.softmax",), **more
    )  # fmt: skip


def request_for(value, argument, framework="torch", cotangents=None, **more):
    case = Case("", {argument.name: value}, {"heads": 2}, {"W": W}, **more)
    return call_request(layer((argument,)), case, False, cotangents, framework)


def test_a_call_names_what_it_hands_in_and_carries_the_arrays():
    request, arrays = request_for(X, Argument("X", "(1, 2)"))
    (argument,), (parameter,) = request.pop("arguments"), request.pop("parameters")
    assert request == {
        "do": "call",
        "is_class": True,
        "settings": {"heads": 2},
        "outputs": [{"name": "Y", "attribute": False}, {"name": "weights", "attribute": True}],
        "cotangents": None,
        "train": False,
        "measure": False,
        "earlier": [],
        "forbidden": ["torch.softmax"],
    }
    assert (argument["name"], argument["integers"], parameter["path"]) == ("X", False, "dense.weight")
    assert parameter["begins"] is None and len(arrays) == 2
    for described, array in ((argument, X), (parameter, W)):
        assert arrays[described["array"]].dtype == np.float32
        np.testing.assert_allclose(arrays[described["array"]], array, rtol=1e-6)


def test_what_gradients_are_multiplied_by_has_a_place_of_its_own():
    cotangent = np.array([9.0], np.float32)
    request, arrays = request_for(X, Argument("X", "(1, 2)"), cotangents=[cotangent, None])
    place, none = request["cotangents"]
    assert arrays[place] is cotangent and none is None and len(arrays) == 3


def test_an_earlier_call_hands_in_its_own_arrays():
    exercise = layer((Argument("X", "(1, 2)"),))
    case = Case("", {"X": X}, parameters={"W": W})
    request, arrays = call_request(
        exercise, case, False, None, "torch", earlier=replace(case, inputs={"X": 2 * X})
    )
    (earlier,), (argument,) = request["earlier"], request["arguments"]
    np.testing.assert_allclose(arrays[earlier["array"]], 2 * arrays[argument["array"]])


def test_training_and_measuring_are_asked_for():
    case = Case("", {"X": X}, parameters={"W": W})
    request, _ = call_request(layer((Argument("X", "(1, 2)"),)), case, True, None, "torch", measure=True)
    assert request["train"] is True and request["measure"] is True


@pytest.mark.parametrize(
    ("value", "argument", "described"),
    [
        (None, Argument("p", "float"), {"plain": None, "list": False}),
        (0.5, Argument("p", "float"), {"plain": 0.5, "list": False}),
        ([1, 2], Argument("p", "a list"), {"plain": [1, 2], "list": True}),
        ((1, 2), Argument("p", "a tuple"), {"plain": (1, 2), "list": False}),
        ((2, 3), Argument("cache", "dict", caches=""), {"parts": [2, 3], "caches": None}),
        ((2, 3), Argument("cache", "list", caches="heads"), {"parts": [2, 3], "caches": 2}),
        (None, Argument("cache", "dict", caches=""), {"plain": None, "list": False}),
    ],
)
def test_a_plain_value_is_sent_as_it_is_and_a_cache_as_the_parts_that_share_it(value, argument, described):
    request, _ = request_for(value, argument)
    (part,) = request["arguments"]
    assert {key: part[key] for key in described} == described and part["name"] == argument.name


@pytest.mark.parametrize(
    ("value", "framework", "dtype", "sent"),
    [
        (X, "torch", "float32", "float32"),
        (X, "torch", "float16", "float16"),
        (X, "numpy", "float16", "float64"),
        (np.array([1], np.int32), "torch", "float16", "int64"),
        (np.array([1], np.int32), "numpy", "float32", "int64"),
        (np.array([True]), "torch", "float32", "bool"),
    ],
)
def test_an_array_is_sent_in_the_type_in_which_it_is_handed_in(value, framework, dtype, sent):
    array = as_sent(value, Case("", {}, dtype=dtype), framework)
    assert array.dtype == sent
    np.testing.assert_allclose(array.astype(float), value.astype(float), rtol=1e-3)


def test_results_come_in_their_order_and_kinds():
    described = [{"array": 1}, {"plain": [1, 2]}, {"plain": [1, 2], "tuple": True}, {"foreign": "a set"}]
    reply = {
        "outputs": described,
        "changed": ["X"],
        "warned": ["careful"],
        "memory": [3, 4],
        "gradients": [{"name": "X", "array": 0}, {"name": "W", "array": None}],
    }
    answer = checked_result(reply, ARRAYS, 4)
    assert answer.outputs == (ARRAYS[1], [1, 2], (1, 2), Foreign("a set"))
    assert (answer.changed, answer.warned, answer.memory) == (("X",), ("careful",), (3, 4))
    assert answer.gradients == {"X": ARRAYS[0], "W": None}
    assert not answer.failed and answer.error is None and answer.contract_broken is None


def test_what_a_reply_need_not_say_is_empty():
    answer = checked_result({"outputs": [], "changed": []}, [], 0)
    assert answer == CallResult(gradients={}) and answer.memory is None


@pytest.mark.parametrize(
    ("plain", "is_tuple", "value"),
    [([1], False, [1]), ([1], "yes", [1]), (1, True, 1), ("ab", True, "ab"), (None, False, None)],
)
def test_only_a_list_that_is_called_a_tuple_is_one(plain, is_tuple, value):
    (output,) = checked_result(
        {"outputs": [{"plain": plain, "tuple": is_tuple}], "changed": []}, [], 1
    ).outputs
    assert output == value and type(output) is type(value)


VARIABLE = {"name": "scores", "line": 3, "array": 1}
WRONG_VARIABLES = [
    3,
    [3],
    [{"name": "scores", "line": 3}],
    [VARIABLE | {"array": 2}],
    [VARIABLE | {"name": "two words"}],
    [VARIABLE | {"name": "s" * 41}],
    [VARIABLE | {"name": None}],
    [VARIABLE | {"line": "3"}],
    [VARIABLE] * 61,
]


def test_variables_come_with_their_lines():
    reply = {"outputs": [{"plain": 1}], "changed": [], "variables": [VARIABLE]}
    (variable,) = checked_result(reply, ARRAYS, 1).variables
    assert (variable.name, variable.line) == ("scores", 3) and variable.array is ARRAYS[1]


def test_as_many_variables_and_as_large_ones_as_are_noted_may_come():
    largest = VARIABLE | {"name": "s" * 40, "array": 0}
    reply = {"outputs": [{"plain": 1}], "changed": [], "variables": [largest] * 60}
    assert len(checked_result(reply, [np.zeros(2000, np.float32)], 1).variables) == 60


def test_an_array_that_is_larger_than_any_that_is_noted_is_tampering():
    reply = {"outputs": [{"plain": 1}], "changed": [], "variables": [VARIABLE | {"array": 0}]}
    with pytest.raises(Tampering, match="a variable that cannot be one"):
        checked_result(reply, [np.zeros(2001, np.float32)], 1)


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"outputs": []},
        {"outputs": [{}], "changed": []},
        {"outputs": [{"array": 2}], "changed": []},
        {"outputs": [{"array": -1}], "changed": []},
        {"outputs": [{"array": True}], "changed": []},
        {"outputs": [{"array": "0"}], "changed": []},
        {"outputs": 3, "changed": []},
        {"outputs": [3], "changed": []},
        {"outputs": [{"plain": 1}], "changed": 3},
        {"outputs": [{"plain": 1}], "changed": [], "memory": ["a", 1]},
        {"outputs": [{"plain": 1}], "changed": [], "memory": 3},
        {"outputs": [{"plain": 1}], "changed": [], "warned": 3},
        {"outputs": [{"plain": 1}], "changed": [], "cached": "many"},
        {"outputs": [{"plain": 1}], "changed": [], "gradients": [{"name": "X"}]},
        {"outputs": [{"plain": 1}], "changed": [], "gradients": [{"name": "X", "array": 2}]},
        {"outputs": [{"plain": 1}], "changed": [], "gradients": 3},
        *({"outputs": [{"plain": 1}], "changed": [], "variables": wrong} for wrong in WRONG_VARIABLES),
        {"error": "a text"},
        {"error": None},
        {"contract_broken": "reason", "kind": "no such kind"},
    ],
)
def test_a_reply_of_another_form_is_tampering(reply):
    with pytest.raises(
        Tampering, match=r"has the wrong form|an array that is not there|no kind that there is|cannot be one"
    ):
        checked_result(reply, ARRAYS, 1)


@pytest.mark.parametrize("count", [0, 2])
def test_there_must_be_as_many_results_as_were_asked_for(count):
    with pytest.raises(Tampering, match=f"holds 1 results in place of {count}"):
        checked_result({"outputs": [{"plain": 1}], "changed": []}, [], count)


@pytest.mark.parametrize("reason", ["", "  ", None, 3])
def test_a_contract_that_is_broken_for_no_reason_is_tampering(reason):
    with pytest.raises(Tampering, match="gives no reason"):
        checked_result({"contract_broken": reason}, [], 1)


def test_a_broken_contract_has_its_reason_and_its_kind():
    broken = checked_result({"contract_broken": "x" * 3000, "kind": "not_callable"}, [], 1)
    assert broken.failed and broken.contract_broken.words == "x" * 2000
    assert broken.contract_broken.kind == Kind.NOT_CALLABLE
    assert checked_result({"contract_broken": "a"}, [], 1).contract_broken.kind == Kind.CONTRACT


def test_an_error_is_kept_as_short_texts_and_a_line():
    error = {"type": "ValueError", "message": "m" * 3000, "where": 3, "source": None, "line": 7, "more": "no"}
    failed = checked_result({"error": error}, [], 1)
    assert failed.failed and failed.error == {
        "type": "ValueError",
        "message": "m" * 2000,
        "where": "",
        "source": "",
        "function": "",
        "line": 7,
    }


@pytest.mark.parametrize("line", [None, "7", 7.0, True])
def test_a_line_is_a_whole_number(line):
    assert checked_result({"error": {"type": "E", "line": line}}, [], 1).error["line"] is None


@pytest.mark.parametrize(
    ("memory", "expected"), [([3], None), ([3, 4, 5], None), ([], None), (None, None), ([3.9, 4], (3, 4))]
)
def test_two_numbers_say_what_was_held(memory, expected):
    assert checked_result({"outputs": [], "changed": [], "memory": memory}, [], 0).memory == expected


@pytest.mark.parametrize(("cached", "expected"), [(None, None), (0, 0), (7, 7)])
def test_a_number_says_what_lies_in_a_cache(cached, expected):
    assert checked_result({"outputs": [], "changed": [], "cached": cached}, [], 0).cached == expected


@pytest.mark.parametrize("measured", [{"memory": [float("inf"), 1]}, {"cached": float("inf")}], ids=str)
def test_an_infinity_is_no_count(measured):
    """Python's JSON knows `Infinity`."""
    with pytest.raises(Tampering, match="has the wrong form"):
        checked_result({"outputs": [], "changed": [], **measured}, [], 0)
