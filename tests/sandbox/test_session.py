"""One answer in its process: how it is called, what of a call is told, and what is said of what is wrong."""

import types
import warnings

import numpy as np
import pytest

from autograder.frameworks import adapter_of, frameworks
from autograder.model.finding import Kind
from autograder.sandbox.session import Session, describe_error
from autograder.sandbox.wire import MAX_PAYLOAD
from tests.support import need

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def headers(inputs, arrays):
    """Headers of arguments: of arrays, of plain values, and of what has more to say as a dictionary, an array as its `value`."""
    described = []
    for name, value in inputs.items():
        header = dict(value) if isinstance(value, dict) else {"value": value}
        if isinstance(array := header.pop("value", None), np.ndarray):
            header["array"] = len(arrays)
            arrays.append(array)
        elif not isinstance(value, dict):
            header["plain"] = value
        described.append({"name": name, **header})
    return described


def call(inputs, outputs=("Y",), cotangents=None, parameters=(), earlier=None, **more):
    """A request for one call, with its arrays. outputs: a name behind a full stop is an attribute's."""
    arrays = []
    request = {
        "do": "call", "is_class": False, "settings": {}, "arguments": headers(inputs, arrays), "parameters": [],
        "outputs": [{"name": name.strip("."), "attribute": name[0] == "."} for name in outputs], "train": False,
        "measure": False, "cotangents": None, "earlier": headers(earlier or {}, arrays), "forbidden": [], **more,
    }  # fmt: skip
    for path, value, *begins in parameters:
        request["parameters"].append(
            {"path": path, "array": len(arrays), "begins": begins[0] if begins else None}
        )
        arrays.append(value)
    if cotangents is not None:
        request["cotangents"] = [None if c is None else len(arrays) + i for i, c in enumerate(cotangents)]
        arrays += [np.zeros(1) if c is None else c for c in cotangents]
    return request, arrays


def session_of(entry, framework="numpy"):
    need(framework)
    return Session(
        adapter_of(framework), entry, lambda filename: filename in (__file__, "<cell 1>", "<cell 2>")
    )


def reply_to(entry, inputs, framework="numpy", **more):
    ((reply, sent),) = session_of(entry, framework).exchange_all([call(inputs, **more)])
    return reply, sent


def made(layer, inputs=None, framework="torch", **more):
    return reply_to(layer, inputs or {"X": X}, framework, is_class=True, **more)


def breach(entry, inputs=None, framework="numpy", **more):
    """The words and the kind of a broken contract."""
    reply, sent = reply_to(entry, {"X": X} if inputs is None else inputs, framework, **more)
    assert set(reply) - {"warned"} == {"contract_broken", "kind"} and sent == [], reply
    return reply["contract_broken"], reply["kind"]


# --- One call after another --------------------------------------------------------------------------


def test_each_call_is_answered_up_to_the_first_that_fails():
    asked = []

    def answer(X, n):
        asked.append(n)
        return X / n if n else X.absent

    replies = list(session_of(answer).exchange_all([call({"X": X, "n": n}) for n in (2, 0, 1)]))
    assert asked == [2, 0] and [set(reply) for reply, _ in replies] == [{"outputs", "changed"}, {"error"}]
    np.testing.assert_array_equal(replies[0][1][0], X / 2)


def test_of_a_call_that_is_watched_the_arrays_of_its_variables_are_told():
    def answer(X):
        text, doubled = "no array", X * 2
        return doubled + len(text)

    reply, sent = reply_to(answer, {"X": X}, watch=True)
    told = {one["name"]: sent[one["array"]] for one in reply["variables"]}
    assert told.keys() == {"X", "doubled"}
    np.testing.assert_array_equal(told["doubled"], X * 2)
    assert len({one["line"] for one in reply["variables"]} - {None}) >= 1
    assert "variables" not in reply_to(answer, {"X": X})[0]


def test_warnings_are_told_once_each_shortened_and_few_of_them():
    def warns(X):
        for i in range(12):
            warnings.warn(f"{i:02} {'w' * 200}", stacklevel=1)
        warnings.warn("00 " + "w" * 200, stacklevel=1)
        return X

    reply, _ = reply_to(warns, {"X": X})
    assert reply["warned"] == [f"{i:02} {'w' * 97}" for i in range(10)]
    assert "warned" not in reply_to(lambda X: X, {"X": X})[0]


