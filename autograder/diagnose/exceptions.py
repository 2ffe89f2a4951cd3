"""What an exception of a library means here, where its cause is known.

Everything that comes from the submission (type, message, line) is only matched and quoted.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np

from autograder.frameworks import frameworks
from autograder.frameworks.base import Framework, Meanings
from autograder.judge import axis_lengths
from autograder.judge.words import article
from autograder.model.exercise import Case, Exercise
from autograder.model.finding import Finding, Kind
from autograder.model.paths import ROOT
from autograder.read.syntax import definitions
from autograder.sandbox.requests import Failure

FLOAT = "A size, a count or an index is a float here, as every division with / gives: divide with //"
# What exceptions of Python and NumPy mean, `<array>` an array of any framework; those of a framework stand in its own
# module.
PLAIN: Meanings = (
    (r"Concatenation operation is not implemented for NumPy arrays", "A NumPy array and {array} meet: use the framework's own functions in place of NumPy's"),
    (r"'numpy\.ndarray' and '(<array>)'|'(<array>)' and 'numpy\.ndarray'", "A NumPy array and {array} meet: make {array} of the NumPy array, or use the framework's own functions in place of NumPy's"),
    (r"shapes (?P<left>\([\d,]+\)) and (?P<right>\([\d,]+\)) not aligned", "A NumPy function is called, and its product does not fit the shapes {left} and {right}: use the framework's own product of batches"),
    (r"setting an array element with a sequence", "A whole array is put where NumPy wants a number: use the framework's own functions in place of NumPy's"),
    (r"Boolean value of Tensor with more than one value is ambiguous|truth value of an (array|NDArray with multiple elements)", "An `if`, `and` or `or` asks a whole array for one yes or no: compare entry by entry, with where", Kind.CONDITION_ON_AN_ARRAY),
    (r"'(<array>)' object is not callable", "{Array} is called like a function: multiply by it, with @ or a product of the framework"),
    (r"bad operand type for unary ~: '(?P<kind>list|tuple)'", "~ inverts a mask, and here it gets a {kind}: make {array} of it first"),
    (r"found element of type float|must be tuple of ints, ?but got float|'float' object cannot be interpreted as an integer|must be (tuple of )?ints?, not float|integer argument expected, got float", FLOAT),
    (r"Integers to negative integer powers are not allowed", "A whole number is raised to a negative power, and the result would be no whole number: write the base as a float, such as 2.0"),
    (r"'(?P<kind>list|tuple)' object is not callable", "A {kind} is called like a function: call its entries, one by one"),
    (r"KeyError: (?P<key>.{1,60})", "A dictionary has no entry for {key}"),
)  # fmt: skip


class StoppedAnswer:
    """An answer that stopped: with what, on which case, and in which framework.

    text: type and message, as Python writes them. source: the learner's line; empty where none is known. array: what the
    framework calls its arrays, "a PyTorch tensor"; Array: the same, which begins a sentence. shapes: those that were
    handed in, as the end of a sentence.
    """

    def __init__(self, exercise: Exercise, case: Case, error: Failure, framework: Framework) -> None:
        self.exercise, self.case, self.framework = exercise, case, framework
        self.text, self.source = f"{error['type']}: {error['message']}", error["source"] or ""
        self.array, self.Array = framework.array, framework.array[:1].upper() + framework.array[1:]
        # Those that have words of their own.
        self.other_frameworks = [
            f for f in frameworks().values() if f.vocabulary.arrays and f is not framework
        ]
        handed = axis_lengths.shapes_text(exercise, case)
        self.shapes = f"; {handed}" if handed else ""

    def with_axes(self, length: str) -> str:
        """Return a length with the names of the axes that have it."""
        return axis_lengths.length_text(self.exercise, self.case, int(length))


# What a rule finds: words, or a finding of a kind of its own.
Explanation = Finding | str | None
Rule = Callable[[StoppedAnswer, re.Match[str]], Explanation]


def explain(exercise: Exercise, case: Case, error: Failure, framework: str) -> Finding | None:
    """Return one sentence without its full stop on why an answer stopped; None where the cause is not known."""
    if not frameworks()[framework].graded:
        return None
    stop = StoppedAnswer(exercise, case, error, frameworks()[framework])
    for pattern, rule in _rules(framework, tuple(frameworks())):
        why = None
        if match := pattern.search(stop.text):
            with suppress(IndexError, ValueError):  # a learner's own text may look like a library's
                why = rule(stop, match)
        if why:
            why = Finding(Kind.STOPS, why) if isinstance(why, str) else why
            return replace(why, cause=why.words.partition(stop.shapes)[0] if stop.shapes else why.words)
    return None


def on_warnings(warned: Iterable[str]) -> str:
    """Return what known warnings mean, as sentences to add; empty where none is known."""
    meanings = [meaning for f in frameworks().values() for meaning in f.vocabulary.warnings]
    sentences = [words for begin, words in meanings if any(text.startswith(begin) for text in warned)]
    return "".join(f" {words}" for words in sentences)


def _arrays() -> set[str]:
    """Return how Python's messages call the arrays of all frameworks."""
    return {name for f in frameworks().values() for name in f.vocabulary.arrays}


