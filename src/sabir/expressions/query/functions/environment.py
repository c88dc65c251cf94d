"""get_env and has_env: environment variables, as far as the operator allows them."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.query.context import Context
from sabir.expressions.query.errors import REFUSED
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import reveal_deep

__all__ = ["VARIABLE_FUNCTIONS", "variable"]


def get_env(call: Call, context: Context) -> Any:
    argument = call.argument
    if argument is None or argument == [] or argument == "":
        return _all_variables(call, context)
    if isinstance(argument, list):
        name, default = _name(call, context, argument[0]), argument[1] if len(argument) > 1 else None
        if len(argument) > 2:
            call.fail(context, "get_env takes a name and a default, no more")
        value = variable(name, call, context)
        return call.value(context, default) if value is None else value
    return variable(_name(call, context, argument), call, context)


def has_env(call: Call, context: Context) -> Any:
    return variable(_name(call, context, call.argument), call, context) is not None


def variable(name: str, call: Call, context: Context) -> str | None:
    """A variable that is set, or None. Without leave it is an error: a default in its place would go unnoticed."""
    work = context.session.work
    if not work.trust.allows_variable(name):
        call.fail(
            context,
            f"the environment variable {name!r} is not read: the project is not trusted with it",
            REFUSED,
            f"allow it with --trust env:{name}, or all variables with --trust env",
        )
    return work.environment.get(name)


def _all_variables(call: Call, context: Context) -> dict[str, str]:
    work = context.session.work
    if not (work.trust.env or work.trust.variables):
        call.fail(
            context,
            "the environment variables are not read: the project is not trusted with them",
            REFUSED,
            "allow single ones with --trust env:NAME, or all with --trust env",
        )
    return dict(work.visible_environment)


def _name(call: Call, context: Context, raw: Any) -> str:
    name = reveal_deep(call.value(context, raw))
    if not isinstance(name, str):
        call.fail(context, f"the name of an environment variable must be text, not {name!r}")
    return name


VARIABLE_FUNCTIONS: Final = table(
    Function("get_env", get_env, standalone=True),
    Function("has_env", has_env, standalone=True),
)
