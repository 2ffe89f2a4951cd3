"""Wrong ideas that an answer to any exercise may have and that its values do not show: a bias, a gradient cut off.

They are known by the kind of what is found. The name lets a report count them, and the hint says there what is right.
"""

from dataclasses import replace

from autograder.model.finding import Kind
from autograder.model.verdict import Verdict

PREFIX = "general:"
HINTS = {
    Kind.LAYERS_WITH_BIAS: "A layer has a bias, which the formula does not: make it with bias=False in PyTorch and "
    "use_bias=False in MXNet.",
    Kind.GRADIENT_CUT: "An argument or a parameter gets no gradient: a step takes the numbers out of the recorded "
    "computation, as detach(), no_grad(), asnumpy(), a new array of old numbers and rounding do.",
    Kind.GRADIENT_NOT_FINITE: "The values are right, and a gradient is no number: something infinite, or a root or a "
    "division at 0, is hidden after it was computed. Hide it before.",
    Kind.FEATURES_FLATTENED: "A Dense layer of MXNet joins all axes but the first: with flatten=False it serves each "
    "position.",
    Kind.RESULTS_MISSING: "One result is returned where several are asked for: return them all, separated by commas.",
    Kind.NOTHING_KEPT: "What the exercise asks to keep is not kept: assign it to an attribute of self in the call.",
    Kind.NOTHING_RETURNED: "The function ends without returning its result.",
    Kind.LIST_FOR_AN_ARRAY: "The result is a list of arrays: stack or concatenate them to one array.",
    Kind.SEVERAL_RESULTS: "Several results are returned where one array is asked for: return that one alone.",
    Kind.RESULTS_INTERCHANGED: "The results are right, and returned in another order than the exercise names them.",
    Kind.ARGUMENT_NOT_USED: "An argument, a learned array or a part of one has no effect on the result.",
    Kind.BATCH_MIXED: "Batch elements meet: a step runs over axis 0, or over the whole array since no axis is given.",
    Kind.READS_TOO_MUCH: "A result depends on entries on which it must not: a mask is missing, off by one or too late, or "
    "a step runs along another axis.",
    Kind.FACTOR: "All numbers are the right ones times a factor: one is too many, or missing, such as a size or its root.",
    Kind.ONE_STEP_MORE_OR_LESS: "All numbers are a function of the right ones: one step, such as an exponential, is too "
    "many at the end, or missing.",
    Kind.RANDOM: "Something is drawn at random at each call, so that no two results are the same.",
    Kind.ROUNDING: "The formula is right, but it is computed in a way that loses digits or makes a number too large "
    "for its type.",
    Kind.ARGUMENT_CHANGED: "An argument is changed in place, so whoever handed it in finds other numbers: work on a "
    "copy.",
    Kind.NONE_NOT_EXPECTED: "An argument may be None, and a line uses it as an array: ask for None first.",
    Kind.CONDITION_ON_AN_ARRAY: "An `if` asks a whole array for one yes or no: compare entry by entry, with where.",
    Kind.TYPE_OF_A_NEW_ARRAY: "A new array has another type than the arguments that it meets: give it theirs, by "
    "dtype or a function such as zeros_like.",
    Kind.REAL_NUMBERS_FOR_WHOLE_ONES: "Whole numbers are returned in a type of real numbers: return them in an "
    "integer type.",
    Kind.FLOAT_FOR_AN_INT: "A whole number comes out of a division with /, which always gives a float: divide with //.",
    Kind.LAYERS_IN_A_LIST: "Layers lie in a plain list or dictionary, where the framework does not find their arrays: "
    "put them into its own container.",
    Kind.NO_PARAMETER: "A learned array is a plain array, so that no training changes it: make it a parameter.",
    Kind.NOT_TIED: "The last layer has a matrix of its own: tied weights use the embedding's once more.",
    Kind.PARAMETER_SHARED: "One array or layer stands in several places, so that they learn together: make one for each.",
    Kind.NOT_STORABLE: "What is kept from call to call is no number and no array, such as a list of arrays: a file holds "
    "numbers and arrays. Join the arrays to one row, or keep each under a name of its own.",
    Kind.SUPER_NOT_CALLED: "The class does not call super().__init__() first, so the framework cannot keep its layers.",
    Kind.IN_PLACE_ON_THE_RECORD: "An array is changed in place that the gradient needs: make a new one.",
    Kind.OTHER_BEGINNING: "A learned array begins with other numbers than the exercise says: the check replaces them, and "
    "a training begins with them.",
    Kind.STATE_KEPT: "Something of an earlier call is kept, and used again in a call that has nothing to do with it: keep "
    "it in what is handed in for that, or not at all.",
    Kind.CACHE_EMPTY: "Nothing lies in the cache that is handed in, so what a later call needs is kept elsewhere: put it "
    "there.",
    Kind.CACHE_TOO_LARGE: "More lies in the cache than what is new to each token, such as heads that are repeated already: "
    "keep each number once.",
    Kind.LENGTHS_SWITCHED_OFF: "SequenceMask uses the lengths only with use_sequence_length=True.",
}


def is_general(name: str) -> bool:
    """Return whether this is the name of such an idea."""
    return name in {PREFIX + kind for kind in HINTS}


def with_general_misconception(verdict: Verdict) -> Verdict:
    """Return the verdict with the general idea that it is about, if it is about one and carries no name yet."""
    if verdict.misconception or verdict.kind is None or verdict.kind not in HINTS:
        return verdict
    return replace(verdict, misconception=PREFIX + verdict.kind, hint=HINTS[verdict.kind])