@pytest.mark.parametrize("error", [SystemExit("out"), ValueError("out")])
def test_what_an_answer_raises_is_told(error):
    def raises(X):
        raise error

    reply, sent = reply_to(raises, {"X": X})
    assert (
        sent == [] and reply["error"]["type"] == type(error).__name__ and reply["error"]["message"] == "out"
    )


# --- What can be called --------------------------------------------------------------------------------


class Layer:
    def __call__(self, X):
        return X


@pytest.mark.parametrize(
    ("entry", "is_class", "words"),
    [
        (None, False, "it is None, not something that can be called"),
        ([1], False, "it is a list, not something that can be called"),
        (object(), False, "it is an object, not something that can be called"),
        (X, False, "it is a NumPy array, not something that can be called"),
        (Layer, False, "it must be a function, not a class"),
        (len, True, "it must be a class"),
        (
            lambda X, n: X,
            False,
            "its signature is (X, n); it must take (X): missing a required argument: 'n'",
        ),
        (lambda **X: X, False, "its signature is (**X); it must take (X): too many positional arguments"),
    ],
)
def test_what_cannot_be_called_as_asked_is_told_before_any_call(entry, is_class, words):
    assert breach(entry, is_class=is_class) == (words, Kind.NOT_CALLABLE)


def test_a_long_signature_and_why_it_does_not_fit_are_cut():
    words, _ = breach(eval(f"lambda {'a' * 280}, {'b' * 280}: 0"), {})
    signature, why = words.removeprefix("its signature is ").split("; it must take (): ")
    assert signature == f"({'a' * 280}, {'b' * 17}…" and len(why) == 300 and why.startswith("missing")
    fits = f"({'a' * 297}X)"
    assert breach(eval(f"lambda {fits[1:-1]}: 0"), {})[0].startswith(f"its signature is {fits}; it must")


def test_what_tells_no_signature_is_called():
    class Silent:
        @property
        def __signature__(self):
            raise ValueError

        def __call__(self, X):
            return X

    assert "outputs" in reply_to(Silent(), {"X": X})[0]


def with_settings(signature, values):
    """A class that is made with these arguments, and computes X * n + m with what it keeps of them."""

    def kept(self, n, m):
        self.n, self.m = n, m

    made_with = eval(f"lambda self, {signature}: self.kept({values})")
    return type(
        "Made", (), {"kept": kept, "__init__": made_with, "__call__": lambda self, X: X * self.n + self.m}
    )


SETTINGS = {"n": 2.0, "m": 3.0}


@pytest.mark.parametrize(
    ("signature", "values"),
    [
        ("n, m", "n, m"), ("a=0, n=0, *, b", "n, b"), ("a, b, /", "a, b"), ("*both", "*both"),
        ("n, a=0, **more", "n, more['m']"), ("m, n, *rest", "n, m"), ("n, size=0", "n, size"),
    ],
)  # fmt: skip
def test_a_class_takes_its_settings_by_its_own_names_in_their_order_or_by_their_places(signature, values):
    _, sent = made(with_settings(signature, values), framework="numpy", settings=SETTINGS)
    np.testing.assert_array_equal(sent[0], X * 2 + 3)


@pytest.mark.parametrize("signature", ["", "n, m, k", "a"])
def test_a_class_that_takes_other_settings_is_told_so(signature):
    words, kind = breach(with_settings(signature, "0, 0"), is_class=True, settings=SETTINGS)
    assert kind == Kind.NOT_CALLABLE and "it must take (n, m): " in words


# --- Arguments -------------------------------------------------------------------------------------------


def test_arguments_are_handed_in_as_they_are_asked_for():
    def answer(X, tokens, pair, items, floats):
        assert tokens.dtype == np.int64 and pair == (1, (2, 3)) and type(items) is list and items == [4]
        return X + floats

    arguments = {
        "X": X,
        "tokens": {"value": np.array([1, 2]), "integers": True},
        "pair": {"plain": [1, [2, 3]]},
        "items": {"plain": [4], "list": True},
        "floats": 1.5,
    }
    reply, sent = reply_to(answer, arguments)
    assert reply == {"outputs": [{"array": 0}], "changed": []}
    np.testing.assert_array_equal(sent[0], X + 1.5)


