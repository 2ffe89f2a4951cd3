"""The verdict on one exercise: which layer decides, what is asked for when, and what of a reply is believed."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.judge.functions import FunctionTransport
from autograder.judge.protocol import Tampering
from autograder.judge.trial import Trial, judge
from autograder.model.exercise import IDEA_ERRORS, Argument, Case, Exercise, Output, Property
from autograder.model.finding import Kind
from autograder.model.verdict import ATOL


def scaled(X, factor):
    return X * factor


def cases(rng):
    return [
        Case("two rows", {"X": rng.normal(size=(2, 3)), "factor": 2.0}, gradient=True),
        Case("one row", {"X": rng.normal(size=(1, 4)), "factor": 3.0}),
    ]


EXERCISE = Exercise(
    name="scaled",
    title="A multiple",
    statement="",
    entry="scaled",
    arguments=(Argument("X", "(rows, columns)"), Argument("factor", "float")),
    returns=(Output("Y", "(rows, columns)"),),
    reference=scaled,
    cases=cases,
    points=3,
)
ERROR = {
    "type": "ValueError",
    "message": "no",
    "line": 4,
    "source": "raise ValueError('no')",
    "where": "",
    "function": "f",
}


class Scripted(FunctionTransport):
    """A right answer; a reply to the numbered call is changed, and calls for gradients are answered too.

    replies: by the number of a call what takes the place of entries of its reply. gradients: a factor of each.
    """

    def __init__(self, exercise=EXERCISE, replies=(), function=None, gradients=None):
        super().__init__(exercise, function or exercise.reference)
        self.replies, self.factor, self.calls = dict(replies), gradients, []
        self.differentiates = gradients is not None

    def exchange(self, header, arrays):
        reply, sent = super().exchange(header, arrays)
        if header["cotangents"] is not None and "error" not in reply:
            place = header["cotangents"][0]
            factor = next(a["plain"] for a in header["arguments"] if a["name"] == "factor")
            reply["gradients"] = [{"name": "X", "array": len(sent)}]
            sent = [*sent, arrays[place] * factor * self.factor]
        changes = self.replies.get(len(self.calls), {})
        self.calls.append(header)
        return (changes if changes.keys() & {"error", "contract_broken"} else {**reply, **changes}), sent


def verdict_on(exercise=EXERCISE, **options):
    return judge(exercise, Scripted(exercise, **options), "torch")


def test_a_right_answer_is_accepted_with_all_points():
    verdict = verdict_on(gradients=1)
    assert (verdict.outcome, verdict.points, verdict.max_points) == ("accepted", 3, 3)
    assert verdict.message == "It computes the reference on all 2 cases, values and gradients."
    assert verdict.failed_stage is None and verdict.exercise == "scaled" and verdict.framework == "torch"


def test_where_no_gradient_can_be_asked_for_the_verdict_speaks_of_values_alone():
    for verdict in (
        verdict_on(),
        verdict_on(replace(EXERCISE, cases=lambda rng: cases(rng)[1:]), gradients=1),
    ):
        assert verdict.outcome == "accepted" and verdict.message.endswith(" cases, values.")


def test_an_argument_that_is_changed_decides_before_all_else():
    wrong = [("changed", ["X"]), ("outputs", [{"plain": None}])]
    verdict = verdict_on(replies={0: dict(wrong)})
    assert (verdict.outcome, verdict.failed_stage, verdict.kind) == (
        "rejected",
        "contract",
        Kind.ARGUMENT_CHANGED,
    )
    assert verdict.message == "It changes its argument X in place: work on a copy." and verdict.points == 0
    assert (verdict.case, verdict.axis_lengths) == ("two rows", "rows 2, columns 3")


@pytest.mark.parametrize("name", ["Z", "factor"])
def test_an_argument_that_cannot_have_changed_is_tampering(name):
    with pytest.raises(Tampering, match=f"no array or list named {name} was handed in"):
        verdict_on(replies={0: {"changed": [name]}})


@pytest.mark.parametrize(("kind", "case"), [("not_callable", None), ("contract", "one row")])
def test_a_contract_that_is_broken_is_told_with_the_case_unless_nothing_was_called(kind, case):
    verdict = verdict_on(replies={1: {"contract_broken": "it takes no X", "kind": kind}})
    assert (verdict.outcome, verdict.failed_stage, verdict.case) == ("rejected", "contract", case)
    assert verdict.message == "It takes no X."


def test_an_answer_that_stops_is_an_error_in_its_case():
    verdict = verdict_on(replies={1: {"error": ERROR}})
    assert (verdict.outcome, verdict.case, verdict.kind) == ("error", "one row", Kind.STOPS)
    assert verdict.message == "It stops with ValueError: no (line 4: `raise ValueError('no')`)"


@pytest.mark.parametrize(
    ("source", "message", "function", "outcome", "words"),
    [
        (
            "raise NotImplementedError",
            "",
            "scaled",
            "missing",
            "Not written yet: it still raises NotImplementedError.",
        ),
        ("", "", "scaled", "missing", "Not written yet: it still raises NotImplementedError."),
        (
            "raise NotImplementedError",
            "",
            "helper",
            "error",
            "It calls helper, which is not written yet (line 4",
        ),
        ("", "by the library", "scaled", "missing", "Not written yet"),
        (
            "x.run()",
            "by the library",
            "scaled",
            "error",
            "It stops with NotImplementedError: by the library (line 4",
        ),
    ],
)
def test_an_answer_that_is_not_written_is_missing(source, message, function, outcome, words):
    error = {
        **ERROR,
        "type": "NotImplementedError",
        "source": source,
        "message": message,
        "function": function,
    }
    if not source and message:  # a library raises it in a function: that is an error of its own
        outcome, words = "error", "It stops with NotImplementedError: by the library"
    verdict = verdict_on(replies={0: {"error": error}})
    assert verdict.outcome == outcome and verdict.message.startswith(words)


def test_a_class_without_forward_is_told_so():
    layer = replace(EXERCISE, is_class=True)
    error = {
        **ERROR,
        "type": "NotImplementedError",
        "source": "",
        "message": "Module is missing forward",
        "line": None,
        "function": None,
    }
    verdict = judge(layer, Scripted(layer, replies={0: {"error": error}}), "torch")
    assert (verdict.outcome, verdict.message) == (
        "missing",
        "Not written yet: its class has no method forward.",
    )


def test_nothing_after_a_call_that_failed_is_looked_at():
    """The second case is wrong too, and was never asked for."""
    verdict = verdict_on(replies={0: {"error": ERROR}, 1: {"outputs": [{"plain": 1}]}})
    assert verdict.case == "two rows" and verdict.outcome == "error"
    three = replace(EXERCISE, cases=lambda rng: [*cases(rng), replace(cases(rng)[0], note="three")])
    verdict = verdict_on(three, replies={1: {"error": ERROR}, 2: {"outputs": [{"plain": 1}]}})
    assert verdict.case == "one row" and verdict.outcome == "error"


def test_wrong_values_are_told_with_the_place_where_they_differ_most():
    def answer(X, factor):
        Y = X * factor
        Y[0, 1] += 1
        return Y

    verdict = verdict_on(function=answer)
    assert (verdict.outcome, verdict.failed_stage, verdict.kind) == ("rejected", "values", Kind.VALUES)
    assert verdict.message == "The values of Y are not right." and verdict.case == "two rows"
    assert verdict.difference.where == (0, 1)
    assert verdict.difference.got == pytest.approx(verdict.difference.expected + 1)


def test_the_first_case_that_is_wrong_is_shown_and_its_form_before_values_of_others():
    def later(X, factor):
        return X * factor + (len(X) == 1)

    assert verdict_on(function=later).case == "one row"
    verdict = verdict_on(function=lambda X, factor: X * factor + (1 if len(X) == 2 else 5))
    assert verdict.case == "two rows"
    assert verdict.difference.got == pytest.approx(verdict.difference.expected + 1)

    def shape_later(X, factor):
        return X * factor + 1 if len(X) == 2 else X.T * factor

    verdict = verdict_on(function=shape_later)
    assert (verdict.failed_stage, verdict.case, verdict.difference) == ("contract", "one row", None)
    assert verdict.message == "Y has shape (4, 1); it must have (1, 4), (rows, columns)."
    verdict = verdict_on(function=lambda X, factor: (X * factor).astype(int))
    assert verdict.message == "Y has type int64; it must be float32."


def test_of_several_results_those_that_are_wrong_are_named():
    two = replace(
        EXERCISE,
        returns=(
            Output("Y", "(rows, columns)"),
            Output("n", "int", plain=True),
            Output("Z", "(rows, columns)"),
        ),
        reference=lambda X, factor: (X * factor, len(X), X),
    )
    answers = {
        "Y and Z": lambda X, factor: (X, len(X), X * factor),
        "n": lambda X, factor: (X * factor, len(X) + 1, X),
        "Y, n and Z": lambda X, factor: (X, len(X) + 1, X * factor),
    }
    for names, answer in answers.items():
        verdict = judge(two, Scripted(two, function=answer), "torch")
        assert verdict.message == f"The values of {names} are not right."
    assert judge(two, Scripted(two, function=answers["n"]), "torch").difference is None


def test_a_wrong_choice_is_told_as_the_learner_gave_it():
    choice = replace(
        EXERCISE,
        returns=(Output("kind", '"soft" or "hard"', plain=True),),
        reference=lambda X, factor: "soft",
    )
    verdict = judge(choice, Scripted(choice, function=lambda X, factor: "hard"), "torch")
    assert verdict.message == 'Your answer for this case, "hard", is not right.'


# Where the reference is 0 and the answer nearly: what is looked at decides whether it is right.
EXACT = replace(EXERCISE, returns=(Output("Y", "(rows, columns)", exact_zeros=True),))
SMALL = ATOL["float32"] / 2


def without_first(X, factor):
    return X * factor * (np.arange(X.shape[1]) > 0)


def nearly_without_first(X, factor):
    return without_first(X, factor) + SMALL * (np.arange(X.shape[1]) == 0)


def test_where_exactly_zero_is_asked_nearly_zero_is_shown_as_wrong():
    exact = replace(EXACT, reference=without_first)
    verdict = verdict_on(exact, function=nearly_without_first)
    assert (verdict.outcome, verdict.message) == ("rejected", "The values of Y are not right.")
    assert verdict.difference.where[1] == 0 and verdict.difference.got == pytest.approx(SMALL)
    assert (
        verdict_on(replace(EXERCISE, reference=without_first), function=nearly_without_first).outcome
        == "accepted"
    )


def test_nearly_zero_is_wrong_in_a_further_call_too():
    (first, _) = (case.inputs["X"] for case in cases(np.random.default_rng(0)))

    def answer(X, factor):
        known = len(X) == 1 or np.isclose(X[0, 0], first[0, 0])
        return (without_first if known else nearly_without_first)(X, factor)

    verdict = verdict_on(replace(EXACT, reference=without_first), function=answer)
    assert verdict.message.startswith("In other calls it is right") and verdict.failed_stage == "properties"


def test_gradients_are_asked_for_only_where_the_values_are_right_and_the_case_says_so():
    right, wrong = Scripted(gradients=1), Scripted(gradients=1, function=lambda X, factor: X)
    assert judge(EXERCISE, right, "torch").outcome == "accepted"
    assert sum(call["cotangents"] is not None for call in right.calls) == 1
    assert not any(call["train"] for call in right.calls)
    assert judge(EXERCISE, wrong, "torch").failed_stage == "values"
    assert not any(call["cotangents"] is not None for call in wrong.calls)


def test_a_wrong_gradient_is_rejected_in_its_case():
    verdict = verdict_on(gradients=2)
    assert (verdict.exercise, verdict.framework, verdict.max_points) == ("scaled", "torch", 3)
    assert (verdict.outcome, verdict.failed_stage, verdict.kind) == ("rejected", "gradients", Kind.GRADIENT)
    assert verdict.message.startswith("Its values are right, but the gradient of X is not")
    assert verdict.case == "two rows" and verdict.points == 0


def calls_before_gradients():
    transport = Scripted(gradients=1)
    judge(EXERCISE, transport, "torch")
    return next(i for i, call in enumerate(transport.calls) if call["cotangents"] is not None)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"contract_broken": "it calls torch.softmax, which may not be called"}, "It calls torch.softmax"),
        ({"error": ERROR}, "Its values are right, but differentiating stops with ValueError: no (line 4"),
    ],
)
def test_what_stops_while_differentiating_is_rejected_with_its_reason(reply, words):
    verdict = verdict_on(gradients=1, replies={calls_before_gradients(): reply})
    assert (verdict.outcome, verdict.failed_stage, verdict.case) == ("rejected", "gradients", "two rows")
    assert verdict.message.startswith(words)


def with_property(holds, **more):
    return replace(EXERCISE, properties=(Property("Each row must be as long", holds, **more),))


def test_a_required_property_is_asked_of_right_values_and_told_with_what_does_not_hold():
    broken = with_property(
        lambda run, case: "row 0 is short" if len(case.inputs["X"]) == 1 else None, required=True
    )
    verdict = verdict_on(broken)
    assert (verdict.outcome, verdict.failed_stage, verdict.case) == ("rejected", "properties", "one row")
    assert verdict.message == "Each row must be as long, but row 0 is short."
    assert (
        verdict_on(replace(broken, properties=(replace(broken.properties[0], required=False),))).outcome
        == "accepted"
    )


def test_a_property_may_name_an_idea():
    broken = with_property(
        lambda run, case: "short", required=True, misconceptions={"short": "The rows are short."}
    )
    verdict = verdict_on(broken)
    assert (verdict.misconception, verdict.hint, verdict.kind) == ("short", "The rows are short.", Kind.IDEA)


def test_a_property_in_training_is_asked_only_where_there_is_training_and_says_so():
    def holds(run, case):
        run(case, True)
        return "it fails"

    noted = replace(
        with_property(holds, required=True, in_training=True),
        cases=lambda rng: [replace(case, note="in evaluation mode") for case in cases(rng)],
    )
    transport = Scripted(with_property(lambda run, case: run(case) and None, required=True))
    judge(transport.exercise, transport, "torch")
    assert not any(call["train"] for call in transport.calls)
    transport = Scripted(noted, gradients=1)
    assert judge(noted, transport, "torch").case == "in training mode"
    assert transport.calls[-1]["train"] is True
    assert judge(noted, Scripted(noted), "torch").outcome == "accepted"


def test_a_property_that_cannot_be_looked_at_is_not_broken():
    """Its call fails, or gives what is no array."""

    def holds(run, case):
        run(replace(case, inputs={**case.inputs, "X": np.zeros((0, 0))}))
        return "never said"

    def answer(X, factor):
        if not X.size:
            raise ValueError("empty")
        return X * factor

    assert verdict_on(with_property(holds, required=True), function=answer).outcome == "accepted"


def test_a_plain_number_that_numpy_sends_as_an_array_without_axes_is_that_number():
    counted = replace(
        EXERCISE, returns=(Output("n", "int", plain=True),), reference=lambda X, factor: X.shape[0]
    )
    sent = {"outputs": [{"array": 0}]}

    class Sends(Scripted):
        def exchange(self, header, arrays):
            reply, _ = super().exchange(header, arrays)
            return {**reply, **sent}, [np.array(reply["outputs"][0]["plain"])]

    assert judge(counted, Sends(counted), "numpy").outcome == "accepted"
    verdict = judge(counted, Sends(counted), "torch")
    assert (
        verdict.message == "N is an array; it must be int."
        or verdict.message == "n is an array; it must be int."
    )


def test_an_answer_that_gives_an_earlier_result_again_is_told_that_it_keeps_something():
    results = {}

    def remembers(X, factor):
        return results.setdefault(X.shape, X * factor)

    verdict = verdict_on(function=remembers, gradients=1)
    assert (verdict.outcome, verdict.failed_stage, verdict.kind) == (
        "rejected",
        "properties",
        Kind.STATE_KEPT,
    )
    assert verdict.message.startswith("It is right when it is called once, but not when it is called again")
    assert verdict.case == "one row" and verdict.points == 0


def test_an_answer_that_is_wrong_on_other_inputs_keeps_nothing():
    """It is wrong there whenever it is called."""
    (X,) = (case.inputs["X"] for case in cases(np.random.default_rng(0))[:1])

    first = X[0, 0]

    def for_one_order(X, factor):
        return X * factor if len(X) == 1 or np.isclose(X[0, 0], first) else X * factor + 1

    verdict = verdict_on(function=for_one_order)
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.VALUES)
    assert verdict.message == (
        "In other calls it is right, but on the inputs of this case in another order its results are not right."
    )

    transport = Scripted(function=for_one_order)
    judge(EXERCISE, transport, "torch")
    assert not any(call["train"] for call in transport.calls)

    def stops_for_another(X, factor):
        if len(X) == 2 and not np.isclose(X[0, 0], first):
            raise ValueError("unsorted")
        return X * factor

    verdict = verdict_on(function=stops_for_another)
    assert (
        verdict.message.startswith("In other calls it is right") and "ValueError: unsorted" in verdict.message
    )


def test_the_seed_draws_the_cases():
    entries = []

    def answer(X, factor):
        entries.append(X.ravel()[0])
        return X * factor

    for seed in (0, 0, 5):
        judge(EXERCISE, Scripted(function=answer), "torch", seed)
    first = len(entries) // 3
    assert entries[:first] == entries[first : 2 * first] != entries[2 * first :]


@pytest.mark.parametrize("error", IDEA_ERRORS, ids=lambda error: error.__name__)
def test_a_function_that_stops_is_an_answer_that_stops(error):
    def stops(**arguments):
        raise error("no")

    verdict = judge(EXERCISE, FunctionTransport(EXERCISE, stops), "numpy")
    assert verdict.outcome == "error" and error.__name__ in verdict.message


# --- A cache that calls share, and memory ------------------------------------------------------------------


def running(X, cache):
    """The sum of all that came, step by step: of two rows it leaves two numbers in the cache."""
    cache["sum"] = cache.get("sum", 0) + X.sum(axis=1, keepdims=True)
    return np.repeat(cache["sum"], X.shape[1], axis=1)


CACHED = replace(
    EXERCISE,
    arguments=(Argument("X", "(rows, steps)"), Argument("cache", "a dictionary", caches="")),
    reference=running,
    cases=lambda rng: [
        Case("in parts", {"X": rng.normal(size=(2, 3)), "cache": (1, 2)}),
        Case("at once", {"X": rng.normal(size=(2, 4)), "cache": (4,)}),
    ],
)


class Holds(Scripted):
    """Says of each call how many numbers lie in the cache, or what the call has held."""

    def __init__(self, exercise=CACHED, function=None, **said):
        super().__init__(exercise, function=function)
        self.said = said

    def exchange(self, header, arrays):
        reply, sent = super().exchange(header, arrays)
        return reply | self.said, sent


@pytest.mark.parametrize("cached", [None, 1, 2, 3])
def test_a_cache_may_hold_half_as_much_again_as_is_enough(cached):
    transport = Holds(**({} if cached is None else {"cached": cached}))
    assert judge(CACHED, transport, "torch").outcome == "accepted"
    # Each text is asked for in turn with another.
    assert [bool(call["earlier"]) for call in transport.calls] == [False, False, True, True]


@pytest.mark.parametrize(
    ("cached", "kind", "words"),
    [
        (0, Kind.CACHE_EMPTY, "Its results are right, but nothing lies in cache after the calls"),
        (4, Kind.CACHE_TOO_LARGE, "Its results are right, but 4 numbers lie in cache after the calls, where 2 are enough"),
    ],
)  # fmt: skip
def test_a_cache_that_holds_nothing_or_too_much_is_rejected(cached, kind, words):
    verdict = judge(CACHED, Holds(cached=cached), "torch")
    assert (verdict.outcome, verdict.failed_stage, verdict.kind) == ("rejected", "properties", kind)
    assert verdict.message.startswith(words) and verdict.case == "in parts"


def test_what_is_kept_outside_a_cache_is_of_the_other_text():
    results = {}

    def remembers(X, cache):
        return results.setdefault(X.shape, running(X, cache))

    verdict = judge(CACHED, Holds(function=remembers), "torch")
    assert verdict.kind == Kind.STATE_KEPT and "each of which has its own cache" in verdict.message


def test_an_answer_is_called_again_on_other_inputs_of_three_cases_and_an_object_in_turn_with_them():
    def four(rng):
        return [Case(str(n), {"X": rng.normal(size=(2, n)), "factor": 2.0}) for n in (2, 3, 4, 5)]

    for exercise in (replace(EXERCISE, cases=four), replace(EXERCISE, cases=four, is_class=True)):
        transport = Scripted(exercise)
        assert judge(exercise, transport, "torch").outcome == "accepted"
        assert [bool(c["earlier"]) for c in transport.calls] == [False] * 4 + [exercise.is_class] * 3
        assert not any(call["train"] or call["measure"] for call in transport.calls)


# --- A layer that is called before on shorter inputs ---------------------------------------------------------


class Layers(Scripted):
    """Calls a new object for each request: on the earlier inputs first, if there are any."""

    def __init__(self, make):
        super().__init__(LAYER)
        self.make, self.earlier = make, []

    def exchange(self, header, arrays):
        layer = self.make()
        self.earlier.append([arrays[a["array"]] if "array" in a else a["plain"] for a in header["earlier"]])

        def function(X, factor):
            if self.earlier[-1]:
                layer(*self.earlier[-1])
            return layer(X, factor)

        self.function = function
        return super().exchange(header, arrays)


def of_sizes(*sizes):
    return lambda rng: [Case(f"{n}", {"X": rng.normal(size=(2, n)), "factor": 2.0}) for n in sizes]


LAYER = replace(EXERCISE, is_class=True, cases=of_sizes(3, 4, 6, 9))


def keeping_a_mask():
    masks = []

    def layer(X, factor):
        masks.append(np.ones(X.shape))
        return X * masks[0] * factor

    return layer


def test_in_one_call_but_the_first_a_layer_is_called_on_half_of_the_inputs_before():
    transport = Layers(lambda: scaled)
    assert judge(LAYER, transport, "torch").outcome == "accepted"
    assert [np.shape(earlier[0]) for earlier in transport.earlier if earlier] == [(2, 3), (2, 2), (2, 6)]
    for sizes, halves in (((3, 1, 1, 5), [1, 1, 2]), ((1, 3), [1, 2]), ((3,), [3]), ((2, 1, 4), [1, 1, 4])):
        exercise = replace(LAYER, cases=of_sizes(*sizes))
        transport = Layers(lambda: scaled)
        transport.exercise = exercise
        judge(exercise, transport, "torch")
        assert [earlier[0].shape[1] for earlier in transport.earlier if earlier] == halves, sizes


def test_a_mask_that_is_kept_from_shorter_inputs_is_said_to_be_kept():
    verdict = judge(LAYER, Layers(keeping_a_mask), "torch")
    assert (verdict.outcome, verdict.failed_stage, verdict.kind) == (
        "rejected",
        "properties",
        Kind.STATE_KEPT,
    )
    assert verdict.message.startswith(
        "It is right when it is called once, but not after a call on shorter inputs"
    )
    assert verdict.case == "4"


def test_a_layer_that_stops_on_the_shorter_inputs_alone_is_called_again_as_it_was():
    def make(again):
        def layer(X, factor):
            if X.shape[1] == 2:
                raise ValueError("too short")
            return X * factor + again()

        return layer

    transport = Layers(lambda: make(lambda: 0))
    assert judge(LAYER, transport, "torch").outcome == "accepted"
    assert [np.shape(e[0]) for e in transport.earlier if e] == [(2, 3), (2, 2), (2, 6), (2, 4)]


def in_training(transport):
    """The calls in training mode: whether each has another before it."""
    return [bool(call["earlier"]) for call in transport.calls if call["train"]]


def test_a_layer_that_drops_nothing_is_called_in_training_mode_once():
    layer = replace(EXERCISE, is_class=True)
    for exercise, gradients, calls in ((layer, 1, [True]), (layer, None, []), (EXERCISE, 1, [])):
        transport = Scripted(exercise, gradients=gradients)
        assert judge(exercise, transport, "torch").outcome == "accepted"
        assert in_training(transport) == calls


def test_it_is_the_last_of_the_calls_on_other_inputs_that_is_in_training_mode():
    transport = Scripted(replace(LAYER, cases=of_sizes(3, 4, 6, 9)), gradients=1)
    judge(transport.exercise, transport, "torch")
    assert [call["train"] for call in transport.calls if call["earlier"]] == [False, False, True]


def test_a_call_that_is_watched_is_one_in_evaluation_mode_that_says_so():
    (case,) = cases(np.random.default_rng(0))[:1]
    transport = Scripted()
    result = Trial(EXERCISE, transport, "torch", 0).watched(case)
    np.testing.assert_allclose(result.outputs[0], case.inputs["X"] * 2)
    (call,) = transport.calls
    assert (call["watch"], call["train"], call["cotangents"], call["measure"]) == (True, False, None, False)


def test_a_layer_that_drops_something_is_not_asked_for_the_same_in_training_mode():
    rule = Property("dropout must drop", lambda run, case: None, in_training=True)
    transport = Scripted(replace(EXERCISE, is_class=True, properties=(rule,)), gradients=1)
    assert (
        judge(transport.exercise, transport, "torch").outcome == "accepted" and in_training(transport) == []
    )


def test_a_layer_with_dropout_that_nothing_asks_for_is_rejected():
    class Drops(Scripted):
        def exchange(self, header, arrays):
            reply, sent = super().exchange(header, arrays)
            return reply, [0 * array for array in sent] if header["train"] else sent

    layer = replace(EXERCISE, is_class=True)
    verdict = judge(layer, Drops(layer, gradients=1), "torch")
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.VALUES)
    assert verdict.message.startswith("Its results are right in evaluation mode, and not in training mode")


def of_memory(held, dtype="float32"):
    rule = Property("A call must hold few numbers", held, required=True, of_memory=True)
    return replace(
        EXERCISE, properties=(rule,), cases=lambda rng: [replace(case, dtype=dtype) for case in cases(rng)]
    )


def test_a_property_of_memory_is_told_what_a_call_holds_and_asks_for_it_alone():
    exercise = of_memory(lambda run, case: f"it holds {run(replace(case, inputs=dict(case.inputs)))}")
    transport = Holds(exercise, memory=[7, 9])
    verdict = judge(exercise, transport, "torch")
    assert (verdict.failed_stage, verdict.message) == (
        "properties",
        "A call must hold few numbers, but it holds (7, 9)",
    )
    assert [call["measure"] for call in transport.calls] == [False] * (len(transport.calls) - 1) + [True]
    assert not transport.calls[-1]["train"]


def test_where_memory_cannot_be_seen_nothing_is_broken():
    assert judge(of_memory(lambda run, case: run(case) and "much"), Scripted(), "torch").outcome == "accepted"


@pytest.mark.parametrize("fails", [False, True])
def test_an_answer_that_is_wrong_while_it_is_measured_is_rejected(fails):
    class Measured(Holds):
        def exchange(self, header, arrays):
            reply, sent = super().exchange(header, arrays)
            if not header["measure"] or (header["arguments"][1]["plain"] == 2.0):
                return reply, sent
            return (self.said | {"error": ERROR}, []) if fails else (reply, [sent[0] + SMALL])

    exercise = replace(of_memory(lambda run, case: run(case) and None), returns=EXACT.returns)
    exercise = replace(exercise, reference=without_first)
    verdict = judge(exercise, Measured(exercise, memory=[7, 9]), "torch")
    assert (verdict.outcome, verdict.failed_stage, verdict.case) == ("rejected", "values", "one row")
    assert verdict.kind == Kind.UNLIKE_WHEN_MEASURED
    assert verdict.message.startswith("Called again while its memory is measured, it does not give")


def test_what_is_right_in_half_precision_is_right_while_it_is_measured():
    """The reference is computed on the numbers that are handed in, which are rounded."""
    exercise = of_memory(
        lambda run, case: run(replace(case, inputs={**case.inputs, "X": case.inputs["X"] + 1e-4})) and None,
        "float16",
    )
    assert judge(exercise, Holds(exercise, memory=[7, 9]), "torch").outcome == "accepted"


def test_what_frameworks_warn_of_is_noted():
    trial = Trial(EXERCISE, Scripted(replies={0: {"warned": ["slow"]}, 1: {"warned": ["old"]}}), "torch", 0)
    trial.verdict()
    assert trial.warned == {"slow", "old"}