def _other(stop: StoppedAnswer, origin: Framework | None = None) -> str:
    """Say that the code is written for another framework than the one it is called in."""
    names = set(re.findall(r"\w+", stop.source))
    users = (f for f in stop.other_frameworks if names & set(f.vocabulary.modules))
    likely = origin or next(users, stop.other_frameworks[0])
    arrays = stop.array.split(" ", 1)[1] + "s"
    return f"This is {likely.title} code in the {stop.framework.title} cell: its arguments are {arrays} here"


def _missing_attribute(stop: StoppedAnswer, match: re.Match[str]) -> Explanation:
    kind, name = match["kind"], match["name"]
    if kind == stop.exercise.entry and f"self.{name}" in stop.source and _module_of(name, stop):
        return f"{name} is a function and no attribute of self: call it without `self.`"
    if kind == "NoneType":
        return _none(stop, match)
    if kind not in (*stop.framework.vocabulary.arrays, "ndarray"):
        return None
    if origin := next((f for f in stop.other_frameworks if name in f.vocabulary.methods), None):
        return _other(stop, origin)
    if kind == "ndarray":
        return f"A NumPy array has no attribute {name}; make {stop.array} of it first"
    return f"{stop.Array} has no method or attribute {name}"


def _missing_name(stop: StoppedAnswer, match: re.Match[str]) -> str | None:
    if stop.exercise.is_class and match["name"] in stop.case.settings:
        attribute = f"self.{match['name']}"
        return f"{match['name']} is not defined here: keep it in __init__, {attribute} = {match['name']}, and use {attribute}"
    if any(f'"{match["name"]}"' in output.description for output in stop.exercise.returns):
        return f'{match["name"]} is a text: write it in quotes, "{match["name"]}"'
    if match["name"] in stop.framework.vocabulary.modules:
        return f"{match['name']} is not defined: import it, or run the cell that does"
    if other := next((f for f in stop.other_frameworks if match["name"] in f.vocabulary.modules), None):
        return f"{match['name']} is not defined: it is {other.title}'s, and this is the {stop.framework.title} cell"
    if module := _module_of(match["name"], stop):
        return f"{match['name']} is not defined here: write `from {module} import {match['name']}` above it"
    return None


def _module_of(name: str, stop: StoppedAnswer) -> str:
    """Return the solution that an answer may import and that defines this name; empty if there is none."""
    module = f"in_{stop.framework.name}"
    # What needs no framework stands in `common.py`, and each framework's module imports it from there.
    for topic in stop.exercise.builds_on if name != stop.exercise.entry else ():
        paths = [ROOT / "solutions" / topic / f"{file}.py" for file in (module, "common")]
        if any(p.is_file() and name in definitions(p.read_text(encoding="utf-8")) for p in paths):
            return f"solutions.{topic}.{module}"
    return ""