def test_what_an_answer_changes_is_named():
    def answer(X, Z, items):
        X[0, 0] += 1
        items.append(5)
        return X + Z

    inputs = {"X": X.copy(), "Z": X, "items": {"plain": [4], "list": True}}
    assert reply_to(answer, inputs)[0]["changed"] == ["X", "items"]

    def reshaped(X, Z, items):
        X.shape = (3, 2)
        return X

    assert reply_to(reshaped, inputs)[0]["changed"] == ["X"]
    nan = {"X": np.array([np.nan, 1], np.float32), "Z": X, "items": {"plain": [4], "list": True}}
    assert reply_to(lambda X, Z, items: X * 1, nan)[0]["changed"] == []


def test_the_same_object_is_called_before_on_what_came_earlier():
    asked = []

    def answer(X, n):
        asked.append(n)
        return X * n

    _, sent = reply_to(answer, {"X": X, "n": 2}, earlier={"X": X + 1, "n": 7})
    assert asked == [7, 2]
    np.testing.assert_array_equal(sent[0], X * 2)


CACHE = {"parts": [1, 2], "caches": None}


def running(X, cache):
    """The sum of all that was handed in, step by step."""
    cache["sum"] = cache.get("sum", 0) + X.sum(axis=1, keepdims=True)
    return np.repeat(cache["sum"], X.shape[1], axis=1)


def test_calls_share_a_cache_and_their_results_are_joined():
    reply, sent = reply_to(running, {"X": X, "cache": CACHE})
    np.testing.assert_array_equal(sent[0], [[0, 3, 3], [3, 12, 12]])
    assert reply["cached"] == 2 and reply["changed"] == []


def test_in_turn_with_calls_of_another_text_each_has_its_own_cache():
    _, sent = reply_to(running, {"X": X, "cache": CACHE}, earlier={"X": X + 100, "cache": CACHE})
    np.testing.assert_array_equal(sent[0], [[0, 3, 3], [3, 12, 12]])
    order = []

    def noted(X, cache, n):
        order.append((X.shape[1], n, float(X[0, 0])))
        return X

    each = {"plain": [5, 6], "per_call": True}
    reply_to(noted, {"X": X, "cache": CACHE, "n": each}, earlier={"X": X + 100, "cache": CACHE, "n": each})
    assert order == [(1, 5, 100), (1, 5, 0), (2, 6, 101), (2, 6, 1)]


def test_a_cache_may_be_a_list_and_what_lies_in_it_is_counted():
    def answer(X, caches):
        for cache in caches:
            cache["X"], cache["count"] = X, 1
        return X

    reply, _ = reply_to(answer, {"X": X, "caches": {"parts": [3], "caches": 2}})
    assert reply["cached"] == 14


def test_numbers_that_calls_give_are_a_tuple_and_what_cannot_be_joined_is_shown():
    reply, _ = reply_to(lambda X, cache: float(X.sum()), {"X": X, "cache": CACHE})
    assert reply["outputs"] == [{"plain": [3.0, 12.0], "tuple": True}]
    assert reply_to(lambda X, cache: "text", {"X": X, "cache": CACHE})[0]["outputs"][0]["plain"] == "text"
    reply, sent = reply_to(lambda X, cache: X[0], {"X": X, "cache": CACHE})
    assert sent[0].shape == (1,)


@pytest.mark.parametrize("value", ["text", None, [1.0]])
def test_what_no_file_holds_must_not_lie_in_a_cache_that_is_stored(value):
    def answer(X, cache):
        cache["kept"], cache["n"], cache["X"] = value, 1.5, X
        return X

    inputs = {"X": X, "cache": CACHE}
    assert "outputs" in reply_to(answer, inputs)[0] or isinstance(value, list | str)
    words, kind = breach(answer, {"X": X, "cache": {**CACHE, "stored": True}})
    what = {"text": "a str", None: "None"}.get(value if not isinstance(value, list) else 0, "a list")
    assert words == f"cache['kept'] is {what}; it must be a number or an array, which a file can hold"
    assert kind == Kind.NOT_STORABLE


MODEL = {"plain": [5, 1], "stands_in": "model"}


def test_an_answer_that_sets_something_on_a_model_hands_it_on_where_no_file_holds_it():
    def answer(X, cache, model):
        model.seen = 1
        return X

    inputs = {"X": X, "cache": {**CACHE, "stored": True}, "model": MODEL}
    words, _ = breach(answer, inputs)
    assert words == "it sets model.seen, which no file holds; what a call hands on must be in cache"
    assert "outputs" in reply_to(answer, {**inputs, "cache": CACHE})[0]
    assert "outputs" in reply_to(lambda X, cache, model: X, inputs)[0]


