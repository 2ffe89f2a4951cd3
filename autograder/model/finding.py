"""What can be found about an answer: a kind, for whoever counts or groups, and the words for its learner."""

from dataclasses import dataclass
from enum import StrEnum, auto


class Kind(StrEnum):
    """What a finding is about. It stays as it is where its words are mended; gradebooks keep it."""

    # Nothing to be judged.
    NOT_WRITTEN = auto()
    HELPER_NOT_WRITTEN = auto()
    # The answer stops.
    STOPS = auto()
    CONDITION_ON_AN_ARRAY = auto()
    FEATURES_FLATTENED = auto()
    IN_PLACE_ON_THE_RECORD = auto()
    LENGTHS_SWITCHED_OFF = auto()
    NONE_NOT_EXPECTED = auto()
    SUPER_NOT_CALLED = auto()
    TYPE_OF_A_NEW_ARRAY = auto()
    # Its form is not what the exercise asks for.
    CONTRACT = auto()
    NOT_CALLABLE = auto()
    ARGUMENT_CHANGED = auto()
    FLOAT_FOR_AN_INT = auto()
    LAYERS_WITH_BIAS = auto()
    LIST_FOR_AN_ARRAY = auto()
    NOTHING_KEPT = auto()
    NOTHING_RETURNED = auto()
    NOT_FINITE = auto()
    REAL_NUMBERS_FOR_WHOLE_ONES = auto()
    RESULTS_MISSING = auto()
    SEVERAL_RESULTS = auto()
    SHAPE = auto()
    TYPE = auto()
    # Its values are wrong.
    VALUES = auto()
    CHOICES = auto()
    ARGUMENT_NOT_USED = auto()
    BATCH_MIXED = auto()
    FACTOR = auto()
    IDEA = auto()
    ONE_STEP_MORE_OR_LESS = auto()
    PROPERTY = auto()
    RANDOM = auto()
    RELATED = auto()
    RESULTS_INTERCHANGED = auto()
    ROUNDING = auto()
    UNLIKE_WHEN_MEASURED = auto()
    WARNED = auto()
    # Its values are right, and its gradients are not.
    GRADIENT = auto()
    GRADIENT_CUT = auto()


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