def _none(stop: StoppedAnswer, match: re.Match[str] | None = None) -> Explanation:
    empty = [a.name for a in stop.exercise.arguments if stop.case.inputs.get(a.name, 0) is None]
    if ".grad" in stop.source:
        return "A gradient is None here: an array has one after backward(), until it is set to zero"
    if not empty:
        return "Something is None here: does a function that it calls have no return"
    words = f"Something is None here; {' and '.join(empty)} is, in this case"
    if on_the_line := [name for name in empty if name in stop.source]:
        words = (
            f"{' and '.join(on_the_line)} may be None, as in this case, and the line does not allow for that"
        )
    return Finding(Kind.NONE_NOT_EXPECTED, words)


def _wants_an_array(stop: StoppedAnswer, function: str, kind: str) -> Explanation:
    if kind in _arrays():
        return _other(stop)
    if kind in ("numpy.ndarray", "ndarray"):
        return f"{function} wants {stop.array} and gets a NumPy array: make {stop.array} of it first"
    if kind == "NoneType":
        return _none(stop)
    short = function.rsplit(".", 1)[-1]
    if kind in ("int", "float") and hasattr(math, short):
        return f"{function} wants {stop.array} and gets one number: math.{short} takes numbers"
    return f"{function} wants {stop.array} and gets {article(kind)}: make {stop.array} of it first"


def _one_of_the_arguments(stop: StoppedAnswer, match: re.Match[str]) -> Explanation:
    """Explain an argument that is no tensor and should be: PyTorch lists the types of all."""
    kinds = [kind.strip().split("=")[-1] for kind in match["kinds"].split(",")]
    foreign = {"list", "numpy.ndarray", "NoneType", *_arrays()} - {*stop.framework.vocabulary.arrays}
    wrong = next((kind for kind in kinds if kind in foreign), None)
    if wrong is None:
        divided = "/" in stop.source or match["function"] == "repeat_interleave"
        return FLOAT if divided and "float" in kinds else None
    # A list of ints is a shape, and of dims: only where tensors are wanted beside it.
    if wrong == "list" and match["function"] not in FIRST_A_TENSOR:
        return None
    return _wants_an_array(stop, match["function"], wrong)


# Their arguments are tensors and numbers, and never shapes.
FIRST_A_TENSOR = (
    "where", "masked_fill", "matmul", "bmm", "mul", "add", "sub", "div", "maximum", "minimum", "exp", "softmax"
)  # fmt: skip


def _argument_of_operator(stop: StoppedAnswer, match: re.Match[str]) -> Explanation:
    """Explain an argument of MXNet's operators, which take arrays first: what comes next by place is often another array, not the axis."""
    value, name = match["value"].strip(), match["name"]
    if value.startswith(("tensor(", "Parameter")):
        return _other(stop)
    if value.lstrip("-").isdigit() and name != "data":
        return f"MXNet takes {value} for {name}: write the axis by its name, axis={value}"
    if value.startswith(("[", "<mx")) or value == "None":
        return None if value != "None" else _none(stop, match)
    return f"{name} must be an MXNet array, and is {value[:40]}"


def _two(stop: StoppedAnswer, a: str, b: str, how: str) -> str:
    return f"Sizes do not fit: {stop.with_axes(a)} meets {stop.with_axes(b)} {how}{stop.shapes}{_transposed(stop)}"


def _transposed(stop: StoppedAnswer) -> str:
    turned = re.findall(r"(\w+)\.T\b", stop.source)
    # Of a matrix .T is the transpose.
    if all(np.ndim(stop.case.values.get(name, np.zeros((1, 1, 1)))) <= 2 for name in turned):
        return ""
    advice = f": write .{stop.framework.vocabulary.swapped}" if stop.framework.vocabulary.swapped else ""
    return f". `.T` turns all axes round, the batch too{advice}"


def _numbers(words: str) -> list[str]:
    return re.findall(r"-?\d+", words)


def _shape(words: str) -> str:
    numbers = _numbers(words)
    return f"({', '.join(numbers)}{',' if len(numbers) == 1 else ''})"


def _met(stop: StoppedAnswer, match: re.Match[str]) -> str:
    """Explain two shapes that do not fit, with the axes on which they differ, if they have as many."""
    left, right = _numbers(match["left"]), _numbers(match["right"])
    what = f"Sizes do not fit: {_shape(match['left'])} meets {_shape(match['right'])}"
    both = enumerate(zip(left, right, strict=False))
    differ = [i for i, (a, b) in both if a != b and not {"1", "-1"} & {a, b}]
    if len(left) != len(right):
        what += f", {len(left)} axes against {len(right)}"
    elif differ:
        i = differ[0]
        what += f"; axis {i} is {stop.with_axes(left[i])} against {stop.with_axes(right[i])}"
    return what + stop.shapes + _transposed(stop)