def test_a_stand_in_takes_and_gives_arrays_of_the_framework():
    choice = {"plain": 4.0, "stands_in": "choice"}
    reply, sent = reply_to(lambda X, choice: choice(X * 1), {"X": X, "choice": choice}, "torch")
    np.testing.assert_array_equal(sent[0], [[2], [1]])
    assert reply["outputs"] == [{"array": 0}]


def test_a_stand_in_for_a_trained_model_is_a_module_of_the_framework():
    kinds = []

    def answer(X, model):
        kinds.append(type(model).__name__)
        return X

    trained = {"plain": [5, 3, 1, 0.5], "stands_in": "trained"}
    for framework in ("numpy", "torch"):
        reply_to(answer, {"X": X, "model": trained}, framework)
    assert kinds == ["TrainableModel", "Sequential"]


# --- Learned arrays ----------------------------------------------------------------------------------------


def layer_of(**arrays):
    """A class of PyTorch with these learned arrays, whose call multiplies X with the first."""
    need("torch")
    import torch

    class Made(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in arrays.items():
                setattr(
                    self,
                    name,
                    torch.nn.Parameter(torch.tensor(value)) if isinstance(value, np.ndarray) else value,
                )

        def forward(self, X):
            self.seen = X
            return X @ getattr(self, next(iter(arrays)))

    return Made


W = np.ones((3, 2), np.float32)


def test_learned_arrays_go_in_by_their_names_and_gradients_come_back():
    slope = np.ones((2, 2), np.float32)
    reply, sent = made(layer_of(W=0 * W), parameters=[("W", W)], cotangents=[slope])
    np.testing.assert_array_equal(sent[0], X @ W)
    assert reply["gradients"] == [{"name": "W", "array": 1}, {"name": "X", "array": 2}]
    np.testing.assert_array_equal(sent[1], X.T @ slope)
    np.testing.assert_array_equal(sent[2], slope @ W.T)


@pytest.mark.parametrize("framework", ["mxnet", "torch"])
def test_a_call_is_recorded_where_gradients_are_asked_for(framework):
    ones = np.ones_like(X)
    reply, sent = reply_to(lambda X: X * X, {"X": X}, framework, cotangents=[ones])
    np.testing.assert_array_equal(sent[reply["gradients"][0]["array"]], 2 * X)


def test_an_output_that_takes_no_part_or_has_another_shape_is_not_differentiated():
    need("torch")
    import torch

    def answer(X):
        return X * 2, X * 100, X.sum(), 5

    ones = np.ones_like(X)
    outputs = ("Y", "Z", "s", "n")
    reply, sent = reply_to(answer, {"X": X}, "torch", outputs=outputs, cotangents=[ones, None, ones, ones])
    np.testing.assert_array_equal(sent[reply["gradients"][0]["array"]], 2 * ones)
    reply, sent = reply_to(lambda X: torch.ones(2), {"X": X}, "torch", cotangents=[np.ones(2, np.float32)])
    assert reply["gradients"] == [{"name": "X", "array": None}] and len(sent) == 1


@pytest.mark.parametrize(
    ("arrays", "words", "kind"),
    [
        ({"V": W}, "its parameters are V (3, 2); they must be W (3, 2)", Kind.CONTRACT),
        ({"W": W, "bias": W}, "its layers must have no bias: its parameters are W (3, 2), bias (3, 2); they must be W (3, 2)", Kind.LAYERS_WITH_BIAS),
        ({"W": W, "V": W}, "its parameters are W (3, 2), V (3, 2); they must be W (3, 2)", Kind.CONTRACT),
        ({"W": W.T}, "its parameter W has shape (2, 3); it must have (3, 2)", Kind.CONTRACT),
        ({"W": W[0]}, "its parameter W has shape (2,); it must have (3, 2)", Kind.CONTRACT),
    ],
)  # fmt: skip
def test_other_learned_arrays_than_asked_for_are_named(arrays, words, kind):
    assert breach(layer_of(**arrays), framework="torch", is_class=True, parameters=[("W", W)]) == (
        words,
        kind,
    )


def test_without_learned_arrays_a_class_that_has_one_is_told_so():
    words, _ = breach(layer_of(W=W), framework="torch", is_class=True)
    assert words == "its parameters are W (3, 2); they must be none"


def test_of_many_learned_arrays_those_that_differ_are_named():
    many = [(f"W{i}", W) for i in range(9)]
    arrays = dict(many)
    words, _ = breach(layer_of(**arrays | {"V": W}), framework="torch", is_class=True, parameters=many)
    assert words == "of its parameters it has V (3, 2), which it must not have"
    del arrays["W3"]
    words, _ = breach(layer_of(**arrays), framework="torch", is_class=True, parameters=many)
    assert words == "of its parameters it lacks W3 (3, 2)"
    words, _ = breach(layer_of(**arrays | {"V": W}), framework="torch", is_class=True, parameters=many)
    assert words == "of its parameters it lacks W3 (3, 2) and it has V (3, 2), which it must not have"
    lacking = "of its parameters it lacks " + ", ".join(f"W{i} (3, 2)" for i in range(8))
    words, _ = breach(layer_of(), framework="torch", is_class=True, parameters=many)
    assert words == f"{lacking}, 1 more"
    eight = many[:8]
    words, _ = breach(layer_of(**dict(eight[1:])), framework="torch", is_class=True, parameters=eight)
    assert words.startswith("its parameters are W1 (3, 2), W2")


@pytest.mark.parametrize(
    ("kind", "container"),
    [("list", list), ("tuple", tuple), ("dict", lambda layers: dict(enumerate(layers)))],
)
def test_layers_in_a_plain_container_are_not_found_and_it_is_named(kind, container):
    need("torch")
    import torch

    layers = container([torch.nn.Linear(2, 2)])
    words, _ = breach(
        layer_of(numbers=[1], _hidden=layers, parts=layers),
        framework="torch",
        is_class=True,
        parameters=[("W", W)],
    )
    assert words.startswith(f"layers in a plain {kind}, as in parts, are not found: its parameters are ")
    assert words.endswith("they must be W (3, 2)")


def test_an_array_that_is_no_parameter_is_told_so():
    need("torch")
    import torch

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W = torch.ones(3, 2)

        def forward(self, X):
            return X @ self.W

    class Buffer(Plain):
        def __init__(self):
            torch.nn.Module.__init__(self)
            self.register_buffer("W", torch.ones(3, 2))

    for kind in (Plain, Buffer):
        words, _ = breach(kind, framework="torch", is_class=True, parameters=[("W", W)])
        told = "its W is a PyTorch tensor and no Parameter, so no training changes it"
        assert words == f"{told}: its parameters are none; they must be W (3, 2)"


def test_an_ndarray_of_mxnet_that_is_no_parameter_is_told_so():
    need("mxnet")
    from mxnet import nd
    from mxnet.gluon import nn

    class Plain(nn.Block):
        def __init__(self):
            super().__init__()
            self.W = nd.ones((3, 2))

        def forward(self, X):
            return nd.dot(X, self.W)

    words, _ = breach(Plain, framework="mxnet", is_class=True, parameters=[("W", W)])
    assert words.startswith("its W is an MXNet array and no Parameter, so no training changes it")


def test_a_shared_array_is_told_so():
    need("torch")
    import torch

    class Shared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W = self.V = torch.nn.Parameter(torch.ones(3, 2))

    words, _ = breach(Shared, framework="torch", is_class=True, parameters=[("V", W), ("W", W)])
    assert words.startswith(
        "its V is shared: it is another of its parameters too, and must be one of its own: its"
    )


def test_an_array_inside_of_an_object_that_is_no_layer_is_not_called_shared():
    need("torch")
    import torch

    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.part = types.SimpleNamespace(W=torch.nn.Parameter(torch.ones(3, 2)))

    words, _ = breach(Hidden, framework="torch", is_class=True, parameters=[("part.W", W)])
    assert "shared" not in words and words.endswith("its parameters are none; they must be part.W (3, 2)")


def test_an_output_layer_with_an_array_of_its_own_is_not_tied():
    need("torch")
    import torch

    class Untied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(3, 2)
            self.head = torch.nn.Linear(2, 3, bias=False)

    words, _ = breach(Untied, framework="torch", is_class=True, parameters=[("embedding.weight", W)])
    told = "its head.weight is not tied: the output layer must use embedding.weight, and have no array of its own"
    assert words.startswith(f"{told}: its parameters are ")


def test_a_lazy_layer_shows_its_shapes_after_a_call():
    need("torch")
    import torch

    class Lazy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.dense = torch.nn.LazyLinear(2, bias=False)

        def forward(self, X):
            return self.dense(X)

    words, _ = breach(Lazy, framework="torch", is_class=True, parameters=[("W", W)])
    assert words == "its parameters are dense.weight (2, 3); they must be W (3, 2)"
    _, sent = made(Lazy, parameters=[("dense.weight", W.T)])
    np.testing.assert_array_equal(sent[0], X @ W)


def test_a_size_that_a_layer_does_not_know_yet_fits_any():
    need("mxnet")
    from mxnet.gluon import nn

    class Deferred(nn.Block):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, use_bias=False, flatten=False)

        def forward(self, X):
            return self.dense(X)

    _, sent = made(Deferred, framework="mxnet", parameters=[("dense.weight", W.T)])
    np.testing.assert_array_equal(sent[0], X @ W)


