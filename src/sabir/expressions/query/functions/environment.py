"""get_env and has_env."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import reveal_deep

__all__ = ["FUNCTIONS"]


def get_env(call: Call, context: Context) -> Any:
    argument = call.argument
    if argument is None or argument == [] or argument == "":
        return dict(context.session.work.environment)
    if isinstance(argument, list):
        name, default = _name(call, context, argument[0]), argument[1] if len(argument) > 1 else None
        if len(argument) > 2:
            call.fail(context, "get_env takes a name and a default, no more")
        found = context.session.work.environment.get(name)
        return call.value(context, default) if found is None else found
    return context.session.work.environment.get(_name(call, context, argument))


def has_env(call: Call, context: Context) -> Any:
    return _name(call, context, call.argument) in context.session.work.environment


def _name(call: Call, context: Context, raw: Any) -> str:
    name = reveal_deep(call.value(context, raw))
    if not isinstance(name, str):
        call.fail(context, f"the name of an environment variable must be text, not {name!r}")
    return name


FUNCTIONS: Final = table(
    Function("get_env", get_env, standalone=True),
    Function("has_env", has_env, standalone=True),
)
