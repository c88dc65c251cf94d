"""if, and, or, not, eq, validate, foreach. In the first four a text is a path (spec 004, "if")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.query.comparison import is_equal
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import REFUSED
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.iteration import compile_items
from sabir.expressions.query.paths import trace_message
from sabir.expressions.query.values import MISSING, External, reveal_deep, single_value
from sabir.graph.values import Unknown, reveal_value
from sabir.lazy import lazy_pattern

_BACKTRACKING: Final = 100_000
_PATTERN_SIZE: Final = 1 << 20
_bare_word: Final = lazy_pattern(r"[A-Za-z_][\w-]*")


def evaluate_if(call: FunctionCall, context: QueryContext) -> Any:
    holds = _is_true(call.matches(context))
    branch = call.keywords.get("then" if holds else "else", MISSING)
    if branch is MISSING:
        return holds
    found = call.matches(context, branch)
    if not found and isinstance(branch, str) and _bare_word().fullmatch(branch):
        # S-96: the document's own example writes the word it wants.
        if context.trace:
            trace_message(
                context, f"{branch!r} matches nothing and stands for itself; write {{q: {branch}}} to say so"
            )
        return branch
    return _operand_result(branch, found)


def evaluate_and(call: FunctionCall, context: QueryContext) -> Any:
    result: Any = None
    for raw in _read_operands(call, context):
        result = _operand_result(raw, call.matches(context, raw))
        if not _is_true([result]):
            break
    return result


def evaluate_or(call: FunctionCall, context: QueryContext) -> Any:
    for raw in _read_operands(call, context):
        result = _operand_result(raw, call.matches(context, raw))
        if _is_true([result]):
            return result
    return False


def evaluate_not(call: FunctionCall, context: QueryContext) -> Any:
    return not _is_true(call.matches(context))


def _read_operands(call: FunctionCall, context: QueryContext) -> list[Any]:
    items: list[Any] = call.items(context, 1)
    return items


def _operand_result(raw: Any, found: list[Any]) -> Any:
    """A quoted list is one match and stays one; everything else is what single mode makes of it."""
    if isinstance(raw, Mapping) and "q" in raw:
        return Matches(found)
    return single_value(found)


def _is_true(found: list[Any]) -> bool:
    """Of several results the first one counts."""
    if not found:
        return False
    first = reveal_value(found[0])
    if isinstance(first, Matches):
        return _is_true(first)
    if isinstance(first, External):
        first = first.result()
    # What is not known yet decides nothing.
    return bool(first) and not isinstance(first, Unknown)


def compare_equal(call: FunctionCall, context: QueryContext) -> Any:
    left, right = call.items(context, 2, 2)
    return is_equal(reveal_deep(call.value(context, left)), reveal_deep(call.value(context, right)))


def iterate_items(call: FunctionCall, context: QueryContext) -> Any:
    return single_value(compile_items(call.argument)([context.current], context))


def validate_schema(call: FunctionCall, context: QueryContext) -> Any:
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
        call.fail(context, f"the schema of validate is not a JSON schema: {explain_error(error)}")


FUNCTIONS: Final = table(
    Function("if", evaluate_if, keywords=("then", "else")),
    Function("and", evaluate_and),
    Function("or", evaluate_or),
    Function("not", evaluate_not),
    Function("eq", compare_equal),
    Function("foreach", iterate_items),
    Function("validate", validate_schema),
    Function("validate_json", validate_schema),
)