def _product(stop: StoppedAnswer, match: re.Match[str]) -> str:
    left, right = _numbers(match["left"]), _numbers(match["right"])
    product = f"A product of {_shape(match['left'])} and {_shape(match['right'])}"
    if len(left) == len(right) == 3 and left[0] != right[0]:
        why = f"needs as many matrices on both sides: {stop.with_axes(left[0])} is not {stop.with_axes(right[0])}"
    elif "trans_b=1" in stop.text or "trans_a=1" in stop.text or "transpose_" in stop.source:
        return f"{product} does not fit with the transposes asked for{stop.shapes}"
    else:
        first = right[-2] if "batch_dot" in stop.text else right[0]
        why = f"needs the last size of the first, {stop.with_axes(left[-1])}, to be the size of the second that it meets, {stop.with_axes(first)}"
    return f"{product} {why}{stop.shapes}{_transposed(stop)}"


def _expected_pair(stop: StoppedAnswer, match: re.Match[str]) -> str:
    expected, got = _numbers(match["left"]), _numbers(match["right"])
    if expected[0] != got[0]:
        return _two(stop, expected[0], got[0], "as the number of matrices, the first axis")
    how = "in the product: the last axis of the first and the second axis of the other"
    return _two(stop, expected[1], got[1], how)


def _dense(stop: StoppedAnswer, match: re.Match[str]) -> Explanation:
    held, inferred = _numbers(match["left"]), _numbers(match["right"])
    if "pick(" in stop.source:
        return (
            "pick takes one number of each row along its axis, so its index needs the shape of the array without that "
            f"axis, {_shape(match['right'])}, and has {_shape(match['left'])}{stop.shapes}"
        )
    if len(held) == len(inferred) == 2 and held[1] != "0" and int(inferred[1]) % max(int(held[1]), 1) == 0:
        return Finding(
            Kind.FEATURES_FLATTENED,
            f"A Dense layer joins all axes but the first, so it sees {inferred[1]} features in place of "
            f"{stop.with_axes(held[1])}: write flatten=False",
        )
    was, request = _shape(match["left"]), _shape(match["right"])
    return f"An array of shape {was} stands where {request} is needed{stop.shapes}"


def _plain(words: str, kind: str = Kind.STOPS) -> Rule:
    """Return a rule that gives the same sentence for every match; its groups may be named in it."""

    def rule(stop: StoppedAnswer, match: re.Match[str]) -> Finding:
        names = {"array": stop.array, "Array": stop.Array, "other": _other(stop)}
        return Finding(Kind(kind), words.format(**match.groupdict(""), **names))

    return rule


def _nothing_recorded(stop: StoppedAnswer, match: re.Match[str]) -> Explanation:
    """Explain that MXNet finds no computation behind a result: the learner's own `backward` has none, or it was cut off."""
    if "backward" in stop.source:
        return (
            "backward() finds nothing to differentiate: the loss must be computed under autograd.record(), and anew "
            "before each call"
        )
    words = "No gradient reaches any argument: the result is made of numbers that were taken out, as asnumpy() does it"
    return Finding(Kind.GRADIENT_CUT, words)


def _signature(stop: StoppedAnswer, match: re.Match[str]) -> str | None:
    """Say that `forward` is called with what the exercise names, or what a line lacks that calls another layer's."""
    *classes, method = match["name"].split(".")
    if classes and stop.source and classes[-1] != stop.exercise.entry:
        lacks = re.search(r"missing \d+ required positional arguments?: (.+)", stop.text)
        return f"{classes[-1]} is called without {lacks[1].replace(chr(39), '`')}" if lacks else None
    if method not in ("forward", "__call__", "hybrid_forward", stop.exercise.entry):
        return None
    names = ", ".join(a.name for a in stop.exercise.arguments)
    return f"{method} must take ({names})" + (" after self" if stop.exercise.is_class else "")


