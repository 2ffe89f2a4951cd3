"""What can be found about an answer: a kind, for whoever counts or groups, and the words for its learner."""

from dataclasses import dataclass
from enum import StrEnum

# What a finding is about, by its name in small letters. It stays as it is where its words are mended; gradebooks keep it.
Kind = StrEnum(
    "Kind",
    [
        # Nothing to be judged.
        "NOT_WRITTEN", "HELPER_NOT_WRITTEN",
        # The answer stops.
        "STOPS", "CONDITION_ON_AN_ARRAY", "FEATURES_FLATTENED", "IN_PLACE_ON_THE_RECORD", "LENGTHS_SWITCHED_OFF",
        "NONE_NOT_EXPECTED", "SUPER_NOT_CALLED", "TYPE_OF_A_NEW_ARRAY",
        # Its form is not what the exercise asks for.
        "CONTRACT", "NOT_CALLABLE", "ARGUMENT_CHANGED", "FLOAT_FOR_AN_INT", "LAYERS_WITH_BIAS", "LIST_FOR_AN_ARRAY",
        "LAYERS_IN_A_LIST", "NOTHING_KEPT", "NOTHING_RETURNED", "NOT_FINITE", "NOT_STORABLE", "NOT_TIED", "NO_PARAMETER",
        "OTHER_BEGINNING", "PARAMETER_SHARED", "REAL_NUMBERS_FOR_WHOLE_ONES", "RESULTS_MISSING",
        "SEVERAL_RESULTS", "SHAPE", "TYPE",
        # Its values are wrong.
        "VALUES", "CHOICES", "ARGUMENT_NOT_USED", "BATCH_MIXED", "FACTOR", "IDEA", "ONE_STEP_MORE_OR_LESS",
        "PROPERTY", "RANDOM", "READS_TOO_MUCH", "RELATED", "RESULTS_INTERCHANGED", "ROUNDING", "UNLIKE_WHEN_MEASURED", "WARNED",
        # Its values are right, and something of a call lies where it must not.
        "STATE_KEPT", "CACHE_EMPTY", "CACHE_TOO_LARGE",
        # Its values are right, and its gradients are not.
        "GRADIENT", "GRADIENT_CUT", "GRADIENT_NOT_FINITE",
    ],
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    guess: a further sentence on what may have caused it, until the cause is known. cause: what it says of any answer
    that stops so, without this one's line and sizes. name: of the wrong idea that it is.
    """

    kind: Kind
    words: str
    guess: str = ""
    cause: str | None = None
    name: str | None = None
