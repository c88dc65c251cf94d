"""if, and, or, not, eq, validate, foreach. In the first four a text is a path (spec 004, "if")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from sabir.diagnostics.reasons import reason_of
from sabir.expressions.query.comparison import equal
from sabir.expressions.query.context import Context
from sabir.expressions.query.errors import REFUSED
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.iteration import compile_items
from sabir.expressions.query.paths import trace
from sabir.expressions.query.values import MISSING, External, reveal_deep, single
from sabir.graph.values import Unknown, reveal
from sabir.lazy import lazy_pattern

_BACKTRACKING: Final = 100_000
_PATTERN_SIZE: Final = 1 << 20
_bare_word: Final = lazy_pattern(r"[A-Za-z_][\w-]*")


def if_(call: Call, context: Context) -> Any:
    holds = _truth(call.matches(context))
    branch = call.keywords.get("then" if holds else "else", MISSING)
    if branch is MISSING:
        return holds
    found = call.matches(context, branch)
    if not found and isinstance(branch, str) and _bare_word().fullmatch(branch):
        # S-96: the document's own example writes the word it wants.
        if context.trace:
            trace(
                context, f"{branch!r} matches nothing and stands for itself; write {{q: {branch}}} to say so"
            )
        return branch
    return _result(branch, found)


def and_(call: Call, context: Context) -> Any:
    result: Any = None
    for raw in _tests(call, context):
        result = _result(raw, call.matches(context, raw))
        if not _truth([result]):
            break
    return result


def or_(call: Call, context: Context) -> Any:
    for raw in _tests(call, context):
        result = _result(raw, call.matches(context, raw))
        if _truth([result]):
            return result
    return False


def not_(call: Call, context: Context) -> Any:
    return not _truth(call.matches(context))


def _tests(call: Call, context: Context) -> list[Any]:
    items: list[Any] = call.items(context, 1)
    return items


def _result(raw: Any, found: list[Any]) -> Any:
    """A quoted list is one match and stays one; everything else is what single mode makes of it."""
    if isinstance(raw, Mapping) and "q" in raw:
        return Matches(found)
    return single(found)


def _truth(found: list[Any]) -> bool:
    """Of several results the first one counts."""
    if not found:
        return False
    first = reveal(found[0])
    if isinstance(first, Matches):
        return _truth(first)
    if isinstance(first, External):
        first = first.result()
    # What is not known yet decides nothing.
    return bool(first) and not isinstance(first, Unknown)


def eq(call: Call, context: Context) -> Any:
    left, right = call.items(context, 2, 2)
    return equal(reveal_deep(call.value(context, left)), reveal_deep(call.value(context, right)))


def foreach(call: Call, context: Context) -> Any:
    return single(compile_items(call.argument)([context.current], context))


def validate(call: Call, context: Context) -> Any:
    contents, schema = call.items(context, 2, 2)
    document, rules = reveal_deep(call.value(context, contents)), reveal_deep(call.value(context, schema))
    try:
        import jsonschema_rs
    except ImportError:
        call.fail(
            context,
            "validate needs the package jsonschema-rs",
            REFUSED,
            hint="install it: pip install 'sabir[schema]'",
        )
    asked: list[str] = []

    def refuse(uri: str) -> NoReturn:
        """A schema is data; to read files or addresses is what `file` and `lookup` are for, with leave."""
        asked.append(uri)
        raise ValueError

    patterns = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKING, size_limit=_PATTERN_SIZE)
    try:
        return jsonschema_rs.is_valid(rules, document, retriever=refuse, pattern_options=patterns)
    except (ValueError, TypeError) as error:
        if asked:
            message = f"the schema of validate refers to {asked[0]!r}, which is not fetched"
            call.fail(context, message, REFUSED, "put what it refers to under its $defs")
        call.fail(context, f"the schema of validate is not a JSON schema: {reason_of(error)}")


FUNCTIONS: Final = table(
    Function("if", if_, keywords=("then", "else")),
    Function("and", and_),
    Function("or", or_),
    Function("not", not_),
    Function("eq", eq),
    Function("foreach", foreach),
    Function("validate", validate),
    Function("validate_json", validate),
)