def _operands(stop: StoppedAnswer, match: re.Match[str]) -> Explanation:
    kinds = {match["left"], match["right"]}
    if "NoneType" in kinds:
        return _none(stop, match)
    if kind := next((kind for kind in ("tuple", "list") if kind in kinds), None):
        return f"{_handed_in_as(stop, kind)}, and a {kind} has no arithmetic: make {stop.array} of it first"
    return _other(stop) if len(_arrays() & kinds) == 2 else None


def _handed_in_as(stop: StoppedAnswer, kind: str) -> str:
    """Return the arguments of the case that are of a plain type: "tokens is a tuple", "tokens and pair are tuples"."""
    names = [n for n, v in stop.case.inputs.items() if type(v).__name__ == kind and n in stop.source]
    if len(names) > 1:
        return f"{' and '.join(names)} are {kind}s"
    return f"{names[0] if names else 'Something here'} is a {kind}"


def _here(stop: StoppedAnswer, name: str) -> str:
    """Return what another framework's name is in this one, as the end of a sentence."""
    equivalent = stop.framework.vocabulary.elsewhere.get(name)
    return f": in {stop.framework.title} it is {equivalent}" if equivalent else ""


def _precisions(stop: StoppedAnswer, match: re.Match[str]) -> Finding:
    values = stop.case.inputs.items()
    name = next((n for n, v in values if getattr(getattr(v, "dtype", None), "kind", "") == "f"), "x")
    words = f"Numbers of two precisions meet: give new tensors the type of the arguments, dtype={name}.dtype for example"
    return Finding(Kind.TYPE_OF_A_NEW_ARRAY, words)