def test_arrays_of_more_blocks_than_there_are_may_be_written_out():
    class Blocks:
        def __init__(self, num_blocks):
            self.blocks_0_W = self.blocks_1_W = W

        def __call__(self, X):
            return X @ self.blocks_0_W

    of_blocks = {"framework": "numpy", "is_class": True, "parameters": [("blocks.0.W", 2 * W)]}
    _, sent = reply_to(Blocks, {"X": X}, settings={"num_blocks": 1}, **of_blocks)
    np.testing.assert_array_equal(sent[0], X @ W * 2)
    assert "blocks_1_W (3, 2)" in breach(Blocks, settings={"num_blocks": 2}, **of_blocks)[0]


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (W, None),
        (0 * W, "it is 0"),
        (W * np.array([1, 2]), "it is [1, 2, 1, …]"),
    ],
)
def test_a_learned_array_must_begin_as_it_is_asked_to(first, words):
    layer, asked = layer_of(W=first.astype(np.float32)), [("W", W, 1.0)]
    if words is None:
        assert "outputs" in made(layer, parameters=asked)[0]
        return
    told, kind = breach(layer, framework="torch", is_class=True, parameters=asked)
    assert told == f"its parameter W must be 1 before anything is learned, but {words}"
    assert kind == Kind.OTHER_BEGINNING


