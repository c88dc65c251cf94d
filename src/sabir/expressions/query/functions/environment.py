"""get_env and has_env: environment variables, as far as the operator allows them.

to_env: environment variables for others, out of rules.

`NAME: value` adds, `+NAME` copies from the environment, `+NAME: value` with a value where it is not set, `^NAME: value` puts a value
before it as in a search path, `-NAME` takes one away again; names of `+` and `-` may be patterns, and `!` turns them round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from msgspec import Struct

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import REFUSED
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import (
    build_unknown,
    holds_unknown,
    is_sensitive,
    mark_sensitive,
    reveal_deep,
)
from sabir.graph.values import Sensitive


def get_env(call: FunctionCall, context: QueryContext) -> Any:
    argument = call.argument
    if argument is None or argument == [] or argument == "":
        return _all_variables(call, context)
    if isinstance(argument, list):
        name, default = _variable_name(call, context, argument[0]), argument[1] if len(argument) > 1 else None
        if len(argument) > 2:
            call.fail(context, "get_env takes a name and a default, no more")
        value = read_variable(name, call, context)
        return call.value(context, default) if value is None else value
    return read_variable(_variable_name(call, context, argument), call, context)


def has_env(call: FunctionCall, context: QueryContext) -> Any:
    return read_variable(_variable_name(call, context, call.argument), call, context) is not None


def read_variable(name: str, call: FunctionCall, context: QueryContext) -> str | None:
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


def _all_variables(call: FunctionCall, context: QueryContext) -> dict[str, str]:
    work = context.session.work
    if not (work.trust.env or work.trust.variables):
        call.fail(
            context,
            "the environment variables are not read: the project is not trusted with them",
            REFUSED,
            "allow single ones with --trust env:NAME, or all with --trust env",
        )
    return dict(work.visible_environment)


def _variable_name(call: FunctionCall, context: QueryContext, raw: Any) -> str:
    name = reveal_deep(call.value(context, raw))
    if not isinstance(name, str):
        call.fail(context, f"the name of an environment variable must be text, not {name!r}")
    return name


VARIABLE_FUNCTIONS: Final = table(
    Function("get_env", get_env, standalone=True),
    Function("has_env", has_env, standalone=True),
)


# Bounded, and begun at the first backslash only: many references without an end must not be looked through again and again.
_REFERENCE: Final = r"(?<!\\)(\\+)?\$\{([\w|]{1,200})(:[^}]{0,2000})?\}"
_PATTERN: Final = frozenset("*?[!")


def to_env(call: FunctionCall, context: QueryContext) -> Any:
    rules = call.value(context)
    if holds_unknown(rules):
        return build_unknown(rules)
    if isinstance(rules, Sensitive) and isinstance(rules.value, Mapping):
        rules = {
            name: None if value is None else mark_sensitive(value) for name, value in rules.value.items()
        }
    if not isinstance(rules, Mapping):
        call.fail(context, "to_env needs a map of variables", hint="as {to_env: {PORT: 8080, +HOME: null}}")
    variables = _Variables(call, context, {})
    for rule, value in rules.items():
        variables.apply(str(rule), value)
    return Matches([variables.made])


class _Variables(Struct, eq=False):
    call: FunctionCall
    context: QueryContext
    made: dict[str, Any]

    def apply(self, rule: str, value: Any) -> None:
        sign, name = (rule[0], rule[1:]) if rule[:1] in ("+", "-", "^") else ("", rule)
        if sign == "-":
            for taken in [key for key in self.made if _matches_pattern(name, key)]:
                del self.made[taken]
        elif not sign:
            self._put(name, value)
        elif set(name) & _PATTERN:
            visible = self._visible(name)
            self.made.update({key: visible[key] for key in sorted(visible) if _matches_pattern(name, key)})
        else:
            self._copy(name, value, before=sign == "^")

    def _copy(self, name: str, value: Any, *, before: bool) -> None:
        there = read_variable(name, self.call, self.context)
        if there is None:
            self._put(name, value)
        elif before and reveal_deep(value):
            whole = f"{reveal_deep(value)}:{there}"
            self.made[name] = mark_sensitive(whole) if is_sensitive(value) else whole
        else:
            self.made[name] = there

    def _put(self, name: str, value: Any) -> None:
        """Null sets nothing; true is 'true', false is empty."""
        if value is None:
            return
        if holds_unknown(value):
            self.made[name] = build_unknown(value)
            return
        raw = reveal_deep(value)
        if isinstance(raw, bool):
            self.made[name] = "true" if raw else ""
            return
        used: list[Any] = [value]

        def named(other: str) -> str | None:
            """What was made before counts first."""
            used.append(self.made.get(other))
            there = used[-1]
            return read_variable(other, self.call, self.context) if there is None else str(reveal_deep(there))

        text = substitute_variables(str(raw), named)
        self.made[name] = (
            build_unknown(used)
            if holds_unknown(used)
            else mark_sensitive(text)
            if is_sensitive(used)
            else text
        )

    def _visible(self, pattern: str) -> Mapping[str, str]:
        work = self.context.session.work
        if not (work.trust.env or work.trust.variables):
            message = (
                f"the environment variables {pattern!r} are not read: the project is not trusted with them"
            )
            self.call.fail(
                self.context,
                message,
                REFUSED,
                "allow single ones with --trust env:NAME, or all with --trust env",
            )
        return work.visible_environment


def _matches_pattern(pattern: str, name: str) -> bool:
    is_turned = pattern.startswith("!")
    return fnmatchcase(name, pattern[1:] if is_turned else pattern) is not is_turned


def substitute_variables(text: str, named: Callable[[str], str | None]) -> str:
    """`${NAME}`, `${NAME|OTHER}` and `${NAME:default}` replaced; a backslash before it keeps it."""

    def replacement(reference: re.Match[str]) -> str:
        backslashes, names, default = reference.groups()
        if backslashes:
            return reference[0][len(backslashes) - 1 or 1 :]
        values = (named(name) for name in names.split("|"))
        value = next((value for value in values if value is not None), None)
        return value if value is not None else default[1:] if default else ""

    return re.sub(_REFERENCE, replacement, text)


ENVIRONMENT_FUNCTIONS: Final = table(
    # The variables of the process that evaluates stay as they are, whatever `update_os_environ` says.
    Function("to_env", to_env, keywords=("update_os_environ",)),
)

FUNCTIONS: Final[Mapping[str, Function]] = {**ENVIRONMENT_FUNCTIONS, **VARIABLE_FUNCTIONS}