_TABLE: Sequence[tuple[str, Rule]] = (
    (r"'(?P<kind>\w+)' object has no attribute '(?P<name>\w+)'", _missing_attribute),
    (r"module 'mxnet\S*' has no attribute '(?P<name>\w+)'", lambda s, m: f"MXNet has no function {m['name']} here{_here(s, m['name'])}"),
    (r"name '(?P<name>\w+)' is not defined", _missing_name),
    (r"Argument (?P<name>\w+) must have NDArray type, but got (?P<value>.*)", _argument_of_operator),
    (r"(?P<function>[\w.]+)\(\): argument '\w+' (\(position \d+\) )?must be (tuple of )?Tensors?, not (?P<kind>[\w.]+)",
     lambda s, m: _wants_an_array(s, m["function"], m["kind"])),
    (r"(?P<function>\w+)\(\) received an invalid combination of arguments - got \((?P<kinds>[^)]*)\)", _one_of_the_arguments),
    (r"expected Tensor as element \d+ in argument \d+, but got (?P<kind>[\w.]+)",
     lambda s, m: _wants_an_array(s, "The function", m["kind"])),
    (r"'tuple' object (does not|doesn't) support item|'tuple' object has no attribute '(append|pop|insert|remove|extend)'", 
     lambda s, m: f"{_handed_in_as(s, 'tuple')}, which cannot be changed: build a new list"),
    (r"Cannot find argument '(?P<name>\w+)'", lambda s, m: f"The MXNet operator has no argument {m['name']}{_here(s, m['name'])}"),
    (r"only one element tensors can be converted|must be real number, not (<array>)",
     lambda s, m: (c := re.search(r"\bmath\.(\w+)", s.source)) and f"{c[0]} takes one number, and gets {s.array}: use {c[1]} of the framework"),
    (r"can only concatenate (?P<kind>list|tuple)",
     lambda s, m: f"{_handed_in_as(s, m[1])}, and + joins a {m[1]} with a {m[1]} only: make both lists first, with list()"),
    (r"unsupported operand type\(s\) for \S+ '(?P<left>[\w.]+)' and '(?P<right>[\w.]+)'", _operands),
    (r"'NoneType' object|object of type 'NoneType'|NoneType", _none),
    (r"expected .*same dtype|expected scalar type|Found dtype", _precisions),
    (r"mat1 and mat2 shapes cannot be multiplied \((?P<left>\d+x\d+) and (?P<right>\d+x\d+)\)", _product),
    (r"Expected size for first two dimensions of batch2 tensor to be: \[(?P<left>[\d, ]+)\] but got: \[(?P<right>[\d, ]+)\]", _expected_pair),
    (r"size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension (?P<axis>\d+)",
     lambda s, m: _two(s, m["a"], m["b"], f"on axis {m['axis']}")),
    (r"Sizes of tensors must match except in dimension (?P<axis>\d+)\. Expected size (?P<a>\d+) but got size (?P<b>\d+)",
     lambda s, m: _two(s, m["a"], m["b"], f"on another axis than {m['axis']}, along which they are joined")),
    (r"stack expects each tensor to be equal size, but got (?P<left>\[[\d, ]*\]) at entry 0 and (?P<right>\[[\d, ]*\])", _met),
    (r"expanded size of the tensor.*Target sizes: (?P<left>\[[-\d, ]*\])\.\s+Tensor sizes: (?P<right>\[[\d, ]*\])",
     lambda s, m: _met(s, m) + (". expand repeats only axes of size 1" if "expand(" in s.source else "")),
    (r"shape mismatch: value tensor of shape (?P<right>\[[\d, ]*\]) cannot be broadcast to indexing result of shape (?P<left>\[[\d, ]*\])", _met),
    (r"subscript (?P<axis>\w) has size (?P<a>\d+) for operand \d+ which does not broadcast with previously seen size (?P<b>\d+)",
     lambda s, m: _two(s, m["a"], m["b"], f"under the letter {m['axis']} of einsum")),
    (r"shape '(?P<left>\[[-\d, ]*\])' is invalid for input of size (?P<size>\d+)",
     lambda s, m: f"{m['size']} numbers cannot be arranged as {_shape(m['left'])}{s.shapes}"),
    (r"dot shape error[^:]*: (?P<left>\[[\d,]+\]) X (?P<right>\[[\d,]+\])", _product),
    (r"broadcast together with shapes (?P<left>\[[\d,]+\]) (?P<right>\[[\d,]+\])", _met),
    (r"Shape inconsistent, Provided = (?P<left>\[[-\d,]+\]), inferred shape=(?P<right>[\[(][-\d,]+[\])])", _dense),
    (r"Incompatible (?:input shape|attr in node .*?): expected (?P<left>\[[-\d,]+\]), got (?P<right>\[[-\d,]+\])", _met),
    (r"Expected target size (?P<left>\[[\d, ]+\]), got (?P<right>\[[\d, ]+\])",
     lambda s, m: f"cross_entropy wants the classes on axis 1: join the batch and the steps first, or transpose{s.shapes}"),
    (r"(Dimension out of range|axis \S+ is out of bounds).*?(but got|array) ?(?P<axis>-?\d+)",
     lambda s, m: f"There is no axis {m['axis']}: the array has fewer axes than the line expects{s.shapes}"),
    (r"index (?P<index>-?\d+) is out of bounds for (dimension|axis) \d+ with size (?P<size>\d+)",
     lambda s, m: f"An index is {m['index']}, but the largest there is {int(m['size']) - 1}: is the index wrong, or is the array too short?"),
    (r"too many indices for (tensor|array)", lambda s, m: f"It has fewer axes than the line has indices{s.shapes}"),
    (r"Cannot differentiate node", _nothing_recorded),
    (r"(?P<name>[\w.]+)\(\) (takes \d+ positional arguments? but|missing \d+ required positional|got an unexpected keyword)", _signature),
)  # fmt: skip


@cache
def _rules(framework: str, names: tuple[str, ...]) -> list[tuple[re.Pattern[str], Rule]]:
    """Return what is known of exceptions: by the framework itself, in Python and NumPy, and by the other frameworks."""
    foreign = (frameworks()[name].vocabulary.exceptions for name in names if name != framework)
    meanings = (frameworks()[framework].vocabulary.exceptions, PLAIN, *foreign)
    rules = [(pattern, _plain(*words)) for these in meanings for pattern, *words in these]
    arrays = "|".join(sorted(_arrays()))
    return [(re.compile(p.replace("<array>", arrays), re.DOTALL), rule) for p, rule in (*rules, *_TABLE)]
