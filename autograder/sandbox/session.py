"""Runs one function or class on the arrays of one request after another.

The same session serves `check`, inside the learner's kernel, and the worker of `grade`,
behind the wire: a request and its reply are a header and arrays either way.
"""

import inspect
import math
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple

import numpy as np

from autograder.frameworks import frameworks
from autograder.frameworks.base import Adapter, ContractBroken
from autograder.model.exercise import empty_caches, numbers_in, time_slices
from autograder.model.finding import Kind
from autograder.model.stand_ins import STAND_INS, TrainableModel
from autograder.model.text import MISSPELT, did_you_mean
from autograder.sandbox.refusals import refusing, reported
from autograder.sandbox.requests import ArgumentHeader, CallRequest, Failure, failed
from autograder.sandbox.variables import Variables
from autograder.sandbox.wire import DTYPES, MAX_PAYLOAD, Arrays, Header, name_of, tuples

MAX_CHARACTERS = 2000
MAX_ITEMS = 1000
MAX_SIGNATURE = 300
# Of more learned arrays than these a verdict names only those that differ, and so many of them.
MANY_PARAMETERS = 8
CELL = "your cell"
MAX_WARNING, MAX_WARNINGS = 100, 10


class Advice(NamedTuple):
    """What makes parameters other than they must be, in words and by its kind."""

    words: str
    kind: Kind


