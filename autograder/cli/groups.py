"""How commands say their options: each with its help alone, and those that belong together as one dataclass."""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature
from typing import Annotated, Any, get_args

import typer

Function = Callable[..., Any]


class CommandLine(typer.Typer):
    """Commands as `grouped` takes them."""

    def command(self, *arguments: Any, **settings: Any) -> Callable[[Function], Function]:  # type: ignore[override]
        register = super().command(*arguments, **settings)
        return lambda command: register(grouped(command))

    def callback(self, *arguments: Any, **settings: Any) -> Callable[[Function], Function]:  # type: ignore[override]
        register = super().callback(*arguments, **settings)
        return lambda command: register(grouped(command))


def grouped(command: Function) -> Function:
    """Return the command as typer is to see it.

    `Annotated[type, "help"]` is an argument where it has no default and is not keyword-only, and else an option;
    one of type bool has no `--no-…`, and one of a number may say the least, `Annotated[float, "help", 0.1]`. A keyword-only parameter of a dataclass gives way to an option for each field.
    The dataclass may refuse what does not go together (UsageError). No two options may have one name (ValueError).
    """
    parameters: list[Parameter] = []
    groups: dict[str, type] = {}
    for parameter in inspect.signature(command).parameters.values():
        group = parameter.annotation
        if is_dataclass(group) and isinstance(group, type):
            groups[parameter.name] = group
            parameters += [
                Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
                for f in fields(group)
            ]
        else:
            parameters.append(parameter)

    signature = Signature([_with_help(parameter) for parameter in parameters])

    @wraps(command)
    def taking_each(*arguments: Any, **options: Any) -> Any:
        bound = signature.bind(*arguments, **options)
        bound.apply_defaults()
        values = bound.arguments
        for name, group in groups.items():
            values[name] = group(**{f.name: values.pop(f.name) for f in fields(group)})
        return command(**values)

    taking_each.__signature__ = signature  # type: ignore[attr-defined]
    taking_each.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return taking_each


def _with_help(parameter: Parameter) -> Parameter:
    kind, help_text, least = (*get_args(parameter.annotation), None, None, None)[:3]
    if not isinstance(help_text, str):
        return parameter
    if parameter.default is Parameter.empty and parameter.kind is not Parameter.KEYWORD_ONLY:
        option = typer.Argument(help=help_text)
    else:
        names = [f"--{parameter.name.replace('_', '-')}"] if kind is bool else []
        option = typer.Option(*names, help=help_text, min=least)
    return parameter.replace(annotation=Annotated[kind, option])
