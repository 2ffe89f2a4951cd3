"""Words that several explanations share."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def agreeing(name: str, one: str, several: str) -> str:
    """The form of a verb that agrees with a result's name: "weights change", "context changes"."""
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is"))
    return several if plural else one