class Session:
    """One entry (a function, a class or a callable object) and the adapter that calls it.

    is_own: tells whether a source file is the learner's, so that an error can name its line.
    """

    def __init__(self, adapter: Adapter, answer: Any, is_own: Callable[[str], bool]) -> None:
        self.adapter = adapter
        self.answer = answer
        self.is_own = is_own
        self.fits = False
        # Of a class: its own names for those that the exercise gives, and whether it takes them by their places alone.
        self.own_names: dict[str, str] = {}
        self.by_place = False
        self.refused_calls: list[str] = []  # of operators that the exercise forbids

    def exchange_all(self, calls: Sequence[tuple[CallRequest, Arrays]]) -> Iterator[tuple[Header, Arrays]]:
        """Answer requests of one exercise in turn, up to the first that fails: what follows is not called."""
        # A library's warnings name lines of the course; the verdict says what is known of them.
        with (
            refusing(calls[0][0]["forbidden"]) as self.refused_calls,
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            for request, arrays in calls:
                reply = self.exchange(request, arrays)
                if caught:
                    texts = dict.fromkeys(_shortened(warning.message)[:MAX_WARNING] for warning in caught)
                    reply[0]["warned"] = list(texts)[:MAX_WARNINGS]
                yield reply
                if failed(reply[0]):
                    return

    def exchange(self, request: CallRequest, arrays: Arrays) -> tuple[Header, Arrays]:
        """Answer one request. Whatever the submission raises becomes part of the reply."""
        try:
            if not self.fits:
                self._fit(request)
                self.fits = True
            return self._call_in_a_variant(request, arrays)
        except ContractBroken as broken:
            return {"contract_broken": _shortened(broken), "kind": broken.kind}, []
        except (Exception, SystemExit) as error:
            return {"error": describe_error(error, self.is_own)}, []

    def _fit(self, request: CallRequest) -> None:
        """Raise ContractBroken where the entry cannot be called as the exercise asks, before it is called at all."""
        kind, is_class = Kind.NOT_CALLABLE, request["is_class"]
        if not callable(self.answer):
            raise ContractBroken(f"it is {_kind(self.answer)}, not something that can be called", kind)
        if is_class != isinstance(self.answer, type):
            raise ContractBroken(f"it must be a {'class' if is_class else 'function, not a class'}", kind)
        names = list(request["settings"]) if is_class else [a["name"] for a in request["arguments"]]
        try:
            signature = inspect.signature(self.answer)
        except (TypeError, ValueError):
            return
        if is_class:
            self.own_names = _own_names(signature, names)
            self.by_place = not self.own_names.keys() >= {*names} and _binds(signature, names)
        try:
            if is_class and not self.by_place:
                signature.bind(**{self.own_names.get(name, name): None for name in names})
            else:
                signature.bind(*names)
        except TypeError as error:
            must = f"it must take ({', '.join(names)}): {_shortened(error)[:MAX_SIGNATURE]}"
            text = str(signature)
            text = text if len(text) <= MAX_SIGNATURE else f"{text[:MAX_SIGNATURE]}…"
            raise ContractBroken(f"its signature is {text}; {must}", kind) from None

    def _call_in_a_variant(self, request: CallRequest, arrays: Arrays) -> tuple[Header, Arrays]:
        """Call the entry once, in each of the framework's array types until one works."""
        first: BaseException | None = None
        is_double = any(array.dtype == "float64" for array in arrays)
        for variant in self.adapter.variants(self.answer):
            try:
                with (
                    variant,
                    reported(self.refused_calls),
                    self.adapter.in_double() if is_double else nullcontext(),
                ):
                    return self._call(request, arrays)
            except ContractBroken:
                raise
            except (Exception, SystemExit) as error:
                first = first or error
        assert first is not None
        raise first

    def _call(self, request: CallRequest, arrays: Arrays) -> tuple[Header, Arrays]:
        train, differentiate = bool(request["train"]), request["cotangents"] is not None
        leaves: dict[str, Any] = {}
        with self.adapter.record(train) if train or differentiate else nullcontext():
            target = self._construct(request, arrays, leaves, train) if request["is_class"] else self.answer
            # What is measured is handed in as for gradients, so that no answer can tell the two apart.
            track = differentiate or request["measure"]
            earlier = [self._argument(a, arrays, {}, False) for a in request["earlier"]]
            handed = [self._argument(a, arrays, leaves, track) for a in request["arguments"]]
            watch = Variables(self.answer, self._array) if request.get("watch") else None
            with (
                self.adapter.measured() if request["measure"] else nullcontext() as memory,
                watch.noted() if watch else nullcontext(),
            ):
                result = self._result(target, request["arguments"], handed, earlier)
            outputs = self._outputs(request, target, result)
        reply, sent = self._pack(outputs)
        if memory is not None:
            reply["memory"] = [memory.largest, memory.peak]
        for name, line, array in watch.values if watch else ():
            reply.setdefault("variables", []).append({"name": name, "line": line, "array": len(sent)})
            sent.append(array)
        for argument, value in zip(request["arguments"], handed, strict=True):
            if "parts" in argument:
                reply["cached"] = numbers_in(value, self._size)
        if differentiate:
            reply["gradients"] = self._gradients(request, arrays, outputs, leaves, sent)
        reply["changed"] = [
            argument["name"]
            for argument, value in zip(request["arguments"], handed, strict=True)
            if ("array" in argument and _differ(self._sendable(value), arrays[argument["array"]]))
            or (argument.get("list") and tuple(value) != tuples(argument["plain"]))
        ]
        return reply, sent

    def _result(
        self, target: Any, arguments: Sequence[ArgumentHeader], handed: list[Any], earlier: list[Any]
    ) -> Any:
        """Return what one call gives; or several that share a cache, joined. earlier: with what it is called before each."""
        cache = next((i for i, argument in enumerate(arguments) if "parts" in argument), None)
        if cache is None:
            if earlier:
                target(*earlier)
            return target(*handed)
        results = self._results_of_parts(target, arguments, handed, earlier, cache)
        if all(isinstance(result, int | float | np.floating) for result in results):
            return tuple(results)
        wrong = [r for r in results if not self.adapter.is_array(r) or len(r.shape) < 2]
        return wrong[0] if wrong else self.adapter.joined(results)

    def _results_of_parts(
        self,
        target: Any,
        arguments: Sequence[ArgumentHeader],
        handed: list[Any],
        earlier: list[Any],
        cache: int,
    ) -> list[Any]:
        """Return the results of several calls that share a cache. cache: which argument it is."""
        first = next(i for i, argument in enumerate(arguments) if "array" in argument)
        models = [(a["name"], vars(v)) for a, v in zip(arguments, handed, strict=True) if "stands_in" in a]
        attributes_before, results = [set(attributes) for _, attributes in models], []
        for i, part in enumerate(time_slices(arguments[cache]["parts"], handed[first].shape[1])):
            if earlier:
                target(*_of_call(arguments, earlier, i, first, part))
            results.append(target(*_of_call(arguments, handed, i, first, part)))
            if arguments[cache].get("stored"):
                self._refuse_unkept(arguments[cache]["name"], handed[cache])
                for (name, attributes), before in zip(models, attributes_before, strict=True):
                    if new := attributes.keys() - before:
                        must = f"what a call hands on must be in {arguments[cache]['name']}"
                        raise ContractBroken(f"it sets {name}.{min(new)}, which no file holds; {must}")
        return results

    def _size(self, value: Any) -> int:
        """Count the numbers that something in a cache holds."""
        return math.prod(value.shape) if self.adapter.is_array(value) else 1

    def _refuse_unkept(self, name: str, cache: Mapping[str, Any]) -> None:
        """Raise ContractBroken for what a checkpoint does not hold."""
        for key, value in cache.items():
            if not self.adapter.is_array(value) and not isinstance(value, int | float | np.number):
                must = "it must be a number or an array, which a file can hold"
                raise ContractBroken(f"{name}[{key!r}] is {_kind(value)}; {must}", Kind.NOT_STORABLE)

    def _argument(
        self, argument: ArgumentHeader, arrays: Arrays, leaves: dict[str, Any], differentiate: bool
    ) -> Any:
        if "parts" in argument:
            return empty_caches(argument["caches"])
        if "stands_in" in argument:
            adapter = self.adapter
            make = STAND_INS[argument["stands_in"]]
            stand_in = make(argument["plain"], adapter.numpy, lambda value: adapter.array(value, False)[1])
            if (
                not isinstance(stand_in, TrainableModel)
                or (module := adapter.trainable_module(*stand_in.sizes)) is None
            ):
                return stand_in
            # A module of the framework computes the same, with the same learned arrays.
            for path, learned in stand_in.learned.items():
                adapter.set_parameter(module, path, learned.astype(np.float32))
            return module
        if "plain" in argument:
            plain = tuples(argument["plain"])
            return list(plain) if argument.get("list") else plain
        value = arrays[argument["array"]]
        if argument.get("integers"):
            return self.adapter.integers(value)
        track = differentiate and value.dtype.kind == "f"
        leaf, handed = self.adapter.array(value, track)
        if track:
            leaves[argument["name"]] = leaf
        return handed

    def _construct(self, request: CallRequest, arrays: Arrays, leaves: dict[str, Any], train: bool) -> Any:
        module = self._instance(request["settings"])
        self._refuse_foreign(module)
        self.adapter.set_mode(module, train)
        learned = {p["path"]: arrays[p["array"]] for p in request["parameters"]}
        begins = {p["path"]: p["begins"] for p in request["parameters"]}
        paths, shapes = self._paths(module, learned, request, arrays)
        for path, value in learned.items():
            spelling = paths[path]
            shape = shapes[spelling]
            fits = all(n in (0, m) for n, m in zip(shape, value.shape, strict=False))
            if len(shape) not in (0, value.ndim) or not fits:
                raise ContractBroken(
                    f"its parameter {spelling} has shape {shape}; it must have {value.shape}"
                )
            if (beginning := begins[path]) is not None:
                self._refuse_other_beginning(module, spelling, value.shape, beginning)
            leaves[path] = self.adapter.set_parameter(module, spelling, value)
        if not callable(module):
            raise ContractBroken("what it makes cannot be called")
        return module

    def _paths(
        self, module: Any, learned: dict[str, np.ndarray], request: CallRequest, arrays: Arrays
    ) -> tuple[dict[str, str], dict[str, tuple[int, ...]]]:
        """Return how the module spells the path of each learned array, and the shapes of its own, by these paths.

        Raises ContractBroken where it has others.
        """
        shapes = self.adapter.parameters(module)
        spelled = {path: (s for s in self.adapter.spellings(path) if s in shapes) for path in learned}
        paths = {path: next(names, None) for path, names in spelled.items()}
        missing = [path for path, spelling in paths.items() if spelling is None]
        more = set(shapes) - set(paths.values())
        # In NumPy the arrays are written out, for as many blocks as there may be.
        surplus = sorted(path for path in more if not self.adapter.is_spare(path, request["settings"]))
        if missing or surplus:
            shapes = self._found_after_a_call(request, arrays, module)
            biases = not missing and all(path.endswith("bias") for path in surplus)
            expected = {path: value.shape for path, value in learned.items()}
            bias = Advice("its layers must have no bias", Kind.LAYERS_WITH_BIAS)
            advice = bias if biases else self._advice(module, missing)
            if not (missing or advice):
                advice = _advice_on_tying(shapes, expected, surplus)
            words, kind = advice or ("", Kind.CONTRACT)
            words = ": ".join(filter(None, [words, _difference(shapes, expected, missing, surplus)]))
            raise ContractBroken(words, kind)
        return {path: spelling for path, spelling in paths.items() if spelling is not None}, shapes

    def _refuse_other_beginning(self, module: Any, path: str, shape: tuple[int, ...], begins: float) -> None:
        """Raise ContractBroken for a learned array that begins with other numbers than it must."""
        first = self.adapter.beginning(module, path, shape)
        if first is not None and not (first == begins).all():
            words = f"its parameter {path} must be {begins:g} before anything is learned, but"
            raise ContractBroken(f"{words} it is {_few(first)}", Kind.OTHER_BEGINNING)

    def _instance(self, settings: Mapping[str, Any]) -> Any:
        """Return what the class makes of the settings."""
        if self.by_place:
            return self.answer(*settings.values())
        return self.answer(**{self.own_names.get(name, name): value for name, value in settings.items()})

    def _advice(self, module: Any, missing: Sequence[str]) -> Advice | None:
        """Return what hides layers or arrays from the framework, so that it does not find their parameters; None if nothing does."""
        for name, value in vars(module).items():
            if name.startswith("_") or not isinstance(value, list | tuple | dict):
                continue
            if any(map(self.adapter.parameters, value.values() if isinstance(value, dict) else value)):
                words = f"layers in a plain {type(value).__name__}, as in {name}, are not found"
                return Advice(words, Kind.LAYERS_IN_A_LIST)
        return next(filter(None, (self._advice_on_array(module, path) for path in missing)), None)

    def _advice_on_array(self, module: Any, path: str) -> Advice | None:
        """Return what stands in the place of a missing array: one that is no parameter, or one that is another too."""
        for spelling in self.adapter.spellings(path):
            value = module
            for name in spelling.split("."):
                value = getattr(value, name, None)
            if any(value is parameter for parameter in self.adapter.parameter_objects(module)):
                words = (
                    f"its {path} is shared: it is another of its parameters too, and must be one of its own"
                )
                return Advice(words, Kind.PARAMETER_SHARED)
            is_plain = self.adapter.is_array(value) or isinstance(value, np.ndarray)
            if is_plain and type(value).__name__ != "Parameter":
                words = f"its {path} is {_kind(value)} and no Parameter, so no training changes it"
                return Advice(words, Kind.NO_PARAMETER)
        return None

    def _refuse_foreign(self, module: Any) -> None:
        """Raise ContractBroken for a class of another framework."""
        framework = frameworks()[self.adapter.name]
        packages = {base.__module__.split(".")[0] for base in type(module).__mro__}
        for other in frameworks().values() if packages.isdisjoint(framework.packages) else ():
            if other.adapter is not None and packages & set(other.packages):
                raise ContractBroken(
                    f"it is a class of {other.title}, and this is the {framework.title} cell"
                )

    def _found_after_a_call(
        self, request: CallRequest, arrays: Arrays, module: Any
    ) -> dict[str, tuple[int, ...]]:
        """Return the parameters, with the shapes that lazy layers take when they are called."""
        with suppress(Exception, SystemExit):
            module(*(self._argument(argument, arrays, {}, False) for argument in request["arguments"]))
        return self.adapter.parameters(module)

    def _outputs(self, request: CallRequest, target: Any, result: Any) -> list[Any]:
        """Collect the outputs: returned ones in the order asked for, attributes from the module."""
        returned = [o for o in request["outputs"] if o["attribute"] is False]
        several = isinstance(result, (tuple, list))
        values = [result] if len(returned) == 1 else list(result) if several else None
        if values is None or len(values) != len(returned):
            names = ", ".join(o["name"] for o in returned)
            got = f"{len(result)} results" if several else _kind(result)
            one = Kind.NOTHING_RETURNED if result is None else Kind.RESULTS_MISSING
            kind = one if values is None or len(values) == 1 else Kind.CONTRACT
            raise ContractBroken(f"it returns {got}; it must return {len(returned)} results: {names}", kind)
        remaining = iter(values)
        collected = []
        for output in request["outputs"]:
            if not output["attribute"]:
                collected.append(next(remaining))
            elif hasattr(target, output["name"]):
                collected.append(getattr(target, output["name"]))
            else:
                missing = f"it has no attribute {output['name']} after the call"
                raise ContractBroken(missing, Kind.NOTHING_KEPT)
        return collected

    def _pack(self, outputs: list[Any]) -> tuple[Header, Arrays]:
        described: list[Header] = []
        sent: Arrays = []
        for value in outputs:
            if self.adapter.is_array(value):
                described.append({"array": len(sent)})
                sent.append(self._sendable(value))
                continue
            try:
                described.append({"plain": _plain(value), "tuple": isinstance(value, tuple)})
            except TypeError:
                described.append({"foreign": _kind(value)})
        return {"outputs": described}, sent

    def _gradients(
        self, request: CallRequest, arrays: Arrays, outputs: list[Any], leaves: dict[str, Any], sent: Arrays
    ) -> list[Header]:
        judged, cotangents = [], []
        for value, index in zip(outputs, request["cotangents"] or [], strict=True):
            if index is None or not self.adapter.is_array(value):
                continue
            if tuple(value.shape) == arrays[index].shape:
                judged.append(value)
                cotangents.append(arrays[index])
        gradients = self.adapter.gradients(judged, cotangents, list(leaves.values()))
        described: list[Header] = []
        for name, gradient in zip(leaves, gradients, strict=True):
            described.append({"name": name, "array": None if gradient is None else len(sent)})
            if gradient is not None:
                sent.append(self._sendable(gradient))
        return described

    def _array(self, value: Any) -> np.ndarray | None:
        return self._sendable(value) if self.adapter.is_array(value) else None

    def _sendable(self, value: Any) -> np.ndarray:
        array = self.adapter.numpy(value)
        if name_of(array) not in DTYPES:
            raise ContractBroken(f"an array of type {array.dtype} is none that the exercise asks for")
        if array.nbytes > MAX_PAYLOAD // 64:
            raise ContractBroken(f"a result of {array.nbytes} bytes is far larger than the one asked for")
        return array


def _of_call(
    arguments: Sequence[ArgumentHeader], values: Sequence[Any], i: int, first: int, part: slice
) -> list[Any]:
    """Return what one of several calls gets: its part of the first array, and its own of what each has one of."""
    inputs = [v[i] if a.get("per_call") else v for a, v in zip(arguments, values, strict=True)]
    return [*inputs[:first], inputs[first][:, part], *inputs[first + 1 :]]


def _own_names(signature: inspect.Signature, names: Sequence[str]) -> dict[str, str]:
    """Return a class's names for those that an exercise gives: what it calls otherwise is taken in its order.

    What has no default comes first; arguments that it does not name are its own affair.
    """
    parameters = signature.parameters.values()
    by_name = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    candidates = sorted((p for p in by_name if p.name not in names), key=lambda p: p.default is not p.empty)
    if any(p.kind == p.VAR_KEYWORD for p in parameters):
        candidates = [p for p in candidates if p.default is p.empty]
    matched = {p.name: p.name for p in by_name if p.name in names}
    unmatched = [name for name in names if name not in matched]
    return matched | {name: p.name for name, p in zip(unmatched, candidates, strict=False)}


def _binds(signature: inspect.Signature, names: Sequence[str]) -> bool:
    """Return whether a class takes so many arguments by their places, and not by any name."""
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    with suppress(TypeError):
        signature.bind(*names)
        return any(p.kind in by_place for p in signature.parameters.values())
    return False


def _differ(after: np.ndarray, before: np.ndarray) -> bool:
    """Return whether an argument is another one after the call; entries that are not numbers may stay."""
    return after.shape != before.shape or after.astype(before.dtype).tobytes() != before.tobytes()


def describe_error(error: BaseException, is_own: Callable[[str], bool]) -> Failure:
    """Return type, message and the innermost line of the learner's own source."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    line = frames[-1] if frames else None
    where = _where(line.filename) if line else None
    if line and where == CELL and line.filename != frames[0].filename:
        where = f"another cell, in {_shortened(line.name)}"
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    functions = [code.co_qualname for code in codes if is_own(code.co_filename)]
    failure: Failure = {
        "type": _shortened(type(error).__name__),
        "message": _shortened(_first_paragraph(error)),
        "line": line.lineno if line else None,
        "where": where,
        "source": _shortened(line.line) if line else None,
        "function": _shortened(functions[-1]) if len(functions) > 1 else None,
    }
    if isinstance(error, SyntaxError):
        failure |= {"type": "SyntaxError", "message": _shortened(error.msg), "line": error.lineno}
        failure |= {"where": _where(error.filename), "source": _shortened(error.text), "function": None}
    return failure


def _where(filename: str | None) -> str | None:
    """Return what holds a line, in words; None where a file's name says nothing to its learner."""
    name = (filename or "").strip("<>")
    if "ipykernel" in name or "ipython-input" in name:
        return CELL
    if re.fullmatch(r"cell \d+|the file", name):
        return name
    return name.replace("\\", "/").rsplit("/", 1)[-1][:80] if name.endswith(".py") else None


def _first_paragraph(error: BaseException) -> str:
    """Return the message without the long native stack that MXNet appends to it; of a misspelt attribute, with the nearest."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        return "(its message cannot be shown)"
    paragraph = [line for line in lines if not line.startswith(("Stack trace", "  [bt]", "  File"))]
    message = " ".join(paragraph[:3]).removeprefix("Traceback (most recent call last): ")
    with suppress(Exception):  # a half-made module has no list of its names
        if isinstance(error, AttributeError):
            attributes = {name: name for name in dir(error.obj)}
            message += did_you_mean(str(error.name), attributes, ". Did you mean {}?", MISSPELT)
    return message


def _shortened(text: object) -> str:
    return str(text or "")[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    package, name = str(type(value).__module__).split(".")[0], str(type(value).__name__)[:80]
    if name in ("ndarray", "NDArray", "Tensor", "Parameter"):
        array_types = (f.array for f in frameworks().values() if package in f.packages)
        return next(array_types, f"a {name}")
    return f"a{'n' if name[:1].lower() in 'aeiou' else ''} {name}"


def _plain(value: Any, depth: int = 3) -> Any:
    """Return a plain value as JSON has it. Raises TypeError for anything that is not plain."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        value = value.item()
    if value is None or type(value) in (bool, int, float):
        return value if not isinstance(value, int) or abs(value) < 2**63 else str(value)[:80]
    if type(value) is str:
        return _shortened(value)
    if isinstance(value, (tuple, list)) and depth and len(value) <= MAX_ITEMS:
        return [_plain(item, depth - 1) for item in value]
    raise TypeError


def _advice_on_tying(
    shapes: Mapping[str, tuple[int, ...]], expected: Mapping[str, tuple[int, ...]], surplus: Sequence[str]
) -> Advice | None:
    """Return which surplus array is a second one of an embedding's shape; None if none is."""
    embeddings = [path for path in expected if "embedding" in path]
    twins = ((path, e) for path in surplus for e in embeddings if shapes.get(path) == expected[e])
    words = "its {0} is not tied: the output layer must use {1}, and have no array of its own"
    return next((Advice(words.format(*twin), Kind.NOT_TIED) for twin in twins), None)


def _difference(
    shapes: Mapping[str, tuple[int, ...]],
    expected: Mapping[str, tuple[int, ...]],
    missing: Sequence[str],
    surplus: Sequence[str],
) -> str:
    """Return how parameters differ from what they must be: all of a layer's, and of a model's only those that differ."""
    if len(expected) <= MANY_PARAMETERS:
        return f"its parameters are {_listed(shapes)}; they must be {_listed(expected)}"
    lacks = f"lacks {_listed({path: expected[path] for path in missing})}"
    has = f"has {_listed({path: shapes[path] for path in surplus if path in shapes})}, which it must not have"
    differences = [lacks] * bool(missing) + [has] * bool(surplus)
    return f"of its parameters it {' and it '.join(differences)}"


def _few(numbers: np.ndarray) -> str:
    """Return some of many numbers, in words."""
    first = [f"{number:.3g}" for number in numbers.flat[:3]]
    return first[0] if len({*numbers.flat}) == 1 else f"[{', '.join(first)}{', …' * (numbers.size > 3)}]"


def _listed(parameters: Mapping[str, tuple[int, ...]]) -> str:
    words = [f"{path} {shape}" for path, shape in parameters.items()]
    more = [f"{len(words) - MANY_PARAMETERS} more"] if len(words) > MANY_PARAMETERS else []
    return ", ".join([*words[:MANY_PARAMETERS], *more]) or "none"
