"""Wrong ideas that an answer to any exercise may have and that its values do not show: a bias, a gradient cut off.

They are known by what the judge says of an answer that no misconception of the exercise explains. The name lets a
report count them, and the hint says there what is right.
"""

import re
from dataclasses import dataclass, replace

from autograder.model.verdict import Verdict

# What the name of a general idea begins with.
PREFIX = "general:"


@dataclass(frozen=True)
class GeneralIdea:
    """A wrong idea. said: what a message begins with that is about it, as a regular expression."""

    name: str
    said: str
    hint: str


IDEAS = (
    GeneralIdea(
        "layers_with_bias",
        r"Its parameters are .*: its layers must have no bias\.",
        "A layer has a bias, which the formula does not: make it with bias=False in PyTorch and "
        "use_bias=False in MXNet.",
    ),
    GeneralIdea(
        "gradient_cut",
        r"Its values are right, but no gradient reaches ",
        "An argument or a parameter gets no gradient: a step takes the numbers out of the recorded computation, "
        "as detach(), no_grad(), asnumpy(), a new array of old numbers and rounding do.",
    ),
    GeneralIdea(
        "features_flattened",
        r"A Dense layer joins all axes but the first",
        "A Dense layer of MXNet joins all axes but the first: with flatten=False it serves each position.",
    ),
    GeneralIdea(
        "results_missing",
        r"It returns (?:an? .+|1 results); it must return \d results",
        "One result is returned where several are asked for: return them all, separated by commas.",
    ),
    GeneralIdea(
        "nothing_kept",
        r"It has no attribute \w+ after the call",
        "What the exercise asks to keep is not kept: assign it to an attribute of self in the call.",
    ),
    GeneralIdea(
        "nothing_returned",
        r"It returns None for ",
        "The function ends without returning its result.",
    ),
    GeneralIdea(
        "list_for_an_array",
        r"\w+ is a list; it must be an? [\w ]*(?:tensor|array|NDArray)",
        "The result is a list of arrays: stack or concatenate them to one array.",
    ),
    GeneralIdea(
        "several_results",
        r"\w+ is a tuple; it must be an? [\w ]*(?:tensor|array|NDArray)",
        "Several results are returned where one array is asked for: return that one alone.",
    ),
    GeneralIdea(
        "rounding",
        r".*In double precision all its values are right: ",
        "The formula is right, but it is computed in a way that loses digits or makes a number too large for its type.",
    ),
    GeneralIdea(
        "argument_changed",
        r"It changes its argument \w+ in place",
        "An argument is changed in place, so whoever handed it in finds other numbers: work on a copy.",
    ),
    GeneralIdea(
        "none_not_expected",
        r"(?:Something is None here; )?\w+(?: and \w+)* (?:may be None, as|is,) in this case",
        "An argument may be None, and a line uses it as an array: ask for None first.",
    ),
    GeneralIdea(
        "condition_on_an_array",
        r"An `if`, `and` or `or` asks a whole array",
        "An `if` asks a whole array for one yes or no: compare entry by entry, with where.",
    ),
    GeneralIdea(
        "type_of_a_new_array",
        r"(?:Arrays of two types|Numbers of two precisions) meet",
        "A new array has another type than the arguments that it meets: give it theirs, by dtype or a function such "
        "as zeros_like.",
    ),
    GeneralIdea(
        "real_numbers_for_whole_ones",
        r"The type of `\w+` is float\w*; it must be an integer type",
        "Whole numbers are returned in a type of real numbers: return them in an integer type.",
    ),
    GeneralIdea(
        "float_for_an_int",
        r"\w+ holds \S+; it must be a whole number, an int: ",
        "A whole number comes out of a division with /, which always gives a float: divide with //.",
    ),
    GeneralIdea(
        "super_not_called",
        r"Its __init__ must call super\(\)",
        "The class does not call super().__init__() first, so the framework cannot keep its layers.",
    ),
    GeneralIdea(
        "in_place_on_the_record",
        r"(?:Its values are right, but with gradients it stops\. )?"
        r"(?:MXNet cannot work in place|It works in place on a tensor|It changes in place what)",
        "An array is changed in place that the gradient needs: make a new one.",
    ),
    GeneralIdea(
        "lengths_switched_off",
        r"SequenceMask uses the lengths only with",
        "SequenceMask uses the lengths only with use_sequence_length=True.",
    ),
)
_KNOWN = tuple((re.compile(idea.said, re.DOTALL), idea) for idea in IDEAS)
NAMES = frozenset(PREFIX + idea.name for idea in IDEAS)


def with_general_idea(verdict: Verdict) -> Verdict:
    """The verdict with the general idea that its message is about, if it is about one and carries no name yet."""
    if verdict.misconception or verdict.outcome not in ("rejected", "error"):
        return verdict
    for said, idea in _KNOWN:
        if said.match(verdict.message):
            return replace(verdict, misconception=PREFIX + idea.name, hint=idea.hint)
    return verdict
