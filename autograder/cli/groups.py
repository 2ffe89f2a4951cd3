"""Options that belong together: a command takes them as one dataclass, and its user sees each of them."""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature
from typing import Any


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: a parameter of a dataclass gives way to an option for each field.

    Such a parameter is keyword-only. A field says its option as a parameter would, with a type and a default; the
    dataclass may refuse what does not go together (UsageError). No two options may have one name (ValueError).
    """
    shown: list[Parameter] = []
    groups: dict[str, type] = {}
    for parameter in inspect.signature(command).parameters.values():
        group = parameter.annotation
        if is_dataclass(group) and isinstance(group, type):
            groups[parameter.name] = group
            shown += [
                Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
                for f in fields(group)
            ]
        else:
            shown.append(parameter)

    signature = Signature(shown)

    @wraps(command)
    def taking_each(*arguments: Any, **options: Any) -> None:
        said = signature.bind(*arguments, **options)
        said.apply_defaults()
        given = said.arguments
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        command(**given)

    taking_each.__signature__ = signature  # type: ignore[attr-defined]
    return taking_each