@pytest.mark.parametrize(
    ("numbers", "words"),
    [([[2.0]], "2"), ([[1.0], [2.0], [3.0]], "[1, 2, 3]"), ([[1.0, 2.0], [3.0, 4.0]], "[1, 2, 3, …]")],
)
def test_the_first_numbers_are_told_and_whether_there_are_more(numbers, words):
    first = np.array(numbers, np.float32)
    told, _ = breach(layer_of(W=first), framework="torch", is_class=True, parameters=[("W", 0 * first, 1.0)])
    assert told.endswith(f"but it is {words}")


def test_a_class_that_makes_what_cannot_be_called_is_told_so():
    assert breach(type("Empty", (), {}), is_class=True)[0] == "what it makes cannot be called"


def test_a_class_of_another_framework_is_told_so():
    need("mxnet")
    words, _ = breach(layer_of(W=W), framework="mxnet", is_class=True, parameters=[("W", W)])
    assert words == "it is a class of PyTorch, and this is the MXNet cell"


def test_training_and_memory_are_asked_for_by_the_request():
    need("torch")
    modes = []
    layer = layer_of(W=W)
    forward = layer.forward
    layer.forward = lambda self, X: modes.append(self.training) or forward(self, X)
    for train in (True, False):
        reply, _ = made(layer, parameters=[("W", W)], train=train)
        assert "memory" not in reply and "gradients" not in reply
    assert modes == [True, False]
    reply, _ = made(layer, parameters=[("W", W)], measure=True)
    assert reply["memory"] == [4, 4]


def test_what_comes_in_double_precision_is_computed_in_it():
    need("torch")
    import torch

    double = reply_to(lambda X: X + torch.ones(3), {"X": X.astype(np.float64)}, "torch")[1]
    assert double[0].dtype == np.float64
    seen = []
    reply_to(lambda X: seen.append(torch.ones(1).dtype) or X, {"X": X.astype(np.float64)}, "torch")
    reply_to(lambda X: seen.append(torch.ones(1).dtype) or X, {"X": X}, "torch")
    assert seen == [torch.float64, torch.float32]


