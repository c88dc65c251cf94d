"""sensitive, secret, local, external."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.context import Context
from sabir.expressions.query.errors import NOT_FOUND
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import MISSING, External, mark, plain

__all__ = ["SECRET_FUNCTIONS"]


def sensitive(call: Call, context: Context) -> Any:
    value = call.value(context)
    return None if value is None else mark(value)


class _Values(External):
    """The values a project keeps outside the description, each computed when asked for."""

    __slots__ = ("_context", "_secret", "_values")

    def __init__(self, values: Mapping[str, Any], context: Context, *, secret: bool) -> None:
        self._values = values
        self._context = context
        self._secret = secret

    def get(self, key: str) -> Any:
        from sabir.expressions.query.forms import compile_value

        raw = self._values.get(key, MISSING)
        if raw is MISSING:
            return MISSING
        compiled = compile_value(raw)
        value = raw if compiled is None else compiled(self._context)
        return mark(plain(value)) if self._secret else value

    def result(self) -> Any:
        return {key: self.get(key) for key in self._values}


def _local(context: Context) -> _Values:
    return _Values(context.session.project.locals, context, secret=False)


def _secret(context: Context) -> _Values:
    return _Values(context.session.project.secrets, context, secret=True)


def local(call: Call, context: Context) -> Any:
    """S-85: short for {eval: {external: local}, select: name}."""
    return _local(context).get(call.text(context, "the name of a local value"))


def secret(call: Call, context: Context) -> Any:
    return _secret(context).get(call.text(context, "the name of a secret"))


def external(call: Call, context: Context) -> Any:
    name = call.text(context, "the name of an external")
    if name == "local":
        return _local(context)
    if name == "secret":
        return _secret(context)
    found = context.session.externals.get(name)
    if found is None:
        known = ["local", "secret", *context.session.externals]
        hint = did_you_mean(name, known) or "known are " + ", ".join(known)
        call.fail(context, f"there is no external {name!r}", NOT_FOUND, hint)
    return found


SECRET_FUNCTIONS: Final = table(
    Function("sensitive", sensitive),
    Function("local", local),
    Function("secret", secret),
    Function("external", external),
)