# --- Results -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "count", "words", "kind"),
    [
        (None, 2, "it returns None; it must return 2 results: Y, Z", Kind.NOTHING_RETURNED),
        (X, 2, "it returns a NumPy array; it must return 2 results: Y, Z", Kind.RESULTS_MISSING),
        ((X,), 2, "it returns 1 results; it must return 2 results: Y, Z", Kind.RESULTS_MISSING),
        ((X, X, X), 2, "it returns 3 results; it must return 2 results: Y, Z", Kind.CONTRACT),
    ],
)
def test_another_number_of_results_is_told(result, count, words, kind):
    assert breach(lambda X: result, outputs=("Y", "Z")) == (words, kind)


def test_results_and_attributes_come_in_the_order_of_the_request():
    class Keeps(Layer):
        def __call__(self, X):
            self.weights = X * 3
            return X, X * 2

    outputs = ("Y", ".weights", "Z")
    _, sent = made(Keeps, framework="numpy", outputs=outputs)
    for array, factor in zip(sent, (1, 3, 2), strict=True):
        np.testing.assert_array_equal(array, X * factor)
    words, kind = breach(Layer, is_class=True, outputs=("Y", ".weights"))
    assert (words, kind) == ("it has no attribute weights after the call", Kind.NOTHING_KEPT)


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (3, {"plain": 3, "tuple": False}),
        (True, {"plain": True, "tuple": False}),
        (None, {"plain": None, "tuple": False}),
        (2**63, {"plain": str(2**63), "tuple": False}),
        (-(2**63), {"plain": str(-(2**63)), "tuple": False}),
        (2**63 - 1, {"plain": 2**63 - 1, "tuple": False}),
        (10**200, {"plain": str(10**200)[:80], "tuple": False}),
        ("x" * 3000, {"plain": "x" * 2000, "tuple": False}),
        ((1, [2.5, (3,)]), {"plain": [1, [2.5, [3]]], "tuple": True}),
        ([[[1]]], {"plain": [[[1]]], "tuple": False}),
        ([[[[1]]]], {"foreign": "a list"}),
        ([0] * 1000, {"plain": [0] * 1000, "tuple": False}),
        ([0] * 1001, {"foreign": "a list"}),
        ({1}, {"foreign": "a set"}),
        (Layer(), {"foreign": "a Layer"}),
        (type("a" * 100, (), {})(), {"foreign": f"an {'a' * 80}"}),
        (type("ndarray", (), {})(), {"foreign": "a ndarray"}),
    ],
)  # fmt: skip
def test_plain_results_are_sent_as_json_has_them_and_others_named(value, described):
    reply, sent = reply_to(lambda X: value, {"X": X})
    assert reply["outputs"] == [described] and sent == []


def test_numbers_of_numpy_are_plain_where_arrays_are_of_another_framework():
    reply, _ = reply_to(lambda X: np.float32(1.5), {"X": X}, "torch")
    assert reply["outputs"] == [{"plain": 1.5, "tuple": False}]
    reply, _ = reply_to(lambda X: np.ones(2), {"X": X}, "torch")
    assert reply["outputs"] == [{"foreign": "a NumPy array"}]


def test_an_array_of_another_framework_is_named():
    need("mxnet")
    from mxnet import nd

    reply, _ = reply_to(lambda X: nd.ones(2), {"X": X})
    assert reply["outputs"] == [{"foreign": frameworks()["mxnet"].array}]


def test_arrays_that_nobody_asks_for_are_not_sent():
    words, _ = breach(lambda X: np.ones(2, np.complex64))
    assert words == "an array of type complex64 is none that the exercise asks for"
    most = MAX_PAYLOAD // 64
    assert reply_to(lambda X: np.zeros(most, np.uint8), {"X": X})[1][0].nbytes == most
    words, _ = breach(lambda X: np.zeros(most + 1, np.uint8))
    assert words == f"a result of {most + 1} bytes is far larger than the one asked for"


# --- Errors ------------------------------------------------------------------------------------------------


def error_of(*sources, entry="f"):
    """What is said of the error that a function raises; each source is a cell, or a file by its name."""
    names = {}
    for i, source in enumerate(sources, 1):
        filename, text = source if isinstance(source, tuple) else (f"<cell {i}>", source)
        exec(compile(text, filename, "exec"), names)
    try:
        names[entry]()
    except BaseException as error:
        return describe_error(
            error, lambda filename: not filename.endswith("session.py") and filename != __file__
        )


def test_an_error_is_told_with_the_innermost_line_of_the_learners_own():
    failure = error_of("def f():\n    x = 1\n    return x.nothing_like_it\n")
    assert failure["type"] == "AttributeError" and (failure["line"], failure["where"]) == (3, "cell 1")
    assert failure["function"] is None
    failure = error_of("def g():\n    raise ValueError('no')\n", "def f():\n    return g()\n")
    assert (failure["line"], failure["where"], failure["function"]) == (2, "cell 1", "g")
    failure = error_of("def h():\n    raise ValueError\ndef g():\n    h()\ndef f():\n    g()\n")
    assert (failure["line"], failure["function"]) == (2, "h")
    failure = error_of("def f():\n    def g():\n        raise KeyError('k')\n    g()\n")
    assert failure["function"] == "f.<locals>.g" and failure["message"] == "'k'"


@pytest.mark.parametrize(
    ("filename", "where"),
    [
        ("<cell 12>", "cell 12"),
        ("<the file>", "the file"),
        ("/tmp/ipykernel_3/4.py", "your cell"),
        ("<ipython-input-3-abc>", "your cell"),
        ("/home/ann/answers.py", "answers.py"),
        ("C:\\ann\\answers.py", "answers.py"),
        ("answers.py", "answers.py"),
        (f"/home/{'a' * 90}.py", "a" * 80),
        ("<string>", None),
        ("<cell 12b>", None),
    ],
)
def test_where_a_line_stands_is_said_as_a_learner_knows_it(filename, where):
    assert error_of((filename, "def f():\n    raise ValueError\n"))["where"] == where


def test_in_a_notebook_a_function_of_another_cell_is_named():
    cells = (
        ("/tmp/ipykernel_1/1.py", "def g():\n    raise ValueError\n"),
        ("/tmp/ipykernel_1/2.py", "def f():\n    g()\n"),
    )
    assert error_of(*cells)["where"] == "another cell, in g"
    one = "/tmp/ipykernel_1/1.py", "def g():\n    raise ValueError\ndef f():\n    g()\n"
    assert error_of(one)["where"] == "your cell"


def test_an_error_outside_the_learners_own_lines_has_no_line():
    def raises():
        raise ValueError("elsewhere")

    with pytest.raises(ValueError) as caught:
        raises()
    failure = describe_error(caught.value, lambda filename: False)
    assert failure == {
        "type": "ValueError", "message": "elsewhere", "line": None, "where": None, "source": None, "function": None,
    }  # fmt: skip


def test_a_mistake_of_syntax_is_told_with_its_own_line():
    error = SyntaxError("invalid syntax", ("<cell 2>", 7, 1, "x ="))
    failure = describe_error(error, lambda filename: True)
    assert failure == {
        "type": "SyntaxError", "message": "invalid syntax", "line": 7, "where": "cell 2", "source": "x =", "function": None,
    }  # fmt: skip
    assert describe_error(IndentationError("unexpected indent"), bool)["type"] == "SyntaxError"


def message_of(error):
    return describe_error(error, bool)["message"]


def test_of_a_message_the_first_paragraph_is_told_without_native_stacks():
    lines = [
        "Traceback (most recent call last): one",
        "two",
        "Stack trace returned 10",
        "  [bt] (0) x",
        "  File y",
        "three",
        "four",
    ]
    assert message_of(ValueError("\n".join(lines))) == "one two three"
    assert message_of(ValueError("x" * 3000)) == "x" * 2000
    assert message_of(ValueError("\ud800")) == "?"

    class Silent(Exception):
        def __str__(self):
            raise RuntimeError

    assert message_of(Silent()) == "(its message cannot be shown)"


def test_a_misspelt_attribute_is_told_with_the_nearest():
    with pytest.raises(AttributeError) as caught:
        _ = types.SimpleNamespace(softmax=1).sofmax
    assert message_of(caught.value).endswith(" attribute 'sofmax'. Did you mean softmax?")
    with pytest.raises(AttributeError) as caught:
        _ = types.SimpleNamespace(softmax=1).maxim
    assert message_of(caught.value).endswith(" attribute 'maxim'")


def test_as_many_parameters_as_are_listed_have_none_left_over():
    need("torch")
    import torch

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for i in range(8):
                setattr(self, f"p{i}", torch.nn.Parameter(torch.zeros(2)))

        def forward(self, X):
            return X

    words, _ = breach(
        Layer, framework="torch", is_class=True, parameters=[(f"q{i}", np.zeros(2)) for i in range(8)]
    )
    assert "p7 (2,); they must be" in words and " more" not in words
